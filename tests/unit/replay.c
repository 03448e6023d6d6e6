/*
 * Replay against an interpreter that shares nothing with it: random programs run, with recursion, calls
 * through pointers, callbacks, exceptions, longjmp, jumps out of signal handlers, tail calls, threads that
 * follow each other and deaths anywhere, and write both streams as format/trace/layout.h says. Replay must
 * give the same blocks at the same depth; from every prefix a prefix, no shorter than what the data prove;
 * from every stack that was saved the same rest; and from damaged streams and stacks anything but a crash.
 */
#include "graph_testing.h"

#include "decode/trace/replay.h"
#include "plan/witness.h"
#include "plan/witness_bits.h"
#include "plan/witness_paths.h"

enum { FUNCTIONS_MOST = 6, BLOCKS_MOST = 10, DEPTH_LIMIT = 30, TRUTH_MOST = 4000, ID_BASE = 1000 };
static const uint64_t START = 0x7f0000001000u;

/* Programs */

struct program {
    uint32_t count;
    struct replay_function functions[FUNCTIONS_MOST];
    struct graph graphs[FUNCTIONS_MOST];
    uint32_t *values[FUNCTIONS_MOST];
    struct witness_paths paths[FUNCTIONS_MOST]; /* of functions with marks: by edge of what is walked */
    uint32_t *marks[FUNCTIONS_MOST];            /* or NULL */
    uint8_t bits[FUNCTIONS_MOST][BLOCKS_MOST + 1];
    bool has_bits[FUNCTIONS_MOST];
    bool has_paths; /* or bits: what is gathered is lost when it dies */
    bool landing[FUNCTIONS_MOST][BLOCKS_MOST + 1];
    uint32_t call_start[FUNCTIONS_MOST][BLOCKS_MOST + 1];
    struct replay_call calls[FUNCTIONS_MOST][BLOCKS_MOST * 4];
};

static bool walks(const struct program *p, uint32_t f, uint32_t e)
{
    const struct edge *edge = &p->graphs[f].edges[e];
    return (edge->kind == EDGE_FLOW || edge->kind == EDGE_EXIT) && !p->landing[f][edge->to];
}

static uint32_t distinct_successors(const struct program *p, uint32_t f, uint32_t v, uint32_t *to)
{
    uint32_t count = 0;
    for (uint32_t e = 0; e < p->graphs[f].edge_count; e++) {
        bool known = p->graphs[f].edges[e].from != v || !walks(p, f, e);
        for (uint32_t i = 0; i < count; i++)
            known |= to[i] == p->graphs[f].edges[e].to;
        if (!known)
            to[count++] = p->graphs[f].edges[e].to;
    }
    return count;
}

static void make_graph(struct program *p, uint32_t f)
{
    uint32_t blocks = 1 + random_below(6), pads = random_below(3);
    struct graph base = random_graph(blocks, 1 + random_below(2 * blocks));
    struct graph *g = &p->graphs[f];
    graph_init(g, blocks + pads);
    for (uint32_t e = 0; e < base.edge_count; e++)
        graph_add_edge(g, base.edges[e].from, base.edges[e].to == blocks ? blocks + pads : base.edges[e].to,
                       base.edges[e].kind);
    for (uint32_t i = 0; i < pads; i++) {
        uint32_t to = random_below(blocks + 1), from = i ? random_below(blocks) : 0;
        for (uint32_t e = 0; e < g->edge_count; e++) /* one pad a block */
            from = g->edges[e].from == from && g->edges[e].to >= blocks && g->edges[e].to < blocks + pads
                       ? GRAPH_NONE
                       : from;
        p->landing[f][blocks + i] = true;
        graph_add_edge(g, from == GRAPH_NONE ? blocks + i - 1 : from, blocks + i, EDGE_FLOW);
        graph_add_edge(g, blocks + i, to == blocks ? blocks + pads : to,
                       to == blocks ? EDGE_EXIT : EDGE_FLOW);
    }
    graph_complete(g);
    graph_release(&base);
}

static void make_calls(struct program *p, uint32_t f)
{
    uint32_t blocks = graph_exit(&p->graphs[f]), count = 0, to[BLOCKS_MOST];
    for (uint32_t v = 0; v < blocks; v++) {
        p->call_start[f][v] = count;
        uint32_t calls = random_below(3);
        bool lands = false;
        for (uint32_t e = 0; e < p->graphs[f].edge_count; e++)
            lands |= p->graphs[f].edges[e].from == v && p->landing[f][p->graphs[f].edges[e].to];
        calls += lands && !calls;
        for (uint32_t k = 0; k < calls; k++) {
            struct replay_call *call = &p->calls[f][count++];
            bool last = k + 1 == calls;
            call->kind = (enum replay_call_kind)random_below(4);
            if (last && lands && (call->kind == REPLAY_CALL_PLAIN || call->kind == REPLAY_CALL_TWICE))
                call->kind = REPLAY_CALL_UNKNOWN;
            if (last && !lands && distinct_successors(p, f, v, to) == 1 && to[0] == blocks && random_below(2))
                call->kind = REPLAY_CALL_JUMP;
            call->function = call->kind == REPLAY_CALL_KNOWN ? ID_BASE + random_below(p->count) : 0;
        }
    }
    p->call_start[f][blocks] = count;
}

static bool writes(const struct program *p, const bool *writing, const struct replay_call *c)
{
    return c->kind == REPLAY_CALL_UNKNOWN || c->kind == REPLAY_CALL_JUMP ||
           (c->kind == REPLAY_CALL_KNOWN && writing[c->function - ID_BASE]) || p->count == 0;
}

