/* A trace implies its edge profile: the counts of a run file's trace join the sums of the decoder. */
#ifndef COTREE_DECODE_PROFILE_TRACE_PROFILE_H
#define COTREE_DECODE_PROFILE_TRACE_PROFILE_H

#include "decode/profile/decoder.h"
#include "format/data/data.h"

/*
 * Regenerates the trace that belongs to the data file at `path`, if there is one (*traced), and adds it to
 * decode_function.traced and traced_frames. Causes of what is lost or goes on go to verdict; *unbounded: then
 * counts may be wrong by whatever. False, with the reason, when the trace cannot be used at all.
 */
bool trace_profile_add(struct decoder *d, const char *path, const struct data_file *data,
                       struct profile *verdict, bool *traced, bool *unbounded, struct error *error);

#endif
