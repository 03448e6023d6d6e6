/* Replay: where it stands, and sync records. */
#include "decode/trace/replay_machine.h"

#include <inttypes.h>

enum { SAVE_VERSION = 3 };
#define DEPTH_MOST ((size_t)1 << 26)

void replay_flush(struct replay *r)
{
    if (r->batch_count && r->consumer.runs &&
        !r->consumer.runs(r->consumer.context, r->batch, r->batch_count))
        r->stopped = true;
    r->batch_count = 0;
}

void replay_make_room(struct replay *r)
{
    if (r->depth < r->capacity)
        return;
    r->capacity = r->capacity ? 2 * r->capacity : 64;
    RESIZE(r->stack, r->capacity);
}

struct replay *replay_make(struct replay_program *program, const struct replay_consumer *consumer)
{
    struct replay *r = ZALLOC(struct replay, 1);
    r->program = program;
    if (consumer)
        r->consumer = *consumer;
    r->depth_most = DEPTH_MOST;
    replay_begin(r, 0, 0);
    return r;
}

void replay_free(struct replay *r)
{
    if (r) {
        free(r->stack);
        free(r->lines);
        ARRAY_RELEASE(&r->doubts);
    }
    free(r);
}

void replay_begin(struct replay *r, uint64_t address, uint64_t calls)
{
    r->address = address;
    r->calls = calls;
    r->outside = true;
    r->damaged = false;
    r->depth = 0;
    r->line_count = 0;
    r->held.left = 0;
    r->doubts.count = 0;
}

void replay_limit_depth(struct replay *r, size_t depth)
{
    r->depth_most = depth;
}

struct replay_place replay_place(const struct replay *r)
{
    return (struct replay_place){
        .address = r->address, .calls = r->calls, .outside = r->outside, .depth = r->depth};
}

struct replay_frame replay_frame(const struct replay *r, size_t index)
{
    const struct activation *a = &r->stack[index];
    uint32_t state = index + 1 == r->depth && !r->outside ? r->state : a->state;
    const struct replay_state *s = &r->program->states.items[state];
    bool stood = index < r->line_count && r->lines[index].state == state;
    return (struct replay_frame){.function = s->function,
                                 .block = s->block,
                                 .call = s->call,
                                 .reached = stood ? r->lines[index].reached : 0,
                                 .called = a->called,
                                 .entry = a->entry};
}

void replay_note_lines(struct replay *r, size_t index, uint32_t reached)
{
    bool inside = index + 1 == r->depth && !r->outside;
    if (index >= r->line_count) {
        RESIZE(r->lines, index + 1);
        for (size_t i = r->line_count; i < index; i++)
            r->lines[i] = (struct activation_lines){.state = r->stack[i].state};
        r->line_count = index + 1;
    }
    r->lines[index] = (struct activation_lines){inside ? r->state : r->stack[index].state, reached};
}

/* May the frame stand in its call while `above` runs or, if that is NULL, while code that is not
 * traced runs? Control may have left for that code anywhere (TRACE_LEFT). */
static bool is_calling(const struct replay_program *p, const struct replay_frame *f,
                       const struct replay_frame *above)
{
    if (!above || above->called)
        return true;
    const struct replay_body *b = &p->bodies[f->function];
    return f->call && replay_call_at(b, f->block, f->call)->kind == REPLAY_CALL_KNOWN &&
           b->callee[b->source->call_start[f->block] + f->call - 1] == above->function;
}

bool replay_resume(struct replay *r, const struct replay_place *place, const struct replay_frame *frames,
                   struct error *error)
{
    struct replay_program *p = r->program;
    if (place->depth > r->depth_most)
        return error_set(error, "%zu activations are too many", place->depth);
    if (!place->depth && !place->outside)
        return error_set(error, "no activation, and yet control is in one");
    for (size_t i = 0; i < place->depth; i++) {
        const struct replay_frame *f = &frames[i];
        if (f->function >= p->count || f->block >= graph_exit(p->bodies[f->function].source->graph) ||
            f->call > replay_block_calls(&p->bodies[f->function], f->block))
            return error_set(error, "activation %zu is in no block", i);
        if (!i && !f->called)
            return error_set(error, "the first activation was called by nobody");
        bool top = i + 1 == place->depth;
        if ((!top || place->outside) && !is_calling(p, f, top ? NULL : &frames[i + 1]))
            return error_set(error, "activation %zu is not in the call of the next", i);
    }
    replay_begin(r, place->address, place->calls);
    for (size_t i = 0; i < place->depth; i++) {
        const struct replay_frame *f = &frames[i];
        replay_make_room(r);
        r->state = replay_state_at(p, f->function, f->block, f->call);
        r->stack[r->depth++] = (struct activation){.entry = f->entry, .state = r->state, .called = f->called};
    }
    r->outside = place->outside;
    return true;
}

