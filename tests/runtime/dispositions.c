/*
 * Prints all that a program can see of its signals: a build with the runtime must print what a plain one
 * prints. Addresses are printed as what they mean. Compiled as any program, so that its own code counts.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#pragma clang diagnostic ignored "-Wdeprecated-declarations"
extern char **environ;
typedef void handler_function(int);
handler_function *bsd_signal(int, handler_function *);
handler_function *sysv_signal(int, handler_function *);
handler_function *ssignal(int, handler_function *);

static char alternate[1 << 16], small[4096];
static volatile sig_atomic_t seen, depth;
static volatile uintptr_t handler_at;

static void quiet(int number)
{
    char here;
    handler_at = (uintptr_t)&here;
    seen = number;
}

static void other(int number)
{
    seen = -number;
}

static const char *name_of(handler_function *handler)
{
    return handler == SIG_DFL    ? "default"
           : handler == SIG_IGN  ? "ignored"
           : handler == SIG_ERR  ? "error"
           : handler == SIG_HOLD ? "hold"
           : handler == quiet    ? "quiet"
           : handler == other    ? "other"
                                 : "something else";
}

static void show(const char *what, int number)
{
    struct sigaction action;
    memset(&action, 0x55, sizeof action);
    errno = 0;
    int result = sigaction(number, NULL, &action);
    uint64_t mask; /* of the rest the C library leaves what was on its stack */
    memcpy(&mask, &action.sa_mask, sizeof mask);
    if (result != 0)
        printf("%s %d: error %d\n", what, number, errno);
    else
        printf("%s %d: %s flags %x mask %lx restorer %d\n", what, number, name_of(action.sa_handler),
               action.sa_flags, mask, action.sa_restorer != NULL);
}

static void set(const char *what, int number, handler_function *handler, int flags, uint64_t mask)
{
    struct sigaction new, old;
    memset(&new, 0, sizeof new);
    memset(&old, 0x55, sizeof old);
    new.sa_handler = handler;
    new.sa_flags = flags;
    memcpy(&new.sa_mask, &mask, sizeof mask);
    errno = 0;
    int result = sigaction(number, &new, &old);
    uint64_t before;
    memcpy(&before, &old.sa_mask, sizeof before);
    printf("%s %d: result %d errno %d, before: %s flags %x mask %lx\n", what, number, result, errno,
           result == 0 ? name_of(old.sa_handler) : "-", old.sa_flags, before);
    show("  after", number);
}

static void by_functions(void)
{
    static handler_function *(*const functions[])(int, handler_function *) = {signal, ssignal, bsd_signal,
                                                                              sysv_signal, sigset};
    static const char *const names[] = {"signal", "ssignal", "bsd_signal", "sysv_signal", "sigset"};
    static handler_function *const handlers[] = {quiet,   SIG_IGN, other,   SIG_DFL,
                                                 SIG_DFL, quiet,   SIG_DFL, SIG_ERR};
    static const int numbers[] = {SIGTERM, SIGSEGV, SIGCHLD, SIGWINCH, 34,      64,
                                  0,       32,      33,      65,       SIGKILL, SIGSTOP};
    for (size_t f = 0; f < 5; f++)
        for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
            for (size_t h = 0; h < sizeof handlers / sizeof *handlers; h++) {
                errno = 0;
                handler_function *before = functions[f](numbers[n], handlers[h]);
                int error = errno;
                printf("%s %d %s: %s %d\n", names[f], numbers[n], name_of(handlers[h]), name_of(before),
                       error);
                show("  after", numbers[n]);
            }
    static const int ignored[] = {SIGTERM, SIGHUP, SIGCHLD, 0, SIGKILL, 33};
    for (size_t n = 0; n < sizeof ignored / sizeof *ignored; n++) {
        errno = 0;
        int result = sigignore(ignored[n]);
        printf("sigignore %d: %d %d\n", ignored[n], result, errno);
        show("  after", ignored[n]);
        signal(ignored[n], SIG_DFL);
    }
    signal(SIGUSR1, quiet);
    for (int i = 0; i < 4; i++) {
        static const int numbers_too[] = {SIGUSR1, SIGTERM, SIGCHLD, 33};
        for (int on = 1; on >= 0; on--) {
            errno = 0;
            int result = siginterrupt(numbers_too[i], on);
            printf("siginterrupt %d %d: %d %d\n", numbers_too[i], on, result, errno);
            show("  after", numbers_too[i]);
        }
    }
    siginterrupt(SIGUSR2, 1);
    signal(SIGUSR2, quiet);
    show("signal after siginterrupt", SIGUSR2);
    siginterrupt(SIGUSR2, 0);
    signal(SIGUSR1, SIG_DFL);
    signal(SIGUSR2, SIG_DFL);
}

