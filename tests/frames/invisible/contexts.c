/* What handlers are told: numbers, codes, addresses, masks, registers; where they run; what they may change.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

extern char fault_start[], fault_end[];
void fault(void *address);
__asm__(".text\n.globl fault, fault_start, fault_end\n.type fault, @function\nfault:\n"
        "mov $0x1111, %eax\nmov $0x2222, %ecx\nmov $0x3333, %edx\nmov $0x4444, %esi\nmov $0x8888, %r8d\nmov "
        "$0xbbbb, %r11d\n"
        "stc\nfault_start: movl $7, (%rdi)\nfault_end: ret\n.size fault, .-fault\n");
static char *page;
static sigjmp_buf home;
static int mode;
static char altstack[65536];
static void handler(int n, siginfo_t *info, void *p)
{
    ucontext_t *c = p;
    greg_t *r = c->uc_mcontext.gregs;
    printf("signal %d code %d errno %d address %ld", n, info->si_code, info->si_errno,
           n == SIGSEGV ? (long)((char *)info->si_addr - page) : 0);
    if (r[REG_RIP] == (greg_t)fault_start)
        printf(" rax %llx rcx %llx rdx %llx rsi %llx r8 %llx r11 %llx carry %lld", r[REG_RAX], r[REG_RCX],
               r[REG_RDX], r[REG_RSI], r[REG_R8], r[REG_R11], r[REG_EFL] & 1);
    printf(" mask");
    for (int s = 1; s < 65; s++)
        if (sigismember(&c->uc_sigmask, s) == 1)
            printf(" %d", s);
    sigset_t now;
    sigprocmask(SIG_BLOCK, NULL, &now);
    printf(" now");
    for (int s = 1; s < 65; s++)
        if (sigismember(&now, s) == 1)
            printf(" %d", s);
    char here;
    printf(" on alternate %d, stack flags %d\n", &here >= altstack && &here < altstack + sizeof altstack,
           c->uc_stack.ss_flags);
    if (mode == 0)
        mprotect(page, 4096, PROT_READ | PROT_WRITE);
    if (mode == 1)
        siglongjmp(home, 5);
    if (mode == 2)
        r[REG_RIP] = (greg_t)fault_end;
    if (mode == 3)
        sigaddset(&c->uc_sigmask, SIGUSR2);
    errno = 1234;
}
static void queued(int n, siginfo_t *info, void *p)
{
    (void)p;
    printf("queued %d code %d value %d mine %d\n", n, info->si_code, info->si_value.sival_int,
           info->si_pid == getpid());
}

int main(void)
{
    page = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct sigaction a = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
    sigaddset(&a.sa_mask, SIGUSR1);
    sigaction(SIGSEGV, &a, NULL);
    errno = 0;
    fault(page + 12);
    printf("went on, errno %d, wrote %d\n", errno, page[12]);
    mprotect(page, 4096, PROT_READ);
    mode = 1;
    int back = sigsetjmp(home, 1);
    if (back == 0)
        fault(page + 100);
    printf("jumped %d\n", back);
    mode = 2;
    a.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
    stack_t s = {.ss_sp = altstack, .ss_size = sizeof altstack};
    sigaltstack(&s, NULL);
    sigaction(SIGSEGV, &a, NULL);
    fault(page + 200);
    printf("skipped, %d\n", page[200]);
    munmap(page, 4096);
    fault(page + 300);
    printf("unmapped\n");
    mode = 3;
    sigaction(SIGTERM, &a, NULL);
    raise(SIGTERM);
    sigset_t now;
    sigprocmask(SIG_BLOCK, NULL, &now);
    printf("mask changed by the handler: %d %d\n", sigismember(&now, SIGUSR2), sigismember(&now, SIGUSR1));
    kill(getpid(), SIGTERM);
    pthread_kill(pthread_self(), SIGTERM);
    a.sa_sigaction = queued;
    sigaction(SIGRTMIN + 1, &a, NULL);
    sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = 42});
    sigqueue(getpid(), SIGRTMIN + 1, (union sigval){.sival_int = 43});
    printf("real-time signals: %d to %d\n", SIGRTMIN, SIGRTMAX);
    return 0;
}
