/* Every way C has of getting from one block to another; what it prints is the same at every level. */
#include <stdio.h>
#include <stdlib.h>
#define APART __attribute__((noinline))

APART int computed_goto(const unsigned char *code)
{
    static void *labels[] = {&&add, &&subtract, &&loop, &&end};
    int sum = 0, n = 0;
    goto *labels[*code++];
add:
    sum++;
    goto *labels[*code++];
subtract:
    sum--;
    if (sum < 0)
        goto end;
    goto *labels[*code++];
loop:
    if (n++ < 5)
        code -= 2;
    goto *labels[*code++];
end:
    return sum;
}

/* The assembler's label is reached in another way too, so that its edge must be split. */
APART int asm_goto(int x)
{
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        __asm__ goto("testl %0, %0; jnz %l[odd]" : : "r"((x >> i) & 1) : "cc" : odd);
        sum += 1;
        if (i == 2)
            goto odd;
        continue;
    odd:
        sum += 10;
    }
    return sum;
}

APART int many_cases(int c)
{
    int result = 0;
    switch (c) {
    case 'a':
    case 'e':
    case 'i':
    case 'o':
    case 'u':
        result = 1;
        break;
    case 'x':
        result = 5; /* fall through */
    case 'y':
    case 'z':
        result += 2;
        break;
    default:
        if (c < 'm')
            result = 3;
        else
            result = 4;
    }
    return result;
}

APART int leaf(int x)
{
    return x * 3;
}
APART int tail_call(int x)
{
    if (x & 1)
        return leaf(x + 1);
    return leaf(x);
}
APART int must_tail_call(int x)
{
    if (x > 3) __attribute__
        ((musttail)) return leaf(x - 1);
    __attribute__((musttail)) return leaf(x);
}

APART void dead_end(int x)
{
    if (x > 1000) {
        fprintf(stderr, "no\n");
        abort();
    }
}
APART int endless(int x)
{
    if (x < 1000)
        return x;
    for (;;)
        __asm__ volatile("");
}
__attribute__((noinline, optnone)) int never_optimised(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        if (i % 3)
            sum += i;
    return sum;
}
/* The compiler may call these once instead of twice, unless it is told that they count. */
__attribute__((noinline, const)) int no_memory(int x)
{
    return x > 2 ? x * x : x;
}
static inline int inlined(int x)
{
    return x && (x % 5 || x % 7);
}
static int read_value(int *x, int n)
{
    *x = n;
    return n % 4 == 0;
}
/* Lifetimes that end in several ways. */
APART int scopes(int n)
{
    int total = 0;
    for (int i = 0; i < n; i++) {
        int x;
        if (read_value(&x, i))
            continue;
        if (x == 7)
            break;
        {
            int y;
            if (read_value(&y, x * 2)) {
                total += y;
                if (total > 1000)
                    return total;
                continue;
            }
            total += x;
        }
        do {
            int z;
            if (read_value(&z, total))
                break;
            total += z & 1;
        } while (0);
    }
    while (1) {
        int w;
        if (read_value(&w, total))
            break;
        total++;
    }
    return total;
}
APART void empty_end(int n, int *out)
{
    int x;
    if (read_value(&x, n))
        return;
    if (x & 1)
        *out += x;
}

int main(int argc, char **argv)
{
    (void)argv;
    int total = computed_goto((const unsigned char[]){0, 0, 2, 1, 2, 0, 1, 3});
    for (int i = 0; i < 16; i++)
        total += asm_goto(i);
    for (const char *s = "the quick brown fox jumps over the lazy dog"; *s; s++)
        total += many_cases(*s);
    for (int i = 0; i < 20; i++) {
        total +=
            tail_call(i) + must_tail_call(i) + never_optimised(i) + no_memory(i) + no_memory(i) + inlined(i);
        total += scopes(i) + endless(i);
        empty_end(i, &total);
        dead_end(i);
    }
    printf("%d %d\n", total, argc);
    return leaf(total) == 0;
}
