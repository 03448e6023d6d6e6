/*
 * From frame counts (format/data/layout.h) to the functions whose activations were cut or resumed.
 *
 * Each frame count names an address of the module's code. The table of places says which
 * activations stood there: each is cut or resumed, and its counters are corrected by what they were
 * ahead or late. An address without a known place belongs to code without counters, unless the
 * module has no table of places at all.
 */
#ifndef COTREE_DECODE_FRAMES_FRAMES_H
#define COTREE_DECODE_FRAMES_FRAMES_H

#include "decode/model/module.h"
#include "format/data/layout.h"

struct frames {
    const char *const *debug_paths;
    void *context;
    /* Called before a function's file.counters and file.frames are changed. */
    void (*touch)(void *context, struct decode_function *f);
    /* Called for each function whose counts may be wrong by `error` because of the frame count: its
     * place is not known, or not exactly. f is NULL: any function of the module may be. */
    void (*doubt)(void *context, const struct decode_module *m, struct decode_function *f, int64_t error);
};

/* Applies a frame count of the module: `count` frames (negative: taken back), fewer than
 * DATA_FRAME_COUNT_MOST of either sign, which readers of files check. False: there is no such kind. */
bool frames_apply(const struct frames *frames, struct decode_module *m, uint32_t kind, uint64_t address,
                  int64_t count);

#endif
