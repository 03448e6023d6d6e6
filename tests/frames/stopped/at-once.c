/* Killed before anything of main was counted, and nobody recorded where: by a fault while its signal is blocked. */
#include <signal.h>
#include "truth.h"
static int *volatile nowhere;
__attribute__((constructor)) static void block(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGSEGV);
    sigprocmask(SIG_BLOCK, &set, 0);
}
int main(void)
{
    T;
    int x = *nowhere;
    T;
    return x;
}
