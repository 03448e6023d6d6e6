#include "instrument/crash/table.h"

void crash_table_release(struct crash_table *t)
{
    for (size_t i = 0; i < t->functions.count; i++) {
        struct crash_function *f = t->functions.items[i];
        crash_numbering_release(&f->numbering);
        crash_regions_release(&f->regions);
        graph_release(&f->graph);
        free(f->most);
        free(f);
    }
    for (size_t i = 0; i < t->sets.count; i++)
        ARRAY_RELEASE(&t->sets.items[i]);
    ARRAY_RELEASE(&t->functions);
    ARRAY_RELEASE(&t->sets);
    hash_map_release(&t->by_key);
}

struct crash_function *crash_table_find(const struct crash_table *t, uint64_t key)
{
    const uint64_t *index = hash_map_get(&t->by_key, key);
    return index ? t->functions.items[*index - 1] : NULL;
}

struct crash_function *crash_table_add(struct crash_table *t, uint64_t key, enum slots_state state)
{
    struct crash_function *f = ZALLOC(struct crash_function, 1);
    f->key = key;
    f->state = state;
    ARRAY_PUSH(&t->functions, f);
    *hash_map_put(&t->by_key, key, NULL) = t->functions.count;
    return f;
}

uint32_t crash_table_add_set(struct crash_table *t, struct slots_set set)
{
    ARRAY_PUSH(&t->sets, set);
    return (uint32_t)t->sets.count;
}

static void add_function(struct slots_unit *unit, const struct crash_function *f)
{
    struct slots_function to = {.key = f->key, .state = f->state};
    for (uint32_t e = 0; f->state == SLOTS_TRACKED && e < f->graph.edge_count; e++)
        if (f->numbering.marks[e].op != CRASH_UNMARKED)
            ARRAY_PUSH(&to.marks, ((struct slots_mark){.edge = e,
                                                       .value = f->numbering.marks[e].value,
                                                       .adds = f->numbering.marks[e].op == CRASH_ADD}));
    ARRAY_PUSH(&unit->functions, to);
}

void crash_code_release(struct crash_code *code)
{
    slots_code_release(&code->slots);
    hash_map_release(&code->sets);
}

void crash_unit_add(struct slots_unit *unit, const struct crash_table *t, struct crash_code *code,
                    const uint64_t *keys, size_t key_count)
{
    for (size_t i = 0; i < key_count; i++) {
        const struct crash_function *f = crash_table_find(t, keys[i]);
        if (f && !slots_unit_function(unit, keys[i]))
            add_function(unit, f);
    }
    ARRAY_PUSH(&unit->codes, code->slots);
    code->slots = (struct slots_code){0};
}

uint8_t *crash_unit_write(struct slots_unit *unit, size_t *length)
{
    struct buffer bytes = {0};
    slots_unit_write(&bytes, unit);
    slots_unit_release(unit);
    *length = bytes.length;
    return bytes.data;
}

void crash_code_set_place(struct crash_code *code, uint32_t slot, struct slots_place place)
{
    struct slots_places *places = &code->slots.places;
    while (places->count <= slot)
        ARRAY_PUSH(places, ((struct slots_place){.base = SLOTS_LOST, .bytes = 1}));
    places->items[slot] = place;
}

/* Few rows of a function differ in what they claim: equal sets are written once. */
static uint32_t same_set(const struct slots_code *code, const struct slots_set *set)
{
    for (size_t i = code->sets.count, looked = 0; i-- > 0 && looked < 16; looked++) {
        const struct slots_set *other = &code->sets.items[i];
        if (other->count == set->count &&
            (!set->count || !memcmp(other->items, set->items, set->count * sizeof *set->items)))
            return (uint32_t)i;
    }
    return SLOTS_NONE;
}

void crash_code_add_row(struct crash_code *code, const struct crash_table *t, uint32_t row, uint32_t name)
{
    if (!name || name > t->sets.count)
        return;
    bool added;
    uint64_t *number = hash_map_put(&code->sets, name, &added);
    if (added) {
        const struct slots_set *from = &t->sets.items[name - 1];
        uint32_t same = same_set(&code->slots, from);
        if (same == SLOTS_NONE) {
            struct slots_set copy = {0};
            for (size_t i = 0; i < from->count; i++)
                ARRAY_PUSH(&copy, from->items[i]);
            same = (uint32_t)code->slots.sets.count;
            ARRAY_PUSH(&code->slots.sets, copy);
        }
        *number = same;
    }
    ARRAY_PUSH(&code->slots.rows, ((struct slots_row){.row = row, .set = (uint32_t)*number}));
}