/* Numbers of paths instead of witnesses; number: the edges that are walked. False: there are too many. */
static bool make_paths(struct program *p, uint32_t f, const struct graph *walked, const uint32_t *number,
                       const bool *may_emit, const double *weights)
{
    struct error error;
    uint32_t marks[256];
    bool ends[BLOCKS_MOST];
    for (uint32_t v = 0; v < graph_exit(walked); v++) {
        ends[v] = may_emit[v];
        for (uint32_t c = p->call_start[f][v]; c < p->call_start[f][v + 1]; c++)
            ends[v] |= p->calls[f][c].kind == REPLAY_CALL_TWICE;
    }
    if (!witness_paths_mark(marks, walked, ends, weights, NULL, &error))
        return false;
    assert_true(witness_paths_number(&p->paths[f], walked, marks, ends, &error));
    p->marks[f] = ZALLOC(uint32_t, 256);
    uint32_t add[256];
    memcpy(add, p->paths[f].add, walked->edge_count * sizeof *add);
    free(p->paths[f].add);
    p->paths[f].add = ZALLOC(uint32_t, 256);
    for (uint32_t e = 0; e < walked->edge_count; e++) {
        p->marks[f][number[e]] = marks[e];
        p->paths[f].add[number[e]] = add[e];
        p->values[f][number[e]] = witness_path_kind(marks[e]) == WITNESS_PATH_WRITES;
    }
    p->functions[f].value_count = 1;
    p->functions[f].marks = p->marks[f];
    p->has_paths = true;
    return true;
}

/* Witnesses in bits; a byte is written before every call but plain ones. */
static void make_bits(struct program *p, uint32_t f, const struct graph *walked, const uint32_t *number,
                      const double *weights)
{
    struct error error;
    struct witness_plan plan;
    bool ends[BLOCKS_MOST + 1] = {false};
    enum witness_placement placement = random_below(2) ? WITNESS_BITS : WITNESS_LOG2;
    for (uint32_t v = 0; v < graph_exit(walked); v++)
        for (uint32_t c = p->call_start[f][v]; c < p->call_start[f][v + 1]; c++)
            ends[v] |= p->calls[f][c].kind != REPLAY_CALL_PLAIN;
    assert_true(witness_bits_make(&plan, walked, placement, ends, weights, &error));
    assert_true(witness_check(&plan, walked, ends, &error));
    assert_true(witness_bits_find(p->bits[f], walked, placement, plan.value, &error));
    for (uint32_t e = 0; e < walked->edge_count; e++)
        p->values[f][number[e]] = plan.value[e];
    p->functions[f].value_count = plan.value_count;
    p->functions[f].bits = p->bits[f];
    p->has_bits[f] = p->has_paths = true;
    witness_release(&plan);
}

static bool make_witnesses(struct program *p)
{
    bool writing[FUNCTIONS_MOST] = {false};
    for (uint32_t round = 0; round < FUNCTIONS_MOST; round++)
        for (uint32_t f = 0; f < p->count; f++) {
            uint32_t to[BLOCKS_MOST];
            for (uint32_t v = 0; v < graph_exit(&p->graphs[f]); v++) {
                writing[f] |= distinct_successors(p, f, v, to) > 1;
                for (uint32_t c = p->call_start[f][v]; c < p->call_start[f][v + 1]; c++)
                    writing[f] |=
                        writes(p, writing, &p->calls[f][c]) || p->calls[f][c].kind == REPLAY_CALL_TWICE;
            }
            for (uint32_t e = 0; e < p->graphs[f].edge_count; e++) /* perhaps a loop without a branch */
                writing[f] |= walks(p, f, e) && p->graphs[f].edges[e].to <= p->graphs[f].edges[e].from;
        }
    for (uint32_t f = 0; f < p->count; f++) {
        struct graph walked, *g = &p->graphs[f];
        struct witness_plan plan;
        struct error error;
        double weights[256];
        bool may_emit[BLOCKS_MOST] = {false};
        uint32_t number[256], count = 0;
        graph_init(&walked, graph_exit(g));
        for (uint32_t e = 0; e < g->edge_count; e++)
            if (walks(p, f, e)) {
                graph_add_edge(&walked, g->edges[e].from, g->edges[e].to, g->edges[e].kind);
                number[count] = e;
                weights[count++] = random_below(50);
            }
        for (uint32_t v = 0; v < graph_exit(g); v++)
            for (uint32_t c = p->call_start[f][v]; c < p->call_start[f][v + 1]; c++)
                may_emit[v] |= writes(p, writing, &p->calls[f][c]);
        if (!witness_make(&plan, &walked, (enum witness_placement)(1 + random_below(4)), may_emit, weights,
                          NULL, &error))
            fail_msg("%s", error.text);
        if (random_below(2))
            witness_share_values(&plan, &walked);
        p->values[f] = ZALLOC(uint32_t, (size_t)g->edge_count + 1);
        bool wide = random_below(4) == 0;
        for (uint32_t i = 0; i < count; i++)
            p->values[f][number[i]] = plan.value[i] ? plan.value[i] * (wide ? 111 : 1) : 0;
        p->functions[f] = (struct replay_function){.id = ID_BASE + f,
                                                   .graph = g,
                                                   .values = p->values[f],
                                                   .value_count = wide ? 5000 : plan.value_count,
                                                   .landing = p->landing[f],
                                                   .call_start = p->call_start[f],
                                                   .calls = p->calls[f]};
        if (random_below(4) == 0) {
            make_bits(p, f, &walked, number, weights);
        } else if (random_below(3) == 0) {
            memset(p->values[f], 0, g->edge_count * sizeof *p->values[f]);
            if (!make_paths(p, f, &walked, number, may_emit, weights))
                for (uint32_t i = 0; i < count; i++)
                    p->values[f][number[i]] = plan.value[i] ? plan.value[i] * (wide ? 111 : 1) : 0;
        }
        bool jump_writes = false; /* a tail call leaves no time to write on the way out */
        for (uint32_t e = 0; e < g->edge_count; e++) {
            uint32_t v = g->edges[e].from, end = v < graph_exit(g) ? p->call_start[f][v + 1] : 0;
            jump_writes |= p->values[f][e] && end && end > p->call_start[f][v] &&
                           p->calls[f][end - 1].kind == REPLAY_CALL_JUMP;
        }
        witness_release(&plan);
        graph_release(&walked);
        if (jump_writes)
            for (uint32_t c = 0; c < p->call_start[f][graph_exit(g)]; c++)
                if (p->calls[f][c].kind == REPLAY_CALL_JUMP)
                    p->calls[f][c].kind = REPLAY_CALL_UNKNOWN;
    }
    return true;
}

