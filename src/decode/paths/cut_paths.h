/*
 * Paths that were cut short: how far each got, where the counts tell.
 *
 * An execution of a path is unfinished when its activation was left for ever (exit, longjmp, an
 * exception, a signal, the end of its thread) in a block of it. A path that ends with a call which
 * never returns is finished when the call is made. So is one whose last call the compiler made a
 * jump, since the activation ends with it (decode/paths/early_ends.h has those that were counted
 * before a call that did not become a jump). An activation that was resumed (setjmp's second
 * return, the child of a fork) goes on with the path that it was on, and its execution has all of
 * that path, the part before included; a path that ends is counted in the same manner.
 *
 * Nothing in a frame says how it came to its block. But of every arc two numbers are known: how
 * often it was passed (edge counts, exact: decode/model/solve.h; frames are part of the flow), and
 * how often finished paths passed it. What is left is the flow of the unfinished paths, less what
 * resumed ones did not run themselves. decode/paths/cut_flow.h finds out which ways it must have
 * taken.
 *
 * Each file of a run is looked at by itself, and the ways are added up: two runs that were left in
 * one block may have come there by ways that their sum does not tell apart.
 *
 * Where the numbers cannot be relied on, less is used, never a guess. A frame that was interrupted
 * between calls may have counted its path early, or not counted the one before (plan/path_rest.h);
 * and of paths that are not watched no counts are known. In both cases finished paths may be any
 * part of the edge counts. Where the edge counts are not exact either, only the graph itself tells:
 * a block to which but one way leads was reached by it.
 */
#ifndef COTREE_DECODE_PATHS_CUT_PATHS_H
#define COTREE_DECODE_PATHS_CUT_PATHS_H

#include "decode/paths/cut_flow.h"
#include "decode/model/paths.h"

/* Executions that were left in this block by unknown ways, besides those that are listed. */
struct cut_unknown {
    uint32_t block;
    int64_t count;
};

struct cut_paths {
    /* Counts are the least that is certain, and exact where nothing is unknown. */
    struct profile_ways ways;
    struct cut_unknowns ARRAY_OF(struct cut_unknown) unknown; /* by block */
};

/* Adds the ways of a function's unfinished paths, as its counts and frames tell them. */
void cut_paths_find(struct profile_ways *ways, struct paths *p, const struct profile_function *f);

/* Takes the ways that the profile has, or finds them from its counts where it has none. p: the
 * paths of the function. */
void cut_paths_init(struct cut_paths *cut, struct paths *p, const struct profile_function *f);
void cut_paths_release(struct cut_paths *cut);

/* The result holds as long as the cut paths live. */
struct path_shown cut_path_show(const struct profile_way *path);

#endif
