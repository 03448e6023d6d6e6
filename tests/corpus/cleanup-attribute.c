/* __attribute__((cleanup)): C with destructors, left by return, break, continue, goto. */
#include <stdio.h>

static int released;
static void release(int *p) { released += *p ? *p : 100; }
static void close_all(char (*p)[4]) { released += (*p)[0] == 'x' ? 7 : 9; }
#define HELD __attribute__((cleanup(release)))

static int leave(int how)
{
    for (int i = 0; i < 4; i++) {
        HELD int held = i;
        if (how == 0)
            continue;
        if (how == 1 && i == 2)
            break;
        HELD int second = i + 10;
        if (how == 2 && i == 1)
            return held + second;
        {
            __attribute__((cleanup(close_all))) char text[4] = "abc";
            if (how == 3) {
                text[0] = 'x';
                goto out;
            }
            if (how == 4 && i == 3)
                return text[1];
        }
        if (how == 5)
            continue;
        second++;
    }
    return 1;
out:
    return 2;
}

int main(void)
{
    for (int how = 0; how < 7; how++)
        printf("%d %d\n", leave(how), released);
    return 0;
}
