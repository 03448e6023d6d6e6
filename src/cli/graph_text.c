/*
 * `cotree graph --text FILE`: graphs written by hand (or by a test, a paper, another compiler) are
 * completed, weighted and planned, so that placements can be compared without a program. Nothing is
 * printed before every graph of the file has been read and planned.
 */
#include "cli/graph_text.h"
#include "cli/options.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "plan/plan.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define LARGEST_FILE ((size_t)1 << 30)

static bool read_text(const char *path, bool from_stdin, struct buffer *content, struct error *error)
{
    const char *name = from_stdin ? "standard input" : path;
    FILE *file = from_stdin ? stdin : fopen(path, "re");
    if (!file)
        return error_set(error, "cannot read '%s': %s", name, strerror(errno));
    char part[65536];
    size_t got;
    bool ok = true;
    while (ok && (got = fread(part, 1, sizeof part, file)) > 0) {
        buffer_add(content, part, got);
        if (content->length > LARGEST_FILE)
            ok = error_set(error, "cannot read '%s': it is larger than a gigabyte", name);
    }
    if (ok && ferror(file))
        ok = error_set(error, "cannot read '%s': %s", name, strerror(errno));
    if (!from_stdin)
        fclose(file);
    return ok;
}

/*
 * Completes given weights, which cover the edges that were given. Edges that completion added get
 * what conservation asks for: the entry what leaves the root beyond what returns to it, a virtual
 * edge what stays in its block.
 */
static void complete_weights(struct graph_text *t, uint32_t given)
{
    struct graph *g = &t->graph;
    double *in = ZALLOC(double, g->vertex_count), *out = ZALLOC(double, g->vertex_count);
    for (uint32_t e = 0; e < given; e++) {
        in[g->edges[e].to] += t->weights[e];
        out[g->edges[e].from] += t->weights[e];
    }
    RESIZE(t->weights, (size_t)g->edge_count + 1);
    for (uint32_t e = given; e < g->edge_count; e++) {
        struct edge edge = g->edges[e];
        t->weights[e] = edge.kind == EDGE_ENTRY ? fmax(0, out[edge.to] - in[edge.to])
                                                : fmax(0, in[edge.from] - out[edge.from]);
        if (edge.kind == EDGE_ENTRY)
            in[edge.to] += t->weights[e];
    }
    free(in);
    free(out);
}

/* Returns the first vertex where more flows in than out, or the other way round, or GRAPH_NONE. */
static uint32_t unbalanced_vertex(const struct graph *g, const double *weights)
{
    double *in = ZALLOC(double, g->vertex_count), *out = ZALLOC(double, g->vertex_count);
    uint32_t found = GRAPH_NONE;
    for (uint32_t e = 0; e < g->edge_count; e++) {
        in[g->edges[e].to] += weights[e];
        out[g->edges[e].from] += weights[e];
    }
    for (uint32_t v = 0; v < g->vertex_count && found == GRAPH_NONE; v++)
        if (fabs(in[v] - out[v]) > 1e-6 * fmax(in[v], out[v]))
            found = v;
    free(in);
    free(out);
    return found;
}

/* ---- One graph, completed and planned ---- */

struct planned {
    struct graph_text text;
    bool guessed;         /* the file gave no weights */
    bool costed;          /* it did, but only to say what plans by guessed ones cost */
    double *planned_with; /* the weights that plans were made with; costs are by text.weights */
    struct plan plans[PLACEMENT_LAST];
    uint32_t plan_count;
};
struct planned_list ARRAY_OF(struct planned);

static void planned_release(struct planned *p)
{
    for (uint32_t i = 0; i < p->plan_count; i++)
        plan_release(&p->plans[i]);
    free(p->planned_with);
    graph_text_release(&p->text);
}

