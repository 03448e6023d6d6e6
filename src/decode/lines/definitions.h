/*
 * Which functions are instances of one definition in the source: the instances of a template, the
 * copies of an inline function in several units, the two bodies of a constructor that has virtual
 * bases. They begin at the same line of the same file. But so do a lambda and the function around
 * it, or the functions that one line of macros defines, which are different functions. Names tell
 * them apart (definitions.c says how).
 */
#ifndef COTREE_DECODE_LINES_DEFINITIONS_H
#define COTREE_DECODE_LINES_DEFINITIONS_H

#include "base/hash.h"
#include "base/memory.h"
#include "format/map/map.h"

struct definitions {
    struct hash_map places; /* file and line -> index into firsts */
    struct hash_map names;  /* file, line and name of the definition -> number */
    struct ARRAY_OF(struct definition_first {
        const struct map_function *function; /* the first that begins at that file and line */
        uint32_t number;
        bool named; /* it is in `names`: entered when a second function begins there */
    }) firsts;
    uint32_t count;
};

/* The number of the function's definition. f must live as long as the list. */
uint32_t definitions_number(struct definitions *d, const struct map_function *f);
void definitions_release(struct definitions *d);

#endif