static struct program *make_program(void)
{
    struct program *p = ZALLOC(struct program, 1);
    p->count = 1 + random_below(FUNCTIONS_MOST);
    for (uint32_t f = 0; f < p->count; f++) {
        make_graph(p, f);
        make_calls(p, f);
    }
    make_witnesses(p);
    return p;
}

static void free_program(struct program *p)
{
    for (uint32_t f = 0; f < p->count; f++) {
        graph_release(&p->graphs[f]);
        free(p->values[f]);
        free(p->marks[f]);
        witness_paths_release(&p->paths[f]);
    }
    free(p);
}

/* Runs */

struct block {
    uint32_t function, block, depth;
};
struct cut {
    size_t events, side, proved;
};
struct frame {
    uint32_t f, block, call;
    bool called;
    uint64_t entry;
    uint32_t sum;               /* of functions with paths or bits */
    size_t coded;               /* how many blocks were there behind the last bits */
    size_t truth;               /* how many blocks were there, with its first one */
    uint32_t back[4][2], backs; /* where setjmp was called */
};
struct recording {
    const struct program *p;
    struct frame stack[DEPTH_LIMIT + 2];
    uint32_t depth;
    bool outside, over;
    bool unmarked; /* a function that was jumped to returned, which nothing shows: what comes next must not
                      depend on it */
    uint64_t address, calls;
    uint8_t events[TRUTH_MOST * 2];
    struct trace_record side[TRUTH_MOST * 4];
    struct block truth[TRUTH_MOST + DEPTH_LIMIT];
    struct cut cuts[TRUTH_MOST * 4];
    size_t event_count, side_count, truth_count, proved, cut_count;
    size_t died_at; /* all blocks, of a run that died of a signal; 0: it did not */
    size_t counted; /* blocks that were there when `calls` rose last: proved by the next record */
    unsigned long landings, catches, interrupts, callbacks, tail_calls, moves;
};

static unsigned long blocks_judged, prefixes_judged, restarts_judged, landings, catches, interrupts,
    callbacks, tail_calls, moves, damage_found, damage_missed, deaths, deaths_unknown, blocks_to_death;

static void prove(struct recording *r)
{
    r->proved = r->truth_count;
    r->cuts[r->cut_count++] = (struct cut){r->event_count, r->side_count, r->proved};
}

static void count_call(struct recording *r)
{
    r->calls++;
    r->counted = r->truth_count;
    r->unmarked = false;
}

static void record(struct recording *r, uint64_t what, uint64_t calls)
{
    r->side[r->side_count++] = (struct trace_record){what, calls};
}

static void show_block(struct recording *r)
{
    const struct frame *top = &r->stack[r->depth - 1];
    r->truth[r->truth_count++] = (struct block){top->f, top->block, r->depth};
}

/* A stretch begins at the frame's block. */
static void begin_sum(const struct recording *r, struct frame *frame)
{
    if (r->p->marks[frame->f])
        frame->sum = r->p->paths[frame->f].base[frame->block];
    else
        frame->sum = 1;
}

/* The bits that were gathered, if it is time. */
static void write_bits(struct recording *r, struct frame *frame, uint32_t limit)
{
    if (!r->p->has_bits[frame->f] || frame->sum < limit)
        return;
    r->events[r->event_count++] = (uint8_t)frame->sum;
    r->address++;
    frame->sum = 1;
    size_t now = r->truth_count;
    r->truth_count = frame->coded;
    prove(r);
    r->truth_count = now;
}

static void enter(struct recording *r, uint32_t f, bool called)
{
    r->stack[r->depth++] =
        (struct frame){.f = f, .called = called, .entry = r->address, .truth = r->truth_count + 1};
    r->outside = false;
    begin_sum(r, &r->stack[r->depth - 1]);
    show_block(r);
}

static void leave(struct recording *r)
{
    r->outside = r->stack[--r->depth].called;
}

static void end_by(struct recording *r, enum trace_end how)
{
    if (how == TRACE_END_SIGNAL) {
        r->died_at = r->truth_count;
        r->truth_count = r->proved > r->counted ? r->proved : r->counted;
    }
    record(r, TRACE_END, r->calls);
    record(r, how, r->address);
    prove(r);
    r->over = true;
}

/* An exception of some type: the youngest frame that has a handler for it here. */
static void throw_one(struct recording *r)
{
    uint32_t type = random_below(8);
    for (uint32_t i = r->depth; i-- > 0;) {
        struct frame *f = &r->stack[i];
        const struct graph *g = &r->p->graphs[f->f];
        if (!f->call || f->call != r->p->call_start[f->f][f->block + 1] - r->p->call_start[f->f][f->block] ||
            !((type + f->f * 3 + f->block) % 4))
            continue;
        for (uint32_t e = 0; e < g->edge_count; e++)
            if (g->edges[e].from == f->block && r->p->landing[f->f][g->edges[e].to] &&
                g->edges[e].kind == EDGE_FLOW) {
                r->depth = i + 1;
                f->block = g->edges[e].to;
                f->call = 0;
                begin_sum(r, f);
                r->outside = false;
                record(r, TRACE_LAND, r->calls);
                record(r, ID_BASE + f->f, (uint64_t)f->block << 32);
                record(r, f->entry, r->address);
                show_block(r);
                prove(r);
                r->catches++;
                return;
            }
    }
}

