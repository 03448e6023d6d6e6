/*
 * Every activation that stood at the address of a frame count is cut or resumed there. Counts that
 * were not made yet are added, and what is not certain is doubted.
 *
 * Inside a loop whose counts were moved out of it, these counts are not relied on
 * (decode/model/moved.h). The same holds between the place where they are made and the first row
 * inside the loop, since that row is on the way.
 */
#include "decode/frames/frames.h"
#include "decode/model/call_cycles.h"
#include "decode/model/error_bounds.h"
#include "decode/model/moved.h"
#include "decode/frames/resolve.h"
#include "format/data/data.h"

#include <stdlib.h>

static bool is_invoke(const struct activation *e)
{
    return e->call && e->f->map.blocks[e->block].calls[e->call - 1].invoke;
}

static void touch(const struct frames *frames, struct decode_function *f)
{
    frames->touch(frames->context, f);
    standing_prepare(&f->standing, &f->map);
}

/* One activation is cut or resumed `count` times; interrupted: between calls. */
static void apply(const struct frames *frames, const struct activation *e, bool cut, int64_t count,
                  bool interrupted)
{
    if (e->f->set == SET_NONE)
        return;
    struct profile_frame frame = {
        .block = e->block, .call = e->call, .lines = e->lines, .between = interrupted};
    *(cut ? &frame.cuts : &frame.resumes) = count;
    touch(frames, e->f);
    profile_frames_add(&e->f->file.frames, &frame);
    if (!cut || !e->f->standing.dead_end[e->block]) /* a dead end that is cut is left by its virtual edge */
        standing_correct(&e->f->standing, e->block, cut ? -count : count, e->f->file.counters);
}

/* How often one chain of the code holds the function at most: recursion may have been inlined. */
static int64_t most_in_a_chain(const struct place_code *code, uint32_t key)
{
    int64_t most = 1, *depth = ZALLOC(int64_t, (size_t)code->position_count + 1);
    for (uint32_t i = 0; i < code->position_count; i++) {
        depth[i + 1] = depth[code->positions[i].outer] + (code->positions[i].key == key);
        if (depth[i + 1] > most)
            most = depth[i + 1];
    }
    free(depth);
    return most;
}

static void doubt_code(const struct frames *frames, const struct resolver *r, int64_t error)
{
    for (uint32_t k = 0; k < r->ahead.code->key_count; k++) {
        struct decode_function *f = decode_module_find(r->ahead.module, r->ahead.code->keys[k]);
        frames->doubt(frames->context, r->ahead.module, f,
                      error_times(error, most_in_a_chain(r->ahead.code, k)));
    }
}

/* The frame is of main, wherever in it: main did not end as often as it began. */
static void leave_main(const struct frames *frames, const struct resolver *r, int64_t count)
{
    for (uint32_t k = 0; k < r->ahead.code->key_count; k++) {
        struct decode_function *f = decode_module_find(r->ahead.module, r->ahead.code->keys[k]);
        if (!f || !(f->map.flags & MAP_FUNCTION_MAIN))
            continue;
        touch(frames, f);
        f->file.cut_anywhere = (int64_t)((uint64_t)f->file.cut_anywhere + (uint64_t)count);
    }
}

/* The frame was interrupted between calls. It is not known whether the path that it was on is
 * counted, nor whether those before it are that one block of code counts together; this also holds
 * for functions that were inlined (plan/path_rest.h). */
static void doubt_paths(const struct frames *frames, const struct resolver *r, int64_t error)
{
    for (uint32_t k = 0; k < r->ahead.code->key_count; k++) {
        struct decode_function *f = decode_module_find(r->ahead.module, r->ahead.code->keys[k]);
        if (f && f->set != SET_NONE && f->map.plans[f->set].placement == PLACEMENT_REST)
            frames->doubt(frames->context, r->ahead.module, f,
                          error_times(error_times(error, most_in_a_chain(r->ahead.code, k)),
                                      f->code.most_paths > 1 ? 1 + f->code.most_paths : 1));
    }
}

struct ahead_counter {
    uint32_t key, counter;
    int64_t most;
};

/* Counters that may be ahead because of one frame count, and by how much. */
struct ahead {
    const struct place_code *code;
    struct hash_map loops; /* that were looked at */
    struct hash_map known; /* key, counter -> index + 1 */
    struct ARRAY_OF(struct ahead_counter) counters;
};

/* A loop has the counters of all loops around it, too. In which of several loops a frame stands is
 * not known. */
