/* Stacks of many shapes, walked and compared with libgcc's walk (unwind_oracle.h). */
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include "unwind_oracle.h"

static volatile int one = 1;
static volatile unsigned long sink;
static void (*volatile visit)(void);

static void here(void)
{
    oracle_check("here");
}

/* ---- shapes of frames: each calls `visit` and keeps values alive over the call ---- */

__attribute__((noinline)) static unsigned long plain(unsigned long x)
{
    visit();
    return x + 1;
}

__attribute__((noinline)) static unsigned long registers(unsigned long a, unsigned long b, unsigned long c,
                                                         unsigned long d)
{
    unsigned long e = a * b, f = c ^ d, g = a - c, h = b + d;
    sink += plain(e);
    return a + b * c - d + e * f + g * h + plain(f);
}

__attribute__((noinline)) static unsigned long recursion(unsigned depth, unsigned long x)
{
    if (depth == 0)
        return registers(x, x + one, x * 2, x ^ 5);
    unsigned long r = recursion(depth - 1, x + one);
    return r * x + depth;
}

__attribute__((noinline)) static unsigned long variable(unsigned n)
{
    volatile char array[n];
    array[0] = (char)n;
    char *more = alloca(n * 3);
    memset(more, (int)n, n * 3);
    unsigned long r = n < 64 ? plain(n) : variable(n / 2);
    return r + (unsigned long)array[0] + (unsigned long)more[n];
}

__attribute__((noinline)) static unsigned long aligned(unsigned n)
{
    _Alignas(128) volatile char room[256];
    room[n % 256] = (char)n;
    unsigned long r = n == 0 ? plain(n) : aligned(n - 1);
    return r + (unsigned long)room[n % 256];
}

__attribute__((noinline)) static unsigned long aligned_variable(unsigned n, int a, int b, int c, int d, int e,
                                                                int f, int g, int h)
{
    _Alignas(64) volatile char room[64];
    volatile char array[n + 1];
    room[0] = array[n] = (char)(a + b + c + d + e + f + g + h);
    unsigned long r = n == 0 ? plain(n) : aligned_variable(n - 1, a, b, c, d, e, f, g, h);
    return r + (unsigned long)room[0] + (unsigned long)array[n];
}

__attribute__((noinline)) static unsigned long large(unsigned n)
{
    volatile char room[70000];
    room[n] = 1;
    unsigned long r = n == 0 ? plain(n) : large(n - 1);
    return r + (unsigned long)room[n];
}

static int by_value(const void *a, const void *b)
{
    sink += plain(1);
    return *(const int *)a - *(const int *)b;
}

static void callbacks(void)
{
    int numbers[6] = {3, 1, 2, 9, 5, 4}, key = 5;
    qsort(numbers, 6, sizeof *numbers, by_value);
    sink += (unsigned long)(uintptr_t)bsearch(&key, numbers, 6, sizeof *numbers, by_value);
}

static void all_shapes(void)
{
    sink += plain(1);
    sink += recursion(30, 3);
    sink += variable(1000);
    sink += aligned(5);
    sink += aligned_variable(7, 1, 2, 3, 4, 5, 6, 7, 8);
    sink += large(3);
    callbacks();
}

/* ---- signals ---- */

static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)info;
    oracle_check_interrupted("signal", context);
    if (number == SIGUSR1)
        raise(SIGUSR2); /* a handler in a handler */
}

static void send_signal(void)
{
    raise(SIGUSR1);
}

static void take_signals(int number, void (*handler)(int, siginfo_t *, void *), int flags)
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_RESTART | flags};
    if (sigaction(number, &action, NULL) != 0)
        abort();
}

static void use_alternate_stack(void)
{
    stack_t stack = {.ss_size = 1 << 20, .ss_sp = malloc(1 << 20)};
    if (stack.ss_sp == NULL || sigaltstack(&stack, NULL) != 0)
        abort();
}

static void nothing(void) {}

/* Every instruction of F: the processor stops after each. */
static volatile int stepping;

static void on_step(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    greg_t *flags = &((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];
    *flags = stepping ? *flags | 0x100 : *flags & ~(greg_t)0x100;
    oracle_check_interrupted("step", context);
}

__attribute__((noinline)) static void single_step(void (*f)(void))
{
    oracle_stays();
    stepping = 1;
    raise(SIGTRAP);
    f();
    stepping = 0;
    raise(SIGTRAP);
    oracle_bottom.count = 0;
}

static void stepped(void)
{
    struct timespec now;
    char text[64];
    all_shapes();
    clock_gettime(CLOCK_MONOTONIC, &now);
    /* bound when first called */
    sink += (unsigned long)snprintf(text, sizeof text, "%d %s", one, "text");
    sink += strtoul("123", NULL, 10);
    getpid();
    raise(SIGUSR2);
}

/* ---- stacks of their own ---- */

static ucontext_t back, forth;
static void (*what_there)(void);

static void step_all_shapes(void)
{
    single_step(all_shapes);
}

static void on_other_stack(void)
{
    what_there();
    swapcontext(&forth, &back);
}

/* Inside swapcontext nobody can tell which stack it is on, so F is stepped through, not the way to it. */
static void other_stack(void (*f)(void))
{
    what_there = f;
    static char stack[1 << 20];
    getcontext(&forth);
    forth.uc_stack.ss_sp = stack;
    forth.uc_stack.ss_size = sizeof stack;
    forth.uc_link = NULL;
    makecontext(&forth, on_other_stack, 0);
    swapcontext(&back, &forth);
}

static void *thread(void *argument)
{
    use_alternate_stack();
    for (int i = 0; i < 3; i++)
        all_shapes();
    ((unsigned long *)argument)[0] = oracle_compared;
    ((unsigned long *)argument)[1] = oracle_frames;
    return NULL;
}

static volatile unsigned long ticks;

static void on_tick(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    oracle_check_interrupted("tick", context);
    __atomic_fetch_add(&ticks, 1, __ATOMIC_RELAXED);
}

static void let_ticks(int how)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    pthread_sigmask(how, &set, NULL);
}