static void jump_back(struct recording *r, bool from_handler)
{
    if (!r->depth)
        return;
    uint32_t i = random_below(r->depth);
    struct frame *f = &r->stack[i];
    if (!f->backs)
        return;
    for (uint32_t j = from_handler ? 0 : i + 1; j < r->depth;
         j++) /* the streams do not tell these two apart */
        if (j != i && r->stack[j].f == f->f && r->stack[j].entry == f->entry)
            return;
    uint32_t k = random_below(f->backs);
    if (from_handler) { /* what ran since the last proof is not known, but that the activation began */
        r->proved = r->proved > r->counted ? r->proved : r->counted;
        r->truth_count = r->proved > f->truth ? r->proved : f->truth;
        r->interrupts++;
    }
    r->depth = i + 1;
    f->block = f->back[k][0];
    f->call = f->back[k][1];
    begin_sum(r, f);
    r->outside = false;
    record(r, from_handler ? TRACE_LAND_HANDLER : TRACE_LAND, r->calls);
    record(r, ID_BASE + f->f, (uint64_t)f->block << 32 | f->call);
    record(r, f->entry, r->address);
    prove(r);
    r->landings++;
}

static void step_outside(struct recording *r)
{
    uint32_t what = r->unmarked ? 11 : random_below(12);
    if (r->unmarked && !r->depth)
        r->over = true;
    if (what < 3 && r->depth < DEPTH_LIMIT) {
        if (random_below(10) == 0) {
            uint64_t next = START + (1 + random_below(1000)) * UINT64_C(0x100000000);
            record(r, TRACE_MOVED, r->calls);
            record(r, r->address, next);
            r->address = next;
            prove(r);
            r->moves++;
        }
        uint32_t f = random_below(r->p->count);
        record(r, ID_BASE + f, r->calls);
        enter(r, f, true);
        prove(r);
        r->callbacks++;
    } else if (what == 3) {
        throw_one(r);
    } else if (what == 4) {
        jump_back(r, false);
    } else if (what == 5 && random_below(20) == 0) {
        end_by(r, (enum trace_end)(1 + random_below(4)));
    } else if (r->depth) {
        const struct frame *top = &r->stack[r->depth - 1];
        uint32_t c = r->p->call_start[top->f][top->block] + top->call - 1;
        if (r->p->calls[top->f][c].kind == REPLAY_CALL_UNKNOWN)
            count_call(r);
        else
            r->unmarked = true;
        r->outside = false;
    } else if (random_below(8) == 0) { /* another thread takes the stream over */
        record(r, TRACE_END, r->calls);
        record(r, TRACE_END_THREAD, r->address);
        record(r, TRACE_THREAD, r->calls = random_below(5));
        record(r, 7, r->address);
        prove(r);
    }
}

static void step_inside(struct recording *r)
{
    struct frame *top = &r->stack[r->depth - 1];
    const struct program *p = r->p;
    uint32_t first = p->call_start[top->f][top->block], count = p->call_start[top->f][top->block + 1] - first;
    if (random_below(60) == 0 && !r->unmarked) {
        jump_back(r, true);
        return;
    }
    if (top->call < count) {
        const struct replay_call *call = &p->calls[top->f][first + top->call++];
        if (call->kind != REPLAY_CALL_PLAIN)
            write_bits(r, top, 2);
        switch (call->kind) {
        case REPLAY_CALL_PLAIN:
            break;
        case REPLAY_CALL_TWICE:
            if (top->backs < 4) {
                top->back[top->backs][0] = top->block;
                top->back[top->backs++][1] = top->call;
            }
            break;
        case REPLAY_CALL_UNKNOWN:
            count_call(r);
            r->outside = true;
            break;
        case REPLAY_CALL_JUMP:
            count_call(r);
            leave(r);
            r->outside = true;
            r->tail_calls++;
            break;
        case REPLAY_CALL_KNOWN:
            if (r->depth >= DEPTH_LIMIT) {
                top->call--;
                end_by(r, TRACE_END_SIGNAL);
            } else
                enter(r, (uint32_t)(call->function - ID_BASE), false);
            break;
        }
        return;
    }
    uint32_t to[BLOCKS_MOST], choices = distinct_successors(p, top->f, top->block, to);
    if (!choices || (random_below(400) == 0 && !r->unmarked)) {
        end_by(r, TRACE_END_SIGNAL);
        return;
    }
    uint32_t chosen = to[random_below(choices)], value = 0, edge = 0;
    for (uint32_t e = 0; e < p->graphs[top->f].edge_count; e++)
        if (p->graphs[top->f].edges[e].from == top->block && p->graphs[top->f].edges[e].to == chosen &&
            walks(p, top->f, e)) {
            value = p->values[top->f][e];
            edge = e;
        }
    if (p->marks[top->f]) {
        top->sum += p->paths[top->f].add[edge];
        value = value ? 1 + top->sum : 0;
    }
    bool bits = value && p->has_bits[top->f];
    if (bits) {
        uint32_t width = p->bits[top->f][top->block];
        write_bits(r, top, 1u << (8 - width));
        top->sum = top->sum << width | (value - 1);
    }
    if (value && !bits) {
        uint8_t low = (uint8_t)((value - 1) % 254 + 2), high = (uint8_t)((value - 1) / 254 + 2);
        r->events[r->event_count++] = low;
        r->address++;
        if (p->functions[top->f].value_count > 254) {
            r->cuts[r->cut_count++] = (struct cut){r->event_count, r->side_count, r->proved};
            r->events[r->event_count++] = high;
            r->address++;
        }
    }
    if (bits)
        top->coded = r->truth_count + (chosen != graph_exit(&p->graphs[top->f]));
    if (chosen == graph_exit(&p->graphs[top->f])) {
        write_bits(r, top, 2);
        leave(r);
    } else {
        top->block = chosen;
        top->call = 0;
        if (p->marks[top->f] && witness_path_kind(p->marks[top->f][edge]) != WITNESS_PATH_ADDS)
            begin_sum(r, top);
        show_block(r);
    }
    if (value && !bits)
        prove(r);
}

static struct recording *record_run(const struct program *p, size_t length)
{
    struct recording *r = ZALLOC(struct recording, 1);
    r->p = p;
    r->outside = true;
    r->address = START;
    prove(r);
    for (size_t budget = length * 40; budget && !r->over && r->truth_count < length; budget--) {
        if (r->outside)
            step_outside(r);
        else
            step_inside(r);
    }
    landings += r->landings;
    catches += r->catches;
    interrupts += r->interrupts;
    callbacks += r->callbacks;
    tail_calls += r->tail_calls;
    moves += r->moves;
    return r;
}

