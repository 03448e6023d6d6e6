/*
 * The other threads at the end of the process: each records its own frames, which will never
 * return, and runs nothing more.
 *
 * The thread that ends the process sends the others signal 33, which the C library keeps to itself
 * and does not let the program block. Its handler walks the stack it interrupted and parks until
 * the process is gone. The sender waits until all are parked, but no longer than a second, or four
 * while a thread that was asked wants a processor and may only not have got one: a thread that
 * cannot be stopped keeps its slot USED, and the file says that frames were lost.
 *
 * A parked thread may hold a lock that the end of the process needs, the C library's list of
 * streams say. So parked threads look whether the ending thread sleeps, and if it does, take back
 * what they recorded and go on: no program hangs because of the runtime. They go on, too, when exec
 * fails.
 *
 * Some signals leave a core file, which is to show threads where they were. They are stopped from
 * outside then, if that can be done (death/ptrace.c), within four seconds, and the dying thread
 * records their frames.
 */
#include <errno.h>
#include <pthread.h>
#include "runtime/death/death.h"
#include "runtime/death/ptrace.h"
#include "runtime/death/signals.h"
#include "runtime/death/waiting.h"
#include "runtime/file/file.h"
#include "runtime/frames/frames.h"

#ifdef COTREE_RUNTIME_SHARED

void cotree_stop_threads(const struct cotree_cursor *here, bool dumps_core)
{
    (void)here, (void)dumps_core;
}

void cotree_let_threads_go(void) {}

bool cotree_another_ends(void)
{
    return false;
}

void cotree_wait_for_the_end(void) {}

#else

#define STOP_SIGNAL 33 /* SIGSETXID of glibc */
#define STOP_LIMIT (1000 * MILLISECOND)
#define BUSY_LIMIT (3000 * MILLISECOND) /* more, for threads that want a processor */
#define PARK_STEP (50 * MILLISECOND)    /* how often a parked thread looks about */
#define BLOCKED_STEPS 3u  /* the ending thread sleeps: so many looks, then parked threads go on */
#define UNKNOWN_STEPS 20u /* the same when nothing can be seen */
#define PARK_STEPS 400u   /* whatever is seen */

/* ThreadSanitizer lets a process that ends run on for a second: its threads are not to be stopped
 * then. */
extern char __tsan_init __attribute__((weak));

/* Atomic: the thread that ends the process, with the process's id above; a child of fork inherits
 * it, and sees that it is another's. */
static uint64_t ender;
static uint32_t stopping; /* atomic: it still waits for others */
static uint32_t parked;   /* atomic, a futex: threads that have parked so far */
static uint32_t awaited;  /* atomic: the number it waits for */
static uint32_t let_go;   /* atomic, a futex: times that the process did not end, after all */
static uint32_t gone_on;  /* atomic, a futex: threads that have parked and gone on */
static struct kernel_action former;

static uint64_t process_and(uint32_t thread)
{
    return (uint64_t)cotree_process.pid << 32 | thread;
}

/* Is it a block of the thread with this control block and id? */
static bool is_of(const struct cotree_mapping *mapping, const void *thread, uint32_t tid)
{
    return mapping->thread != NULL ? mapping->thread == thread : mapping->tid == tid;
}

static void mark(const void *thread, uint32_t tid, bool recorded)
{
    for (struct cotree_mapping *m = cotree_mapping_next(NULL); m != NULL; m = cotree_mapping_next(m))
        if (is_of(m, thread, tid)) {
            m->asked = recorded;
            __atomic_store_n(&m->recorded, recorded, __ATOMIC_RELEASE);
            if (!recorded && m->slot != NULL)
                cotree_slot_state(m->slot, DATA_USED);
        }
}

/* ---- in the thread that is stopped ---- */

static void mark_own(bool recorded)
{
    mark(__builtin_thread_pointer(), cotree_gettid(), recorded);
}

/* Does the ending thread sleep? 1, 0, or -1: not known. */
static int sleeps(uint32_t thread)
{
    if (__atomic_load_n(&stopping, __ATOMIC_ACQUIRE))
        return 0;
    char state = cotree_thread_state(0, thread);
    return state == 0 ? -1 : state == 'S';
}

/* Does another thread end the process? */
bool cotree_another_ends(void)
{
    uint64_t seen = __atomic_load_n(&ender, __ATOMIC_ACQUIRE);
    return seen >> 32 == cotree_process.pid && (uint32_t)seen != cotree_gettid();
}

/* Waits until the process is gone. Returns true if the process goes on, false if it only seems
 * to. */
