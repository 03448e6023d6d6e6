/*
 * Counts frames that never return, and calls that return once more (file/frame_counts.c).
 *
 * Everything that leaves frames walks the stack and counts them one by one. It may be interrupted
 * at any instruction by a signal whose handler leaves the same frames again: the handler ends the
 * process, or jumps. So the function that counts has a frame of its own on the stack
 * (cotree_recorded_call) with a note of what it has counted so far; a walk that meets that frame
 * passes over what the note covers. An ending that is complete leaves a mark instead, the innermost
 * frames it counted: the exit handler that calls _exit finds them.
 *
 * Counting a frame and noting it are two instructions. A handler that comes between them sees the
 * address of the second one in the frame it interrupted (cotree_interrupted_adding).
 */
#include "runtime/frames/frames.h"
#include "runtime/frames/chains.h"
#include "runtime/frames/links.h"
#include "runtime/frames/small_stacks.h"
#include "runtime/frames/unwinders.h"

/* ---- being interrupted ---- */

static_assert(sizeof(struct cotree_recording) == COTREE_RECORDING_SIZE, "the assembly makes them");
static_assert(offsetof(struct cotree_recording, from) == COTREE_RECORDING_FROM, "the assembly makes them");

bool cotree_is_special(uint64_t pc)
{
    return pc == (uint64_t)(uintptr_t)cotree_recorded_return || cotree_is_unwinder(pc);
}

/* What endings of this thread have counted: everything from the first of these frames outwards. In
 * static programs the innermost ones may be of the C library, which goes on with them to other exit
 * handlers; they have no counters, and the third one stands still. */
#define MARKS 4u
struct mark {
    struct {
        uint64_t pc, sp;
    } frames[3];
};
#ifdef COTREE_RUNTIME_SHARED
/* Only the end of the library is seen there. Thread-local storage would be short. */
static struct mark marks[MARKS];
unsigned cotree_mark_count;
#else
static __thread struct mark marks[MARKS] __attribute__((tls_model("local-exec")));
__thread unsigned cotree_mark_count __attribute__((tls_model("local-exec")));
#endif

/* ---- walking ---- */

#define ALL UINT64_MAX
#define MINUS_ONE UINT64_MAX

enum purpose {
    PURPOSE_CUT,       /* frames are left */
    PURPOSE_TAKE_BACK, /* they were not */
    PURPOSE_RESUME,    /* they are new, in a child of fork */
};

struct walk {
    struct cotree_cursor at;
    enum purpose purpose;
    uint64_t skip;     /* frames that were counted already: so many from here outwards, or ALL */
    unsigned marks;    /* marks not met so far */
    uint64_t *half_at; /* the note of a frame that was counted but not noted, and by how much */
    uint64_t half_by;
};

static inline void walk_begin(struct walk *walk, enum purpose purpose)
{
    walk->purpose = purpose;
    walk->skip = 0;
    walk->marks = cotree_mark_count;
    walk->half_at = NULL;
}

/* Where RECORDING began. */
void cotree_cursor_recorded(struct cotree_cursor *cursor, const struct cotree_recording *recording)
{
    if (recording->from != NULL) {
        cotree_copy(cursor, recording->from, sizeof *cursor);
        return;
    }
    cotree_cursor_at(cursor, &recording->caller);
    cursor->readable_from = cursor->readable_end = cursor->jumps = 0;
}

/* Counts BY frames, and notes it in *note unless that is NULL. */
static inline void count(uint32_t kind, uint64_t pc, uint64_t by, uint64_t *note)
{
    struct data_frame_count *entry = cotree_frame_count_at(kind, pc);
    if (entry == NULL)
        return;
    if (note != NULL)
        cotree_add_both(&entry->count, by, note);
    else
        __atomic_fetch_add(&entry->count, by, __ATOMIC_RELAXED);
}

void cotree_frame_count_noted(uint32_t kind, uint64_t pc, uint64_t *note)
{
    if (cotree_process.file.header != NULL)
        count(kind, pc, 1, note);
}

/* The same for the note of an interrupted recording. It must not be interrupted itself: a walk that
 * did would have two counts to remember, this one and the one that the other was making. It is
 * rare. */
static void count_for_another(uint32_t kind, uint64_t pc, uint64_t by, uint64_t *note)
{
    uint64_t mask = cotree_signals_block();
    count(kind, pc, by, note);
    cotree_signals_restore(mask);
}

