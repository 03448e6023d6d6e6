/*
 * Stacks for signals. A thread whose stack has overflowed can only be told of it on another stack,
 * so each thread gets an alternate one, from its first instruction on; the program sees nothing of
 * it:
 *  - sigaltstack() reports none while the runtime's is in force, and an alternate stack of the
 *    program's own replaces it.
 *  - A handler that asks for an alternate stack (SA_ONSTACK) where the program has none runs on the
 *    thread's stack, as it would: it is entered on the runtime's, and moves
 *    (cotree_leave_signal_stack).
 *
 * A stack is taken back when the storage of its thread is reused or given back (process/threads.c):
 * the C library has made sure then that the thread is gone.
 */
#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include "runtime/death/death.h"
#include "runtime/frames/small_stacks.h"
#include "runtime/interpose.h"

#ifndef COTREE_RUNTIME_SHARED

#define KEPT 32u /* stacks of ended threads that are kept for new ones */

INTERPOSED(int, sigaltstack, (const stack_t *, stack_t *))

/* The calling thread's stack: its lowest address, or NULL. Handlers read it
 * (COTREE_HANDLER_ENTRY). */
__thread char *cotree_signal_stack __attribute__((tls_model("local-exec"), visibility("hidden")));

/* At the end of a stack that is not in use. */
struct unused {
    char *next; /* in the list of those that are kept */
    void *(*start)(void *);
    void *argument;
};

static bool in_use; /* this process has stacks of the runtime */
static char *kept;  /* guarded by the lock */
static unsigned kept_number;

static struct unused *end_of(char *stack)
{
    return (struct unused *)(void *)(stack + COTREE_SIGNAL_STACK_SIZE) - 1;
}

static char *take_stack(void)
{
    uint64_t mask = cotree_lock();
    char *stack = kept;
    if (stack != NULL) {
        kept = end_of(stack)->next;
        kept_number--;
    }
    cotree_unlock(mask);
    if (stack != NULL)
        return stack;
    long memory = cotree_mmap(NULL, COTREE_SIGNAL_STACK_SIZE, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    return cotree_failed(memory) ? NULL : (char *)memory;
}

static void give_stack(char *stack)
{
    uint64_t mask = cotree_lock();
    bool keep = kept_number < KEPT;
    if (keep) {
        end_of(stack)->next = kept;
        kept = stack;
        kept_number++;
    }
    cotree_unlock(mask);
    if (!keep)
        cotree_munmap(stack, COTREE_SIGNAL_STACK_SIZE);
}

/* Tells the kernel of the calling thread's stack. */
static void use(char *stack)
{
    stack_t alternate = {.ss_sp = stack, .ss_size = COTREE_SIGNAL_STACK_SIZE};
    (void)COTREE_CALL(SYS_sigaltstack, &alternate, 0, 0, 0, 0, 0);
}

/* ---- threads ---- */

/* What such a thread starts with. Nothing of the runtime is left on its stack. */
static void *begin(void *argument)
{
    char *stack = argument;
    struct unused first = *end_of(stack);
    cotree_signal_stack = stack;
    if (!cotree_signal_is_foreign(SIGSEGV)) /* a sanitizer's handler expects no such stack */
        use(stack);
    __attribute__((musttail)) return first.start(first.argument);
}

/* Gives a thread that is about to be made a stack: what it starts with is changed. Returns the
 * stack or NULL. */
char *cotree_signal_stack_for(void *(**start)(void *), void **argument)
{
    char *stack = in_use && !cotree_in_sandbox() ? take_stack() : NULL;
    if (stack == NULL)
        return NULL;
    *end_of(stack) = (struct unused){.start = *start, .argument = *argument};
    *start = begin;
    *argument = stack;
    return stack;
}

/* The thread was not made. */
void cotree_signal_stack_unused(char *stack)
{
    if (stack != NULL)
        give_stack(stack);
}

/* The thread of this control block has ended, and its storage is as it left it. */
void cotree_signal_stack_left(void *thread)
{
    ptrdiff_t distance = (char *)&cotree_signal_stack - (char *)__builtin_thread_pointer();
    char **left = (char **)(void *)((char *)thread + distance);
    if (!in_use || *left == NULL)
        return;
    give_stack(*left);
    *left = NULL;
}

/* The C library does not tell when threads end: no more stacks are given out. */
void cotree_signal_stacks_stop(void)
{
    in_use = false;
}

/* ---- what the program sees ---- */

int INTERPOSE(sigaltstack)(const stack_t *new, stack_t *old)
{
    char *ours = cotree_signal_stack;
    stack_t now;
    if (ours == NULL || COTREE_CALL(SYS_sigaltstack, 0, &now, 0, 0, 0, 0) != 0)
        return REAL(sigaltstack)(new, old);
    bool hidden = now.ss_sp == ours, disabled = new != NULL && (new->ss_flags &SS_DISABLE) != 0;
    int result = REAL(sigaltstack)(new, old);
    if (result != 0)
        return result;
    if (new != NULL)
        cotree_own_stack =
            (struct cotree_own_stack){(uint64_t)(uintptr_t)new->ss_sp, disabled ? 0 : new->ss_size};
    if (hidden && old != NULL)
        *old = (stack_t){.ss_flags = SS_DISABLE};
    if (disabled && !cotree_in_sandbox() && !cotree_signal_is_foreign(SIGSEGV))
        use(ours);
    return 0;
}

/* Can the program's memory from AT on be written? Asks the kernel, which would say so by a
 * signal. */
static bool can_write(uintptr_t at, uintptr_t end)
{
    for (uintptr_t page = at; page < end; page = (page | (DATA_PAGE - 1)) + 1)
        if (COTREE_CALL(SYS_rt_sigpending, page & ~(uintptr_t)7, 8, 0, 0, 0, 0) != 0)
            return false;
    return true;
}

/*
 * Where a handler of the program's that was entered with FRAME has to run: there, or, if that is
 * the runtime's stack, on the stack that was interrupted, with a copy of the frame as the kernel
 * would have made it. NULL: there is no room for it.
 */
struct kernel_frame *cotree_leave_signal_stack(struct kernel_frame *frame)
{
    char *ours = cotree_signal_stack;
    if (ours == NULL || (uintptr_t)frame - (uintptr_t)ours >= COTREE_SIGNAL_STACK_SIZE)
        return frame;
    struct cotree_frame_copy copy = cotree_frame_copy_below(frame);
    if (!cotree_in_sandbox() && !can_write(copy.frame, copy.end))
        return NULL;
    return cotree_frame_copy_make(&copy, frame);
}

void cotree_signal_stacks_start(void)
{
    RESOLVE(sigaltstack);
    stack_t now;
    if (cotree_process.off || cotree_process.failed || COTREE_CALL(SYS_sigaltstack, 0, &now, 0, 0, 0, 0) != 0)
        return;
    char *stack = take_stack();
    if (stack == NULL)
        return;
    in_use = true;
    cotree_signal_stack = stack;
    if ((now.ss_flags & SS_DISABLE) != 0)
        use(stack);
}

#endif
