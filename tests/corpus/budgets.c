/*
 * Loops that end when a variable has counted down, or sooner: what they count is known in front of them but for what is left of it. Most
 * have a loop inside, without which they are left alone.
 */
#include <stdio.h>

static unsigned char text[700];

static unsigned find(const unsigned char *p, unsigned budget, int what)
{
    do {
        if (*p++ == what)
            break;
        while (*p == 4)
            p++;
    } while (--budget);
    return budget;
}

static unsigned before(const unsigned char *p, unsigned budget, int what)
{
    while (budget-- != 0) {
        while (*p == 4)
            p++;
        if (*p++ == what)
            return budget + 1;
    }
    return 0;
}

/* Bytes that are compared: nothing inside. */
static unsigned same(const unsigned char *p, const unsigned char *q, unsigned budget)
{
    while (budget && *p == *q) {
        p++, q++;
        budget--;
    }
    return budget;
}

static int longest(const unsigned short *next, unsigned at, unsigned limit, unsigned long chain, int nice)
{
    int best = 0;
    do {
        int length = 0;
        if (text[at] != text[limit])
            continue;
        while (length < 8 && text[at + length] == text[limit + length])
            length++;
        if (length > best) {
            best = length;
            if (length >= nice)
                break;
        }
    } while ((at = next[at]) > limit && --chain != 0);
    return best;
}

/* A budget of 0 is one of 256. */
static int wraps(const unsigned char *p, unsigned char budget, int what)
{
    int steps = 0;
    do {
        if (*p++ == what)
            return -steps;
        steps += 2;
        while (*p == 4)
            p++;
    } while (--budget);
    return steps;
}

/* A cycle with two ways in, inside a loop. */
static unsigned tangled(unsigned rounds, unsigned x)
{
    unsigned sum = 0;
    do {
        if (x & 1)
            goto second;
    first:
        sum += x;
        x = x * 1103515245 + 12345;
        if (x >> 30 == 3)
            return sum;
        if (x >> 16 & 1) {
        second:
            sum ^= x;
            x = x * 69069 + 1;
            goto first;
        }
    } while (--rounds);
    return sum;
}

int main(int argc, char **argv)
{
    unsigned short next[700];
    unsigned sum = 0;
    (void)argv;
    for (int i = 0; i < 700; i++) {
        text[i] = (unsigned char)(i * i % 23 + (i % 50 == 0));
        next[i] = (unsigned short)(i * 7 / 8);
    }
    for (int what = 0; what < 30; what++) {
        for (unsigned budget = 1; budget < 40; budget += 4)
            sum = sum * 31 + find(text, budget, what) + before(text, budget, what);
        sum = sum * 31 + find(text, argc - 1, text[40]) + before(text, argc - 1, what);
        for (int budget = 0; budget < 260; budget += 20)
            sum = sum * 31 + wraps(text, (unsigned char)budget, what);
        sum = sum * 31 + longest(next, 290 - what, 2, what + 1, 3 + what % 5);
        sum = sum * 31 + tangled(what + 1, what * 77) + same(text + what, text + what + 23, 40);
    }
    printf("%u\n", sum);
    return 0;
}
