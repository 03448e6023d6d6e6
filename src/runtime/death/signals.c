/*
 * Deaths by signal. Where the program leaves a signal alone whose default action ends the process,
 * the runtime sets a handler of its own: it records the frames of all threads, gives the signal its
 * default action back, and lets it happen again with the registers, the stack and the siginfo_t it
 * came with. Status, core file and what a debugger sees are those of a program without the runtime.
 *
 * The program must not notice. The functions of the C library that tell or change the action of a
 * signal are interposed: while such a call runs, the kernel has what the program believes to be
 * there (reveal), afterwards what the runtime wants (adopt). Actions:
 *
 *   the program's                                what the kernel has
 *   SIG_DFL, and the signal is fatal             fatal_entry
 *   a handler with SA_ONSTACK                    user_entry: it may have to leave the runtime's
 *                                                stack (signal_stacks.c)
 *   a handler with SA_RESETHAND, fatal           user_entry: SIG_DFL, which comes then, is replaced
 *   a handler, in a program that is traced       traced_entry: the handler has a stream of its own
 *                                                (trace/signals.c)
 *   anything else                                the same
 *
 * What the kernel says counts, not what is remembered here: sanitizers and others set actions by
 * system calls, and a vfork child has actions of its own but its parent's memory. Such a child, and
 * one of a raw fork, changes its actions without the runtime.
 */
#include <errno.h>
#include <signal.h>
#include <unistd.h>
#include "runtime/death/signals.h"
#include "runtime/death/death.h"
#include "runtime/file/file.h"
#include "runtime/frames/frames.h"
#include "runtime/interpose.h"

#ifndef COTREE_RUNTIME_SHARED

/* signal(7): those that end the process unless something else was said, and can be caught. The C
 * library keeps 32 and 33 to itself. */
#define LEFT_ALONE                                                                                           \
    (SIGNAL_BIT(SIGKILL) | SIGNAL_BIT(SIGSTOP) | SIGNAL_BIT(SIGCHLD) | SIGNAL_BIT(SIGCONT) |                 \
     SIGNAL_BIT(SIGTSTP) | SIGNAL_BIT(SIGTTIN) | SIGNAL_BIT(SIGTTOU) | SIGNAL_BIT(SIGURG) |                  \
     SIGNAL_BIT(SIGWINCH) | SIGNAL_BIT(32) | SIGNAL_BIT(33))

/* The first process of a pid namespace (of a container) ignores signals that it has no handler for;
 * only what its own instructions cause ends it. */
#define FAULTS                                                                                               \
    (SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS) | SIGNAL_BIT(SIGFPE) | SIGNAL_BIT(SIGILL) | SIGNAL_BIT(SIGTRAP))
#define FIRST_PROCESS 1

/* signal(7): those that may leave a core file, which is to show all threads where they were. */
#define CORE_DUMPERS                                                                                         \
    (SIGNAL_BIT(SIGQUIT) | SIGNAL_BIT(SIGILL) | SIGNAL_BIT(SIGTRAP) | SIGNAL_BIT(SIGABRT) |                  \
     SIGNAL_BIT(SIGBUS) | SIGNAL_BIT(SIGFPE) | SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGXCPU) |                   \
     SIGNAL_BIT(SIGXFSZ) | SIGNAL_BIT(SIGSYS))

typedef void handler_function(int);

INTERPOSED(int, sigaction, (int, const struct sigaction *, struct sigaction *))
INTERPOSED_ALIAS(int, __sigaction, sigaction, (int, const struct sigaction *, struct sigaction *))
INTERPOSED(handler_function *, signal, (int, handler_function *))
INTERPOSED_WEAKLY(handler_function *, ssignal, (int, handler_function *))
INTERPOSED_WEAKLY(handler_function *, bsd_signal, (int, handler_function *))
INTERPOSED_WEAKLY(handler_function *, sysv_signal, (int, handler_function *))
INTERPOSED_WEAKLY(handler_function *, __sysv_signal, (int, handler_function *))
INTERPOSED_WEAKLY(handler_function *, sigset, (int, handler_function *))
INTERPOSED_WEAKLY(int, sigignore, (int))
INTERPOSED_WEAKLY(int, siginterrupt, (int, int))
INTERPOSED(int, kill, (pid_t, int))
INTERPOSED_WEAKLY(int, killpg, (pid_t, int))
INTERPOSED_WEAKLY(int, sigqueue, (pid_t, int, const union sigval))

