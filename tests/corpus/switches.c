/* Cases that share a body, fall through, come after default, have holes and ranges; the edges of one switch run parallel. */
#include <stdio.h>

static int kind(int c)
{
    switch (c) {
    case 'a': case 'e': case 'i': case 'o': case 'u':
        return 1;
    default:
        return 3;
    case '0' ... '9':
        return 2;
    case ' ': case '\t': case '\n':
        return 4;
    }
}

static int falls(int n)
{
    int r = 0;
    switch (n) {
    case 5: r += 5;
    case 4: r += 4;
        __attribute__((fallthrough));
    default: r += 100;
    case 1: r += 1; break;
    case 9: if (r == 0) { case 8: r += 8; } else { case 7: r += 7; }
    case 6: ;
    }
    return r;
}

static int nothing(int n)
{
    switch (n) { }
    switch (n) { default: ; }
    switch (n) { case 1: ; }
    switch (n) default: n++;
    switch (n)
    case 3: n++;
    return n;
}

enum colour { RED, GREEN, BLUE };
static int all_named(enum colour c)
{
    switch (c) {
    case RED: return 10;
    case GREEN: return 20;
    case BLUE: return 30;
    }
    __builtin_unreachable();
}

static int wide(long long n)
{
    switch (n) {
    case -1: return 1;
    case 0x7fffffffffffffffLL: return 2;
    case 1LL << 40: return 3;
    case 0: case 2: case 4: case 6: case 8: return 4;
    case 1: case 3: case 5: case 7: return 4 + (n > 4);
    }
    return 0;
}

static int in_loop(const char *s)
{
    int words = 0, state = 0;
    for (; *s; s++)
        switch (*s) {
        case '#':
            goto done;
        case ' ':
            state = 0;
            continue;
        case '!':
            words += 10;
            break;
        default:
            if (state)
                continue;
            state = 1;
            words++;
        }
done:
    return words;
}

int main(void)
{
    int sums[5] = {0};
    for (const char *p = "the quick brown fox, 12 of 345 of them\tjumps\n"; *p; p++)
        sums[kind(*p)]++;
    printf("%d %d %d %d\n", sums[1], sums[2], sums[3], sums[4]);
    for (int i = -1; i < 12; i++)
        printf("%d:%d:%d ", i, falls(i), nothing(i));
    printf("\n%d %d %d\n", all_named(RED), all_named(BLUE), all_named(BLUE));
    for (int i = -2; i < 10; i++)
        printf("%d", wide(i));
    printf(" %d %d %d\n", wide(0x7fffffffffffffffLL), wide(1LL << 40), wide(1LL << 41));
    printf("%d\n", in_loop("one two! three  four !! five # six"));
    return 0;
}
