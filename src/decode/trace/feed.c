#include "decode/trace/feed.h"
#include "decode/trace/addresses.h"

static bool take_runs(void *context, const struct replay_run *const *runs, size_t count)
{
    struct trace_feed *f = context;
    for (size_t i = 0; i < count; i++) {
        f->done.blocks += runs[i]->block_count;
        f->done.branches += runs[i]->branch_count;
        f->done.calls += runs[i]->call_count;
    }
    if (f->listener->addresses)
        trace_addresses_runs(f->listener->addresses, runs, count);
    return !f->listener->runs || f->listener->runs(f->listener->context, runs, count);
}

static void take_cut(void *context, size_t depth)
{
    struct trace_feed *f = context;
    if (f->listener->addresses)
        trace_addresses_cut(f->listener->addresses, depth);
    if (f->listener->cut)
        f->listener->cut(f->listener->context, f->replay, depth);
}

static void take_land_behind(void *context, const struct replay_item *item)
{
    struct trace_feed *f = context;
    if (f->listener->land_behind)
        f->listener->land_behind(f->listener->context, item);
}

void trace_feed_begin(struct trace_feed *f, struct replay_program *program,
                      const struct trace_listener *listener)
{
    *f = (struct trace_feed){.program = program, .listener = listener};
    const struct replay_consumer consumer = {.context = f,
                                             .runs = listener->runs || listener->addresses ? take_runs : NULL,
                                             .cut = take_cut,
                                             .land_behind = take_land_behind};
    f->replay = replay_make(program, &consumer);
}

void trace_feed_end(struct trace_feed *f)
{
    replay_free(f->replay);
}

void trace_feed_start(struct trace_feed *f, uint64_t address)
{
    replay_begin(f->replay, address, 0);
    if (f->listener->addresses)
        trace_addresses_begin(f->listener->addresses);
    f->standing = true;
}

void trace_feed_leave(struct trace_feed *f, const char *why)
{
    replay_drop_rounds(f->replay);
    if (f->listener->leave)
        f->listener->leave(f->listener->context, f->replay, why);
    f->lost += why != NULL;
    f->standing = false;
}

bool trace_feed_restore(struct trace_feed *f, const struct buffer *sync, struct error *error)
{
    struct cursor c = cursor_over(sync->length ? sync->data : (const uint8_t *)"", sync->length);
    if (!replay_restore(f->replay, &c, error))
        return false;
    f->standing = true;
    if (f->listener->addresses)
        trace_addresses_resume(f->listener->addresses, f->replay);
    if (f->listener->resume)
        f->listener->resume(f->listener->context, f->replay, false);
    return true;
}

/* A child of fork goes on in frames that its parent made. */
static void inherit(struct trace_feed *f, const struct trace_record *record)
{
    struct trace_frames frames = {0};
    struct error error;
    struct replay_place place = {.address = record[1].calls, .calls = record->calls};
    trace_feed_leave(f, NULL);
    if (f->resolver && trace_frames_resolve(f->resolver, record + 2, (size_t)record[1].what, &frames)) {
        place.depth = frames.count;
        place.outside = true; /* in fork, which is not traced */
        f->standing = replay_resume(f->replay, &place, frames.items, &error);
    }
    ARRAY_RELEASE(&frames);
    if (!f->standing) {
        trace_feed_leave(f, "frames that were inherited through fork cannot be placed");
        replay_begin(f->replay, place.address, place.calls);
        if (f->listener->addresses)
            trace_addresses_begin(f->listener->addresses);
        f->standing = true;
        return;
    }
    if (f->listener->addresses)
        trace_addresses_resume(f->listener->addresses, f->replay);
    if (f->listener->resume)
        f->listener->resume(f->listener->context, f->replay, true);
}

static void tell_unsure(const struct trace_feed *f, uint32_t function, int64_t most, bool declare)
{
    if (f->listener->unsure)
        f->listener->unsure(f->listener->context, function, most, declare);
}