static bool stay(uint32_t before)
{
    unsigned blocked = 0, unknown = 0;
    uint32_t thread = (uint32_t)__atomic_load_n(&ender, __ATOMIC_ACQUIRE);
    for (unsigned steps = 0; steps < PARK_STEPS && blocked < BLOCKED_STEPS && unknown < UNKNOWN_STEPS;
         steps++) {
        cotree_sleep_on(&let_go, before, PARK_STEP);
        if (__atomic_load_n(&let_go, __ATOMIC_ACQUIRE) != before)
            return true;
        int state = sleeps(thread);
        blocked = state == 1 ? blocked + 1 : 0;
        unknown += state < 0;
    }
    return false;
}

/* The calling thread stands at CURSOR for ever. All signals are blocked. */
static void park(const struct cotree_cursor *cursor)
{
    uint32_t before = __atomic_load_n(&let_go, __ATOMIC_ACQUIRE);
    cotree_cut_stack(cursor, 1);
    mark_own(true);
    if (__atomic_add_fetch(&parked, 1, __ATOMIC_ACQ_REL) == __atomic_load_n(&awaited, __ATOMIC_ACQUIRE))
        cotree_wake(&parked);
    bool goes_on = stay(before);
    cotree_unseal();
    mark_own(false);
    cotree_cut_stack(cursor, -1);
    if (!goes_on) {
        cotree_frames_lost();
        __atomic_store_n(&ender, 0, __ATOMIC_RELEASE);
    }
    __atomic_add_fetch(&gone_on, 1, __ATOMIC_ACQ_REL);
    cotree_wake(&gone_on);
}

/* Called by a thread that is about to count for the first time, so that it was not asked to stop:
 * it waits, without a block. If threads that make threads went on, the ending thread would never
 * have asked all. */
void cotree_wait_for_the_end(void)
{
    if (!stay(__atomic_load_n(&let_go, __ATOMIC_ACQUIRE)))
        __atomic_store_n(&ender, 0, __ATOMIC_RELEASE);
}

COTREE_HANDLER_ENTRY(cotree_stop_entry, stopped);
__attribute__((used)) static void stopped(int number, siginfo_t *info, struct kernel_context *context)
{
    if (info->si_code != SI_QUEUE || info->si_value.sival_ptr != &ender) { /* the C library's own use of it */
        void (*handler)(int, siginfo_t *, void *) =
            (void (*)(int, siginfo_t *, void *))(uintptr_t)former.handler;
        if ((uintptr_t)handler > (uintptr_t)SIG_IGN)
            handler(number, info, context);
        return;
    }
    struct cotree_cursor cursor;
    cotree_cursor_interrupted(&cursor, context);
    park(&cursor);
    cotree_context_call_again(context);
}

/* ---- asking them ---- */

/* The id of a thread, 0 when it has not started or has ended. Lock held: its control block
 * stays. */
static uint32_t thread_id(const struct cotree_mapping *mapping)
{
    return mapping->thread == NULL ? mapping->tid : cotree_thread_id(mapping->thread);
}

static long ask(uint32_t tid)
{
    siginfo_t info;
    cotree_clear(&info, sizeof info);
    info.si_signo = STOP_SIGNAL;
    info.si_code = SI_QUEUE;
    info.si_pid = (pid_t)cotree_process.pid;
    info.si_value.sival_ptr = &ender;
    return COTREE_CALL(SYS_rt_tgsigqueueinfo, cotree_process.pid, tid, STOP_SIGNAL, &info, 0, 0);
}

/* A thread has a block for each module it counted in; it is asked once. */
static bool asked_before(const struct cotree_mapping *mapping)
{
    for (struct cotree_mapping *m = cotree_mapping_next(NULL); m != NULL; m = cotree_mapping_next(m))
        if (m != mapping && m->asked && m->tid == mapping->tid)
            return true;
    return false;
}

/* Asks the threads that were not asked yet. Returns how many live that are not parked; *fresh: how
 * many of them were asked now. */
static uint32_t ask_others(uint32_t own, uint32_t *fresh)
{
    uint32_t waiting = 0;
    uint64_t mask = cotree_lock();
    for (struct cotree_mapping *m = cotree_mapping_next(NULL); m != NULL; m = cotree_mapping_next(m)) {
        uint32_t tid = __atomic_load_n(&m->recorded, __ATOMIC_ACQUIRE) ? own : thread_id(m);
        if (tid == own || tid == 0)
            continue;
        if (m->asked && m->tid == tid) {
            waiting += cotree_thread_alive(m) && !cotree_thread_leaving(m);
            continue;
        }
        m->tid = tid;
        if (asked_before(m)) {
            m->asked = true;
            continue;
        }
        long result = ask(tid);
        if (result == -ESRCH)
            continue;
        waiting++;
        if (result == 0) { /* or another time: too many signals are queued */
            m->asked = true;
            *fresh += 1;
        }
    }
    cotree_unlock(mask);
    return waiting;
}

