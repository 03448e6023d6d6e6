/*
 * A function that counts its unfinished activations has a region (instrument/unit.c, find_region):
 * blocks around all its calls, those of the kernel too, but for the last call of a dead end. One
 * counter counts how often control enters the region, one how often it leaves, by return as well.
 * Their difference is the number of activations inside.
 *
 * Why that bounds the error. Let a frame be any piece of stack that machine code made, with the
 * activations that were inlined into it. All frames but the interrupted ones (one for each thread
 * that was killed, one for each nested signal handler) stand in a call, and
 *  1. whatever ran before a call has been counted in memory; and
 *  2. each activation of the frame stands in one of its calls: the innermost in the one that was
 *     made, the others in the ones that were inlined. So each is in its region, and the difference
 *     has it, unless it is in the last call of a dead end; and
 *  3. an activation in the last call of a dead end stays there: its virtual edge says so, and
 *     nothing else of it is derived. It is not wrong at all (decode/frames/frames.c treats a cut
 *     there likewise); and
 *  4. an activation whose end was counted before a call, since a tail call was to be made of it, is
 *     in no frame; or the table of places tells that no tail call was made: then the function is
 *     not relied on (ends_unsure).
 *
 * So the difference is the number of activations that are unfinished and wrong, but for the
 * interrupted frames. In each of those one activation may be outside its region (2 holds for the
 * others), and `most_ends` entries and departures may wait in registers, or wait while others are
 * in memory.
 *
 * An unfinished activation adds one unit along a path of the tree to what is solved; that is one at
 * most for every edge, block and entry. An interrupted frame has also taken ways that are not
 * counted in memory yet: `most_pending` at most for each. Activations that the runtime recorded are
 * known, and not wrong.
 *
 * All of it assumes that no activation was resumed, or that the runtime recorded it.
 */
#include "decode/frames/unfinished.h"
#include "decode/model/solve.h"

/* Does nothing but its virtual edge lead out of the block? */
static bool is_dead_end(const struct graph *g, uint32_t block)
{
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->edges[e].from == block && g->edges[e].kind != EDGE_VIRTUAL)
            return false;
    return true;
}

/* Does the function make a call that may come back? */
static bool may_call(const struct map_function *f)
{
    for (uint32_t b = 0; b < graph_exit(&f->graph); b++)
        if (f->blocks[b].call_count > 1)
            return true;
    for (uint32_t e = 0; e < f->graph.edge_count; e++) {
        const struct edge *edge = &f->graph.edges[e];
        if (edge->kind != EDGE_ENTRY && edge->kind != EDGE_VIRTUAL && f->blocks[edge->from].call_count)
            return true;
    }
    return false;
}

static bool has_balance(const struct decode_function *f)
{
    for (uint32_t i = 0; i < f->map.plan_count && !(f->map.flags & MAP_FUNCTION_MAIN); i++)
        if (f->map.plans[i].placement == PLACEMENT_BALANCE)
            return true;
    return false;
}

bool unfinished_are_counted(const struct decode_function *f)
{
    if (f->map.flags & MAP_FUNCTION_MAIN || f->set == SET_NONE || f->code.ends_unsure)
        return false;
    return has_balance(f) || !may_call(&f->map);
}

bool unfinished_may_resume(const struct decode_function *f)
{
    for (uint32_t b = 0; b < graph_exit(&f->map.graph); b++)
        if (f->map.blocks[b].hazards & (MAP_HAZARD_SETJMP | MAP_HAZARD_FORK))
            return true;
    return false;
}

/* Sums up how many of the activations that the difference counts the runtime has recorded.
 * Interrupted frames may be in the region or not. False if the sum is no number: files may hold
 * any. */
static bool sum_recorded(const struct decode_function *f, int64_t *known)
{
    bool fits = true;
    *known = 0;
    for (size_t i = 0; i < f->file.frames.count; i++) {
        const struct profile_frame *frame = &f->file.frames.items[i];
        bool stays =
            is_dead_end(&f->map.graph, frame->block) && frame->call == f->map.blocks[frame->block].call_count;
        if (!frame->between)
            fits &= !__builtin_add_overflow(*known, stays ? 0 : frame->cuts, known) &&
                    !__builtin_sub_overflow(*known, frame->resumes, known);
    }
    return fits;
}

int64_t unfinished_count(const struct decode_function *f)
{
    int64_t begun, ended, known, count;
    if (!f->file.touched || !has_balance(f) || !solve_balance(&f->map, f->file.counters, &begun, &ended))
        return 0;
    if (!sum_recorded(f, &known) || __builtin_sub_overflow(begun, ended, &count) ||
        __builtin_sub_overflow(count, known, &count))
        return INT64_MIN; /* no function has begun so much less often than it has ended */
    return count;
}

int64_t unfinished_error(const struct decode_function *f, int64_t interrupted)
{
    int64_t unfinished = unfinished_count(f), each = 1 + f->code.most_ends + f->code.most_pending, waiting,
            error;
    if (interrupted < 0 || __builtin_mul_overflow(interrupted, f->code.most_ends, &waiting) ||
        unfinished < -waiting || __builtin_mul_overflow(interrupted, each, &error) ||
        __builtin_add_overflow(error, unfinished > 0 ? unfinished : 0, &error))
        return MAX_ERROR_UNKNOWN;
    return error;
}
