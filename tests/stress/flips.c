/*
 * Damages a file bit by bit and looks what `cotree report` makes of it: flips RUNS SEED FILE BEGIN END report
 * WORDS... The command is called as main() would, in a process of its own.
 *
 * Each time a bit of FILE in [BEGIN, END) is changed (now and then a few, near one another, or a whole word),
 * the command is run, and the file mended. Most of the places are where something is written. What the
 * command printed, and its status, is
 *
 *   same      status 0 and every byte as of the file that is whole,
 *   refused   another status,
 *   declared  status 0 and another report, which says that it is not exact,
 *   wrong     status 0 and another report, which says that it is exact, or
 *   broken    ended by a signal, or by a sanitizer, or not at all.
 *
 * Prints one line with the five numbers, and places that were wrong or broken. Ends with 1 if there were any.
 */
#include "cli/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum outcome { SAME, REFUSED, DECLARED, WRONG, BROKEN, OUTCOMES };
enum { SHOWN = 10, SECONDS_MOST = 60 };

struct answer {
    char *text;
    size_t length, capacity;
    int status; /* of waitpid; -1: it did not end */
};

static uint64_t state;
static uint64_t random_below(uint64_t n)
{
    state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t x = (state ^ state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return (x ^ x >> 31) % n;
}

static void fail(const char *what)
{
    perror(what);
    exit(2);
}

/* Runs the command; what it prints is read until it ends. */
static void ask(struct answer *a, int argc, char **argv)
{
    int ends[2], nowhere;
    a->length = 0;
    if (pipe2(ends, O_CLOEXEC) < 0)
        fail("pipe");
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        fail("fork");
    if (child == 0) {
        nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(ends[1], 1);
        dup2(nowhere, 2);
        exit(cmd_report(argc, argv));
    }
    close(ends[1]);
    time_t limit = time(NULL) + SECONDS_MOST;
    for (;;) {
        if (a->length + 65536 > a->capacity &&
            !(a->text = realloc(a->text, a->capacity = 2 * a->capacity + 65536)))
            fail("realloc");
        struct pollfd one = {.fd = ends[0], .events = POLLIN};
        int ready = poll(&one, 1, 1000);
        if (time(NULL) > limit) {
            kill(child, SIGKILL);
            waitpid(child, &a->status, 0);
            a->status = -1;
            close(ends[0]);
            return;
        }
        if (ready <= 0)
            continue;
        ssize_t got = read(ends[0], a->text + a->length, a->capacity - a->length - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        a->length += (size_t)got;
    }
    a->text[a->length] = 0;
    close(ends[0]);
    if (waitpid(child, &a->status, 0) != child)
        fail("waitpid");
}

static enum outcome judge(const struct answer *a, const struct answer *whole)
{
    /* Statuses of cotree end at 64; sanitizers are told to end with 99 (flips.sh). */
    if (a->status == -1 || !WIFEXITED(a->status) || WEXITSTATUS(a->status) > 64)
        return BROKEN;
    if (WEXITSTATUS(a->status))
        return REFUSED;
    if (a->length == whole->length && !memcmp(a->text, whole->text, a->length))
        return SAME;
    const char *exact = strstr(a->text, "\"exact\":");
    return exact && !strncmp(exact, "\"exact\":false", 13) ? DECLARED : WRONG;
}

/* The places in [begin, end) where something is written, and some behind each. */
static uint64_t *find_written(int fd, uint64_t begin, uint64_t end, size_t *count)
{
    enum { BEHIND = 2 };
    size_t capacity = 0, near = 0;
    uint64_t *places = NULL;
    static unsigned char page[65536];
    *count = 0;
    for (uint64_t at = begin; at < end;) {
        off_t data = lseek(fd, (off_t)at, SEEK_DATA);
        if (data < 0 || (uint64_t)data >= end)
            break;
        at = (uint64_t)data > at ? (uint64_t)data : at;
        ssize_t got = pread(fd, page, end - at < sizeof page ? end - at : sizeof page, (off_t)at);
        if (got <= 0)
            break;
        for (ssize_t i = 0; i < got; i++) {
            near = page[i] ? BEHIND + 1 : near ? near - 1 : 0;
            if (!near)
                continue;
            if (*count == capacity &&
                !(places = realloc(places, (capacity = 2 * capacity + 1024) * sizeof *places)))
                fail("realloc");
            places[(*count)++] = at + (uint64_t)i;
        }
        at += (uint64_t)got;
    }
    return places;
}

int main(int argc, char **argv)
{
    if (argc < 7) {
        fprintf(stderr, "usage: flips RUNS SEED FILE BEGIN END report WORDS...\n");
        return 2;
    }
    uint64_t runs = strtoull(argv[1], NULL, 10), begin = strtoull(argv[4], NULL, 10),
             end = strtoull(argv[5], NULL, 10);
    state = strtoull(argv[2], NULL, 10) * UINT64_C(0x2545f4914f6cdd1d);
    int fd = open(argv[3], O_RDWR | O_CLOEXEC);
    if (fd < 0)
        fail(argv[3]);
    size_t written;
    uint64_t *places = find_written(fd, begin, end, &written), counts[OUTCOMES] = {0}, shown = 0;
    if (!written || end <= begin) {
        fprintf(stderr, "flips: nothing is written there\n");
        return 2;
    }
    struct answer whole = {0}, now = {0};
    ask(&whole, argc - 6, argv + 6);
    if (whole.status || !strstr(whole.text, "\"exact\":true,\"why")) {
        fprintf(stderr, "flips: the file that is whole: status %d, %.300s\n", whole.status, whole.text);
        return 2;
    }
    static const char *const names[] = {"same", "refused", "declared", "wrong", "broken"};
    for (uint64_t i = 0; i < runs; i++) {
        uint64_t at = random_below(4) ? places[random_below(written)] : begin + random_below(end - begin);
        unsigned char before[8], after[8];
        ssize_t length = pread(fd, before, end - at < 8 ? end - at : 8, (off_t)at);
        if (length <= 0)
            continue;
        memcpy(after, before, 8);
        uint64_t way = random_below(16);
        if (way == 0)
            for (ssize_t k = 0; k < length; k++)
                after[k] = (unsigned char)random_below(256);
        for (uint64_t bits = way == 1 ? 2 + random_below(4) : way ? 1 : 0; bits; bits--)
            after[way == 1 ? random_below((uint64_t)length) : 0] ^= (unsigned char)(1u << random_below(8));
        if (!memcmp(before, after, (size_t)length)) {
            i--;
            continue;
        }
        if (pwrite(fd, after, (size_t)length, (off_t)at) != length)
            fail("pwrite");
        ask(&now, argc - 6, argv + 6);
        if (pwrite(fd, before, (size_t)length, (off_t)at) != length)
            fail("pwrite");
        enum outcome outcome = judge(&now, &whole);
        counts[outcome]++;
        if (outcome >= WRONG && shown++ < SHOWN) {
            printf("%s: at %llu:", names[outcome], (unsigned long long)at);
            for (ssize_t k = 0; k < length; k++)
                printf(" %02x>%02x", before[k], after[k]);
            putchar('\n');
        }
    }
    ask(&now, argc - 6, argv + 6);
    if (judge(&now, &whole) != SAME) {
        fprintf(stderr, "flips: the file was not mended\n");
        return 2;
    }
    for (int k = 0; k < OUTCOMES; k++)
        printf("%s%s %llu", k ? ", " : "", names[k], (unsigned long long)counts[k]);
    putchar('\n');
    free(places);
    free(whole.text);
    free(now.text);
    return counts[WRONG] || counts[BROKEN];
}
