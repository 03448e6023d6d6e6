/* Kills itself deep inside cycles of the call graph: one function that calls itself twice, and has ended; two
 * that call each other; one behind a pointer, and one inlined into it; two that look as if they ended in tail
 * calls and do not. Before, it says how many activations of each are unfinished. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#define KEEP __attribute__((noinline))

static volatile unsigned work;
static int deepest, evens, odds, walks, inlineds, wides, kepts;

KEEP static void die(void)
{
    printf("die 1\neven %d\nodd %d\nwalk %d\ninlined %d\ntree 0\nwide %d\nkept %d\n", evens, odds, walks,
           inlineds, wides, kepts);
    fflush(stdout);
    kill(getpid(), SIGKILL);
    for (;;)
        pause();
}

/* Twice recursive: the second call stands in the block that returns. */
KEEP static int tree(int depth)
{
    if (depth == 0)
        return 1;
    int left = tree(depth - 1);
    work += (unsigned)left;
    return left + tree(depth - 1);
}

KEEP static int odd(int n, int *trace);

KEEP static int even(int n, int *trace)
{
    int own[4] = {n, 1, 2, 3};
    evens++;
    for (int i = 0; i < n % 4; i++)
        own[i] += trace[i];
    if (n == 0)
        die();
    int result = odd(n - 1, own);
    evens--;
    return result + own[n & 3];
}

KEEP static int odd(int n, int *trace)
{
    int own[4] = {n, 4, 5, 6};
    if (n < 0)
        return trace[0];
    odds++;
    if (n % 3 == 0)
        work++;
    int result = even(n - 1, own);
    work += (unsigned)result;
    odds--;
    return result + own[n & 3];
}

struct walker {
    int (*step)(struct walker *, int);
};

static int inlined(struct walker *w, int n)
{
    int result;
    inlineds++;
    if (n % 5 == 0)
        result = w->step(w, n - 1) + 1;
    else
        result = w->step(w, n - 2);
    inlineds--;
    return result;
}

/* A call in front of the return that cannot be a tail call: the callee looks at what the caller has. */
KEEP int kept(int n, const int *callers)
{
    int own = n + *callers;
    kepts++;
    if (n == 0)
        return even(60, (int[4]){0});
    return kept(n - 1, &own);
}

/* More arguments than fit into registers, and more than it has itself: this is never a tail call. */
KEEP int wider(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j);
KEEP int wide(int a, int b, int c, int d, int e, int f, int g)
{
    wides++;
    return wider(a, b, c, d, e, f, g, a, b, c);
}
KEEP int wider(int a, int b, int c, int d, int e, int f, int g, int h, int i, int j)
{
    if (a > 0)
        return wide(a - 1, b, c, d, e, f, g) + h + i + j;
    return kept(20, &h);
}

KEEP static int walk(struct walker *w, int n)
{
    if (n <= 0) {
        if (deepest++ < 1000)
            return n;
        walks++;
        wide(10, 1, 2, 3, 4, 5, 6);
    }
    int sum = 0;
    walks++;
    for (int i = 0; i < 2; i++)
        sum += inlined(w, n - i);
    walks--;
    return sum;
}

int main(void)
{
    struct walker w = {walk};
    work = (unsigned)(tree(12) + tree(13));
    return walk(&w, 40);
}
