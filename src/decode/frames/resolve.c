/*
 * A frame at a call is simple: the row of its return address names the position of the call and of
 * the calls around it that the compiler inlined, and every count up to there is in memory.
 *
 * A frame that a signal interrupted may stand at any instruction. Counts may still be pending (the
 * compiler moves them down to the next call or branch), and those of one counter are made together.
 * So the code is followed from there to its *anchor*, the next call or branch, and the frame stands
 * before the first instruction on the way whose place is known. The stretch of that place
 * (format/places/places.h) says which counts come before it: of these, those whose increments lie
 * ahead are added. Of the counts that come after it, those that were made already are taken back.
 * Increments of other stretches between the address and the instruction count what is done; those
 * after the instruction count what is to come.
 *
 * The place must fit: the count that comes next in its stretch must be one that control may meet
 * next. If it does not fit, code was moved there from elsewhere, and the next instruction is asked.
 *
 * A table without stretches does not say which increments on the way to the anchor count what was
 * done before. Those that lie on a way through the graphs (decode/frames/pending.h) do not; what is
 * left over is added. Where no such way exists, the anchor's position is taken: counts may be wrong
 * by as many as are pending.
 */
#include "decode/frames/resolve.h"
#include "decode/frames/stretches.h"

/* The activations before a row of the code. */
static bool read_before(const struct resolver *r, const struct place_row *row, struct chain *chain)
{
    return chain_read_before(chain, r->ahead.module, r->ahead.code, row);
}

static const struct place_position *position_of(const struct resolver *r, const struct way_point *at)
{
    return &r->ahead.code->positions[at->row->value - 1];
}

/* The first position after points[i] in another stretch, if all of that is ahead. NULL: there is
 * none. */
static const struct way_point *next_stretch(const struct resolver *r, size_t i)
{
    const struct code_ahead *ahead = &r->ahead;
    const struct place_code *code = ahead->code;
    uint32_t own = position_of(r, &ahead->points.items[i])->stretch;
    for (size_t k = i + 1; k < ahead->points.count; k++) {
        uint32_t other = position_of(r, &ahead->points.items[k])->stretch;
        uint32_t length = other ? stretch_length(code, other) : 0;
        if (other == own || !length || length > COUNTS_MOST)
            continue;
        for (uint32_t n = code->stretches[other - 1]; n < code->stretches[other]; n++)
            if (stretch_is_ahead(ahead, other, &code->counts[n]) != AHEAD_ALL)
                return NULL;
        return &ahead->points.items[k];
    }
    return NULL;
}

/* Are some stretches not counted, since flow tells how often they ran? */
static bool is_planned(const struct code_ahead *ahead)
{
    return ahead->final && ahead->final->map.graph.vertex_count > 1;
}

/* Is points[i], whose chain was read, where the frame stands? The anchor is, if no other
 * point is. */
static bool stands_at(struct resolver *r, size_t i, bool anchored)
{
    const struct code_ahead *ahead = &r->ahead;
    const struct way_point *at = &ahead->points.items[i], *target = next_stretch(r, i);
    const struct place_position *p = position_of(r, at);
    if (target &&
        !(read_before(r, target->row, &r->anchor) && stretch_fits(ahead, &r->anchor, position_of(r, target))))
        target = NULL;
    if (!target && anchored)
        read_before(r, ahead->anchor, &r->anchor);
    bool certain = pending_counts_begin(&r->pending, at, target);
    if (at->row == ahead->anchor)
        return true;
    if (certain && ahead->code->stretch_count &&
        (!p->stretch || (stretch_length(ahead->code, p->stretch) && stretch_fits(ahead, &r->chain, p)))) {
        for (size_t k = 0; k < r->pending.count; k++)
            r->pending.items[k].left = 0;
        return true;
    }
    if (is_planned(ahead))
        return false; /* ways would not find what is not counted */
    return target || anchored ? certain && pending_counts_walk(&r->pending, &r->chain, &r->anchor)
                              : !ahead->counts.count;
}

/* The edge of the position's stretch, if that is one; or GRAPH_NONE. */
static uint32_t edge_of(const struct resolver *r, const struct place_position *p)
{
    const struct code_ahead *ahead = &r->ahead;
    uint32_t edge = ahead->final && p->stretch ? ahead->code->edges[p->stretch - 1] : 0;
    return edge && edge <= ahead->final->map.graph.edge_count ? edge - 1 : GRAPH_NONE;
}

static uint32_t point_of(const struct resolver *r, const struct place_position *p)
{
    const struct decode_final *final = r->ahead.final;
    return final && p->point && p->point <= final->map.graph.vertex_count ? p->point - 1 : RESOLVED_NOWHERE;
}