/* How often a part of the function ran at most, by the list from there on; 0 if it comes before. */
static uint64_t most_passed(const struct trace_passed_list *list, size_t from, bool beyond)
{
    uint64_t most = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct trace_passed *p = &list->items[i];
        if (p->function != list->items[from].function || (p->beyond && !beyond))
            continue;
        if (i < from)
            return 0;
        most = p->times > most ? p->times : most;
    }
    return most;
}

/* Counters stand elsewhere than replay on the way between the last event and the next branch: the
 * youngest activations may have ended meanwhile, others have begun. beyond: replay is farther. */
static void tell_between(const struct trace_feed *f, const struct trace_standing *s, size_t depth,
                         bool beyond)
{
    for (size_t i = depth; i-- > s->count;)
        tell_unsure(f, replay_frame(f->replay, i).function, 1, false);
    for (size_t i = 0; i < s->passed.count; i++) {
        uint64_t most = most_passed(&s->passed, i, beyond);
        if (most)
            tell_unsure(f, s->passed.items[i].function, most < INT64_MAX ? (int64_t)most : INT64_MAX, false);
    }
}

/* Replay goes to where control stood; false: it is not known where that was. */
static bool go_to(struct trace_feed *f, const struct trace_record *record)
{
    struct trace_standing s = {0};
    bool known = f->resolver && trace_standing_resolve(f->resolver, record + 2, (size_t)record[1].what, &s);
    const struct replay_standing standing = {.frames = s.frames.items,
                                             .count = s.count,
                                             .points = s.points.items,
                                             .point_count = s.points.count,
                                             .in_thunk = s.in_thunk,
                                             .merged = s.merged,
                                             .context = f->resolver ? f->resolver->context : NULL,
                                             .made = f->resolver ? f->resolver->made : NULL,
                                             .pending = s.pending.items,
                                             .pending_count = (uint32_t)s.pending.count};
    enum replay_arrival how = known ? replay_go_to(f->replay, &standing) : REPLAY_ASTRAY;
    bool there = how == REPLAY_ARRIVED || how == REPLAY_BEYOND || how == REPLAY_BETWEEN;
    size_t depth = replay_place(f->replay).depth;
    for (size_t i = 0; !there && i < s.entered.count; i++)
        tell_unsure(f, s.entered.items[i], 1, true);
    if (how != REPLAY_ARRIVED)
        tell_between(f, &s, depth, how == REPLAY_BEYOND);
    if (depth && s.in_thunk && !there)
        tell_unsure(f, replay_frame(f->replay, depth - 1).function, 1, true);
    trace_standing_release(&s);
    return there;
}

/* The process died there. */
static void stand(struct trace_feed *f, const struct trace_record *record)
{
    bool there = go_to(f, record);
    f->stood = true;
    f->astray |= !there;
    if (f->listener->stood)
        f->listener->stood(f->listener->context, f->replay, there);
}

/* Control went on elsewhere from there. */
static void leave_standing(struct trace_feed *f, const struct trace_record *record)
{
    bool is_inside = record[2].calls & TRACE_FRAME_INTERRUPTED, outside = replay_place(f->replay).outside;
    bool there = go_to(f, record) || (outside && !is_inside); /* then it is in the call that led outside */
    is_inside = is_inside && !replay_place(f->replay).outside;
    f->stood = true;
    if (f->listener->left)
        f->listener->left(f->listener->context, f->replay, there, is_inside);
    replay_go_outside(f->replay);
}

/* Control came back to code that is not traced. If the frames do not fit, later records will show
 * it. */
static void go_back(struct trace_feed *f, const struct trace_record *record)
{
    struct trace_frames frames = {0};
    bool fits = f->resolver &&
                trace_frames_resolve(f->resolver, record + 2, (size_t)record[1].what, &frames) &&
                replay_go_back(f->replay, &(const struct replay_standing){.frames = frames.items,
                                                                          .count = frames.count,
                                                                          .context = f->resolver->context,
                                                                          .made = f->resolver->made});
    ARRAY_RELEASE(&frames);
    if (!fits && f->listener->addresses) /* the words have a mark for it */
        trace_addresses_cut(f->listener->addresses, replay_place(f->replay).depth);
}

