/*
 * Frames that never return, and calls that return once more: each is an event (events.c).
 *
 * Everything that leaves frames behind walks the stack and counts them one by one, and may be interrupted at
 * any instruction by a signal whose handler leaves the same frames again: it ends the process, or jumps. So
 * who records has a frame of its own on the stack (cotree_recorded_call) with a note of what it has counted
 * so far; a walk that meets that frame passes over what the note covers. An ending that is complete leaves a
 * mark instead, the innermost frames it counted: the exit handler that calls _exit finds them.
 *
 * Counting an event and noting it are two instructions. The handler that comes between sees the address of
 * the second one in the frame it interrupted (cotree_half_added).
 */
#include "runtime/frames/frames.h"
#include "runtime/frames/chains.h"
#include "runtime/file/events.h"
#include "runtime/frames/links.h"
#include "runtime/runtime.h"
#include "runtime/frames/unwinders.h"

/* ---- being interrupted ---- */

/*
 * cotree_recorded_call: where entries of COTREE_RECORDED jump, with the function to call in rax. Its frame is
 * a struct cotree_recording, which goes to the function as fourth argument, with the caller's state in it.
 *
 * cotree_add_both, cotree_add_all: the note and what was counted are in registers that a walk knows.
 */
_Static_assert(sizeof(struct cotree_recording) == 104 && 104 % 16 == 8, "the assembly below");
_Static_assert(offsetof(struct cotree_recording, from) == 64, "the assembly below");
__asm__(".text\n"
        ".p2align 4\n"
        ".globl cotree_recorded_call\n"
        ".hidden cotree_recorded_call\n"
        ".type cotree_recorded_call, @function\n"
        "cotree_recorded_call:\n"
        ".cfi_startproc\n"
        "sub $104, %rsp\n"
        ".cfi_adjust_cfa_offset 104\n"
        "mov 104(%rsp), %rcx\n"
        "mov %rcx, 0(%rsp)\n"
        "lea 112(%rsp), %rcx\n"
        "mov %rcx, 8(%rsp)\n"
        "mov %rbx, 16(%rsp)\n"
        "mov %rbp, 24(%rsp)\n"
        "mov %r12, 32(%rsp)\n"
        "mov %r13, 40(%rsp)\n"
        "mov %r14, 48(%rsp)\n"
        "mov %r15, 56(%rsp)\n"
        "xor %ecx, %ecx\n"
        "mov %rcx, 64(%rsp)\n"
        "mov %rcx, 72(%rsp)\n"
        "mov %rcx, 80(%rsp)\n"
        "mov %rcx, 88(%rsp)\n"
        "mov %rcx, 96(%rsp)\n"
        "mov %rsp, %rcx\n"
        "call *%rax\n"
        ".hidden cotree_recorded_return\n"
        ".globl cotree_recorded_return\n"
        "cotree_recorded_return:\n"
        "add $104, %rsp\n"
        ".cfi_adjust_cfa_offset -104\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size cotree_recorded_call, . - cotree_recorded_call\n"

        ".p2align 4\n"
        ".globl cotree_add_both\n"
        ".hidden cotree_add_both\n"
        ".type cotree_add_both, @function\n"
        "cotree_add_both:\n"
        ".cfi_startproc\n"
        "lock addq %rsi, (%rdi)\n"
        "cotree_half_added:\n"
        "addq %rsi, (%rdx)\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size cotree_add_both, . - cotree_add_both\n"

        ".p2align 4\n"
        ".globl cotree_add_all\n"
        ".hidden cotree_add_all\n"
        ".type cotree_add_all, @function\n"
        "cotree_add_all:\n"
        ".cfi_startproc\n"
        "movq (%rdi,%rsi,8), %rax\n"
        "lock incq (%rax)\n"
        "cotree_one_more_added:\n"
        "incq %rsi\n"
        "jne cotree_add_all\n"
        "addq %rcx, (%rdx)\n"
        "cotree_all_added:\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size cotree_add_all, . - cotree_add_all\n");

extern const char cotree_recorded_return[] __attribute__((visibility("hidden")));
extern const char cotree_half_added[] __attribute__((visibility("hidden")));
extern const char cotree_one_more_added[] __attribute__((visibility("hidden")));
extern const char cotree_all_added[] __attribute__((visibility("hidden")));

bool cotree_is_special(uint64_t pc)
{
    return pc == (uint64_t)(uintptr_t)cotree_recorded_return || cotree_is_unwinder(pc);
}

/* What endings of this thread have counted: everything from the first of these frames outwards. In static
 * programs the innermost ones may be of the C library, which goes on with them to other exit handlers; they
 * have no counters, and the third one stands still. */
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
    uint64_t *half_at; /* an event that was counted but not noted, by how much */
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

/* Counts BY events, noted in *note; with NULL it is not noted. */
static inline void count(uint32_t kind, uint64_t pc, uint64_t by, uint64_t *note)
{
    struct data_event *event = cotree_event_at(kind, pc);
    if (event == NULL)
        return;
    if (note != NULL)
        cotree_add_both(&event->count, by, note);
    else
        __atomic_fetch_add(&event->count, by, __ATOMIC_RELAXED);
}

void cotree_event_noted(uint32_t kind, uint64_t pc, uint64_t *note)
{
    if (cotree_process.file.header != NULL)
        count(kind, pc, 1, note);
}

