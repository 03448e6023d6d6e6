#include "decode/trace/addresses.h"

#include <inttypes.h>

enum { WINDOW = 1 << 14 };
/* What comes next, if it is not a mark. */
enum { AN_ADDRESS = 0, NOTHING = -1, DAMAGE = -2, NO_MARK = -3, UNKEPT = -4 };

void trace_addresses_init(struct trace_addresses *a, const struct trace_program *program)
{
    *a = (struct trace_addresses){.program = program, .slots = ALLOC(size_t, program->count + 1)};
    a->slots[0] = 0;
    for (size_t i = 0; i < program->count; i++) {
        const struct map_function *f = program->maps[i];
        const struct map_trace *t = f->trace;
        uint32_t blocks = graph_exit(&f->graph);
        a->slots[i + 1] = a->slots[i] + (t->accesses ? t->accesses->first[t->first[blocks] + blocks] : 0);
    }
    trace_word_model_init(&a->reader.model, trace_addresses_slots(a));
    a->is_packed = true; /* of a chunk without words */
}

void trace_addresses_release(struct trace_addresses *a)
{
    free(a->slots);
    free(a->words);
    ARRAY_RELEASE(&a->stack);
    ARRAY_RELEASE(&a->found);
    trace_word_reader_release(&a->reader);
}

size_t trace_addresses_slots(const struct trace_addresses *a)
{
    return a->slots[a->program->count];
}

static void fail(struct trace_addresses *a, const char *what)
{
    if (a->failed)
        return;
    a->failed = true;
    const struct trace_access_place *top = a->stack.count ? &a->stack.items[a->stack.count - 1] : NULL;
    if (top)
        error_set(&a->error,
                  "has addresses that do not fit its program: %s, in function %016" PRIx64 ", block %" PRIu32,
                  what, a->program->functions[top->function].id, top->block);
    else
        error_set(&a->error, "has addresses that do not fit its program: %s", what);
}

/* ---- Words ---- */

/* From here on nothing is kept. */
static void begin_gap(struct trace_addresses *a)
{
    if (!a->gaps++)
        a->kept = a->loads + a->stores;
    a->unkept = true;
}

void trace_addresses_from_file(struct trace_addresses *a, const struct trace_events *events, uint32_t stream,
                               bool unkept)
{
    trace_words_begin(&a->source, events, stream);
    a->is_packed = false;
    a->at = a->count = 0;
    a->unkept = unkept;
}

bool trace_addresses_from_chunk(struct trace_addresses *a, const struct buffer *packed, bool unkept)
{
    if (unkept && !a->unkept)
        begin_gap(a);
    a->unkept = unkept;
    a->is_packed = true;
    if (!packed->length) { /* the chunk has no words */
        a->reader.left = a->reader.marks_left = 0;
        return true;
    }
    return trace_word_reader_begin(&a->reader, packed->data, packed->length);
}

uint64_t trace_addresses_position(struct trace_addresses *a)
{
    uint64_t address = trace_words_address(&a->source);
    return address ? address - (a->count - a->at) * sizeof *a->words : 0;
}

static int next_in_stream(struct trace_addresses *a)
{
    if (a->is_packed)
        return trace_word_reader_next(&a->reader);
    if (a->at == a->count) {
        if (!a->words)
            a->words = ALLOC(uint64_t, WINDOW);
        a->at = 0;
        a->count = trace_words_read(&a->source, a->words, WINDOW);
        if (!a->count)
            return NOTHING;
    }
    uint64_t mark = a->words[a->at] - TRACE_MARK_WORD(0);
    return mark && mark < TRACE_MARKS ? (int)mark : AN_ADDRESS;
}

static void take_mark(struct trace_addresses *a, int mark);

static int next_word(struct trace_addresses *a)
{
    int next = a->unkept ? UNKEPT : next_in_stream(a);
    bool no_region = next == NOTHING && !a->is_packed && a->source.region.unkept;
    if (next != TRACE_MARK_NO_ROOM && !no_region)
        return next;
    if (!no_region)
        take_mark(a, next);
    else if (a->writer)
        trace_word_writer_mark(a->writer, TRACE_MARK_NO_ROOM);
    begin_gap(a);
    return UNKEPT;
}

