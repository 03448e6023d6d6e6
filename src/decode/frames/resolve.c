/*
 * A frame at a call is simple: the row of its return address names the position of the call and of the calls
 * around it that the compiler inlined, and every count up to there is in memory.
 *
 * A frame that a signal interrupted stands anywhere. Counts may still be pending (the compiler moves them
 * down to the next call or branch), and those of one counter are made together. So the code is followed from
 * there to its *anchor*, the next call or branch, and the first instruction on the way whose place is known
 * is where the frame stands, before it. Its stretch (format/places/places.h) says which counts come before it: of
 * these, those whose increments lie ahead are added, and of the others those that were made are taken back.
 * Increments of other stretches between the address and the instruction are of what is done; those behind it
 * are of what is to come.
 *
 * The place must fit: the count that comes next in its stretch must be one that control may meet next. If it
 * does not, code was moved there from elsewhere, and the next instruction is asked.
 *
 * In a table without stretches nobody knows which increments on the way to the anchor are of what was done
 * before: those that lie on a way through the graphs (decode/frames/ways.h) are not. What is left over is added.
 * Where no such way exists, the anchor's position is taken: counts may be wrong by as many as are pending.
 */
#include "decode/frames/resolve.h"
#include "decode/frames/stretches.h"
#include "decode/frames/ways.h"

/* The activations of a position; false when it is unknown, or is not what the map says. */
static bool read_chain(struct resolver *r, uint32_t position, struct chain *chain)
{
    chain->count = 0;
    for (uint32_t at = position; at != PLACE_NONE; at = r->code->positions[at - 1].outer) {
        const struct place_position *p = &r->code->positions[at - 1];
        struct decode_function *f = decode_module_find(r->module, r->code->keys[p->key]);
        if (!f || p->block >= graph_exit(&f->map.graph) || p->call > f->map.blocks[p->block].call_count ||
            p->lines > f->map.blocks[p->block].line_count)
            return false;
        ARRAY_PUSH(chain, ((struct element){.f = f, .block = p->block, .call = p->call, .lines = p->lines}));
    }
    return position != PLACE_NONE;
}

/* Code of one function alone, which has no positions (clang made it, and gave it no locations): if that is
 * one block, there is only one place to be. */
static bool read_only_block(struct resolver *r, struct chain *chain)
{
    struct decode_function *f =
        r->code->key_count == 1 ? decode_module_find(r->module, r->code->keys[0]) : NULL;
    if (!f || r->code->position_count || graph_exit(&f->map.graph) != 1)
        return false;
    ARRAY_PUSH(chain, ((struct element){.f = f, .lines = f->map.blocks[0].line_count}));
    return true;
}

/* The row of the kind at exactly this offset, or NULL. */
static const struct place_row *row_at(const struct place_code *code, uint32_t offset, enum place_kind kind)
{
    for (uint32_t i = place_first_row(code, offset); i < code->row_count && code->rows[i].offset == offset;
         i++)
        if (code->rows[i].kind == kind)
            return &code->rows[i];
    return NULL;
}

static void add_increment(struct resolver *r, const struct place_row *row)
{
    bool many = row->by > BY_MOST || r->counts.count == COUNTS_MOST;
    struct pending *p = many ? NULL : pending_of(r, row->value, row->counter);
    if (!p) {
        r->strange = true;
        return;
    }
    p->computed |= !row->by;
    if (row->by > 1 && r->several < (int64_t)row->by)
        r->several = (int64_t)row->by;
    ARRAY_PUSH(&r->counts, row);
}

/* A row of what is still to come, seen from `from`: calls and counts that end there were made before. */
static bool is_to_come(const struct place_row *row, uint32_t from)
{
    bool ends = row->kind == PLACE_CALL || row->kind == PLACE_LIBCALL || row->kind == PLACE_SETTLED ||
                row->kind == PLACE_INCREMENT || row->kind == PLACE_EVENT;
    return ends ? row->offset > from : row->offset >= from;
}

