/*
 * Walking a stack by its call frame information (.eh_frame), without the unwinder of the C++ runtime: no
 * locks, no allocation, safe in signal handlers, and fast for places that were walked before.
 *
 *     struct cotree_cursor cursor;
 *     CURSOR_HERE(&cursor);                       // or cotree_cursor_interrupted(&cursor, context)
 *     do
 *         use(cursor.pc, cursor.sp, cursor.interrupted);
 *     while ((step = cotree_unwind(&cursor)) == COTREE_STEP_OK);
 */
#ifndef COTREE_RUNTIME_FRAMES_UNWIND_H
#define COTREE_RUNTIME_FRAMES_UNWIND_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A frame, seen at an instruction of it. The frame reaches from sp up to, not including, the sp of its caller
 * (its CFA), where the caller's frame begins: the return address is its highest word.
 *
 * A cursor made by hand has the first nine fields set and the others zero; unless it is interrupted, sp is
 * that of a frame which is there.
 */
struct cotree_cursor {
    uint64_t pc; /* return address, or where the frame was interrupted */
    uint64_t sp; /* of the frame at pc */
    uint64_t rbx, rbp, r12, r13, r14, r15;
    bool interrupted; /* pc is the next instruction, not behind a call: a signal came */
    /* The walker's own. */
    uint64_t scratch[9]; /* rax, rdx, rcx, rsi, rdi, r8 to r11: known in interrupted frames */
    uint64_t readable_from, readable_end; /* stack that is known to be mapped */
    uint64_t jumps, jumped_to;            /* other stacks entered; where one of them was: ends circles */
};

/* The first fields of a cursor: how the caller of a function stands when that returns. */
struct cotree_caller {
    uint64_t pc, sp, rbx, rbp, r12, r13, r14, r15;
};
static inline void cotree_cursor_at(struct cotree_cursor *cursor, const struct cotree_caller *caller)
{
    static_assert(
        __builtin_offsetof(struct cotree_cursor, r15) == __builtin_offsetof(struct cotree_caller, r15), "");
    __builtin_memcpy(cursor, caller, sizeof *caller);
    cursor->interrupted = false;
}

enum cotree_step {
    COTREE_STEP_OK,   /* the cursor is at the caller now */
    COTREE_STEP_END,  /* there is no caller: the stack ends here */
    COTREE_STEP_LOST, /* the caller cannot be found: no frame information, or it makes no sense */
};

/*
 * The caller of the machine function that contains this: with `f` calling `g` and CURSOR_HERE in `g`, the
 * frame of `f`, pc being g's return address. Where the compiler put `g` into another function, that function
 * counts (noinline helps). If it cannot be found, pc is 0, and the next step is LOST.
 */
#define CURSOR_HERE(cursor)                                                                                  \
    do {                                                                                                     \
        cotree_cursor_here(cursor);                                                                          \
        __asm__ volatile("" ::: "memory"); /* never the last call, which would become a jump */              \
    } while (0)
void cotree_cursor_here(struct cotree_cursor *cursor);
/* From the ucontext_t a signal handler was given: the interrupted frame. */
void cotree_cursor_interrupted(struct cotree_cursor *cursor, const void *context);
/* To the caller. Unless it returns OK the cursor is as it was. */
enum cotree_step cotree_unwind(struct cotree_cursor *cursor);
/*
 * How the caller of a frame that stands behind a call is found, where every frame at this pc is left in the
 * same way as long as the program runs: the CFA is a register plus an offset, registers are saved at fixed
 * distances from it. False: that is not so, or not known at once.
 */
#define COTREE_SHAPE_RBP 1u
#define COTREE_SHAPE_SP 6u
struct cotree_shape {
    uint64_t cfa;          /* of this frame */
    int64_t cfa_offset;    /* from its register */
    unsigned cfa_register; /* 0 to 5: rbx, rbp, r12 to r15; or COTREE_SHAPE_SP */
    int16_t saved[6];      /* these registers: words from the CFA; 0: not saved */
};
bool cotree_frame_shape(const struct cotree_cursor *cursor, struct cotree_shape *shape);
/* The stack is mapped from SP, behind a call, at least up to here. */
uint64_t cotree_known_stack_end(uint64_t sp);
/* Where the function begins that has this instruction, by frame information; 0: nothing describes it. */
uint64_t cotree_described_function(uint64_t pc);
/* Where a walk has ended: is that the start of a thread? Frame information says so of the functions that nothing calls.
 * The stack of the first thread may end in other ways; elsewhere a return address of 0 ends a stack that the program made,
 * or there was none. */
bool cotree_is_thread_start(const struct cotree_cursor *cursor);
/* Does the frame have a clean-up or catch for exceptions that arrive at its pc? (language-specific data) */
bool cotree_has_landing_pad(const struct cotree_cursor *cursor);

#endif
