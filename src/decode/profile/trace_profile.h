/* A trace implies its edge profile: this fills file.trace of the decoder's functions from a run
 * file's trace. */
#ifndef COTREE_DECODE_PROFILE_TRACE_PROFILE_H
#define COTREE_DECODE_PROFILE_TRACE_PROFILE_H

#include "decode/profile/decoder.h"
#include "format/data/data.h"

/*
 * Regenerates the trace that belongs to the data file at `path`, if there is one (*traced), and
 * adds what it implies to decode_function.file.trace. Causes (something was lost, or goes on) are
 * added to verdict; *unbounded: counts may be wrong by any amount because of them. False, with the
 * reason, when the trace cannot be used at all.
 */
bool trace_profile_add(struct decoder *d, const char *path, const struct data_file *data,
                       struct profile *verdict, bool *traced, bool *unbounded, struct error *error);

#endif