static void take_mark(struct trace_addresses *a, int mark)
{
    if (a->is_packed)
        trace_word_reader_take_mark(&a->reader);
    else
        a->at++;
    if (a->writer)
        trace_word_writer_mark(a->writer, (enum trace_mark)mark);
}

static bool take_address(struct trace_addresses *a, size_t slot, uint64_t *address)
{
    if (a->is_packed) {
        if (!trace_word_reader_take(&a->reader, slot, address))
            return false;
    } else {
        *address = a->words[a->at++] - TRACE_WORD_MORE;
    }
    if (a->writer)
        trace_word_writer_add(a->writer, slot, *address);
    return true;
}

/* ---- Accesses ---- */

static const struct map_trace *trace_of(const struct trace_addresses *a, uint32_t function)
{
    return a->program->maps[function]->trace;
}

static struct trace_access_place *top_of(struct trace_addresses *a)
{
    return a->stack.count ? &a->stack.items[a->stack.count - 1] : NULL;
}

/* The first access after so many calls of the block. */
static uint32_t access_at(const struct map_trace *t, uint32_t block, uint32_t call)
{
    uint32_t calls = t->first[block + 1] -
                     t->first[block]; /* replay has one call more in blocks that send exceptions on */
    return t->accesses ? t->accesses->first[map_trace_access_place(t, block, call < calls ? call : calls)]
                       : 0;
}

static uint32_t block_end(const struct map_trace *t, uint32_t block)
{
    return t->accesses ? t->accesses->first[map_trace_access_place(t, block + 1, 0)] : 0;
}

static void enter_block(const struct trace_addresses *a, struct trace_access_place *p, uint32_t block,
                        uint32_t call)
{
    p->block = block;
    p->call = call;
    p->next = access_at(trace_of(a, p->function), block, call);
}

static void push(struct trace_addresses *a, uint32_t function, uint32_t block, uint32_t call)
{
    struct trace_access_place place = {.function = function};
    enter_block(a, &place, block, call);
    ARRAY_PUSH(&a->stack, place);
}

static void give(struct trace_addresses *a, uint64_t address, const struct trace_access_place *p,
                 uint32_t what)
{
    if (!a->writer) /* a packer does not look at them */
        ARRAY_PUSH(&a->found, ((struct trace_access){.address = address,
                                                     .item = a->item,
                                                     .function = p ? p->function : 0,
                                                     .block = p ? p->block : 0,
                                                     .size = what >> 2,
                                                     .kind = (enum map_access_kind)(what & 3)}));
    a->loads += p && (what & 3) != MAP_STORE;
    a->stores += p && (what & 3) != MAP_LOAD;
    a->others += !p;
}

static void take_next(struct trace_addresses *a, struct trace_access_place *p)
{
    uint64_t address;
    if (!take_address(a, a->slots[p->function] + p->next, &address)) {
        fail(a, "they are damaged");
        return;
    }
    give(a, address, p, trace_of(a, p->function)->accesses->items[p->next]);
    p->next++;
}

/* Takes the accesses of the activation before access number `end`. */
static void take_until(struct trace_addresses *a, struct trace_access_place *p, uint32_t end)
{
    while (p->next < end && !a->failed) {
        int next = next_word(a);
        if (next == UNKEPT || (next != AN_ADDRESS && a->is_dying))
            p->next = end;
        else if (next != AN_ADDRESS)
            fail(a, "one is missing");
        else
            take_next(a, p);
    }
}

static void complete_block(struct trace_addresses *a, struct trace_access_place *p)
{
    take_until(a, p, block_end(trace_of(a, p->function), p->block));
}

/* Takes the accesses up to the call of the block that replay went into. */
static void take_known_call(struct trace_addresses *a, struct trace_access_place *p)
{
    const struct map_trace *t = trace_of(a, p->function);
    uint32_t calls = t->first[p->block + 1] - t->first[p->block];
    while (p->call < calls)
        if (map_trace_call(t, p->block, ++p->call) >= MAP_TRACE_KNOWN)
            break;
    take_until(a, p, access_at(t, p->block, p->call));
}