static void install(void)
{
    struct kernel_action action = {cotree_stop_entry, SA_SIGINFO | SA_ONSTACK | SA_RESTART | RESTORER_FLAG,
                                   cotree_signal_return, EVERY_SIGNAL};
    struct kernel_action old;
    if (cotree_signal_action(STOP_SIGNAL, &action, &old) == 0 && old.handler != cotree_stop_entry)
        former = old;
}

/* ---- threads that are stopped from outside ---- */

static void *control_block(const struct cotree_ptrace_thread *thread)
{
    return cotree_thread_of_stopped(&thread->registers);
}

static bool has_block(const struct cotree_ptrace_thread *thread)
{
    for (struct cotree_mapping *m = cotree_mapping_next(NULL); m != NULL; m = cotree_mapping_next(m))
        if (is_of(m, control_block(thread), thread->tid))
            return true;
    return false;
}

/* Is there nothing to record? The thread has parked by itself, or has no block. */
static bool is_settled(const struct cotree_ptrace_thread *thread)
{
    for (struct cotree_mapping *m = cotree_mapping_next(NULL); m != NULL; m = cotree_mapping_next(m))
        if (is_of(m, control_block(thread), thread->tid) && !__atomic_load_n(&m->recorded, __ATOMIC_ACQUIRE))
            return false;
    return true;
}

/*
 * May it stand where it was stopped? The runtime blocks signals where its stack must not be walked,
 * and while it has the lock, which the dying thread will want: a thread that was stopped there runs
 * on for a while. It may do so before it has its first block. One that has parked, though, would
 * never come out.
 */
static bool may_stand(const struct cotree_ptrace_thread *thread)
{
    if ((thread->blocked & SIGNAL_BIT(STOP_SIGNAL)) == 0)
        return true;
    return is_settled(thread) && (has_block(thread) || !cotree_lock_is_taken());
}

/* Marks the threads that may not stand, to be resumed. Returns whether there are none. */
static bool may_all_stand(struct cotree_ptrace *ptrace)
{
    bool all = true;
    for (uint32_t i = 0; i < ptrace->number; i++) {
        struct cotree_ptrace_thread *thread = &ptrace->threads[i];
        thread->resume = thread->state == COTREE_PTRACE_STOPPED && !may_stand(thread);
        all &= thread->resume == 0 && thread->state != COTREE_PTRACE_RUNS;
    }
    return all;
}

/* As the thread itself would do it in a handler: what the thread knows of its stack is
 * thread-local. */
static void record(const struct cotree_ptrace_thread *thread)
{
    const void *own = __builtin_thread_pointer();
    struct cotree_cursor cursor;
    struct kernel_context context;
    cotree_context_of_stopped(&context, &thread->registers);
    cotree_cursor_interrupted(&cursor, &context);
    (void)cotree_set_thread_pointer(control_block(thread));
    cotree_cut_stack(&cursor, 1);
    (void)cotree_set_thread_pointer(own);
    mark(control_block(thread), thread->tid, true);
}

/* Stops and records all others. Returns whether this was possible; if not, they are to be parked.
 * *unused: a ptracer that is to leave then, or NULL. */
static bool record_from_outside(long limit, struct cotree_ptrace **unused)
{
    unsigned threads = 0;
    for (struct cotree_mapping *m = cotree_mapping_next(NULL); m != NULL; m = cotree_mapping_next(m))
        threads++;
    struct cotree_ptrace *ptrace = cotree_ptrace_new(threads);
    *unused = ptrace;
    if (ptrace == NULL)
        return false;
    do {
        if (!cotree_ptrace_stop(ptrace, limit))
            return false;
    } while (!may_all_stand(ptrace) && cotree_now() < limit);
    for (uint32_t i = 0; i < ptrace->number; i++) {
        const struct cotree_ptrace_thread *thread = &ptrace->threads[i];
        if (thread->state == COTREE_PTRACE_STOPPED && thread->resume == 0 && !is_settled(thread))
            record(thread);
    }
    if (!cotree_ptrace_dies(ptrace))
        cotree_frames_lost();
    *unused = NULL;
    return true;
}

