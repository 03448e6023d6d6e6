/*
 * Who gets a probe. A graph and weights in, a plan out; no I/O, no compiler.
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
    PLACEMENT_BALANCE = 7,    /* two counters: activations begun, activations ended. Tells unfinished ones. Of
                                 others than main only the difference means something: those in the region around
                                 its calls (plan/region.h) */
    PLACEMENT_PATHS = 8,      /* path counts (plan/path_plan.h): Ball and Larus's paths */
    PLACEMENT_LOOP_PATHS = 9, /* path counts: paths also end where a loop is entered */
    PLACEMENT_REST = 10,      /* what edge counts need beside path counts (plan/path_rest.h) */
    PLACEMENT_MIXED_PATHS =
        11, /* path counts: paths also end where some loops are entered (plan/path_graph.h) */
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
    PROBE_EDGE,   /* counts traversals of edge `id` */
    PROBE_VERTEX, /* counts executions of block `id` (EXIT: activations ended, counted at every edge into
                     EXIT) */
};

struct probe {
    enum probe_kind kind;
    uint32_t id;
};

/* How a program tells chosen paths apart (plan/path_code.h). Values are written into maps: never renumber. */
enum path_code_kind {
    PATH_CODE_ALL = 1,     /* all paths have numbers of their own, as without a choice */
    PATH_CODE_PSPP = 2,    /* a chosen path's sum is its alone */
    PATH_CODE_COMPACT = 3, /* only the chosen ones have numbers; the last counter is everybody else's */
};
#define PATH_CODE_LAST PATH_CODE_COMPACT
extern const char *const path_code_names[PATH_CODE_LAST + 1]; /* of the first: NULL */

struct path_range {
    uint32_t first, end; /* ids: first .. end - 1 */
};

/* Which paths are counted, where not all are. */
struct path_choice {
    enum path_code_kind kind;
    uint32_t counters;
    uint32_t range_count;
    struct path_range *ranges; /* not empty, rising, apart from one another */
};

struct plan {
    enum placement placement;
    uint32_t probe_count;
    struct probe *probes; /* counter i of the plan belongs to probes[i]; of path counts: the edges cut */
    bool entry_given;     /* the entry edge's count is known from elsewhere, and no probe is on it */
    uint32_t path_count;  /* of path counts: how many paths there are; counter i is path i's unless: */
    struct path_choice *choice; /* of path counts: only these are counted; NULL: all are */
};

static inline uint32_t plan_counters(const struct plan *plan)
{
    if (!placement_counts_paths(plan->placement))
        return plan->probe_count;
    return plan->choice ? plan->choice->counters : plan->path_count;
}

/*
 * Plans one placement on a complete graph. weights: per edge, non-negative. no_probe: edges where no counter
 * can stand (they cannot be split), or NULL. The virtual edge of an endless loop is one of them; that of a
 * dead end can be counted, at the start of its block. Fails when these edges alone leave a count
 * undetermined; the error says which edge.
 */
bool plan_make(struct plan *plan, const struct graph *g, enum placement placement, const double *weights,
               const bool *no_probe, struct error *error);
/*
 * An edge profile (PLACEMENT_EDGES) of a function whose entries are known without a counter: those of its
 * calls. One edge fewer is counted. What is left by a virtual edge is counted there if at all possible: see
 * decode/profile/judge.c.
 */
bool plan_make_given(struct plan *plan, const struct graph *g, const double *weights, const bool *no_probe,
                     struct error *error);
void plan_release(struct plan *plan);

/*
 * The first count that the plan's counters leave open (an edge where the placement gives edges, a vertex
 * otherwise), or GRAPH_NONE when they determine all that the placement promises. plan_make has checked its
 * plans; a reader checks those it reads. Probe ids must be in range.
 */
uint32_t plan_undetermined(const struct plan *plan, const struct graph *g);

/* Expected executions of the plan's counters under the weights. */
double plan_cost(const struct plan *plan, const struct graph *g, const double *weights);

#endif
