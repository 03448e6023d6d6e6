/* Dies with known values in its registers, in a thread, or of a signal from outside, so that a debugger can
 * look at the core file. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void fault(void);
__asm__(".text\n.globl fault\n.type fault, @function\nfault:\n.cfi_startproc\n"
        "push %rbx\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset rbx, 0\nmov $0x1111, %eax\nmov $0xbbbb, "
        "%ebx\nmov $0x2222, %ecx\nmov $0x3333, %edx\n"
        "mov $0x4444, %esi\nmov $0x5555, %edi\nmov $0x8888, %r8d\nmov $0x9999, %r9d\nmov $0xaaaa, %r10d\nmov "
        "$0xcccc, %r11d\n"
        "movq %rax, %xmm0\nmovq %rbx, %xmm15\ncmp %eax, %eax\nstd\nfault_here: movl $7, 24\ncld\npop "
        "%rbx\n.cfi_adjust_cfa_offset -8\nret\n.cfi_endproc\n.size fault, .-fault\n");
__attribute__((noinline)) void inner(int n)
{
    if (n)
        inner(n - 1);
    else
        fault();
    __asm__ volatile("");
}
__attribute__((noinline)) void waits(void)
{
    pause();
    __asm__ volatile("");
}
void *sleeper(void *p)
{
    waits();
    __asm__ volatile("");
    return p;
}
void *faulter(void *p)
{
    inner(1);
    __asm__ volatile("");
    return p;
}
__attribute__((noinline)) void quits(void)
{
    kill(getpid(), SIGQUIT);
    __asm__ volatile("");
}
__attribute__((noinline)) void aborts(void)
{
    abort();
}

int main(int argc, char **argv)
{
    pthread_t t, u;
    const char *how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "fault") == 0)
        inner(3);
    if (strcmp(how, "abort") == 0)
        aborts();
    if (strcmp(how, "quit") == 0)
        quits();
    if (strcmp(how, "thread") == 0) {
        pthread_create(&t, NULL, sleeper, NULL);
        usleep(20000);
        pthread_create(&u, NULL, faulter, NULL);
        pthread_join(u, NULL);
    }
    return 0;
}
