#include "base/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

struct progress progress_start(const char *what, uint64_t total)
{
    struct progress p = {.what = what, .total = total, .terminal = isatty(STDERR_FILENO)};
    if (p.terminal)
        p.started_ms = now_ms();
    return p;
}

void progress_update(struct progress *p, uint64_t done)
{
    if (!p->terminal)
        return;
    uint64_t now = now_ms();
    if (now - p->started_ms < 500 || now - p->shown_at_ms < 100)
        return;
    p->shown_at_ms = now;
    p->drawn = true;
    if (done <= p->total)
        fprintf(stderr, "\r%s: %3u%% (%llu of %llu)\033[K", p->what,
                (unsigned)(p->total ? done * 100 / p->total : 0), (unsigned long long)done,
                (unsigned long long)p->total);
    else /* it is not known how much there is */
        fprintf(stderr, "\r%s: %llu\033[K", p->what, (unsigned long long)done);
    fflush(stderr);
}

void progress_end(struct progress *p)
{
    if (p->drawn)
        fputs("\r\033[K", stderr);
    p->drawn = false;
}
