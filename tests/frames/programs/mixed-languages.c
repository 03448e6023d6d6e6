/*
 * C calls C++ calls C calls C++: an exception passes the C frames between; then exit in the innermost
 * one leaves them all.
 *
 * group: throws
 * output: 2 3
 * status: 23
 */
#include "frames.h"
#include <stdlib.h>

int middle_catches(int n);
void middle_throws(int n);
volatile int total;
int inner_c(int n)
{
    total++; /* count: 4 */
    if (n == 3) {
        printf("%d %d\n", total - 2, n);
        exit(23); /* count: 1 */
    }
    middle_throws(n); /* count: 3 */
    total += 0;       /* count: 1 */
    return n;         /* count: 1 */
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 5; i++) {
        sum += middle_catches(i); /* count: 4 */
        sum ^= 1;                 /* count: 3 */
    }
    return sum; /* count: 0 */
}