static bool in_use;
static __thread bool is_changing __attribute__((tls_model("local-exec"))); /* an action, with the lock held */
static uint64_t possible_signals; /* those that may get the runtime's action, as bits */
static uint64_t fatal_signals;    /* those that get it */
static uint64_t retired;          /* those that had it until the program entered a sandbox */

/* Guarded by the lock: the program's actions where the kernel has one of the runtime's; and the
 * handlers that user_entry goes on to, which it reads without the lock. */
static struct kernel_action shown[SIGNALS + 1];
static handler_function *handlers[SIGNALS + 1];

/* ---- dying ---- */

/* A fault of the instruction that is to be executed next: it will happen again. The others come
 * after an instruction (SIGTRAP, SIGSYS), or from elsewhere. */
static bool is_fault(int number, const siginfo_t *info)
{
    if (info->si_code <= 0 || info->si_code >= SI_KERNEL)
        return false;
    return number == SIGSEGV || number == SIGFPE || number == SIGILL ||
           (number == SIGBUS && info->si_code != BUS_MCEERR_AO);
}

/* Sends the calling thread, which has it blocked, the signal it was sent. */
static void send_again(int number, const siginfo_t *info)
{
    uint32_t pid = cotree_getpid(), tid = cotree_gettid();
    if (COTREE_CALL(SYS_rt_tgsigqueueinfo, pid, tid, number, info, 0, 0) == 0)
        return;
    /* The kernel lets only first threads pretend that it sent the signal itself, but does not look
     * at which thread this id belongs to. All other threads are stopped or parked. */
    if (COTREE_CALL(SYS_rt_sigqueueinfo, tid, number, info, 0, 0, 0) == 0)
        return;
    if (COTREE_CALL(SYS_tgkill, pid, tid, number, 0, 0, 0) != 0)
        (void)COTREE_CALL(SYS_kill, pid, number, 0, 0, 0, 0);
}

/*
 * In the first process: does the signal end it? The kernel forces the signals of FAULTS on the
 * thread that caused them (a positive si_code), and nothing but that gets through to a first
 * process. It cannot be sent again, so the instruction has to cause it once more. One that
 * addresses cannot be told of (SI_KERNEL: abort() ends in such a one) does so by itself, and so
 * does every fault but a breakpoint, which control has passed already.
 */
static bool ends_first_process(int number, const siginfo_t *info, struct kernel_context *context)
{
    if (info->si_code <= 0 || (number == SIGBUS && info->si_code == BUS_MCEERR_AO))
        return false;
    if (number == SIGTRAP) {
        uint64_t next = cotree_context_pc(context);
        if (info->si_code == SI_KERNEL && cotree_is_after_breakpoint(next))
            cotree_context_set_pc(context, next - 1);
        else
            cotree_context_set_pc(context, (uint64_t)(uintptr_t)cotree_breakpoint);
    }
    return true;
}

static bool lock(uint64_t *mask);

/* Is it a store of traced code, where the disk is full, for example? Then the trace makes room, and
 * the store is made again. */
static bool is_repaired(int number, const siginfo_t *info, struct kernel_context *context)
{
    if (!cotree_traces() || (number != SIGSEGV && number != SIGBUS) || !is_fault(number, info))
        return false;
    uint64_t mask;
    bool locked = lock(&mask),
         repaired = cotree_trace_hooks.fault((uint64_t)(uintptr_t)info->si_addr, context);
    if (locked)
        cotree_unlock(mask);
    return repaired;
}

