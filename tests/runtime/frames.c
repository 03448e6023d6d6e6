/*
 * Leaves frames behind. Argument: KIND [N]. Functions whose frames are looked for are named t_...
 *
 *   return             nothing is left behind
 *   exit, _exit, _Exit, quick_exit, abort, exit_syscall   in t_deep, ten (exit: N) deep
 *   handler            main returns; the exit handler t_handler leaves by _exit
 *   again              t_handler calls exit once more
 *   below              exit in t_deep; t_handler leaves by _exit
 *   quick_below        quick_exit in t_deep; its handler t_handler leaves by _exit
 *   abort_below        abort in t_deep; t_handler of SIGABRT leaves by _exit
 *   exec               in t_deep
 *   exec_fails         N times in t_deep, then returns; exec_syscall: by syscall()
 *   exec_fails_exit    exec fails in t_deep, which calls exit
 *   longjmp, _longjmp, siglongjmp   N times out of t_deep to t_catch; then returns
 *   longjmp_exit       the same, then exit in t_catch
 *   inside             N times from t_catch to itself
 *   handler_jump       N times out of a handler t_on_signal, raised in t_deep
 *   stack_jump         the same, the handler on a stack of its own
 *   handler_inside     N times inside such a handler, which returns
 *   abort_jump         abort in t_deep, N times; the handler jumps to t_catch
 *   exec_jump          exec in t_deep fails N times, which then jumps to t_catch
 *   coroutine          N times to another stack and back
 *   fork, _Fork        in t_deep, the child returns
 *   fork_syscall, fork_clone, fork_clone3   the same by syscall()
 *   fork_exit          in t_deep, the child exits
 *   fork_nested        three times in t_deep, in the child of the child
 *   fork_handler       in the handler t_on_trap of a trap in t_trap
 *   fork_thread        in a thread t_thread
 *   vfork_exit, vfork_exec, vfork_fails   N times in t_vfork; the child's t_child ends it; its exec fails
 *   vfork_nested       the child calls t_vfork, too
 *   vfork_killed       the child is killed
 *   many               _exit from a stack with N different return addresses in t_sled
 *   many_sandbox       the same in a sandbox that kills
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include "handmade.h"

COUNTERS(counters, 0x4001, 1)
#define NOT_IN_TAIL_POSITION __asm__ volatile("" ::: "memory")

static const char *kind = "return";
static int number = 10, depth = 10;

static int is(const char *name)
{
    return strcmp(kind, name) == 0;
}

__attribute__((noinline)) static void t_handler(void)
{
    if (is("again"))
        exit(3);
    else
        _exit(3);
    NOT_IN_TAIL_POSITION;
}

static void on_signal(int signal)
{
    (void)signal;
    t_handler();
    NOT_IN_TAIL_POSITION;
}

static jmp_buf target, inner;
static sigjmp_buf signal_target;

__attribute__((noinline)) static void t_on_signal(int signal)
{
    static volatile int round;
    (void)signal;
    if (is("handler_inside")) {
        round = 0;
        setjmp(inner);
        if (round++ < number)
            longjmp(inner, 1);
    } else
        siglongjmp(signal_target, 1);
    NOT_IN_TAIL_POSITION;
}

/* Two stacks that take turns, as coroutines made of longjmp do. */
static volatile int turns;
__attribute__((noinline)) static void t_coroutine(void)
{
    for (;;)
        if (setjmp(inner) == 0)
            longjmp(target, 1);
}

static void coroutines(void)
{
    static char stack[65536] __attribute__((aligned(16)));
    if (setjmp(target) == 0)
        __asm__ volatile("mov %0, %%rsp\n\tpush $0\n\tjmp *%1"
                         :
                         : "r"(stack + sizeof stack), "r"(t_coroutine));
    else if (turns++ < number)
        longjmp(inner, 1);
}

static void await(pid_t child)
{
    if (child > 0)
        waitpid(child, NULL, 0);
}

__attribute__((noinline)) static void fork_now(void)
{
    if (is("_Fork"))
        await(_Fork());
    else if (is("fork_syscall"))
        await((pid_t)syscall(SYS_fork));
    else if (is("fork_clone"))
        await((pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL));
    else if (is("fork_clone3")) {
        uint64_t arguments[8] = {0, 0, 0, 0, SIGCHLD};
        if (syscall(SYS_clone3, NULL, sizeof arguments) != -1 || errno != EFAULT)
            exit(9);
        await((pid_t)syscall(SYS_clone3, arguments, sizeof arguments));
    } else if (is("fork_exit")) {
        pid_t child = fork();
        if (child == 0)
            exit(0);
        await(child);
    } else if (is("fork_nested")) {
        pid_t child = 0;
        for (int i = 0; i < 3 && child == 0; i++)
            child = fork();
        await(child);
    } else
        await(fork());
    NOT_IN_TAIL_POSITION;
}

__attribute__((noinline)) static void t_on_trap(int signal)
{
    (void)signal;
    fork_now();
    NOT_IN_TAIL_POSITION;
}

__attribute__((noinline)) static void t_trap(void)
{
    __asm__ volatile("int3");
}

__attribute__((noinline)) static void *t_thread(void *argument)
{
    fork_now();
    NOT_IN_TAIL_POSITION;
    return argument;
}

