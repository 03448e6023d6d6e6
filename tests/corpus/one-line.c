/* Much on one line: short circuits, conditional expressions, loops, several statements, several functions. */
#include <stdio.h>

static int and_or(int a, int b, int c, int d) { return (a && b) || (c && d) || (!a && (b || (c && !d))) || (a > 3 && b > 3); }
static int chain(int n) { return n < 0 ? -1 : n == 0 ? 0 : n < 10 ? n & 1 ? 1 : 2 : n < 100 ? (n % 7 ? 3 : 4) : 5; }
static int loop(int n) { int s = 0; for (int i = 0; i < n; i++) s += i; return s; }
static int loops(int n) { int s = 0; for (int i = 0; i < n; i++) { for (int j = i; j; j /= 2) s++; while (s % 5 == 3) s += 2; } do s--; while (s % 4); return s; }
static int one(void) { return 1; } static int two(void) { return 2; } static int three(int n) { if (n) return 3; return 4; }
static int steps(int n) { int a = n; a++; if (a > 5) a--; if (a % 2) a *= 3; else a /= 2; a += 7; return a; }

static int gcd(int a, int b)
{
    while (b) { int t = a % b; a = b; b = t; } return a;
}

static int search(const char *s, char c)
{
    int i; for (i = 0; s[i] && s[i] != c; i++); return s[i] ? i : -1;
}

static int mixed(int n)
{
    int r = 0;
    for (int i = 0; i < n; i++) { if (i % 3 == 0) continue; if (i > 20) break; r += i;
        r ^= 1; } r += 2; while (r > 50) r -= 7;
    return r && (r & 1 || r & 2) ? r : -r; }

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 16; i++) sum = sum * 2 + and_or(i & 1, i & 2, i & 4, i & 8);
    for (int i = -3; i < 130; i += 3) { sum ^= chain(i) * (1 << (i & 7)); } printf("%d\n", sum);
    for (int i = 0; i < 5; i++) printf("%d %d %d\n", loop(i * 3), loops(i * 4), steps(i * 2)); printf("%d\n", one() + two() + two() + three(0) + three(1) + three(2));
    printf("%d %d %d %d %d\n", gcd(1071, 462), gcd(17, 0), search("hello", 'l'), search("hello", 'z'), mixed(12) + mixed(40));
    return 0;
}