static uint64_t noted(const struct walk *walk, uint64_t *note)
{
    return *note + (walk->half_at == note ? walk->half_by : 0);
}

/* The walk has met a recording that was interrupted: goes on with the frame where it began. */
__attribute__((noinline, minsize)) static void pass_recording(struct walk *walk)
{
    struct cotree_recording *met = (struct cotree_recording *)(uintptr_t)walk->at.sp;
    if (walk->skip != ALL)
        walk->skip += noted(walk, &met->frames);
    /* It was about to jump: the second return at its target was counted, but will not happen
     * now. */
    uint64_t resumes = noted(walk, &met->resumes) + noted(walk, &met->compensated);
    if (walk->purpose == PURPOSE_CUT && resumes != 0)
        count_for_another(DATA_FRAME_RESUME, met->resume_at, MINUS_ONE, &met->compensated);
    else if (walk->purpose == PURPOSE_TAKE_BACK && met->compensated != 0)
        count_for_another(DATA_FRAME_RESUME, met->resume_at, 1, &met->compensated);
    else if (walk->purpose == PURPOSE_RESUME && resumes != 0)
        count(DATA_FRAME_RESUME, met->resume_at, 1, NULL);
    walk->half_at = NULL;
    uint64_t jumps = walk->at.jumps + 1;
    cotree_cursor_recorded(&walk->at, met);
    walk->at.jumps = jumps;
    walk->at.jumped_to = 0;
    if (jumps > COTREE_JUMPS_MOST)
        walk->at.pc = 0; /* what is left of a recording leads to itself: the next step is LOST */
}

/* Passes over the frame the walk stands at, and if CALLER its caller too: they do not count, or
 * were counted. */
__attribute__((noinline)) static void skip_unwinder(struct walk *walk, bool caller)
{
    struct cotree_cursor next;
    cotree_copy(&next, &walk->at, sizeof next);
    walk->skip += cotree_code_counts(next.pc);
    if (caller && cotree_unwind(&next) == COTREE_STEP_OK)
        walk->skip += cotree_code_counts(next.pc - 1);
}

/* The walk has met the unwinder, which has counted frames that are still there. Where it stands now
 * it was perhaps about to land: that frame is left now, but not by the exception. */
__attribute__((noinline, minsize)) static void pass_unwinder(struct walk *walk)
{
    struct cotree_unwound *unwound;
    bool itself = cotree_code_counts(walk->at.pc); /* in a static program */
    switch (cotree_unwinding_at(&walk->at, &unwound)) {
    case COTREE_NOT_UNWINDING:
        return;
    case COTREE_RESUMING:
        skip_unwinder(walk, true);
        return;
    case COTREE_LANDING:
        walk->at.pc = 0; /* the next step is LOST */
        return;
    case COTREE_UNWINDING_FOUND:
        walk->skip -= itself;
        break;
    case COTREE_UNWINDING:
        break;
    }
    uint64_t frames = noted(walk, &unwound->frames), taken_back = noted(walk, &unwound->taken_back);
    walk->skip += frames;
    if (frames == unwound->before)
        return;
    walk->skip--;
    if (walk->purpose == PURPOSE_CUT && taken_back == 0)
        count_for_another(DATA_FRAME_UNWIND, unwound->last, MINUS_ONE, &unwound->taken_back);
    else if (walk->purpose == PURPOSE_TAKE_BACK && taken_back != 0)
        count_for_another(DATA_FRAME_UNWIND, unwound->last, 1, &unwound->taken_back);
    else if (walk->purpose == PURPOSE_RESUME)
        count(DATA_FRAME_UNWIND, unwound->last, 1, NULL);
}

static bool is_mark(const struct mark *mark, const struct cotree_cursor *at)
{
    for (unsigned i = 0; i < 3; i++)
        if (mark->frames[i].sp == at->sp && mark->frames[i].pc == at->pc)
            return true;
    return false;
}

/* Was it interrupted while it counted? */
__attribute__((noinline)) static void look_at_interrupted(struct walk *walk)
{
    (void)cotree_interrupted_adding(&walk->at, &walk->half_at, &walk->half_by);
}

