/* Objects that begin before main, and end with threads and after it. */
#include <cstdio>
#include <cstdlib>
#include <pthread.h>
#include <thread>

static int sum;
static int collatz(int n)
{
    int steps = 0;
    for (; n != 1; steps++)
        n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
}
struct object {
    int number;
    explicit object(int n) : number(collatz(n))
    {
        std::printf("begins %d\n", number);
    }
    ~object()
    {
        try {
            if (number % 2)
                throw number;
            sum += collatz(number + 1);
        } catch (int n) {
            sum += collatz(n + 2);
        }
        std::printf("ends %d\n", sum);
    }
};
static object one(5), two(6);
inline object shared(10);
static object &lazy()
{
    static object late(9);
    return late;
}
static thread_local object own(7), other(12);
static pthread_key_t key;

static void destroy(void *value)
{
    sum += collatz((int)(long)value + 2);
    if ((long)value < 4)
        pthread_setspecific(key, (void *)((long)value + 1));
}
static void uses(int n)
{
    sum += n % 2 ? own.number : other.number;
    pthread_setspecific(key, (void *)1L);
}

int main(int argc, char **)
{
    object local(3);
    pthread_key_create(&key, destroy);
    for (int i = 0; i < 3; i++)
        std::thread(uses, i).join();
    sum += own.number + lazy().number;
    if (argc > 1)
        std::exit(collatz(5));
    return collatz(6);
}