static void add_loop(struct ahead *a, uint32_t number)
{
    const struct place_code *code = a->code;
    const struct place_loop *loop = &code->loops[number - 1];
    bool added;
    hash_map_put(&a->loops, number, &added);
    if (!added)
        return;
    for (uint32_t i = loop->first; i < loop->first + loop->count; i++) {
        const struct place_moved *moved = &code->moved[i];
        uint64_t *index = hash_map_put(&a->known, (uint64_t)moved->key << 32 | moved->counter, &added);
        if (added) {
            ARRAY_PUSH(&a->counters, ((struct ahead_counter){.key = moved->key, .counter = moved->counter}));
            *index = a->counters.count;
        }
        int64_t *most = &a->counters.items[*index - 1].most;
        *most = error_plus(*most, moved_bound(moved));
    }
}

/* Adds the loops of a position, and of the calls around it that were inlined. */
static void add_loops(struct ahead *a, uint32_t position)
{
    const struct place_code *code = a->code;
    for (uint32_t at = position; at != PLACE_NONE; at = code->positions[at - 1].outer)
        if (code->positions[at - 1].loop)
            add_loop(a, code->positions[at - 1].loop);
}

/* Has the loop a count of this counter that is made before it runs? */
static bool loop_has(const struct place_code *code, const struct place_loop *loop,
                     const struct place_row *increment)
{
    for (uint32_t i = loop->first; i < loop->first + loop->count; i++)
        if (code->moved[i].key == increment->value && code->moved[i].counter == increment->counter)
            return true;
    return false;
}

/*
 * Adds the loops that begin after an instruction which stands between such a count and its loop:
 * the count is made, and the loop has not begun. The compiler puts the two side by side, and what
 * it puts between them (which of several copies of the loop is to run) has no position of its own.
 * So this looks for counts before the instruction, without a branch or a call of the program, or
 * anything of their loop, between.
 */
static void add_loops_to_come(struct ahead *a, uint32_t offset)
{
    const struct place_code *code = a->code;
    bool *passed = ZALLOC(bool, code->loop_count + 1);
    uint32_t rows = 0;
    while (rows < code->row_count && code->rows[rows].offset <= offset)
        rows++;
    while (rows-- > 0) {
        const struct place_row *row = &code->rows[rows];
        bool is_next = row->kind == PLACE_ACCESS || row->kind == PLACE_BRANCH || row->kind == PLACE_GOTO;
        if (is_next && row->offset == offset)
            continue; /* other rows stand at the end of an instruction */
        if (row->kind == PLACE_SHARED)
            continue;
        if (row->kind != PLACE_INCREMENT && row->kind != PLACE_ACCESS && row->value != PLACE_NONE)
            break;
        if (row->kind != PLACE_INCREMENT) {
            for (uint32_t at = row->value; at != PLACE_NONE; at = code->positions[at - 1].outer)
                passed[code->positions[at - 1].loop] = true;
            continue;
        }
        bool begun = false;
        for (uint32_t i = 0; row->by == 0 && i < code->loop_count; i++)
            begun |= passed[i + 1] && loop_has(code, &code->loops[i], row);
        for (uint32_t i = 0; row->by == 0 && !begun && i < code->loop_count; i++)
            if (loop_has(code, &code->loops[i], row))
                add_loop(a, i + 1);
    }
    free(passed);
}

/* Doubts the counts that cannot be relied on since the frame may stand in a loop whose counts were
 * moved out, or before it. */
static void doubt_counts(const struct frames *frames, const struct resolver *r, uint64_t interrupted_at,
                         bool placed, bool cut, int64_t size)
{
    struct ahead a = {.code = r->ahead.code};
    if (r->row && placed)
        add_loops(&a, r->row->value);
    for (size_t i = 0; i < r->ahead.points.count; i++)
        add_loops(&a, r->ahead.points.items[i].row->value);
    if (interrupted_at != 0 && a.counters.count == 0)
        add_loops_to_come(&a, (uint32_t)(interrupted_at - r->ahead.code->address));
    /* The frame may be in any of them. */
    for (uint32_t i = 0; (r->anywhere || !placed) && i < r->ahead.code->loop_count; i++)
        add_loop(&a, i + 1);
    for (size_t i = 0; i < a.counters.count; i++) {
        const struct ahead_counter *one = &a.counters.items[i];
        struct decode_function *f = decode_module_find(r->ahead.module, r->ahead.code->keys[one->key]);
        if (!f || one->counter >= f->counter_count || f->set == SET_NONE)
            continue;
        touch(frames, f);
        moved_doubt(f, one->counter, cut, size, one->most);
    }
    for (size_t i = 0; i < r->pending.count; i++) {
        struct pending *p = &r->pending.items[i];
        if (!p->computed || p->f->set == SET_NONE)
            continue;
        touch(frames, p->f);
        moved_doubt(p->f, p->counter, cut, size, moved_most(p->f, p->counter));
        frames->doubt(frames->context, r->ahead.module, p->f, size); /* the loop has not begun */
    }
    hash_map_release(&a.loops);
    hash_map_release(&a.known);
    ARRAY_RELEASE(&a.counters);
}

