/*
 * An exception arrives at a noexcept function: std::terminate, whose handler ends the program by exit.
 *
 * group: throws
 * output: terminate 5
 * status: 21
 */
#include "frames.h"
#include <exception>
#include <stdlib.h>

static volatile int total;
static void terminates()
{
    printf("terminate %d\n", total); /* count: 1 */
    exit(21);                        /* count: 1 */
}
NOINLINE static void leaf(int n)
{
    total += n; /* count: 3 */
    if (total > 3)
        throw n; /* count: 1 */
    total += 0;  /* count: 2 */
}
NOINLINE static void calm(int n) noexcept
{
    leaf(n);    /* count: 3 */
    total += 0; /* count: 2 */
}

int main(void)
{
    std::set_terminate(terminates);
    try {
        calm(1); /* count: 1 */
        calm(1); /* count: 1 */
        calm(3); /* count: 1 */
        calm(9); /* count: 0 */
    } catch (int) {
        total = 0;
    }
    return 0; /* count: 0 */
}
