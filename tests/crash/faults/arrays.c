/* Loops over arrays, with and without calls: sorting, matrices, strings, a small interpreter. */
#include "../point.h"
#include <stdio.h>
#include <string.h>

enum { N = 60 };

static void sort(int *a, int n)
{
    for (int gap = n / 2; gap > 0; gap /= 2)
        for (int i = gap; i < n; i++) {
            int v = a[i], k = i;
            while (k >= gap && a[k - gap] > v) {
                a[k] = a[k - gap];
                k -= gap;
            }
            a[k] = v;
            if (v % 11 == 0)
                point();
        }
}

static double multiply(const double *a, const double *b, double *c, int n)
{
    double trace = 0;
    for (int i = 0; i < n; i++) {
        if (i % 4 == 0)
            point();
        for (int j = 0; j < n; j++) {
            double s = 0;
            for (int k = 0; k < n; k++)
                s += a[i * n + k] * b[k * n + j];
            c[i * n + j] = s;
        }
        if (c[i * n + i] > 3)
            trace += c[i * n + i];
        else
            trace -= 1;
    }
    return trace;
}

static int words(const char *text, int *lengths)
{
    int count = 0, inside = 0;
    for (; *text; text++) {
        if (*text == ' ' || *text == '\n') {
            if (inside && lengths[count] > 3)
                point();
            count += inside;
            inside = 0;
        } else {
            if (!inside)
                lengths[count] = 0;
            inside = 1;
            lengths[count]++;
        }
    }
    return count + inside;
}

enum { PUSH, ADD, JUMP, LESS, STORE, LOAD, POINT, END };

static long interpret(const unsigned char *code, long *memory, long *stack)
{
    long steps = 0;
    for (int pc = 0, top = 0;; steps++)
        switch (code[pc++]) {
        case PUSH:
            stack[top++] = code[pc++];
            break;
        case ADD:
            top--;
            stack[top - 1] += stack[top];
            break;
        case LESS:
            top--;
            stack[top - 1] = stack[top - 1] < stack[top];
            break;
        case JUMP:
            if (stack[--top])
                pc = code[pc];
            else
                pc++;
            break;
        case STORE:
            memory[code[pc++]] = stack[--top];
            break;
        case LOAD:
            stack[top++] = memory[code[pc++]];
            break;
        case POINT:
            if (steps % 3 == 0)
                point();
            break;
        default:
            return memory[0] + steps;
        }
}

static long divide(const long *a, const long *b, int n)
{
    long s = 0;
    for (int i = 0; i < n; i++) {
        long q = b[i] & 1 ? a[i] / b[i] : a[i] % (b[i] + 1);
        if (q > 4)
            s += q;
        else if (q < 2)
            s--;
        if (i % 16 == 3)
            point();
    }
    return s;
}

int main(void)
{
    int *a = arena(N * 8 * sizeof *a), *lengths = arena(200 * sizeof *lengths);
    double *x = arena(N * N * sizeof *x), *y = arena(N * N * sizeof *y), *z = arena(N * N * sizeof *z);
    long *memory = arena(300 * sizeof *memory), *stack = arena(300 * sizeof *stack), total = 0;
    char *text = arena(2000);
    unsigned char *code = arena(100);
    unsigned r = 7;
    for (int i = 0; i < N * 8; i++)
        a[i] = (int)((r = r * 1103515245 + 12345) >> 16 & 1023);
    for (int i = 0; i < N * N; i++) {
        x[i] = i % 7 * .25;
        y[i] = i % 5 * .5;
    }
    strcpy(text, "the quick brown fox jumps over the lazy dog and runs away from it as fast as it can "
                 "because dogs that are lazy may still be hungry\nat the end of the day");
    const unsigned char program[] = {PUSH, 0, STORE, 0, PUSH, 0, STORE, 1, LOAD, 0, LOAD, 1, ADD, STORE, 0,
                                     LOAD, 1, PUSH, 1, ADD, STORE, 1, POINT, LOAD, 1, PUSH, 90, LESS, JUMP, 8, END};
    memcpy(code, program, sizeof program);
    for (int i = 0; i < 300; i++) {
        memory[i] = i;
        stack[i] = 3 * i % 13 + 1;
    }
    point();
    total += words(text, lengths);
    point();
    sort(a, N * 8);
    point();
    total += (long)multiply(x, y, z, N / 2);
    point();
    total += divide(memory, stack, 300);
    total += interpret(code, memory, stack);
    printf("%ld %d %d\n", total, a[5], lengths[3]);
    return 0;
}
