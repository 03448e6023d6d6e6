/* Walks compared with those of libgcc's unwinder, frame by frame: addresses, stack pointers, saved registers.
 */
#ifndef UNWIND_ORACLE_H
#define UNWIND_ORACLE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unwind.h>
#ifdef __cplusplus
extern "C" {
#endif
#include "runtime/frames/unwind.h"
#ifdef __cplusplus
}
#endif

#define ORACLE_MAX 4096

struct oracle_frame {
    uint64_t pc, sp, rbx, rbp, r12, r13, r14, r15;
    uint64_t interrupted; /* no padding: frames are compared as bytes */
};
struct oracle_list {
    unsigned count;
    enum cotree_step end;
    struct oracle_frame frames[ORACLE_MAX];
};

static __thread struct oracle_list oracle_theirs, oracle_ours;
static __thread unsigned long oracle_compared, oracle_frames;

static _Unwind_Reason_Code oracle_add(struct _Unwind_Context *context, void *argument)
{
    struct oracle_list *list = (struct oracle_list *)argument;
    int before = 0;
    uint64_t pc = _Unwind_GetIPInfo(context, &before);
    /* libgcc reports the end of the stack as one more frame, at 0 */
    if (list->count == ORACLE_MAX || (pc == 0 && !before))
        return _URC_END_OF_STACK;
    struct oracle_frame *f = &list->frames[list->count++];
    memset(f, 0, sizeof *f);
    f->pc = pc;
    f->interrupted = (uint64_t)before;
    f->sp = _Unwind_GetCFA(context);
    if (list->count > 1) { /* of the frame that asks, it knows only what was saved */
        f->rbx = _Unwind_GetGR(context, 3);
        f->rbp = _Unwind_GetGR(context, 6);
        f->r12 = _Unwind_GetGR(context, 12);
        f->r13 = _Unwind_GetGR(context, 13);
        f->r14 = _Unwind_GetGR(context, 14);
        f->r15 = _Unwind_GetGR(context, 15);
    }
    return _URC_NO_REASON;
}

static void oracle_walk(struct cotree_cursor *c)
{
    struct oracle_list *list = &oracle_ours;
    list->count = 0;
    do {
        struct oracle_frame f = {c->pc,  c->sp,  c->rbx, c->rbp,        c->r12,
                                 c->r13, c->r14, c->r15, c->interrupted};
        if (list->count < ORACLE_MAX)
            list->frames[list->count++] = f;
        list->end = cotree_unwind(c);
    } while (list->end == COTREE_STEP_OK && list->count < ORACLE_MAX);
}

static void oracle_show(const char *name, const struct oracle_list *list)
{
    fprintf(stderr, "%s, %u frames, end %d\n", name, list->count, list->end);
    for (unsigned i = 0; i < list->count && i < 40; i++) {
        const struct oracle_frame *f = &list->frames[i];
        fprintf(stderr, "  %2u pc %lx%s sp %lx rbx %lx rbp %lx r12 %lx %lx %lx %lx\n", i, f->pc,
                f->interrupted ? "*" : "", f->sp, f->rbx, f->rbp, f->r12, f->r13, f->r14, f->r15);
    }
}

/* Where set, what every stack ends with: walks are compared with it where libgcc's stops early, in code that
 * is not described. */
static __thread struct oracle_list oracle_bottom;
static __thread unsigned long oracle_beyond;
/* gcc describes the last instructions of functions that align the stack for themselves (DRAP) wrongly;
 * libgcc's walk errs the same way. Never seen in code of clang. */
static __thread unsigned long oracle_misled;
#if defined(__clang__)
#define ORACLE_MAY_BE_MISLED 0
#else
#define ORACLE_MAY_BE_MISLED 1
#endif

static void oracle_fail(const char *what, unsigned at)
{
    fprintf(stderr, "%s: frame %u differs\n", what, at);
    oracle_show("ours", &oracle_ours);
    oracle_show("libgcc", &oracle_theirs);
    oracle_show("the last ones", &oracle_bottom);
    abort();
}

static int oracle_same(const struct oracle_frame *a, const struct oracle_frame *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* Frames of ours from the first one on must be theirs from SKIP on, up to the end of the stack. */
static void oracle_compare(const char *what, unsigned skip)
{
    unsigned common = oracle_theirs.count - skip, bottom = oracle_bottom.count;
    if (oracle_theirs.count < skip || oracle_ours.count < common ||
        (oracle_ours.count > common && bottom == 0))
        oracle_fail(what, oracle_ours.count);
    for (unsigned i = 0; i < common; i++)
        if (!oracle_same(&oracle_ours.frames[i], &oracle_theirs.frames[i + skip]))
            oracle_fail(what, i);
    int reaches_bottom = oracle_ours.count >= bottom;
    for (unsigned i = 1; i <= bottom && reaches_bottom; i++)
        reaches_bottom =
            oracle_same(&oracle_ours.frames[oracle_ours.count - i], &oracle_bottom.frames[bottom - i]);
    if (!reaches_bottom && ORACLE_MAY_BE_MISLED && oracle_ours.count == common) {
        oracle_misled++;
        return;
    }
    if (!reaches_bottom || (oracle_ours.count < ORACLE_MAX && oracle_ours.end != COTREE_STEP_END))
        oracle_fail(what, oracle_ours.count);
    oracle_beyond += oracle_ours.count > common;
    oracle_compared++;
    oracle_frames += oracle_ours.count;
}

/* From now on every stack has the frames that the caller's caller and those above it have now. */
__attribute__((noinline, unused)) static void oracle_stays(void)
{
    oracle_bottom.count = 0;
    _Unwind_Backtrace(oracle_add, &oracle_bottom);
    oracle_bottom.count -= 2;
    memmove(oracle_bottom.frames, oracle_bottom.frames + 2,
            oracle_bottom.count * sizeof *oracle_bottom.frames);
}

/* The stack here, from the caller on. */
__attribute__((noinline, unused)) static void oracle_check(const char *what)
{
    struct cotree_cursor c;
    oracle_theirs.count = 0;
    _Unwind_Backtrace(oracle_add, &oracle_theirs);
    CURSOR_HERE(&c);
    oracle_walk(&c);
    oracle_compare(what, 1);
}

/* In a signal handler: the whole stack through the handler's frame, and the interrupted one. */
__attribute__((noinline, unused)) static void oracle_check_interrupted(const char *what, const void *context)
{
    struct cotree_cursor c;
    oracle_check(what);
    cotree_cursor_interrupted(&c, context);
    unsigned skip = 1;
    while (skip < oracle_theirs.count && !oracle_theirs.frames[skip].interrupted)
        skip++;
    oracle_walk(&c);
    oracle_compare(what, skip);
}

/* Where libgcc would crash: ours alone, down to frames that are known; from the caller on, or from where
 * CONTEXT was interrupted. */
__attribute__((noinline, unused)) static void oracle_check_bottom(const char *what, const void *context)
{
    struct cotree_cursor c;
    oracle_theirs.count = 0;
    if (context != NULL)
        cotree_cursor_interrupted(&c, context);
    else
        CURSOR_HERE(&c);
    oracle_walk(&c);
    oracle_compare(what, 0);
}

#endif
