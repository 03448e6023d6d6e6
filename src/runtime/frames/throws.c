/*
 * Exceptions: every frame that one passes, and the one it lands in, is counted as UNWIND, at the
 * return address of the call it stood at (format/data/layout.h). So is every frame that
 * pthread_exit or cancellation leaves: the C library has the unwinder of C++ do that, too.
 *
 * The unwinder looks every frame up before it does anything with it. The runtime interposes the
 * function that it asks (_dl_find_object of the loader; _Unwind_Find_FDE in static programs), and
 * sees one question a frame:
 *
 *   _Unwind_RaiseException     itself | the frames up to the handler, to find it | the same again,
 *                              to go there
 *   _Unwind_Resume             itself | the frame that has cleaned up, counted before | the rest
 *   _Unwind_ForcedUnwind       itself | all frames, until one cleans up or the stack ends
 *   _Unwind_Resume_or_Rethrow  the same, if it was forced; else it calls _Unwind_RaiseException
 *   _Unwind_Backtrace          itself | frames that stay
 *
 * So it does not matter in which languages the frames are written, and which of them catches. A
 * question belongs to the pass whose questions come from the same address and the same depth of the
 * stack; the first question of a pass is about the unwinder's own function. Frames that were
 * counted are on the stack until the exception lands: a walk of the stack meanwhile (std::terminate
 * was called, a signal came) asks cotree_unwinding_at how many these are.
 *
 * Clean-up handlers of C (pthread_cleanup_push) are a setjmp: when forced unwinding reaches its
 * frame, the C library jumps there.
 *
 * Where a clean-up is left inside one machine function, because functions were inlined, the
 * unwinder is not asked. There the compiler calls cotree_exception_goes_on.
 */
#include "runtime/file/file.h"
#include "runtime/frames/frames.h"
#include "runtime/frames/short_tables.h"
#include "runtime/frames/unwinders.h"
#include "runtime/interpose.h"
#include "runtime/loader/objects.h"

void cotree_exception_goes_on(void);

/* Called by compiled code at the end of a clean-up, in a function that was inlined. */
__attribute__((noinline)) void cotree_exception_goes_on(void)
{
    uint64_t pc = (uint64_t)(uintptr_t)__builtin_return_address(0);
    if (cotree_host != NULL)
        cotree_host->frame_count(DATA_FRAME_GOES_ON, pc);
    else
        cotree_frame_count(DATA_FRAME_GOES_ON, pc);
}

#ifdef COTREE_RUNTIME_SHARED

void cotree_throws_start(void) {}
enum cotree_unwinding cotree_unwinding_at(struct cotree_cursor *at, struct cotree_unwound **unwound)
{
    (void)at, (void)unwound;
    return COTREE_NOT_UNWINDING;
}

#else

INTERPOSED_WEAKLY(int, _Unwind_RaiseException, (void *))
INTERPOSED_WEAKLY(void, _Unwind_Resume, (void *))
INTERPOSED_WEAKLY(void, __pthread_register_cancel, (void *))
INTERPOSED_WEAKLY(void, __pthread_unregister_cancel, (void *))
INTERPOSED_WEAKLY(void, __pthread_unwind_next, (void *))
#ifdef COTREE_RUNTIME_STATIC
INTERPOSED_WEAKLY(const void *, _Unwind_Find_FDE, (void *, void *))
int __real__Unwind_RaiseException(void *) __attribute__((weak));
void __real__Unwind_Resume(void *) __attribute__((weak));
const void *__real__Unwind_Find_FDE(void *, void *) __attribute__((weak));
#else
struct dl_find_object; /* older headers do not have it */
INTERPOSED_WEAKLY(int, _dl_find_object, (void *, struct dl_find_object *))
#endif

/* ---- passes ---- */

enum phase {
    PHASE_NONE,
    PHASE_BEGUN,     /* the unwinder has looked itself up */
    PHASE_SEARCHING, /* for a handler, or looking only */
    PHASE_LEAVING,   /* frames are left */
};

