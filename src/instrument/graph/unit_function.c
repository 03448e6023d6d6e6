#include "instrument/graph/unit_function.h"
#include "base/memory.h"

void unit_functions_release(struct unit_functions *functions)
{
    for (size_t i = 0; i < functions->count; i++) {
        struct unit_function *f = functions->items[i];
        hash_map_release(&f->lines_begun);
        map_function_release(&f->map);
        function_graph_release(&f->f);
        free(f->weights);
        free(f);
    }
    hash_map_release(&functions->derived);
    ARRAY_RELEASE(functions);
}

void unit_functions_set_derived(struct unit_functions *functions, size_t index)
{
    struct unit_function *f = functions->items[index];
    f->derived = true;
    *hash_map_put(&functions->derived, map_name_tag(f->map.name), NULL) = index + 1;
}

size_t unit_functions_derived_callee(const struct unit_functions *functions,
                                     const struct unit_function *caller, uint32_t callee)
{
    const uint64_t *number = hash_map_get(&functions->derived, caller->map.callees[callee]);
    return number && functions->items[*number - 1]->derived ? *number - 1 : SIZE_MAX;
}

void unit_functions_walk(struct unit_functions *functions, unit_function_visitor *done,
                         unit_function_visitor *cycle, void *context)
{
    size_t count = functions->count, depth = 0;
    enum { NEW, ON_WAY, DONE };
    uint8_t *state = ZALLOC(uint8_t, count + 1);
    struct step {
        size_t index;
        uint32_t next;
    } *way = ALLOC(struct step, count + 1);
    for (size_t root = 0; root < count; root++) {
        if (state[root] != NEW)
            continue;
        state[root] = ON_WAY;
        way[depth++] = (struct step){.index = root};
        while (depth) {
            struct step *at = &way[depth - 1];
            const struct unit_function *f = functions->items[at->index];
            if (f->counted && at->next < f->map.callee_count) {
                size_t callee = unit_functions_derived_callee(functions, f, at->next++);
                if (callee == SIZE_MAX || state[callee] == DONE)
                    continue;
                if (state[callee] == ON_WAY) {
                    if (cycle)
                        cycle(functions, callee, context);
                    continue;
                }
                state[callee] = ON_WAY;
                way[depth++] = (struct step){.index = callee};
                continue;
            }
            state[at->index] = DONE;
            depth--;
            if (done)
                done(functions, way[depth].index, context);
        }
    }
    free(state);
    free(way);
}
