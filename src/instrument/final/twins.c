#include "instrument/final/twins.h"
#include "instrument/final/final.h"
#include "instrument/llvm/shim.h"
#include "instrument/marker/marker.h"

#include <string.h>

/* One count that was moved out of a loop: the number that it adds, and the stretch it stands in. */
struct site {
    LLVMValueRef number;
    uint64_t stretch;
};

/* A counter with all its moved counts, in the order of the code. */
struct mover {
    struct twin counter;
    struct ARRAY_OF(struct site) sites;
};

struct search {
    struct ARRAY_OF(struct mover) movers;
    struct hash_map mover_of; /* counter, hashed -> index + 1 */
};

static bool find_counter(LLVMValueRef marker, struct twin *counter)
{
    return shim_counter(LLVMGetOperand(marker, 0), &counter->key, &counter->counter);
}

bool marker_is_moved(LLVMValueRef marker)
{
    struct twin counter;
    return marker_times(marker) && find_counter(marker, &counter);
}

static uint64_t name_of(const struct twin *counter)
{
    const uint64_t words[2] = {counter->key, counter->counter};
    return hash_bytes(words, sizeof words);
}

/* Each marker has a cast of the number to itself. */
static LLVMValueRef number_of(LLVMValueRef marker)
{
    LLVMValueRef times = marker_times(marker);
    return LLVMIsAIntToPtrInst(times) ? LLVMGetOperand(times, 0) : times;
}

static void add_site(struct search *s, LLVMValueRef marker, uint64_t stretch)
{
    struct twin counter;
    bool added;
    if (!find_counter(marker, &counter))
        return;
    uint64_t *index = hash_map_put(&s->mover_of, name_of(&counter), &added);
    if (added) {
        ARRAY_PUSH(&s->movers, ((struct mover){.counter = counter}));
        *index = s->movers.count;
    }
    ARRAY_PUSH(&s->movers.items[*index - 1].sites,
               ((struct site){.number = number_of(marker), .stretch = stretch}));
}

static void find_sites(struct search *s, LLVMValueRef function, LLVMValueRef annotation)
{
    uint64_t stretch = 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (marker_array(i, annotation) && marker_is_moved(i))
                add_site(s, i, stretch);
            else if (stretch_ends_before(i, annotation)) /* the end of a block is such an instruction */
                stretch++;
        }
}

static bool are_twins(const struct mover *a, const struct mover *b)
{
    return a->sites.count == b->sites.count &&
           !memcmp(a->sites.items, b->sites.items, a->sites.count * sizeof *a->sites.items);
}

/* The group that the mover belongs to, made if there is none; an index. first_of: by group. */
static size_t group_for(struct twin_list *all, struct hash_map *group_of_sites, const struct search *s,
                        size_t mover, size_t *first_of)
{
    const struct mover *m = &s->movers.items[mover];
    bool added;
    uint64_t *group = hash_map_put(
        group_of_sites, hash_bytes(m->sites.items, m->sites.count * sizeof *m->sites.items), &added);
    if (!added && are_twins(m, &s->movers.items[first_of[*group]]))
        return *group;
    ARRAY_PUSH(&all->groups, (struct twins){0});
    *group = all->groups.count - 1;
    first_of[*group] = mover;
    return *group;
}

/* Drops groups of one. */
static void drop_single(struct twin_list *all)
{
    size_t kept = 0;
    for (size_t i = 0; i < all->groups.count; i++) {
        struct twins *group = &all->groups.items[i];
        if (group->counters.count > 1)
            all->groups.items[kept++] = *group;
        else
            ARRAY_RELEASE(&group->counters);
    }
    all->groups.count = kept;
    for (size_t i = 0; i < kept; i++)
        for (size_t k = 0; k < all->groups.items[i].counters.count; k++)
            *hash_map_put(&all->group_of, name_of(&all->groups.items[i].counters.items[k]), NULL) = i + 1;
}

void twins_find(struct twin_list *all, LLVMValueRef function, LLVMValueRef annotation)
{
    struct search s = {0};
    struct hash_map group_of_sites = {0};
    find_sites(&s, function, annotation);
    size_t *first_of = ALLOC(size_t, s.movers.count + 1);
    for (size_t i = 0; i < s.movers.count; i++) {
        size_t group = group_for(all, &group_of_sites, &s, i, first_of);
        ARRAY_PUSH(&all->groups.items[group].counters, s.movers.items[i].counter);
    }
    drop_single(all);
    for (size_t i = 0; i < s.movers.count; i++)
        ARRAY_RELEASE(&s.movers.items[i].sites);
    ARRAY_RELEASE(&s.movers);
    hash_map_release(&s.mover_of);
    hash_map_release(&group_of_sites);
    free(first_of);
}

const struct twins *twins_of(const struct twin_list *all, LLVMValueRef marker, bool *first)
{
    struct twin counter;
    if (!all->groups.count || !marker_times(marker) || !find_counter(marker, &counter))
        return NULL;
    const uint64_t *index = hash_map_get(&all->group_of, name_of(&counter));
    if (!index)
        return NULL;
    const struct twins *group = &all->groups.items[*index - 1];
    *first =
        group->counters.items[0].key == counter.key && group->counters.items[0].counter == counter.counter;
    return group;
}

void twins_release(struct twin_list *all)
{
    for (size_t i = 0; i < all->groups.count; i++)
        ARRAY_RELEASE(&all->groups.items[i].counters);
    ARRAY_RELEASE(&all->groups);
    hash_map_release(&all->group_of);
}
