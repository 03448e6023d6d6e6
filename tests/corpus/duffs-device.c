/* A loop entered at eight places. */
#include <stdio.h>

static int copy(unsigned char *to, const unsigned char *from, int count)
{
    int rounds = (count + 7) / 8, turns = 0;
    if (count <= 0)
        return 0;
    switch (count % 8) {
    case 0: do { *to++ = *from++;
    case 7:      *to++ = *from++;
    case 6:      *to++ = *from++;
    case 5:      *to++ = *from++;
    case 4:      *to++ = *from++;
    case 3:      *to++ = *from++;
    case 2:      *to++ = *from++;
    case 1:      *to++ = *from++; turns++;
            } while (--rounds > 0);
    }
    return turns;
}

int main(void)
{
    unsigned char from[100], to[100] = {0};
    for (int i = 0; i < 100; i++)
        from[i] = (unsigned char)(i * 7);
    int turns = 0;
    for (int n = 0; n < 40; n++)
        turns += copy(to, from, n);
    unsigned sum = 0;
    for (int i = 0; i < 100; i++)
        sum = sum * 31 + to[i];
    printf("%d %u\n", turns, sum);
    return 0;
}