/* What is special about the frame the walk stands at. */
__attribute__((always_inline)) static inline void look(struct walk *walk)
{
    while (__builtin_expect(walk->at.pc == (uint64_t)(uintptr_t)cotree_recorded_return, 0))
        pass_recording(walk);
    if (__builtin_expect(cotree_is_unwinder(walk->at.pc), 0) && walk->skip != ALL)
        pass_unwinder(walk);
    if (__builtin_expect(walk->marks > 0, 0) && is_mark(&marks[walk->marks - 1], &walk->at)) {
        walk->marks--;
        walk->skip = ALL;
    }
    if (__builtin_expect(walk->at.interrupted, 0))
        look_at_interrupted(walk);
}

/* Counts the frame the walk stands at, unless it was. Returns whether it was counted now. */
__attribute__((always_inline)) static inline bool count_frame(struct walk *walk, uint64_t by, uint64_t *note)
{
    bool resume = walk->purpose == PURPOSE_RESUME;
    uint32_t kind = resume ? DATA_FRAME_RESUME : DATA_FRAME_CUT;
    if (__builtin_expect(walk->at.interrupted, 0))
        kind = resume ? DATA_FRAME_RESUME_AT : DATA_FRAME_CUT_AT;
    struct data_frame_count *entry = cotree_frame_count_at(kind, walk->at.pc);
    if (entry == NULL)
        return false;
    if (walk->skip != 0) {
        walk->skip -= walk->skip != ALL;
        return false;
    }
    if (note != NULL)
        cotree_add_both(&entry->count, by, note);
    else
        __atomic_fetch_add(&entry->count, by, __ATOMIC_RELAXED);
    return true;
}

/* All frames from START outwards, or up to a mark; the first ones are put into MARK. Returns false
 * if the walk was lost. */
static bool count_all(const struct cotree_cursor *start, enum purpose purpose, uint64_t *note,
                      struct mark *mark)
{
    struct walk walk;
    enum cotree_step step;
    unsigned counted = 0;
    cotree_clear(mark, sizeof *mark);
    cotree_copy(&walk.at, start, sizeof walk.at);
    walk_begin(&walk, purpose);
    do {
        look(&walk);
        if (walk.skip == ALL)
            return true;
        if (count_frame(&walk, purpose == PURPOSE_TAKE_BACK ? MINUS_ONE : 1, note) && counted < 3) {
            mark->frames[counted].pc = walk.at.pc;
            mark->frames[counted++].sp = walk.at.sp;
        }
        step = cotree_unwind(&walk.at);
    } while (step == COTREE_STEP_OK);
    return step == COTREE_STEP_END && cotree_is_thread_start(&walk.at);
}

/* ---- endings ---- */

COTREE_RECORDED(cotree_cut_stack, cut_stack);
__attribute__((used)) static void cut_stack(const struct cotree_cursor *from, int times, void *unused,
                                            struct cotree_recording *recording)
{
    (void)unused;
    if (cotree_process.file.header == NULL)
        return;
    struct mark mark;
    __atomic_store_n(&recording->from, from, __ATOMIC_RELAXED);
    if (times > 0) {
        if (!count_all(from, PURPOSE_CUT, &recording->frames, &mark))
            cotree_frames_lost();
        if (cotree_mark_count == MARKS) {
            cotree_frames_lost();
            return;
        }
        cotree_copy(&marks[cotree_mark_count], &mark, sizeof mark); /* may meet nothing, but is taken back */
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        cotree_mark_count++;
    } else {
        uint64_t mask = cotree_signals_block();
        if (cotree_mark_count > 0)
            cotree_mark_count--;
        (void)count_all(from, PURPOSE_TAKE_BACK, NULL, &mark);
        cotree_signals_restore(mask);
    }
}

/* ---- jumps ---- */

enum found {
    FOUND, /* the walk stands at the caller of the frame that was looked for, which was counted too */
    ENDED, /* it is not on this stack */
    LOST
};

/* Counts frames from where the walk stands up to and including the one in which the address TARGET
 * lies. Stacks are not compared by address: the one of a signal handler may lie anywhere. */
static enum found count_to(struct walk *walk, uint64_t target, uint64_t by, uint64_t *note)
{
    for (;;) {
        look(walk);
        (void)count_frame(walk, by, note);
        uint64_t sp = walk->at.sp;
        enum cotree_step step = cotree_unwind(&walk->at);
        if (step != COTREE_STEP_OK)
            return step == COTREE_STEP_END ? ENDED : LOST;
        /* Between the frame that called a handler and the one that was interrupted there may be two
         * stacks. */
        if (target - sp < walk->at.sp - sp && !walk->at.interrupted)
            return FOUND;
    }
}

