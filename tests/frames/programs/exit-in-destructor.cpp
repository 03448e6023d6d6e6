/*
 * exit in the destructor of a global, after main has returned; the other destructors run all the same.
 *
 * group: exits
 * output: last 3
 * output: first
 * status: 13
 */
#include "frames.h"
#include <stdlib.h>

static volatile int total;
static void (*volatile leave)(int) = exit;
struct first {
    ~first()
    {
        printf("first\n"); /* count: 1 */
    }
};
struct last {
    int n = 5;
    NOINLINE void end()
    {
        for (int i = 0; i < n; i++) {
            total += i; /* count: 3 */
            if (total == 3) {
                printf("last %d\n", total);
                leave(13); /* count: 1 */
            }
        }
    }
    ~last()
    {
        end();     /* count: 1 */
        total = 0; /* count: 0 */
    }
};
static first one;
static last two;

int main(void)
{
    for (int i = 0; i < 4; i++)
        total += 0; /* count: 4 */
    return 1;       /* count: 1 */
}