static uint64_t blocked(void)
{
    sigset_t set;
    uint64_t mask;
    sigprocmask(SIG_BLOCK, NULL, &set);
    memcpy(&mask, &set, sizeof mask);
    return mask;
}

static void holding(void)
{
    printf("blocked %lx\n", blocked());
    printf("hold: %s\n", name_of(sigset(SIGTERM, SIG_HOLD)));
    printf("blocked %lx\n", blocked());
    printf("hold again: %s\n", name_of(sigset(SIGTERM, SIG_HOLD)));
    printf("quiet: %s\n", name_of(sigset(SIGTERM, quiet)));
    printf("blocked %lx\n", blocked());
    raise(SIGTERM);
    printf("seen %d\n", (int)seen);
    printf("hold: %s\n", name_of(sigset(SIGTERM, SIG_HOLD)));
    raise(SIGTERM);
    seen = 0;
    printf("other: %s\n", name_of(sigset(SIGTERM, other)));
    printf("seen %d\n", (int)seen);
    printf("default: %s\n", name_of(sigset(SIGTERM, SIG_DFL)));
}

/* ---- alternate stacks ---- */

static const char *stack_name(const stack_t *stack)
{
    return stack->ss_sp == NULL        ? "none"
           : stack->ss_sp == alternate ? "alternate"
           : stack->ss_sp == small     ? "small"
                                       : "something else";
}

static void show_stack(const char *what)
{
    stack_t stack;
    memset(&stack, 0x55, sizeof stack);
    int result = sigaltstack(NULL, &stack);
    printf("%s: %d %s flags %x size %zx\n", what, result, stack_name(&stack), (unsigned)stack.ss_flags,
           stack.ss_size);
}

static void set_stack(const char *what, void *memory, size_t size, unsigned flags)
{
    stack_t new = {.ss_sp = memory, .ss_size = size, .ss_flags = (int)flags}, old;
    memset(&old, 0x55, sizeof old);
    errno = 0;
    int result = sigaltstack(&new, &old);
    printf("set %s: %d %d", what, result, errno);
    if (result == 0)
        printf(", before: %s flags %x size %zx", stack_name(&old), (unsigned)old.ss_flags, old.ss_size);
    printf("\n");
    show_stack("  after");
}

static uintptr_t thread_base;

static void where(const char *what)
{
    uintptr_t at = handler_at;
    printf("%s ran on %s\n", what,
           at - (uintptr_t)alternate < sizeof alternate ? "alternate"
           : thread_base - at < 1 << 17                 ? "the thread's stack"
                                                        : "something else");
    handler_at = 0;
}

static void inside(int number, siginfo_t *info, void *context)
{
    char here;
    handler_at = (uintptr_t)&here;
    printf("inside %d: code %d, pid %d\n", number, info->si_code, info->si_pid == getpid());
    show("  inside", number);
    show_stack("  inside");
    printf("  blocked %lx, before %lx\n", blocked(), *(uint64_t *)&((ucontext_t *)context)->uc_sigmask);
    set_stack("inside", small, sizeof small, 0);
    set_stack("disabled inside", NULL, 0, SS_DISABLE);
    if (depth++ == 0)
        raise(SIGUSR2);
}

static void with_siginfo(int number, unsigned flags)
{
    struct sigaction action = {.sa_sigaction = inside, .sa_flags = (int)(SA_SIGINFO | flags)};
    sigaddset(&action.sa_mask, SIGINT);
    printf("number %d with flags %x\n", number, flags);
    sigaction(number, &action, NULL);
    depth = 0;
    raise(number);
    where("handler");
    show("  afterwards", number);
    show_stack("  afterwards");
    signal(number, SIG_DFL);
}