/* Is what has lost its position seen by others, and not only if it faults? */
static bool is_twice(const struct place_code *code, uint32_t row)
{
    return row + 1 < code->row_count && code->rows[row + 1].kind == PLACE_ACCESS &&
           code->rows[row + 1].value == PLACE_NONE && code->rows[row + 1].offset == code->rows[row].offset;
}

/*
 * Follows the code to the next call or branch and collects what counts on the way, and the rows that know
 * their positions; NULL when there is none. One row stands for all before it that agree, and code that
 * belongs to no line (an address computed ahead) to what it is there for. A jump without a choice may be what
 * the code generator has made of several, with the position of one of them: it is followed, not believed.
 */
static const struct place_row *find_anchor(struct resolver *r, uint32_t offset)
{
    const struct place_code *code = r->code;
    uint32_t from = offset, row = place_first_row(code, offset);
    for (uint32_t steps = 0; row < code->row_count && steps <= code->row_count; steps++) {
        const struct place_row *at = &code->rows[row++];
        if (!is_to_come(at, from))
            continue;
        if (at->kind == PLACE_INCREMENT && at->counter == PLACE_PATHS)
            continue;
        if (at->kind == PLACE_INCREMENT)
            add_increment(r, at);
        else if (at->kind == PLACE_EVENT)
            ARRAY_PUSH(&r->events, at->event);
        else if (at->value != PLACE_NONE && at->kind != PLACE_GOTO)
            ARRAY_PUSH(&r->on_way, ((struct way_point){at, r->counts.count, r->events.count}));
        else if (at->kind == PLACE_ACCESS && !r->lost.any &&
                 (at->offset == offset || is_twice(code, row - 1))) {
            r->lost.any = true;
            r->lost.point = r->on_way.count;
        }
        if (at->kind == PLACE_BRANCH || at->kind == PLACE_CALL || at->kind == PLACE_SETTLED)
            return at;
        if (at->kind == PLACE_GOTO) {
            from = at->target;
            row = place_first_row(code, from);
        }
    }
    return NULL;
}

static bool is_in(const struct chain *chain, const struct decode_function *f)
{
    for (size_t i = 0; i < chain->count; i++)
        if (chain->items[i].f == f)
            return true;
    return false;
}

bool pending_is_unsure(const struct resolver *r, const struct pending *p)
{
    return p->left && (!is_in(&r->chain, p->f) || p->left < p->by - p->own + p->to_come + p->between);
}

/* The position of a row as that of what stands before it: a call is not made yet. */
static bool read_chain_before(struct resolver *r, const struct place_row *row, struct chain *chain)
{
    if (!row || !read_chain(r, row->value, chain))
        return false;
    if (row->kind == PLACE_CALL && chain->items[0].call)
        chain->items[0].call--;
    return true;
}

static const struct place_position *position_of(const struct resolver *r, const struct way_point *at)
{
    return &r->code->positions[at->row->value - 1];
}

/* The first position behind on_way[i] in another stretch, all of which is ahead. NULL: there is none. */
static const struct way_point *next_stretch(const struct resolver *r, size_t i)
{
    uint32_t own = position_of(r, &r->on_way.items[i])->stretch;
    for (size_t k = i + 1; k < r->on_way.count; k++) {
        uint32_t other = position_of(r, &r->on_way.items[k])->stretch;
        if (!other || other == own || !stretch_length(r, other) || stretch_length(r, other) > COUNTS_MOST)
            continue;
        for (uint32_t n = r->code->stretches[other - 1]; n < r->code->stretches[other]; n++)
            if (stretch_is_ahead(r, other, &r->code->counts[n]) != AHEAD_ALL)
                return NULL;
        return &r->on_way.items[k];
    }
    return NULL;
}