/* Replays */

struct seen {
    struct block blocks[TRUTH_MOST * 2];
    size_t count;
    size_t depth;
};

static bool see_runs(void *context, const struct replay_run *const *runs, size_t count)
{
    struct seen *s = context;
    for (size_t i = 0; i < count; i++) {
        uint32_t blocks = 0;
        for (uint32_t k = 0; k < runs[i]->item_count; k++) {
            const struct replay_item *item = &runs[i]->items[k];
            bool is_block = item->kind != REPLAY_LEAVE && item->kind != REPLAY_LAND_BEHIND;
            s->depth += item->kind == REPLAY_ENTER || item->kind == REPLAY_ENTER_CALLED;
            if (is_block && s->count < TRUTH_MOST * 2)
                s->blocks[s->count++] = (struct block){item->function, item->block, (uint32_t)s->depth};
            s->depth -= item->kind == REPLAY_LEAVE;
            blocks += is_block;
        }
        if (blocks != runs[i]->block_count)
            fail_msg("a run of %u blocks says it has %u", blocks, runs[i]->block_count);
    }
    return true;
}

static void see_cut(void *context, size_t depth)
{
    ((struct seen *)context)->depth = depth;
}

/* Feeds until nothing moves; handles records as a caller would. */
static enum replay_result feed_all(struct replay *replay, struct replay_input *in, struct seen *seen,
                                   struct error *error)
{
    enum replay_result result;
    while ((result = replay_feed(replay, in, error)) == REPLAY_RECORD) {
        size_t left = (size_t)(in->side_end - in->side);
        if (in->side->what == TRACE_THREAD) {
            replay_begin(replay, in->side[1].calls, in->side->calls);
            seen->depth = 0;
        }
        in->side += left < 2 ? left : 2;
    }
    return result;
}

static void compare(const struct recording *r, const struct seen *seen, size_t least, const char *how)
{
    bool fine = seen->count >= least && seen->count <= r->truth_count;
    for (size_t i = 0; fine && i < seen->count; i++)
        fine = !memcmp(&seen->blocks[i], &r->truth[i], sizeof r->truth[i]);
    if (fine)
        return;
    for (uint32_t f = 0; f < r->p->count; f++) {
        printf("function %u, %u values: ", f, r->p->functions[f].value_count);
        for (uint32_t e = 0; e < r->p->graphs[f].edge_count; e++)
            printf(" %u>%u[%u]", r->p->graphs[f].edges[e].from, r->p->graphs[f].edges[e].to,
                   r->p->values[f][e]);
        for (uint32_t v = 0; v < graph_exit(&r->p->graphs[f]); v++)
            for (uint32_t c = r->p->call_start[f][v]; c < r->p->call_start[f][v + 1]; c++)
                printf(" %u:%d(%ld)", v, r->p->calls[f][c].kind, (long)r->p->calls[f][c].function);
        printf("\n");
    }
    for (size_t i = 0; i < seen->count || i < r->truth_count; i++) {
        printf("%zu:", i);
        if (i < r->truth_count)
            printf(" %u.%u@%u", r->truth[i].function, r->truth[i].block, r->truth[i].depth);
        if (i < seen->count)
            printf(" | %u.%u@%u", seen->blocks[i].function, seen->blocks[i].block, seen->blocks[i].depth);
        printf("\n");
    }
    for (size_t i = 0; i < r->side_count; i++)
        printf("side %lx %lx\n", (long)r->side[i].what, (long)r->side[i].calls);
    for (size_t i = 0; i < r->event_count; i++)
        printf(" %u", r->events[i]);
    printf("\n");
    fail_msg("%s: %zu blocks, at least %zu expected, at most %zu", how, seen->count, least, r->truth_count);
}

static void replay_part(struct replay_program *program, const struct recording *r, size_t events, size_t side,
                        size_t least, const char *how)
{
    static struct seen seen;
    seen.count = seen.depth = 0;
    struct replay_consumer consumer = {.context = &seen, .runs = see_runs, .cut = see_cut};
    struct replay *replay = replay_make(program, &consumer);
    struct replay_input in = {r->events, r->events + events, r->side, r->side + side, false};
    struct error error = {""};
    replay_begin(replay, START, 0);
    enum replay_result result = feed_all(replay, &in, &seen, &error);
    if (result != REPLAY_MORE) {
        compare(r, &seen, SIZE_MAX, error.text);
        fail_msg("%s: %s", how, error.text);
    }
    compare(r, &seen, least, how);
    replay_free(replay);
    prefixes_judged++;
}

/* Window by window; between windows the machine is saved and another one, of another program, made from the
 * bytes. */
static void replay_in_windows(struct replay_program **programs, const struct recording *r, uint32_t most)
{
    static struct seen seen;
    seen.count = seen.depth = 0;
    struct replay_consumer consumer = {.context = &seen, .runs = see_runs, .cut = see_cut};
    struct error error = {""};
    struct replay *replay = replay_make(programs[0], &consumer);
    struct replay_input in = {r->events, r->events, r->side, r->side, true};
    const uint8_t *events_end = r->events + r->event_count;
    const struct trace_record *side_end = r->side + r->side_count;
    replay_begin(replay, START, 0);
    for (int turn = 0; in.events_end < events_end || in.side_end < side_end || in.side_goes_on; turn++) {
        size_t more = random_below(most + 1), more_side = random_below(most + 1);
        in.events_end +=
            more < (size_t)(events_end - in.events_end) ? more : (size_t)(events_end - in.events_end);
        in.side_end +=
            more_side < (size_t)(side_end - in.side_end) ? more_side : (size_t)(side_end - in.side_end);
        in.side_goes_on = in.side_end < side_end;
        enum replay_result result = feed_all(replay, &in, &seen, &error);
        if (result != REPLAY_MORE) {
            compare(r, &seen, SIZE_MAX, error.text);
            fail_msg("in windows: %s", error.text);
        }
        struct buffer saved = {0};
        replay_save(replay, &saved);
        replay_free(replay);
        replay = replay_make(programs[turn & 1], &consumer);
        struct cursor cursor = cursor_over(saved.data, saved.length);
        if (!replay_restore(replay, &cursor, &error))
            fail_msg("restoring: %s", error.text);
        assert_int_equal(cursor_left(&cursor), 0);
        buffer_release(&saved);
        restarts_judged++;
    }
    compare(r, &seen, r->proved, "in windows");
    replay_free(replay);
}

