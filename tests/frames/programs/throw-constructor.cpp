/*
 * Exceptions out of constructors: members and elements of arrays that exist are destroyed, the others
 * are not.
 *
 * group: throws
 * output: 4 8 8
 * status: 0
 */
#include "frames.h"

static volatile int made, destroyed, caught, rooms;
struct part {
    explicit part(int n)
    {
        if (n == 0)
            throw n; /* count: 2 */
        made++;      /* count: 8 */
    }
    ~part()
    {
        destroyed++; /* count: 8 */
    }
};
struct whole {
    part a, b, c;
    whole(int x, int y, int z) : a(x), b(y), c(z)
    {
        if (x + y + z > 6)
            throw 'x'; /* count: 1 */
        rooms++;       /* count: 1 */
    }
};
struct element {
    part p;
    element() : p(made - 10)
    {
        rooms++; /* count: 1 */
        if (rooms == 2)
            throw 2.0; /* count: 1 */
        rooms += 10;   /* count: 0 */
    }
};
NOINLINE static void build(int x, int y, int z)
{
    whole w(x, y, z); /* count: 3 */
    rooms += 0;       /* count: 1 */
}
NOINLINE static void array(void)
{
    element e[3]; /* count: 1 */
    rooms += 100; /* count: 0 */
    (void)e;
}

int main(void)
{
    for (int i = 0; i < 3; i++)
        try {
            build(1, i, 3 * i); /* count: 3 */
        } catch (int) {
            caught++; /* count: 1 */
        } catch (char) {
            caught++; /* count: 1 */
        }
    try {
        array(); /* count: 1 */
    } catch (double) {
        caught++; /* count: 1 */
    }
    try {
        part p(0); /* count: 1 */
    } catch (int) {
        caught++; /* count: 1 */
    }
    printf("%d %d %d\n", caught, made, destroyed);
    return 0;
}
