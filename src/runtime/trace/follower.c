/*
 * The follower: a process that packs the trace while the program runs (`cotree trace --follow`).
 * Nothing is lost without one; the events file is larger then.
 *
 * It is started when the events file is made, since nothing on traced code's fast path would notice
 * a better moment: a program whose code is one unit passes hardly a thunk. But most programs are
 * short, and cotree takes longer to start than they run. So what is started is a small program that
 * sleeps, and becomes the follower when the file has grown, or when the program has ended and left
 * a large one (sleeper.c). That costs a program some 0.3 ms.
 *
 * The program must not see it:
 *  - It is the child of a child that is gone at once, and that no wait() without __WALL finds.
 *  - It has a session and descriptors of its own, before the program runs on: no pipe or terminal
 *    stays open.
 *  - It is not made where orphans come back to the program: by the first process of a pid
 *    namespace, by a reaper, or by processes that these make by fork (a program that they execute
 *    cannot know).
 *  - It is not made for pools: the file has other processes' traces, too, and theirs go on.
 *  - It shares nothing with the program, neither memory nor executable; the process that shares the
 *    program's memory is another one, which can do nothing else (trace/pages.c).
 *  - getrusage(RUSAGE_CHILDREN) does not count the child that is gone, if the program has one
 *    thread and no child then: that child is never waited for.
 *  - Debuggers and strace do not follow it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <sched.h>
#include <sys/auxv.h>
#include <sys/poll.h>
#include "runtime/death/signals.h"
#include "runtime/loader/auxiliary.h"
#include "runtime/trace/trace.h"

/* Where cotree and the sleeper are (Makefile). */
extern const char cotree_follower_path[], cotree_sleeper_path[];

#define FIRST_PROCESS 1
#define EVERY_CHILD 0x40000000 /* __WALL */
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
#ifndef SYS_pidfd_send_signal
#define SYS_pidfd_send_signal 424
#endif

long cotree_clone_beside(uint32_t *id, char *stack_end, void (*function)(void))
{
    const uint64_t flags = CLONE_VM | CLONE_UNTRACED | CLONE_PARENT_SETTID | CLONE_CHILD_CLEARTID;
    *id = 0;
    return cotree_call_clone(flags, stack_end, id, id, function);
}

/* ---- in other processes, which have the program's memory: it stands still ---- */