COTREE_HANDLER_ENTRY(cotree_fatal_entry, dies);
__attribute__((used)) static void dies(int number, siginfo_t *info, struct kernel_context *context)
{
    if (is_repaired(number, info, context))
        return;
    bool first = cotree_getpid() == FIRST_PROCESS;
    struct cotree_cursor cursor;
    cotree_cursor_interrupted(&cursor, context);
    if (first && !ends_first_process(number, info, context))
        return; /* it was sent, and would have been ignored */
    if (cotree_process.file.header != NULL && cotree_getpid() == cotree_process.pid) {
        cotree_unseal();
        cotree_stop_threads(&cursor, (CORE_DUMPERS & SIGNAL_BIT(number)) != 0);
        cotree_cut_stack(&cursor, 1);
        if (cotree_process.ended_as != DATA_CLEAN)
            cotree_note_end(DATA_SIGNALLED, &cursor, false);
    }
    struct kernel_action action = {.handler = SIG_DFL};
    (void)cotree_signal_action(number, &action, NULL);
    if (!first && !is_fault(number, info))
        send_again(number, info);
    /* It was let through by a mask that may not be the one to come back to (sigsuspend); others
     * must not overtake it. */
    context->mask = ~SIGNAL_BIT(number);
}

/* ---- actions of the program's ---- */

static const struct kernel_action fatal_action = {cotree_fatal_entry, SA_SIGINFO | SA_ONSTACK | RESTORER_FLAG,
                                                  cotree_signal_return, EVERY_SIGNAL};

static bool is_ours(const struct kernel_action *action)
{
    return action->handler == cotree_fatal_entry;
}

/* Is it what the kernel gets in place of a handler of the program's? */
static bool stands_for_handler(handler_function *handler)
{
    return handler == cotree_user_entry || handler == cotree_traced_entry;
}

static bool is_hidden(const struct kernel_action *action)
{
    return is_ours(action) || stands_for_handler(action->handler);
}

/* Does the signal have a handler that asked for an alternate stack and was not set through here? */
bool cotree_signal_is_foreign(int number)
{
    struct kernel_action action;
    return cotree_signal_action(number, NULL, &action) == 0 && action.handler != SIG_DFL &&
           action.handler != SIG_IGN && !is_hidden(&action) && (action.flags & SA_ONSTACK) != 0;
}

/* Gives the kernel what the program believes to be there. Returns whether that was something else.
 * Lock held. */
static bool reveal(int number)
{
    struct kernel_action action;
    return cotree_signal_action(number, NULL, &action) == 0 && is_hidden(&action) &&
           cotree_signal_action(number, &shown[number], NULL) == 0;
}

/* Notes that a signal has a handler. It bounds the error of code that was interrupted, should that
 * not be recorded. Files of children note it, too. */
static void note_handler(int number, bool nests)
{
    struct data_header *header = cotree_process.file.header;
    cotree_process.handled |= SIGNAL_BIT(number);
    if (header != NULL && (header->handled & SIGNAL_BIT(number)) == 0)
        __atomic_fetch_or(&header->handled, SIGNAL_BIT(number), __ATOMIC_RELAXED);
    if (nests) {
        cotree_process.always_flagged |= DATA_FLAG_NESTED;
        cotree_flag(DATA_FLAG_NESTED);
    }
}

