/* Children that are born three calls deep and return through their parent's frames, in part by exit, in part from main. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int work(int n)
{
    int r = 0;
    for (int i = 0; i < n; i++)
        r += i % 2 ? 3 : 1;
    return r;
}
__attribute__((noinline)) static int split(int n, int *is_child)
{
    int before = work(n);
    pid_t child = fork();
    if (child == 0) {
        *is_child = 1;
        if (n % 2)
            _exit(before + work(3));
        return work(n + 2);
    }
    int status;
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}

int main(void)
{
    int sum = 0, is_child = 0;
    for (int i = 0; i < 4; i++) {
        sum += split(i, &is_child);
        if (is_child)
            return sum;
    }
    printf("%d\n", sum);
    return 0;
}
