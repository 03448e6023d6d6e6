#include "decode/trace/frames.h"
#include "decode/frames/call_places.h"
#include "decode/frames/resolve.h"
#include "decode/frames/stretches.h"

/* Adds the frames of a chain, the innermost first; functions that are not traced are left out. */
static void add_chain(const struct trace_resolver *t, const struct place_code *code,
                      const struct chain *chain, struct trace_frames *frames)
{
    for (size_t i = 0; i < chain->count; i++) {
        const struct activation *e = &chain->items[i];
        uint32_t index = trace_program_find(t->program, &e->f->map);
        if (index != GRAPH_NONE)
            ARRAY_PUSH(frames, ((struct replay_frame){.function = index,
                                                      .block = e->block,
                                                      .call = e->call,
                                                      .reached = 1 + e->lines,
                                                      .entry = REPLAY_ENTRY_UNKNOWN,
                                                      .code = code}));
    }
}

static void turn_round(struct trace_frames *frames, size_t first)
{
    for (size_t i = first, end = frames->count; i + 1 < end; i++) {
        struct replay_frame swap = frames->items[i];
        frames->items[i] = frames->items[--end];
        frames->items[end] = swap;
    }
}

/* Where the code is; false: the module has no table. r->ahead.code is NULL where no traced code is. */
static bool find_code(const struct trace_resolver *t, const struct trace_record *record, struct resolver *r)
{
    bool at_call = !(record->calls & TRACE_FRAME_INTERRUPTED);
    struct decode_module *m = t->module(t->context, (uint32_t)record->calls);
    if (!m || !m->known)
        return true;
    if (!decode_module_places(m, t->debug_paths))
        return false;
    *r = (struct resolver){
        .ahead = {.module = m, .code = place_index_find(&m->places, record->what - at_call)}};
    return true;
}

/* Adds the activations at one address, the innermost first. */
static bool add_address(const struct trace_resolver *t, const struct trace_record *record,
                        struct trace_frames *frames)
{
    struct resolver r = {0};
    if (!find_code(t, record, &r))
        return false;
    if (!r.ahead.code)
        return true;
    bool placed = resolver_find(&r, record->what, !(record->calls & TRACE_FRAME_INTERRUPTED)) && !r.merged;
    if (r.at < r.ahead.points.count &&
        r.ahead.points.items[r.at].events) /* it stands before an event, and it is not known where */
        placed = false;
    if (placed)
        add_chain(t, r.ahead.code, &r.chain, frames);
    resolver_release(&r);
    return placed || r.not_entered;
}

/* Does the call in which the caller stands lead to this function by name? */
static bool is_known_call(const struct trace_program *p, const struct replay_frame *caller, uint32_t callee)
{
    const struct replay_function *f = &p->functions[caller->function];
    uint32_t first = f->call_start[caller->block], calls = f->call_start[caller->block + 1] - first;
    if (!caller->call || caller->call > calls)
        return false;
    const struct replay_call *call = &f->calls[first + caller->call - 1];
    return call->kind == REPLAY_CALL_KNOWN &&
           trace_program_callee(p, caller->function, call->function) == callee;
}

bool trace_frames_resolve(const struct trace_resolver *r, const struct trace_record *records, size_t count,
                          struct trace_frames *frames)
{
    if (count && (uint32_t)records[count - 1].calls == TRACE_FRAMES_CUT)
        return false; /* it is not known how many frames there were */
    for (size_t i = 0; i < count; i++)
        if (!add_address(r, &records[i], frames))
            return false;
    turn_round(frames, 0);
    for (size_t i = 0; i < frames->count; i++)
        frames->items[i].called =
            i == 0 || !is_known_call(r->program, &frames->items[i - 1], frames->items[i].function);
    return true;
}

/* Points are tried in the order in which the code passes them. But if there are counters, the point
 * that they are taken to stand at comes first: trace and counters must not differ where both are
 * right. */
static bool counters_come_first(const struct resolver *r, bool placed)
{
    bool counts = false;
    for (size_t i = 0; placed && i < r->chain.count; i++)
        counts |= r->chain.items[i].f->set != SET_NONE;
    return counts && r->at < r->ahead.points.count;
}

/* Has the straight code that was interrupted there written an event? */
static bool is_behind_event(const struct place_code *code, uint64_t offset)
{
    bool behind = false;
    for (uint32_t i = 0; i < code->row_count && code->rows[i].offset <= offset; i++) {
        const struct place_row *row = &code->rows[i];
        bool ends = row->kind == PLACE_BRANCH || row->kind == PLACE_GOTO;
        if (row->kind == PLACE_EVENT)
            behind = true;
        else if ((ends && row->offset < offset) || row->kind == PLACE_CALL)
            behind = false;
    }
    return behind;
}

