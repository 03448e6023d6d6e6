/*
 * Runs work() and leaves it at a chosen instruction: stepper HOW N
 * HOW: j: the handler jumps out, _: _exit, e: exit, a: abort, s: SIGTERM. Instructions are counted by the
 * processor's trap flag: SIGTRAP after each. PC_FILE gets where that was, and how many there were. warm() is
 * called before: what a first call does in the runtime cannot be stepped through.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
void work(void);
void warm(void);
static volatile unsigned long steps, stop_at;
static sigjmp_buf home;
static char how;
unsigned long *pc_page;
static void on_step(int number, siginfo_t *info, void *context)
{
    ucontext_t *c = context;
    if (++steps != stop_at)
        return;
    pc_page[0] = c->uc_mcontext.gregs[REG_RIP];
    pc_page[1] = steps;
    switch (how) {
    case 'j':
        c->uc_mcontext.gregs[REG_EFL] &= ~0x100;
        siglongjmp(home, 1);
    case 'e':
        exit(3);
    case '_':
        _exit(3);
    case 'a':
        signal(SIGABRT, SIG_DFL);
        abort();
    case 's':
        raise(SIGTERM);
    }
}
int main(int argc, char **argv)
{
    how = argv[1][0];
    stop_at = strtoul(argv[2], 0, 10);
    int fd = open(getenv("PC_FILE"), O_RDWR | O_CREAT, 0666);
    ftruncate(fd, 4096);
    pc_page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    struct sigaction action = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO};
    sigaction(SIGTRAP, &action, NULL);
    warm();
    if (sigsetjmp(home, 1) == 0) {
        __asm__ volatile("pushfq\n orq $0x100, (%%rsp)\n popfq" ::: "memory", "cc");
        work();
        __asm__ volatile("pushfq\n andq $~0x100, (%%rsp)\n popfq" ::: "memory", "cc");
        pc_page[1] = steps;
        pc_page[0] = 0;
    }
    return 0;
}
