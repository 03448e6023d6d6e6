/*
 * executed PROG DATA...: what counting chosen paths would have executed in one run, by each numbering.
 *
 * PROG was built with -fcotree=paths; DATA are files of its runs. How often every path ran says, for any
 * choice of paths and any code for it, how often each addition, setting and count would have been executed:
 * nothing is built or run for it. Choices are those of -fcotree-paths=: the fewest paths that make 90 % of
 * all executions (hot), those that did not run (uncovered), and each of eight groups. The compiler divides
 * each unit into groups, here the whole program is.
 *
 * Output, tab separated, a line for each choice and numbering: CHOICE NUMBERING PATHS PROBES COUNTS
 * INSTRUCTIONS NUMBERING: all, pspp, compact, or chosen: per function the one that -fcotree-paths= takes, by
 * guessed frequencies. PATHS: how many are watched. PROBES: additions and settings executed between the
 * beginning and the end of paths. COUNTS: counters that went up. INSTRUCTIONS: roughly, as
 * src/plan/path_code.h has it, beginnings of paths included. The first line is "all all", for all paths.
 */
#include "base/memory.h"
#include "decode/decode.h"
#include "decode/model/paths.h"
#include "graph/weights.h"
#include "plan/path_code.h"
#include "plan/path_groups.h"

#include <inttypes.h>
#include <stdio.h>

enum { GROUPS = 8, HOT_PERCENT = 90 };
static const char *const kind_names[] = {
    [0] = "chosen", [PATH_CODE_ALL] = "all", [PATH_CODE_PSPP] = "pspp", [PATH_CODE_COMPACT] = "compact"};

struct item {
    const struct profile_function *f;
    struct paths paths;
    double *edge_weights; /* guessed: what the compiler has */
    double *arc_counts;   /* what ran */
    bool *hot;
};
struct items ARRAY_OF(struct item);

struct executed {
    uint64_t paths;
    double probes, counts, instructions;
};

static void add_function(struct items *items, const struct profile_function *f)
{
    struct item item = {.f = f};
    if (!f->path_counts || !paths_init(&item.paths, &f->map))
        return;
    const struct path_graph *g = &item.paths.graph;
    item.edge_weights = ALLOC(double, (size_t)f->map.graph.edge_count + 1);
    weights_guess(&f->map.graph, &weight_defaults, item.edge_weights);
    item.arc_counts = ZALLOC(double, (size_t)g->arcs.edge_count + 1);
    item.hot = ZALLOC(bool, (size_t)item.paths.numbers.total + 1);
    for (uint64_t id = 0; id < item.paths.numbers.total; id++) {
        uint32_t length =
            f->path_counts[id] > 0 ? path_decode(g, &item.paths.numbers, id, item.paths.arcs) : 0;
        for (uint32_t i = 0; i < length; i++)
            item.arc_counts[item.paths.arcs[i]] += (double)f->path_counts[id];
    }
    ARRAY_PUSH(items, item);
}

struct ran {
    size_t item;
    uint64_t id;
    int64_t count;
};

static int by_count(const void *left, const void *right)
{
    const struct ran *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return a->item != b->item ? (a->item < b->item ? -1 : 1) : (a->id > b->id) - (a->id < b->id);
}

static void find_hot(struct items *items)
{
    struct ARRAY_OF(struct ran) ran = {0};
    double all = 0, sum = 0;
    for (size_t i = 0; i < items->count; i++)
        for (uint64_t id = 0; id < items->items[i].paths.numbers.total; id++)
            if (items->items[i].f->path_counts[id] > 0) {
                ARRAY_PUSH(&ran, ((struct ran){i, id, items->items[i].f->path_counts[id]}));
                all += (double)items->items[i].f->path_counts[id];
            }
    if (ran.count)
        qsort(ran.items, ran.count, sizeof *ran.items, by_count);
    for (size_t i = 0; i < ran.count && sum * 100 < all * HOT_PERCENT; i++) {
        items->items[ran.items[i].item].hot[ran.items[i].id] = true;
        sum += (double)ran.items[i].count;
    }
    ARRAY_RELEASE(&ran);
}

/* Does a count follow, so that the compiler keeps the sum? */
static bool *find_matters(const struct path_code *code, const struct path_graph *g)
{
    bool *matters = ZALLOC(bool, g->arcs.vertex_count);
    for (uint32_t i = g->block_count; i-- > 0;)
        for (uint32_t k = g->adjacency.out_start[g->order[i]]; k < g->adjacency.out_start[g->order[i] + 1];
             k++) {
            uint32_t a = g->adjacency.out[k], to = g->arcs.edges[a].to;
            matters[g->order[i]] |= to == graph_exit(&g->arcs) ? code->counts[a] : matters[to];
        }
    return matters;
}

static void add_code(struct executed *sum, const struct item *item, const struct path_code *code)
{
    const struct path_graph *g = &item->paths.graph;
    uint32_t exit = graph_exit(&g->arcs);
    bool *matters = find_matters(code, g);
    for (uint32_t a = 0; a < g->arcs.edge_count; a++) {
        const struct edge *arc = &g->arcs.edges[a];
        if (arc->to == exit)
            sum->counts += code->counts[a] ? item->arc_counts[a] : 0;
        else if (arc->from != exit && matters[arc->to] && (code->sets[a] || code->add[a]))
            sum->probes += item->arc_counts[a];
    }
    sum->instructions += path_code_cost(code, g, item->arc_counts);
    free(matters);
}

