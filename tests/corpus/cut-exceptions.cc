// Exceptions caught near and far, through frames with and without cleanups, rethrown, thrown in destructors' shadow and in constructors.
#include <stdio.h>
#include <stdexcept>

static int destroyed;
struct held {
    int n;
    explicit held(int k) : n(k)
    {
        if (k == 13)
            throw 13L;
    }
    ~held() { destroyed += n; }
};

__attribute__((noinline)) static int leaf(int n)
{
    if (n % 3 == 0)
        throw n;
    if (n % 5 == 0)
        throw std::runtime_error("five");
    return n;
}
__attribute__((noinline)) static int no_cleanup(int n)
{
    int r = leaf(n);
    for (int i = 0; i < 2; i++)
        r += leaf(n + i * 0);
    return r;
}
__attribute__((noinline)) static int cleanup(int n)
{
    held h(n);
    int r = no_cleanup(n);
    held g(r);
    return r + leaf(n + 1);
}
static int catches(int n)
{
    try {
        return cleanup(n);
    } catch (int k) {
        return -k;
    } catch (const std::exception &e) {
        return e.what()[0];
    }
}
static int rethrows(int n)
{
    try {
        try {
            return cleanup(n);
        } catch (int k) {
            if (k % 2)
                throw;
            return 1000 + k;
        }
    } catch (...) {
        return 2000;
    }
}
static int in_loop(int n)
{
    int caught = 0;
    for (int i = 0; i < n; i++) {
        held h(1);
        try {
            if (i % 4 == 1)
                continue;
            if (leaf(i) == 7)
                break;
        } catch (...) {
            caught++;
            if (caught == 4)
                return -caught;
        }
    }
    return caught;
}

int main()
{
    for (int i = 1; i < 16; i++)
        try {
            printf("%d %d %d %d\n", catches(i), rethrows(i), in_loop(i), destroyed);
        } catch (long l) {
            printf("long %ld\n", l);
        }
    return 0;
}
