/*
 * Walking a stack by its call frame information (.eh_frame), without the unwinder of the C++ runtime: no
 * locks, no allocation, safe in signal handlers, and fast for places that were walked before.
 */
#ifndef COTREE_RUNTIME_UNWIND_H
#define COTREE_RUNTIME_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

/* A frame, seen at an instruction of it: what its caller-saved registers were is not known. */
struct cotree_cursor {
    uint64_t pc;                         /* return address, or where the frame was interrupted */
    uint64_t sp;                         /* of the frame at pc */
    uint64_t rbx, rbp, r12, r13, r14, r15;
    bool interrupted; /* pc is the next instruction, not behind a call: a signal came */
};

enum cotree_step {
    COTREE_STEP_OK,    /* the cursor is at the caller now */
    COTREE_STEP_END,   /* there is no caller: the stack ends here */
    COTREE_STEP_LOST,  /* the caller cannot be found: no frame information, or it makes no sense */
};

/* The frame that called the function which contains this: use as CURSOR_HERE(&cursor). */
#define CURSOR_HERE(cursor) cotree_cursor_here(cursor)
void cotree_cursor_here(struct cotree_cursor *cursor);
/* From the ucontext_t a signal handler was given: the interrupted frame. */
void cotree_cursor_interrupted(struct cotree_cursor *cursor, const void *context);
enum cotree_step cotree_unwind(struct cotree_cursor *cursor);
/* Does the frame have a clean-up or catch for exceptions that arrive at its pc? (language-specific data) */
bool cotree_has_landing_pad(const struct cotree_cursor *cursor);

#endif
