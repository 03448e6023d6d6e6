/* The program and the libraries of a trace: their maps, and their tables of places for frames. */
#ifndef COTREE_DECODE_TRACE_MODULES_H
#define COTREE_DECODE_TRACE_MODULES_H

#include "decode/frames/call_places.h"
#include "decode/trace/file.h"

struct trace_modules {
    struct trace_module_list ARRAY_OF(struct decode_module *) modules;
    const char *const *debug_paths;
    struct trace_program program;
    struct replay_program *replay;
    const struct data_file *data;
    struct trace_resolver resolver;
    struct call_places calls;
};

/* `data` must outlive the modules. If `program` is NULL, it is the one that the data file names.
 * Fails when its map cannot be read, or nothing in it is traced. */
bool trace_modules_load(struct trace_modules *m, const char *program, const struct data_file *data,
                        const char *const *debug_paths, struct error *error);
void trace_modules_release(struct trace_modules *m);

#endif
