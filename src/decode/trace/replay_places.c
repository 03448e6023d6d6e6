#include "decode/trace/replay_places.h"

static uint64_t key_of(uint64_t id, uint32_t module)
{
    const uint64_t key[2] = {id, module};
    return hash_bytes(key, sizeof key);
}

/* An index that was not found, or is one of several, becomes GRAPH_NONE. */
uint32_t replay_places_find(const struct replay_places *p, uint64_t id, uint32_t module)
{
    const uint64_t *found = module == REPLAY_MODULE_UNKNOWN ? hash_map_get(&p->by_id, id)
                                                            : hash_map_get(&p->by_place, key_of(id, module));
    return found && *found ? (uint32_t)(*found - 1) : GRAPH_NONE;
}

bool replay_places_know(const struct replay_places *p, uint64_t id)
{
    return hash_map_get(&p->by_id, id) != NULL;
}

/* Leads the ids of functions instead of which others were linked to these. */
static void follow_linked(struct replay_places *p, const struct replay_function *functions, size_t count,
                          bool *ambiguous)
{
    for (size_t i = 0; i < count; i++) {
        if (!functions[i].instead)
            continue;
        const uint64_t *linked =
            hash_map_get(&p->by_place, key_of(functions[i].instead, functions[i].module));
        uint64_t index = linked ? *linked : 0;
        if (index && !ambiguous[i])
            *hash_map_put(&p->by_place, key_of(functions[i].id, functions[i].module), NULL) = index;
        ambiguous[i] |= !index;
    }
}

void replay_places_make(struct replay_places *p, const struct replay_function *functions, size_t count,
                        bool *ambiguous)
{
    *p = (struct replay_places){0};
    for (size_t i = 0; i < count; i++) {
        bool added;
        uint64_t *index = hash_map_put(&p->by_place, key_of(functions[i].id, functions[i].module), &added);
        ambiguous[i] = !added;
        if (added)
            *index = i + 1;
        else
            ambiguous[*index - 1] = true;
    }
    follow_linked(p, functions, count, ambiguous);
    for (size_t i = 0; i < count; i++) {
        bool added;
        uint64_t index = *hash_map_get(&p->by_place, key_of(functions[i].id, functions[i].module));
        uint64_t *only = hash_map_put(&p->by_id, functions[i].id, &added);
        *only = added || *only == index ? index : 0;
    }
    for (size_t i = 0; i < count; i++)
        if (functions[i].module == REPLAY_MODULE_UNKNOWN)
            *hash_map_put(&p->by_id, functions[i].id, NULL) = i + 1;
}

void replay_places_release(struct replay_places *p)
{
    hash_map_release(&p->by_place);
    hash_map_release(&p->by_id);
}
