/*
 * Final functions (format/map/final.h) while files are read: the counters of one file, the frames
 * that stayed at their points, and from these how often each stretch ran. What its stretches count
 * for the functions of the map is added to those functions' file.counters, once for each file.
 *
 *     struct decode_final *f = decode_module_final(m, key);
 *     f->counters[2] += 7;                      while a file is read
 *     f->gains[point] -= 1;                     a frame stayed there
 *     finals_spread(m, touch, context);         adds all to the functions
 *     finals_suppose(m);                        if not all frames are known
 *     finals_drop(m);                           f->counters and f->gains are empty again
 */
#ifndef COTREE_DECODE_MODEL_FINALS_H
#define COTREE_DECODE_MODEL_FINALS_H

#include "base/memory.h"
#include "format/map/final.h"
#include "graph/flow.h"

struct decode_function;
struct decode_module;

/* What flow alone tells of a function: a frame of the final function changes its counts by so much
 * at most, if it is not known where it stood. */
struct final_unsure {
    uint64_t key;
    int64_t error;
};

struct decode_final {
    struct final_function map;
    uint32_t counter_count;
    uint32_t *counter_of; /* by edge, if that is counted */
    struct flow_order order;
    bool ordered;
    struct ARRAY_OF(struct final_unsure) unsure;
    bool unsure_known;
    /* Of the file being read; NULL: the file does not have it. gains: graph/flow.h. */
    int64_t *counters, *gains;
};

/* Takes the record, which is empty afterwards. */
void decode_module_add_final(struct decode_module *m, struct final_function *map);
/* The final function with this key; NULL: there is none. */
struct decode_final *decode_module_final(const struct decode_module *m, uint64_t key);
void decode_final_release(struct decode_final *f);

/* Makes room for the file's counters and gains, all 0, unless there is room. */
void decode_final_touch(struct decode_final *f);

/* Adds what stretches counted to the functions' file.counters. touch: called before a function's
 * counters are changed. */
void finals_spread(struct decode_module *m, void (*touch)(void *context, struct decode_function *f),
                   void *context);
/* Adds what flow alone tells of these counts to the functions' file.supposed. */
void finals_suppose(struct decode_module *m);
/* Forgets the file. */
void finals_drop(struct decode_module *m);

const struct final_unsure *decode_final_unsure(struct decode_final *f, size_t *count);

#endif