/* Adds the points that the code passes next. */
static void add_points(const struct trace_resolver *t, struct resolver *r, bool placed, uint32_t event,
                       bool behind, struct trace_standing *s)
{
    struct chain chain = {0};
    bool first_asked = counters_come_first(r, placed);
    for (size_t k = 0; k <= r->ahead.points.count; k++) {
        size_t i = k ? k - 1 : r->at;
        if (k ? first_asked && i == r->at : !first_asked)
            continue;
        size_t first = s->frames.count;
        chain.count = 0;
        if (!chain_read_before(&chain, r->ahead.module, r->ahead.code, r->ahead.points.items[i].row))
            continue;
        add_chain(t, r->ahead.code, &chain, &s->frames);
        turn_round(&s->frames, first);
        ARRAY_PUSH(&s->points, ((struct replay_point){.first = first,
                                                      .count = s->frames.count - first,
                                                      .events = (uint32_t)r->ahead.points.items[i].events,
                                                      .lost = r->ahead.lost && i >= r->ahead.lost_at,
                                                      .behind = behind}));
    }
    for (size_t i = 0; i < r->ahead.events.count; i++)
        ARRAY_PUSH(&s->pending, i || r->ahead.events.items[i] ? r->ahead.events.items[i] : event);
    ARRAY_RELEASE(&chain);
}

/* The activations themselves are no counter's. */
enum { ACTIVATION = UINT32_MAX };

static void add_passed(const struct trace_resolver *t, const struct decode_function *f,
                       struct trace_passed passed, struct trace_passed_list *list)
{
    passed.function = f ? trace_program_find(t->program, &f->map) : GRAPH_NONE;
    if (passed.function == GRAPH_NONE || !passed.times)
        return;
    for (size_t i = 0; i < list->count; i++) {
        struct trace_passed *known = &list->items[i];
        if (known->function == passed.function && known->counter == passed.counter &&
            known->beyond == passed.beyond) {
            known->times += passed.counter == ACTIVATION ? 0 : passed.times;
            return;
        }
    }
    ARRAY_PUSH(list, passed);
}

static void add_activations(const struct trace_resolver *t, const struct chain *chain, bool beyond,
                            struct trace_passed_list *list)
{
    for (size_t i = 0; i < chain->count; i++)
        add_passed(t, chain->items[i].f,
                   (struct trace_passed){.counter = ACTIVATION, .times = 1, .beyond = beyond}, list);
}

/* Adds what the stretch counts, from one of its counts to another. */
static void add_counts(const struct trace_resolver *t, const struct resolver *r, uint32_t stretch,
                       uint32_t from, uint32_t to, bool beyond, struct trace_passed_list *list)
{
    const struct place_code *code = r->ahead.code;
    for (uint32_t i = from; stretch && i < to; i++) {
        const struct place_count *count = &code->counts[code->stretches[stretch - 1] + i];
        add_passed(t, decode_module_find(r->ahead.module, code->keys[count->key]),
                   (struct trace_passed){.counter = count->counter, .times = count->by, .beyond = beyond},
                   list);
    }
}

static const struct place_position *position_at(const struct resolver *r, size_t point)
{
    return &r->ahead.code->positions[r->ahead.points.items[point].row->value - 1];
}

/* Is the stretch that of a point before this one? */
static bool is_known_stretch(const struct resolver *r, size_t point)
{
    bool known = false;
    for (size_t i = 0; i < point; i++)
        known |= position_at(r, i)->stretch == position_at(r, point)->stretch;
    return known;
}

/* Notes the activations at the point where counters stand, what its stretch counts before it, and what is
 * counted on the way there; and activations and stretches of the other points. */
static void note_passed(const struct trace_resolver *t, const struct resolver *r, struct trace_standing *s)
{
    const struct place_position *at = position_at(r, r->at);
    struct chain chain = {0};
    add_activations(t, &r->chain, false, &s->passed);
    add_counts(t, r, at->stretch, 0, at->passed, false, &s->passed);
    for (size_t i = 0; i < r->ahead.points.items[r->at].counts; i++) {
        const struct count_ahead *count = &r->ahead.counts.items[i];
        if (count->stretch != at->stretch)
            add_passed(t, decode_module_find(r->ahead.module, r->ahead.code->keys[count->key]),
                       (struct trace_passed){.counter = count->counter, .times = count->by}, &s->passed);
    }
    for (size_t i = 0; i < r->ahead.points.count; i++) {
        uint32_t stretch = position_at(r, i)->stretch;
        if (chain_read_before(&chain, r->ahead.module, r->ahead.code, r->ahead.points.items[i].row))
            add_activations(t, &chain, true, &s->passed);
        if (stretch && !is_known_stretch(r, i))
            add_counts(t, r, stretch, 0, stretch_length(r->ahead.code, stretch), true, &s->passed);
    }
    ARRAY_RELEASE(&chain);
}

/* A thunk was interrupted, maybe before it recorded which function is entered: it is one of those
 * that were inlined into it. */
