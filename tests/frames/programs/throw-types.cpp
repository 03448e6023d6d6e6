/*
 * Handlers that match and do not, in functions that are inlined into each other: an exception lands
 * where it is caught or cleaned up after, nowhere else.
 *
 * group: throws
 * output: 3 2 1 6
 * status: 0
 */
#include "frames.h"

static volatile int ints, chars, doubles, cleaned;
struct cleanup {
    ~cleanup()
    {
        cleaned++; /* count: 6 */
    }
};
NOINLINE static void leaf(int n)
{
    if (n % 3 == 0)
        throw 1; /* count: 2 */
    if (n % 3 == 1)
        throw 'a'; /* count: 2 */
    if (n == 5)
        throw 1.0; /* count: 1 */
}
static inline void catches_int(int n)
{
    try {
        leaf(n);   /* count: 6 */
        ints += 1; /* count: 1 */
    } catch (int) {
        ints++; /* count: 2 */
    }
    ints += 0; /* count: 3 */
}
static inline void cleans(int n)
{
    cleanup c;
    catches_int(n); /* count: 6 */
    ints += 0;      /* count: 3 */
}
static inline void catches_char(int n)
{
    try {
        cleans(n); /* count: 6 */
        ints += 0; /* count: 3 */
    } catch (char) {
        chars++; /* count: 2 */
    }
    ints += 0; /* count: 5 */
}

int main(void)
{
    for (int i = 0; i < 6; i++)
        try {
            catches_char(i); /* count: 6 */
            ints += 0;       /* count: 5 */
        } catch (double) {
            doubles++; /* count: 1 */
        }
    printf("%d %d %d %d\n", ints, chars, doubles, cleaned); /* count: 1 */
    return 0;
}
