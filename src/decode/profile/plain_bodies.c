#include "decode/profile/plain_bodies.h"
#include "base/hash.h"
#include "decode/elf/code.h"
#include "decode/profile/derived.h"

struct search {
    struct hash_map made;     /* by name tag: how often exact functions called it by name */
    struct hash_map entries;  /* by name tag: how often counted bodies were entered */
    bool code_known;          /* what follows is */
    struct hash_map own_code; /* name tags of functions that have counted code of their own */
    struct hash_map called;   /* name tags that machine calls of code that ran lead to */
    struct hash_map jumped;   /* name tags that a last call, which may be a jump, leads to */
    struct hash_map calls;    /* hashes of (key, block, call): the call is one in the machine's code */
    struct hash_map jumps;    /* hashes of (key, block): a jump leaves the block */
};

static uint64_t place_hash(uint64_t key, uint32_t block, uint32_t call)
{
    const uint64_t words[3] = {key, block, call};
    return hash_bytes(words, sizeof words);
}

static bool is_candidate(const struct profile_function *f)
{
    return f->counted && f->exact && !f->map.trace &&
           f->map.flags & (MAP_FUNCTION_COMDAT | MAP_FUNCTION_OPTIONAL);
}

static bool has_candidate(const struct profile *p)
{
    for (size_t i = 0; i < p->functions.count; i++)
        if (is_candidate(&p->functions.items[i]))
            return true;
    return false;
}

static void read_code(struct search *s, struct hash_map *keys, const struct place_code *code)
{
    for (uint32_t p = 0; p < code->position_count; p++)
        if (!code->positions[p].outer)
            hash_map_put(keys, code->keys[code->positions[p].key], NULL);
    for (uint32_t i = 0; i < code->row_count; i++) {
        const struct place_row *row = &code->rows[i];
        bool call = row->kind == PLACE_CALL || row->kind == PLACE_ENDED_CALL || row->kind == PLACE_SETTLED;
        if ((!call && row->kind != PLACE_BRANCH) || row->value == PLACE_NONE)
            continue;
        const struct place_position *at = &code->positions[row->value - 1];
        uint64_t key = code->keys[at->key];
        if (call)
            hash_map_put(&s->calls, place_hash(key, at->block, at->call), NULL);
        else /* a jump that stands for the next call is not made before it */
            hash_map_put(&s->jumps, place_hash(key, at->block, at->call + 1), NULL);
    }
}

/* False: some module has no table of places, so nothing can be said. */
static bool read_modules(struct search *s, struct hash_map *keys, const struct decoder *d)
{
    for (size_t m = 0; m < d->modules.count; m++) {
        struct decode_module *module = d->modules.items[m];
        if (!module->known)
            continue;
        if (module->merged_only || !decode_module_places(module, d->options->debug_paths))
            return false;
        for (size_t i = 0; i < module->places.count; i++)
            read_code(s, keys, &module->places.items[i]);
    }
    return true;
}

/* Sums that do not fit are as large as can be: they prove nothing. */
static void add_up(struct hash_map *sums, uint32_t tag, uint64_t count)
{
    uint64_t *sum = hash_map_put(sums, tag, NULL);
    *sum = count > UINT64_MAX - *sum ? UINT64_MAX : *sum + count;
}

static void read_call(struct search *s, const struct profile_function *f, uint32_t b, uint32_t call)
{
    const struct map_block *block = &f->map.blocks[b];
    if (block->calls[call - 1].callee == MAP_CALLEE_UNKNOWN)
        return;
    uint32_t tag = f->map.callees[block->calls[call - 1].callee];
    if (f->exact)
        add_up(&s->made, tag, derived_calls_made(b, call, f->block_counts, &f->frames));
    if (hash_map_get(&s->calls, place_hash(f->map.key, b, call)))
        hash_map_put(&s->called, tag, NULL);
    else if (call == block->call_count && hash_map_get(&s->jumps, place_hash(f->map.key, b, call)))
        hash_map_put(&s->jumped, tag, NULL);
}

static void read_function(struct search *s, const struct hash_map *keys, const struct profile_function *f)
{
    uint32_t tag = map_name_tag(f->map.name);
    if (f->counted)
        add_up(&s->entries, tag, f->exact && f->entries >= 0 ? (uint64_t)f->entries : UINT64_MAX);
    if (hash_map_get(keys, f->map.key))
        hash_map_put(&s->own_code, tag, NULL);
    for (uint32_t b = 0; f->counted && b < graph_exit(&f->map.graph); b++)
        for (uint32_t c = 0; (!f->exact || f->block_counts[b]) && c < f->map.blocks[b].call_count; c++)
            read_call(s, f, b, c + 1);
}

static bool has_plain_body(const struct search *s, const struct elf_symbols *symbols,
                           const struct profile_function *f)
{
    uint32_t tag = map_name_tag(f->map.name);
    const uint64_t *made = hash_map_get(&s->made, tag), *entries = hash_map_get(&s->entries, tag);
    if (made && entries && *made > *entries)
        return true;
    /* A counting body has a name of its own, and may be there beside a plain one. */
    bool in_parts = f->map.flags & MAP_FUNCTION_IN_PARTS;
    if (!s->code_known || (!in_parts && hash_map_get(&s->own_code, tag)))
        return false;
    bool called = hash_map_get(&s->called, tag) != NULL;
    if (!symbols->known)
        return called;
    bool used = called || hash_map_get(&s->jumped, tag) || f->map.flags & MAP_FUNCTION_ADDRESS_TAKEN;
    return used && hash_map_get(&symbols->plain, tag);
}

static void judge_module(const struct search *s, struct decoder *d, const struct decode_module *module,
                         struct profile *profile,
                         void (*declare)(struct decoder *d, struct profile_function *f))
{
    struct elf_symbols symbols = {0};
    if (s->code_known)
        elf_code_symbols(&symbols, module->path, module->build_id, &module->places);
    for (size_t i = 0; i < profile->functions.count; i++) {
        struct profile_function *f = &profile->functions.items[i];
        if (is_candidate(f) && !strcmp(profile->modules.items[f->module].build_id, module->build_id) &&
            has_plain_body(s, &symbols, f))
            declare(d, f);
    }
    elf_symbols_release(&symbols);
}

void plain_bodies_find(struct decoder *d, struct profile *profile,
                       void (*declare)(struct decoder *d, struct profile_function *f))
{
    struct search s = {0};
    struct hash_map keys = {0};
    if (has_candidate(profile)) {
        s.code_known = read_modules(&s, &keys, d);
        for (size_t i = 0; i < profile->functions.count; i++)
            read_function(&s, &keys, &profile->functions.items[i]);
        for (size_t m = 0; m < d->modules.count; m++)
            if (d->modules.items[m]->known)
                judge_module(&s, d, d->modules.items[m], profile, declare);
    }
    hash_map_release(&keys);
    hash_map_release(&s.made);
    hash_map_release(&s.entries);
    hash_map_release(&s.own_code);
    hash_map_release(&s.called);
    hash_map_release(&s.jumped);
    hash_map_release(&s.calls);
    hash_map_release(&s.jumps);
}
