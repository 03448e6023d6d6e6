/*
 * Traced by hand: writes events in small steps, and goes on when what others do to its memory has been done,
 * however long that takes: the pages behind it are no longer its own, and the next one is there already.
 *   traced_pages STEPS thunks    a thunk each step, which may let pages go; those ahead are not waited for
 *   traced_pages STEPS -         none
 * Says how many pages it has made itself.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>
#include "traced.h"

enum { STEP = 65536, PAGE = 4096, KEPT_MOST = 16 << 20 };

static long resident(void)
{
    long size, pages = -1;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &size, &pages) != 2)
        exit(2);
    fclose(file);
    return pages * PAGE;
}

static int is_there(int pagemap, const void *address)
{
    uint64_t entry = 0;
    if (pread(pagemap, &entry, sizeof entry, (off_t)((uintptr_t)address / PAGE * sizeof entry)) !=
        sizeof entry)
        exit(3);
    return (int)(entry >> 63);
}

static long faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
}

static void enter(void)
{
    ENTERS(1001);
}

int main(int argc, char **argv)
{
    int pagemap = open("/proc/self/pagemap", O_RDONLY);
    long steps = atol(argv[1]), made = 0;
    int thunks = argc > 2 && argv[2][0] == 't';
    ENTERS(1000);
    EVENT(1);
    long start = resident();
    for (long i = 0; i < steps; i++) {
        long before = faults();
        for (long k = 0; k < STEP; k++)
            EVENT(2);
        made += faults() - before;
        if (thunks)
            enter();
        while (resident() > start + KEPT_MOST)
            usleep(1000);
        while (!thunks && !is_there(pagemap, cotree_trace_thread.events + PAGE))
            usleep(1000);
    }
    printf("%ld\n", made);
    return 0;
}
