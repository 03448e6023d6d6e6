/*
 * Programs that are collected in parts (plan/parts/slices.h): COTREE_PART=2/4 makes this process the
 * second of four copies of a run. Code of the program changes the thread's x, and comes here when a
 * turn ends.
 *
 * By what is noted at the end, readers know whether the copies did the same: how many switch points
 * were passed, and where. Each copy knows where its own slices begin and end; where one hands on to
 * another both do, and add a hash of the place to a sum.
 */
#include "plan/parts/slices.h"
#include "runtime/runtime.h"

#ifdef COTREE_RUNTIME_SHARED

bool cotree_parts_choose(const char *text)
{
    (void)text;
    return true;
}
void cotree_parts_start(void) {}
void cotree_parts_begin_thread(char *thread)
{
    (void)thread;
}
void cotree_parts_describe(struct data_header *header)
{
    (void)header;
}
void cotree_parts_doubt(uint32_t why)
{
    (void)why;
}
void cotree_parts_end(void) {}
bool cotree_in_part(void)
{
    return false;
}

#else

/* Programs that have code for parts have one that is not 0, before which this gives way. (gold does
 * not do well with what may be missing.) */
extern const char cotree_is_in_parts;
const char cotree_is_in_parts __attribute__((weak, visibility("hidden"))) = 0;

/* What code of the program reads and changes. Until the runtime has started all is counted, by all
 * copies: there is nothing yet to tell them apart (DATA_PARTS_NOT_STARTED). */
__thread int64_t cotree_part_x __attribute__((tls_model("local-exec"), visibility("hidden"))) = PARTS_ALWAYS;

/* The rest of a thread's state. */
struct part_thread {
    uint64_t next, phase;
    uint64_t threads; /* that it has begun */
    int64_t turn;     /* x when this turn began */
    uint64_t passed;  /* switch points before this turn */
    uint64_t handed_on, taken_over;
};
static __thread struct part_thread own __attribute__((tls_model("local-exec")));

static uint32_t part, parts, doubt;

bool cotree_in_part(void)
{
    return parts != 0;
}

/* A number, and what follows it. */
static uint64_t number_in(const char **text)
{
    uint64_t number = 0;
    for (; **text >= '0' && **text <= '9' && number <= PARTS_MOST; (*text)++)
        number = 10 * number + (uint64_t)(**text - '0');
    return number;
}

bool cotree_parts_choose(const char *text)
{
    if (cotree_same_text(text, "off")) {
        cotree_process.off = true;
        return true;
    }
    uint64_t which = number_in(&text);
    if (*text++ != '/')
        return false;
    uint64_t of = number_in(&text);
    if (*text != '\0' || which == 0 || which > of || of > PARTS_MOST)
        return false;
    if (cotree_is_in_parts == 0)
        return true; /* all of it is counted */
    part = (uint32_t)which;
    parts = (uint32_t)of;
    return true;
}

static uint64_t points_of(int64_t x)
{
    return (uint64_t)(x < 0 ? -x : x + 1);
}

static void begin(struct part_thread *thread, int64_t *x, uint64_t phase)
{
    struct parts_state state;
    parts_begin(&state, phase, part - 1, parts);
    *thread = (struct part_thread){.next = state.next, .phase = phase, .turn = state.x};
    *x = state.x;
}

void cotree_parts_start(void)
{
    if (cotree_process.off) {
        cotree_part_x = PARTS_NEVER;
        return;
    }
    if (parts == 0)
        return;
    if (cotree_part_x != PARTS_ALWAYS)
        doubt |= DATA_PARTS_NOT_STARTED;
    begin(&own, &cotree_part_x, PARTS_PHASE_OF_FIRST);
}

/* A new thread has the same offsets from its control block as this one. */
void cotree_parts_begin_thread(char *thread)
{
    char *self = __builtin_thread_pointer();
    int64_t *x = (int64_t *)(void *)(thread + ((char *)&cotree_part_x - self));
    if (parts == 0) {
        *x = cotree_part_x < 0 ? PARTS_ALWAYS : PARTS_NEVER;
        return;
    }
    cotree_parts_doubt(DATA_PARTS_THREAD);
    begin((struct part_thread *)(void *)(thread + ((char *)&own - self)), x,
          parts_mix(own.phase + ++own.threads));
}

/* Code of the program comes here when its x has left a turn, with the number of the switch
 * point. */
__attribute__((preserve_most)) void cotree_part_switch(uint64_t point);
__attribute__((preserve_most)) void cotree_part_switch(uint64_t point)
{
    bool counted = own.turn < 0;
    if (parts == 0) { /* after more switch points than there can be */
        cotree_part_x = counted ? PARTS_ALWAYS : PARTS_NEVER;
        return;
    }
    struct parts_state state = {.next = own.next, .phase = own.phase};
    uint64_t here = parts_mix(parts_mix(own.phase + own.next) + point);
    own.passed += points_of(own.turn);
    bool counts = parts_begin_turn(&state, part - 1, parts);
    if (counted && !counts)
        own.handed_on += here;
    else if (counts && !counted)
        own.taken_over += here;
    own.next = state.next;
    own.turn = cotree_part_x = state.x;
}

void cotree_parts_describe(struct data_header *header)
{
    header->part = part;
    header->parts = parts;
    header->parts_doubt = doubt;
}

void cotree_parts_doubt(uint32_t why)
{
    struct data_header *header = cotree_process.file.header;
    doubt |= why;
    if (header != NULL && parts != 0)
        __atomic_fetch_or(&header->parts_doubt, why, __ATOMIC_RELAXED);
}

/* The process is about to end, and its file not sealed yet. */
void cotree_parts_end(void)
{
    struct data_header *header = cotree_process.file.header;
    if (header == NULL || parts == 0)
        return;
    header->switch_points = own.passed + points_of(own.turn) - points_of(cotree_part_x);
    header->handed_on = own.handed_on;
    header->taken_over = own.taken_over;
}

#endif
