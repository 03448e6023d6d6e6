/*
 * The same work by one thread or by several: `threads THREADS UNITS`. A unit runs STEPS steps of
 * data-dependent branches and loops; which unit a thread takes does not matter, so all of it is the same for
 * any number of threads. What was counted is known: every thread keeps plain counts of its own, and the sums
 * are printed: units, steps, steps of an odd number.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 64, HEAP = 16 };

struct worker {
    pthread_t thread;
    long first, end;
    long units, steps, odd;
    uint64_t sum;
};

__attribute__((noinline)) uint64_t odd_step(uint64_t x)
{
    return x * 3 + 1;
}

/* A heap of the smallest numbers seen: branches and inner loops that depend on data. */
static void sift(uint32_t *heap, uint32_t value)
{
    unsigned at = 0;
    if (value >= heap[0])
        return;
    for (;;) {
        unsigned child = 2 * at + 1;
        if (child >= HEAP)
            break;
        if (child + 1 < HEAP && heap[child + 1] > heap[child])
            child++;
        if (heap[child] <= value)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = value;
}

__attribute__((noinline)) uint64_t unit(struct worker *w, uint64_t seed)
{
    uint32_t heap[HEAP];
    for (unsigned i = 0; i < HEAP; i++)
        heap[i] = UINT32_MAX;
    uint64_t x = seed * 0x9e3779b97f4a7c15u + 1;
    for (int i = 0; i < STEPS; i++) {
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        w->steps++;
        if (x & 1) {
            w->odd++;
            x = odd_step(x);
        } else if (x % 5 == 0) {
            x += 7;
        }
        sift(heap, (uint32_t)(x >> 16));
    }
    w->units++;
    return heap[0];
}

static void *work(void *context)
{
    struct worker *w = context;
    for (long i = w->first; i < w->end; i++)
        w->sum += unit(w, (uint64_t)i);
    return NULL;
}

int main(int argc, char **argv)
{
    long threads = argc > 1 ? atol(argv[1]) : 1, units = argc > 2 ? atol(argv[2]) : 1000;
    if (threads < 1 || threads > 64 || units < threads)
        return 64;
    static struct worker workers[64];
    for (long i = 0; i < threads; i++) {
        workers[i].first = units * i / threads;
        workers[i].end = units * (i + 1) / threads;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
            return 1;
    }
    struct worker all = {0};
    for (long i = 0; i < threads; i++) {
        pthread_join(workers[i].thread, NULL);
        all.units += workers[i].units;
        all.steps += workers[i].steps;
        all.odd += workers[i].odd;
        all.sum += workers[i].sum;
    }
    printf("%ld %ld %ld %llu\n", all.units, all.steps, all.odd, (unsigned long long)all.sum);
    return 0;
}
