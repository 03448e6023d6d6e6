/*
 * Signal handlers, and stores that fail.
 *
 * A handler interrupts its thread anywhere, even between a store of traced code and the change of
 * the thread's place. So the handler has a place of its own: the thread's is kept, exact to the
 * instruction, while the handler runs, and put back when it returns. Its stream is taken when it
 * enters traced code, and free when it returns. A handler that is left by a jump is noticed by the
 * function that jumps (jumps.c), or where control lands: what it interrupted is left, too, and as
 * long as the stack is there it is known where (TRACE_LEFT). So it is with a thread that is
 * cancelled, which the C library does by a signal or in functions that lead to nothing traced.
 *
 * Stores fail where the disk is full (SIGBUS) or a region is used up (SIGSEGV): memory comes there,
 * the thread is told when it passes the next thunk, and the store is made again; where that memory
 * ends, further back. Where the program has the signal blocked, the kernel ends the process: it
 * asks no handler.
 */
#include "runtime/frames/frames.h"
#include "runtime/frames/unwind.h"
#include "runtime/loader/objects.h"
#include "runtime/trace/trace.h"

/* Moves a copy of the place. Copies have values near it, which no value of the program has: nothing
 * of the program lies there. */
static void move_copy(uint64_t *value, uint64_t address, uint64_t back)
{
    enum { NEAR = 64 };
    if (*value - address + NEAR < 2 * NEAR)
        *value -= back;
}

/* Moves the copies that the frame of the code keeps on the stack. */
static void move_spilled(uint64_t sp, uint64_t address, uint64_t back)
{
    enum { FRAME_MOST = 512 };
    uint64_t end = sp + FRAME_MOST, next_page = (sp | (DATA_PAGE - 1)) + 1;
    if (end > next_page && !cotree_is_mapped(next_page))
        end = next_page;
    for (; sp + 8 <= end; sp += 8)
        move_copy((uint64_t *)(uintptr_t)sp, address, back);
}

/* Lets traced code go on so many bytes further back. Its place is in registers, on the stack, and
 * in OWN. */
static bool move_back(struct trace_own *own, uint64_t address, uint64_t back, struct kernel_context *context)
{
    enum { REGISTERS_COUNT = 16 };
    uint64_t *registers[REGISTERS_COUNT];
    for (unsigned i = 0; i < REGISTERS_COUNT; i++)
        registers[i] = cotree_context_register(context, i);
    int number = cotree_store_register((const uint8_t *)(uintptr_t)cotree_context_pc(context),
                                       (const uint64_t *const *)registers);
    if (number < 0)
        return false;
    uint64_t moved = *registers[number] - back;
    for (unsigned i = 0; i < REGISTERS_COUNT; i++)
        move_copy(registers[i], address, back);
    *registers[number] = moved; /* the start of a loop's events may be far from there */
    move_spilled(cotree_context_sp(context), address, back);
    uint64_t events = (uint64_t)(uintptr_t)own->at.events;
    move_copy(&events, address, back);
    own->at.events = (uint8_t *)(uintptr_t)events;
    return true;
}

bool cotree_trace_fault(uint64_t address, struct kernel_context *context)
{
    struct trace_own *own = &cotree_trace_thread;
    uint64_t back;
    if (cotree_trace_sink_holds(address))
        return cotree_trace_sink_extend(address, &back) &&
               (back == 0 || move_back(own, address, back, context));
    if (cotree_trace_file.header == NULL ||
        (address - (uint64_t)(uintptr_t)cotree_trace_file.header >= cotree_trace_file.length &&
         !cotree_trace_addresses_hold(address)) ||
        !cotree_trace_sink_over(address, &own->sunk, &back) ||
        (back != 0 && !move_back(own, address, back, context)))
        return false;
    own->is_broken = true;
    if (own->place == TRACE_IN_STREAM)
        cotree_trace_stream(own->stream)->thread = 0; /* not for the next one */
    own->at.events_limit = NULL;
    own->at.side_limit = NULL;
    cotree_trace_flag(TRACE_FLAG_LOST);
    return true;
}

#ifdef COTREE_RUNTIME_SHARED

uint32_t cotree_trace_handler_begins(int number, struct kernel_frame *frame)
{
    (void)number, (void)frame;
    return 0;
}

void cotree_trace_handler_ends(uint32_t depth)
{
    (void)depth;
}

void cotree_trace_jumped(const struct cotree_caller *from, uint64_t target, uint64_t resume_at)
{
    (void)from, (void)target, (void)resume_at;
}

void cotree_trace_unwinds(const struct cotree_cursor *from)
{
    (void)from;
}

#else

