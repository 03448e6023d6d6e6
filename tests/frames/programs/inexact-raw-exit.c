/*
 * The system call exit_group, made directly: frames are unknown.
 *
 * group: exits
 * output: 3
 * status: 25
 */
#include "frames.h"

static volatile int total;
NOINLINE static void leave(int n)
{
    total++; /* count: 3 */
    if (n == 0) {
        printf("%d\n", total);
        fflush(stdout);
        long raw;
        __asm__ volatile("syscall"
                         : "=a"(raw)
                         : "0"((long)SYS_exit_group), "D"(25L)
                         : "rcx", "r11", "memory");
    }
    leave(n - 1);
    total--;
}

int main(void)
{
    leave(2); /* count: 1 */
    return 0;
}
