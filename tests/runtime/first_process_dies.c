/* first_process_dies WAY: the first process of a pid namespace dies, or does not. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

static void say(int number)
{
    (void)number;
    (void)!write(1, "handler\n", 8);
}

static void leave(int number)
{
    _exit(40 + number);
}

static void *abort_in_thread(void *unused)
{
    (void)unused;
    abort();
}

static void block_all(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
}

static void fault(uint64_t address)
{
    *(volatile int *)(uintptr_t)address = 1;
}

static int recurse(int depth)
{
    volatile char room[100000];
    room[0] = (char)depth;
    return depth < 0 ? 0 : recurse(depth + 1) + room[0];
}

void single_step(void); /* is trapped behind its first nop */
__asm__(".text\n.type single_step, @function\nsingle_step:\n.cfi_startproc\n"
        "pushf\n.cfi_adjust_cfa_offset 8\norl $0x100, (%rsp)\npopf\n.cfi_adjust_cfa_offset -8\n"
        "nop\nnop\nret\n.cfi_endproc\n.size single_step, . - single_step\n");

static void die(const char *way)
{
    if (strcmp(way, "abort") == 0)
        abort();
    else if (strcmp(way, "abort-handled") == 0)
        signal(SIGABRT, say), abort();
    else if (strcmp(way, "abort-ignored") == 0)
        signal(SIGABRT, SIG_IGN), abort();
    else if (strcmp(way, "abort-blocked") == 0)
        block_all(), abort();
    else if (strcmp(way, "abort-thread") == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, abort_in_thread, NULL);
        pthread_join(thread, NULL);
    } else if (strcmp(way, "assert") == 0)
        assert(way == NULL);
    else if (strcmp(way, "trap") == 0)
        __builtin_trap();
    else if (strcmp(way, "breakpoint") == 0)
        __asm__ volatile("int3");
    else if (strcmp(way, "long-breakpoint") == 0)
        __asm__ volatile(".byte 0xcd, 3");
    else if (strcmp(way, "single-step") == 0)
        single_step();
    else if (strcmp(way, "null") == 0)
        fault(0);
    else if (strcmp(way, "null-handled") == 0)
        signal(SIGSEGV, leave), fault(0);
    else if (strcmp(way, "null-ignored") == 0)
        signal(SIGSEGV, SIG_IGN), fault(0);
    else if (strcmp(way, "null-blocked") == 0)
        block_all(), fault(0);
    else if (strcmp(way, "not-canonical") == 0)
        fault(UINT64_C(0x8000000000000000));
    else if (strcmp(way, "overflow") == 0)
        recurse(0);
    else if (strcmp(way, "divide") == 0) {
        volatile int zero = 0;
        printf("%d\n", 5 / zero);
    } else if (strcmp(way, "raise") == 0) {
        static const int numbers[] = {SIGTERM, SIGSEGV, SIGBUS, SIGFPE, SIGILL,
                                      SIGTRAP, SIGABRT, SIGSYS, SIGKILL};
        for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
            printf("raise %d\n", raise(numbers[i]));
    } else if (strcmp(way, "kill") == 0) {
        printf("kill %d\n", kill(getpid(), SIGABRT));
        printf("kill %d\n", kill(getpid(), SIGTRAP));
        printf("tgkill %ld\n", syscall(SYS_tgkill, getpid(), getpid(), SIGABRT));
    } else if (strcmp(way, "alarm") == 0) {
        ualarm(1000, 0);
        usleep(20000);
    } else if (strcmp(way, "exit") == 0)
        exit(7);
    else if (strcmp(way, "_exit") == 0)
        _exit(8);
    else if (strcmp(way, "quick_exit") == 0)
        quick_exit(9);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc > 1)
        die(argv[1]); /* 1 */
    puts("end");
    return 0;
}
