#include "decode/trace_frames.h"
#include "decode/resolve.h"

/* The activations at one address, innermost first; those of functions that are not traced stand for nothing.
 */
static bool add_address(const struct trace_resolver *t, uint64_t address, uint64_t number,
                        struct trace_frames *frames)
{
    bool at_call = !(number & TRACE_FRAME_INTERRUPTED);
    struct decode_module *m = t->module(t->context, (uint32_t)number);
    if (!m || !m->known)
        return true;
    if (!decode_module_places(m, t->debug_paths))
        return false;
    struct resolver r = {.module = m, .code = place_index_find(&m->places, address - at_call)};
    if (!r.code)
        return true;
    bool placed = resolve(&r, address, at_call) && !r.merged;
    for (size_t i = 0; i < r.chain.count && placed; i++) {
        const struct element *e = &r.chain.items[i];
        const uint64_t *index =
            e->f->map.trace ? hash_map_get(&t->program->by_id, e->f->map.trace->id) : NULL;
        if (index)
            ARRAY_PUSH(frames, ((struct replay_frame){.function = (uint32_t)*index - 1,
                                                      .block = e->block,
                                                      .call = e->call,
                                                      .entry = REPLAY_ENTRY_UNKNOWN}));
    }
    resolver_release(&r);
    return placed;
}

/* Whether the caller's call, in which it stands, leads to this function by name. */
static bool is_known_call(const struct trace_program *p, const struct replay_frame *caller, uint32_t callee)
{
    const struct replay_function *f = &p->functions[caller->function];
    uint32_t first = f->call_start[caller->block], calls = f->call_start[caller->block + 1] - first;
    if (!caller->call || caller->call > calls)
        return false;
    const struct replay_call *call = &f->calls[first + caller->call - 1];
    return call->kind == REPLAY_CALL_KNOWN && call->function == p->functions[callee].id;
}

bool trace_frames_resolve(const struct trace_resolver *r, const struct trace_record *records, size_t count,
                          struct trace_frames *frames)
{
    if (count && (uint32_t)records[count - 1].calls == TRACE_FRAMES_CUT)
        return false; /* how many there were is not known */
    for (size_t i = 0; i < count; i++)
        if (!add_address(r, records[i].what, records[i].calls, frames))
            return false;
    for (size_t i = 0; i < frames->count / 2; i++) {
        struct replay_frame swap = frames->items[i];
        frames->items[i] = frames->items[frames->count - 1 - i];
        frames->items[frames->count - 1 - i] = swap;
    }
    for (size_t i = 0; i < frames->count; i++)
        frames->items[i].called =
            i == 0 || !is_known_call(r->program, &frames->items[i - 1], frames->items[i].function);
    return true;
}
