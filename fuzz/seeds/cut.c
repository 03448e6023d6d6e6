#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int n;
static int f(int x)
{
    return x > 2 ? f(x - 1) + n : x & 1 ? n++ : n--;
}
static void end(int how)
{
    for (int i = 0; i < how; i++)
        if (f(i) == 9 || how == 7)
            raise(SIGKILL);
        else if (how == 5)
            _exit(1);
}
int main(int argc, char **argv)
{
    end(argc > 1 ? atoi(argv[1]) : 3);
    return n == 100;
}
