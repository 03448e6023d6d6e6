/*
 * Exceptions in four threads at once, each caught in its own.
 *
 * group: throws
 * output: 200 200
 * status: 0
 */
#include "frames.h"
#include <atomic>
#include <thread>

static std::atomic<int> caught, total;
NOINLINE static void deep(int n)
{
    total++; /* count: 600 */
    if (n == 0)
        throw n; /* count: 200 */
    deep(n - 1); /* count: 400 */
    total = 0;   /* count: 0 */
}
static void body()
{
    for (int i = 0; i < 50; i++)
        try {
            deep(2); /* count: 200 */
        } catch (int) {
            caught++; /* count: 200 */
        }
}

int main(void)
{
    std::thread a(body), b(body), c(body), d(body);
    a.join();
    b.join();
    c.join();
    d.join();
    printf("%d %d\n", caught.load(), total.load() / 3);
    return 0;
}
