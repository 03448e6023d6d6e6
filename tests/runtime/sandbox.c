/* sandbox HOW END: forbids itself nearly all system calls, and ends. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ALLOW(number)                                                                                        \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static void handler(int number)
{
    (void)number;
    (void)!write(1, "handler\n", 8);
}

static void *sleeper(void *unused)
{
    for (;;)
        pause();
    return unused;
}

int main(int argc, char **argv)
{
    struct sock_filter program[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                                    ALLOW(SYS_write),
                                    ALLOW(SYS_exit_group),
                                    ALLOW(SYS_rt_sigreturn),
                                    ALLOW(SYS_rt_sigaction),
                                    ALLOW(SYS_pause),
                                    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
    struct sock_fprog filter = {sizeof program / sizeof *program, program};
    if (argc < 3 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return 9;
    struct sigaction action = {.sa_handler = handler};
    action.sa_flags = strcmp(argv[2], "onstack") == 0 ? SA_ONSTACK : (int)SA_RESETHAND;
    sigaction(SIGTRAP, &action, NULL);
    pthread_t thread;
    if (strcmp(argv[2], "threads") == 0 && pthread_create(&thread, NULL, sleeper, NULL) != 0)
        return 8;
    if (strcmp(argv[1], "prctl") == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        return 7;
    if (strcmp(argv[1], "syscall") == 0 && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &filter) != 0)
        return 6;
    if (strcmp(argv[1], "bad") == 0 &&
        (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, NULL) != -1 || errno != EFAULT ||
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) != -1 || errno != EFAULT))
        return 5;
    if (strcmp(argv[2], "null") == 0)
        *(volatile int *)8 = 1;
    if (strcmp(argv[2], "oneshot") == 0)
        __asm__ volatile("int3; int3");
    if (strcmp(argv[2], "onstack") == 0)
        __asm__ volatile("int3; int3");
    if (strcmp(argv[2], "default") == 0) {
        signal(SIGSEGV, SIG_DFL);
        *(volatile int *)8 = 1;
    }
    if (strcmp(argv[2], "threads") == 0)
        syscall(SYS_exit_group, 4);
    return 3;
}
