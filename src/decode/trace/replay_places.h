/*
 * Which function an id leads to. Modules that hold the same inline function have map records with
 * the same id, and each calls the functions it was linked with: so an id has a meaning in a module.
 * Where the module is not known, it has one if only one module has the function, or if there is a
 * function that stands for all (REPLAY_MODULE_UNKNOWN).
 */
#ifndef COTREE_DECODE_TRACE_REPLAY_PLACES_H
#define COTREE_DECODE_TRACE_REPLAY_PLACES_H

#include "base/hash.h"
#include "decode/trace/replay.h"

struct replay_places {
    struct hash_map by_place; /* by id and module: 1 + index */
    struct hash_map by_id;    /* where the module is not known: 1 + index; 0: one of several */
};

/* ambiguous: set, per function, where the module has another one with the same id, or where it is
 * not known which was linked instead of it. */
void replay_places_make(struct replay_places *p, const struct replay_function *functions, size_t count,
                        bool *ambiguous);
void replay_places_release(struct replay_places *p);
/* The index of the function, or GRAPH_NONE. */
uint32_t replay_places_find(const struct replay_places *p, uint64_t id, uint32_t module);
/* Has any module a function with this id? */
bool replay_places_know(const struct replay_places *p, uint64_t id);

#endif