/* The machine that is simulated makes a call of every call. */
static enum replay_made calls_are_calls(void *context, const struct replay_frame *frame, const void *code)
{
    (void)context;
    (void)frame;
    (void)code;
    return REPLAY_MADE_CALL;
}

/* Where it died is known: all blocks are, too, unless choices were still being added up. */
static void replay_to_death(struct replay_program *program, struct recording *r)
{
    static struct seen seen;
    struct replay_frame frames[DEPTH_LIMIT + 2];
    seen.count = seen.depth = 0;
    struct replay_consumer consumer = {.context = &seen, .runs = see_runs, .cut = see_cut};
    struct replay *replay = replay_make(program, &consumer);
    struct replay_input in = {r->events, r->events + r->event_count, r->side, r->side + r->side_count, false};
    struct error error = {""};
    replay_begin(replay, START, 0);
    assert_int_equal(feed_all(replay, &in, &seen, &error), REPLAY_MORE);
    for (uint32_t i = 0; i < r->depth; i++)
        frames[i] = (struct replay_frame){
            .function = r->stack[i].f, .block = r->stack[i].block, .call = r->stack[i].call};
    size_t proved = seen.count;
    r->truth_count = r->died_at;
    const struct replay_point point = {.first = r->depth - 1, .count = 1};
    const struct replay_standing standing = {
        .frames = frames, .count = r->depth - 1, .points = &point, .point_count = 1, .made = calls_are_calls};
    if (replay_go_to(replay, &standing) != REPLAY_ARRIVED) {
        if (r->p->has_paths) {
            assert_int_equal(seen.count, proved);
            replay_free(replay);
            deaths_unknown++;
            return;
        }
        compare(r, &seen, SIZE_MAX, "to where it died");
        fail_msg("the way to where it died was not found");
    }
    compare(r, &seen, r->died_at, "to where it died");
    for (uint32_t i = 0; i < r->depth; i++) {
        struct replay_frame f = replay_frame(replay, i);
        assert_true(f.function == frames[i].function && f.block == frames[i].block &&
                    f.call == frames[i].call);
    }
    deaths++;
    blocks_to_death += r->died_at - proved;
    replay_free(replay);
}

static void same_blocks(const struct program *p, struct replay_program **programs, size_t length,
                        bool all_prefixes)
{
    struct recording *r = record_run(p, length);
    replay_part(programs[0], r, r->event_count, r->side_count, r->proved, "whole");
    blocks_judged += r->proved;
    replay_in_windows(programs, r, 1 + random_below(12));
    for (size_t i = 0; all_prefixes && i < r->cut_count; i++) {
        const struct cut *c = &r->cuts[i];
        replay_part(programs[0], r, c->events, c->side, c->proved, "prefix");
        if (c->events) /* records may be ahead of events */
            replay_part(programs[0], r, random_below((uint32_t)c->events), c->side, 0,
                        "prefix, records ahead");
    }
    if (r->died_at && !r->unmarked)
        replay_to_death(programs[0], r);
    free(r);
}

static void random_programs(void **state)
{
    (void)state;
    for (int i = 0; i < (int)sampled(3000); i++) {
        struct program *p = make_program();
        struct error error = {""};
        struct replay_program *programs[2] = {replay_program_make(p->functions, p->count, &error),
                                              replay_program_make(p->functions, p->count, &error)};
        if (!programs[0] || !programs[1])
            fail_msg("%s", error.text);
        for (int k = 0; k < 4; k++)
            same_blocks(p, programs, k ? 60 : TRUTH_MOST - 100, k);
        replay_program_free(programs[0]);
        replay_program_free(programs[1]);
        free_program(p);
    }
    printf("%lu blocks, %lu prefixes, %lu restarts; %lu callbacks, %lu jumps back, %lu exceptions caught, "
           "%lu out of handlers,"
           " %lu tail calls, %lu moves\n",
           blocks_judged, prefixes_judged, restarts_judged, callbacks, landings, catches, interrupts,
           tail_calls, moves);
    printf("%lu blocks behind the last event of %lu runs that died, %lu with choices that were not written\n",
           blocks_to_death, deaths, deaths_unknown);
    assert_true(deaths > sampled(1000) && blocks_to_death > sampled(1000) && deaths_unknown * 2 < deaths);
    assert_true(landings > sampled(1000) && catches > sampled(1000) && interrupts > sampled(300));
    assert_true(tail_calls > sampled(1000) && moves > sampled(1000));
}

/* Whatever is read, nothing but errors and blocks come out. */
static void damaged_streams(void **state)
{
    (void)state;
    for (int i = 0; i < (int)sampled(1500); i++) {
        struct program *p = make_program();
        struct error error = {""};
        struct replay_program *program = replay_program_make(p->functions, p->count, &error);
        struct recording *r = record_run(p, 300);
        static struct seen seen;
        struct replay_consumer consumer = {.context = &seen, .runs = see_runs, .cut = see_cut};
        for (int k = 0; k < 8; k++) {
            struct buffer saved = {0};
            struct replay *replay = replay_make(program, &consumer);
            replay_limit_depth(replay, 2000);
            replay_begin(replay, START, 0);
            if (r->event_count)
                r->events[random_below((uint32_t)r->event_count)] = (uint8_t)random_below(7);
            if (r->side_count && k % 2) {
                struct trace_record *record = &r->side[random_below((uint32_t)r->side_count)];
                *(random_below(2) ? &record->what : &record->calls) += random_below(5) - 2u;
            }
            struct replay_input in = {r->events, r->events + r->event_count, r->side, r->side + r->side_count,
                                      false};
            seen.count = seen.depth = 0;
            error.text[0] = 0;
            bool found = feed_all(replay, &in, &seen, &error) == REPLAY_DAMAGED;
            assert_true(found == (error.text[0] != 0));
            *(found ? &damage_found : &damage_missed) += 1;
            replay_save(replay, &saved);
            saved.data[random_below((uint32_t)saved.length)] += (uint8_t)(1 + random_below(3));
            struct cursor cursor = cursor_over(
                saved.data, random_below(3) ? saved.length : random_below((uint32_t)saved.length));
            if (replay_restore(replay, &cursor, &error)) {
                in = (struct replay_input){r->events, r->events + r->event_count, r->side,
                                           r->side + r->side_count, false};
                feed_all(replay, &in, &seen, &error);
            }
            buffer_release(&saved);
            replay_free(replay);
        }
        replay_program_free(program);
        free_program(p);
        free(r);
    }
    printf("damage: %lu found, %lu not seen\n", damage_found, damage_missed);
    assert_true(damage_found > damage_missed);
}

