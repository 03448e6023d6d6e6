#include "decode/frames/chain.h"

bool chain_read(struct chain *chain, const struct decode_module *m, const struct place_code *code,
                uint32_t position)
{
    chain->count = 0;
    for (uint32_t at = position; at != PLACE_NONE; at = code->positions[at - 1].outer) {
        const struct place_position *p = &code->positions[at - 1];
        struct decode_function *f = decode_module_find(m, code->keys[p->key]);
        if (!f || p->block >= graph_exit(&f->map.graph) || p->call > f->map.blocks[p->block].call_count ||
            p->lines > f->map.blocks[p->block].line_count)
            return false;
        ARRAY_PUSH(chain,
                   ((struct activation){.f = f, .block = p->block, .call = p->call, .lines = p->lines}));
    }
    return position != PLACE_NONE;
}

bool chain_read_before(struct chain *chain, const struct decode_module *m, const struct place_code *code,
                       const struct place_row *row)
{
    if (!row || !chain_read(chain, m, code, row->value))
        return false;
    if (row->kind == PLACE_CALL && chain->items[0].call)
        chain->items[0].call--;
    return true;
}

bool chain_read_only_block(struct chain *chain, const struct decode_module *m, const struct place_code *code)
{
    struct decode_function *f = code->key_count == 1 ? decode_module_find(m, code->keys[0]) : NULL;
    if (!f || code->position_count || graph_exit(&f->map.graph) != 1)
        return false;
    ARRAY_PUSH(chain, ((struct activation){.f = f, .lines = f->map.blocks[0].line_count}));
    return true;
}

bool chain_has(const struct chain *chain, const struct decode_function *f)
{
    for (size_t i = 0; i < chain->count; i++)
        if (chain->items[i].f == f)
            return true;
    return false;
}

/* The row of the kind at exactly this address, or NULL. */
static const struct place_row *row_at(const struct place_code *code, uint64_t address, enum place_kind kind)
{
    uint32_t offset = (uint32_t)(address - code->address);
    for (uint32_t i = place_first_row(code, offset); i < code->row_count && code->rows[i].offset == offset;
         i++)
        if (code->rows[i].kind == kind)
            return &code->rows[i];
    return NULL;
}

const struct place_row *chain_call_row(const struct place_code *code, uint64_t address)
{
    const struct place_row *row = row_at(code, address, PLACE_CALL);
    return row ? row : row_at(code, address, PLACE_SETTLED);
}

const struct place_row *chain_made_call_row(const struct place_code *code, uint64_t address)
{
    return row_at(code, address, PLACE_LIBCALL);
}

/* ---- The code ahead of an address ---- */

static void add_count(struct code_ahead *a, struct count_ahead count)
{
    const struct decode_function *f = decode_module_find(a->module, a->code->keys[count.key]);
    if (count.by > BY_MOST || a->counts.count == COUNTS_MOST || !f || count.counter >= f->counter_count)
        a->damaged = true;
    else
        ARRAY_PUSH(&a->counts, count);
}

/* Adds all shared counts of the stretch, those of one counter together. */
static void add_shared(struct code_ahead *a, uint32_t stretch)
{
    const struct place_code *code = a->code;
    if (!a->final || !stretch || !code->edges[stretch - 1] ||
        code->edges[stretch - 1] > a->final->map.graph.edge_count) {
        a->damaged = true;
        return;
    }
    size_t first = a->counts.count;
    ARRAY_PUSH(&a->shared, ((struct shared_ahead){.stretch = stretch, .first = first}));
    for (uint32_t i = code->stretches[stretch - 1]; i < code->stretches[stretch]; i++) {
        const struct place_count *one = &code->counts[i];
        size_t same = first;
        while (same < a->counts.count &&
               (a->counts.items[same].key != one->key || a->counts.items[same].counter != one->counter))
            same++;
        if (one->shared && same < a->counts.count && one->by <= BY_MOST)
            a->counts.items[same].by += one->by;
        else if (one->shared)
            add_count(a, (struct count_ahead){.key = one->key,
                                              .counter = one->counter,
                                              .by = one->by,
                                              .stretch = stretch,
                                              .shared = true});
    }
}

/* Does the row come after `from`? Calls and counts that end there were made before. */
static bool is_to_come(const struct place_row *row, uint32_t from)
{
    bool ends = row->kind == PLACE_CALL || row->kind == PLACE_LIBCALL || row->kind == PLACE_SETTLED ||
                row->kind == PLACE_INCREMENT || row->kind == PLACE_SHARED || row->kind == PLACE_EVENT;
    return ends ? row->offset > from : row->offset >= from;
}

