// Objects whose scopes are left by break, continue, return and goto; temporaries; conditional temporaries; arrays of objects.
#include <stdio.h>

static int log_value;
struct noisy {
    int n;
    noisy(int k = 1) : n(k) { log_value += k; }
    noisy(const noisy &other) : n(other.n + 1) { log_value ^= n; }
    ~noisy() { log_value = log_value * 3 % 10007 + n; }
    explicit operator bool() const { return n % 2; }
    int value() const { return n; }
};
static noisy make(int n) { return n % 3 ? noisy(n) : noisy(n + 10); }

static int loops(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        noisy outer(i);
        char text[8];
        snprintf(text, sizeof text, "%d", i);
        if (i % 4 == 1)
            continue;
        while (noisy inner = make(sum + i)) {
            noisy deep(2);
            sum += inner.n;
            if (sum % 7 == 3)
                break;
            if (sum % 11 == 5)
                goto next;
            if (sum > 150)
                return sum + deep.n + text[0];
        }
        sum++;
    next:
        sum += 2;
    }
    return sum;
}
static int temporaries(int n)
{
    int r = make(n).value() + (n % 2 ? make(n + 1).value() : noisy(3).n);
    if (make(r).value() > 5 && make(n) || noisy(n).n == 4)
        r++;
    const noisy &kept = n > 3 ? make(n) : make(n * 2);
    return r + kept.n;
}
static noisy returned(int n)
{
    noisy a(n), b(n + 1);
    if (n > 4)
        return a;
    return b;
}
static int arrays(int n)
{
    noisy fixed[3];
    noisy *heap = new noisy[n];
    int r = 0;
    for (int i = 0; i < n; i++)
        r += heap[i].n + fixed[i % 3].n;
    delete[] heap;
    noisy init[] = {1, n, 3};
    return r + init[1].n;
}
static int switches(int n)
{
    switch (noisy s = make(n); s.n % 4) {
    case 0: {
        noisy a(4);
        return a.n;
    }
    case 1: {
        noisy b(5);
        if (b.n > n)
            break;
        return 7;
    }
    case 2:
        n++;
    default:
        n += noisy(2).n;
    }
    return n;
}

int main()
{
    for (int i = 0; i < 12; i++)
        printf("%d %d %d %d %d %d\n", loops(i), temporaries(i), returned(i).n, arrays(i), switches(i), log_value);
    return 0;
}
