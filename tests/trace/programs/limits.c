/* Limits its own address space while it is traced, and says what it can have then: the same as without a
 * trace. A child of fork and one of vfork do so, too; the last thing it does is to execute a program that
 * says its limits. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MIB = 1 << 20 };

static long used(void)
{
    long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld", &pages) != 1)
        exit(2);
    fclose(file);
    return pages * 4096;
}

static void say(const char *who)
{
    struct rlimit a, b;
    getrlimit(RLIMIT_AS, &a);
    prlimit(0, RLIMIT_AS, NULL, &b);
    printf("%s: %ld %ld%s\n", who, (long)a.rlim_cur, (long)a.rlim_max,
           memcmp(&a, &b, sizeof a) ? ", or something else" : "");
}

/* How many pieces of 16 MiB, of 40. */
static int take(void)
{
    int count = 0;
    void *pieces[40];
    while (count < 40 && (pieces[count] = mmap(NULL, 16 * MIB, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                                               0)) != MAP_FAILED)
        count++;
    for (int i = 0; i < count; i++)
        munmap(pieces[i], 16 * MIB);
    return count;
}

static int set(rlim_t soft, rlim_t hard)
{
    const struct rlimit limit = {soft, hard};
    return setrlimit(RLIMIT_AS, &limit) == 0 ? 0 : errno;
}

int main(int argc, char **argv)
{
    rlim_t limit = 256 * MIB;
    printf("%s before\n", take() == 40 ? "all" : "some");
    printf("set: %d %d\n", set(limit, 2 * limit), set(limit, limit / 2));
    say("set");
    int count = take();
    printf("takes %s\n", count < 8 ? "too little" : count > 16 ? "too much" : "what it may");
    printf("raised: %d\n", set(2 * limit, 2 * limit));
    count = take();
    printf("takes %s\n", count < 24 ? "too little" : count > 32 ? "too much" : "what it may");
    fflush(stdout);
    if (fork() == 0) {
        say("child");
        set(limit, 2 * limit);
        count = take();
        printf("takes %s\n", count < 8 ? "too little" : count > 16 ? "too much" : "what it may");
        fflush(stdout);
        _exit(0);
    }
    wait(NULL);
    pid_t child = vfork();
    if (child == 0) {
        struct rlimit small = {64 * MIB, 64 * MIB};
        setrlimit(RLIMIT_AS, &small);
        _exit(0);
    }
    waitpid(child, NULL, 0);
    say("parent");
    execl("/nonexistent", "none", (char *)NULL);
    count = take();
    printf("takes %s\n", count < 24 ? "too little" : count > 32 ? "too much" : "what it may");
    fflush(stdout);
    execl("/bin/sh", "sh", "-c", "ulimit -v", (char *)NULL);
    return argc > 9 || !argv || used() < 0;
}
