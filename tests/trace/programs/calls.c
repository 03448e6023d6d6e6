/* Recursion, pointers, callbacks, varargs, tail calls, computed gotos, functions of every linkage. */
#include "reporter.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static int even(int n);
static int odd(int n)
{
    return n ? even(n - 1) : 0;
}
static int even(int n)
{
    return n ? odd(n - 1) : 1;
}
int fib(int n)
{
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static int sum(int n, ...)
{
    va_list list;
    int s = 0;
    va_start(list, n);
    for (; n; n--)
        s += va_arg(list, int);
    va_end(list);
    return s;
}
int (*volatile variadic)(int, ...) = sum;

struct big {
    long a[12];
};
struct big doubled(struct big b)
{
    for (int i = 0; i < 12; i++)
        b.a[i] *= i % 3 ? 2 : 1;
    return b;
}
struct big (*volatile by_value)(struct big) = doubled;

/* An automaton of functions that call each other through a table in tail position: no stack is used at -O2.
 */
typedef int state(const char *, int);
static state letters, digits, other;
static state *const table[] = {letters, digits, other};
static int class_of(char c)
{
    return c >= 'a' && c <= 'z' ? 0 : c >= '0' && c <= '9' ? 1 : 2;
}
static int letters(const char *s, int n)
{
    return *s ? table[class_of(*s)](s + 1, n + 1) : n;
}
static int digits(const char *s, int n)
{
    return *s ? table[class_of(*s)](s + 1, n + 10) : n;
}
static int other(const char *s, int n)
{
    if (!*s)
        return n;
    return table[class_of(*s)](s + 1, n);
}

static int must(int n, int s)
{
    if (n == 0)
        return s;
    __attribute__((musttail)) return must(n - 1, s + n);
}
static int must_by_pointer(int n, int s);
static int (*volatile next)(int, int) = must_by_pointer;
static int must_by_pointer(int n, int s)
{
    if (n == 0)
        return s;
    __attribute__((musttail)) return next(n - 1, s + n);
}

static int inner(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    return x < y ? -1 : x > y;
}
static int outer(const void *a, const void *b)
{
    int t[5] = {*(const int *)a, *(const int *)b, 3, 1, 2};
    qsort(t, 5, sizeof *t, inner);
    return inner(a, b) + (t[0] > 100);
}

static int interpret(const unsigned char *code, int n)
{
    static const void *const labels[] = {&&add, &&twice, &&loop, &&end};
    int s = 0;
#define NEXT goto *labels[*code++]
    NEXT;
add:
    s += n;
    NEXT;
twice:
    s *= 2;
    if (s > 1000)
        s -= 999;
    NEXT;
loop:
    if (--n > 0)
        code -= 3;
    NEXT;
end:
    return s;
}

static int back(int n)
{
    return n % 3 ? n : call_back(fib, n % 7) + 1;
}
static int chain(int n)
{
    return n > 0 ? call_back(back, n) + call_back(chain, n - 1) : 0;
}

__attribute__((weak)) int weak(int n)
{
    return n > 2 ? n : -n;
}
static int target(int n)
{
    return n > 1 ? 2 * n : n;
}
int alias(int) __attribute__((alias("target_of_alias")));
int target_of_alias(int n)
{
    return target(n) + (n & 1 ? 1 : 2);
}
inline int for_inlining(int n)
{
    return n > 5 ? n - 5 : n;
}
extern inline int for_inlining(int n);
__attribute__((pure)) int pure(int n)
{
    int s = 0;
    while (n--)
        s += n ^ 3;
    return s;
}
__attribute__((noinline)) static void leaf(int *p)
{
    *p += 1;
}
__attribute__((always_inline)) static inline int forced(int n)
{
    return n > 4 ? 1 : 2;
}
static int count;
__attribute__((constructor)) static void before(void)
{
    for (int i = 0; i < 3; i++)
        leaf(&count);
}
__attribute__((destructor)) static void after(void)
{
    if (count > 3)
        printf("%d\n", count);
}
static void at_end(void)
{
    for (int i = 0; i < 2; i++)
        leaf(&count);
}

#define CASE(n)                                                                                              \
    case n:                                                                                                  \
        s += n * 3 + (s & 1);                                                                                \
        break;
#define CASES(n) CASE(n) CASE(n + 1) CASE(n + 2) CASE(n + 3) CASE(n + 4) CASE(n + 5) CASE(n + 6) CASE(n + 7)
#define MORE(n) CASES(n) CASES(n + 8) CASES(n + 16) CASES(n + 24)
static int wide(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++)
        switch (i * 7 % 330) {
            MORE(0)
            MORE(32) MORE(64) MORE(96) MORE(128) MORE(160) MORE(192) MORE(224) MORE(256) MORE(288) default
                : s--;
        }
    return s;
}

int main(void)
{
    char text[3000];
    for (int i = 0; i < (int)sizeof text - 1; i++)
        text[i] = "ab1 c2"[i * i % 6];
    text[sizeof text - 1] = 0;
    int list[40];
    for (int i = 0; i < 40; i++)
        list[i] = i * 37 % 41 * 5;
    qsort(list, 40, sizeof *list, outer);
    struct big b = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
    b = by_value(doubled(b));
    atexit(at_end);
    static const unsigned char code[] = {0, 1, 2, 3};
    int (*volatile p)(int) = fib;
    printf("%d %d %d %d %d\n", even(11), fib(9), sum(3, 1, 2, 3), variadic(4, 1, 2, 3, 4), p(7));
    printf("%ld %d %d %d %d\n", b.a[4], letters(text, 0), must(50, 0), must_by_pointer(50, 0), list[7]);
    printf("%d %d %d %d %d\n", interpret(code, 20), chain(12), weak(3), alias(5), for_inlining(9));
    printf("%d %d %d\n", pure(5) + pure(5), forced(count), wide(400));
    return 0;
}
