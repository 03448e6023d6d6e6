/*
 * What became of a call of the source in the machine's code, by the tables of places: a call, a
 * jump (or a loop, where a function called itself), or the code of the callee. Copies of a
 * function, inlined here and there, may differ in that.
 */
#ifndef COTREE_DECODE_FRAMES_CALL_PLACES_H
#define COTREE_DECODE_FRAMES_CALL_PLACES_H

#include "decode/model/module.h"

#define CALL_LINES_UNKNOWN UINT32_MAX

struct call_place {
    /* Lines of its block that have begun when control is in the call, or CALL_LINES_UNKNOWN. */
    uint32_t lines;
    /* There is a table of the code. */
    bool known;
    /* In some copy of the code it is a call. */
    bool calls;
    /* In some copy it is a jump, or gone: nothing but the way out comes after it. */
    bool jumps;
    /* In some copy the code of the callee stands in its place. */
    bool inlined;
    /* In some copy it may be one of several calls of the source for which one call stands. */
    bool merged;
};

/* Answers are kept. Threads that share it must hold a lock when they ask. */
struct call_places {
    struct decode_module *const *modules;
    size_t count;
    const char *const *debug_paths;
    struct hash_map answers;
};

/* What became of the call (from 1) of the block. code: if something of the function is in this
 * machine function, only this copy is looked at; or NULL. */
struct call_place call_places_find(struct call_places *places, const struct decode_function *f,
                                   uint32_t block, uint32_t call, const struct place_code *code);
void call_places_release(struct call_places *places);

#endif
