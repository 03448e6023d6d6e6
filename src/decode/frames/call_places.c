#include "decode/frames/call_places.h"

/* Looks for one call of the source in the code of one machine function. */
struct looking {
    const struct place_code *code;
    uint64_t key;
    uint32_t block, call;
    uint8_t *what; /* by position: enum what */
    /* By position that the function was inlined at, and [0] for its own code: the greatest `what`
     * there. */
    uint8_t *copies;
};
enum what { OTHER, IT, INLINED, CALLS };

static bool is_call(const struct place_row *row)
{
    return row->kind == PLACE_CALL || row->kind == PLACE_LIBCALL || row->kind == PLACE_ENDED_CALL ||
           row->kind == PLACE_SETTLED;
}

static bool has_position(const struct place_row *row)
{
    return row->kind != PLACE_INCREMENT && row->kind != PLACE_SHARED && row->kind != PLACE_EVENT &&
           row->value != PLACE_NONE;
}

static void look_at_positions(struct looking *l, uint32_t *lines)
{
    for (uint32_t p = 1; p <= l->code->position_count; p++) {
        const struct place_position *at = &l->code->positions[p - 1];
        bool own = l->code->keys[at->key] == l->key;
        if (own && at->block == l->block && at->call == l->call) {
            l->what[p] = IT;
            *lines = at->lines < *lines ? at->lines : *lines;
        }
        if (l->what[at->outer]) /* the `what` of no position is OTHER */
            l->what[at->outer] = INLINED;
    }
}

/* Is the row the jump that the call became? A tail call is not made before its jump: there one call
 * less was made than at the end of the block. */
static bool is_tail_call(const struct looking *l, const struct place_row *row)
{
    if (row->kind != PLACE_BRANCH || row->value == PLACE_NONE)
        return false;
    const struct place_position *at = &l->code->positions[row->value - 1];
    return l->code->keys[at->key] == l->key && at->block == l->block && at->call + 1 == l->call;
}

/*
 * Is the row a call that became a jump? After a call stand rows with the same numbers, to the end
 * of its block; a jump comes out of code in which that call was not made.
 */
static bool is_jump(const struct looking *l, uint32_t row)
{
    const struct place_row *rows = l->code->rows;
    uint32_t outer = l->code->positions[rows[row].value - 1].outer;
    for (uint32_t i = row; i-- > 0;) {
        bool same = has_position(&rows[i]) && l->what[rows[i].value] != OTHER &&
                    l->code->positions[rows[i].value - 1].outer == outer;
        if (is_call(&rows[i]) || (!same && (rows[i].kind == PLACE_BRANCH || rows[i].kind == PLACE_GOTO)))
            return !(is_call(&rows[i]) && same);
    }
    return true;
}

static void look_at_code(const struct place_code *code, const struct decode_function *f, uint32_t block,
                         uint32_t call, struct call_place *found)
{
    /* merged: a call stands for several of the source, and may stand for this one, too. */
    bool here = false, merged = false;
    for (uint32_t k = 0; k < code->key_count; k++)
        here |= code->keys[k] == f->map.key;
    if (!here)
        return;
    size_t room = (size_t)code->position_count + 1;
    struct looking l = {code, f->map.key, block, call, ZALLOC(uint8_t, room), ZALLOC(uint8_t, room)};
    found->known = true;
    look_at_positions(&l, &found->lines);
    for (uint32_t i = 0; i < code->row_count; i++) {
        merged |= is_call(&code->rows[i]) && code->rows[i].value == PLACE_NONE;
        if (is_call(&code->rows[i]) && l.what[code->rows[i].value])
            l.what[code->rows[i].value] = CALLS;
    }
    for (uint32_t i = 0; i < code->row_count; i++)
        if (is_tail_call(&l, &code->rows[i]) && l.what[code->rows[i].value] == OTHER)
            l.what[code->rows[i].value] = IT;
    for (uint32_t p = 1; p <= code->position_count; p++)
        if (l.what[p] > l.copies[code->positions[p - 1].outer])
            l.copies[code->positions[p - 1].outer] = l.what[p];
    bool any = false;
    for (size_t outer = 0; outer < room; outer++) {
        any |= l.copies[outer] != OTHER;
        found->calls |= l.copies[outer] == CALLS;
        found->inlined |= l.copies[outer] == INLINED;
        found->jumps |= l.copies[outer] == IT;
    }
    for (uint32_t i = 0; i < code->row_count && !found->jumps; i++)
        if (code->rows[i].kind == PLACE_BRANCH && l.what[code->rows[i].value] == IT &&
            l.copies[code->positions[code->rows[i].value - 1].outer] == CALLS)
            found->jumps = is_tail_call(&l, &code->rows[i]) || is_jump(&l, i);
    found->jumps |= !any;
    found->merged |= !any && merged;
    free(l.what);
    free(l.copies);
}

static struct call_place look(const struct call_places *places, const struct decode_function *f,
                              uint32_t block, uint32_t call, const struct place_code *code)
{
    const struct map_block *b = &f->map.blocks[block];
    struct call_place found = {.lines = b->line_count <= 1 ? b->line_count : CALL_LINES_UNKNOWN};
    if (code)
        look_at_code(code, f, block, call, &found);
    for (size_t i = 0; i < places->count && !(code && found.known); i++) {
        struct decode_module *m = places->modules[i];
        if (decode_module_find(m, f->map.key) == f && decode_module_places(m, places->debug_paths))
            for (size_t k = 0; k < m->places.count; k++)
                look_at_code(&m->places.items[k], f, block, call, &found);
    }
    return found;
}

struct call_place call_places_find(struct call_places *places, const struct decode_function *f,
                                   uint32_t block, uint32_t call, const struct place_code *code)
{
    const uint64_t place[4] = {f->map.key, block, call, (uint64_t)(uintptr_t)code};
    bool added;
    uint64_t *known = hash_map_put(&places->answers, hash_bytes(place, sizeof place), &added);
    if (added) {
        struct call_place found = look(places, f, block, call, code);
        *known = (uint64_t)found.lines << 5 | (uint64_t)found.merged << 4 | (uint64_t)found.inlined << 3 |
                 (uint64_t)found.jumps << 2 | (uint64_t)found.known << 1 | found.calls;
    }
    return (struct call_place){.lines = (uint32_t)(*known >> 5),
                               .merged = *known >> 4 & 1,
                               .known = *known >> 1 & 1,
                               .calls = *known & 1,
                               .jumps = *known >> 2 & 1,
                               .inlined = *known >> 3 & 1};
}

void call_places_release(struct call_places *places)
{
    hash_map_release(&places->answers);
}