void replay_save(const struct replay *r, struct buffer *out)
{
    struct hash_map numbers = {0};
    struct ids ARRAY_OF(uint64_t) ids = { 0 };
    struct numbers ARRAY_OF(uint32_t) modules = { 0 };
    struct buffer frames = {0};
    uint64_t entry = r->address;
    for (size_t i = r->depth; i-- > 0;) { /* the youngest first: entries are near the address */
        struct replay_frame f = replay_frame(r, i);
        bool added;
        uint64_t *number = hash_map_put(&numbers, f.function, &added);
        if (added) {
            *number = ids.count;
            ARRAY_PUSH(&ids, r->program->bodies[f.function].source->id);
            uint32_t module = r->program->bodies[f.function].source->module;
            ARRAY_PUSH(&modules, module == REPLAY_MODULE_UNKNOWN ? TRACE_MODULE_UNKNOWN : module);
        }
        buffer_add_varint(&frames, *number << 1 | f.called);
        buffer_add_varint(&frames, f.block);
        buffer_add_varint(&frames, f.call);
        buffer_add_signed(&frames, (int64_t)(f.entry - entry));
        entry = f.entry;
    }
    buffer_add_varint(out, SAVE_VERSION);
    buffer_add_varint(out, r->address);
    buffer_add_varint(out, r->calls);
    buffer_add_varint(out, r->outside);
    buffer_add_varint(out, ids.count);
    for (size_t i = 0; i < ids.count; i++) {
        buffer_add_u64(out, ids.items[i]);
        buffer_add_varint(out, modules.items[i]);
    }
    buffer_add_varint(out, r->depth);
    buffer_add(out, frames.data, frames.length);
    buffer_add_varint(out, r->held.left);
    if (r->held.left) {
        buffer_add_varint(out, r->held.begun);
        buffer_add_varint(out, r->address - r->held.address);
        buffer_add_varint(out, r->held.length);
        buffer_add(out, r->held.bytes, r->held.length);
    }
    hash_map_release(&numbers);
    ARRAY_RELEASE(&ids);
    ARRAY_RELEASE(&modules);
    buffer_release(&frames);
}

/* Reads which functions the frames are of. */
static bool read_functions(const struct replay *r, struct cursor *in, uint32_t *functions, size_t count,
                           struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t id = cursor_u64(in), number = cursor_varint(in);
        uint32_t module;
        if (in->failed || number > UINT32_MAX)
            return error_set(error, "the stack is damaged");
        functions[i] = replay_module(r->program, (uint32_t)number, &module)
                           ? replay_places_find(&r->program->places, id, module)
                           : GRAPH_NONE;
        if (functions[i] == GRAPH_NONE)
            return error_set(error, "the stack has a function %016" PRIx64 " that is not in any map", id);
    }
    return true;
}

static bool read_frames(struct replay *r, struct cursor *in, struct replay_place *place,
                        struct replay_frame *frames, const uint32_t *functions, size_t function_count,
                        struct error *error)
{
    uint64_t entry = place->address;
    for (size_t i = place->depth; i-- > 0;) {
        uint64_t number = cursor_varint(in), block = cursor_varint(in), call = cursor_varint(in);
        entry += (uint64_t)cursor_signed(in);
        if (in->failed || number >> 1 >= function_count || block > UINT32_MAX || call > UINT32_MAX)
            return error_set(error, "the stack is damaged");
        frames[i] = (struct replay_frame){.function = functions[number >> 1],
                                          .block = (uint32_t)block,
                                          .call = (uint32_t)call,
                                          .called = number & 1,
                                          .entry = entry};
    }
    return replay_resume(r, place, frames, error);
}

static bool read_held(struct replay *r, struct cursor *in, struct error *error)
{
    struct replay_held held;
    uint64_t left = cursor_varint(in);
    if (!left && !in->failed)
        return true;
    uint64_t begun = cursor_varint(in), distance = cursor_varint(in);
    size_t length = cursor_count(in, 1);
    const uint8_t *bytes = in->failed ? NULL : cursor_bytes(in, length);
    bool damaged;
    if (!bytes || !replay_read_rounds(&held, bytes, bytes + length, &damaged) || held.length != length ||
        left > held.left)
        return error_set(error, "the rounds are damaged");
    held.left = left;
    held.begun = begun;
    held.address = r->address - distance;
    r->held = held;
    return true;
}

bool replay_restore(struct replay *r, struct cursor *in, struct error *error)
{
    struct replay_place place;
    if (cursor_varint(in) != SAVE_VERSION || in->failed)
        return error_set(error, "the stack is of another version");
    place.address = cursor_varint(in);
    place.calls = cursor_varint(in);
    uint64_t outside = cursor_varint(in);
    place.outside = outside;
    size_t function_count = cursor_count(in, 9);
    uint32_t *functions = ALLOC(uint32_t, function_count + 1);
    bool fine = read_functions(r, in, functions, function_count, error);
    place.depth = cursor_count(in, 4);
    if (fine && (in->failed || outside > 1))
        fine = error_set(error, "the stack is damaged");
    struct replay_frame *frames = ALLOC(struct replay_frame, fine ? place.depth + 1 : 1);
    fine = fine && read_frames(r, in, &place, frames, functions, function_count, error) &&
           read_held(r, in, error);
    free(frames);
    free(functions);
    return fine;
}
