/*
 * Walking a stack by its call frame information (.eh_frame), without the unwinder of the C++
 * runtime: no locks, no allocation, safe in signal handlers, and fast for places that were walked
 * before.
 *
 *     struct cotree_cursor cursor;
 *     CURSOR_HERE(&cursor);                       // or cotree_cursor_interrupted(&cursor, context)
 *     do
 *         use(cursor.pc, cursor.sp, cursor.interrupted);
 *     while ((step = cotree_unwind(&cursor)) == COTREE_STEP_OK);
 */
#ifndef COTREE_RUNTIME_FRAMES_UNWIND_H
#define COTREE_RUNTIME_FRAMES_UNWIND_H

#include <stdbool.h>
#include <stdint.h>
#include "runtime/arch/arch.h"

/* So many other stacks a walk enters: more of them are a circle that writes what is read there. */
#define COTREE_JUMPS_MOST 1024u

enum cotree_step {
    COTREE_STEP_OK,   /* the cursor is at the caller now */
    COTREE_STEP_END,  /* there is no caller: the stack ends here */
    COTREE_STEP_LOST, /* the caller cannot be found: no frame information, or it makes no sense */
};

/*
 * The caller of the machine function that contains this: with `f` calling `g` and CURSOR_HERE in
 * `g`, the frame of `f`, pc being g's return address. Where the compiler put `g` into another
 * function, that function counts (noinline helps). If it cannot be found, pc is 0, and the next
 * step is LOST.
 */
#define CURSOR_HERE(cursor)                                                                                  \
    do {                                                                                                     \
        cotree_cursor_here(cursor);                                                                          \
        __asm__ volatile("" ::: "memory"); /* never the last call, which would become a jump */              \
    } while (0)
void cotree_cursor_here(struct cotree_cursor *cursor);
/* The interrupted frame, from the ucontext_t that a signal handler was given. */
void cotree_cursor_interrupted(struct cotree_cursor *cursor, const void *context);
/* Moves the cursor to the caller. Unless it returns OK the cursor is as it was. */
enum cotree_step cotree_unwind(struct cotree_cursor *cursor);
/*
 * How the caller of a frame that stands after a call is found, where every frame at this pc is left
 * alike as long as the program runs: the CFA is a register plus an offset, registers are
 * saved at fixed distances from it. False: that is not so, or not known at once.
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
/* The stack is mapped from SP, that of a frame after a call, at least up to here. */
uint64_t cotree_known_stack_end(uint64_t sp);
/* Where the function begins that has this instruction, by frame information; 0: nothing describes
 * it. */
uint64_t cotree_described_function(uint64_t pc);
/* Where a walk has ended: is that the start of a thread? Frame information says so of the functions
 * that nothing calls. The stack of the first thread may end in other ways; elsewhere a return
 * address of 0 ends a stack that the program made, or there was none. */
bool cotree_is_thread_start(const struct cotree_cursor *cursor);
/* Does the frame have a clean-up or catch for exceptions that arrive at its pc? (language-specific
 * data) */
bool cotree_has_landing_pad(const struct cotree_cursor *cursor);

#endif
