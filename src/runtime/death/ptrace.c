/*
 * Stopping threads from outside. A core file shows threads as they stand when the process dies: a
 * thread that parks in a handler is shown there, and one that ptrace has stopped is shown where it
 * stood. So a process that dies of a signal that may leave a core file makes another process, the
 * ptracer, which stops the threads by ptrace and tells their registers; the dying thread walks
 * their stacks, and dies with all others stopped.
 *
 * The ptracer must not be seen:
 *  - It has a copy of the memory: a process that shares memory is part of core files before Linux
 *    5.16.
 *  - It outlives the threads' stop, or they would run on; but it does not outlive the process, or
 *    init, or the process in init's place, would get a child to wait for. So it has the dying
 *    thread under ptrace, too, which stops once more on its way out (PTRACE_EVENT_EXIT). By then
 *    all others are killed and the core file is written, but no process has been told. There the
 *    ptracer ends. The process ignores SIGCHLD by then: nothing is left to wait for.
 *  - It keeps no file open, blocks all signals, and writes no core file.
 *
 * It is not made where it would be seen or cannot work: under a debugger, under valgrind, under a
 * seccomp filter, which may kill for what it does not know. The kernel may refuse what it does
 * (Yama, no /proc, no memory or processes left, pid namespaces). Then threads are parked instead
 * (stop.c).
 */
#include "runtime/death/ptrace.h"
#include "runtime/death/signals.h"
#include "runtime/death/waiting.h"
#include "runtime/file/file.h"
#include "runtime/file/frame_counts.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/prctl.h>
#include <linux/ptrace.h>
#include <sched.h>
#include <sys/mman.h>

#ifndef COTREE_RUNTIME_SHARED

#define STEP (20 * MILLISECOND)         /* how often both look after each other */
#define ROUND_LIMIT (200 * MILLISECOND) /* for threads to stop */
#define PATIENCE (5000 * MILLISECOND)   /* of the ptracer */
#define LONGEST_REST 6u                 /* milliseconds that resumed threads run, a power of two */
#define CONTINUE 7 /* PTRACE_CONT and PTRACE_GETREGS: only the C library's header has them */
#define READ_REGISTERS 12
#define WAIT_ANY (0x40000000 | 1) /* __WALL | WNOHANG */

/* Orders and a report that are no numbers of rounds. */
enum { ORDER_DIES = 0x10000000, ORDER_LEAVE, REFUSED };

static void tell(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
    cotree_wake(word);
}

/* ---- in the ptracer ---- */