/* Frames below this one stay as they are while ticks come. */
__attribute__((noinline)) static void *until_ticks(void *wanted)
{
    use_alternate_stack();
    oracle_stays();
    let_ticks(SIG_UNBLOCK);
    while (ticks < (unsigned long)(uintptr_t)wanted) {
        for (int i = 0; i < 50; i++)
            all_shapes();
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
    }
    let_ticks(SIG_BLOCK);
    return NULL;
}

/* ---- code that nobody describes, where libgcc's walk ends ---- */

static void on_fault(int number, siginfo_t *info, void *context)
{
    (void)number;
    if (info->si_addr == NULL)
        oracle_check_interrupted("null", context);
    else
        oracle_check_bottom("no code", context);
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs; /* return */
    registers[REG_RIP] = *(greg_t *)registers[REG_RSP];
    registers[REG_RSP] += 8;
}

static void on_own_trampoline(int number, siginfo_t *info, void *context)
{
    (void)number, (void)info;
    oracle_check_bottom("trampoline", NULL);
    oracle_check_bottom("trampoline", context);
}

/* A trampoline of one's own, and no word on it for walkers. */
__asm__(".text\n"
        "undescribed_wide: movq $15, %rax\n"
        "syscall\n"
        "undescribed_narrow: movl $15, %eax\n"
        "syscall\n");
extern char undescribed_wide[], undescribed_narrow[];

static void own_trampoline(void *trampoline)
{
    struct {
        void (*handler)(int, siginfo_t *, void *);
        unsigned long flags;
        void *restorer;
        unsigned long mask;
    } action = {on_own_trampoline, SA_SIGINFO | 0x4000000 /* SA_RESTORER */, trampoline, 0};
    if (syscall(SYS_rt_sigaction, SIGUSR2, &action, NULL, 8) != 0)
        abort();
    raise(SIGUSR2);
}

__attribute__((noinline)) static void undescribed(void)
{
    static void (*volatile nowhere)(void), (*volatile unmapped)(void);
    unmapped = (void (*)(void))0x123456789;
    oracle_stays();
    take_signals(SIGSEGV, on_fault, 0);
    nowhere();
    unmapped();
    own_trampoline(undescribed_wide);
    own_trampoline(undescribed_narrow);
    oracle_bottom.count = 0;
}

/* ---- deep, for measuring: frames are walked many times ---- */

static unsigned walks;

static void walk_only(void)
{
    for (unsigned i = 0; i < walks; i++) {
        struct cotree_cursor c;
        CURSOR_HERE(&c);
        unsigned n = 0;
        while (cotree_unwind(&c) == COTREE_STEP_OK)
            n++;
        sink = n;
    }
}

int main(int count, char **arguments)
{
    const char *what = count > 1 ? arguments[1] : "";
    unsigned number = count > 2 ? (unsigned)atoi(arguments[2]) : 0;
    visit = here;
    if (strcmp(what, "shapes") == 0) {
        all_shapes();
        sink += recursion(3000, 1);
        other_stack(all_shapes);
    } else if (strcmp(what, "signals") == 0 || strcmp(what, "alternate") == 0) {
        int flags = what[0] == 'a' ? SA_ONSTACK : 0;
        use_alternate_stack();
        take_signals(SIGUSR1, on_signal, flags);
        take_signals(SIGUSR2, on_signal, flags);
        visit = send_signal;
        all_shapes();
        other_stack(all_shapes);
    } else if (strcmp(what, "step") == 0 || strcmp(what, "step-alternate") == 0) {
        int flags = what[4] != '\0' ? SA_ONSTACK : 0;
        use_alternate_stack();
        take_signals(SIGTRAP, on_step, flags);
        take_signals(SIGUSR2, on_signal, flags);
        visit = nothing;
        single_step(stepped);
        if (flags == 0)
            other_stack(step_all_shapes);
    } else if (strcmp(what, "threads") == 0) {
        pthread_t threads[4];
        unsigned long compared[4][2] = {0};
        for (int i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, thread, compared[i]);
        for (int i = 0; i < 4; i++) {
            pthread_join(threads[i], NULL);
            oracle_compared += compared[i][0];
            oracle_frames += compared[i][1];
        }
    } else if (strcmp(what, "ticks") == 0) {
        struct itimerval often = {{0, 60}, {0, 60}};
        pthread_t threads[3];
        visit = nothing;
        let_ticks(SIG_BLOCK);
        take_signals(SIGALRM, on_tick, number % 2 ? SA_ONSTACK : 0);
        setitimer(ITIMER_REAL, &often, NULL);
        for (int i = 0; i < 3; i++)
            pthread_create(&threads[i], NULL, until_ticks, (void *)(uintptr_t)number);
        until_ticks((void *)(uintptr_t)number);
        for (int i = 0; i < 3; i++)
            pthread_join(threads[i], NULL);
        oracle_compared += ticks;
    } else if (strcmp(what, "undescribed") == 0) {
        undescribed();
    } else if (strcmp(what, "walk") == 0) {
        walks = number;
        visit = walk_only;
        sink += recursion(1000, 1);
        return 0;
    } else {
        return 9;
    }
    printf("%s: %lu stacks, %lu frames, %lu beyond libgcc, %lu misled\n", what, oracle_compared,
           oracle_frames, oracle_beyond, oracle_misled);
    return oracle_compared == 0;
}