/* The activation that wrote the next word: the youngest that records addresses. */
static struct trace_access_place *find_writer(struct trace_addresses *a)
{
    for (size_t i = a->stack.count; i-- > 0;)
        if (trace_of(a, a->stack.items[i].function)->accesses)
            return &a->stack.items[i];
    return NULL;
}

/* A function that records addresses was entered: the words before its mark are its caller's. */
static void take_entry(struct trace_addresses *a)
{
    struct trace_access_place *p = find_writer(a);
    uint64_t address;
    a->is_dying = false;
    while (!a->failed && next_word(a) == AN_ADDRESS) {
        if (!p && take_address(a, trace_addresses_slots(a),
                               &address)) /* it is of a frame whose position could not be found */
            give(a, address, NULL, 0);
        else if (!p || p->next >= block_end(trace_of(a, p->function), p->block))
            fail(a, "there are too many before a call");
        else
            take_next(a, p);
    }
    if (!a->failed && next_word(a) == TRACE_MARK_BEGIN)
        take_mark(a, TRACE_MARK_BEGIN);
    if (a->unkept)
        return;
    if (!a->failed && next_word(a) != TRACE_MARK_ENTER)
        fail(a, "there is none where a function was entered");
    if (!a->failed)
        take_mark(a, TRACE_MARK_ENTER);
}

/* ---- After the last event ---- */

/* The only successor of the block, if the edge to it writes nothing: control may have gone
 * there. */
static uint32_t only_successor(const struct map_function *f, uint32_t block)
{
    uint32_t to = GRAPH_NONE;
    for (uint32_t e = 0; e < f->graph.edge_count; e++) {
        const struct edge *edge = &f->graph.edges[e];
        if (edge->from != block || edge->kind == EDGE_ENTRY || !map_trace_edge(f, e))
            continue;
        if (to != GRAPH_NONE || edge->kind != EDGE_FLOW || map_trace_writes(f->trace, e))
            return GRAPH_NONE;
        to = edge->to;
    }
    return to;
}

/* Moves on to the block of the next access, as far as that is certain. */
static struct trace_access_place *wander(struct trace_addresses *a)
{
    struct trace_access_place *p;
    for (size_t steps = 0; (p = top_of(a)) && steps < 1000; steps++) {
        const struct map_function *f = a->program->maps[p->function];
        const struct map_trace *t = f->trace;
        uint32_t calls = t->first[p->block + 1] - t->first[p->block];
        if (p->next < (p->call < calls ? access_at(t, p->block, p->call + 1) : block_end(t, p->block)))
            return p;
        if (p->call < calls) {
            uint32_t kind = map_trace_call(t, p->block, ++p->call);
            if (kind == MAP_TRACE_JUMP)
                return NULL;
            if (kind >= MAP_TRACE_KNOWN) {
                uint32_t callee = trace_program_callee(a->program, p->function, map_trace_callee(t, kind));
                if (callee == GRAPH_NONE)
                    return NULL;
                push(a, callee, GRAPH_ROOT, 0);
            }
            continue;
        }
        uint32_t to = t->resumes[p->block] ? GRAPH_NONE : only_successor(f, p->block);
        if (to == GRAPH_NONE)
            return NULL;
        enter_block(a, p, to, 0);
    }
    return NULL;
}

/* Takes everything before the mark, or to the end of the words. The caller cuts the stack
 * afterwards. */
static void drain(struct trace_addresses *a, int mark)
{
    size_t depth = a->stack.count;
    struct trace_access_place before = depth ? a->stack.items[depth - 1] : (struct trace_access_place){0};
    bool lost = false;
    int next;
    while (!a->failed && (next = next_word(a)) != mark && next != NOTHING && next != UNKEPT &&
           next != TRACE_MARK_BEGIN) {
        if (next == DAMAGE) {
            fail(a, "they are damaged");
            break;
        }
        if (next != AN_ADDRESS) {
            take_mark(a, next);
            lost = true;
            continue;
        }
        struct trace_access_place *p = lost ? NULL : wander(a);
        uint64_t address;
        if (p)
            take_next(a, p);
        else if (take_address(a, trace_addresses_slots(a), &address))
            give(a, address, NULL, 0);
        lost |= !p;
    }
    if (!a->failed && next_word(a) == mark)
        take_mark(a, mark);
    a->stack.count = depth;
    if (depth)
        a->stack.items[depth - 1] = before;
}

