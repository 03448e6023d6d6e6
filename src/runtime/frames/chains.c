/*
 * Jumps that leave the same frames again. Programs that use longjmp for errors call it from one
 * place and leave a few sequences of functions again and again. Walking finds out each time which
 * frames these are; a chain remembers it, and what is left to do is to see that the frames are the
 * same ones, and to count.
 *
 * Why that is right. A walk begins at the return address pc[0], with the stack pointer sp[0] and
 * the caller's registers. The rule of the frame at pc[i] (unwind.c) says where its CFA is: a
 * register plus a constant, the register being the stack pointer or one that calls preserve. Then
 * sp[i+1] is that CFA, pc[i+1] the word below it, and preserved registers are unchanged or saved at
 * constant distances from the CFA. A chain has, for the walk that made it,
 *   - pc[0], the target's distance from sp[0], and the address to resume at: these are its key;
 *   - in the order of frames, what each step depends on: where the CFA comes from a register, the
 *     distance of that register's value from sp[0] and where that value is; then pc[i+1] and where
 *     that is. "Where" is a distance from sp[0]; the registers at the beginning are in the
 *     recording, just below.
 * If everything is found as it was, then by induction over the frames each step of a walk now would
 * be the step it was then: the address is the same, so the rule is; so the CFA has the same
 * distance from sp[0], for sp[i] has, or the register was compared; so the next address and
 * registers are read at the same distances, and the address was compared. The frame that the target
 * lies in is the same one. Sizes of frames that depend on data (alloca, realigned stacks) are
 * compared like this, not believed.
 *
 * Nothing is read but words that the walk would read: a word is looked at when the frame it lies in
 * is known to be there. (The walk asks more: whether the stack is mapped, lest it be damaged. Here
 * a damaged one would have to look like the one that was remembered.)
 *
 * What else a walk looks at, beside the stack, is the same every time or there is no chain:
 *   - rules: only those of objects that stay (RULE_PLAIN);
 *   - where frames are counted, whether a frame belongs to code that counts, whether it is the
 *     unwinder: when these change all chains are forgotten (cotree_frames_generation);
 *   - frames that were interrupted, recordings: there is no chain with such a frame;
 *   - marks of endings: a thread that has any does not come here.
 *
 * Chains are shared by all threads. A chain is used between two changes of its count of users, and
 * written only while that count is nothing but BEING_WRITTEN; a thread that meets this does without
 * the chain. A thread that a signal handler's jump takes out of here never takes its count back:
 * the chain stays good then, but is never replaced, or, if it was being written, never used. No
 * thread ever waits.
 */
#include "runtime/frames/chains.h"
#include "runtime/frames/frames.h"

#ifdef COTREE_RUNTIME_SHARED /* only executables see jumps */

bool cotree_chain_count(struct cotree_recording *recording, uint64_t target, uint64_t resume_at)
{
    (void)recording, (void)target, (void)resume_at;
    return false;
}

void cotree_chain_learn(const struct cotree_recording *recording, uint64_t target, uint64_t resume_at)
{
    (void)recording, (void)target, (void)resume_at;
}

#else

#define FRAMES_MAX 32u
#define CHECKS_MAX 40u /* more than one for a frame if its CFA comes from a register */
#define STRETCHES_MAX 35u
#define SET 4u /* chains with the same hash */
#define SET_BITS 3
#define BEING_WRITTEN (UINT32_C(1) << 31)
#define NO_STRETCH UINT8_MAX

/* The word at this distance from the first stack pointer must have this value. */
struct check {
    int64_t distance;
    uint64_t value; /* of the word; in the first check of every stretch but the first one: minus that stack
                       pointer */
};

