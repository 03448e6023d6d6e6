/*
 * A caller's record names the keys of derived functions that it calls. A key is the hash of a
 * record, which may name more keys itself: so records are written callees first. That is possible
 * since no cycle of calls consists of derived functions alone (count/derived.c, rule 4).
 */
#include "instrument/graph/records.h"
#include "base/memory.h"

static void write_function(struct unit_functions *functions, size_t index, void *context)
{
    struct buffer *payload = context;
    struct unit_function *f = functions->items[index];
    for (uint32_t i = 0; f->counted && i < f->map.callee_count; i++) {
        size_t callee = unit_functions_derived_callee(functions, f, i);
        if (callee == SIZE_MAX)
            continue;
        RESIZE(f->map.derived, (size_t)f->map.derived_count + 1);
        f->map.derived[f->map.derived_count++] =
            (struct map_derived){.callee = i, .key = functions->items[callee]->map.key};
    }
    map_write_function(payload, &f->map);
}

void records_write(struct buffer *payload, struct unit_functions *functions)
{
    unit_functions_walk(functions, write_function, NULL, payload);
}