static void note_entered(const struct trace_resolver *t, const struct resolver *r, bool placed,
                         struct trace_standing *s)
{
    bool enters = false;
    for (uint32_t i = 0; i < r->ahead.code->row_count; i++)
        enters |= r->ahead.code->rows[i].kind == PLACE_EVENT && r->ahead.code->rows[i].event == PLACE_ENTERS;
    s->in_thunk = enters && !placed;
    for (uint32_t k = 0; enters && k < r->ahead.code->key_count; k++) {
        const struct decode_function *f = decode_module_find(r->ahead.module, r->ahead.code->keys[k]);
        uint32_t index = f ? trace_program_find(t->program, &f->map) : GRAPH_NONE;
        if (index != GRAPH_NONE)
            ARRAY_PUSH(&s->entered, index);
    }
}

/* Finds where the youngest frame stands between calls. False: it stands in a call, or is not
 * traced. */
static bool stand_between(const struct trace_resolver *t, const struct trace_record *record,
                          struct trace_standing *s, bool *known)
{
    struct resolver r = {0};
    *known = find_code(t, record, &r);
    s->interrupted = record->calls & TRACE_FRAME_INTERRUPTED;
    if (!r.ahead.code)
        return !*known;
    bool placed = resolver_find(&r, record->what, !s->interrupted), between = !r.row;
    note_entered(t, &r, placed, s);
    if (r.not_entered) {
        *known = true;
    } else if (between && (r.ahead.points.count || !placed)) {
        bool behind = s->interrupted && is_behind_event(r.ahead.code, record->what - r.ahead.code->address);
        add_points(t, &r, placed, record->calls >> TRACE_FRAME_EVENT_SHIFT & 0xffff, behind, s);
        if (placed && r.at < r.ahead.points.count)
            note_passed(t, &r, s);
        *known = (s->points.count && !r.merged) || s->in_thunk;
    } else if (between) { /* the only place of the code */
        add_chain(t, r.ahead.code, &r.chain, &s->frames);
        turn_round(&s->frames, s->count);
        ARRAY_PUSH(&s->points,
                   ((struct replay_point){.first = s->count, .count = s->frames.count - s->count}));
    }
    resolver_release(&r);
    return between;
}

/* The code of a frame that is in a call that stands for several of the source, or NULL. */
static const struct place_code *find_merged(const struct trace_resolver *t, const struct trace_record *record)
{
    struct resolver r = {0};
    bool at_call = !(record->calls & TRACE_FRAME_INTERRUPTED);
    if (!at_call || !find_code(t, record, &r) || !r.ahead.code)
        return NULL;
    (void)resolver_find(&r, record->what, true);
    const struct place_code *code = r.merged || (r.row && r.row->value == PLACE_NONE) ? r.ahead.code : NULL;
    resolver_release(&r);
    return code;
}

bool trace_standing_resolve(const struct trace_resolver *r, const struct trace_record *records, size_t count,
                            struct trace_standing *s)
{
    struct trace_standing youngest = {0};
    s->merged = count ? find_merged(r, &records[0]) : NULL;
    bool known = true, between = count && !s->merged && stand_between(r, &records[0], &youngest, &known);
    size_t resolved = between || s->merged;
    known = known && trace_frames_resolve(r, records + resolved, count - resolved, &s->frames);
    s->count = s->frames.count;
    s->interrupted = youngest.interrupted;
    s->in_thunk = youngest.in_thunk;
    for (size_t i = 0; i < youngest.entered.count; i++)
        ARRAY_PUSH(&s->entered, youngest.entered.items[i]);
    for (size_t i = 0; known && i < youngest.frames.count; i++)
        ARRAY_PUSH(&s->frames, youngest.frames.items[i]);
    for (size_t i = 0; known && i < youngest.points.count; i++) {
        youngest.points.items[i].first += s->count;
        ARRAY_PUSH(&s->points, youngest.points.items[i]);
    }
    for (size_t i = 0; known && i < youngest.pending.count; i++)
        ARRAY_PUSH(&s->pending, youngest.pending.items[i]);
    for (size_t i = 0; known && i < youngest.passed.count; i++)
        ARRAY_PUSH(&s->passed, youngest.passed.items[i]);
    trace_standing_release(&youngest);
    return known;
}

void trace_standing_release(struct trace_standing *standing)
{
    ARRAY_RELEASE(&standing->frames);
    ARRAY_RELEASE(&standing->points);
    ARRAY_RELEASE(&standing->pending);
    ARRAY_RELEASE(&standing->passed);
    ARRAY_RELEASE(&standing->entered);
}

enum replay_made trace_made(const struct call_place *place)
{
    return (place->known && place->calls ? REPLAY_MADE_CALL : 0) |
           (place->known && place->jumps ? REPLAY_MADE_JUMP : 0) |
           (place->known && place->inlined ? REPLAY_MADE_INLINED : 0) |
           (place->known && place->merged ? REPLAY_MADE_MERGED : 0);
}