/* Completes, weights and plans the graph that was parsed. */
static bool plan_graph(struct planned *p, const struct placement_info *only,
                       const struct weight_options *weights, struct error *error)
{
    struct graph *g = &p->text.graph;
    bool *reachable = ALLOC(bool, g->vertex_count);
    uint32_t unreachable = GRAPH_NONE;
    graph_reachable(g, reachable);
    for (uint32_t v = 0; v < graph_exit(g) && unreachable == GRAPH_NONE; v++)
        if (!reachable[v])
            unreachable = v;
    free(reachable);
    if (unreachable != GRAPH_NONE)
        return error_set(error, "graph '%s': no path leads from block 0 to block %" PRIu32, p->text.name,
                         unreachable);

    uint32_t given = g->edge_count;
    p->guessed = !p->text.weights;
    p->costed = !p->guessed && weights;
    graph_complete(g);
    p->planned_with = ALLOC(double, (size_t)g->edge_count + 1);
    weights_guess(g, weights ? weights : &weight_defaults, p->planned_with);
    if (p->guessed) {
        p->text.weights = ALLOC(double, (size_t)g->edge_count + 1);
        memcpy(p->text.weights, p->planned_with, g->edge_count * sizeof *p->planned_with);
    } else {
        complete_weights(&p->text, given);
        if (!weights)
            memcpy(p->planned_with, p->text.weights, g->edge_count * sizeof *p->planned_with);
    }
    for (int placement = 1; placement <= PLACEMENT_LAST; placement++) {
        if (only && only->placement != (enum placement)placement)
            continue;
        if (!plan_make(&p->plans[p->plan_count], g, (enum placement)placement, p->planned_with, NULL, error))
            return error_prefix(error, "graph '%s'", p->text.name);
        p->plan_count++;
    }
    return true;
}

/* ---- Text ---- */

static char *printable_name(const struct graph_text *t)
{
    char *name = memory_string(t->name);
    text_make_printable(name);
    return name;
}

static void vertex_name(const struct graph *g, const struct edge *edge, bool source, char name[16])
{
    uint32_t v = source ? edge->from : edge->to;
    if (v != graph_exit(g))
        snprintf(name, 16, "%" PRIu32, v);
    else
        snprintf(name, 16, "%s", source ? "entry" : edge->kind == EDGE_VIRTUAL ? "virtual" : "exit");
}

static void print_heading(const struct planned *p)
{
    const struct graph *g = &p->text.graph;
    char *name = printable_name(&p->text);
    printf("%s: %" PRIu32 " block%s, %" PRIu32 " edges, weights %s", name, g->vertex_count - 1,
           g->vertex_count == 2 ? "" : "s", g->edge_count,
           p->guessed  ? "guessed"
           : p->costed ? "guessed, costs by those given"
                       : "given");
    uint32_t unbalanced = p->guessed ? GRAPH_NONE : unbalanced_vertex(g, p->text.weights);
    if (unbalanced == graph_exit(g))
        printf(" (entry and exit do not balance)");
    else if (unbalanced != GRAPH_NONE)
        printf(" (they do not balance at block %" PRIu32 ")", unbalanced);
    putchar('\n');
    free(name);
}

static void print_table(const struct planned *p)
{
    printf("  %-12s %10s %14s\n", "placement", "counters", "cost");
    for (uint32_t i = 0; i < p->plan_count; i++)
        printf("  %-12s %10" PRIu32 " %14.10g\n", placement_info(p->plans[i].placement)->name,
               p->plans[i].probe_count, plan_cost(&p->plans[i], &p->text.graph, p->text.weights));
}

/* The counter of each edge and vertex in the plan, or GRAPH_NONE; the caller frees both. */
static void counters_of(const struct planned *p, uint32_t **edge, uint32_t **vertex)
{
    const struct graph *g = &p->text.graph;
    *edge = ALLOC(uint32_t, (size_t)g->edge_count + 1);
    *vertex = ALLOC(uint32_t, g->vertex_count);
    memset(*edge, 0xff, g->edge_count * sizeof **edge);
    memset(*vertex, 0xff, g->vertex_count * sizeof **vertex);
    for (uint32_t i = 0; i < p->plans[0].probe_count; i++) {
        struct probe probe = p->plans[0].probes[i];
        (probe.kind == PROBE_EDGE ? *edge : *vertex)[probe.id] = i;
    }
}

static void print_plan(const struct planned *p)
{
    const struct graph *g = &p->text.graph;
    uint32_t *edge_counter, *vertex_counter;
    counters_of(p, &edge_counter, &vertex_counter);
    for (uint32_t v = 0; v < g->vertex_count; v++)
        if (vertex_counter[v] != GRAPH_NONE) {
            char name[32] = "activations ended";
            if (v != graph_exit(g))
                snprintf(name, sizeof name, "block %" PRIu32, v);
            printf("  %-37s  [%" PRIu32 "]\n", name, vertex_counter[v]);
        }
    for (uint32_t e = 0; e < g->edge_count; e++) {
        char from[16], to[16];
        vertex_name(g, &g->edges[e], true, from);
        vertex_name(g, &g->edges[e], false, to);
        printf("  %10s -> %-10s %12.6g", from, to, p->text.weights[e]);
        if (edge_counter[e] != GRAPH_NONE)
            printf("  [%" PRIu32 "]", edge_counter[e]);
        putchar('\n');
    }
    free(edge_counter);
    free(vertex_counter);
}