/* Where the frame stands that is at points[i]: behind its stretch, if that is counted already. */
static uint32_t stands_before(const struct resolver *r, size_t i)
{
    const struct place_position *p = position_of(r, &r->ahead.points.items[i]);
    uint32_t edge = edge_of(r, p);
    if (edge == GRAPH_NONE || !r->ahead.final->map.counted[edge])
        return point_of(r, p);
    for (size_t k = 0; k < r->ahead.shared.count; k++)
        if (r->ahead.shared.items[k].stretch == p->stretch)
            return point_of(r, p);
    return r->ahead.final->map.graph.edges[edge].to;
}

bool resolver_passed(const struct resolver *r, const struct shared_ahead *shared)
{
    const struct way_point *at = &r->ahead.points.items[r->at];
    return shared->first < at->counts && shared->stretch != position_of(r, at)->stretch;
}

/* The largest number that the stretch of the position counts at once. Of a loop that is counted as
 * a whole, or that became one call of memcpy, the round is not known. */
static int64_t counted_at_once(const struct resolver *r, const struct place_position *p)
{
    const struct place_code *code = r->ahead.code;
    uint64_t most = 0;
    for (uint32_t i = p->stretch ? code->stretches[p->stretch - 1] : 0;
         p->stretch && i < code->stretches[p->stretch]; i++)
        if (code->counts[i].by > 1 && code->counts[i].by > most)
            most = code->counts[i].by;
    return (int64_t)(most < BY_MOST ? most : BY_MOST);
}

/*
 * The trace writes events on the way to the point: what they tell of was removed by the optimiser.
 * Of a loop all counts may be made together, and events one by one: how many of its rounds are done
 * where nothing else is left of them is a matter of definition, so counts and trace may differ.
 */
static int64_t removed_rounds(const struct way_point *at)
{
    return at->events > 1 ? (int64_t)at->events : 0;
}

/*
 * Finds where an interrupted frame stands, or one in a call that counts may wait for (`call`, or
 * NULL): then chain and pending are what to apply. False: that is not known. Code that was moved up
 * over a branch has the position it came from, and no way leads from there: then the next point is
 * asked, and the anchor at last.
 */
static bool resolve_interrupted(struct resolver *r, uint32_t offset, const struct place_row *call)
{
    struct code_ahead *ahead = &r->ahead;
    code_ahead_follow(ahead, offset, call);
    r->not_entered = !ahead->damaged && code_ahead_is_before_entry(ahead, offset);
    if (r->not_entered)
        return false;
    pending_counts_init(&r->pending, ahead);
    bool anchored = read_before(r, ahead->anchor, &r->anchor);
    r->anywhere = ahead->anchor && !anchored; /* without an anchor the code ends there: in a trap */
    if (ahead->damaged)
        return false;
    /* A jump may belong to the branch it came from, which was counted before it. */
    const struct place_row *first = ahead->points.count ? ahead->points.items[0].row : NULL;
    bool surely = first && (call || (first->kind == PLACE_ACCESS && first->offset == offset));
    int64_t several = r->pending.several;
    for (size_t i = 0; i < ahead->points.count && (anchored || i == 0); i++)
        if (read_before(r, ahead->points.items[i].row, &r->chain) && stands_at(r, i, anchored)) {
            int64_t removed = removed_rounds(&ahead->points.items[i]);
            r->doubt += i ? several ? several : surely : 0;
            r->doubt += counted_at_once(r, position_of(r, &ahead->points.items[i]));
            r->doubt += i || !call ? 0 : several;            /* one call for several rounds */
            r->doubt += i && !r->doubt && is_planned(ahead); /* no way was found from the points before */
            r->doubt = r->doubt > removed ? r->doubt : removed;
            r->passed_lost = ahead->lost && i >= ahead->lost_at;
            r->at = i;
            r->point = stands_before(r, i);
            return true;
        }
    return false;
}

bool resolver_find(struct resolver *r, uint64_t address, bool at_call)
{
    const struct code_ahead *ahead = &r->ahead;
    uint32_t offset = (uint32_t)(address - ahead->code->address);
    r->point = RESOLVED_NOWHERE;
    if (!at_call)
        return resolve_interrupted(r, offset, NULL);
    r->row = chain_call_row(ahead->code, address);
    r->ahead.final = decode_module_final(ahead->module, ahead->code->final);
    if (r->row && r->row->value != PLACE_NONE)
        r->point = point_of(r, &ahead->code->positions[r->row->value - 1]);
    const struct place_row *made = r->row ? NULL : chain_made_call_row(ahead->code, address);
    r->merged = made && made->value == PLACE_NONE;
    bool placed = r->row ? chain_read(&r->chain, ahead->module, ahead->code, r->row->value)
                         : resolve_interrupted(r, offset, made);
    r->merged &= !r->not_entered;
    return placed || (!r->not_entered && chain_read_only_block(&r->chain, ahead->module, ahead->code));
}

void resolver_release(struct resolver *r)
{
    code_ahead_release(&r->ahead);
    ARRAY_RELEASE(&r->chain);
    ARRAY_RELEASE(&r->anchor);
    pending_counts_release(&r->pending);
}