static __attribute__((noreturn)) void leave(void)
{
    for (;;)
        (void)COTREE_CALL(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

/* Closes every descriptor of this process. */
static void close_all(void)
{
    if (COTREE_CALL(SYS_close_range, 0, UINT32_MAX, 0, 0, 0, 0) == 0)
        return;
    for (long i = 0; i < 65536; i++)
        cotree_close(i);
}

/* Puts a descriptor where the sleeper looks for it. */
static void give(long descriptor, long as)
{
    if (cotree_failed(descriptor))
        return;
    (void)COTREE_CALL(SYS_dup2, descriptor, as, 0, 0, 0, 0);
    if (descriptor != as)
        cotree_close(descriptor);
    (void)COTREE_CALL(SYS_fcntl, as, F_SETFD, 0, 0, 0, 0);
}

/* The first of the words that the sleeper is given; its process still has this memory, while the
 * program goes on. */
static struct {
    uint32_t process; /* 0: none, or it has left this memory */
    bool begins;      /* it has not failed to */
    uint32_t program; /* a child of fork has a copy of this */
    char stack[4096] __attribute__((aligned(64)));
    char auxiliary[64], random[32];
    const char *words[SLEEPER_WORDS + 1];
} sleeper;

static __attribute__((noreturn)) void become_sleeper(void)
{
    const char *const environment[] = {NULL};
    (void)COTREE_CALL(SYS_setsid, 0, 0, 0, 0, 0, 0);
    (void)COTREE_CALL(SYS_execve, cotree_sleeper_path, sleeper.words, environment, 0, 0, 0);
    sleeper.begins = false;
    leave();
}

/* No descriptor is open. */
static void make_sleeper(const char *cotree, const char *events_path)
{
    size_t at = cotree_append(sleeper.auxiliary, sizeof sleeper.auxiliary, 0, "/proc/");
    at = cotree_append_number(sleeper.auxiliary, sizeof sleeper.auxiliary, at, cotree_process.pid);
    cotree_append(sleeper.auxiliary, sizeof sleeper.auxiliary, at, "/auxv");
    cotree_append_number(sleeper.random, sizeof sleeper.random, 0, cotree_auxiliary(AT_RANDOM));
    sleeper.words[SLEEPER_NAME] = "cotree-sleeper";
    sleeper.words[SLEEPER_DATA] = cotree_process.file.path;
    sleeper.words[SLEEPER_COTREE] = cotree;
    sleeper.words[SLEEPER_AUXILIARY] = sleeper.auxiliary;
    sleeper.words[SLEEPER_RANDOM] = sleeper.random;
    for (int i = 0; i < 3; i++)
        (void)cotree_open("/dev/null", O_RDWR, 0);
    give(COTREE_CALL(SYS_pidfd_open, cotree_process.pid, 0, 0, 0, 0, 0), SLEEPER_PROGRAM);
    give(cotree_open(events_path, O_RDWR | O_NOFOLLOW, 0), SLEEPER_EVENTS);
    if (cotree_process.file.path[0] == '/')
        (void)COTREE_CALL(SYS_chdir, "/", 0, 0, 0, 0, 0);
    sleeper.begins = true;
    (void)cotree_clone_beside(&sleeper.process, sleeper.stack + sizeof sleeper.stack, become_sleeper);
}

static __attribute__((noinline, noreturn)) void start(const char *cotree, const char *events_path)
{
    sleeper.program = cotree_process.pid;
    close_all();
    (void)COTREE_CALL(SYS_setsid, 0, 0, 0, 0, 0,
                      0);     /* its children's, too: kill(0, ...) does not reach them */
#ifndef COTREE_RUNTIME_SHARED /* a library may be unloaded, and that process runs its code */
    cotree_trace_share_pages();
    close_all();
#endif
    make_sleeper(cotree, events_path);
    leave();
}

/* ---- in the program ---- */

/* Do orphans that a child of this process leaves come to this one, or to one that made it by
 * fork? */
static bool ancestors_reap;

static bool reaps(void)
{
    int reaper = 0;
    return cotree_process.pid == FIRST_PROCESS ||
           COTREE_CALL(SYS_prctl, PR_GET_CHILD_SUBREAPER, &reaper, 0, 0, 0, 0) != 0 || reaper != 0;
}

void cotree_trace_forks(void)
{
    ancestors_reap = ancestors_reap || cotree_in_sandbox() || reaps();
}

static bool may_follow(void)
{
    return !ancestors_reap && !cotree_in_sandbox() && !reaps();
}

/* May SIGCHLD be ignored for a moment? None is pending, and no child of the program's can send
 * one. */
static bool may_ignore_children(void)
{
    enum { EVERY_ONE = 0, LOOK_ONLY = 0x01000000 | 4 | 1 }; /* P_ALL; WNOWAIT, WEXITED, WNOHANG */
    uint64_t pending = 0;
    return cotree_alone() && COTREE_CALL(SYS_rt_sigpending, &pending, 8, 0, 0, 0, 0) == 0 &&
           (pending & SIGNAL_BIT(SIGCHLD)) == 0 &&
           COTREE_CALL(SYS_waitid, EVERY_ONE, 0, 0, LOOK_ONLY | EVERY_CHILD, 0, 0) == -ECHILD;
}

/* All signals are blocked. A child that ends while SIGCHLD is ignored leaves nothing, and its use
 * of the machine is not added to what the program's children used. */
static __attribute__((noinline)) void make(const char *path, const char *events_path)
{
    int status;
    struct kernel_action ignored = {.handler = SIG_IGN}, before;
    bool ignores = may_ignore_children() && cotree_signal_action(SIGCHLD, &ignored, &before) == 0;
    long child = COTREE_CALL(SYS_clone, CLONE_VM | CLONE_VFORK | CLONE_UNTRACED | (ignores ? SIGCHLD : 0), 0,
                             0, 0, 0, 0);
    if (child == 0)
        start(path, events_path);
    if (child > 0)
        (void)COTREE_CALL(SYS_wait4, child, &status, EVERY_CHILD, 0, 0, 0);
    if (ignores)
        (void)cotree_signal_action(SIGCHLD, &before, NULL);
}

void cotree_trace_follow(void)
{
    char events_path[COTREE_PATH_MAX];
    const char *path = cotree_process.follower[0] != '\0' ? cotree_process.follower : cotree_follower_path;
    if (path[0] != '/' || cotree_process.file.shared || !may_follow() ||
        !cotree_trace_name_of(events_path, sizeof events_path, cotree_process.file.path,
                              cotree_process.file.shared))
        return;
#ifndef COTREE_RUNTIME_SHARED
    if (cotree_runs_on_valgrind())
        return;
#endif
    make(path, events_path);
}

/* ---- the end ---- */

#define LONGEST_END 1000 /* milliseconds */
#define LONGEST_START 50 /* tenths of a millisecond */

/* Ends the process whose number is in that word. The kernel clears the word when the process leaves
 * this memory: until then the number, and so the descriptor, is not another process's. */
static int end(const uint32_t *id)
{
    uint32_t process = __atomic_load_n(id, __ATOMIC_ACQUIRE);
    long descriptor = process != 0 ? COTREE_CALL(SYS_pidfd_open, process, 0, 0, 0, 0, 0) : -1;
    if (cotree_failed(descriptor))
        return -1;
    if (__atomic_load_n(id, __ATOMIC_ACQUIRE) == process &&
        COTREE_CALL(SYS_pidfd_send_signal, descriptor, SIGKILL, 0, 0, 0, 0) == 0)
        return (int)descriptor;
    cotree_close(descriptor); /* it is gone, or the program has become another user */
    return -1;
}

static bool sleeps(void)
{
    const char *first_page = (const char *)cotree_trace_file.header;
    return *(const volatile uint64_t *)(const void *)(first_page + TRACE_SLEEPER_OFFSET) != 0;
}

/* Waits for the sleeper, which leaves this memory a moment after the kernel says so. */
static void await_sleep(void)
{
    const struct {
        long seconds, nanoseconds;
    } moment = {0, 100000};
    for (int i = 0; i < LONGEST_START && sleeper.begins && !sleeps(); i++)
        (void)COTREE_CALL(SYS_nanosleep, &moment, 0, 0, 0, 0, 0);
}

/*
 * As long as a process has the program's memory, its executable cannot be written to (ETXTBSY), and
 * the user may want to build it anew at once. So the processes that share the memory are ended, and
 * waited for by descriptors of theirs: the word that the kernel clears is cleared too early.
 */
struct trace_others cotree_trace_end_others(void)
{
    struct trace_others others = {-1, -1};
    if (!cotree_in_sandbox() && sleeper.program == cotree_getpid()) {
        others.pages = end(cotree_trace_pages_process());
        others.sleeper = end(&sleeper.process);
        if (others.sleeper < 0)
            await_sleep();
    }
    cotree_trace_unshare_pages(true); /* a process that may not be ended leaves by itself, soon */
    return others;
}

static void await(int descriptor)
{
    struct pollfd ends = {.fd = descriptor, .events = POLLIN};
    if (descriptor < 0)
        return;
    (void)COTREE_CALL(SYS_poll, &ends, 1, LONGEST_END, 0, 0, 0);
    cotree_close(descriptor);
}

void cotree_trace_await(struct trace_others others)
{
    await(others.pages);
    await(others.sleeper);
}
