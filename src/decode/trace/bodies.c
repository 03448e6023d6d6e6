#include "decode/trace/bodies.h"
#include "base/hash.h"
#include "format/map/trace.h"

/* Does the function have code of its own, not only where it was inlined? */
static bool has_code(const struct decode_module *m, uint64_t key)
{
    for (size_t i = 0; i < m->places.count; i++) {
        const struct place_code *code = &m->places.items[i];
        for (uint32_t p = 0; p < code->position_count; p++)
            if (!code->positions[p].outer && code->keys[code->positions[p].key] == key)
                return true;
    }
    return false;
}

static bool is_one_body(const struct map_function *f)
{
    return f->trace && f->flags & MAP_FUNCTION_ONE_BODY;
}

/* The only function of this name that has code, or NULL. */
static const struct map_function *find_linked(const struct decode_module *m, const char *name)
{
    const struct map_function *linked = NULL;
    for (size_t i = 0; i < m->functions.count; i++) {
        const struct map_function *f = &m->functions.items[i]->map;
        if (!is_one_body(f) || strcmp(f->name, name) || !has_code(m, f->key))
            continue;
        if (linked)
            return NULL;
        linked = f;
    }
    return linked;
}

/* Tells callers which function the module holds: calls in this module lead to it. */
static void tell_callers(struct decode_module *m)
{
    struct hash_map instead = {0};
    for (size_t i = 0; i < m->functions.count; i++) {
        const struct map_trace *t = m->functions.items[i]->map.trace;
        if (t && t->instead)
            *hash_map_put(&instead, t->id, NULL) = t->instead;
    }
    for (size_t i = 0; i < m->functions.count; i++) {
        struct map_trace *t = m->functions.items[i]->map.trace;
        for (uint32_t k = 0; t && k < t->callee_count; k++) {
            const uint64_t *linked = t->named[k] ? NULL : hash_map_get(&instead, t->callees[k]);
            if (linked)
                t->linked[k] = *linked;
        }
    }
    hash_map_release(&instead);
}

void trace_bodies_link(struct decode_module *m, const char *const *debug_paths)
{
    struct hash_map first = {0}; /* name -> id of the first */
    struct hash_map differ = {0};
    for (size_t i = 0; i < m->functions.count; i++) {
        const struct map_function *f = &m->functions.items[i]->map;
        bool added;
        if (!is_one_body(f))
            continue;
        uint64_t *id = hash_map_put(&first, hash_text(f->name), &added);
        if (added)
            *id = f->trace->id;
        else if (*id != f->trace->id)
            hash_map_put(&differ, hash_text(f->name), NULL);
    }
    bool known = differ.count && decode_module_places(m, debug_paths);
    for (size_t i = 0; differ.count && i < m->functions.count; i++) {
        struct map_function *f = &m->functions.items[i]->map;
        if (!is_one_body(f) || !hash_map_get(&differ, hash_text(f->name)))
            continue;
        const struct map_function *linked = known ? find_linked(m, f->name) : NULL;
        f->trace->instead = !linked                             ? MAP_TRACE_INSTEAD_UNKNOWN
                            : linked->trace->id != f->trace->id ? linked->trace->id
                                                                : 0;
    }
    if (differ.count)
        tell_callers(m);
    hash_map_release(&first);
    hash_map_release(&differ);
}
