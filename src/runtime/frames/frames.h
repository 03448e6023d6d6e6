/*
 * Frames that are left for ever, or come to be without a call, counted in the file (frames.c).
 */
#ifndef COTREE_RUNTIME_FRAMES_FRAMES_H
#define COTREE_RUNTIME_FRAMES_FRAMES_H

#include "runtime/file/frame_counts.h"
#include "runtime/runtime.h"
#include "runtime/frames/unwind.h"

/* What a thread has counted while it leaves frames. It lies on the thread's stack, so that a walk
 * in a handler that interrupts it can go on from there. */
struct cotree_recording {
    struct cotree_caller caller;      /* the innermost frame that is left */
    const struct cotree_cursor *from; /* or NULL: that frame instead */
    uint64_t frames;                  /* counted so far, from there outwards */
    uint64_t resumes;                 /* 1: a RESUME was counted, at resume_at */
    uint64_t compensated;             /* -1: it was taken back, by a walk that left this recording */
    uint64_t resume_at;
};

/* The frame in which RECORDING began. */
void cotree_cursor_recorded(struct cotree_cursor *cursor, const struct cotree_recording *recording);
/* Do walks take notice of a frame at this return address? */
bool cotree_is_special(uint64_t pc);

/* Counts one frame of KIND at PC, if that is code that counts, and adds one to the note, for walks
 * that interrupt it. */
void cotree_frame_count_noted(uint32_t kind, uint64_t pc, uint64_t *note);
/*
 * This thread's frames from FROM outwards are left for ever: CUT, or CUT_AT where one was
 * interrupted. Those that an earlier call has counted (an exit handler calls _exit) are not counted
 * twice. TIMES -1 takes the last call with the same FROM back. Safe in signal handlers; takes no
 * lock.
 */
void cotree_cut_stack(const struct cotree_cursor *from, int times);

/*
 * The thread leaves the frames from where RECORDING began up to and including the one in which the
 * stack pointer TARGET lies; there the call that returns to RESUME_AT returns once more. (chains.h
 * has a faster way.)
 */
void cotree_jump(struct cotree_recording *recording, uint64_t target, uint64_t resume_at);

/* The same from FROM outwards; and back: it was not done. */
void cotree_jump_from(const struct cotree_cursor *from, uint64_t target, uint64_t resume_at);
void cotree_jump_back(const struct cotree_cursor *from, uint64_t target, uint64_t resume_at);

/* What endings of this thread have counted is marked so often (frames.c). */
#ifdef COTREE_RUNTIME_SHARED
extern unsigned cotree_mark_count;
#else
extern __thread unsigned cotree_mark_count __attribute__((tls_model("local-exec")));
#endif

/* Frames from FROM outwards are new in this process: RESUME, RESUME_AT. */
void cotree_resume_stack(const struct cotree_cursor *from);

/* vforks.c. The call of vfork that made this process, or NULL: it has memory of its own.
 * Makes no system call unless the thread has called vfork and its child has not been seen to
 * leave. */
struct cotree_vfork *cotree_vfork_child(void);
/* The child leaves the frames from FROM up to that call, for its parent; TIMES -1 takes it back. */
void cotree_vfork_leaves(struct cotree_vfork *call, const struct cotree_cursor *from, int times);
/* The same for a child that shares memory but has a stack of its own. BEGINS returns the call, or
 * NULL: there is nothing to do. RETURNED is called by a child whose function returned, ENDS by the
 * parent: false, the child was killed, and where it stood is not known. */
struct cotree_vfork *cotree_vfork_begins(void);
void cotree_vfork_returned(struct cotree_vfork *call);
bool cotree_vfork_ends(struct cotree_vfork *call, bool had_child);

/* A call of vfork, which returns with this stack pointer to this address. */
void cotree_vfork_note(uint64_t sp, uint64_t return_address);

/* jumps.c, throws.c */
void cotree_jumps_start(void);
void cotree_throws_start(void);
/* unwinders.c: a thread is about to be cancelled, or to end itself. */
void cotree_thread_will_end(void);

/* throws.c: the unwinder of C++. */
/* What it has counted so far in one go, while all of that is on the stack. */
struct cotree_unwound {
    uint64_t frames;     /* from its own frame outwards */
    uint64_t before;     /* without the last one, where it may land */
    uint64_t last;       /* return address in that one */
    uint64_t taken_back; /* -1: it was taken back, by a walk that left this recording */
};
enum cotree_unwinding {
    COTREE_NOT_UNWINDING,
    COTREE_UNWINDING,
    COTREE_UNWINDING_FOUND, /* the same, and the cursor is at its caller */
    COTREE_RESUMING,        /* its caller has left by itself */
    COTREE_LANDING,         /* its caller cannot be found any more */
};
/* What the unwinder does in this frame, and, if it is UNWINDING, what it has counted. */
enum cotree_unwinding cotree_unwinding_at(struct cotree_cursor *at, struct cotree_unwound **unwound);

#endif
