/*
 * Counts of edges do not say which function a pointer calls. But a function that was entered more
 * often than all calls by its name ran was called through pointers for the rest; and only calls of
 * its own type lead there. So the calls of one type are shared out among the functions of that
 * type, in proportion to their entries that no call by name accounts for. Often there is one such
 * function only, and then this is the truth; else it is a good guess. What the functions do not
 * account for went to targets without counts (other libraries).
 *
 * Two functions of one name cannot be told apart here, and are left out.
 */
#include "instrument/use/call_targets.h"
#include "base/memory.h"
#include "instrument/llvm/shim.h"

/* LLVM keeps as many. */
#define MOST_TARGETS 3

struct target {
    LLVMValueRef function;
    uint64_t entries; /* through pointers */
};
struct targets ARRAY_OF(struct target);

/* All functions and all calls of one type. */
struct call_type {
    struct targets targets;
    uint64_t entries, calls;
};

void call_targets_collect(struct call_sites *sites, const struct function_graph *f,
                          const struct profile_function *counts)
{
    for (uint32_t b = 0; b < graph_exit(&f->graph); b++) {
        if (counts->block_counts[b] <= 0)
            continue;
        for (uint32_t i = f->head[b]; i != IR_NONE; i = f->next[i])
            for (LLVMValueRef at = LLVMGetFirstInstruction(f->ir.items[i].block); at;
                 at = LLVMGetNextInstruction(at))
                if (shim_calls_pointer(at))
                    ARRAY_PUSH(sites, ((struct call_site){at, (uint64_t)counts->block_counts[b]}));
    }
}

/* Tag of a name -> entries of the function of that name that no call by name accounts for. Names
 * that several functions have are left out. */
static struct hash_map entries_by_pointer(const struct profile *profile)
{
    struct hash_map called = {0}, defined = {0}, left = {0};
    for (size_t i = 0; i < profile->functions.count; i++) {
        const struct profile_function *p = &profile->functions.items[i];
        ++*hash_map_put(&defined, map_name_tag(p->map.name), NULL);
        if (!p->counted)
            continue;
        for (uint32_t b = 0; b < graph_exit(&p->map.graph); b++)
            for (uint32_t c = 0; c < p->map.blocks[b].call_count && p->block_counts[b] > 0; c++) {
                uint32_t callee = p->map.blocks[b].calls[c].callee;
                if (callee != MAP_CALLEE_UNKNOWN)
                    *hash_map_put(&called, p->map.callees[callee], NULL) += (uint64_t)p->block_counts[b];
            }
    }
    for (size_t i = 0; i < profile->functions.count; i++) {
        const struct profile_function *p = &profile->functions.items[i];
        uint32_t tag = map_name_tag(p->map.name);
        const uint64_t *calls = hash_map_get(&called, tag);
        uint64_t by_name = calls ? *calls : 0;
        if (p->counted && *hash_map_get(&defined, tag) == 1 && p->entries > 0 &&
            (uint64_t)p->entries > by_name)
            *hash_map_put(&left, tag, NULL) = (uint64_t)p->entries - by_name;
    }
    hash_map_release(&called);
    hash_map_release(&defined);
    return left;
}

static struct call_type *type_of(struct hash_map *types, LLVMTypeRef type)
{
    uint64_t *place = hash_map_put(types, (uint64_t)(uintptr_t)type, NULL);
    if (!*place)
        *place = (uint64_t)(uintptr_t)ZALLOC(struct call_type, 1);
    return (struct call_type *)(uintptr_t)*place;
}

static int most_entries_first(const void *left, const void *right)
{
    const struct target *a = left, *b = right;
    return (a->entries < b->entries) - (a->entries > b->entries);
}

static void set_targets(const struct call_site *site, const struct call_type *type)
{
    LLVMValueRef functions[MOST_TARGETS];
    uint64_t counts[MOST_TARGETS];
    unsigned known = 0;
    double all = (double)(type->entries > type->calls ? type->entries : type->calls);
    for (; known < type->targets.count && known < MOST_TARGETS; known++) {
        functions[known] = type->targets.items[known].function;
        counts[known] = (uint64_t)((double)site->count * (double)type->targets.items[known].entries / all);
    }
    if (known)
        shim_set_call_targets(site->call, functions, counts, known, site->count);
}

void call_targets_set(LLVMModuleRef module, struct call_sites *sites, const struct used_profile *u)
{
    struct hash_map left = entries_by_pointer(&u->profile), types = {0};
    for (size_t i = 0; i < sites->count; i++)
        type_of(&types, LLVMGetCalledFunctionType(sites->items[i].call))->calls += sites->items[i].count;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        size_t length;
        const uint64_t *entries = hash_map_get(&left, map_name_tag(LLVMGetValueName2(f, &length)));
        struct call_type *type = entries ? type_of(&types, LLVMGlobalGetValueType(f)) : NULL;
        if (!type)
            continue;
        ARRAY_PUSH(&type->targets, ((struct target){f, *entries}));
        type->entries += *entries;
    }
    for (size_t i = 0; i < types.capacity; i++) {
        struct call_type *type =
            types.entries[i].used ? (struct call_type *)(uintptr_t)types.entries[i].value : NULL;
        if (type && type->targets.count)
            qsort(type->targets.items, type->targets.count, sizeof *type->targets.items, most_entries_first);
    }
    for (size_t i = 0; i < sites->count; i++)
        set_targets(&sites->items[i], type_of(&types, LLVMGetCalledFunctionType(sites->items[i].call)));
    for (size_t i = 0; i < types.capacity; i++)
        if (types.entries[i].used) {
            struct call_type *type = (struct call_type *)(uintptr_t)types.entries[i].value;
            ARRAY_RELEASE(&type->targets);
            free(type);
        }
    hash_map_release(&types);
    hash_map_release(&left);
    ARRAY_RELEASE(sites);
}