/* Returns how many handlers run now. */
uint32_t cotree_trace_handler_begins(int number, struct kernel_frame *frame)
{
    struct trace_own *own = &cotree_trace_thread;
    const stack_t *stack = &frame->context.stack;
    uint64_t at = (uint64_t)(uintptr_t)frame, bottom = (uint64_t)(uintptr_t)stack->ss_sp;
    if (own->depth == TRACE_LEVELS) {
        cotree_trace_flag(TRACE_FLAG_LOST);
        return TRACE_LEVELS + 1;
    }
    struct trace_interrupted *whom = &own->levels[own->depth];
    struct trace_interrupted now = {
        .at = own->at,
        .place = own->place,
        .stream = own->stream,
        .is_broken = own->is_broken,
        .kept = own->kept,
        .kept_side = own->kept_side,
        .kept_addresses = own->kept_addresses,
        .events = cotree_trace_events_end(own),
        .addresses = cotree_trace_addresses_end(own),
        .number = (uint64_t)number,
        .pc = cotree_context_pc(&frame->context),
        .sp = cotree_context_sp(&frame->context),
        .frame = at,
    };
    if (at - bottom < stack->ss_size) {
        now.bottom = bottom;
        now.top = bottom + stack->ss_size;
    }
    *whom = now;
    /* In this order: another signal may come at any moment, and saves and restores what it
     * finds. */
    __atomic_store_n(&own->depth, own->depth + 1, __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    *(volatile struct trace_interrupted *)whom = now; /* one that came just before has used the entry, too */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&own->place, TRACE_NOWHERE, __ATOMIC_RELEASE);
    __atomic_store_n(&own->at.events_limit, NULL, __ATOMIC_RELEASE);
    own->at.side_limit = NULL;
    own->at.addresses_limit = NULL;
    own->at.addresses = NULL;
    own->is_broken = false;
    return own->depth;
}

/* Has a handler made the thread go on elsewhere than at the instruction that it interrupted, or after
 * it, by the context that it was given? */
static bool is_redirected(const struct trace_interrupted *whom, const struct kernel_frame *frame)
{
    uint64_t pc = cotree_context_pc(&frame->context), sp = cotree_context_sp(&frame->context);
    return sp != whom->sp || pc - whom->pc > COTREE_LONGEST_INSTRUCTION;
}

static void leave_interrupted(struct trace_own *own, struct cotree_cursor *cursor);

void cotree_trace_handler_ends(uint32_t depth)
{
    struct trace_own *own = &cotree_trace_thread;
    struct trace_interrupted *whom =
        depth <= TRACE_LEVELS && own->depth >= depth ? &own->levels[depth - 1] : NULL;
    const struct kernel_frame *frame =
        whom != NULL ? (const struct kernel_frame *)(uintptr_t)whom->frame : NULL;
    bool redirected = whom != NULL && is_redirected(whom, frame);
    if (redirected) {
        whom->at.events = whom->events;
        whom->at.addresses = whom->addresses;
    }
    while (own->depth >= depth)
        cotree_trace_drop_handler(own);
    if (!redirected)
        return;
    /* Where it stood is known. What it does from now on, on top of that or not, is not. */
    struct cotree_cursor cursor;
    cotree_cursor_interrupted(&cursor, &frame->context);
    cursor.pc = whom->pc;
    cursor.sp = whom->sp;
    if (cotree_trace_may_leave_frames(own))
        leave_interrupted(own, &cursor);
    cotree_frames_lost();
    cotree_trace_hooks.context_changes();
}

/* Does a jump to TARGET leave the handler? */
static bool is_left(const struct trace_interrupted *whom, uint64_t target)
{
    return target >= whom->frame || target < whom->bottom;
}

/* The thread's control leaves the frames from the cursor on; up to those that a handler
 * interrupted. */
static void leave_frames(struct trace_own *own, struct cotree_cursor *cursor)
{
    const struct trace_level level = {&own->at,       &own->place,    own->stream,
                                      own->is_broken, own->at.events, own->at.addresses};
    (void)cotree_trace_write_frames(&level, TRACE_LEFT, cursor);
    own->has_left = true;
}

static void leave_interrupted(struct trace_own *own, struct cotree_cursor *cursor)
{
    bool locked = cotree_forks_now();
    uint64_t mask = locked ? 0 : cotree_lock();
    leave_frames(own, cursor);
    if (!locked)
        cotree_unlock(mask);
}

bool cotree_trace_may_leave_frames(const struct trace_own *own)
{
    return own->place == TRACE_IN_STREAM && !own->is_broken && !cotree_in_sandbox();
}

void cotree_trace_jumped(const struct cotree_caller *from, uint64_t target, uint64_t resume_at)
{
    struct trace_own *own = &cotree_trace_thread;
    while (own->depth > 0 && is_left(&own->levels[own->depth - 1], target)) {
        struct trace_interrupted *whom = &own->levels[own->depth - 1];
        struct kernel_frame *frame = (struct kernel_frame *)(uintptr_t)whom->frame;
        whom->at.events = whom->events;
        whom->at.addresses = whom->addresses;
        cotree_trace_drop_handler(own);
        own->has_left = true;
        if (!cotree_trace_may_leave_frames(own))
            continue;
        struct cotree_cursor cursor;
        cotree_cursor_interrupted(&cursor, &frame->context);
        leave_interrupted(own, &cursor);
    }
    cotree_trace_lands(from, target, resume_at);
}

/* Goes on to the frame that was interrupted by the signal that cancels the thread, if there is one:
 * that signal has no stream. */
static void pass_cancellation(const struct trace_own *own, struct cotree_cursor *cursor)
{
    struct cotree_cursor at = *cursor;
    if (cotree_trace_pass_frames(&at) && (own->depth == 0 || at.pc != own->levels[own->depth - 1].pc))
        *cursor = at;
}

void cotree_trace_unwinds(const struct cotree_cursor *from)
{
    struct trace_own *own = &cotree_trace_thread;
    struct cotree_cursor cursor = *from;
    if (!cotree_trace_may_leave_frames(own))
        return;
    bool locked = cotree_forks_now();
    uint64_t mask = locked ? 0 : cotree_lock();
    pass_cancellation(own, &cursor);
    own->at.events = cotree_trace_events_end(own);
    own->at.addresses = cotree_trace_addresses_end(own);
    leave_frames(own, &cursor);
    if (!locked)
        cotree_unlock(mask);
}

#endif
