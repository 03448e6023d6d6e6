/* Scopes left by goto, break, continue and return while locals live in them: lifetime markers make blocks here at -O1 and above only. */
#include <stdio.h>
#include <string.h>

static void fill(char *p, int n) { memset(p, 'a' + n % 26, 9); p[9] = 0; }
static int use(const char *p) { return p[0] + p[8]; }

static int loops(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        char outer[10];
        fill(outer, i);
        if (i % 5 == 1)
            continue;
        for (int j = 0; j < i; j++) {
            char inner[10];
            fill(inner, j);
            if (j % 4 == 2)
                continue;
            if (use(inner) == use(outer) - 6)
                break;
            if (i == 17 && j == 9)
                return sum;
            if (i + j == 40)
                goto out;
            sum += use(inner);
        }
        sum += use(outer);
    }
    return sum;
out:
    return -sum;
}

static int nested_goto(int n)
{
    char a[10];
    fill(a, n);
    if (n > 2) {
        char b[10];
        fill(b, n + 1);
        while (n < 100) {
            char c[10];
            fill(c, n + 2);
            switch (n % 7) {
            case 0: {
                char d[10];
                fill(d, n);
                if (use(d) & 2)
                    goto end;
                break;
            }
            case 1:
                goto next;
            case 2: {
                char e[10];
                fill(e, 3);
                n += 1 + (use(e) & 3);
            }
                continue;
            default:
                n += 2;
            }
            n++;
        next:
            n += 5;
        }
        n += use(b);
    }
end:
    return n + use(a);
}

static const char *returns(int n)
{
    char text[20];
    snprintf(text, sizeof text, "%d", n);
    if (strlen(text) == 1)
        return "one";
    {
        char more[20];
        fill(more, n);
        if (use(more) % 3 == 0)
            return "three";
        if (text[0] == '9')
            return "nine";
    }
    return "other";
}

static int both_ways(int n)
{
    int r = 0;
    do {
        char t[10];
        fill(t, n);
        if (use(t) % 2 == 0)
            break;
        r++;
    } while (n-- > 0);
    {
        char u[10];
        fill(u, r);
        if (n > 5)
            goto big;
        r += use(u);
    }
    r++;
big:
    return r;
}

int main(void)
{
    for (int i = 0; i < 30; i += 2)
        printf("%d %d %s %d\n", loops(i), nested_goto(i), returns(i * i), both_ways(i));
    return 0;
}