struct chain {
    uint64_t key; /* hash of the next three; 0: no chain */
    uint64_t pc, distance, resume_at;
    uint32_t users;
    uint32_t generation;
    uint64_t *resumes; /* where the RESUME is counted; NULL: it is not */
    uint32_t counted;
    /* How many return addresses follow each other; NO_STRETCH at the end. */
    uint8_t stretch[STRETCHES_MAX + 1];
    struct check checks[CHECKS_MAX]; /* these addresses; a register between two stretches */
    uint64_t *counts[FRAMES_MAX];    /* of the frames in code that counts */
};

static struct chain chains[1 << SET_BITS][SET];

static inline uint64_t word_at(uint64_t sp, int64_t distance)
{
    return *(const uint64_t *)(uintptr_t)(sp + (uint64_t)distance);
}

static inline bool holds(const struct check *check, uint64_t sp)
{
    return word_at(sp, check->distance) == check->value;
}

/* Are the frames those of the chain? */
static inline bool is_same(const struct chain *chain, uint64_t sp)
{
    const struct check *check = chain->checks;
    for (const uint8_t *stretch = chain->stretch;;) {
        const struct check *end = check + *stretch;
        if (*stretch++ & 1 && !holds(check++, sp))
            return false;
        for (; check != end; check += 2)
            if (!holds(check, sp) || !holds(check + 1, sp))
                return false;
        if (*stretch == NO_STRETCH)
            return true;
        if (word_at(sp, check->distance) - sp != check->value)
            return false;
        check++;
    }
}

static inline uint64_t key_of(uint64_t pc, uint64_t distance, uint64_t resume_at)
{
    return ((pc ^ distance << 20) * UINT64_C(0x9e3779b97f4a7c15) + resume_at) | 1;
}

static inline struct chain *set_of(uint64_t key)
{
    return chains[key >> (64 - SET_BITS)];
}

bool cotree_chain_count(struct cotree_recording *recording, uint64_t target, uint64_t resume_at)
{
    uint64_t pc = recording->caller.pc, sp = recording->caller.sp, key = key_of(pc, target - sp, resume_at);
    struct chain *chain = set_of(key), *end = chain + SET;
    if (__builtin_expect(cotree_mark_count != 0, 0))
        return false;
    for (; chain != end; chain++) {
        if (__atomic_load_n(&chain->key, __ATOMIC_RELAXED) != key)
            continue;
        uint32_t users = __atomic_fetch_add(&chain->users, 1, __ATOMIC_ACQUIRE);
        if (!(users & BEING_WRITTEN) && chain->pc == pc && chain->distance == target - sp &&
            chain->resume_at == resume_at &&
            chain->generation == __atomic_load_n(&cotree_frames_generation, __ATOMIC_ACQUIRE) &&
            is_same(chain, sp))
            break;
        __atomic_fetch_sub(&chain->users, 1, __ATOMIC_RELEASE);
    }
    if (chain == end)
        return false;
    uint64_t counted = chain->counted;
    if (counted != 0)
        cotree_add_all(chain->counts + counted, -(int64_t)counted, &recording->frames, counted);
    recording->resume_at = resume_at;
    if (chain->resumes != NULL)
        cotree_add_both(chain->resumes, 1, &recording->resumes);
    __atomic_fetch_sub(&chain->users, 1, __ATOMIC_RELEASE);
    return true;
}

/* ---- making them ---- */

/* Distance from the stack pointer of where RECORDING has its registers. */
#define IN_RECORDING(name)                                                                                   \
    (int64_t)offsetof(struct cotree_recording, caller.name) - (int64_t)sizeof(struct cotree_recording) - 8,

/* Walks from where RECORDING began and puts down what it depends on. False: there can be no
 * chain. */
