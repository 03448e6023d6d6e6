/*
 * From events (format/data/layout.h) to the functions whose activations were cut or resumed: each event names
 * an address of the module's code, the table of places says which activations stood there, and each of them
 * gets its cut or resume, and its counters what they are ahead or behind. Addresses that no place is known of
 * are of code without counters, unless the module has no table of places at all.
 */
#ifndef COTREE_DECODE_FRAMES_FRAMES_H
#define COTREE_DECODE_FRAMES_FRAMES_H

#include "decode/model/module.h"
#include "format/data/layout.h"

struct frames {
    const char *const *debug_paths;
    void *context;
    /* Called before a function's file counters and file_frames are changed. */
    void (*touch)(void *context, struct decode_function *f);
    /* Called for each function whose counts may be wrong by `error` because of the event: its place is not
     * known, or not exactly. Without a function: any of the module's may be. */
    void (*doubt)(void *context, struct decode_module *m, struct decode_function *f, int64_t error);
};

/* Applies an event of the module that happened `count` times (negative: was taken back), fewer than
 * DATA_FRAME_COUNT_MOST either way, as readers of files see to. False: no such kind. */
bool frames_apply(const struct frames *frames, struct decode_module *m, uint32_t kind, uint64_t address,
                  int64_t count);

#endif
