/*
 * Exceptions over frames of a library without counters, thrown and caught on either side of it.
 *
 * group: throws
 * output: 5 4
 * status: 0
 */
#include "frames.h"

int plain_calls(int (*call)(int), int n);
int plain_catches(int (*call)(int), int n);
int plain_throws(int n);
static volatile int caught, total;
static int throws(int n)
{
    if (n == 2)
        throw n; /* count: 2 */
    total++;     /* count: 4 */
    return n;
}
static int passes(int n)
{
    int r = plain_throws(n); /* count: 5 */
    total += r > 100;        /* count: 3 */
    return r;                /* count: 3 */
}

int main(void)
{
    for (int i = 0; i < 3; i++)
        try {
            plain_calls(throws, i); /* count: 3 */
        } catch (int) {
            caught++; /* count: 1 */
        }
    for (int i = 0; i < 3; i++)
        if (plain_catches(throws, i) < 0)
            caught++; /* count: 1 */
    for (int i = 0; i < 2; i++)
        if (plain_catches(passes, i) < 0)
            caught++; /* count: 1 */
    for (int i = 0; i < 3; i++)
        try {
            passes(i); /* count: 3 */
        } catch (...) {
            caught++; /* count: 1 */
        }
    printf("%d %d\n", caught + 1, total);
    return 0;
}
