/*
 * Invalid accesses whose handler makes them valid and returns: nothing is cut.
 *
 * group: signals
 * output: 5 40
 * status: 0
 */
#include "frames.h"
#include <signal.h>
#include <sys/mman.h>

static volatile int caught, total;
static char *pages;
static void handler(int number, siginfo_t *info, void *context)
{
    (void)number, (void)context;
    caught++; /* count: 5 */
    char *page = pages + ((char *)info->si_addr - pages) / 4096 * 4096;
    mprotect(page, 4096, PROT_READ | PROT_WRITE); /* count: 5 */
}
NOINLINE static int touch(volatile char *p, int n)
{
    int r = 0;
    for (int i = 0; i < n; i++) {
        p[i * 512] = 1;  /* count: 40 */
        r += p[i * 512]; /* count: 40 */
        if (i % 5 == 0)
            total++; /* count: 8 */
    }
    return r; /* count: 1 */
}

int main(void)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, NULL);
    pages = mmap(NULL, 8 * 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int r = touch(pages, 40);     /* count: 1 */
    printf("%d %d\n", caught, r); /* count: 1 */
    return 0;
}
