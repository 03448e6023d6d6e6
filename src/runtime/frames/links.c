/*
 * Frames that were left before, whatever was left together with them. Nearly all frames are left in
 * a simple way: the CFA is the stack pointer or rbp plus a constant. To walk over these, nothing
 * but pc, sp and rbp is needed; a link has, for a return address, that constant, where rbp was
 * saved, and where the frame is counted. It says what the walker's rule (unwind.c) and the frame
 * counts of the file say, and where there is no link the walk goes on in their way, over the frames
 * that were counted here.
 *
 * A constant is as true as the return address it is for, so the words that are read are those of
 * frames which are there. What rbp is, is up to the program: where a CFA comes from it, it must be
 * in the part of the stack that is known to be mapped, or the walker looks at it.
 *
 * Links are shared by all threads. A link has a version, odd while it is written: a reader that
 * finds it odd, or finds another one when it has read the link, does without the link. So a writer
 * may be interrupted, stopped or killed. Links are for objects that stay; they are of no use once
 * frames were forgotten (cotree_frames_generation).
 */
#include "runtime/frames/links.h"
#include "runtime/frames/frames.h"

#ifdef COTREE_RUNTIME_SHARED /* only executables see jumps */

enum cotree_links cotree_links_count(struct cotree_recording *recording, uint64_t target)
{
    (void)recording, (void)target;
    return COTREE_LINKS_NOT_SIMPLE;
}

void cotree_links_learn(const struct cotree_recording *recording, uint64_t target)
{
    (void)recording, (void)target;
}

#else

struct link {
    uint64_t pc; /* a return address */
    uint32_t generation;
    uint32_t version;   /* odd: being written */
    uint64_t *count;    /* where it is counted; NULL: nowhere */
    int32_t cfa_offset; /* from sp or rbp */
    int16_t rbp;        /* where that was saved, in words from the CFA; 0: it was not */
    uint16_t cfa_is;    /* enum */
};
enum { FROM_SP, FROM_RBP, NOT_SIMPLE };
_Static_assert(sizeof(struct link) == 32, "links fill whole words");

/* At the place its address hashes to, or at the neighbour of that (i ^ 1). */
#define LINK_BITS 9
static _Alignas(32) struct link links[1 << LINK_BITS];

static inline unsigned index_of(uint64_t pc)
{
    return (unsigned)(pc * UINT64_C(0x9e3779b97f4a7c15) >> (64 - LINK_BITS));
}

/* A copy of the link at I, if it is for PC. */
static inline bool read_link(unsigned i, uint64_t pc, uint32_t generation, struct link *copy)
{
    const struct link *link = &links[i];
    uint32_t version = __atomic_load_n(&link->version, __ATOMIC_ACQUIRE);
    if (__atomic_load_n(&link->pc, __ATOMIC_RELAXED) != pc ||
        __atomic_load_n(&link->generation, __ATOMIC_RELAXED) != generation)
        return false;
    copy->count = __atomic_load_n(&link->count, __ATOMIC_RELAXED);
    copy->cfa_offset = __atomic_load_n(&link->cfa_offset, __ATOMIC_RELAXED);
    copy->rbp = __atomic_load_n(&link->rbp, __ATOMIC_RELAXED);
    copy->cfa_is = __atomic_load_n(&link->cfa_is, __ATOMIC_RELAXED);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return !(version & 1) && __atomic_load_n(&link->version, __ATOMIC_RELAXED) == version;
}

