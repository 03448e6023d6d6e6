/*
 * Weights from an earlier profile (-fcotree-use=FILE). A function is matched by linkage name and
 * graph hash; among static functions of one name, the one of the same file is preferred. A function
 * whose graph is another now keeps its guessed weights: counts would be attached to the wrong
 * edges.
 */
#include "instrument/use/use_profile.h"

#include <stdio.h>
#include <string.h>

bool used_profile_load(struct used_profile *u, const char *path, struct error *error)
{
    *u = (struct used_profile){0};
    if (!profile_read(&u->profile, path, error))
        return false;
    u->loaded = true;
    size_t count = u->profile.functions.count;
    u->next_of_name = ZALLOC(uint32_t, count);
    for (size_t i = count; i-- > 0;) {
        uint64_t *first = hash_map_put(&u->by_name, hash_text(u->profile.functions.items[i].map.name), NULL);
        u->next_of_name[i] = (uint32_t)*first;
        *first = i + 1;
    }
    return true;
}

void used_profile_release(struct used_profile *u)
{
    if (u->loaded)
        profile_release(&u->profile);
    hash_map_release(&u->by_name);
    free(u->next_of_name);
    buffer_release(&u->list);
    *u = (struct used_profile){0};
}

static bool same_file(const struct map_function *a, const struct map_function *b)
{
    return a->file_count && b->file_count && !strcmp(a->files[0], b->files[0]);
}

static const struct profile_function *find(const struct used_profile *u, const struct map_function *f,
                                           bool *known)
{
    const struct profile_function *best = NULL;
    const uint64_t *first = hash_map_get(&u->by_name, hash_text(f->name));
    *known = false;
    for (uint64_t i = first ? *first : 0; i; i = u->next_of_name[i - 1]) {
        const struct profile_function *p = &u->profile.functions.items[i - 1];
        if (strcmp(p->map.name, f->name))
            continue;
        *known = true;
        if (!p->counted || p->map.graph_hash != f->graph_hash ||
            p->map.graph.edge_count != f->graph.edge_count ||
            p->map.graph.vertex_count != f->graph.vertex_count)
            continue;
        if (!best || (same_file(&p->map, f) && !same_file(&best->map, f)))
            best = p;
    }
    return best;
}

static double block_count(const struct profile_function *p, uint32_t vertex)
{
    int64_t count = vertex == graph_exit(&p->map.graph) ? p->entries : p->block_counts[vertex];
    return count > 0 ? (double)count : 0;
}

/* With block counts only, an edge cannot run more often than either of its ends. */
double used_profile_edge_count(const struct profile_function *p, uint32_t edge)
{
    if (p->has_edges)
        return p->edge_counts[edge] > 0 ? (double)p->edge_counts[edge] : 0;
    double from = block_count(p, p->map.graph.edges[edge].from);
    double to = block_count(p, p->map.graph.edges[edge].to);
    return from < to ? from : to;
}

const struct profile_function *used_profile_find(struct used_profile *u, const struct map_function *f)
{
    if (!u->loaded)
        return NULL;
    bool known;
    const struct profile_function *p = find(u, f, &known);
    if (!p) {
        buffer_addf(&u->list, "cotree: '%s': %s\n", f->name,
                    known ? "its graph is another than in the profile" : "not in the profile");
        *(known ? &u->changed : &u->missing) += 1;
        return NULL;
    }
    u->matched++;
    return p;
}

void used_profile_weights(const struct profile_function *p, double *weights)
{
    double sum = 1;
    for (uint32_t e = 0; e < p->map.graph.edge_count; e++)
        sum += weights[e];
    for (uint32_t e = 0; e < p->map.graph.edge_count; e++)
        weights[e] =
            used_profile_edge_count(p, e) + weights[e] / sum; /* the guess counts for less than one */
}

void used_profile_remark(const struct used_profile *u, const char *path, const char *unit, bool verbose)
{
    if (!u->loaded || (!u->changed && !u->missing))
        return;
    fprintf(stderr, "cotree: '%s': weights of %u functions from '%s'; %u have changed, %u are not in it\n",
            unit, u->matched, path, u->changed, u->missing);
    if (verbose && u->list.length)
        fwrite(u->list.data, 1, u->list.length, stderr);
}