/* ---- What replay tells ---- */

void trace_addresses_begin(struct trace_addresses *a)
{
    a->stack.count = 0;
    a->failed = a->is_dying = false;
}

void trace_addresses_resume(struct trace_addresses *a, const struct replay *replay)
{
    trace_addresses_begin(a);
    size_t depth = replay_place(replay).depth;
    for (size_t i = 0; i < depth; i++) {
        struct replay_frame frame = replay_frame(replay, i);
        push(a, frame.function, frame.block, frame.call);
    }
}

static void take_item(struct trace_addresses *a, const struct replay_item *item)
{
    struct trace_access_place *top = top_of(a);
    switch (item->kind) {
    case REPLAY_FLOW:
        if (top) {
            complete_block(a, top);
            enter_block(a, top, item->block, 0);
        }
        break;
    case REPLAY_ENTER:
        if (top)
            take_known_call(a, top);
        push(a, item->function, GRAPH_ROOT, 0);
        break;
    case REPLAY_ENTER_CALLED:
        if (trace_of(a, item->function)->accesses)
            take_entry(a);
        push(a, item->function, GRAPH_ROOT, 0);
        break;
    case REPLAY_LEAVE:
        if (top) {
            complete_block(a, top);
            a->stack.count--;
        }
        break;
    case REPLAY_LAND:
    case REPLAY_LAND_BEHIND:
        if (top)
            enter_block(a, top, item->block, item->call);
        break;
    }
}

void trace_addresses_runs(struct trace_addresses *a, const struct replay_run *const *runs, size_t count)
{
    a->found.count = 0;
    a->item = 0;
    for (size_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < runs[i]->item_count && !a->failed; k++, a->item++)
            take_item(a, &runs[i]->items[k]);
}

void trace_addresses_cut(struct trace_addresses *a, size_t depth)
{
    a->found.count = 0;
    a->item = 0;
    a->is_dying = false;
    drain(a, TRACE_MARK_LAND);
    if (a->stack.count > depth)
        a->stack.count = depth;
}

void trace_addresses_record(struct trace_addresses *a, const struct trace_record *record)
{
    static const int marks[] = {[TRACE_THREAD] = TRACE_MARK_THREAD,
                                [TRACE_SIGNAL] = TRACE_MARK_SIGNAL,
                                [TRACE_LOST] = TRACE_MARK_LOST};
    a->found.count = 0;
    a->item = 0;
    a->is_dying |= record->what == TRACE_STOOD || record->what == TRACE_LEFT;
    int mark = record->what < sizeof marks / sizeof *marks ? marks[record->what] : 0;
    if (!mark)
        return;
    drain(a, mark);
    a->unkept &= record->what == TRACE_LOST;
    a->is_dying = false;
    a->stack.count = 0;
}

void trace_addresses_settle(struct trace_addresses *a, const struct replay *replay)
{
    a->found.count = 0;
    a->item = 0;
    size_t depth = replay_place(replay).depth;
    if (depth != a->stack.count)
        fail(a, "activations are others");
    for (size_t i = 0; i < depth && !a->failed; i++) {
        struct replay_frame frame = replay_frame(replay, i);
        struct trace_access_place *p = &a->stack.items[i];
        take_until(a, p, access_at(trace_of(a, p->function), frame.block, frame.call));
        p->call = frame.call;
    }
}

void trace_addresses_tail(struct trace_addresses *a)
{
    a->found.count = 0;
    a->item = 0;
    drain(a, NO_MARK);
}

bool trace_addresses_any(struct trace_addresses *a)
{
    return !a->unkept && next_in_stream(a) != NOTHING;
}

bool trace_addresses_used_up(const struct trace_addresses *a)
{
    return !a->is_packed || trace_word_reader_next(&a->reader) == NOTHING;
}
