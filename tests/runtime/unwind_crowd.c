/*
 * A stack with many different frames, walked by several threads at once and by handlers of signals: many
 * entries of the walker's cache are for two places of it, so that they are replaced all the time, while
 * others read them. A rule fits no other place. Then walks are stopped at single instructions, also while
 * they write an entry, and the stack is walked from there.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/time.h>
#include <ucontext.h>
#include "unwind_oracle.h"

typedef void place(unsigned depth);
static void bottom(void);
static volatile char sink;
static place *const places[1024];

/* A constant frame size: 16 * number bytes and some. */
#define PLACE(number)                                                                                        \
    __attribute__((noinline)) static void place_##number(unsigned depth)                                     \
    {                                                                                                        \
        volatile char room[16 * (0x##number & 0xff) + 8];                                                    \
        __asm__ volatile(".skip (0x" #number " * 0x" #number                                                 \
                         " * 37) & 127, 0x90"); /* at irregular distances */                                 \
        room[0] = (char)depth;                                                                               \
        if (depth == 0)                                                                                      \
            bottom();                                                                                        \
        else                                                                                                 \
            places[depth](depth - 1);                                                                        \
        sink = room[0];                                                                                      \
    }
#define ADDRESS(number) place_##number,
#define X16(what, n)                                                                                         \
    what(n##0) what(n##1) what(n##2) what(n##3) what(n##4) what(n##5) what(n##6) what(n##7) what(n##8)       \
        what(n##9) what(n##a) what(n##b) what(n##c) what(n##d) what(n##e) what(n##f)
#define X256(what, n)                                                                                        \
    X16(what, n##0)                                                                                          \
    X16(what, n##1)                                                                                          \
    X16(what, n##2)                                                                                          \
    X16(what, n##3) X16(what, n##4) X16(what, n##5) X16(what, n##6) X16(what, n##7) X16(what, n##8)          \
        X16(what, n##9) X16(what, n##a) X16(what, n##b) X16(what, n##c) X16(what, n##d) X16(what, n##e)      \
            X16(what, n##f)
X256(PLACE, 0)
X256(PLACE, 1)
X256(PLACE, 2)
X256(PLACE, 3) static place *const places[1024] = {X256(ADDRESS, 0) X256(ADDRESS, 1) X256(ADDRESS, 2)
                                                       X256(ADDRESS, 3)};

static volatile unsigned long signals;
static volatile unsigned long steps;
static volatile int stepping;
static __thread struct oracle_list expected;
static __thread volatile bool is_expected; /* the list is whole: a signal may come while it is copied */
static __thread unsigned long walks;
#define DEPTH 1000
/* Walked from one of so many instructions: who walks from each never sees an entry half written, since the
 * writer gives way. */
#define STEPPED_EVERY 7
#define STEPPED_WALKS 1
#define STEPPED_DEPTH 300
#define WALKS 2500

static void compare(struct cotree_cursor *c, unsigned first)
{
    unsigned i = first;
    enum cotree_step step;
    do {
        struct oracle_frame f = {c->pc,  c->sp,  c->rbx, c->rbp,        c->r12,
                                 c->r13, c->r14, c->r15, c->interrupted};
        if (i >= expected.count || (i > first && !oracle_same(&f, &expected.frames[i]))) {
            fprintf(stderr, "walk %lu: frame %u differs: pc %lx sp %lx\n", walks, i, f.pc, f.sp);
            abort();
        }
        i++;
        step = cotree_unwind(c);
    } while (step == COTREE_STEP_OK);
    if (step != COTREE_STEP_END || i != expected.count) {
        fprintf(stderr, "walk %lu ends after %u frames\n", walks, i);
        abort();
    }
    walks++;
}

/* The first frame of the list that is the caller's too; the address in it differs. */
__attribute__((noinline)) static void walk_here(unsigned first)
{
    struct cotree_cursor c;
    CURSOR_HERE(&c);
    compare(&c, first);
}

/* The interrupted stack ends with the frames that are expected. */
static void on_signal(int number, siginfo_t *info, void *context)
{
    (void)info;
    struct cotree_cursor c;
    if (number == SIGTRAP) {
        greg_t *flags = &((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];
        *flags = stepping ? *flags | 0x100 : *flags & ~(greg_t)0x100;
        if (steps++ % STEPPED_EVERY != 0)
            return;
    }
    cotree_cursor_interrupted(&c, context);
    oracle_walk(&c);
    if (is_expected) {
        unsigned extra = oracle_ours.count - (expected.count - 1);
        if (oracle_ours.end != COTREE_STEP_END || oracle_ours.count < expected.count - 1 ||
            memcmp(&oracle_ours.frames[extra], &expected.frames[1],
                   (expected.count - 1) * sizeof *expected.frames) != 0) {
            fprintf(stderr, "signal %d in walk %lu: the stack differs\n", number, walks);
            oracle_show("ours", &oracle_ours);
            abort();
        }
    }
    __atomic_fetch_add(&signals, 1, __ATOMIC_RELAXED);
}

__attribute__((noinline)) static void bottom(void)
{
    oracle_theirs.count = 0;
    _Unwind_Backtrace(oracle_add, &oracle_theirs);
    expected = oracle_theirs;
    is_expected = true;
    for (unsigned i = 0; i < WALKS && !stepping; i++)
        walk_here(0);
    if (stepping) {
        raise(SIGTRAP);
        for (unsigned i = 0; i < STEPPED_WALKS; i++)
            walk_here(0);
        stepping = 0;
        raise(SIGTRAP);
    }
    is_expected = false;
    expected.count = 0;
}

static void *run(void *argument)
{
    (void)argument;
    places[DEPTH](DEPTH - 1);
    return (void *)walks;
}

int main(void)
{
    pthread_t threads[4];
    pthread_attr_t attributes;
    unsigned long all = 0;
    struct itimerval often = {{0, 197}, {0, 197}}, never = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    sigaction(SIGTRAP, &action, NULL);
    setitimer(ITIMER_REAL, &often, NULL);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 8 << 20);
    for (uintptr_t i = 0; i < 4; i++)
        if (pthread_create(&threads[i], &attributes, run, NULL) != 0)
            return 1;
    for (int i = 0; i < 4; i++) {
        void *result;
        pthread_join(threads[i], &result);
        all += (unsigned long)(uintptr_t)result;
    }
    setitimer(ITIMER_REAL, &never, NULL);
    unsigned long ticks = signals;
    stepping = 1;
    places[STEPPED_DEPTH](STEPPED_DEPTH - 1);
    printf("%lu walks of %d frames, %lu signals, %lu of %lu steps\n", all, DEPTH, ticks, signals - ticks,
           steps);
    return all != 4 * WALKS || ticks == 0 || walks != STEPPED_WALKS || signals - ticks < 3000;
}
