#include "named.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int own(int n)
{
    return n > 3 ? leaf(n - 3) : n;
}
static int throws(int n)
{
    int caught = 0;
    for (int i = 0; i < n; i++)
        try {
            plain_throws(i);
            caught += leaf(i % 2);
        } catch (int e) {
            caught += e + 1;
        }
    return caught;
}
static int jumps(int n)
{
    volatile int done = 0;
    int got = setjmp(*(jmp_buf *)jump_buffer);
    if (got > 100)
        return got;
    for (int i = done + 1; i < n; i++) {
        done = i;
        plain_jumps(i);
    }
    return got + done;
}
int main()
{
    int sum = 0;
    for (int i = 0; i < 20; i++) {
        sum += leaf(i) + silent(i);
        if (i % 2)
            sum += recursive(i);
        sum += plain(i) + plain_calls(i, own) + plain_calls(i, leaf) + replaced_by_plain(i) +
               jumps_on(i, own) + jumps_on(i, plain);
        large l = i % 3 ? make_large(i, 2.5 * i, 3.5L, 4, 5, 6, 7, 8)
                        : plain_large(i, 1.5 * i, 2.5L, 3, 4, 5, 6, 7);
        for (long part : l.part)
            sum += part;
    }
    sum += throws(30) + jumps(50);
    printf("%d\n", sum);
    fflush(stdout);
    int child = plain_forks();
    sum = leaf(child < 0 ? 3 : 7);
    if (child < 0)
        _exit(sum % 50);
    printf("%d %d\n", child, sum);
}
