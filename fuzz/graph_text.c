/*
 * Any bytes as graphs in text form. What parses must print to text that parses to the same graph
 * and prints the same again; small graphs whose blocks are all reachable are completed and planned,
 * and every plan must determine what it promises.
 */
#include "base/memory.h"
#include "graph/flow.h"
#include "graph/weights.h"
#include "plan/plan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define expect(condition)                                                                                    \
    do {                                                                                                     \
        if (!(condition))                                                                                    \
            abort();                                                                                         \
    } while (0)

static void check_round_trip(const struct graph_text *t)
{
    struct buffer printed = {0}, again = {0};
    struct graph_text copy;
    struct error error;
    graph_text_print(t, &printed);
    const char *at = buffer_text(&printed), *end = at + printed.length;
    unsigned line = 1;
    expect(graph_text_parse(&copy, &at, end, &line, &error) && at == end);
    expect(strcmp(copy.name, t->name) == 0 && graph_hash(&copy.graph) == graph_hash(&t->graph));
    expect((copy.weights != NULL) == (t->weights != NULL));
    for (uint32_t e = 0; t->weights && e < t->graph.edge_count; e++)
        expect(copy.weights[e] == t->weights[e]);
    graph_text_print(&copy, &again);
    expect(again.length == printed.length && memcmp(again.data, printed.data, printed.length) == 0);
    graph_text_release(&copy);
    buffer_release(&printed);
    buffer_release(&again);
}

/* Plans with the weights that were guessed; solves counts that a run could have left. */
static void check_plans(struct graph *g)
{
    graph_complete(g);
    uint32_t n = g->vertex_count, m = g->edge_count;
    double *weights = ALLOC(double, m);
    weights_guess(g, &weight_defaults, weights);
    for (uint32_t e = 0; e < m; e++)
        expect(weights[e] > 0);
    for (int placement = 1; placement <= PLACEMENT_LAST; placement++) {
        struct plan plan;
        struct error error;
        /* A graph whose endless loops hang together by edges that cannot be counted does not come
         * from text. */
        expect(plan_make(&plan, g, (enum placement)placement, weights, NULL, &error));
        bool *edge_known = ZALLOC(bool, m), *vertex_known = ZALLOC(bool, n);
        int64_t *edges = ZALLOC(int64_t, m), *vertices = ZALLOC(int64_t, n);
        for (uint32_t i = 0; i < plan.probe_count; i++)
            (plan.probes[i].kind == PROBE_EDGE ? edge_known : vertex_known)[plan.probes[i].id] = true;
        uint32_t where;
        enum flow_result result =
            flow_solve_vertices(g, edge_known, edges, vertex_known, NULL, vertices, &where);
        expect(result == FLOW_OK || placement == PLACEMENT_BALANCE);
        if (placement_info((enum placement)placement)->gives_edges)
            expect(flow_solve_edges(g, edge_known, NULL, edges, &where) == FLOW_OK);
        free(edge_known);
        free(vertex_known);
        free(edges);
        free(vertices);
        plan_release(&plan);
    }
    free(weights);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *at = (const char *)data, *end = at + size;
    unsigned line = 1;
    struct error error;
    struct graph_text t;
    while (at < end && graph_text_parse(&t, &at, end, &line, &error)) {
        check_round_trip(&t);
        struct graph *g = &t.graph;
        bool virtual_given = false;
        for (uint32_t e = 0; e < g->edge_count; e++)
            virtual_given |= g->edges[e].kind == EDGE_VIRTUAL;
        if (g->vertex_count <= 2000 && !virtual_given) {
            bool *reachable = ALLOC(bool, g->vertex_count), all = true;
            graph_reachable(g, reachable);
            for (uint32_t v = 0; v < graph_exit(g); v++)
                all &= reachable[v];
            free(reachable);
            if (all)
                check_plans(g);
        }
        graph_text_release(&t);
    }
    return 0;
}