/* One function each, by hand. */
static struct replay_function function_of(struct graph *g, const uint32_t *values, const uint32_t *call_start,
                                          const struct replay_call *calls, uint64_t id)
{
    return (struct replay_function){
        .id = id, .graph = g, .values = values, .value_count = 9, .call_start = call_start, .calls = calls};
}

/* f(){f();} never writes: it ends where its data end, and no record makes it run for ever. */
static void endless_recursion_ends(void **state)
{
    (void)state;
    struct graph g = graph_of(1, "0>x");
    graph_complete(&g);
    static const uint32_t values[3], call_start[] = {0, 1};
    static const struct replay_call calls[] = {{REPLAY_CALL_KNOWN, 300}};
    struct replay_function f = function_of(&g, values, call_start, calls, 300);
    struct error error = {""};
    struct seen *seen = ZALLOC(struct seen, 1);
    struct replay_program *program = replay_program_make(&f, 1, &error);
    struct replay_consumer consumer = {.context = seen, .runs = see_runs, .cut = see_cut};
    struct replay *replay = replay_make(program, &consumer);
    static const struct trace_record side[] = {{300, 0}, {300, 2}};
    static const uint8_t events[] = {1};
    struct replay_input in = {events, events, side, side + 1, false};
    replay_begin(replay, START, 0);
    assert_int_equal(replay_feed(replay, &in, &error), REPLAY_MORE);
    assert_int_equal(seen->count, 1);
    in.side_end++;
    replay_limit_depth(replay, 1000000);
    assert_int_equal(replay_feed(replay, &in, &error), REPLAY_DAMAGED);
    assert_int_equal(replay_place(replay).depth, 1000000);
    assert_non_null(strstr(error.text, "too many activations"));
    assert_int_equal(replay_feed(replay, &in, &error), REPLAY_DAMAGED);
    replay_free(replay);
    replay_program_free(program);
    graph_release(&g);
    free(seen);
}

/* main calls g twice; without blocking, long-short reads as short-long: such a program is refused. */
static void witnesses_that_do_not_block_are_refused(void **state)
{
    (void)state;
    struct graph g = graph_of(3, "0>1 0>2 1>2 2>x"), m = graph_of(1, "0>x");
    graph_complete(&g);
    graph_complete(&m);
    static const uint32_t values[] = {1, 0, 0, 0, 0}, none[8], twice[] = {0, 2};
    static const struct replay_call calls[] = {{REPLAY_CALL_KNOWN, 300}, {REPLAY_CALL_KNOWN, 300}};
    struct replay_function f[] = {function_of(&g, values, none, calls, 300),
                                  function_of(&m, none, twice, calls, 301)};
    struct error error = {""};
    assert_null(replay_program_make(f, 2, &error));
    assert_non_null(strstr(error.text, "without a witness"));
    static const uint32_t both[] = {1, 2, 0, 0, 0};
    f[0].values = both;
    struct replay_program *program = replay_program_make(f, 2, &error);
    assert_non_null(program);
    struct seen *seen = ZALLOC(struct seen, 1);
    struct replay_consumer consumer = {.context = seen, .runs = see_runs};
    struct replay *replay = replay_make(program, &consumer);
    static const struct trace_record side[] = {{301, 0}, {TRACE_END, 0}, {TRACE_END_CLEAN, 0x7f0000001002u}};
    static const uint8_t events[] = {2, 3};
    struct replay_input in = {events, events + 2, side, side + 3, false};
    replay_begin(replay, START, 0);
    assert_int_equal(replay_feed(replay, &in, &error), REPLAY_RECORD);
    static const uint32_t expected[][2] = {{1, 0}, {0, 0}, {0, 1}, {0, 2}, {0, 0}, {0, 2}};
    assert_int_equal(seen->count, 6);
    for (size_t i = 0; i < 6; i++)
        assert_true(seen->blocks[i].function == expected[i][0] && seen->blocks[i].block == expected[i][1]);
    assert_int_equal(replay_place(replay).depth, 0);
    replay_free(replay);
    replay_program_free(program);
    graph_release(&g);
    graph_release(&m);
    free(seen);
}

/* Feeds the events, one window each, and returns how many blocks were seen; the replay is saved and
 * restored between them. */
static size_t blocks_of(struct replay_program *program, const uint8_t *const *windows, const size_t *lengths,
                        size_t count)
{
    struct seen *seen = ZALLOC(struct seen, 1);
    struct replay_consumer consumer = {.context = seen, .runs = see_runs};
    struct replay *replay = replay_make(program, &consumer);
    static const struct trace_record side[] = {{300, 0}};
    struct error error = {""};
    replay_begin(replay, START, 0);
    for (size_t i = 0; i < count; i++) {
        struct replay_input in = {windows[i], windows[i] + lengths[i], side + (i > 0), side + 1, false};
        assert_int_equal(replay_feed(replay, &in, &error), REPLAY_MORE);
        assert_ptr_equal(in.events, in.events_end);
        struct buffer saved = {0};
        replay_save(replay, &saved);
        struct cursor cursor = cursor_over(saved.data, saved.length);
        assert_true(replay_restore(replay, &cursor, &error));
        buffer_release(&saved);
    }
    size_t blocks = seen->count;
    replay_free(replay);
    free(seen);
    return blocks;
}