/* An instruction without a position has two rows if others can see what it does even if it does not
 * fault. */
static bool is_twice(const struct place_code *code, uint32_t row)
{
    return row + 1 < code->row_count && code->rows[row + 1].kind == PLACE_ACCESS &&
           code->rows[row + 1].value == PLACE_NONE && code->rows[row + 1].offset == code->rows[row].offset;
}

static void take_row(struct code_ahead *a, uint32_t number, uint32_t offset)
{
    const struct place_row *row = &a->code->rows[number];
    if (row->kind == PLACE_INCREMENT && row->counter == PLACE_PATHS)
        return;
    if (row->kind == PLACE_INCREMENT) {
        add_count(a, (struct count_ahead){
                         .key = row->value, .counter = row->counter, .by = row->by, .stretch = row->stretch});
    } else if (row->kind == PLACE_SHARED) {
        add_shared(a, row->stretch);
    } else if (row->kind == PLACE_EVENT) {
        ARRAY_PUSH(&a->events, row->event);
    } else if (row->value != PLACE_NONE && row->kind != PLACE_GOTO) {
        ARRAY_PUSH(&a->points, ((struct way_point){row, a->counts.count, a->events.count}));
    } else if (row->kind == PLACE_ACCESS && !a->lost &&
               (row->offset == offset || is_twice(a->code, number))) {
        a->lost = true;
        a->lost_at = a->points.count;
    }
}

/* A branch that the code generator made inside a stretch (of a division whose operands may be small, of a
 * select): its ways meet again, and the rest of the stretch's counts are made after that. */
static bool meets_again(const struct place_code *code, const struct place_row *row)
{
    const struct place_position *p = row->value == PLACE_NONE ? NULL : &code->positions[row->value - 1];
    return row->kind == PLACE_BRANCH && p && p->stretch &&
           p->passed < code->stretches[p->stretch] - code->stretches[p->stretch - 1];
}

/*
 * One row stands for all code before it that agrees with it, and code that belongs to no line (an
 * address computed ahead) belongs to what it is there for. A jump without a choice may be what the
 * code generator has made of several, with the position of one of them: it is followed, not
 * believed. An endless loop without calls and branches is followed once round: what it counts from
 * there on is of rounds that have not begun.
 */
void code_ahead_follow(struct code_ahead *a, uint32_t offset, const struct place_row *call)
{
    const struct place_code *code = a->code;
    uint32_t from = offset, number = place_first_row(code, offset);
    bool *passed = ZALLOC(bool, (size_t)code->row_count + 1); /* by row */
    a->final = decode_module_final(a->module, code->final);
    if (call && call->value != PLACE_NONE)
        ARRAY_PUSH(&a->points, ((struct way_point){call, 0, 0}));
    for (uint32_t next; number < code->row_count && !a->anchor; number = next) {
        const struct place_row *row = &code->rows[number];
        next = number + 1;
        if (!is_to_come(row, from))
            continue;
        if (passed[number])
            break;
        passed[number] = true;
        take_row(a, number, offset);
        if (row->kind == PLACE_CALL || row->kind == PLACE_SETTLED ||
            (row->kind == PLACE_BRANCH && !meets_again(code, row)))
            a->anchor = row;
        if (row->kind == PLACE_GOTO) {
            from = row->target;
            next = place_first_row(code, from);
        }
    }
    free(passed);
}

bool code_ahead_is_before_entry(const struct code_ahead *a, uint32_t offset)
{
    const struct place_row *rows = a->code->rows;
    uint32_t records = a->code->row_count;
    while (records && (rows[records - 1].kind != PLACE_EVENT || rows[records - 1].event != PLACE_ENTERS))
        records--;
    /* The compiler may have moved a part of the function in front of the record. */
    for (uint32_t i = 0; i < records; i++)
        if (rows[i].kind == PLACE_INCREMENT || (rows[i].kind != PLACE_EVENT && rows[i].value != PLACE_NONE))
            return false;
    bool ahead = records && offset < rows[records - 1].offset;
    for (size_t i = 0; records && i < a->events.count; i++)
        ahead |= a->events.items[i] == PLACE_ENTERS;
    return ahead;
}

void code_ahead_release(struct code_ahead *a)
{
    ARRAY_RELEASE(&a->points);
    ARRAY_RELEASE(&a->counts);
    ARRAY_RELEASE(&a->shared);
    ARRAY_RELEASE(&a->events);
}
