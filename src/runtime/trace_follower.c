/*
 * The follower: a process that packs the trace while the program runs (`cotree trace --follow`). Nothing is
 * lost without one; the events file is larger then.
 *
 * It is started when the events file is made, since nothing on traced code's fast path would notice a better
 * moment: a program whose code is one unit passes hardly a thunk. But most programs are short, and cotree
 * takes longer to start than they run. So what is started is a copy of this process that sleeps, and becomes
 * the follower when the file has grown, or when the program has ended and left a large one (trace_compact.c).
 * That costs a program some 0.5 ms.
 *
 * The program must not see it:
 *  - It is the child of a child that is gone at once, and that no wait() without __WALL finds.
 *  - It has a session and descriptors of its own, before the program runs on: no pipe or terminal stays open.
 *  - It is not made where orphans come back to the program: by the first process of a pid namespace, by a
 * reaper, or by what these make by fork (what is executed cannot know).
 *  - It is not made for pools: the file has other processes' traces, too, and theirs go on.
 *  - Its memory is a copy; what shares the program's memory with it is another process, which can do nothing
 * else (trace_pages.c).
 *  - getrusage(RUSAGE_CHILDREN) does not count the child that is gone, if the program has one thread and no
 * child then: nobody waits for it.
 *  - Debuggers and strace do not follow it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <sched.h>
#include <sys/poll.h>
#include <sys/stat.h>
#include "runtime/signals.h"
#include "runtime/trace.h"
#include "runtime/waiting.h"

/* Where cotree is (Makefile). */
extern const char cotree_follower_path[];

#define FIRST_PROCESS 1
#define FIRST_SLEEP 20 /* milliseconds; then twice as long each time */
#define LONGEST_SLEEP 200
#define PAGES_AHEAD (2 * (uint64_t)TRACE_LARGE_PAGE) /* that hold nothing yet (trace_pages.c) */
#define EVERY_CHILD 0x40000000                       /* __WALL */
#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

/* ---- in the other process ---- */

static __attribute__((noreturn)) void leave(void)
{
    for (;;)
        (void)COTREE_CALL(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

/* Has the program executed another one? Its words from the kernel are others, then. */
static bool has_executed(void)
{
    char path[64], now[512], then[512];
    size_t at = cotree_append(path, sizeof path, 0, "/proc/");
    at = cotree_append_number(path, sizeof path, at, cotree_process.pid);
    cotree_append(path, sizeof path, at, "/auxv");
    long length = cotree_read_small_file(path, now, sizeof now);
    if (length <= 0 || length != cotree_read_small_file("/proc/self/auxv", then, sizeof then))
        return true;
    for (long i = 0; i < length; i++)
        if (now[i] != then[i])
            return true;
    return false;
}

/* Waits for the end of the program, so long; true: it has come. */
static bool has_ended(long program, int milliseconds)
{
    struct pollfd ends = {.fd = (int)program, .events = POLLIN};
    struct cotree_time pause = {milliseconds / 1000, milliseconds % 1000 * MILLISECOND};
    if (!cotree_failed(program))
        return COTREE_CALL(SYS_poll, &ends, 1, milliseconds, 0, 0, 0) == 1;
    (void)COTREE_CALL(SYS_nanosleep, &pause, 0, 0, 0, 0, 0); /* an older kernel */
    return COTREE_CALL(SYS_kill, cotree_process.pid, 0, 0, 0, 0, 0) != 0;
}

/* Until there is something to pack. */
static void sleep_until_needed(const char *events_path)
{
    long program = COTREE_CALL(SYS_pidfd_open, cotree_process.pid, 0, 0, 0, 0, 0);
    for (int sleep = FIRST_SLEEP;; sleep = sleep < LONGEST_SLEEP ? 2 * sleep : sleep) {
        struct stat status;
        bool ended = has_ended(program, sleep);
        bool finished = __atomic_load_n(&cotree_trace_file.header->finished, __ATOMIC_ACQUIRE) != 0;
        if (COTREE_CALL(SYS_lstat, events_path, &status, 0, 0, 0, 0) != 0)
            leave();
        if ((uint64_t)status.st_blocks * 512 >= TRACE_WORTH_PACKING + PAGES_AHEAD)
            break;
        if (!ended && !(finished && has_executed()))
            continue;
        if ((uint64_t)status.st_size <= TRACE_REGIONS_OFFSET + TRACE_WORTH_PACKING)
            leave(); /* the program has done it */
        break;
    }
    if (!cotree_failed(program))
        cotree_close(program);
}

static __attribute__((noreturn)) void become_follower(const char *path, const char *events_path)
{
    char *const arguments[] = {"cotree", "trace", "--follow", cotree_process.file.path, NULL};
    char *const environment[] = {"COTREE=off", "PATH=/usr/local/bin:/usr/bin:/bin", NULL};
    (void)COTREE_CALL(SYS_setsid, 0, 0, 0, 0, 0, 0);
    if (cotree_process.file.path[0] == '/')
        (void)COTREE_CALL(SYS_chdir, "/", 0, 0, 0, 0, 0);
    (void)COTREE_CALL(SYS_prctl, PR_SET_NAME, "cotree", 0, 0, 0, 0);
    for (int i = 0; i < 3; i++)
        (void)cotree_open("/dev/null", O_RDWR, 0);
    sleep_until_needed(events_path);
    __atomic_store_n(&cotree_trace_file.header->follower, cotree_getpid(), __ATOMIC_RELEASE);
    cotree_signals_restore(0);
    (void)COTREE_CALL(SYS_execve, path, arguments, environment, 0, 0, 0);
    leave();
}

/* Closes every descriptor of this process. */
static void close_all(void)
{
    if (COTREE_CALL(SYS_close_range, 0, UINT32_MAX, 0, 0, 0, 0) == 0)
        return;
    for (long i = 0; i < 65536; i++)
        cotree_close(i);
}

/* ---- in the program ---- */

/* Do orphans that a child of this process leaves come to this one, or to one that made it by fork? */
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

/* Between the two the program stands still, and its memory is this process's. */
static __attribute__((noinline, noreturn)) void start(const char *path, const char *events_path)
{
    close_all();
    (void)COTREE_CALL(SYS_setsid, 0, 0, 0, 0, 0, 0); /* its child's, too: kill(0, ...) does not reach it */
    if (COTREE_CALL(SYS_clone, CLONE_UNTRACED, 0, 0, 0, 0, 0) == 0)
        become_follower(path, events_path);
#ifndef COTREE_RUNTIME_SHARED /* a library may be unloaded, and that process runs its code */
    cotree_trace_share_pages();
#endif
    leave();
}

/* May SIGCHLD be ignored for a moment? None is pending, and no child of the program's can send one. */
static bool may_ignore_children(void)
{
    enum { EVERY_ONE = 0, LOOK_ONLY = 0x01000000 | 4 | 1 }; /* P_ALL; WNOWAIT, WEXITED, WNOHANG */
    uint64_t pending = 0;
    return cotree_alone() && COTREE_CALL(SYS_rt_sigpending, &pending, 8, 0, 0, 0, 0) == 0 &&
           (pending & SIGNAL_BIT(SIGCHLD)) == 0 &&
           COTREE_CALL(SYS_waitid, EVERY_ONE, 0, 0, LOOK_ONLY | EVERY_CHILD, 0, 0) == -ECHILD;
}

/* All signals are blocked. A child that ends while SIGCHLD is ignored leaves nothing, and its use of the
 * machine is not added to what the program's children used. */
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
    if (cotree_under_valgrind())
        return;
#endif
    make(path, events_path);
}