/* Gives the kernel what the runtime wants in place of what the program has set. Lock held. */
static void adopt(int number)
{
    struct kernel_action action;
    if (cotree_signal_action(number, NULL, &action) != 0 || is_hidden(&action))
        return;
    bool fatal = (fatal_signals & SIGNAL_BIT(number)) != 0;
    shown[number] = action;
    if (action.handler != SIG_DFL && action.handler != SIG_IGN)
        note_handler(number, (action.flags & SA_NODEFER) != 0);
    if (action.handler == SIG_DFL) {
        if (!fatal)
            return;
        action = fatal_action;
    } else if (action.handler != SIG_IGN && cotree_traces() &&
               (possible_signals & (SIGNAL_BIT(number) | SIGNAL_BIT(SIGTERM))) != 0) {
        __atomic_store_n(&handlers[number], action.handler, __ATOMIC_RELEASE);
        action.handler = cotree_traced_entry;
    } else if (action.handler != SIG_IGN && (possible_signals & SIGNAL_BIT(number)) == 0 &&
               cotree_in_part()) {
        cotree_parts_doubt(DATA_PARTS_HANDLER); /* whether it runs is not seen */
        return;
    } else if (action.handler != SIG_IGN &&
               ((action.flags & SA_ONSTACK) != 0 || (fatal && (action.flags & SA_RESETHAND) != 0) ||
                cotree_in_part())) {
        __atomic_store_n(&handlers[number], action.handler, __ATOMIC_RELEASE);
        action.handler = cotree_user_entry;
    } else {
        return;
    }
    (void)cotree_signal_action(number, &action, NULL);
}

uint32_t cotree_traced_handler_begins(int number, struct kernel_frame *frame)
{
    return cotree_trace_hooks.handler_begins(number, frame);
}

void cotree_traced_handler_ends(uint32_t depth)
{
    cotree_trace_hooks.handler_ends(depth);
}

static void do_nothing(int number)
{
    (void)number;
}

/* The lock, unless this thread is in fork and has it. In a handler of the runtime that is safe: the
 * thread that holds the lock has signals blocked. */
static bool lock(uint64_t *mask)
{
    if (cotree_forks_now())
        return false;
    *mask = cotree_lock();
    return true;
}

/* Is this the process that the state here belongs to, and the signal one that the runtime
 * watches? */
static bool is_our_state(int number)
{
    /* Sanitizers' functions call one another. */
    return in_use && !is_changing && number >= 1 && number <= (int)SIGNALS &&
           cotree_getpid() == cotree_process.pid;
}

struct cotree_continuation cotree_enter_handler(uint64_t *entered)
{
    struct kernel_frame *frame = (struct kernel_frame *)(entered + 1);
    int number = (int)entered[0];
    handler_function *handler = __atomic_load_n(&handlers[number], __ATOMIC_ACQUIRE);
    cotree_unseal();
    cotree_parts_doubt(DATA_PARTS_HANDLER);
    if (is_repaired(number, &frame->info, &frame->context)) {
        struct kernel_action again = shown[number];
        again.handler = cotree_traced_entry;
        if ((again.flags & SA_RESETHAND) != 0)
            (void)cotree_signal_action(number, &again, NULL);
        return (struct cotree_continuation){do_nothing, frame};
    }
    if ((fatal_signals & SIGNAL_BIT(number)) != 0 && is_our_state(number)) { /* SA_RESETHAND? */
        uint64_t mask;
        bool locked = lock(&mask);
        adopt(number);
        if (locked)
            cotree_unlock(mask);
    }
    struct kernel_frame *there = cotree_leave_signal_stack(frame);
    if (there != NULL)
        return (struct cotree_continuation){handler, there};
    /* The kernel would have found no room for the frame either, and sent SIGSEGV. */
    cotree_clear(&frame->info, sizeof frame->info);
    entered[0] = SIGSEGV;
    frame->info.si_signo = SIGSEGV;
    frame->info.si_code = SI_KERNEL;
    return (struct cotree_continuation){cotree_fatal_entry, frame};
}

/*
 * The process ends, and its file is to be sealed: handlers of the program that may still run have
 * to pass cotree_enter_handler, which unseals it. False: that cannot be arranged.
 */