static bool write_chain(struct chain *chain, const struct cotree_recording *recording, uint64_t target)
{
    struct cotree_cursor at;
    uint64_t first = recording->caller.sp;
    int64_t where[COTREE_KEPT_COUNT] = {COTREE_FOR_KEPT(IN_RECORDING)};
    unsigned checks = 0;
    uint8_t *stretch = chain->stretch, *last_stretch = stretch + STRETCHES_MAX - 1;
    bool stays;
    chain->counted = 0;
    *stretch = 0;
    cotree_cursor_recorded(&at, recording);
    for (;;) {
        struct cotree_shape shape;
        if (chain->counted == FRAMES_MAX || checks + 2 > CHECKS_MAX || cotree_is_special(at.pc) ||
            !cotree_frame_shape(&at, &shape))
            return false;
        uint64_t *count = cotree_frame_counter(DATA_FRAME_CUT, at.pc, &stays);
        if (!stays)
            return false;
        if (count != NULL)
            chain->counts[chain->counted++] = count;
        if (shape.cfa_register != COTREE_SHAPE_SP) {
            if (stretch == last_stretch)
                return false;
            *++stretch = 0;
            chain->checks[checks++] =
                (struct check){where[shape.cfa_register], shape.cfa - (uint64_t)shape.cfa_offset - first};
        }
        uint64_t sp = at.sp;
        if (shape.cfa <= sp || cotree_unwind(&at) != COTREE_STEP_OK || at.sp != shape.cfa)
            return false;
        if (target - sp < at.sp - sp)
            break;
        chain->checks[checks++] = (struct check){(int64_t)(at.sp - 8 - first), at.pc};
        ++*stretch;
        for (unsigned i = 0; i < COTREE_KEPT_COUNT; i++)
            if (shape.saved[i] != 0)
                where[i] = (int64_t)(at.sp - first) + 8 * shape.saved[i];
    }
    stretch[1] = NO_STRETCH;
    return true;
}

/* Takes a chain of the set that no thread uses, to be replaced: one that is of no use any more,
 * else each in turn. */
static struct chain *take_chain(struct chain *set, uint32_t now)
{
    static unsigned turn;
    struct chain *chain = NULL;
    for (unsigned i = 0; i < SET && chain == NULL; i++)
        if (set[i].key == 0 || set[i].generation != now)
            chain = &set[i];
    if (chain == NULL) {
        /* There are more than find room here, and writing costs more than walking: seldom. */
        unsigned number = __atomic_fetch_add(&turn, 1, __ATOMIC_RELAXED);
        if (number % 64 != 0)
            return NULL;
        chain = &set[number / 64 % SET];
    }
    uint32_t nobody = 0;
    return __atomic_compare_exchange_n(&chain->users, &nobody, BEING_WRITTEN, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED)
               ? chain
               : NULL;
}

void cotree_chain_learn(const struct cotree_recording *recording, uint64_t target, uint64_t resume_at)
{
    /* Keys that were seen before; or in vain, then plus 1. */
    static uint64_t seen[64];
    uint32_t now = __atomic_load_n(&cotree_frames_generation, __ATOMIC_ACQUIRE);
    uint64_t key = key_of(recording->caller.pc, target - recording->caller.sp, resume_at);
    uint64_t mark = (key ^ now) << 1, *before = &seen[key >> 1 & 63];
    uint64_t marked = __atomic_load_n(before, __ATOMIC_RELAXED);
    if (cotree_mark_count != 0 || marked == (mark | 1))
        return;
    __atomic_store_n(before, mark, __ATOMIC_RELAXED);
    struct chain *chain = marked == mark ? take_chain(set_of(key), now) : NULL;
    if (chain == NULL)
        return;
    bool stays = false;
    __atomic_store_n(&chain->key, 0, __ATOMIC_RELAXED);
    chain->generation = now;
    chain->pc = recording->caller.pc;
    chain->distance = target - recording->caller.sp;
    chain->resume_at = resume_at;
    chain->resumes = cotree_frame_counter(DATA_FRAME_RESUME, resume_at, &stays);
    if (stays && write_chain(chain, recording, target))
        __atomic_store_n(&chain->key, key, __ATOMIC_RELAXED);
    else
        __atomic_store_n(before, mark | 1, __ATOMIC_RELAXED);
    __atomic_fetch_and(&chain->users, ~BEING_WRITTEN, __ATOMIC_RELEASE);
}

#endif
