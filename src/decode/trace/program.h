/* The traced functions of a program and its libraries, in the form that replay takes
 * (decode/trace/replay.h). */
#ifndef COTREE_DECODE_TRACE_PROGRAM_H
#define COTREE_DECODE_TRACE_PROGRAM_H

#include "decode/model/module.h"
#include "decode/trace/replay_places.h"
#include "format/map/map.h"

struct trace_program {
    size_t count;
    /* Of the traced functions, each id once in a module; owned by the caller. From `own` on those
     * that stand for the copies of several modules, with the map of the first. */
    const struct map_function **maps;
    size_t own;
    struct replay_function *functions;
    struct replay_places places;
    struct hash_map modules; /* address of a map -> 1 + replay_function.module */
    uint32_t *numbers;       /* for replay_name_modules */
    size_t number_count;
};

/* modules: by number in the data file; NULL: one that has no map, or is not known. They must outlive
 * the program. */
void trace_program_make(struct trace_program *p, struct decode_module *const *modules, size_t count);
/* The same of one module with these functions, traced or not. */
void trace_program_make_of(struct trace_program *p, const struct map_function *const *maps, size_t count);
/* The function as replay knows it, or GRAPH_NONE. It may have been linked elsewhere in its module. */
uint32_t trace_program_find(const struct trace_program *p, const struct map_function *map);
/* The function that a call of this id leads to in the caller's module, or GRAPH_NONE. */
uint32_t trace_program_callee(const struct trace_program *p, uint32_t caller, uint64_t id);
/* Makes what replay walks; NULL: it cannot be replayed. */
struct replay_program *trace_program_replay(const struct trace_program *p, struct error *error);
void trace_program_release(struct trace_program *p);

#endif