/* The frame that called _Unwind_RaiseException or _Unwind_Resume last: when the unwinder prepares
 * the landing, it overwrites what it saved of it. */
__thread struct cotree_caller cotree_unwind_caller
    __attribute__((visibility("hidden"), tls_model("local-exec")));

struct pass {
    uint64_t begun;              /* the larger, the later; 0: never */
    uint64_t caller, sp;         /* of the questions */
    uint64_t low, length;        /* where the unwinder's own functions are */
    uint64_t pc_begun, sp_begun; /* the first question: about the function itself, after its first call */
    uint64_t first;              /* frame, if it will be looked at again */
    struct cotree_unwound unwound;
    struct cotree_caller unwinder_caller; /* RAISE, RESUME */
    uint64_t jump; /* so many frames further it jumps to a clean-up handler of C; 0: it does not */
    uint8_t kind, phase, unwinder;
    bool interrupted; /* the next frame was interrupted by a signal */
};

/* A signal handler may use the unwinder while it is at work, or while this code is: then there are
 * several passes. Each stays where it is, so that an interrupted pass goes on with its own. */
#define PASSES 4u

/* What pthread_cleanup_push of C keeps: a jmp_buf, and the buffer that was there before. */
struct cleanup_buffer {
    uint64_t registers[8], mask_was_saved;
    struct cleanup_buffer *before;
    void *reserved[3];
};

static __thread struct {
    struct pass passes[PASSES]; /* may be over */
    uint64_t begun;             /* the largest of these */
    unsigned current;           /* the one that was asked for last */
    bool ends;                  /* the thread does, as far as is known */
    bool is_foreign;            /* the program itself unwinds the thread, for whatever end */
    struct cleanup_buffer *buffer;
} thread __attribute__((tls_model("local-exec")));

#define NEAR 0x400u        /* questions of one pass are not further apart: bytes of stack */
#define ASKS_WITHIN 0x800u /* nor further from the function that began it */

static bool is_near(uint64_t a, uint64_t b)
{
    return a - b < NEAR || b - a < NEAR;
}

static inline struct pass *current_pass(void)
{
    return &thread.passes[thread.current];
}
static inline void make_current(const struct pass *pass)
{
    thread.current = (unsigned)(pass - thread.passes);
}

/* A place for a pass that begins at SP: of one that stood there, which is over, or else of the
 * oldest. */