static __attribute__((noreturn)) void leave(void)
{
    for (;;)
        (void)COTREE_CALL(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

static long ptrace_request(long request, uint32_t tid, long address, const void *data)
{
    return COTREE_CALL(SYS_ptrace, request, tid, address, data, 0, 0);
}

static void go_on(struct cotree_ptrace_thread *thread)
{
    if (ptrace_request(CONTINUE, thread->tid, 0, (const void *)(uintptr_t)thread->signal) == 0)
        thread->state = COTREE_PTRACE_RUNS;
    thread->resume = 0;
}

static struct cotree_ptrace_thread *find(struct cotree_ptrace *ptrace, uint32_t tid)
{
    for (uint32_t i = 0; i < ptrace->number; i++)
        if (ptrace->threads[i].tid == tid && ptrace->threads[i].state != COTREE_PTRACE_GONE)
            return &ptrace->threads[i];
    return NULL;
}

/* Lets the dying thread go on after whatever stopped it. Returns whether its signal has come. */
static bool see_dying(const struct cotree_ptrace *ptrace, unsigned signal, unsigned event)
{
    if (event == PTRACE_EVENT_EXIT)
        leave();
    if (event == PTRACE_EVENT_STOP) /* a stop of the whole process, or its end */
        (void)ptrace_request(signal == SIGTRAP ? CONTINUE : PTRACE_LISTEN, ptrace->tid, 0, NULL);
    else
        (void)ptrace_request(CONTINUE, ptrace->tid, 0, (const void *)(uintptr_t)signal);
    return event == 0;
}

/* Takes note of all stops and ends of threads. Returns whether the dying thread took a signal. */
static bool see(struct cotree_ptrace *ptrace)
{
    bool dies = false;
    unsigned status;
    long tid;
    while ((tid = COTREE_CALL(SYS_wait4, -1, &status, WAIT_ANY, 0, 0, 0)) > 0) {
        bool stopped = (status & 0xff) == 0x7f;
        unsigned signal = status >> 8 & 0xff, event = status >> 16;
        struct cotree_ptrace_thread *thread = find(ptrace, (uint32_t)tid);
        if ((uint32_t)tid == ptrace->tid && stopped)
            dies |= see_dying(ptrace, signal, event);
        if (thread == NULL)
            continue;
        thread->state = stopped ? COTREE_PTRACE_STOPPED : COTREE_PTRACE_GONE;
        thread->signal = (uint8_t)(event == 0 ? signal : 0);
        if (stopped && (ptrace_request(READ_REGISTERS, thread->tid, 0, &thread->registers) != 0 ||
                        ptrace_request(PTRACE_GETSIGMASK, thread->tid, 8, &thread->blocked) != 0))
            thread->state = COTREE_PTRACE_GONE; /* killed */
    }
    if (tid == -ECHILD && ptrace->number > 0)
        leave(); /* all are gone */
    return dies;
}

/* Sleeps until a thread may have stopped: that comes as SIGCHLD, which is blocked. */
static void rest(long nanoseconds)
{
    uint64_t set = SIGNAL_BIT(SIGCHLD);
    struct cotree_time limit = {0, nanoseconds};
    (void)COTREE_CALL(SYS_rt_sigtimedwait, &set, 0, &limit, 8, 0, 0);
}

static void await_stops(struct cotree_ptrace *ptrace)
{
    for (long limit = cotree_now() + ROUND_LIMIT; cotree_now() < limit;) {
        uint32_t running = 0;
        (void)see(ptrace);
        for (uint32_t i = 0; i < ptrace->number; i++)
            running += ptrace->threads[i].state == COTREE_PTRACE_RUNS;
        if (running == 0)
            return;
        rest(STEP);
    }
}

/* Takes a thread under ptrace, and tells it to stop. False: that was refused. */
static bool take(struct cotree_ptrace *ptrace, uint32_t tid)
{
    /* /proc may be that of another pid namespace: is it one of the process? */
    if (COTREE_CALL(SYS_tgkill, ptrace->process, tid, 0, 0, 0, 0) != 0 || ptrace->number == ptrace->capacity)
        return true;
    if (ptrace_request(PTRACE_SEIZE, tid, 0, NULL) != 0) {
        char state = cotree_thread_state(ptrace->process, tid);
        return state == 'Z' || state == 'X' || state == 0; /* it has gone just now */
    }
    struct cotree_ptrace_thread *thread = &ptrace->threads[ptrace->number++];
    thread->tid = tid;
    thread->state = COTREE_PTRACE_RUNS;
    (void)ptrace_request(PTRACE_INTERRUPT, tid, 0, NULL);
    return true;
}

/* All threads that are listed in the directory TASKS. Returns how many are new, or -1: refused. */
static long take_all(struct cotree_ptrace *ptrace, long tasks)
{
    struct {
        uint64_t inode, offset;
        uint16_t length;
        uint8_t type;
        char name[];
    } *entry;
    _Alignas(8) char entries[2048];
    uint32_t before = ptrace->number;
    bool found = false;
    (void)COTREE_CALL(SYS_lseek, tasks, 0, 0, 0, 0, 0);
    for (long length; (length = COTREE_CALL(SYS_getdents64, tasks, entries, sizeof entries, 0, 0, 0)) != 0;) {
        if (length < 0)
            return -1;
        for (long at = 0; at < length; at += entry->length) {
            entry = (void *)(entries + at);
            uint32_t tid = 0;
            for (const char *digit = entry->name; *digit >= '0' && *digit <= '9'; digit++)
                tid = tid * 10 + (uint32_t)(*digit - '0');
            found |= tid == ptrace->tid;
            if (tid != 0 && tid != ptrace->tid && find(ptrace, tid) == NULL && !take(ptrace, tid))
                return -1;
        }
    }
    return found ? (long)(ptrace->number - before) : -1;
}

static void resume_some(struct cotree_ptrace *ptrace)
{
    for (uint32_t i = 0; i < ptrace->number; i++)
        if (ptrace->threads[i].resume != 0 && ptrace->threads[i].state == COTREE_PTRACE_STOPPED)
            go_on(&ptrace->threads[i]);
}

/* Threads that were resumed get a little longer in each ROUND: one that got no processor meanwhile
 * has come no further. */
static bool stop_all(struct cotree_ptrace *ptrace, long tasks, uint32_t round)
{
    long fresh;
    bool resumed = false;
    for (uint32_t i = 0; i < ptrace->number; i++)
        resumed |= ptrace->threads[i].resume != 0;
    resume_some(ptrace);
    for (uint32_t rests = 1u << (round < LONGEST_REST ? round : LONGEST_REST); resumed && rests > 0; rests--)
        rest(MILLISECOND);
    for (uint32_t i = 0; i < ptrace->number; i++)
        if (ptrace->threads[i].state == COTREE_PTRACE_RUNS)
            (void)ptrace_request(PTRACE_INTERRUPT, ptrace->threads[i].tid, 0, NULL);
    /* Threads that run may make others. */
    while ((fresh = take_all(ptrace, tasks)) > 0)
        await_stops(ptrace);
    if (fresh == 0)
        await_stops(ptrace);
    return fresh == 0;
}

/* Threads that stand go on without the ptracer, with the signals they were about to take. Returns
 * whether there were any. */
static bool let_go(struct cotree_ptrace *ptrace)
{
    bool any = false;
    for (uint32_t i = 0; i < ptrace->number; i++) {
        struct cotree_ptrace_thread *thread = &ptrace->threads[i];
        if (thread->state != COTREE_PTRACE_STOPPED)
            continue;
        (void)ptrace_request(PTRACE_DETACH, thread->tid, 0, (const void *)(uintptr_t)thread->signal);
        thread->state = COTREE_PTRACE_GONE;
        any = true;
    }
    return any;
}

/* The end of the ptracer ends all stops: threads that are recorded, or were to be, run on. */
static __attribute__((noreturn)) void lose_patience(struct cotree_ptrace *ptrace)
{
    if (let_go(ptrace))
        cotree_frames_lost();
    leave();
}

/* Waits for the order after BEFORE. REFUSED: threads that stop are let go. */
static uint32_t next_order(struct cotree_ptrace *ptrace, uint32_t before, bool refused)
{
    uint32_t order;
    for (long limit = cotree_now() + PATIENCE;
         (order = __atomic_load_n(&ptrace->order, __ATOMIC_ACQUIRE)) == before;) {
        (void)see(ptrace);
        if (refused)
            (void)let_go(ptrace);
        if ((uint32_t)COTREE_CALL(SYS_getppid, 0, 0, 0, 0, 0, 0) != ptrace->process)
            leave();
        if (cotree_now() > limit)
            lose_patience(ptrace);
        cotree_sleep_on(&ptrace->order, before, STEP);
    }
    return order;
}

static __attribute__((noreturn)) void refuse(struct cotree_ptrace *ptrace)
{
    (void)let_go(ptrace);
    tell(&ptrace->report, REFUSED);
    /* Threads that are still on the way to their stop are let go there. The ptracer stays until no
     * process can reap it. */
    for (uint32_t order = 1; order != ORDER_LEAVE;)
        order = next_order(ptrace, order, true);
    leave();
}

static void stand_alone(void)
{
    enum { ALL = 0x7fffffff, OLD_KERNELS = 1024 };
    struct kernel_action action = {.handler = SIG_DFL};
    uint64_t no_core[2] = {0, 0};
    (void)cotree_signal_action(SIGCHLD, &action, NULL); /* ignored, it would not come */
    (void)COTREE_CALL(SYS_prlimit64, 0, 4 /* RLIMIT_CORE */, no_core, 0, 0, 0);
    if (COTREE_CALL(SYS_close_range, 0, ALL, 0, 0, 0, 0) != 0)
        for (int descriptor = 0; descriptor < OLD_KERNELS; descriptor++)
            cotree_close(descriptor);
}

static __attribute__((noreturn)) void run_ptracer(struct cotree_ptrace *ptrace)
{
    char path[64];
    stand_alone();
    uint32_t order = next_order(ptrace, 0, false);
    size_t at = cotree_append(path, sizeof path, 0, "/proc/");
    at = cotree_append_number(path, sizeof path, at, ptrace->process);
    cotree_append(path, sizeof path, at, "/task");
    long tasks = cotree_open(path, O_RDONLY | O_DIRECTORY, 0);
    if (tasks < 0 || ptrace_request(PTRACE_SEIZE, ptrace->tid, 0, (void *)(uintptr_t)PTRACE_O_TRACEEXIT) != 0)
        refuse(ptrace);
    for (; order < ORDER_DIES; order = next_order(ptrace, order, false)) {
        if (!stop_all(ptrace, tasks, order))
            refuse(ptrace);
        tell(&ptrace->report, order);
    }
    if (order == ORDER_LEAVE)
        leave();
    resume_some(ptrace);
    bool dies = false;
    for (long limit = cotree_now() + PATIENCE; dies || cotree_now() < limit;) {
        dies |= see(ptrace);
        rest(STEP);
    }
    lose_patience(ptrace); /* the process does not die: the other threads run on */
}

/* ---- in the process that dies ---- */

/* Is the calling thread free of ptrace and of filters? TEXT is room for the file of /proc that says
 * so. */
static bool is_free(uint32_t tid, char *text, size_t size)
{
    static const char *const wanted[] = {"\nTracerPid:\t0\n", "\nSeccomp:\t0\n"};
    char path[64];
    unsigned found = 0;
    size_t at = cotree_append(path, sizeof path, 0, "/proc/self/task/");
    at = cotree_append_number(path, sizeof path, at, tid);
    cotree_append(path, sizeof path, at, "/status");
    if (cotree_read_small_file(path, text, size) <= 0)
        return false;
    for (; *text != '\0' && found < 2; text++)
        found += cotree_starts_with(text, wanted[found]);
    return found == 2;
}

struct cotree_ptrace *cotree_ptrace_new(unsigned threads)
{
    uint32_t tid = cotree_gettid();
    unsigned capacity = 2 * threads + 64;
    size_t length =
        cotree_whole_pages(sizeof(struct cotree_ptrace) + capacity * sizeof(struct cotree_ptrace_thread));
    if (cotree_runs_on_valgrind())
        return NULL;
    long memory =
        cotree_mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (cotree_failed(memory))
        return NULL;
    struct cotree_ptrace *ptrace = (struct cotree_ptrace *)memory;
    if (is_free(tid, (char *)memory, length)) {
        cotree_clear(ptrace, length);
        ptrace->process = cotree_process.pid;
        ptrace->tid = tid;
        ptrace->capacity = capacity;
        long child = COTREE_CALL(SYS_clone, CLONE_UNTRACED | SIGCHLD, 0, 0, 0, 0, 0);
        if (child == 0)
            run_ptracer(ptrace);
        if (child > 0) {
            ptrace->ptracer = (uint32_t)child;
            (void)COTREE_CALL(SYS_prctl, PR_SET_PTRACER, child, 0, 0, 0, 0); /* for Yama */
            return ptrace;
        }
    }
    cotree_munmap(ptrace, length);
    return NULL;
}

bool cotree_ptrace_stop(struct cotree_ptrace *ptrace, long limit)
{
    uint32_t order = ptrace->order + 1, report;
    tell(&ptrace->order, order);
    while ((report = __atomic_load_n(&ptrace->report, __ATOMIC_ACQUIRE)) != order) {
        if (report == REFUSED || COTREE_CALL(SYS_wait4, ptrace->ptracer, 0, WAIT_ANY, 0, 0, 0) != 0)
            return false;
        if (cotree_now() > limit + ROUND_LIMIT + STEP) { /* it does not run */
            (void)COTREE_CALL(SYS_kill, ptrace->ptracer, SIGKILL, 0, 0, 0, 0);
            return false;
        }
        cotree_sleep_on(&ptrace->report, report, STEP);
    }
    return true;
}

/* From here on no process is told of the ptracer's end, and nothing is left of it. */
static void disown(struct cotree_ptrace *ptrace, uint32_t order)
{
    struct kernel_action action = {.handler = SIG_IGN};
    (void)cotree_signal_action(SIGCHLD, &action, NULL);
    tell(&ptrace->order, order);
}

static void forget(struct cotree_ptrace *ptrace)
{
    cotree_munmap(ptrace, cotree_whole_pages(sizeof *ptrace + ptrace->capacity * sizeof ptrace->threads[0]));
}

bool cotree_ptrace_dies(struct cotree_ptrace *ptrace)
{
    disown(ptrace, ORDER_DIES);
    /* Asked last: it does not leave by itself from here on without saying so. */
    bool lives = COTREE_CALL(SYS_wait4, ptrace->ptracer, 0, WAIT_ANY, 0, 0, 0) == 0;
    forget(ptrace);
    return lives;
}

void cotree_ptrace_leave(struct cotree_ptrace *ptrace)
{
    disown(ptrace, ORDER_LEAVE);
    (void)COTREE_CALL(SYS_wait4, ptrace->ptracer, 0, 0x40000000 /* __WALL */, 0, 0, 0);
    forget(ptrace);
}

#endif
