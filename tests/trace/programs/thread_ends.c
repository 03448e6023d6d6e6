/* All the ways in which threads end, the first one too: the process ends in another. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <threads.h>
#include <unistd.h>

void wait_until_alone(void); /* not traced */

static pthread_key_t key;
static pthread_t first;
static int sum;

static int collatz(int n)
{
    int steps = 0;
    for (; n != 1; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}
static void destroy(void *value)
{
    for (long i = 0; i < (long)value; i++)
        sum += collatz((int)i + 5);
}
static void *returns(void *argument)
{
    pthread_setspecific(key, argument);
    sum += collatz((int)(long)argument);
    return argument;
}
__attribute__((noinline, optnone)) /* a recursion that becomes a loop leaves no activations */
static int
exits_below(int n)
{
    if (n == 0)
        pthread_exit((void *)(long)collatz(9));
    return exits_below(n - 1) + 1;
}
static void *exits(void *argument)
{
    pthread_setspecific(key, argument);
    return (void *)(long)exits_below((int)(long)argument);
}
static void undo(void *value)
{
    if ((long)value > 3)
        sum += collatz(27);
}
static void *is_cancelled(void *argument)
{
    pthread_cleanup_push(undo, argument);
    while ((long)argument > 0)
        pause();
    pthread_cleanup_pop(1);
    return NULL;
}
static int returns_number(void *argument)
{
    return collatz((int)(long)argument);
}
static void *ends_the_process(void *argument)
{
    pthread_join(first, NULL);
    sum += collatz((int)(long)argument);
    printf("%d\n", sum);
    exit(0);
}
static void on_a_stack_of_its_own(size_t size)
{
    pthread_t thread;
    pthread_attr_t attributes;
    void *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    pthread_attr_init(&attributes);
    pthread_attr_setstack(&attributes, stack, size);
    if (pthread_create(&thread, &attributes, returns, (void *)3L))
        exit(1);
    pthread_join(thread, NULL);
    memset(stack, 255, size);
    munmap(stack, size);
    pthread_attr_destroy(&attributes);
}

int main(void)
{
    pthread_t thread;
    thrd_t number;
    pthread_key_create(&key, destroy);
    first = pthread_self();
    for (long i = 1; i < 5; i++) {
        pthread_create(&thread, NULL, i % 2 ? returns : exits, (void *)i);
        pthread_join(thread, NULL);
    }
    on_a_stack_of_its_own(1 << 20);
    pthread_create(&thread, NULL, is_cancelled, (void *)4L);
    pthread_cancel(thread);
    pthread_join(thread, NULL);
    thrd_create(&number, returns_number, (void *)7L);
    thrd_join(number, NULL);
    pthread_create(&thread, NULL, returns, (void *)6L);
    pthread_detach(thread);
    wait_until_alone();
    pthread_create(&thread, NULL, ends_the_process, (void *)8L);
    pthread_exit(NULL);
}