static volatile int nesting;
static void t_vfork(void);
__attribute__((noinline)) static void t_child(void)
{
    static char *const arguments[] = {"true", NULL};
    if (is("vfork_nested") && nesting++ < 3)
        t_vfork();
    if (is("vfork_fails"))
        for (int i = 0; i < 3; i++)
            execv("/no/such/program", arguments);
    if (is("vfork_exec"))
        execv("/bin/true", arguments);
    if (is("vfork_killed"))
        kill(getpid(), SIGKILL);
    _exit(0);
}

__attribute__((noinline)) static void t_vfork(void)
{
    pid_t child = vfork();
    if (child == 0)
        t_child();
    await(child);
    NOT_IN_TAIL_POSITION;
}

__attribute__((noinline)) static void leave(void)
{
    static char *const arguments[] = {"true", NULL};
    if (is("exit") || is("below"))
        exit(3);
    if (is("_exit"))
        _exit(3);
    if (is("_Exit"))
        _Exit(3);
    if (is("quick_exit") || is("quick_below"))
        quick_exit(3);
    if (is("abort") || is("abort_below") || is("abort_jump"))
        abort();
    if (is("exec"))
        execv("/bin/true", arguments);
    if (is("exit_syscall"))
        syscall(SYS_exit_group, 3);
    if (is("exec_syscall"))
        for (int i = 0; i < number; i++)
            if (syscall(SYS_execve, "/no/such/program", arguments, NULL) != -1 || errno != ENOENT)
                exit(9);
    if (is("exec_fails") || is("exec_fails_exit"))
        for (int i = 0; i < number; i++)
            execl("/no/such/program", "x", (char *)NULL);
    if (is("exec_fails_exit"))
        exit(3);
    if (is("longjmp") || is("longjmp_exit"))
        longjmp(target, 1);
    if (is("_longjmp"))
        _longjmp(target, 1);
    if (is("siglongjmp"))
        siglongjmp(signal_target, 1);
    if (is("handler_jump") || is("stack_jump") || is("handler_inside"))
        raise(SIGUSR1);
    if (strncmp(kind, "fork", 4) == 0 || is("_Fork"))
        fork_now();
    if (strncmp(kind, "vfork", 5) == 0)
        for (int i = 0; i < number; i++)
            t_vfork();
    if (is("exec_jump")) {
        execl("/no/such/program", "x", (char *)NULL);
        longjmp(target, 1);
    }
    NOT_IN_TAIL_POSITION;
}

__attribute__((noinline)) static void t_deep(int level)
{
    if (level > 1)
        t_deep(level - 1);
    else
        leave();
    NOT_IN_TAIL_POSITION;
}

__attribute__((noinline)) static void t_middle(void)
{
    t_deep(depth);
    NOT_IN_TAIL_POSITION;
}

__attribute__((noinline)) static void t_catch(void)
{
    volatile int round = 0;
    if (is("inside")) {
        setjmp(target);
        if (round++ < number)
            longjmp(target, 1);
    } else {
        setjmp(target);
        sigsetjmp(signal_target, 1);
        if (round++ < number)
            t_middle();
        if (is("longjmp_exit"))
            exit(3);
    }
    NOT_IN_TAIL_POSITION;
}

__attribute__((noinline)) static void handle_signals(void)
{
    static char stack[65536];
    struct sigaction action = {.sa_handler = t_on_signal, .sa_flags = is("stack_jump") ? SA_ONSTACK : 0};
    stack_t signal_stack = {.ss_sp = stack, .ss_size = sizeof stack};
    sigaltstack(&signal_stack, NULL);
    sigaction(SIGUSR1, &action, NULL);
    sigaction(SIGABRT, &action, NULL);
}

/* Goes down through 1000 return addresses. */
__attribute__((noinline)) static void t_sled(int level)
{
#define CALL                                                                                                 \
    if (level == count++) {                                                                                  \
        t_sled(level + 1);                                                                                   \
        NOT_IN_TAIL_POSITION;                                                                                \
    }
#define TEN(x) x x x x x x x x x x
    int count = 0;
    if (level == number)
        _exit(3);
    TEN(TEN(TEN(CALL)))
}

int main(int argc, char **argv)
{
    kind = argc > 1 ? argv[1] : kind;
    number = argc > 2 ? atoi(argv[2]) : number;
    COUNT(counters, 0);
    if (is("handler") || is("again") || is("below"))
        atexit(t_handler);
    if (is("quick_below"))
        at_quick_exit(t_handler);
    if (is("abort_below"))
        signal(SIGABRT, on_signal);
    if (is("exit") && argc > 2)
        depth = number;
    if (is("many_sandbox")) {
        struct sock_filter program[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
                                        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 0, 1),
                                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
                                        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
        struct sock_fprog filter = {sizeof program / sizeof *program, program};
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
            return 9;
        t_sled(0);
    } else if (is("many"))
        t_sled(0);
    else if (is("fork_handler")) {
        signal(SIGTRAP, t_on_trap);
        t_trap();
    } else if (is("fork_thread")) {
        pthread_t thread;
        pthread_create(&thread, NULL, t_thread, NULL);
        pthread_join(thread, NULL);
    } else if (is("coroutine"))
        coroutines();
    else if (strstr(kind, "jmp") != NULL || strstr(kind, "jump") != NULL || strstr(kind, "inside") != NULL) {
        handle_signals();
        t_catch();
    } else
        t_middle();
    NOT_IN_TAIL_POSITION;
    return 0;
}
