/* ({ ... }) with loops, jumps and returns inside expressions. */
#include <stdio.h>

#define ABS(x) ({ int v_ = (x); v_ < 0 ? -v_ : v_; })
#define SUM_TO(n) ({ int s_ = 0; for (int i_ = 1; i_ <= (n); i_++) s_ += i_; s_; })

static int early(int n)
{
    int r = n + ({ if (n > 5) return -1; n * 2; });
    return r ?: 99;
}
static int in_condition(int n)
{
    int turns = 0;
    while (({ turns++; n -= 3; n > 0; }))
        if (({ int odd = n & 1; odd && n > 4; }))
            turns += 10;
    for (int i = ({ n < 0 ? -n : n; }); i < 5; i = ({ i + 1; }))
        turns += ({ if (i == 3) break; i; });
    return turns;
}
static int nested(int n)
{
    return ({ int a = ({ int b = SUM_TO(n); b % 3 ? b : ({ goto small; 0; }); }); a + 1; });
small:
    return -n;
}

int main(void)
{
    for (int i = -3; i < 9; i++)
        printf("%d %d %d %d\n", ABS(i), early(i), in_condition(i * 2), nested(i));
    return 0;
}
