/* Calls through tables, callbacks out of libc, callbacks that call libc with callbacks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compares;
static int by_value(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    compares++;
    return x < y ? -1 : x > y;
}
static int backwards(const void *a, const void *b) { return -by_value(a, b); }

struct row { int key; int values[5]; };
static int by_sorted_row(const void *a, const void *b)
{
    struct row x = *(const struct row *)a, y = *(const struct row *)b;
    qsort(x.values, 5, sizeof(int), by_value);
    qsort(y.values, 5, sizeof(int), backwards);
    return x.values[0] != y.values[4] ? (x.values[0] < y.values[4] ? -1 : 1) : x.key - y.key;
}

static int add(int a, int b) { return a + b; }
static int sub(int a, int b) { return a - b; }
static int mul(int a, int b) { return a * b; }
typedef int op(int, int);
static op *pick(char c) { return c == '+' ? add : c == '-' ? sub : c == '*' ? mul : NULL; }

static int fold(const char *s)
{
    int value = 0;
    op *pending = add;
    for (; *s; s++) {
        op *next = pick(*s);
        if (next)
            pending = next;
        else
            value = pending(value, *s - '0');
    }
    return value;
}

static int apply(int (*f)(int), int n) { return f(n); }
static int twice(int n) { return 2 * n; }
static int through(int n) { return n > 50 ? n : apply(through, apply(twice, n + 1)); }

int main(void)
{
    int numbers[60];
    unsigned seed = 5;
    for (int i = 0; i < 60; i++)
        numbers[i] = (int)((seed = seed * 1103515245u + 12345u) >> 20) % 500;
    qsort(numbers, 60, sizeof(int), by_value);
    int key = numbers[17], *found = bsearch(&key, numbers, 60, sizeof(int), by_value);
    printf("%d %d %d\n", numbers[0], numbers[59], *found);
    qsort(numbers, 60, sizeof(int), backwards);
    struct row rows[12];
    for (int i = 0; i < 12; i++) {
        rows[i].key = i;
        memcpy(rows[i].values, numbers + i * 5, 20);
    }
    qsort(rows, 12, sizeof(struct row), by_sorted_row);
    for (int i = 0; i < 12; i++)
        printf("%d ", rows[i].key);
    printf("\n%d %d %d\n", compares, fold("1+2*3-4*5+6"), through(1));
    return 0;
}