/* The same for a note that somebody else left. Not to be interrupted: a walk that interrupted it would have two
 * events to remember, this one and the one that the other was counting. It is rare. */
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
__attribute__((noinline)) static void pass_recording(struct walk *walk)
{
    struct cotree_recording *met = (struct cotree_recording *)(uintptr_t)walk->at.sp;
    if (walk->skip != ALL)
        walk->skip += noted(walk, &met->frames);
    /* It was about to jump: its target returned once more, but nobody will see that now. */
    uint64_t resumes = noted(walk, &met->resumes) + noted(walk, &met->compensated);
    if (walk->purpose == PURPOSE_CUT && resumes != 0)
        count_for_another(DATA_EVENT_RESUME, met->resume_at, MINUS_ONE, &met->compensated);
    else if (walk->purpose == PURPOSE_TAKE_BACK && met->compensated != 0)
        count_for_another(DATA_EVENT_RESUME, met->resume_at, 1, &met->compensated);
    else if (walk->purpose == PURPOSE_RESUME && resumes != 0)
        count(DATA_EVENT_RESUME, met->resume_at, 1, NULL);
    walk->half_at = NULL;
    cotree_cursor_recorded(&walk->at, met);
}

__attribute__((noinline)) /* The frame the walk stands at, and if CALLER its caller too, do not count, or were
                             counted. */
static void
skip_unwinder(struct walk *walk, bool caller)
{
    struct cotree_cursor next;
    cotree_copy(&next, &walk->at, sizeof next);
    walk->skip += cotree_code_counts(next.pc);
    if (caller && cotree_unwind(&next) == COTREE_STEP_OK)
        walk->skip += cotree_code_counts(next.pc - 1);
}

/* The walk has met the unwinder, which has counted frames that are still there. Where it stands now it was
 * perhaps about to land: that frame is left now, but not by the exception. */
__attribute__((noinline)) static void pass_unwinder(struct walk *walk)
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
        count_for_another(DATA_EVENT_UNWIND, unwound->last, MINUS_ONE, &unwound->taken_back);
    else if (walk->purpose == PURPOSE_TAKE_BACK && taken_back != 0)
        count_for_another(DATA_EVENT_UNWIND, unwound->last, 1, &unwound->taken_back);
    else if (walk->purpose == PURPOSE_RESUME)
        count(DATA_EVENT_UNWIND, unwound->last, 1, NULL);
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
    enum { RDX = 1, RCX = 2, RSI = 3 }; /* in cotree_cursor.scratch */
    const uint64_t *registers = walk->at.scratch, pc = walk->at.pc;
    uint64_t begin = (uint64_t)(uintptr_t)cotree_add_all, end = (uint64_t)(uintptr_t)cotree_all_added;
    if (pc == (uint64_t)(uintptr_t)cotree_half_added)
        walk->half_by = registers[RSI];
    else if (pc - begin < end - begin)
        walk->half_by = registers[RCX] + registers[RSI] + (pc == (uint64_t)(uintptr_t)cotree_one_more_added);
    else
        return;
    walk->half_at = (uint64_t *)(uintptr_t)registers[RDX];
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
    uint32_t kind = resume ? DATA_EVENT_RESUME : DATA_EVENT_CUT;
    if (__builtin_expect(walk->at.interrupted, 0))
        kind = resume ? DATA_EVENT_RESUME_AT : DATA_EVENT_CUT_AT;
    struct data_event *event = cotree_event_at(kind, walk->at.pc);
    if (event == NULL)
        return false;
    if (walk->skip != 0) {
        walk->skip -= walk->skip != ALL;
        return false;
    }
    if (note != NULL)
        cotree_add_both(&event->count, by, note);
    else
        __atomic_fetch_add(&event->count, by, __ATOMIC_RELAXED);
    return true;
}

/* All frames from START outwards, or up to a mark; the first ones are put into MARK. Returns false if the
 * walk was lost. */
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

/* Counts frames from where the walk stands up to and including the one in which the address TARGET lies.
 * Stacks are not compared by address: the one of a signal handler may lie anywhere. */
static enum found count_to(struct walk *walk, uint64_t target, uint64_t by, uint64_t *note)
{
    for (;;) {
        look(walk);
        (void)count_frame(walk, by, note);
        uint64_t sp = walk->at.sp;
        enum cotree_step step = cotree_unwind(&walk->at);
        if (step != COTREE_STEP_OK)
            return step == COTREE_STEP_END ? ENDED : LOST;
        /* Between the frame that called a handler and the one that was interrupted there may be two stacks.
         */
        if (target - sp < walk->at.sp - sp && !walk->at.interrupted)
            return FOUND;
    }
}

/* Somebody counted frames beyond the target of a jump as left, and was left by this jump itself: they are
 * not. */
static void stay(struct walk *walk)
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
    case ENDED: /* to another stack: who knows which frames there are left, or whether these ones are */
        take_back(recording);
        break;
    case LOST:
        break;
    }
    cotree_frames_lost();
    return false;
}

void cotree_jump(struct cotree_recording *recording, uint64_t target, uint64_t resume_at)
{
    if (cotree_process.file.header == NULL)
        return;
    bool known = recording->from == NULL && cotree_mark_count == 0;
    enum cotree_links links = known ? cotree_links_count(recording, target) : COTREE_LINKS_NOT_SIMPLE;
    if (links != COTREE_LINKS_ALL && !leave_frames(recording, target))
        return;
    recording->resume_at = resume_at;
    count(DATA_EVENT_RESUME, resume_at, 1, &recording->resumes);
    if (known)
        cotree_chain_learn(recording, target, resume_at);
    if (links == COTREE_LINKS_MISSING)
        cotree_links_learn(recording, target);
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
        count(DATA_EVENT_RESUME, resume_at, MINUS_ONE, NULL);
    cotree_signals_restore(mask);
}

/* ---- children ---- */

void cotree_resume_stack(const struct cotree_cursor *from)
{
    struct mark mark;
    if (cotree_process.file.header != NULL && !count_all(from, PURPOSE_RESUME, NULL, &mark))
        cotree_frames_lost();
}
