/*
 * Exceptions that are caught and thrown again: by throw;, as another one, by exception_ptr in another
 * thread, after a handler that did not match.
 *
 * group: throws
 * output: 4 3 2 1
 * status: 0
 */
#include "frames.h"
#include <exception>
#include <thread>

static volatile int first, second, other, elsewhere;
NOINLINE static void leaf(int n)
{
    if (n < 4)
        throw n; /* count: 4 */
    other += 0;  /* count: 1 */
}
NOINLINE static void again(int n)
{
    try {
        leaf(n);    /* count: 5 */
        first += 0; /* count: 1 */
    } catch (int) {
        first++; /* count: 4 */
        if (n == 3)
            throw; /* count: 1 */
        if (n == 2)
            throw 'c'; /* count: 1 */
    }
    other += 0; /* count: 3 */
}
NOINLINE static void not_mine(int n)
{
    try {
        again(n); /* count: 5 */
    } catch (double) {
        other = 99; /* count: 0 */
    } catch (long) {
        other = 98; /* count: 0 */
    }
    second++; /* count: 3 */
}
static void thread(std::exception_ptr p)
{
    try {
        std::rethrow_exception(p); /* count: 1 */
    } catch (char) {
        elsewhere++; /* count: 1 */
    }
}

int main(void)
{
    std::exception_ptr kept;
    for (int i = 0; i < 5; i++)
        try {
            not_mine(i); /* count: 5 */
        } catch (int) {
            other++; /* count: 1 */
        } catch (...) {
            other++;                         /* count: 1 */
            kept = std::current_exception(); /* count: 1 */
        }
    std::thread t(thread, kept);
    t.join();
    printf("%d %d %d %d\n", first, second, other, elsewhere); /* count: 1 */
    return 0;
}
