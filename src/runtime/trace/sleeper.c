/*
 * The sleeper: a program that sleeps beside a traced program until there is something to pack, and
 * then becomes the follower (trace/follower.c). It is a program of its own: a copy of the traced
 * one would share its pages, so that the next store to each costs a fault, and would keep its
 * executable from being written to (ETXTBSY) until it noticed that the program has ended. And a
 * small one: most programs end before there is anything to do.
 *
 * Its words: the data file, cotree, the file of /proc in which the kernel lists what it told the
 * program, and AT_RANDOM of that list. Its descriptors: SLEEPER_PROGRAM (sleeper.h), if the kernel
 * has pidfds, and SLEEPER_EVENTS. All signals are blocked.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <sys/auxv.h>
#include <sys/poll.h>
#include <sys/stat.h>
#include "format/trace/layout.h"
#include "runtime/trace/sleeper.h"
#include "runtime/system_calls.h"

#define FIRST_SLEEP 20 /* milliseconds; then twice as long each time */
#define LONGEST_SLEEP 200
#define PAGES_AHEAD (2 * (uint64_t)TRACE_LARGE_PAGE) /* that hold nothing yet (trace/pages.c) */

static __attribute__((noreturn)) void leave(void)
{
    for (;;)
        (void)COTREE_CALL(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

static uint64_t number_of(const char *text)
{
    uint64_t number = 0;
    for (; *text >= '0' && *text <= '9'; text++)
        number = 10 * number + (uint64_t)(*text - '0');
    return number;
}

/* Has the program executed another one? Then its auxiliary vector is another. */
static bool has_executed(const char *words_path, uint64_t random)
{
    uint64_t words[64];
    cotree_clear(words, sizeof words);
    long descriptor = cotree_open(words_path, O_RDONLY | O_CLOEXEC, 0);
    if (cotree_failed(descriptor))
        return true;
    (void)COTREE_CALL(SYS_read, descriptor, words, sizeof words, 0, 0, 0);
    cotree_close(descriptor);
    for (unsigned i = 0; i < sizeof words / sizeof *words && words[i] != AT_NULL; i += 2)
        if (words[i] == AT_RANDOM)
            return words[i + 1] != random;
    return true;
}

/* Waits so long for the end of the program. True: it has ended. */
static bool has_ended(const char *words_path, int milliseconds)
{
    struct pollfd ends = {.fd = SLEEPER_PROGRAM, .events = POLLIN};
    struct {
        long seconds, nanoseconds;
    } pause = {0, milliseconds * 1000000L};
    if (COTREE_CALL(SYS_poll, &ends, 1, milliseconds, 0, 0, 0) != 1)
        return false;
    if ((ends.revents & POLLNVAL) == 0)
        return true;
    (void)COTREE_CALL(SYS_nanosleep, &pause, 0, 0, 0, 0, 0); /* an older kernel */
    return COTREE_CALL(SYS_access, words_path, 0, 0, 0, 0, 0) != 0;
}

static bool has_finished(void)
{
    uint64_t finished = 0;
    (void)COTREE_CALL(SYS_pread64, SLEEPER_EVENTS, &finished, sizeof finished,
                      offsetof(struct trace_header, finished), 0, 0);
    return finished != 0;
}

/* Sleeps until there is something to pack. */
static void sleep_until_needed(const char *words_path, uint64_t random)
{
    for (int sleep = FIRST_SLEEP;; sleep = sleep < LONGEST_SLEEP ? 2 * sleep : sleep) {
        struct stat status;
        bool ended = has_ended(words_path, sleep), finished = has_finished();
        if (COTREE_CALL(SYS_fstat, SLEEPER_EVENTS, &status, 0, 0, 0, 0) != 0 || status.st_nlink == 0)
            leave();
        if ((uint64_t)status.st_blocks * 512 >= TRACE_WORTH_PACKING + PAGES_AHEAD)
            return;
        if (!ended && !(finished && has_executed(words_path, random)))
            continue;
        if ((uint64_t)status.st_size <= TRACE_REGIONS_OFFSET + TRACE_WORTH_PACKING)
            leave(); /* the program has done it */
        return;
    }
}

static __attribute__((noreturn, used)) void begin(char **stack)
{
    char *const *words = stack + 1;
    if ((long)stack[0] < SLEEPER_WORDS)
        leave();
    const uint64_t self = cotree_getpid();
    (void)COTREE_CALL(SYS_pwrite64, SLEEPER_EVENTS, &self, sizeof self, TRACE_SLEEPER_OFFSET, 0, 0);
    char *data = words[SLEEPER_DATA], *cotree = words[SLEEPER_COTREE];
    char *const arguments[] = {"cotree", "trace", "--follow", data, NULL};
    char *const environment[] = {"COTREE=off", "PATH=/usr/local/bin:/usr/bin:/bin", NULL};
    sleep_until_needed(words[SLEEPER_AUXILIARY], number_of(words[SLEEPER_RANDOM]));
    (void)COTREE_CALL(SYS_pwrite64, SLEEPER_EVENTS, &self, sizeof self,
                      offsetof(struct trace_header, follower), 0, 0);
    cotree_close(SLEEPER_PROGRAM);
    cotree_close(SLEEPER_EVENTS);
    cotree_signals_restore(0);
    (void)COTREE_CALL(SYS_execve, cotree, arguments, environment, 0, 0, 0);
    leave();
}

COTREE_START_ENTRY(begin);