enum cotree_links cotree_links_count(struct cotree_recording *recording, uint64_t target)
{
    uint64_t pc = recording->caller.pc, sp = recording->caller.sp, rbp = recording->caller.rbp, mapped = 0;
    uint32_t generation = __atomic_load_n(&cotree_frames_generation, __ATOMIC_ACQUIRE);
    for (;;) {
        struct link link;
        unsigned i = index_of(pc);
        if (!read_link(i, pc, generation, &link) && !read_link(i ^ 1, pc, generation, &link))
            return COTREE_LINKS_MISSING;
        uint64_t cfa = sp + (uint64_t)(int64_t)link.cfa_offset;
        if (__builtin_expect(link.cfa_is != FROM_SP, 0)) {
            cfa = rbp + (uint64_t)(int64_t)link.cfa_offset;
            if (link.cfa_is != FROM_RBP || cfa <= sp ||
                (cfa > mapped && cfa > (mapped = cotree_known_stack_end(sp))))
                return COTREE_LINKS_NOT_SIMPLE;
        }
        const uint64_t *words = (const uint64_t *)(uintptr_t)cfa;
        uint64_t next = words[-1];
        if (next == 0)
            return COTREE_LINKS_NOT_SIMPLE;
        if (link.count != NULL)
            cotree_add_both(link.count, 1, &recording->frames);
        if (target - sp < cfa - sp)
            return COTREE_LINKS_ALL;
        if (link.rbp != 0)
            rbp = words[link.rbp];
        pc = next;
        sp = cfa;
    }
}

/* ---- making them ---- */

/* Makes the link for the frame, unless there is one. */
static void write_link(const struct cotree_cursor *at, uint32_t generation)
{
    struct link link = {.pc = at->pc, .generation = generation, .cfa_is = NOT_SIMPLE};
    struct link *to = &links[index_of(at->pc)];
    struct cotree_shape shape;
    bool stays;
    if (read_link(index_of(at->pc), at->pc, generation, &link) ||
        read_link(index_of(at->pc) ^ 1, at->pc, generation, &link))
        return;
    if (!cotree_is_special(at->pc) && cotree_frame_shape(at, &shape) && shape.cfa > at->sp &&
        (shape.cfa_register == COTREE_SHAPE_SP || shape.cfa_register == COTREE_SHAPE_RBP)) {
        link.count = cotree_frame_counter(DATA_FRAME_CUT, at->pc, &stays);
        link.cfa_offset = (int32_t)shape.cfa_offset;
        link.rbp = shape.saved[COTREE_SHAPE_RBP];
        if (stays)
            link.cfa_is = shape.cfa_register == COTREE_SHAPE_SP ? FROM_SP : FROM_RBP;
    }
    /* Replaces a link that is of no use any more, else each in turn. */
    struct link *other = &links[index_of(at->pc) ^ 1];
    bool is_free = __atomic_load_n(&to->generation, __ATOMIC_RELAXED) != generation;
    bool other_is_free = __atomic_load_n(&other->generation, __ATOMIC_RELAXED) != generation;
    if (!is_free && (other_is_free || __atomic_load_n(&to->version, __ATOMIC_RELAXED) >
                                          __atomic_load_n(&other->version, __ATOMIC_RELAXED)))
        to = other;
    uint32_t version = __atomic_load_n(&to->version, __ATOMIC_RELAXED);
    if ((version & 1) || !__atomic_compare_exchange_n(&to->version, &version, version + 1, false,
                                                      __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
        return;
    __atomic_thread_fence(__ATOMIC_RELEASE);
    __atomic_store_n(&to->pc, link.pc, __ATOMIC_RELAXED);
    __atomic_store_n(&to->generation, link.generation, __ATOMIC_RELAXED);
    __atomic_store_n(&to->count, link.count, __ATOMIC_RELAXED);
    __atomic_store_n(&to->cfa_offset, link.cfa_offset, __ATOMIC_RELAXED);
    __atomic_store_n(&to->rbp, link.rbp, __ATOMIC_RELAXED);
    __atomic_store_n(&to->cfa_is, link.cfa_is, __ATOMIC_RELAXED);
    __atomic_store_n(&to->version, version + 2, __ATOMIC_RELEASE);
}

void cotree_links_learn(const struct cotree_recording *recording, uint64_t target)
{
    struct cotree_cursor at;
    uint32_t generation = __atomic_load_n(&cotree_frames_generation, __ATOMIC_ACQUIRE);
    uint64_t sp;
    cotree_cursor_recorded(&at, recording);
    do {
        if (at.interrupted)
            return;
        write_link(&at, generation);
        sp = at.sp;
    } while (cotree_unwind(&at) == COTREE_STEP_OK && target - sp >= at.sp - sp);
}

#endif
