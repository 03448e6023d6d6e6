/* The traced functions of a program and its libraries, in the form that replay takes
 * (decode/trace/replay.h). */
#ifndef COTREE_DECODE_TRACE_PROGRAM_H
#define COTREE_DECODE_TRACE_PROGRAM_H

#include "base/hash.h"
#include "decode/trace/replay.h"
#include "format/map/map.h"

struct trace_program {
    size_t count;
    const struct map_function **maps; /* of the traced functions, each id once; owned by the caller */
    struct replay_function *functions;
    struct hash_map by_id; /* id -> index + 1 */
};

/* maps: of any functions, traced or not; they must outlive the program. */
void trace_program_make(struct trace_program *p, const struct map_function *const *maps, size_t count);
void trace_program_release(struct trace_program *p);

#endif