bool cotree_signals_pass_here(void)
{
    if (cotree_process.handled != 0 && (!in_use || cotree_in_sandbox()))
        return false;
    for (int number = 1; number <= (int)SIGNALS; number++) {
        struct kernel_action action;
        if ((cotree_process.handled & SIGNAL_BIT(number)) == 0)
            continue;
        if (cotree_signal_action(number, NULL, &action) != 0)
            return false;
        if (action.handler == SIG_DFL || action.handler == SIG_IGN || is_hidden(&action))
            continue;
        shown[number] = action;
        __atomic_store_n(&handlers[number], action.handler, __ATOMIC_RELEASE);
        action.handler = cotree_user_entry;
        if (cotree_signal_action(number, &action, NULL) != 0)
            return false;
    }
    return true;
}

/* ---- functions of the C library ---- */

/* While one of these functions runs, the kernel has the program's action; what it is afterwards is
 * adopted. */
#define WITH_ACTION(number, call)                                                                            \
    do {                                                                                                     \
        if (!is_our_state(number))                                                                           \
            return call;                                                                                     \
        uint64_t mask;                                                                                       \
        bool locked = lock(&mask);                                                                           \
        is_changing = true;                                                                                  \
        (void)reveal(number);                                                                                \
        __typeof__(call) result = call;                                                                      \
        adopt(number);                                                                                       \
        is_changing = false;                                                                                 \
        if (locked)                                                                                          \
            cotree_unlock(mask);                                                                             \
        return result;                                                                                       \
    } while (0)

/* Turns what a query found into what the program has set. */
static void translate(int number, struct sigaction *action)
{
    struct kernel_action *own = &shown[number];
    if (action->sa_handler != cotree_fatal_entry && !stands_for_handler(action->sa_handler))
        return;
    action->sa_handler = own->handler;
    action->sa_flags = (int)own->flags;
    action->sa_restorer = own->restorer;
    cotree_copy(&action->sa_mask, &own->mask, sizeof own->mask);
}

static int change_action(int number, const struct sigaction *new, struct sigaction *old)
{
    WITH_ACTION(number, REAL(sigaction)(number, new, old));
}

int INTERPOSE(sigaction)(int number, const struct sigaction *new, struct sigaction *old)
{
    if (new == NULL || !is_our_state(number)) {
        int result = REAL(sigaction)(number, new, old);
        if (result == 0 && old != NULL)
            translate(number, old);
        return result;
    }
    /* The program's memory is touched where a fault is the program's. */
    struct sigaction wanted, before;
    cotree_copy(&wanted, new, sizeof wanted);
    int result = change_action(number, &wanted, &before);
    if (result == 0 && old != NULL) {
        old->sa_handler = before.sa_handler;
        old->sa_flags = before.sa_flags;
        old->sa_restorer = before.sa_restorer;
        cotree_copy(&old->sa_mask, &before.sa_mask, sizeof(uint64_t));
    }
    return result;
}

/* In a child that is not watched, what was there before may still be an entry of the runtime. */
static handler_function *translated(int number, handler_function *before)
{
    if (before == cotree_fatal_entry || stands_for_handler(before))
        return shown[number].handler;
    return before;
}

