/* Runs until it is killed: four threads in cycles of the call graph, recursion of several kinds, small
 * functions that are inlined, tail calls and tail recursion, and a hot loop in main. */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))

struct tree {
    struct tree *left, *right;
    unsigned key;
};

static volatile uint64_t sink;

static unsigned next_random(unsigned *state)
{
    *state = *state * 1103515245 + 12345;
    return *state >> 8;
}

static int is_small(unsigned n)
{
    if (n % 7 == 0)
        return 1;
    return n < 100;
}

KEEP struct tree *insert(struct tree *t, unsigned key)
{
    if (!t) {
        t = calloc(1, sizeof *t);
        t->key = key;
        return t;
    }
    if (key < t->key)
        t->left = insert(t->left, key);
    else if (key > t->key)
        t->right = insert(t->right, key);
    return t;
}

KEEP unsigned sum(const struct tree *t)
{
    if (!t)
        return 0;
    unsigned own = is_small(t->key) ? 1 : t->key;
    return own + sum(t->left) + sum(t->right);
}

KEEP void release(struct tree *t)
{
    if (!t)
        return;
    release(t->left);
    release(t->right);
    free(t); /* a tail call */
}

/* Two that call each other, and the last call is a tail call now and then. */
KEEP unsigned second(unsigned n, unsigned *state);
KEEP unsigned first(unsigned n, unsigned *state)
{
    if (n == 0)
        return next_random(state);
    if (n % 3 == 0)
        return second(n - 1, state);
    unsigned inner = second(n - 1, state);
    for (unsigned i = 0; i < inner % 4; i++)
        sink += i;
    return inner ^ n;
}
KEEP unsigned second(unsigned n, unsigned *state)
{
    if (n < 2)
        return n;
    if (is_small(next_random(state)))
        return first(n - 2, state) + 1;
    return first(n - 1, state);
}

KEEP unsigned gcd(unsigned a, unsigned b)
{
    if (b == 0)
        return a;
    return gcd(b, a % b);
}

static int by_value(const void *a, const void *b)
{
    unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;
    return x < y ? -1 : x > y;
}

KEEP unsigned sorted(unsigned depth, unsigned *state)
{
    unsigned numbers[16];
    for (int i = 0; i < 16; i++)
        numbers[i] = next_random(state);
    qsort(numbers, 16, sizeof *numbers, by_value);
    if (depth && numbers[3] % 2)
        return sorted(depth - 1, state) + numbers[0];
    return numbers[15];
}

KEEP unsigned ackermann(unsigned m, unsigned n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

static void *work(void *seed)
{
    unsigned state = (unsigned)(uintptr_t)seed;
    for (;;) {
        struct tree *t = NULL;
        for (int i = 0; i < 200; i++)
            t = insert(t, next_random(&state));
        sink += sum(t);
        release(t);
        sink += first(next_random(&state) % 50, &state) + gcd(next_random(&state), 360360);
        sink += sorted(20, &state) + ackermann(2, next_random(&state) % 20);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, work, (void *)(i + 1));
    write(1, "ready\n", 6);
    for (uint64_t i = 0;; i++) {
        if (i % 3 == 0)
            sink += i;
        else if (i % 7 == 0)
            sink ^= i;
    }
}
