/* Dies with known values in its registers, in a thread, among other threads, or of a signal from outside, so
 * that a debugger can look at the core file. `cores crowd NUMBER KIND END`: with NUMBER threads that are
 * blocked in system calls, busy, or mixed, with all signals blocked (masked) or not. */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void fault(void);
__asm__(".text\n.globl fault\n.type fault, @function\nfault:\n.cfi_startproc\n"
        "push %rbx\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset rbx, 0\nmov $0x1111, %eax\nmov $0xbbbb, "
        "%ebx\nmov $0x2222, %ecx\nmov $0x3333, %edx\n"
        "mov $0x4444, %esi\nmov $0x5555, %edi\nmov $0x8888, %r8d\nmov $0x9999, %r9d\nmov $0xaaaa, %r10d\nmov "
        "$0xcccc, %r11d\n"
        "movq %rax, %xmm0\nmovq %rbx, %xmm15\ncmp %eax, %eax\nstd\nfault_here: movl $7, 24\ncld\npop "
        "%rbx\n.cfi_adjust_cfa_offset -8\nret\n.cfi_endproc\n.size fault, .-fault\n");
/* What a debugger sees of a thread depends on where it was: nobody dies before the others are where they
 * stay. */
static atomic_int tids[100], busy[100], joins;
static int sleeps(int tid)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    FILE *stream = fopen(path, "r");
    if (stream == NULL || fscanf(stream, "%*d (%*[^)]) %c", &state) != 1)
        exit(7);
    fclose(stream);
    return state == 'S';
}
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
    tids[0] = (int)syscall(SYS_gettid);
    waits();
    __asm__ volatile("");
    return p;
}
void *faulter(void *p)
{
    while (!joins || !sleeps(getpid()))
        usleep(1000);
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

/* ---- a crowd ---- */
static sem_t never;
static int silent[2], masked;
__attribute__((noinline)) void crowd_waits(int i)
{
    char c;
    struct timespec hour = {3600, 0};
    switch (i % 5) {
    case 0:
        pause();
        break;
    case 1:
        (void)!read(silent[0], &c, 1);
        break;
    case 2:
        nanosleep(&hour, NULL);
        break;
    case 3:
        poll(NULL, 0, -1);
        break;
    case 4:
        sem_wait(&never);
        break;
    }
    __asm__ volatile("");
}
__attribute__((noinline)) void crowd_spins(int i)
{
    for (;;)
        busy[i] = 1;
}
static void mask_if_wanted(void)
{
    sigset_t all;
    sigfillset(&all);
    if (masked)
        pthread_sigmask(SIG_SETMASK, &all, NULL);
}
void *waiter(void *p)
{
    int i = (int)(long)p;
    mask_if_wanted();
    tids[i] = (int)syscall(SYS_gettid);
    crowd_waits(i);
    __asm__ volatile("");
    return p;
}
void *spinner(void *p)
{
    mask_if_wanted();
    crowd_spins((int)(long)p);
    __asm__ volatile("");
    return p;
}
__attribute__((noinline)) void crowd(int number, const char *kind, const char *end)
{
    pthread_t t;
    sem_init(&never, 0, 0);
    if (pipe(silent) != 0)
        exit(8);
    masked = strstr(kind, "masked") != NULL;
    for (int i = 0; i < number; i++) {
        int spins = strstr(kind, "busy") != NULL || (strstr(kind, "mixed") != NULL && i % 2);
        pthread_create(&t, NULL, spins ? spinner : waiter, (void *)(long)i);
        while (spins ? !busy[i] : !tids[i] || !sleeps(tids[i]))
            usleep(1000);
    }
    if (strcmp(end, "fault") == 0)
        inner(1);
    if (strcmp(end, "abort") == 0)
        aborts();
    if (strcmp(end, "raise") == 0)
        raise(SIGQUIT);
    pthread_create(&t, NULL, faulter, NULL);
    joins = 1;
    pthread_join(t, NULL);
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    pthread_t t, u;
    if (argc > 4)
        crowd(atoi(argv[2]), argv[3], argv[4]);
    const char *how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "fault") == 0)
        inner(3);
    if (strcmp(how, "abort") == 0)
        aborts();
    if (strcmp(how, "quit") == 0)
        quits();
    if (strcmp(how, "thread") == 0) {
        pthread_create(&t, NULL, sleeper, NULL);
        while (!tids[0] || !sleeps(tids[0]))
            usleep(1000);
        pthread_create(&u, NULL, faulter, NULL);
        joins = 1;
        pthread_join(u, NULL);
    }
    return 0;
}
