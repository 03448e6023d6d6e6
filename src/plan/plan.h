/*
 * Plans: which probes a function gets. A plan is made from a graph and weights, without I/O and
 * without the compiler.
 *
 * Words
 *   probe      a counter on an edge or in a block
 *   placement  the rule by which probes are chosen; each has a number and a name
 *   plan       the probes that a placement chose for a graph. Counter i belongs to probe i.
 *   given      of the entry edge: its count is known from elsewhere, so it needs no probe
 *   chosen     of paths: those that are counted, where not all of them are
 *
 * Example: edge counters on a complete graph, and what they cost.
 *
 *     struct plan plan;
 *     double weights[...];
 *     weights_guess(&g, &weight_defaults, weights);
 *     if (!plan_make(&plan, &g, PLACEMENT_EDGES, weights, NULL, error))
 *         return false;
 *     printf("%u counters, %g increments\n", plan_counters(&plan), plan_cost(&plan, &g, weights));
 *     plan_release(&plan);
 *
 * Invariants
 *  1. The counters of a plan determine every count that its placement promises (plan_undetermined).
 *     plan_make checks its own plans; a reader of maps checks the plans it reads.
 *  2. No probe stands on an edge of no_probe, nor on a given entry edge.
 *  3. The ids of probes are in range of the graph.
 */
#ifndef COTREE_PLAN_PLAN_H
#define COTREE_PLAN_PLAN_H

#include "base/error.h"
#include "graph/graph.h"

/* Values are written into maps: never renumber. */
enum placement {
    PLACEMENT_EDGES = 1,       /* edge counts from the chords of a maximum spanning tree */
    PLACEMENT_BLOCKS = 2,      /* block counts from edge counters, by the union-find rule */
    PLACEMENT_FIGURE_11 = 3,   /* block counts from edge counters, by the paper's heuristic */
    PLACEMENT_KNUTH = 4,       /* block counts from block counters (Knuth & Stevenson 1973) */
    PLACEMENT_EVERY_EDGE = 5,  /* a counter on every edge: redundant, the oracle */
    PLACEMENT_EVERY_BLOCK = 6, /* a counter in every block: redundant */
    /* Two counters, of activations that began and that ended: they tell how many are unfinished. Of
     * main they are these numbers. Of any other function only the difference means something: how
     * many activations are in the region around its calls (plan/region.h). */
    PLACEMENT_BALANCE = 7,
    PLACEMENT_PATHS = 8,      /* path counts (plan/path_plan.h): Ball and Larus's paths */
    PLACEMENT_LOOP_PATHS = 9, /* path counts: paths also end where a loop is entered */
    PLACEMENT_REST = 10,      /* what edge counts need beside path counts (plan/path_rest.h) */
    /* Path counts: paths also end where some loops are entered (plan/path_graph.h). */
    PLACEMENT_MIXED_PATHS = 11,
};
#define PLACEMENT_LAST PLACEMENT_BALANCE        /* of those that count edges and blocks */
#define PLACEMENT_HIGHEST PLACEMENT_MIXED_PATHS /* of all */

static inline bool placement_counts_paths(enum placement placement)
{
    return placement == PLACEMENT_PATHS || placement == PLACEMENT_LOOP_PATHS ||
           placement == PLACEMENT_MIXED_PATHS;
}

struct placement_info {
    enum placement placement;
    const char *name;        /* as on the command line */
    const char *description; /* for --help and `cotree graph` */
    bool gives_edges;        /* edge counts, not only block counts, can be solved from it */
};
const struct placement_info *placement_by_name(const char *name); /* NULL if there is none */
const struct placement_info *placement_info(enum placement placement);

enum probe_kind {
    PROBE_EDGE, /* counts traversals of edge `id` */
    /* Counts executions of block `id`. Of EXIT it counts activations that end, at every edge into
     * EXIT. */
    PROBE_VERTEX,
};

struct probe {
    enum probe_kind kind;
    uint32_t id;
};

/* How a program tells chosen paths apart (plan/path_code.h). Values are written into maps: never
 * renumber. */
enum path_code_kind {
    PATH_CODE_ALL = 1,     /* all paths have numbers of their own, as without a choice */
    PATH_CODE_PSPP = 2,    /* no other path has the sum of a chosen path */
    PATH_CODE_COMPACT = 3, /* only chosen paths have numbers; all others share the last counter */
};
#define PATH_CODE_LAST PATH_CODE_COMPACT
extern const char *const path_code_names[PATH_CODE_LAST + 1]; /* by number; 0 has none: NULL */

struct path_range {
    uint32_t first, end; /* ids: first .. end - 1 */
};

/* Which paths are counted, where not all are. */
struct path_choice {
    enum path_code_kind kind;
    uint32_t counters;
    uint32_t range_count;
    struct path_range *ranges; /* none is empty; they rise and do not touch */
};

struct plan {
    enum placement placement;
    uint32_t probe_count;
    struct probe *probes; /* counter i belongs to probes[i]; of path counts: the edges where paths are cut */
    bool entry_given;     /* the entry edge's count is known from elsewhere, and no probe is on it */
    uint32_t path_count;  /* of path counts: how many paths there are */
    /* Of path counts: the paths that are counted. NULL: all are, and counter i is path i's. */
    struct path_choice *choice;
};

static inline uint32_t plan_counters(const struct plan *plan)
{
    if (!placement_counts_paths(plan->placement))
        return plan->probe_count;
    return plan->choice ? plan->choice->counters : plan->path_count;
}

/*
 * Plans one placement on a complete graph. `weights` has a number for each edge, none of them
 * negative. `no_probe` marks edges on which no counter can stand, since they cannot be split; it
 * may be NULL. The virtual edge of an endless loop is such an edge; that of a dead end is not: it
 * can be counted at the start of its block. Fails when these edges alone leave a count
 * undetermined; the error says which edge.
 */
bool plan_make(struct plan *plan, const struct graph *g, enum placement placement, const double *weights,
               const bool *no_probe, struct error *error);
/*
 * Plans edge counts (PLACEMENT_EDGES) of a function whose entries are known without a counter, from
 * the counts of its calls. One edge fewer is counted. Virtual edges are counted if at all possible:
 * decode/profile/judge.c says why.
 */
bool plan_make_given(struct plan *plan, const struct graph *g, const double *weights, const bool *no_probe,
                     struct error *error);
void plan_release(struct plan *plan);

/*
 * Returns the first count that the plan's counters leave open, or GRAPH_NONE when they determine
 * all that the placement promises (invariant 1). It is an edge where the placement gives edges, a
 * vertex otherwise. Probe ids must be in range.
 */
uint32_t plan_undetermined(const struct plan *plan, const struct graph *g);

/* How often the plan's counters are incremented if the weights are right. */
double plan_cost(const struct plan *plan, const struct graph *g, const double *weights);

#endif
