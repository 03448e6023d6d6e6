/* Variadic functions that read integers, doubles and structures. */
#include <stdarg.h>
#include <stdio.h>

struct pair { long a; double b; };
struct large { int v[9]; };

static double sum(const char *types, ...)
{
    va_list list, again;
    double total = 0;
    va_start(list, types);
    va_copy(again, list);
    for (; *types; types++)
        switch (*types) {
        case 'i': total += va_arg(list, int); break;
        case 'l': total += (double)va_arg(list, long); break;
        case 'd': total += va_arg(list, double); break;
        case 'p': { struct pair p = va_arg(list, struct pair); total += (double)p.a * p.b; break; }
        case 'L': { struct large l = va_arg(list, struct large); for (int i = 0; i < 9; i++) total += l.v[i]; break; }
        default: total -= 1000;
        }
    va_end(list);
    if (total > 100)
        total += va_arg(again, int);
    va_end(again);
    return total;
}

static int forward(char *to, size_t size, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int n = vsnprintf(to, size, format, list);
    va_end(list);
    return n;
}

int main(void)
{
    struct pair p = {3, 1.5};
    struct large l = {{1, 2, 3, 4, 5, 6, 7, 8, 9}};
    printf("%.2f\n", sum("iildd", 1, 2, 3L, 4.0, 5.5));
    printf("%.2f\n", sum("iiiiiiiiii", 1, 2, 3, 4, 5, 6, 7, 8, 9, 10));
    printf("%.2f\n", sum("ipLdddddddddp", 60, p, l, 1., 2., 3., 4., 5., 6., 7., 8., 9., p));
    printf("%.2f\n", sum("?"));
    char text[40];
    int n = forward(text, sizeof text, "%d-%s-%c", 12, "abc", 'x');
    printf("%d %s\n", n, text);
    return 0;
}
