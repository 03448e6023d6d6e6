#include "decode/model/module.h"
#include "decode/elf/map.h"
#include "decode/model/moved.h"
#include "decode/model/solve.h"

void decode_module_init(struct decode_module *m, const char *path, const char *build_id)
{
    *m = (struct decode_module){
        .path = memory_string(path), .build_id = memory_string(build_id), .known = true, .merged_only = true};
}

struct decode_function *decode_module_find(const struct decode_module *m, uint64_t key)
{
    const uint64_t *index = hash_map_get(&m->by_key, key);
    return index ? m->functions.items[*index - 1] : NULL;
}

/* Takes the plan of paths that a merged file counted by a trace: these paths are not counters of
 * the program. */
static void take_traced_paths(struct decode_function *f)
{
    for (uint32_t i = 0; f->map.flags & MAP_FUNCTION_PATHS_TRACED && i < f->map.plan_count; i++)
        if (placement_counts_paths(f->map.plans[i].placement)) {
            f->trace_paths = f->map.plans[i];
            memmove(&f->map.plans[i], &f->map.plans[i + 1],
                    (f->map.plan_count - i - 1) * sizeof *f->map.plans);
            f->map.plan_count--;
            break;
        }
    f->map.flags &= ~(uint32_t)MAP_FUNCTION_PATHS_TRACED;
}

struct decode_function *decode_module_add(struct decode_module *m, struct map_function *map)
{
    struct decode_function *f = ZALLOC(struct decode_function, 1);
    f->map = *map;
    *map = (struct map_function){0};
    take_traced_paths(f);
    f->counter_count = map_function_counters(&f->map);
    f->set = f->map.flags & MAP_FUNCTION_UNCOUNTED ? SET_NONE : solve_first_set(&f->map);
    for (uint32_t b = 0; b < graph_exit(&f->map.graph); b++)
        f->shows_cuts |= (f->map.blocks[b].hazards & MAP_HAZARDS) != 0;
    for (uint32_t e = 0; e < f->map.graph.edge_count; e++)
        f->shows_cuts |= f->map.graph.edges[e].kind == EDGE_VIRTUAL;
    ARRAY_PUSH(&m->functions, f);
    *hash_map_put(&m->by_key, f->map.key, NULL) = m->functions.count;
    return f;
}

bool decode_module_load(struct decode_module *m, const char *path, const char *const *debug_paths,
                        struct error *error)
{
    struct elf_module elf;
    *m = (struct decode_module){0};
    if (!elf_module_read(&elf, path, debug_paths, error))
        return false;
    m->path = memory_string(path);
    m->build_id = memory_string(elf.build_id);
    m->known = elf.has_map;
    m->map_damaged = elf.map_damaged;
    if (elf.map_damaged)
        m->problem = memory_string(elf.damage.text);
    for (size_t i = 0; i < elf.functions.count; i++)
        decode_module_add(m, &elf.functions.items[i]);
    for (size_t i = 0; i < elf.finals.count; i++)
        decode_module_add_final(m, &elf.finals.items[i]);
    elf_module_release(&elf);
    return true;
}

bool decode_module_places(struct decode_module *m, const char *const *debug_paths)
{
    if (!m->places_tried) {
        m->places_tried = true;
        m->places_known =
            elf_places_read(&m->places, m->path, m->build_id, debug_paths, &m->places_damaged, NULL);
        moved_find(m);
    }
    return m->places_known;
}

static int by_key(const void *left, const void *right)
{
    const struct decode_function *a = *(struct decode_function *const *)left,
                                 *b = *(struct decode_function *const *)right;
    return a->map.key < b->map.key ? -1 : a->map.key > b->map.key;
}

void decode_module_sort(struct decode_module *m)
{
    if (m->functions.count)
        qsort(m->functions.items, m->functions.count, sizeof *m->functions.items, by_key);
    for (size_t i = 0; i < m->functions.count; i++)
        *hash_map_put(&m->by_key, m->functions.items[i]->map.key, NULL) = i + 1;
}

void decode_module_release(struct decode_module *m)
{
    for (size_t i = 0; i < m->functions.count; i++) {
        struct decode_function *f = m->functions.items[i];
        map_function_release(&f->map);
        solver_release(&f->solver);
        standing_release(&f->standing);
        moved_release(f->code.moved);
        free(f->code.flows);
        plan_release(&f->trace_paths);
        free(f->derived.sites);
        file_counts_release(&f->file);
        total_counts_release(&f->total);
        free(f);
    }
    for (size_t i = 0; i < m->finals.count; i++)
        decode_final_release(m->finals.items[i]);
    ARRAY_RELEASE(&m->functions);
    hash_map_release(&m->by_key);
    ARRAY_RELEASE(&m->finals);
    hash_map_release(&m->final_by_key);
    free(m->order);
    place_index_release(&m->places);
    hash_map_release(&m->exports);
    free(m->path);
    free(m->build_id);
    free(m->problem);
    free(m->sink);
    *m = (struct decode_module){0};
}