/* Takes a record that replay does not use. */
static void take_record(struct trace_feed *f, const struct trace_record *record)
{
    if (f->listener->addresses)
        trace_addresses_record(f->listener->addresses, record);
    if (f->listener->record)
        f->listener->record(f->listener->context, record, &f->done);
    switch (record->what) {
    case TRACE_THREAD:
        f->unended += !f->end && replay_place(f->replay).depth;
        trace_feed_leave(f, NULL);
        f->thread = (uint32_t)record[1].what;
        f->signal = 0;
        f->end = 0;
        replay_begin(f->replay, record[1].calls, record->calls);
        f->standing = true;
        break;
    case TRACE_SIGNAL:
        trace_feed_leave(f, NULL);
        f->signal = (uint32_t)record[1].what;
        replay_begin(f->replay, replay_place(f->replay).address, record->calls);
        f->standing = true;
        break;
    case TRACE_FRAMES:
        inherit(f, record);
        break;
    case TRACE_STOOD:
        stand(f, record);
        break;
    case TRACE_LEFT:
        leave_standing(f, record);
        break;
    case TRACE_BACK:
        go_back(f, record);
        break;
    case TRACE_END:
        f->end = (uint32_t)record[1].what;
        break;
    case TRACE_LOST:
        trace_feed_leave(
            f,
            record[1].what == TRACE_LOSS_CONTEXT
                ? "what a thread did after it changed stacks (swapcontext), after a signal handler made it "
                  "go on elsewhere, or after a child that shared its memory was killed is not kept"
                : "the program could not keep it");
        replay_begin(f->replay, record[1].calls, record->calls);
        f->standing = true;
        break;
    }
}

struct replay_input trace_feed_input(const struct buffer *events, const struct trace_records *records,
                                     bool goes_on)
{
    static const uint8_t no_events[1];
    static const struct trace_record no_records[1];
    struct replay_input input = {.events = events->length ? events->data : no_events,
                                 .side = records->count ? records->items : no_records,
                                 .side_goes_on = goes_on};
    input.events_end = input.events + events->length;
    input.side_end = input.side + records->count;
    return input;
}

/* Is the listener told of runs? Otherwise it sums up what was counted. */
static bool listens(const struct trace_feed *f)
{
    return f->listener->runs || f->listener->addresses;
}

/* Adds what was given out since `before`. */
static void add_done(struct trace_feed *f, struct replay_totals *before)
{
    if (listens(f))
        return;
    struct replay_totals now = replay_totals(f->program);
    f->done.blocks += now.blocks - before->blocks;
    f->done.branches += now.branches - before->branches;
    f->done.calls += now.calls - before->calls;
    *before = now;
}

enum replay_result trace_feed(struct trace_feed *f, struct replay_input *input, struct error *error)
{
    struct replay_totals before = {0};
    if (!listens(f))
        before = replay_totals(f->program);
    for (;;) {
        const uint8_t *events = input->events;
        const struct trace_record *side = input->side;
        enum replay_result result = replay_feed(f->replay, input, error);
        f->done.events += (uint64_t)(input->events - events);
        f->done.records += (uint64_t)(input->side - side);
        if (result != REPLAY_RECORD || f->listener->record)
            add_done(f, &before);
        if (result != REPLAY_RECORD)
            return result;
        size_t parts = trace_record_parts(input->side, (size_t)(input->side_end - input->side));
        if (!parts) {
            error_set(error, "a record is cut off");
            add_done(f, &before);
            return REPLAY_DAMAGED;
        }
        take_record(f, input->side);
        input->side += parts;
        f->done.records += parts;
    }
}
