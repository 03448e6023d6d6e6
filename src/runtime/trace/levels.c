/*
 * The streams of a thread: that of the code it runs, and, while it runs a signal handler, those of
 * what was interrupted. Each has a part of the stack, and writes down its frames where readers must
 * know them: in a child of fork (TRACE_FRAMES), where control will not go on (TRACE_STOOD,
 * TRACE_LEFT), and where it came back to (TRACE_BACK).
 */
#include "runtime/file/file.h"
#include "runtime/frames/unwind.h"
#include "runtime/trace/trace.h"

/* Lists the streams of the thread, innermost first. EVENTS is where the events of the first one
 * end. Returns how many there are. */
unsigned cotree_trace_levels(struct trace_own *own, uint8_t *events, struct trace_level *levels)
{
    unsigned count = 0;
    levels[count++] =
        (struct trace_level){&own->at, &own->place, own->stream, own->is_broken, events, own->at.addresses};
    for (uint32_t i = own->depth; i > 0; i--) {
        struct trace_interrupted *whom = &own->levels[i - 1];
        levels[count++] = (struct trace_level){&whom->at,       &whom->place, whom->stream,
                                               whom->is_broken, whom->events, whom->addresses};
    }
    return count;
}

/* Is there room for a record? Makes it real page by page. */
static bool has_room(const struct trace_level *level, struct trace_record *to)
{
    const struct trace_stream *stream = cotree_trace_stream(level->stream);
    uint64_t end = stream->side_address + stream->side_length;
    return (uint64_t)(uintptr_t)(to + 1) <= end &&
           ((uintptr_t)to % DATA_PAGE != 0 || cotree_in_sandbox() || cotree_trace_ready(to, sizeof *to) == 0);
}

/* Goes on to the frame that a signal interrupted; false: there is none. */
bool cotree_trace_pass_frames(struct cotree_cursor *cursor)
{
    bool more;
    while ((more = cotree_unwind(cursor) == COTREE_STEP_OK) && !cursor->interrupted)
        ;
    return more;
}

/* The event that an interrupted frame is about to store where events end, or 0. One store serves
 * several edges; which of them is taken is in the register that is stored. */
static uint64_t event_at(const struct cotree_cursor *cursor, const uint8_t *events)
{
    return cotree_stored_next(cursor, (uint64_t)(uintptr_t)events);
}

/*
 * Writes the frames from the cursor up to one that a signal interrupted, which is where the next
 * level's begin; of a level without a stream they are passed over. Returns whether there are more.
 */
bool cotree_trace_write_frames(const struct trace_level *level, enum trace_kind kind,
                               struct cotree_cursor *cursor)
{
    struct cotree_trace_thread *at = level->at;
    const bool writes = *level->place == TRACE_IN_STREAM && !level->is_broken;
    struct trace_record *head = at->side, *to = head + 2;
    bool first = true, more = false, cut = false,
         full = !writes || !has_room(level, head) || !has_room(level, head + 1);
    uint32_t count = 0;
    enum cotree_step step = COTREE_STEP_OK;
    do {
        if (cursor->interrupted && !first) {
            more = true;
            break;
        }
        first = false;
        /* A return address may lie after the code. */
        struct cotree_module *module =
            full ? NULL : cotree_trace_module_at(cursor->pc - !cursor->interrupted);
        if (module == NULL || cotree_module_in_file(module) != 0)
            continue;
        full = count == TRACE_FRAMES_MOST || !has_room(level, to);
        cut |= full;
        if (full)
            continue;
        to->what = cursor->pc - module->bias;
        to->calls = module->index;
        if (cursor->interrupted)
            to->calls |= TRACE_FRAME_INTERRUPTED | event_at(cursor, level->events) << TRACE_FRAME_EVENT_SHIFT;
        to++;
        count++;
    } while ((step = cotree_unwind(cursor)) == COTREE_STEP_OK);
    cut |= !more && step == COTREE_STEP_LOST;
    if (cut && count == 0 && writes)
        cotree_trace_flag(TRACE_FLAG_LOST);
    if (cut && count > 0)
        to[-1] = (struct trace_record){1, TRACE_FRAMES_CUT};
    if (count > 0) { /* no part begins with 0, which marks the end of records */
        head[1] = (struct trace_record){count, (uint64_t)(uintptr_t)level->events};
        head->calls = at->calls;
        __atomic_store_n(&head->what, kind, __ATOMIC_RELEASE);
        at->side = to;
    } else if (!full && kind == TRACE_BACK && has_room(level, to)) {
        const struct trace_record parts[] = {{1, (uint64_t)(uintptr_t)level->events}, {1, TRACE_FRAMES_NONE}};
        cotree_trace_write(at, kind, parts, 2);
    } else if (writes && kind == TRACE_FRAMES && has_room(level, head) && has_room(level, head + 1)) {
        const struct trace_record part = {cotree_process.pid, (uint64_t)(uintptr_t)level->events};
        cotree_trace_write(at, TRACE_THREAD, &part, 1);
    }
    return more;
}
