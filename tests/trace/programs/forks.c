/* Fifty children, which go on in the frames of their parent. */
#include "reporter.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int is_prime(int n)
{
    for (int i = 2; i * i <= n; i++)
        if (n % i == 0)
            return 0;
    return n > 1;
}
static int spawn(int n)
{
    pid_t pid = fork();
    if (pid == 0) {
        int primes = 0;
        for (int i = 0; i < n + 5; i++)
            primes += is_prime(i);
        if (n % 3 == 0)
            _exit(primes % 100);
        return -primes - 1;
    }
    int status;
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}
static int descend(int depth, int n)
{
    return depth ? descend(depth - 1, n) + (n % 2 ? 0 : 0) : spawn(n);
}

int main(void)
{
    int sum = 0;
    for (int i = 0; i < 50; i++) {
        int result = descend(i % 4, i);
        if (result < 0)
            exit((-result - 1) % 100);
        sum += result;
    }
    printf("%d\n", sum);
    return 0;
}