#define LIKE_SIGNAL(name)                                                                                    \
    static handler_function *change_by_##name(int number, handler_function *handler)                         \
    {                                                                                                        \
        WITH_ACTION(number, REAL(name)(number, handler));                                                    \
    }                                                                                                        \
    handler_function *INTERPOSE(name)(int number, handler_function *handler)                                 \
    {                                                                                                        \
        return translated(number, change_by_##name(number, handler));                                        \
    }
LIKE_SIGNAL(signal)
LIKE_SIGNAL(ssignal)
LIKE_SIGNAL(bsd_signal)
LIKE_SIGNAL(sysv_signal)
LIKE_SIGNAL(__sysv_signal)

int INTERPOSE(sigignore)(int number)
{
    WITH_ACTION(number, REAL(sigignore)(number));
}

int INTERPOSE(siginterrupt)(int number, int interrupts)
{
    WITH_ACTION(number, REAL(siginterrupt)(number, interrupts));
}

/* This one changes the mask, too, and says what it was, so it cannot be called with signals
 * blocked. */
handler_function *INTERPOSE(sigset)(int number, handler_function *disposition)
{
    struct sigaction new = {.sa_handler = disposition}, old;
    uint64_t before = 0;
    if (number < 1 || number > (int)SIGNALS || number == 32 || number == 33)
        return REAL(sigset)(number, disposition); /* fails */
    uint64_t set = SIGNAL_BIT(number);
    bool hold = disposition == SIG_HOLD;
    if (hold) {
        (void)COTREE_CALL(SYS_rt_sigprocmask, SIG_BLOCK, &set, &before, 8, 0, 0);
        if ((before & set) != 0)
            return SIG_HOLD;
    }
    if (INTERPOSE(sigaction)(number, hold ? NULL : &new, &old) != 0)
        return SIG_ERR;
    if (!hold)
        (void)COTREE_CALL(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, &before, 8, 0, 0);
    return (before & set) != 0 ? SIG_HOLD : old.sa_handler;
}

/* ---- sending ---- */

/*
 * A process that sends itself a signal whose default action ends it never returns from that. With a
 * handler in between it may: another thread may take the signal.
 */
static void await_end(pid_t receiver, int number)
{
    if (!is_our_state(number) || (fatal_signals & SIGNAL_BIT(number)) == 0 || receiver == -1)
        return;
    if (receiver != (pid_t)cotree_process.pid && receiver != 0 &&
        -receiver != (pid_t)COTREE_CALL(SYS_getpgid, 0, 0, 0, 0, 0, 0))
        return;
    uint64_t blocked = 0;
    struct kernel_action action;
    if (COTREE_CALL(SYS_rt_sigprocmask, SIG_BLOCK, 0, &blocked, 8, 0, 0) != 0 ||
        (blocked & SIGNAL_BIT(number)) != 0 || cotree_signal_action(number, NULL, &action) != 0 ||
        (!is_ours(&action) && action.handler != SIG_DFL))
        return;
    struct {
        long seconds, nanoseconds;
    } pause = {2, 0};
    while (COTREE_CALL(SYS_nanosleep, &pause, &pause, 0, 0, 0, 0) == -EINTR)
        ;
}

/* With one thread the call never returns, and nothing of the runtime is left on the stack that a
 * core file shows. */
#define ALONE_AT_ONCE(call)                                                                                  \
    if (cotree_alone()) __attribute__                                                                        \
    ((musttail)) return call

int INTERPOSE(kill)(pid_t receiver, int number)
{
    ALONE_AT_ONCE(REAL(kill)(receiver, number));
    int result = REAL(kill)(receiver, number);
    if (result == 0)
        await_end(receiver, number);
    return result;
}

int INTERPOSE(killpg)(pid_t group, int number)
{
    ALONE_AT_ONCE(REAL(killpg)(group, number));
    int result = REAL(killpg)(group, number);
    if (result == 0)
        await_end(group == 0 ? 0 : -group, number);
    return result;
}

int INTERPOSE(sigqueue)(pid_t receiver, int number, const union sigval value)
{
    ALONE_AT_ONCE(REAL(sigqueue)(receiver, number, value));
    int result = REAL(sigqueue)(receiver, number, value);
    if (result == 0)
        await_end(receiver, number);
    return result;
}

/* ---- abort ---- */

/*
 * abort() raises SIGABRT, and if the program has a handler for it that returns, or ignores it, sets
 * SIG_DFL unseen and raises it again. So the first time is done here, and SIGABRT has the runtime's
 * action when abort() begins.
 */
void cotree_abort_begins(void)
{
    struct kernel_action action;
    if (!is_our_state(SIGABRT) || cotree_signal_action(SIGABRT, NULL, &action) != 0 || is_ours(&action) ||
        action.handler == SIG_DFL)
        return;
    uint64_t set = SIGNAL_BIT(SIGABRT), mask;
    (void)COTREE_CALL(SYS_rt_sigprocmask, SIG_UNBLOCK, &set, 0, 8, 0, 0);
    (void)COTREE_CALL(SYS_tgkill, cotree_process.pid, cotree_gettid(), SIGABRT, 0, 0, 0);
    bool locked = lock(&mask);
    action = (struct kernel_action){.handler = SIG_DFL};
    (void)cotree_signal_action(SIGABRT, &action, NULL);
    adopt(SIGABRT);
    if (locked)
        cotree_unlock(mask);
}

/* ---- start ---- */

static uint64_t signals_of(uint32_t pid)
{
    return pid == FIRST_PROCESS ? possible_signals & FAULTS : possible_signals;
}

/* A child of fork may be the first process of a namespace, or the child of one. Lock held. */
void cotree_signals_forked(void)
{
    uint64_t before = fatal_signals;
    if (!in_use)
        return;
    fatal_signals = signals_of(cotree_process.pid);
    for (int number = 1; number <= (int)SIGNALS && before != fatal_signals; number++)
        if (((before ^ fatal_signals) & SIGNAL_BIT(number)) != 0) {
            (void)reveal(number);
            adopt(number);
        }
}

/* The program enters a sandbox: the kernel gets what the program set. Entries of handlers that may
 * run on the runtime's stack stay. */
void cotree_signals_retire(void)
{
    if (!is_our_state(SIGTERM))
        return;
    uint64_t mask;
    bool locked = lock(&mask);
    for (int number = 1; number <= (int)SIGNALS; number++)
        if ((((shown[number].flags & SA_ONSTACK) == 0 && !cotree_traces()) ||
             shown[number].handler == SIG_DFL) &&
            reveal(number))
            retired |= SIGNAL_BIT(number);
    in_use = false;
    if (locked)
        cotree_unlock(mask);
}

/* The program did not enter a sandbox, after all. */
void cotree_signals_return(void)
{
    uint64_t mask;
    if (retired == 0 || cotree_getpid() != cotree_process.pid)
        return;
    bool locked = lock(&mask);
    in_use = true;
    for (int number = 1; number <= (int)SIGNALS; number++)
        if ((retired & SIGNAL_BIT(number)) != 0)
            adopt(number);
    retired = 0;
    if (locked)
        cotree_unlock(mask);
}

/* Names are looked up even when nothing is to be done: later they may be needed in a signal handler
 * or a child. */
void cotree_signals_start(void)
{
    RESOLVE(sigaction);
    RESOLVE(signal);
    RESOLVE(ssignal);
    RESOLVE(bsd_signal);
    RESOLVE(sysv_signal);
    RESOLVE(__sysv_signal);
    RESOLVE(sigset);
    RESOLVE(sigignore);
    RESOLVE(siginterrupt);
    RESOLVE(kill);
    RESOLVE(killpg);
    RESOLVE(sigqueue);
    bool writes_nothing = cotree_process.off || cotree_process.failed;
    if (writes_nothing && !cotree_traces())
        return;
    /* Valgrind keeps the last one to itself, and says so when it is touched. */
    possible_signals = ~LEFT_ALONE & ~(cotree_runs_on_valgrind() ? SIGNAL_BIT(64) : 0);
    if (writes_nothing) /* what traced code stores goes nowhere, and does not end there */
        possible_signals = SIGNAL_BIT(SIGSEGV) | SIGNAL_BIT(SIGBUS);
    fatal_signals = signals_of(cotree_process.pid);
    in_use = true;
    /* There is one thread, and it has signals blocked: it is not seen that for a moment every
     * signal has the runtime's action. */
    uint64_t mask = cotree_lock();
    for (int number = 1; number <= (int)SIGNALS; number++) {
        if ((fatal_signals & SIGNAL_BIT(number)) == 0 ||
            cotree_signal_action(number, &fatal_action, &shown[number]) != 0)
            continue;
        if (shown[number].handler != SIG_DFL)
            (void)cotree_signal_action(number, &shown[number], NULL);
    }
    cotree_unlock(mask);
}

#else

bool cotree_signals_pass_here(void)
{
    return false;
}

#endif