/* Rounds of a loop are what their events would be, once something was written after them; before,
 * they are nothing. */
static void rounds_are_believed_afterwards(void **state)
{
    (void)state;
    struct graph g = graph_of(3, "0>1 1>1 1>2 2>x");
    graph_complete(&g);
    static const uint32_t values[] = {0, 1, 2, 0, 0, 0}, none[8];
    struct replay_function f = function_of(&g, values, none, NULL, 300);
    struct error error = {""};
    struct replay_program *program = replay_program_make(&f, 1, &error);
    assert_non_null(program);
    static const uint8_t plain[] = {2, 2, 2, 2, 2, 3}, rounds[] = {1, 1, 2, 6}, end[] = {3};
    static const uint8_t all[] = {1, 1, 2, 6, 3},
                         two[] = {1, 5, 2, 1, 1, 2, 3, 2, 3}; /* 2 and two more, once */
    static const uint8_t large[] = {1,    1,    2,    255,  0x80 | 100, 0x80 | 3, 0x80,
                                    0x80, 0x80, 0x80, 0x80, 0x80,       3};
    const uint8_t *one[] = {plain}, *held[] = {rounds}, *parts[] = {rounds, end}, *whole[] = {all},
                  *inside[] = {two}, *many[] = {large};
    size_t by_events = blocks_of(program, one, (size_t[]){6}, 1);
    assert_int_equal(by_events, 8); /* 0, 1, five times 1, 2 */
    assert_int_equal(blocks_of(program, held, (size_t[]){4}, 1), 1);
    assert_int_equal(blocks_of(program, parts, (size_t[]){4, 1}, 2), by_events);
    assert_int_equal(blocks_of(program, whole, (size_t[]){5}, 1), by_events);
    assert_int_equal(blocks_of(program, inside, (size_t[]){9}, 1), 3 + 3);
    assert_int_equal(blocks_of(program, many, (size_t[]){13}, 1), 3 + 100 + 3 * 128);
    replay_program_free(program);
    graph_release(&g);
}

/* How many functions are doubted when control stands in block `block`, after these events. */
static size_t doubts_at(struct replay_program *program, const uint8_t *events, size_t count, uint32_t block,
                        bool behind, size_t *blocks)
{
    struct seen *seen = ZALLOC(struct seen, 1);
    struct replay_consumer consumer = {.context = seen, .runs = see_runs};
    struct replay *replay = replay_make(program, &consumer);
    static const struct trace_record side[] = {{300, 0}};
    struct replay_input in = {events, events + count, side, side + 1, false};
    struct error error = {""};
    replay_begin(replay, START, 0);
    assert_int_equal(replay_feed(replay, &in, &error), REPLAY_MORE);
    const struct replay_frame frame = {.block = block};
    const struct replay_point point = {.count = 1, .behind = behind};
    const struct replay_standing standing = {
        .frames = &frame, .points = &point, .point_count = 1, .made = calls_are_calls};
    assert_int_equal(replay_go_to(replay, &standing), REPLAY_ARRIVED);
    const struct replay_doubt *doubts;
    size_t doubted = replay_doubts(replay, &doubts);
    *blocks = seen->count;
    replay_free(replay);
    free(seen);
    return doubted;
}

/* The event of a way back, when code of its block comes after it: control that stands there has, by
 * the events, one round behind it that it is still in. That round is doubted. */
static void a_round_whose_event_came_early_is_doubted(void **state)
{
    (void)state;
    struct graph g = graph_of(4, "0>1 1>2 2>1 1>3 3>x");
    graph_complete(&g);
    static const uint32_t values[] = {0, 0, 1, 2, 0, 0, 0}, none[8];
    struct replay_function f = function_of(&g, values, none, NULL, 300);
    struct error error = {""};
    struct replay_program *program = replay_program_make(&f, 1, &error);
    assert_non_null(program);
    static const uint8_t back[] = {2, 2}, out[] = {2, 3};
    size_t blocks;
    assert_int_equal(doubts_at(program, back, 2, 2, true, &blocks), 1);
    assert_int_equal(blocks, 7); /* 0, three times 1, 2 */
    assert_int_equal(doubts_at(program, back, 2, 2, false, &blocks), 0);
    assert_int_equal(blocks, 7);
    assert_int_equal(doubts_at(program, back, 2, 1, true, &blocks), 0); /* it has not gone on */
    assert_int_equal(blocks, 6);
    assert_int_equal(doubts_at(program, out, 2, 3, true, &blocks), 0);
    assert_int_equal(blocks, 5);
    replay_program_free(program);
    graph_release(&g);
}

/* Two functions with one id: nobody can say which was entered. */
static void ambiguous_ids_are_damage(void **state)
{
    (void)state;
    struct graph g = graph_of(1, "0>x");
    graph_complete(&g);
    static const uint32_t none[4];
    struct replay_function f[] = {function_of(&g, none, none, NULL, 300),
                                  function_of(&g, none, none, NULL, 300)};
    struct error error = {""};
    struct replay_program *program = replay_program_make(f, 2, &error);
    struct replay *replay = replay_make(program, NULL);
    static const struct trace_record side[] = {{300, 0}};
    struct replay_input in = {NULL, NULL, side, side + 1, false};
    assert_int_equal(replay_feed(replay, &in, &error), REPLAY_DAMAGED);
    assert_non_null(strstr(error.text, "same id"));
    replay_free(replay);
    replay_program_free(program);
    graph_release(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(endless_recursion_ends),
        cmocka_unit_test(witnesses_that_do_not_block_are_refused),
        cmocka_unit_test(rounds_are_believed_afterwards),
        cmocka_unit_test(a_round_whose_event_came_early_is_doubted),
        cmocka_unit_test(ambiguous_ids_are_damage),
        cmocka_unit_test(random_programs),
        cmocka_unit_test(damaged_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