/* ---- in the thread that ends the process ---- */

/* How many threads live that are not recorded; RUNNING: of those that want a processor. */
static uint32_t count_left(uint32_t own, bool running)
{
    uint32_t left = 0;
    uint64_t mask = cotree_lock();
    for (struct cotree_mapping *m = cotree_mapping_next(NULL); m != NULL; m = cotree_mapping_next(m)) {
        uint32_t tid = __atomic_load_n(&m->recorded, __ATOMIC_ACQUIRE) ? own : thread_id(m);
        left += tid != own && tid != 0 && cotree_thread_alive(m) && !cotree_thread_leaving(m) &&
                (!running || cotree_thread_state(0, tid) == 'R');
    }
    cotree_unlock(mask);
    return left;
}

/* Asks the other threads to park, and waits for them. Returns how many have not. */
static uint32_t park_others(uint32_t own)
{
    install();
    long limit = cotree_now() + STOP_LIMIT;
    uint32_t before = __atomic_load_n(&parked, __ATOMIC_ACQUIRE), asked = 0, waiting;
    for (long pause = MILLISECOND; (waiting = ask_others(own, &asked)) > 0; pause += pause / 4) {
        long late = cotree_now() - limit;
        if (late > BUSY_LIMIT || (late > 0 && count_left(own, true) == 0))
            break;
        __atomic_store_n(&awaited, before + asked, __ATOMIC_RELEASE);
        for (long end = cotree_now() + pause; cotree_now() < end;) {
            uint32_t seen = __atomic_load_n(&parked, __ATOMIC_ACQUIRE);
            if (seen - before >= asked)
                break;
            cotree_sleep_on(&parked, seen, pause);
        }
    }
    return waiting;
}

/*
 * Called at every end of the process, in the process that this state belongs to, without the lock.
 * The calling thread stands at HERE: if another thread ends the process already, it is parked
 * there. DUMPS_CORE: it dies of a signal that may leave a core file, in its handler.
 */
void cotree_stop_threads(const struct cotree_cursor *here, bool dumps_core)
{
    if (cotree_alone() || cotree_process.file.header == NULL || &__tsan_init != NULL || cotree_in_sandbox())
        return;
    uint64_t mask = cotree_signals_block();
    uint32_t own = cotree_gettid();
    for (;;) {
        uint64_t seen = __atomic_load_n(&ender, __ATOMIC_ACQUIRE);
        if (seen == process_and(own))
            break;
        if (seen >> 32 != cotree_process.pid) {
            if (__atomic_compare_exchange_n(&ender, &seen, process_and(own), false, __ATOMIC_ACQ_REL,
                                            __ATOMIC_RELAXED))
                break;
            continue;
        }
        park(here);
        /* It was asked to stop while it did: that is over. */
        uint64_t stop = SIGNAL_BIT(STOP_SIGNAL);
        struct cotree_time at_once = {0, 0};
        (void)COTREE_CALL(SYS_rt_sigtimedwait, &stop, 0, &at_once, 8, 0, 0);
    }
    __atomic_store_n(&stopping, 1, __ATOMIC_RELEASE);
    long limit = cotree_now() + STOP_LIMIT + BUSY_LIMIT;
    struct cotree_ptrace *unused = NULL;
    uint32_t waiting =
        dumps_core && record_from_outside(limit, &unused) ? count_left(own, false) : park_others(own);
    if (unused != NULL)
        cotree_ptrace_leave(unused);
    for (; waiting > 0; waiting--)
        cotree_frames_lost();
    __atomic_store_n(&stopping, 0, __ATOMIC_RELEASE);
    cotree_signals_restore(mask);
}

/* The process does not end: exec failed. Returns when the others have taken back what they
 * recorded. */
void cotree_let_threads_go(void)
{
    if (__atomic_load_n(&ender, __ATOMIC_ACQUIRE) != process_and(cotree_gettid()))
        return;
    uint64_t mask = cotree_signals_block();
    __atomic_add_fetch(&let_go, 1, __ATOMIC_ACQ_REL);
    cotree_wake(&let_go);
    uint32_t seen;
    for (long limit = cotree_now() + STOP_LIMIT;
         (seen = __atomic_load_n(&gone_on, __ATOMIC_ACQUIRE)) != __atomic_load_n(&parked, __ATOMIC_ACQUIRE) &&
         cotree_now() < limit;)
        cotree_sleep_on(&gone_on, seen, MILLISECOND);
    __atomic_store_n(&ender, 0, __ATOMIC_RELEASE);
    cotree_signals_restore(mask);
}

#endif