/* wanted NULL: all paths. */
static void add_choice(struct executed *sum, const struct item *item, const bool *wanted,
                       enum path_code_kind kind)
{
    struct plan plan = *map_path_plan(&item->f->map);
    struct path_code code;
    uint64_t count = item->paths.numbers.total;
    plan.choice = NULL;
    if (wanted) {
        count = 0;
        for (uint64_t id = 0; id < item->paths.numbers.total; id++)
            count += wanted[id];
        if (!count || !path_choose(&plan, &item->f->map.graph, item->edge_weights, wanted, kind, NULL))
            return;
    }
    sum->paths += count;
    if (path_code_init(&code, &plan, &item->paths.graph, &item->paths.numbers, item->edge_weights, NULL)) {
        add_code(sum, item, &code);
        path_code_release(&code);
    }
    if (plan.choice)
        free(plan.choice->ranges);
    free(plan.choice);
}

static void put(const char *choice, const char *kind, const struct executed *e)
{
    printf("%s\t%s\t%" PRIu64 "\t%.0f\t%.0f\t%.0f\n", choice, kind, e->paths, e->probes, e->counts,
           e->instructions);
}

/* wanted[i]: of the function, by id */
static void put_choice(const struct items *items, const char *name, bool *const *wanted)
{
    for (int kind = 0; kind <= PATH_CODE_COMPACT; kind++) {
        struct executed sum = {0};
        for (size_t i = 0; i < items->count; i++)
            add_choice(&sum, &items->items[i], wanted[i], (enum path_code_kind)kind);
        put(name, kind_names[kind], &sum);
    }
}

static struct path_shares *divide(const struct items *items)
{
    struct path_shares *shares = path_shares_new();
    for (size_t i = 0; i < items->count; i++) {
        const struct item *item = &items->items[i];
        const struct path_graph *g = &item->paths.graph;
        double *weights = ALLOC(double, (size_t)g->arcs.edge_count + 1);
        bool *all = ALLOC(bool, (size_t)item->paths.numbers.total + 1);
        memset(all, true, (size_t)item->paths.numbers.total);
        path_graph_weights(g, &item->f->map.graph, item->edge_weights, weights);
        path_shares_add(shares, g, &item->paths.numbers, weights, all, PATH_SHARES_FREE);
        free(weights);
        free(all);
    }
    path_shares_divide(shares, GROUPS);
    return shares;
}

static void study(struct items *items)
{
    bool **wanted = ALLOC(bool *, items->count + 1);
    struct executed all = {0};
    for (size_t i = 0; i < items->count; i++) {
        add_choice(&all, &items->items[i], NULL, PATH_CODE_ALL);
        wanted[i] = ALLOC(bool, (size_t)items->items[i].paths.numbers.total + 1);
    }
    put("all", "all", &all);
    find_hot(items);
    for (size_t i = 0; i < items->count; i++)
        memcpy(wanted[i], items->items[i].hot, (size_t)items->items[i].paths.numbers.total);
    put_choice(items, "hot", wanted);
    for (size_t i = 0; i < items->count; i++)
        for (uint64_t id = 0; id < items->items[i].paths.numbers.total; id++)
            wanted[i][id] = items->items[i].f->path_counts[id] <= 0;
    put_choice(items, "uncovered", wanted);
    struct path_shares *shares = divide(items);
    for (uint32_t group = 0; group < GROUPS; group++) {
        char name[32];
        for (size_t i = 0; i < items->count; i++) {
            memset(wanted[i], true, (size_t)items->items[i].paths.numbers.total);
            path_shares_take(shares, i, group, wanted[i]);
        }
        snprintf(name, sizeof name, "group %" PRIu32, group + 1);
        put_choice(items, name, wanted);
    }
    path_shares_free(shares);
    for (size_t i = 0; i < items->count; i++)
        free(wanted[i]);
    free(wanted);
}

int main(int argc, char **argv)
{
    struct profile profile = {0};
    struct decode_options options = {.no_progress = true};
    struct decode_totals totals;
    struct error error;
    struct items items = {0};
    if (argc < 3 || !decode(&profile, argv[1], (const char *const *)argv + 2, (size_t)argc - 2, &options,
                            &totals, &error)) {
        fprintf(stderr, "executed: %s\n", argc < 3 ? "PROG DATA..." : error.text);
        return EXIT_CANNOT;
    }
    for (size_t i = 0; i < profile.functions.count; i++)
        add_function(&items, &profile.functions.items[i]);
    study(&items);
    for (size_t i = 0; i < items.count; i++) {
        paths_release(&items.items[i].paths);
        free(items.items[i].edge_weights);
        free(items.items[i].arc_counts);
        free(items.items[i].hot);
    }
    ARRAY_RELEASE(&items);
    profile_release(&profile);
    return EXIT_OK;
}