/* The sum of what increments ahead count. It is not known what of it was done before the frame was
 * left. */
static int64_t counts_ahead(const struct resolver *r)
{
    int64_t sum = 0;
    for (size_t i = 0; i < r->ahead.counts.count; i++)
        sum += (int64_t)r->ahead.counts.items[i].by; /* BY_MOST at most */
    return sum;
}

/* By how much counts are changed where the frame is taken to stand. */
static int64_t counts_waiting(const struct resolver *r)
{
    int64_t sum = 0;
    for (size_t i = 0; i < r->pending.count; i++) {
        int64_t waits = (int64_t)pending_waits(&r->pending.items[i]);
        sum += waits < 0 ? -waits : waits;
    }
    return sum;
}

/* The most that the increments ahead add to one counter of the function. */
static int64_t most_ahead(const struct resolver *r, const struct decode_function *f)
{
    int64_t most = 0;
    for (size_t i = 0; i < r->pending.count; i++) {
        int64_t sum = 0;
        for (size_t k = 0; k < r->ahead.counts.count && r->pending.items[i].f == f; k++) {
            const struct count_ahead *count = &r->ahead.counts.items[k];
            if (count->counter == r->pending.items[i].counter &&
                decode_module_find(r->ahead.module, r->ahead.code->keys[count->key]) == f)
                sum += (int64_t)count->by; /* BY_MOST at most */
        }
        if (sum > most)
            most = sum;
    }
    return most;
}

/*
 * The frame may stand in another round of a loop than the one that it is taken to stand in, or at
 * an earlier point. Then also activations of the earlier points are concerned, and those that begin
 * and end between the points: increments ahead are all that is seen of these.
 */
static void doubt_place(const struct frames *frames, const struct resolver *r, int64_t size)
{
    const struct code_ahead *ahead = &r->ahead;
    for (uint32_t k = 0; k < ahead->code->key_count; k++) {
        struct decode_function *f = decode_module_find(ahead->module, ahead->code->keys[k]);
        struct chain chain = {0};
        int64_t most = f ? most_ahead(r, f) : 0;
        bool concerned = f && (chain_has(&r->chain, f) || most > (r->at ? 0 : 1));
        for (size_t i = 0; f && i < r->at && !concerned; i++)
            concerned = chain_read_before(&chain, ahead->module, ahead->code, ahead->points.items[i].row) &&
                        chain_has(&chain, f);
        ARRAY_RELEASE(&chain);
        if (concerned)
            frames->doubt(frames->context, ahead->module, f,
                          error_times(r->at && most > r->doubt ? most : r->doubt, size));
    }
}

/* Makes the counts that wait, `times` times. sure: the frame stood where it is taken to
 * have stood. */
static void make_waiting(const struct frames *frames, const struct resolver *r, const struct pending *p,
                         int64_t times, bool sure)
{
    struct decode_function *f = p->f;
    if (pending_is_unsure(p, &r->chain))
        frames->doubt(frames->context, r->ahead.module, f,
                      error_times((int64_t)p->left, times < 0 ? -times : times));
    int64_t made = (int64_t)(pending_waits(p) * (uint64_t)times);
    if (!made || f->set == SET_NONE)
        return;
    touch(frames, f);
    f->file.counters[p->counter] = (int64_t)((uint64_t)f->file.counters[p->counter] + (uint64_t)made);
    if (sure || made < 0)
        return;
    if (!f->file.supposed)
        f->file.supposed = ZALLOC(int64_t, f->counter_count + 1);
    f->file.supposed[p->counter] = (int64_t)((uint64_t)f->file.supposed[p->counter] + (uint64_t)made);
}

/* Has the exception landed in the frame, or gone on from a function that was inlined there? Then
 * control goes on in the frame. */
