// Never traced.
#include "named.h"

#include <setjmp.h>
#include <sys/wait.h>
#include <unistd.h>

extern "C" {
long jump_buffer[64];
int plain(int n)
{
    return n * 3 + silent(n);
}
int plain_calls(int n, int (*f)(int))
{
    return f(n) + leaf(n % 3) + f(n + 1);
}
void plain_throws(int n)
{
    if (n % 3 == 0)
        throw leaf(n % 5);
}
void plain_jumps(int n)
{
    if (n % 4 == 0)
        longjmp(*(jmp_buf *)jump_buffer, n + leaf(2));
}
int plain_forks()
{
    int status = 0;
    pid_t child = fork();
    if (child)
        waitpid(child, &status, 0);
    return child ? WEXITSTATUS(status) : -1;
}
struct large plain_large(int a, double b, long double c, int d, int e, int f, int g, long h)
{
    return make_large(a + 1, b, c, d, e, f, g, h);
}
int replaced_by_plain(int n)
{
    return 100 + n;
}
// With --wrap=leaf calls of leaf from other units come here.
int __real_leaf(int n) __attribute__((weak));
int __wrap_leaf(int n)
{
    return 1000 + __real_leaf(n);
}
}
