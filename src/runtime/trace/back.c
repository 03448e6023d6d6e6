/*
 * Control that comes back to code which is not traced, by a jump or an exception. Where it lands in
 * traced code, that code says so (cotree_trace_land). Elsewhere the trace would not show it, and
 * activations that were left would seem to be there. So the frames that are left over are written
 * down (TRACE_BACK):
 *  - by longjmp, before it jumps, unless traced code has landed there before and said so;
 *  - where an exception is caught, unless traced code was the last to say that it landed. (Not in
 *    static programs, which do not see catches: watched_catch.c.)
 */
#include "runtime/frames/unwind.h"
#include "runtime/trace/trace.h"

#ifdef COTREE_RUNTIME_SHARED

void cotree_trace_landed(struct trace_own *own, uint64_t sp, bool by_jump)
{
    (void)own, (void)sp, (void)by_jump;
}

void cotree_trace_back(const struct cotree_cursor *to)
{
    (void)to;
}

void cotree_trace_throws(void) {}

bool cotree_trace_catches(void)
{
    return false;
}

#else

/* Return addresses of setjmp in traced code, as far as they were landed at. One overwrites another:
 * then frames are written down that need not be. */
#define LANDINGS 256u
static uint64_t landings[LANDINGS];

static uint64_t *landing_of(uint64_t resume_at)
{
    return &landings[(resume_at ^ resume_at >> 8) % LANDINGS];
}

/* Control has landed in traced code, which had this stack pointer. */
void cotree_trace_landed(struct trace_own *own, uint64_t sp, bool by_jump)
{
    own->has_landed = true;
    if (by_jump && own->landing_at != 0 && own->landing_sp == sp)
        __atomic_store_n(landing_of(own->landing_at), own->landing_at, __ATOMIC_RELAXED);
    own->landing_at = 0;
}

static void write_frames(struct trace_own *own, struct cotree_cursor *cursor)
{
    bool locked = cotree_forks_now();
    uint64_t mask = locked ? 0 : cotree_lock();
    own->at.events = cotree_trace_events_end(own);
    own->at.addresses = cotree_trace_addresses_end(own);
    const struct trace_record *before = own->at.side;
    const struct trace_level level = {&own->at,       &own->place,    own->stream,
                                      own->is_broken, own->at.events, own->at.addresses};
    (void)cotree_trace_write_frames(&level, TRACE_BACK, cursor);
    if (own->at.side != before)
        cotree_trace_mark(own, TRACE_MARK_LAND);
    if (!locked)
        cotree_unlock(mask);
}

/* The thread leaves the frames from FROM on, for the frame in whose part of the stack TARGET
 * lies. */
void cotree_trace_lands(const struct cotree_caller *from, uint64_t target, uint64_t resume_at)
{
    struct trace_own *own = &cotree_trace_thread;
    struct cotree_cursor at = {0}, landing;
    if (!cotree_trace_may_leave_frames(own))
        return;
    own->landing_at = resume_at;
    own->landing_sp = target;
    if (__atomic_load_n(landing_of(resume_at), __ATOMIC_RELAXED) == resume_at)
        return;
    cotree_cursor_at(&at, from);
    do {
        landing = at;
        if (cotree_unwind(&at) != COTREE_STEP_OK)
            return;
    } while (target < landing.sp || target >= at.sp);
    write_frames(own, &landing);
}

void cotree_trace_back(const struct cotree_cursor *to)
{
    struct cotree_cursor at = *to;
    if (cotree_trace_may_leave_frames(&cotree_trace_thread))
        write_frames(&cotree_trace_thread, &at);
}

void cotree_trace_throws(void)
{
    cotree_trace_thread.has_landed = false;
}

/* An exception is caught. Has no traced code said so? */
bool cotree_trace_catches(void)
{
    struct trace_own *own = &cotree_trace_thread;
    bool unseen = !own->has_landed && cotree_trace_may_leave_frames(own);
    own->has_landed = false;
    return unseen;
}

#endif