static bool goes_on(const struct resolver *r, uint32_t kind)
{
    bool lands = kind == DATA_FRAME_GOES_ON;
    for (size_t i = 0; kind >= DATA_FRAME_UNWIND && i < r->chain.count; i++)
        lands |= is_invoke(&r->chain.items[i]);
    return lands;
}

/* The frame stays at its point of the final function, after the stretches that it passed, and which
 * are not counted yet. False: it is not known where that is. */
static bool stay(const struct resolver *r, int64_t count)
{
    struct decode_final *final = r->ahead.final;
    if (r->point == RESOLVED_NOWHERE)
        return final->map.graph.vertex_count == 1;
    decode_final_touch(final);
    final->gains[r->point] = (int64_t)((uint64_t) final->gains[r->point] - (uint64_t)count);
    for (size_t i = 0; i < r->ahead.shared.count; i++) {
        uint32_t edge = r->ahead.code->edges[r->ahead.shared.items[i].stretch - 1] - 1;
        if (!resolver_passed(r, &r->ahead.shared.items[i]) || !final->map.counted[edge])
            continue;
        int64_t *counter = &final->counters[final->counter_of[edge]];
        *counter = (int64_t)((uint64_t)*counter + (uint64_t)count);
    }
    return true;
}

/* Frames may have stood at other points of the final function than they are taken to. */
static void doubt_flow(const struct frames *frames, const struct resolver *r, int64_t size)
{
    size_t count = 0;
    const struct final_unsure *unsure = r->ahead.final ? decode_final_unsure(r->ahead.final, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        struct decode_function *f = decode_module_find(r->ahead.module, unsure[i].key);
        if (f)
            frames->doubt(frames->context, r->ahead.module, f, error_times(size, unsure[i].error));
    }
}

bool frames_apply(const struct frames *frames, struct decode_module *m, uint32_t kind, uint64_t address,
                  int64_t count)
{
    if (!data_frame_kind_is_known(kind))
        return false;
    bool at_call = kind != DATA_FRAME_CUT_AT && kind != DATA_FRAME_RESUME_AT;
    bool cut = kind != DATA_FRAME_RESUME && kind != DATA_FRAME_RESUME_AT;
    int64_t size = count < 0 ? -count : count;
    struct resolver r = {.ahead = {.module = m}};
    if (!count)
        return true;
    if (!decode_module_places(m, frames->debug_paths)) {
        frames->doubt(frames->context, m, NULL, MAX_ERROR_UNKNOWN);
        return true;
    }
    /* A return address may be the end of the code. */
    r.ahead.code = place_index_find(&m->places, address - (at_call ? 1 : 0));
    if (!r.ahead.code)
        return true;
    bool placed = resolver_find(&r, address, at_call);
    if (r.not_entered) {
        resolver_release(&r);
        return true;
    }
    doubt_counts(frames, &r, at_call ? 0 : address, placed, cut, size);
    if (!placed) {
        leave_main(frames, &r, cut ? count : -count);
        doubt_code(frames, &r, error_times(size, 1 + counts_ahead(&r)));
        doubt_flow(frames, &r, size);
    } else {
        bool unwinds = kind >= DATA_FRAME_UNWIND, interrupted = !r.row || r.row->kind == PLACE_SETTLED;
        /* When an exception goes on from the innermost activation, it has left that by its own way
         * out. */
        for (size_t i = kind == DATA_FRAME_GOES_ON ? 1 : 0; i < r.chain.count; i++) {
            if (unwinds && is_invoke(&r.chain.items[i]))
                break;
            apply(frames, &r.chain.items[i], cut, count, interrupted);
        }
        if (interrupted && most_pending_find(m, frames->debug_paths))
            doubt_paths(frames, &r, size);
        bool sure = !r.doubt && !r.passed_lost && !r.merged;
        for (size_t i = 0; i < r.pending.count; i++)
            sure &= !pending_is_unsure(&r.pending.items[i], &r.chain);
        for (size_t i = 0; i < r.pending.count; i++)
            make_waiting(frames, &r, &r.pending.items[i], cut ? count : -count, sure);
        if (r.ahead.final && !goes_on(&r, kind))
            sure &= stay(&r, cut ? count : -count);
        if (!sure)
            doubt_flow(frames, &r, size);
        if (r.doubt)
            doubt_place(frames, &r, size);
        if (r.passed_lost)
            doubt_code(frames, &r, error_times(size, 1 + counts_waiting(&r)));
        if (r.merged)
            doubt_code(frames, &r, error_times(r.pending.several > 1 ? r.pending.several : 1, size));
    }
    resolver_release(&r);
    return true;
}