static void stacks(void)
{
    char base;
    thread_base = (uintptr_t)&base;
    signal(SIGUSR2, quiet);
    show_stack("at first");
    set_stack("too small", small, 1000, 0);
    set_stack("bad flags", small, sizeof small, 0x7f00);
    set_stack("disabled", alternate, sizeof alternate, SS_DISABLE);
    static const unsigned flags[] = {0, SA_ONSTACK, SA_RESETHAND,
                                     (unsigned)(SA_ONSTACK | SA_RESETHAND | SA_NODEFER), SA_NODEFER};
    for (int i = 0; i < 5; i++) {
        with_siginfo(SIGUSR1, flags[i]);
        with_siginfo(SIGCHLD, flags[i]);
        set_stack("disabled", NULL, 0, SS_DISABLE);
    }
    set_stack("alternate", alternate, sizeof alternate, 0);
    for (int i = 0; i < 5; i++)
        with_siginfo(SIGUSR1, flags[i]);
    set_stack("alternate, which disarms itself", alternate, sizeof alternate, 1u << 31);
    for (int i = 0; i < 5; i++) {
        with_siginfo(SIGUSR1, flags[i]);
        set_stack("again", alternate, sizeof alternate, 1u << 31);
    }
    set_stack("disabled", NULL, 0, SS_DISABLE);
    signal(SIGUSR2, SIG_DFL);
}

static void *thread_stacks(void *unused)
{
    stacks();
    return unused;
}

/* ---- what a handler may do ---- */

static void skip(int number, siginfo_t *info, void *context)
{
    ucontext_t *state = context;
    seen = number + (int)(uintptr_t)info->si_addr;
    state->uc_mcontext.gregs[REG_RIP] += 2;
    state->uc_mcontext.gregs[REG_RAX] = 1234;
    char large[5000];
    memset(large, 1, sizeof large);
    double x = 3;
    __asm__ volatile("vpxor %%ymm7, %%ymm7, %%ymm7" : "+m"(large), "+m"(x) : : "xmm7");
}

static sigjmp_buf target;
static void jump(int number)
{
    siglongjmp(target, number);
}

static void handlers_that_do(int flags)
{
    struct sigaction action = {.sa_sigaction = skip, .sa_flags = SA_SIGINFO | flags};
    sigaction(SIGSEGV, &action, NULL);
    uint64_t wide[4] = {1, 2, 3, 4}, after[4] = {0}, zone = 0;
    long result;
    for (int i = 0; i < 100; i++)
        __asm__ volatile("vmovdqu %[wide], %%ymm7\n"
                         "movq $77, -120(%%rsp)\n" /* the red zone */
                         "movq $8, %%rdx\n"
                         "movq (%%rdx), %%rax; nop\n"
                         ".byte 0x90\n"
                         "vmovdqu %%ymm7, %[after]\n"
                         "movq -120(%%rsp), %[zone]\n"
                         : "=&a"(result), [after] "=m"(after), [zone] "=&r"(zone)
                         : [wide] "m"(wide)
                         : "rdx", "xmm7", "memory");
    printf("skipped: %ld, seen %d, wide %lu %lu %lu %lu, red zone %lu\n", result, (int)seen, after[0],
           after[1], after[2], after[3], zone);
    volatile int jumps = 0;
    struct sigaction jumping = {.sa_handler = jump, .sa_flags = flags};
    sigaction(SIGUSR1, &jumping, NULL);
    if (sigsetjmp(target, 1) == 0 || ++jumps < 1000)
        raise(SIGUSR1);
    printf("jumps %d, blocked %lx\n", jumps, blocked());
    show_stack("after jumping");
    signal(SIGSEGV, SIG_DFL);
    signal(SIGUSR1, SIG_DFL);
}

/* ---- other processes ---- */

/* system() saves and restores actions inside the C library, whose mark (SA_RESTORER) they bear afterwards:
 * not ours. */
static void show_handlers(void)
{
    struct sigaction interrupt, quit;
    sigaction(SIGINT, NULL, &interrupt);
    sigaction(SIGQUIT, NULL, &quit);
    printf("after system: %s %s\n", name_of(interrupt.sa_handler), name_of(quit.sa_handler));
}

