#include "plan/witness_bits.h"

#include "base/memory.h"

/* Numbers the values of each vertex from 1; edges with the same ends have the same value. */
static void number_targets(struct witness_plan *plan, const struct graph *g)
{
    struct adjacency a;
    adjacency_init(&a, g);
    plan->value_count = 0;
    for (uint32_t v = 0; v < graph_exit(g); v++) {
        uint32_t count = 0;
        for (uint32_t i = a.out_start[v]; i < a.out_start[v + 1]; i++) {
            uint32_t e = a.out[i], k = a.out_start[v];
            if (!plan->value[e])
                continue;
            while (!plan->value[a.out[k]] || g->edges[a.out[k]].to != g->edges[e].to)
                k++;
            plan->value[e] = k == i ? ++count : plan->value[a.out[k]];
        }
        plan->value_count = count > plan->value_count ? count : plan->value_count;
    }
    adjacency_release(&a);
}

bool witness_bits_make(struct witness_plan *plan, const struct graph *g, enum witness_placement placement,
                       const bool *may_emit, const double *weights, struct error *error)
{
    if (!witness_make(plan, g, placement == WITNESS_BITS ? WITNESS_PREDICATES : WITNESS_FOREST, may_emit,
                      weights, NULL, error))
        return false;
    plan->placement = placement;
    if (placement == WITNESS_BITS)
        number_targets(plan, g);
    else
        witness_share_values(plan, g);
    return true;
}

bool witness_bits_find(uint8_t *bits, const struct graph *g, enum witness_placement placement,
                       const uint32_t *values, struct error *error)
{
    uint32_t *most = ZALLOC(uint32_t, (size_t)g->vertex_count + 1), all = 0;
    bool fine = true;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        uint32_t from = g->edges[e].from;
        most[from] = values[e] > most[from] ? values[e] : most[from];
        all = values[e] > all ? values[e] : all;
    }
    for (uint32_t v = 0; v < g->vertex_count && fine; v++) {
        uint32_t count = placement == WITNESS_LOG2 ? all : most[v];
        bits[v] = 1;
        while (bits[v] <= WITNESS_BITS_MOST && count > 1u << bits[v])
            bits[v]++;
        fine = bits[v] <= WITNESS_BITS_MOST || error_set(error, "block %u has too many targets", v);
    }
    free(most);
    return fine;
}
