/*
 * Path counts from a trace. A program that counts paths keeps a sum for each activation while it
 * runs (plan/path_number.h); here the same is done to the runs that replay gives out. A run changes
 * the sum of the youngest activation by what it passes; that is worked out once, when the run is
 * first seen.
 *
 * Parts of a stream may be walked at the same time. A walker that begins in the middle does not
 * know the sums of the activations that are there, but each of them changes by one addition until
 * its path ends. So the ends of such paths are noted, and counted when all parts before are done
 * (trace_paths_join).
 *
 * How a path ends: if the program counts paths, as the program would have counted it
 * (decode/model/paths.h, paths_counted_before); otherwise when control goes on to where the path
 * ends, or when its activation is left at a dead end.
 */
#ifndef COTREE_DECODE_TRACE_PATHS_H
#define COTREE_DECODE_TRACE_PATHS_H

#include "decode/model/module.h"
#include "decode/trace/replay.h"
#include "plan/path_graph.h"

/* The plan that defines a function's paths: its own, or the one that was made for its trace. */
const struct plan *trace_paths_plan(const struct decode_function *f);
/* Makes that plan, if the function has none. False: it has one by which paths end elsewhere, as
 * merged files may bring. */
bool trace_paths_make_plan(struct decode_function *f, enum path_ends ends);

/* The paths of all functions of a program, by replay's numbers; shared by all walkers. */
struct trace_paths;
struct trace_paths *trace_paths_make(struct decode_function *const *functions, size_t count);
void trace_paths_free(struct trace_paths *p);

/* A walker, with a replay program of its own. */
struct trace_path_walker;
struct trace_path_walker *trace_path_walker_make(const struct trace_paths *p);
/* Adds what the walker counted to the functions, and frees it. replay: the program whose runs it
 * was given; NULL: its counts are dropped. */
void trace_path_walker_end(struct trace_path_walker *w, const struct replay_program *replay);

/* Begins a part of a stream: without activations, or with those that the part before it left. */
void trace_path_begin(struct trace_path_walker *w);
void trace_path_take_over(struct trace_path_walker *w, const struct replay *replay);
void trace_path_runs(struct trace_path_walker *w, const struct replay_run *const *runs, size_t count);
/* There are activations the beginnings of whose paths were not seen. */
void trace_path_resume(struct trace_path_walker *w, const struct replay *replay);
/* Activation `index` is left where it stands: its path counts as finished, or is cut there. The
 * caller sees to it that no other thread calls this at the same time. */
void trace_path_leave(struct trace_path_walker *w, size_t index, const struct replay_frame *frame,
                      const struct profile_frame *at);
/* Activation `index` has ended: it takes these edges, the last of which leads out. */
void trace_path_finish(struct trace_path_walker *w, size_t index, const uint32_t *edges, uint32_t count);
/* Activations from `depth` on are gone. */
void trace_path_cut(struct trace_path_walker *w, size_t depth);
/* The youngest activation is after a call of the block once more. */
void trace_path_land_behind(struct trace_path_walker *w, uint32_t block);

/* What the part leaves to the next one, and the path ends that wait for the one before. */
struct trace_path_part;
struct trace_path_part *trace_path_end(struct trace_path_walker *w);
/* before: the part before, which is joined already; NULL: it is not known. */
void trace_paths_join(const struct trace_paths *p, struct trace_path_part *part,
                      const struct trace_path_part *before);
void trace_path_part_free(struct trace_path_part *part);

#endif
