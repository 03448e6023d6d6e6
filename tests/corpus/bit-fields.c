/* Structures with bit-fields and unions, flags tested one by one. */
#include <stdio.h>

struct flags { unsigned a : 1, b : 2, c : 5; signed d : 3; unsigned : 0, e : 7; _Bool f : 1; };
union view { struct flags flags; unsigned words[2]; };

static int count(struct flags f)
{
    int n = 0;
    if (f.a) n++;
    if (f.b == 3) n += 10; else if (f.b > 1) n += 20;
    n += f.d < 0 ? f.d : f.c;
    while (f.c) { n++; f.c >>= 1; }
    for (f.e = 120; f.e > 5; f.e += 5) n++;
    return f.f && n > 3 ? -n : n;
}

int main(void)
{
    union view v = {.words = {0, 0}};
    int sum = 0;
    for (unsigned i = 0; i < 300; i += 7) {
        v.words[0] = i * 2654435761u;
        v.flags.f = i % 3 == 0;
        sum = sum * 3 + count(v.flags);
        sum %= 100003;
    }
    printf("%d\n", sum);
    return 0;
}
