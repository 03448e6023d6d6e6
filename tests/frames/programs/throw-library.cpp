/*
 * Exceptions cross shared libraries in both directions.
 *
 * group: throws
 * output: 6 5
 * status: 0
 */
#include "frames.h"

int library_throws(int n);
int library_calls(int (*call)(int), int n);
int library_catches(int (*call)(int), int n);
static volatile int caught, total;
static int throws(int n)
{
    if (n & 1)
        throw n; /* count: 4 */
    total++;     /* count: 4 */
    return n;
}
NOINLINE static int frame(int n)
{
    int r = library_throws(n); /* count: 4 */
    total += r > 100;          /* count: 1 */
    return r;
}

int main(void)
{
    for (int i = 0; i < 4; i++)
        try {
            frame(i); /* count: 4 */
            total++;  /* count: 1 */
        } catch (int) {
            caught++; /* count: 3 */
        }
    for (int i = 0; i < 4; i++)
        try {
            library_calls(throws, i); /* count: 4 */
        } catch (int) {
            caught++; /* count: 2 */
        }
    for (int i = 0; i < 4; i++)
        if (library_catches(throws, i) < 0)
            caught += i == 1; /* count: 2 */
    printf("%d %d\n", caught, total);
    return 0;
}