/* ---- Graphviz ---- */

static void print_dot(const struct planned *p)
{
    const struct graph *g = &p->text.graph;
    uint32_t *edge_counter, *vertex_counter;
    counters_of(p, &edge_counter, &vertex_counter);
    char *name = printable_name(&p->text);
    printf("digraph \"");
    for (const char *c = name; *c; c++)
        printf(*c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    printf("\" {\n    node [shape=box];\n    entry [shape=plaintext];\n    exit [shape=plaintext];\n");
    for (uint32_t v = 0; v < graph_exit(g); v++) {
        if (vertex_counter[v] != GRAPH_NONE)
            printf("    %" PRIu32 " [label=\"%" PRIu32 " [%" PRIu32 "]\" color=red];\n", v, v,
                   vertex_counter[v]);
        else
            printf("    %" PRIu32 ";\n", v);
    }
    for (uint32_t e = 0; e < g->edge_count; e++) {
        char from[16], to[16];
        vertex_name(g, &g->edges[e], true, from);
        vertex_name(g, &g->edges[e], false, to);
        bool is_virtual = g->edges[e].kind == EDGE_VIRTUAL;
        printf("    %s -> %s [label=\"%.6g", from, is_virtual ? "exit" : to, p->text.weights[e]);
        if (edge_counter[e] != GRAPH_NONE)
            printf(" [%" PRIu32 "]\" color=red", edge_counter[e]);
        else
            printf("\"");
        printf("%s];\n", is_virtual ? " style=dashed" : "");
    }
    printf("}\n");
    free(edge_counter);
    free(vertex_counter);
    free(name);
}

bool graph_text_weights(struct weight_options *weights, const char *value, struct error *error)
{
    *weights = weight_defaults;
    weights->paper = text_starts_with(value, "paper");
    const char *at = value + (weights->paper ? 5 : text_starts_with(value, "repaired") ? 8 : 0);
    bool good = at > value;
    double *const factors[] = {&weights->loop_factor, &weights->branch_factor};
    for (int i = 0; good && i < 2 && *at == ','; i++) {
        char *end;
        *factors[i] = strtod(at + 1, &end);
        good = end > at + 1 && *factors[i] >= 1 && *factors[i] <= 1e6;
        at = end;
    }
    if (!good || *at)
        return error_set(
            error, "--weights is repaired or paper, then perhaps factors from 1 to 1000000, not '%s'", value);
    return true;
}

int cmd_graph_text(const char *path, const char *format, const char *placement, bool from_stdin,
                   const struct weight_options *weights)
{
    struct error error;
    bool dot = strcmp(format, "dot") == 0;
    const struct placement_info *only = placement_by_name(placement ? placement : "edges");
    if (!only || (!dot && strcmp(format, "text") != 0)) {
        error_set(&error,
                  only ? "graphs given as text are shown as text or dot" : "no placement is called '%s'",
                  placement);
        return options_fail("graph", &error, EXIT_USAGE);
    }
    if (!placement && !dot)
        only = NULL;

    struct buffer content = {0};
    struct planned_list graphs = {0};
    bool ok = read_text(path, from_stdin, &content, &error);
    const char *at = (const char *)content.data, *end = ok && at ? at + content.length : at;
    unsigned line = 1;
    if (ok && !at)
        ok = error_set(&error, "'%s': the file is empty", from_stdin ? "standard input" : path);
    while (ok && at < end) {
        struct planned *p = ARRAY_ADD(&graphs);
        *p = (struct planned){0};
        ok = graph_text_parse(&p->text, &at, end, &line, &error) && plan_graph(p, only, weights, &error);
        if (!ok)
            error_prefix(&error, "'%s'", from_stdin ? "standard input" : path);
    }
    for (size_t i = 0; ok && i < graphs.count; i++) {
        const struct planned *p = &graphs.items[i];
        if (dot) {
            print_dot(p);
            continue;
        }
        print_heading(p);
        print_table(p);
        if (only)
            print_plan(p);
        if (i + 1 < graphs.count)
            putchar('\n');
    }
    int status = ok ? EXIT_OK : options_fail("graph", &error, EXIT_UNUSABLE);
    if (ok && (fflush(stdout) != 0 || ferror(stdout))) {
        error_set(&error, "cannot write standard output: %s", strerror(errno));
        status = options_fail("graph", &error, EXIT_CANNOT);
    }
    for (size_t i = 0; i < graphs.count; i++)
        planned_release(&graphs.items[i]);
    ARRAY_RELEASE(&graphs);
    buffer_release(&content);
    return status;
}