/* Is on_way[i], whose chain is read, where the frame stands? The anchor is, if no other. */
static bool stands_at(struct resolver *r, size_t i, const struct place_row *anchor, bool anchored)
{
    const struct place_position *p = position_of(r, &r->on_way.items[i]);
    const struct way_point *target = next_stretch(r, i);
    if (target && !(read_chain_before(r, target->row, &r->anchor) &&
                    stretch_fits(r, &r->anchor, position_of(r, target))))
        target = NULL;
    if (!target && anchored)
        read_chain_before(r, anchor, &r->anchor);
    bool certain = ways_begin(r, &r->on_way.items[i], target);
    if (r->on_way.items[i].row == anchor)
        return true;
    if (certain && r->code->stretch_count &&
        (!p->stretch || (stretch_length(r, p->stretch) && stretch_fits(r, &r->chain, p)))) {
        for (size_t k = 0; k < r->pending.count; k++)
            r->pending.items[k].left = 0;
        return true;
    }
    return target || anchored ? certain && ways_take(r) : !r->counts.count;
}

/* The largest number that the stretch of the position counts at once: of a loop that is counted as a whole,
 * or that became one call of memcpy, nobody knows the round. */
static int64_t counted_at_once(const struct resolver *r, const struct place_position *p)
{
    uint64_t most = 0;
    for (uint32_t i = p->stretch ? r->code->stretches[p->stretch - 1] : 0;
         p->stretch && i < r->code->stretches[p->stretch]; i++)
        if (r->code->counts[i].by > 1 && r->code->counts[i].by > most)
            most = r->code->counts[i].by;
    return (int64_t)(most < BY_MOST ? most : BY_MOST);
}

/*
 * Where an interrupted frame stands, or one in a call that counts may wait for (`call`, or NULL): chain and
 * pending are what to apply. False: nobody knows. Code that was moved up over a branch has the position it
 * came from, and no way leads from there: what follows it is asked then, and the anchor at last.
 */
static bool resolve_interrupted(struct resolver *r, uint32_t offset, const struct place_row *call)
{
    if (call && call->value != PLACE_NONE)
        ARRAY_PUSH(&r->on_way, ((struct way_point){call, 0, 0}));
    const struct place_row *anchor = find_anchor(r, offset);
    bool anchored = read_chain_before(r, anchor, &r->anchor);
    r->anywhere = anchor && !anchored; /* without an anchor the code ends there: in a trap */
    if (r->strange)
        return false;
    /* A jump may belong to the branch it came from, which was counted before it. */
    const struct place_row *first = r->on_way.count ? r->on_way.items[0].row : NULL;
    bool surely = first && (call || (first->kind == PLACE_ACCESS && first->offset == offset));
    for (size_t i = 0; i < r->on_way.count && (anchored || i == 0); i++)
        if (read_chain_before(r, r->on_way.items[i].row, &r->chain) && stands_at(r, i, anchor, anchored)) {
            r->doubt += i ? r->several ? r->several : surely : 0;
            r->doubt += counted_at_once(r, position_of(r, &r->on_way.items[i]));
            r->doubt += i || !call ? 0 : r->several; /* one call for several rounds */
            r->passed_lost = r->lost.any && i >= r->lost.point;
            r->at = i;
            return true;
        }
    return false;
}

bool resolve(struct resolver *r, uint64_t address, bool at_call)
{
    uint32_t offset = (uint32_t)(address - r->code->address);
    if (!at_call)
        return resolve_interrupted(r, offset, NULL);
    r->row = row_at(r->code, offset, PLACE_CALL);
    if (!r->row)
        r->row = row_at(r->code, offset, PLACE_SETTLED);
    const struct place_row *made = r->row ? NULL : row_at(r->code, offset, PLACE_LIBCALL);
    r->merged = made && made->value == PLACE_NONE;
    bool placed = r->row ? read_chain(r, r->row->value, &r->chain) : resolve_interrupted(r, offset, made);
    return placed || read_only_block(r, &r->chain);
}

bool resolver_read_point(struct resolver *r, size_t point, struct chain *chain)
{
    return read_chain_before(r, r->on_way.items[point].row, chain);
}

void resolver_release(struct resolver *r)
{
    ARRAY_RELEASE(&r->chain);
    ARRAY_RELEASE(&r->anchor);
    ARRAY_RELEASE(&r->pending);
    ARRAY_RELEASE(&r->on_way);
    ARRAY_RELEASE(&r->counts);
    ARRAY_RELEASE(&r->events);
}