static struct pass *take_place(uint64_t sp)
{
    struct pass *place = current_pass();
    for (struct pass *one = thread.passes; !is_near(place->sp_begun, sp) && one != thread.passes + PASSES;
         one++)
        if (is_near(one->sp_begun, sp) || one->begun < place->begun)
            place = one;
    /* First of all: from now on no signal handler takes it. */
    __atomic_store_n(&place->begun, ++thread.begun, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    __atomic_store_n(&place->phase, PHASE_NONE, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return place;
}

/* Where the functions of unwinders stand while frames are left, return addresses: before they
 * prepare the landing, which spoils their own frame. */
static uint64_t leaving_at[UNWINDERS][KINDS];

__attribute__((noinline, minsize)) static void learn_leaving(const struct pass *pass)
{
    struct cotree_cursor at;
    CURSOR_HERE(&at);
    do {
        if (cotree_unwinder_kind_at(at.pc, FUNCTION_LENGTH) == pass->kind) {
            leaving_at[pass->unwinder][pass->kind] = at.pc;
            return;
        }
    } while (cotree_unwind(&at) == COTREE_STEP_OK);
    leaving_at[pass->unwinder][pass->kind] = 1; /* nowhere */
}

/* How many frames from the unwinder outwards the clean-up handler of C is; 0: there is none. */
__attribute__((minsize)) static uint64_t frames_to_jump(enum kind kind)
{
    struct cotree_cursor at;
    uint64_t frames = 0, target = cotree_unmangled(thread.buffer->registers[COTREE_KEPT_STACK]), sp;
    bool outside = false;
    CURSOR_HERE(&at);
    do {
        outside = outside || cotree_unwinder_kind_at(at.pc, FUNCTION_LENGTH) == kind;
        frames += outside;
        sp = at.sp;
        if (cotree_unwind(&at) != COTREE_STEP_OK)
            return 0;
    } while (!outside || target < sp || target >= at.sp);
    return frames - 1; /* without the unwinder */
}

/* Is the address in the C library, which ends threads by forced unwinding? */
static bool is_in_c_library(uint64_t pc)
{
#ifdef COTREE_RUNTIME_STATIC
    (void)pc;
    return true;
#else
    struct object one, other;
    return cotree_object_at((uint64_t)(uintptr_t)REAL(__pthread_unwind_next), &one) &&
           cotree_object_at(pc - 1, &other) && one.start == other.start;
#endif
}

/* A thread ends, or the program unwinds it itself: all frames will be left. Where the walk does not
 * come to the start of the thread, there are frames that nothing will ask about. */
__attribute__((noinline, minsize)) static void begin_forced(void)
{
    struct cotree_cursor here, at;
    bool outside = false, found = false;
    enum cotree_step step;
    CURSOR_HERE(&here);
    cotree_copy(&at, &here, sizeof at);
    do {
        bool unwinder = cotree_unwinder_kind_at(at.pc, FUNCTION_LENGTH) == FORCED;
        if (outside && !unwinder && !found) {
            thread.is_foreign = !is_in_c_library(at.pc);
            found = true;
        }
        outside = outside || unwinder;
        step = cotree_unwind(&at);
    } while (step == COTREE_STEP_OK);
    if (step != COTREE_STEP_END || !cotree_is_thread_start(&at))
        cotree_frames_lost();
    if (cotree_traces())
        cotree_trace_hooks.unwinds(&here);
}

static void begin_pass(enum kind kind, uint64_t pc, uint64_t sp, uint64_t caller)
{
    struct pass *pass = take_place(sp);
    pass->caller = caller;
    for (unsigned u = 0; u < UNWINDERS; u++)
        if (pc - cotree_unwinder_code[u].low < cotree_unwinder_code[u].length) {
            pass->low = cotree_unwinder_code[u].low;
            pass->length = cotree_unwinder_code[u].length;
            pass->unwinder = (uint8_t)u;
        }
    pass->pc_begun = pc + 1;
    pass->sp_begun = sp;
    pass->unwound.before = pass->unwound.frames = cotree_code_counts(pc); /* of a static program: itself */
    pass->unwound.taken_back = 0;
    pass->unwinder_caller = cotree_unwind_caller;
    pass->jump = 0;
    pass->kind = (uint8_t)kind;
    pass->interrupted = false;
    thread.ends = thread.ends || kind == FORCED;
    if (thread.buffer != NULL && thread.ends && kind != RAISE)
        pass->jump = frames_to_jump(kind);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    pass->phase = PHASE_BEGUN;
    make_current(pass);
    if (kind == FORCED)
        begin_forced();
}

/* The unwinder leaves the frame at PC, or lands there. */
static void leave(struct pass *pass, uint64_t pc)
{
    struct cotree_unwound *unwound = &pass->unwound;
    uint64_t before = unwound->frames;
    if (__builtin_expect(leaving_at[pass->unwinder][pass->kind] == 0, 0))
        learn_leaving(pass);
    __atomic_store_n(&unwound->before, before, __ATOMIC_RELAXED);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (__builtin_expect(!pass->interrupted, 1)) {
        __atomic_store_n(&unwound->last, pc + 1, __ATOMIC_RELAXED);
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        cotree_frame_count_noted(DATA_FRAME_UNWIND, pc + 1, &unwound->frames);
    } else {
        struct cotree_cursor frame = {.pc = pc, .interrupted = true};
        pass->interrupted = false;
        cotree_frame_count_noted(DATA_FRAME_CUT_AT, pc, &unwound->frames);
        unwound->before = unwound->frames;
        /* If it lands there, some of the functions that were inlined are not left; which ones, is
         * not known. */
        if (unwound->frames != before && cotree_has_landing_pad(&frame))
            cotree_frames_lost();
    }
    if (__builtin_expect(pass->jump != 0, 0) && --pass->jump == 0)
        cotree_frame_count(DATA_FRAME_RESUME, cotree_unmangled(thread.buffer->registers[COTREE_KEPT_RETURN]));
}

/*
 * Questions about functions of the unwinder: is one by the function that it is about? An unwinder
 * that a signal has interrupted is a frame like any other to the one that is used in the handler,
 * and so is _Unwind_Resume_or_Rethrow to _Unwind_RaiseException, which it calls.
 *
 * The stack tells, and what it looked like is remembered: the words above this frame that are the
 * return addresses of the functions between, up to the one that asks. All of these have frames of
 * one size, so where a return address is follows from the one below: if all are what they were, the
 * same function asks.
 */
#define BETWEEN_MAX 4u
#define QUESTIONS_MAX 16u
static struct question {
    uint32_t state;      /* enum; those that are known stay as they are */
    uint32_t count;      /* of words */
    uint64_t pc, caller; /* of the question */
    bool about_itself;
    uint8_t kind; /* of the function that asks about itself */
    struct {
        uint64_t distance, value;
    } words[BETWEEN_MAX];
} questions[QUESTIONS_MAX];
enum { QUESTION_UNKNOWN, QUESTION_BEING_WRITTEN, QUESTION_KNOWN };

static inline bool is_asked_as_before(const struct question *question, uint64_t sp)
{
    for (uint32_t i = 0; i < question->count; i++)
        if (*(const uint64_t *)(uintptr_t)(sp + question->words[i].distance) != question->words[i].value)
            return false;
    return true;
}

static inline const struct question *known_question(uint64_t pc, uint64_t sp, uint64_t caller)
{
    for (const struct question *one = questions; one != questions + QUESTIONS_MAX; one++) {
        uint32_t state = __atomic_load_n(&one->state, __ATOMIC_ACQUIRE);
        if (state == QUESTION_UNKNOWN)
            return NULL;
        if (state == QUESTION_KNOWN && one->pc == pc && one->caller == caller && is_asked_as_before(one, sp))
            return one;
    }
    return NULL;
}

/* Takes a place for a question, which a jump may leave untaken for ever. NULL: there is none. */
static struct question *new_question(void)
{
    for (struct question *one = questions; one != questions + QUESTIONS_MAX; one++) {
        uint32_t unknown = QUESTION_UNKNOWN;
        if (__atomic_compare_exchange_n(&one->state, &unknown, QUESTION_BEING_WRITTEN, false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return one;
    }
    return NULL;
}

/* A question of no known pass. Looks further up than the function that asks only if that is none of
 * the unwinder's. */
__attribute__((noinline, minsize)) static bool looks_itself_up(uint64_t pc, uint64_t sp, uint64_t caller)
{
    struct cotree_cursor at;
    struct question seen = {.pc = pc, .caller = caller};
    bool is_simple = true, is_between = false;
    CURSOR_HERE(&at);
    do {
        if (is_between) {
            is_simple = is_simple && seen.count < BETWEEN_MAX;
            if (is_simple) {
                seen.words[seen.count].distance = at.sp - 8 - sp;
                seen.words[seen.count++].value = at.pc;
            }
        }
        is_between = is_between || at.pc == caller;
        if (cotree_unwinder_kind_at(at.pc, FUNCTION_LENGTH) != NO_KIND) {
            seen.about_itself = at.pc - 1 == pc;
            seen.kind = (uint8_t)cotree_unwinder_kind_at(pc, ITSELF_LENGTH);
            struct question *to = is_between && is_simple ? new_question() : NULL;
            if (to != NULL) {
                seen.state = QUESTION_BEING_WRITTEN;
                cotree_copy(to, &seen, sizeof seen);
                __atomic_store_n(&to->state, QUESTION_KNOWN, __ATOMIC_RELEASE);
            }
            return seen.about_itself;
        }
        struct cotree_shape shape;
        is_simple = is_simple && (!is_between ||
                                  (cotree_frame_shape(&at, &shape) && shape.cfa_register == COTREE_SHAPE_SP));
    } while (cotree_unwind(&at) == COTREE_STEP_OK);
    return true;
}

enum meaning { NOT_MINE, STAYS, LEFT };

/* A frame of the program is looked at for the first time since the pass began, or since it began to
 * leave. */
static inline enum meaning meaning_of_first(struct pass *pass, uint64_t pc, uint64_t sp)
{
    pass->sp = sp;
    if (pass->phase == PHASE_SEARCHING) {
        pass->phase = PHASE_LEAVING;
        return LEFT;
    }
    pass->first = pass->kind == RAISE ? pc : 0;
    if (pass->kind == RESUME) { /* it has left by itself */
        pass->unwound.before = pass->unwound.frames += cotree_code_counts(pc);
        pass->jump -= pass->jump != 0;
    }
    pass->phase = pass->kind == RAISE || pass->kind == BACKTRACE ? PHASE_SEARCHING : PHASE_LEAVING;
    return pass->kind == FORCED || pass->kind == RETHROW ? LEFT : STAYS;
}

/* What a question about a frame means to a pass. */
static enum meaning meaning_of(struct pass *pass, uint64_t pc, uint64_t sp, uint64_t caller)
{
    if (pass->phase == PHASE_NONE || caller != pass->caller)
        return NOT_MINE;
    bool begun = pass->phase == PHASE_BEGUN;
    bool begins_to_leave = pass->phase == PHASE_SEARCHING && pc == pass->first && is_near(sp, pass->sp);
    if (begun ? !is_near(sp, pass->sp_begun) : sp != pass->sp && !begins_to_leave)
        return NOT_MINE;
    if (cotree_unwinder_kind_at(pc, ITSELF_LENGTH) != NO_KIND && looks_itself_up(pc, sp, caller))
        return NOT_MINE; /* another one begins: this one was left by a jump, or is long over */
    if (begun || begins_to_leave)
        return meaning_of_first(pass, pc, sp);
    return pass->phase == PHASE_LEAVING ? LEFT : STAYS;
}

/* Is this a frame of an unwinder that leaves frames itself? Its stop function ends the thread, or a
 * signal came. */
static bool passes_another(uint64_t pc)
{
    enum kind kind = cotree_unwinder_kind_at(pc, FUNCTION_LENGTH);
    return kind == FORCED || kind == RAISE || kind == RESUME;
}

/* A question that does not simply go on. Returns the pass that leaves the frame, if one does. */
__attribute__((noinline, minsize)) static struct pass *classify(uint64_t pc, uint64_t sp, uint64_t caller)
{
    if (cotree_unwinder_is_tested())
        return NULL;
    struct pass *pass = current_pass();
    enum meaning meaning = meaning_of(pass, pc, sp, caller);
    for (unsigned i = 0; i < PASSES && meaning == NOT_MINE; i++) { /* a signal handler may have returned */
        pass = &thread.passes[i];
        meaning = meaning_of(pass, pc, sp, caller);
    }
    if (meaning != NOT_MINE) {
        make_current(pass);
        /* It passes over an unwinder that was at work: frames further out may be counted
         * already. */
        if (meaning == LEFT && cotree_is_unwinder(pc) && passes_another(pc))
            cotree_frames_lost();
        return meaning == LEFT ? pass : NULL;
    }
    enum kind kind = cotree_unwinder_kind_at(pc, ITSELF_LENGTH);
    if (kind != NO_KIND) {
        if (known_question(pc, sp, caller) == NULL)
            (void)looks_itself_up(pc, sp, caller); /* to know it next time */
        begin_pass(kind, pc, sp, caller);
    }
#ifndef COTREE_RUNTIME_STATIC
    else if (!cotree_unwinder_is_near(caller)) {
        if (cotree_unwinder_find_loaded(RTLD_LAZY | RTLD_NOLOAD))
            return classify(pc, sp, caller);
        if (cotree_code_counts(pc))
            cotree_frames_lost(); /* an unwinder that is not known */
    }
#endif
    return NULL;
}

/* The same, most often: a pass that is alone begins, has begun, or begins to leave. */
__attribute__((noinline)) static struct pass *classify_usual(uint64_t pc, uint64_t sp, uint64_t caller)
{
    struct pass *pass = current_pass();
    if (cotree_is_unwinder(pc)) {
        const struct question *question = known_question(pc, sp, caller);
        if (question == NULL || (question->about_itself && question->kind == NO_KIND))
            return classify(pc, sp, caller);
        if (question->about_itself) {
            begin_pass((enum kind)question->kind, pc, sp, caller);
            return NULL;
        }
    }
    if (caller == pass->caller &&
        ((pass->phase == PHASE_BEGUN && is_near(sp, pass->sp_begun)) ||
         (pass->phase == PHASE_SEARCHING && pc == pass->first && is_near(sp, pass->sp))))
        return meaning_of_first(pass, pc, sp) == LEFT ? pass : NULL;
    return classify(pc, sp, caller);
}

/* A frame is looked up. Returns the pass that leaves it, if one does. */
static inline struct pass *left_by(uint64_t pc, uint64_t sp, uint64_t caller)
{
    struct pass *pass = current_pass();
    if (__builtin_expect(sp == pass->sp && caller == pass->caller && pc != pass->first &&
                             pc - pass->low >= pass->length && pass->phase >= PHASE_SEARCHING,
                         1))
        return pass->phase == PHASE_LEAVING ? pass : NULL;
    return classify_usual(pc, sp, caller);
}

static bool is_pass_of(const struct pass *pass, enum kind kind, const struct cotree_cursor *at)
{
    return pass->phase == PHASE_LEAVING && pass->kind == kind && at->pc > pass->pc_begun &&
           at->sp - pass->sp_begun < ASKS_WITHIN;
}

/* Moves the cursor to the caller of the unwinder, from what was saved. */
static bool find_caller(const struct pass *pass, struct cotree_cursor *at)
{
    const struct cotree_caller *caller = &pass->unwinder_caller;
    if ((pass->kind != RAISE && pass->kind != RESUME) || at->sp >= caller->sp ||
        caller->sp - at->sp > ASKS_WITHIN)
        return false;
    cotree_cursor_at(at, caller);
    return true;
}

__attribute__((minsize)) enum cotree_unwinding cotree_unwinding_at(struct cotree_cursor *at,
                                                                   struct cotree_unwound **unwound)
{
    struct pass *pass = NULL;
    enum kind kind = cotree_unwinder_kind_at(at->pc, FUNCTION_LENGTH);
    if (kind == NO_KIND)
        return COTREE_NOT_UNWINDING;
    for (struct pass *one = thread.passes; one != thread.passes + PASSES; one++)
        if (is_pass_of(one, kind, at) && (pass == NULL || one->begun > pass->begun))
            pass = one;
    if (pass == NULL) {
        /* The stack pointer is already that of the frame where the exception lands. */
        for (unsigned u = 0; u < UNWINDERS && at->interrupted; u++)
            if (leaving_at[u][kind] != 0 && at->pc - leaving_at[u][kind] < FUNCTION_LENGTH)
                return COTREE_LANDING;
        return kind == RESUME ? COTREE_RESUMING : COTREE_NOT_UNWINDING;
    }
    *unwound = &pass->unwound;
    if (at->pc == leaving_at[pass->unwinder][kind])
        return COTREE_UNWINDING;
    return find_caller(pass, at) ? COTREE_UNWINDING_FOUND : COTREE_LANDING;
}

/*
 * The thread ends, and nothing describes the frame at PC: the unwinder gives up there, and the C
 * library jumps over the frames further out, to a clean-up handler of C or to the start of the
 * thread.
 */
__attribute__((noinline, minsize)) static void leave_rest(struct pass *pass, uint64_t pc)
{
    struct cotree_cursor here;
    if (pass->kind == RAISE)
        return;
    if (cotree_is_signal_return(pc + 1)) { /* the unwinder knows it by its instructions */
        pass->interrupted = true;
        return;
    }
    if (thread.is_foreign) {
        cotree_frames_lost();
        return;
    }
    CURSOR_HERE(&here);
    pass->jump = 0;
    if (thread.buffer != NULL)
        cotree_jump_from(&here, cotree_unmangled(thread.buffer->registers[COTREE_KEPT_STACK]),
                         cotree_unmangled(thread.buffer->registers[COTREE_KEPT_RETURN]));
    else
        cotree_cut_stack(&here, 1);
}

#define HERE (uint64_t)(uintptr_t)__builtin_frame_address(0), (uint64_t)(uintptr_t)__builtin_return_address(0)
#define MUSTTAIL __attribute__((musttail))

#ifdef COTREE_RUNTIME_STATIC

__attribute__((noinline)) static const void *find_left(void *address, void *bases, struct pass *pass)
{
    uint64_t pc = (uint64_t)(uintptr_t)address;
    leave(pass, pc);
    const void *found = REAL(_Unwind_Find_FDE)(address, bases);
    if (__builtin_expect(thread.ends, 0) && found == NULL)
        leave_rest(pass, pc);
    if (found != NULL && cotree_is_signal_return(pc + 1))
        pass->interrupted = true;
    return found;
}

const void *INTERPOSE(_Unwind_Find_FDE)(void *address, void *bases)
{
    struct pass *pass = left_by((uint64_t)(uintptr_t)address, HERE);
    if (pass != NULL)
        return find_left(address, bases, pass);
    MUSTTAIL return REAL(_Unwind_Find_FDE)(address, bases);
}

#else

__attribute__((noinline)) static int find_left(void *address, struct dl_find_object *answer,
                                               struct pass *pass)
{
    uint64_t pc = (uint64_t)(uintptr_t)address;
    leave(pass, pc);
    struct cotree_found_object *object = (void *)answer;
    if (cotree_short_table(pc, object))
        return 0;
    int result = REAL(_dl_find_object)(address, answer);
    if (__builtin_expect(thread.ends, 0) && (result != 0 || cotree_described_function(pc) == 0))
        leave_rest(pass, pc);
    if (result != 0 || pc < object->start || pc + 9 >= object->end)
        return result;
    if (cotree_is_signal_return(pc + 1))
        pass->interrupted = true;
    else
        cotree_short_table_learn(pc, object);
    return result;
}

int INTERPOSE(_dl_find_object)(void *address, struct dl_find_object *answer)
{
    uint64_t pc = (uint64_t)(uintptr_t)address;
    struct pass *pass = left_by(pc, HERE);
    if (pass != NULL)
        return find_left(address, answer, pass);
    /* Only the unwinder gets a short table; others are told what they ask for. */
    if (current_pass()->caller == (uint64_t)(uintptr_t)__builtin_return_address(0) &&
        cotree_short_table(pc, (void *)answer))
        return 0;
    MUSTTAIL return REAL(_dl_find_object)(address, answer);
}

#endif

/* ---- throws and clean-ups ---- */

#ifndef COTREE_RUNTIME_STATIC
/* The unwinder may have been loaded after the program. */
__attribute__((noinline, cold)) static cotree_type__Unwind_RaiseException find_raise(void)
{
    if (REAL(_Unwind_RaiseException) == NULL)
        cotree_next__Unwind_RaiseException =
            (cotree_type__Unwind_RaiseException)(uintptr_t)cotree_unwinder_function("_Unwind_RaiseException");
    (void)cotree_unwinder_find_loaded(RTLD_LAZY | RTLD_NOLOAD);
    return cotree_next__Unwind_RaiseException;
}
#endif

/* Every throw of every language comes here. */
__attribute__((visibility("hidden"), used)) int cotree_raise(void *exception);
int cotree_raise(void *exception)
{
    cotree_flag(DATA_FLAG_THROWN);
    if (cotree_traces())
        cotree_trace_hooks.throws();
#ifdef COTREE_RUNTIME_STATIC
    if (&REAL(_Unwind_RaiseException) == NULL)
        return 5;
#else
    static bool known;
    if (__builtin_expect(!__atomic_load_n(&known, __ATOMIC_RELAXED), 0)) {
        cotree_type__Unwind_RaiseException real = find_raise();
        if (real == NULL)
            return 5; /* _URC_END_OF_STACK: it is not caught */
        if (cotree_unwinder_is_known((uint64_t)(uintptr_t)real))
            __atomic_store_n(&known, true, __ATOMIC_RELAXED);
        else
            cotree_only_noted(); /* an unwinder that does not ask */
    }
#endif
    MUSTTAIL return REAL(_Unwind_RaiseException)(exception);
}

__attribute__((naked)) int INTERPOSE(_Unwind_RaiseException)(__attribute__((unused)) void *exception)
{
    COTREE_SAVE_CALLER_BODY(cotree_unwind_caller, cotree_raise);
}

/* At the end of a clean-up. */
__attribute__((visibility("hidden"), used)) void cotree_resume(void *exception);
void cotree_resume(void *exception)
{
    if (cotree_traces())
        cotree_trace_hooks.throws();
#ifndef COTREE_RUNTIME_STATIC
    if (__builtin_expect(REAL(_Unwind_Resume) == NULL, 0))
        cotree_next__Unwind_Resume =
            (cotree_type__Unwind_Resume)(uintptr_t)cotree_unwinder_function("_Unwind_Resume");
#endif
    MUSTTAIL return REAL(_Unwind_Resume)(exception);
}

__attribute__((naked)) void INTERPOSE(_Unwind_Resume)(__attribute__((unused)) void *exception)
{
    COTREE_SAVE_CALLER_BODY(cotree_unwind_caller, cotree_resume);
}

void INTERPOSE(__pthread_register_cancel)(void *buffer)
{
    REAL(__pthread_register_cancel)(buffer);
    thread.buffer = buffer;
}

void INTERPOSE(__pthread_unregister_cancel)(void *buffer)
{
    thread.buffer = ((struct cleanup_buffer *)buffer)->before;
    MUSTTAIL return REAL(__pthread_unregister_cancel)(buffer);
}

/* A clean-up handler of C has run. */
void INTERPOSE(__pthread_unwind_next)(void *buffer)
{
    thread.buffer = ((struct cleanup_buffer *)buffer)->before;
    MUSTTAIL return REAL(__pthread_unwind_next)(buffer);
}

/* The unwinder is used in signal handlers: everything is looked up now. */
void cotree_throws_start(void)
{
#ifndef COTREE_RUNTIME_STATIC
    RESOLVE(_dl_find_object);
    RESOLVE(__pthread_register_cancel);
    RESOLVE(__pthread_unregister_cancel);
    RESOLVE(__pthread_unwind_next);
#endif
    cotree_unwinders_start();
}

#endif