static void children(void)
{
    static char *const arguments[] = {
        "sh", "-c", "grep -E '^Sig(Blk|Ign|Cgt)' /proc/self/status; kill -TERM $$; echo survived", NULL};
    int status;
    fflush(stdout);
    signal(SIGHUP, SIG_IGN);
    signal(SIGUSR1, quiet);
    pid_t pid = fork();
    if (pid == 0) {
        show("child", SIGHUP), show("child", SIGUSR1), show("child", SIGTERM);
        show_stack("child");
        fflush(stdout);
        execv("/bin/sh", arguments);
        _exit(9);
    }
    waitpid(pid, &status, 0);
    printf("fork, exec: %d\n", status);
    fflush(stdout);
    pid = vfork();
    if (pid == 0) {
        signal(SIGTERM, SIG_IGN);
        signal(SIGUSR1, SIG_DFL);
        sigaction(SIGINT, &(struct sigaction){.sa_handler = other, .sa_flags = SA_ONSTACK}, NULL);
        if (signal(SIGINT, SIG_DFL) != other || signal(SIGQUIT, quiet) != SIG_DFL ||
            signal(SIGTERM, SIG_DFL) != SIG_IGN)
            _exit(8);
        signal(SIGTERM, SIG_IGN);
        execv("/bin/sh", arguments);
        _exit(9);
    }
    waitpid(pid, &status, 0);
    printf("vfork, exec: %d\n", status);
    show("parent", SIGTERM), show("parent", SIGUSR1), show("parent", SIGINT), show("parent", SIGQUIT);
    fflush(stdout);
    posix_spawn(&pid, "/bin/sh", NULL, NULL, arguments, environ);
    waitpid(pid, &status, 0);
    printf("posix_spawn: %d\n", status);
    fflush(stdout);
    printf("system: %d\n", system("kill -INT $$; echo survived"));
    show_handlers();
    signal(SIGINT, quiet);
    printf("system: %d\n", system("kill -INT $$; echo survived"));
    show_handlers();
    signal(SIGINT, SIG_DFL);
    FILE *stream = popen("grep SigCgt /proc/self/status; kill -QUIT $$; echo survived", "r");
    char line[100];
    while (fgets(line, sizeof line, stream) != NULL)
        printf("popen: %s", line);
    printf("pclose: %d\n", pclose(stream));
    fflush(stdout);
    pid = fork();
    if (pid == 0) {
        alarm(1); /* nobody is told */
        raise(SIGTERM);
        _exit(9);
    }
    waitpid(pid, &status, 0);
    printf("fork, SIGTERM: %d\n", status);
}

int main(void)
{
    setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    for (int number = 0; number <= 66; number++)
        show("at first", number);
    static const int numbers[] = {SIGTERM, SIGSEGV, SIGABRT, 40, 64, SIGCHLD, SIGURG};
    static const unsigned flags[] = {0,           SA_RESTART, SA_ONSTACK, SA_RESETHAND,
                                     0xffffffffu, SA_SIGINFO, SA_NODEFER, SA_NOCLDWAIT};
    for (size_t n = 0; n < sizeof numbers / sizeof *numbers; n++)
        for (size_t f = 0; f < sizeof flags / sizeof *flags; f++) {
            set("default", numbers[n], SIG_DFL, (int)flags[f], ~0ul);
            set("quiet", numbers[n], quiet, (int)(flags[f] & ~(unsigned)SA_SIGINFO), 0x1234);
            set("ignored", numbers[n], SIG_IGN, (int)flags[f], 0);
            set("other", numbers[n], other, (int)flags[f], 1);
            set("default", numbers[n], SIG_DFL, 0, 0);
        }
    static const int bad[] = {0, -1, 32, 33, 65, SIGKILL, SIGSTOP};
    for (size_t n = 0; n < sizeof bad / sizeof *bad; n++)
        set("bad", bad[n], quiet, 0, 0);
    by_functions();
    holding();
    stacks();
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, thread_stacks, NULL);
        pthread_join(thread, NULL);
    }
    handlers_that_do(0);
    handlers_that_do(SA_ONSTACK);
    set_stack("alternate", alternate, sizeof alternate, 0);
    handlers_that_do(SA_ONSTACK);
    children();
    return 0;
}
