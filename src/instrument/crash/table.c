#include "instrument/crash/table.h"

void crash_table_release(struct crash_table *t)
{
    for (size_t i = 0; i < t->functions.count; i++) {
        struct crash_function *f = t->functions.items[i];
        crash_rounds_release(&f->rounds);
        crash_numbering_release(&f->numbering);
        crash_regions_release(&f->regions);
        graph_release(&f->graph);
        free(f->most);
        free(f);
    }
    for (size_t i = 0; i < t->claims.count; i++)
        ARRAY_RELEASE(&t->claims.items[i].set);
    ARRAY_RELEASE(&t->functions);
    ARRAY_RELEASE(&t->claims);
    hash_map_release(&t->by_key);
    hash_map_release(&t->by_claims);
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

void crash_function_finish(struct crash_function *f)
{
    crash_rounds_init(&f->rounds, &f->regions, &f->numbering);
    f->most = ZALLOC(uint32_t, f->regions.count);
    for (uint32_t e = 0; e < f->graph.edge_count; e++)
        if (f->regions.to[e] != GRAPH_NONE) {
            uint32_t *most = &f->most[crash_region_of_step(&f->regions, e)];
            uint32_t classes = f->numbering.classes[f->regions.to[e]];
            *most = classes > *most ? classes : *most;
        }
}

static bool same_store(const struct crash_store *a, const struct crash_store *b)
{
    return a->slot == b->slot && (a->slot == SLOTS_NONE || (a->op == b->op && a->value == b->value));
}

static bool same_sets(const struct slots_set *a, const struct slots_set *b)
{
    return a->count == b->count && (!a->count || !memcmp(a->items, b->items, a->count * sizeof *a->items));
}

static uint64_t hash_claims(const struct crash_claims *c)
{
    const uint64_t parts[] = {hash_bytes(c->set.items, c->set.count * sizeof *c->set.items),
                              c->between,
                              c->before.slot,
                              c->before.op,
                              c->before.value,
                              c->after.slot,
                              c->after.op,
                              c->after.value};
    return hash_bytes(parts, sizeof parts);
}

uint32_t crash_table_add_claims(struct crash_table *t, struct crash_claims claims)
{
    bool added;
    uint64_t *number = hash_map_put(&t->by_claims, hash_claims(&claims), &added);
    if (!added) {
        const struct crash_claims *there = &t->claims.items[*number - 1];
        if (there->between == claims.between && same_sets(&there->set, &claims.set) &&
            same_store(&there->before, &claims.before) && same_store(&there->after, &claims.after)) {
            ARRAY_RELEASE(&claims.set);
            return (uint32_t)*number;
        }
    }
    ARRAY_PUSH(&t->claims, claims);
    *number = t->claims.count;
    return (uint32_t)t->claims.count;
}

/* Is the store of the machine code the one that the marker became? */
static bool is_store(const struct crash_store *machine, const struct crash_store *marker)
{
    return machine->slot == marker->slot && (machine->slot == SLOTS_NONE || machine->op == CRASH_UNMARKED ||
                                             (machine->op == marker->op && machine->value == marker->value));
}

bool crash_claims_hold(const struct crash_table *t, uint32_t number, bool is_call,
                       const struct crash_store *before, const struct crash_store *after)
{
    if (!number || number > t->claims.count)
        return false;
    const struct crash_claims *c = &t->claims.items[number - 1];
    return c->between ? is_store(before, &c->before) && is_store(after, &c->after) : is_call;
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
        if (same_sets(other, set))
            return (uint32_t)i;
    }
    return SLOTS_NONE;
}

void crash_code_add_row(struct crash_code *code, const struct crash_table *t, uint32_t row, uint32_t name)
{
    if (!name || name > t->claims.count)
        return;
    bool added;
    uint64_t *number = hash_map_put(&code->sets, name, &added);
    if (added) {
        const struct slots_set *from = &t->claims.items[name - 1].set;
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
