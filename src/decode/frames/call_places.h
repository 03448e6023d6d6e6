/*
 * What became of a call of the source in the machine's code, by the tables of places: a call, a jump (or a
 * loop, where a function called itself), or the callee itself. Copies of a function, inlined here and there,
 * may differ in that.
 */
#ifndef COTREE_DECODE_FRAMES_CALL_PLACES_H
#define COTREE_DECODE_FRAMES_CALL_PLACES_H

#include "decode/model/module.h"

#define CALL_LINES_UNKNOWN UINT32_MAX

struct call_place {
    uint32_t lines; /* of its block that have begun when control is in it, or CALL_LINES_UNKNOWN */
    bool known;     /* there is a table of the code */
    bool calls;     /* in some copy of the code it is a call */
    bool jumps;     /* in some a jump, or gone: nothing but the way out stands behind it */
    bool inlined;   /* in some the callee stands in its place */
    bool merged;    /* in some it may be a call that stands for several of the source */
};

/* Answers are kept: who asks from several threads has a lock. */
struct call_places {
    struct decode_module *const *modules;
    size_t count;
    const char *const *debug_paths;
    struct hash_map answers;
};

/* call: from 1; code: that of one machine function alone, if something of the function is in it. Or NULL. */
struct call_place call_places_find(struct call_places *places, const struct decode_function *f,
                                   uint32_t block, uint32_t call, const struct place_code *code);
void call_places_release(struct call_places *places);

#endif