/* A recording or a mark that this jump leaves has counted frames beyond the target of the jump as
 * left. They stay: takes that back. */
__attribute__((minsize)) static void stay(struct walk *walk)
{
    uint64_t mask = cotree_signals_block(), left = walk->skip;
    unsigned marks_left = walk->marks;
    walk->skip = 0;
    walk->purpose = PURPOSE_TAKE_BACK;
    for (;;) {
        look(walk);
        if (walk->skip == ALL)
            break;
        if (count_frame(walk, MINUS_ONE, NULL) && left != ALL && --left == 0)
            break;
        enum cotree_step step = cotree_unwind(&walk->at);
        if (step == COTREE_STEP_LOST)
            cotree_frames_lost();
        if (step != COTREE_STEP_OK)
            break;
    }
    cotree_mark_count = marks_left;
    cotree_signals_restore(mask);
}

static void take_back(struct cotree_recording *recording)
{
    struct cotree_cursor start;
    struct mark mark;
    uint64_t mask = cotree_signals_block();
    cotree_cursor_recorded(&start, recording);
    (void)count_all(&start, PURPOSE_TAKE_BACK, NULL, &mark);
    recording->frames = 0;
    cotree_signals_restore(mask);
}

/* Counts the frames that a jump leaves. Returns whether the one it goes to was found. */
static bool leave_frames(struct cotree_recording *recording, uint64_t target)
{
    struct walk walk;
    cotree_cursor_recorded(&walk.at, recording);
    walk_begin(&walk, PURPOSE_CUT);
    walk.skip = recording->frames;
    switch (count_to(&walk, target, 1, &recording->frames)) {
    case FOUND:
        if (__builtin_expect(walk.skip != 0, 0))
            stay(&walk);
        return true;
    case ENDED: /* to another stack: it is unknown which frames are left there, and whether these are */
        take_back(recording);
        break;
    case LOST:
        break;
    }
    cotree_frames_lost();
    return false;
}

struct jump {
    struct cotree_recording *recording;
    uint64_t target, resume_at;
};

static void jump(void *argument)
{
    const struct jump *j = argument;
    struct cotree_recording *recording = j->recording;
    bool known = recording->from == NULL && cotree_mark_count == 0;
    enum cotree_links links = known ? cotree_links_count(recording, j->target) : COTREE_LINKS_NOT_SIMPLE;
    if (links != COTREE_LINKS_ALL && !leave_frames(recording, j->target))
        return;
    recording->resume_at = j->resume_at;
    count(DATA_FRAME_RESUME, j->resume_at, 1, &recording->resumes);
    if (known)
        cotree_chain_learn(recording, j->target, j->resume_at);
    if (links == COTREE_LINKS_MISSING)
        cotree_links_learn(recording, j->target);
}

void cotree_jump(struct cotree_recording *recording, uint64_t target, uint64_t resume_at)
{
    struct jump j = {recording, target, resume_at};
    if (cotree_process.file.header != NULL)
        cotree_with_room(jump, &j);
}

COTREE_RECORDED(cotree_jump_from, jump_from);
__attribute__((used)) static void jump_from(const struct cotree_cursor *from, uint64_t target,
                                            uint64_t resume_at, struct cotree_recording *recording)
{
    __atomic_store_n(&recording->from, from, __ATOMIC_RELAXED);
    cotree_jump(recording, target, resume_at);
}

void cotree_jump_back(const struct cotree_cursor *from, uint64_t target, uint64_t resume_at)
{
    struct walk walk;
    if (cotree_process.file.header == NULL)
        return;
    uint64_t mask = cotree_signals_block();
    cotree_copy(&walk.at, from, sizeof walk.at);
    walk_begin(&walk, PURPOSE_TAKE_BACK);
    if (count_to(&walk, target, MINUS_ONE, NULL) == FOUND)
        count(DATA_FRAME_RESUME, resume_at, MINUS_ONE, NULL);
    cotree_signals_restore(mask);
}

/* ---- children ---- */

void cotree_resume_stack(const struct cotree_cursor *from)
{
    struct mark mark;
    if (cotree_process.file.header != NULL && !count_all(from, PURPOSE_RESUME, NULL, &mark))
        cotree_frames_lost();
}
