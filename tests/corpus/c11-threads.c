/* thrd_create, _Thread_local, thread-specific destructors, call_once. */
#include <stdio.h>
#include <threads.h>

static _Thread_local int mine = 3;
static _Thread_local int zeroed[20];
static tss_t key;
static once_flag once = ONCE_FLAG_INIT;
static int destroyed, started;
static mtx_t lock;

static void destroy(void *p)
{
    mtx_lock(&lock);
    if (p != NULL)
        destroyed += *(int *)p;
    mtx_unlock(&lock);
}
static void start(void)
{
    started++;
    tss_create(&key, destroy);
}
static int body(void *p)
{
    call_once(&once, start);
    int n = *(int *)p;
    for (int i = 0; i < n; i++) {
        mine += i;
        zeroed[i % 20]++;
    }
    tss_set(key, &mine);
    int r = 0;
    for (int i = 0; i < 20; i++)
        r += zeroed[i] > 1;
    return r;
}

int main(void)
{
    mtx_init(&lock, mtx_plain);
    thrd_t threads[6];
    int numbers[6], sum = 0;
    for (int i = 0; i < 6; i++) {
        numbers[i] = 15 + i * 2;
        thrd_create(&threads[i], body, &numbers[i]);
    }
    for (int i = 0; i < 6; i++) {
        int r;
        thrd_join(threads[i], &r);
        sum += r;
    }
    printf("%d %d %d %d\n", sum, started, destroyed, mine);
    return 0;
}
