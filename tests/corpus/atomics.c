/* C11 atomics: loops of compare and exchange, fences, flags, shared by four threads. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_long total;
static atomic_flag busy = ATOMIC_FLAG_INIT;
static _Atomic(struct pair { int a, b; }) both;
static _Atomic double real;

static long add(long n)
{
    long seen = 0;
    for (int i = 0; i < 500; i++) {
        atomic_fetch_add_explicit(&total, n, memory_order_relaxed);
        if (i % 50 == 0)
            atomic_thread_fence(memory_order_seq_cst), seen++;
    }
    return seen;
}
static void *body(void *p)
{
    return (void *)add((long)p);
}
static int alone(int n)
{
    int turns = 0;
    atomic_int value = 0;
    for (int i = 0; i < n; i++) {
        int expected = i % 2 ? i : -1;
        if (atomic_compare_exchange_strong(&value, &expected, i + 1))
            turns++;
        else
            atomic_store(&value, i + 1);
        if (atomic_flag_test_and_set(&busy))
            atomic_flag_clear(&busy);
    }
    struct pair p = atomic_load(&both);
    p.a += turns;
    atomic_store(&both, p);
    real += 1.5;
    real *= 2;
    p = both;
    return turns + p.a + (int)real;
}

int main(void)
{
    pthread_t threads[4];
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, body, (void *)(i + 1));
    long seen = 0;
    for (int i = 0; i < 4; i++) {
        void *r;
        pthread_join(threads[i], &r);
        seen += (long)r;
    }
    printf("%ld %ld %d\n", seen, (long)total, alone(21));
    return 0;
}
