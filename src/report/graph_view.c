/*
 * One function's flow graph for people: blocks, edges, counts, and which of them carry a counter;
 * as text and in Graphviz's language.
 *
 * Everything comes from the map and the profile: the graph is the one clang emitted, so it is the
 * same at every -O level.
 */
#include "report/report.h"
#include "base/buffer.h"

#include <inttypes.h>
#include <math.h>

#define NONE GRAPH_NO_COUNTER

struct graph_counters graph_counters_of(const struct map_function *f, enum placement placement)
{
    struct graph_counters c = {.edge = ALLOC(uint32_t, f->graph.edge_count + 1),
                               .vertex = ALLOC(uint32_t, f->graph.vertex_count)};
    memset(c.edge, 0xff, (f->graph.edge_count + 1) * sizeof *c.edge);
    memset(c.vertex, 0xff, f->graph.vertex_count * sizeof *c.vertex);
    for (uint32_t i = 0; i < f->plan_count && !c.plan; i++)
        if (placement ? f->plans[i].placement == placement
                      : f->plans[i].placement != PLACEMENT_BALANCE &&
                            !placement_counts_paths(f->plans[i].placement))
            c.plan = &f->plans[i];
    for (uint32_t i = 0; c.plan && i < c.plan->probe_count; i++) {
        const struct probe *p = &c.plan->probes[i];
        if (p->kind == PROBE_EDGE)
            c.edge[p->id] = i;
        else
            c.vertex[p->id] = i;
    }
    return c;
}

void graph_counters_release(struct graph_counters *c)
{
    free(c->edge);
    free(c->vertex);
}

static int64_t block_count(const struct graph_view *v, uint32_t block)
{
    return v->with_counts ? shown_block_count(v->function, block) : -1;
}

static int64_t edge_count(const struct graph_view *v, uint32_t edge)
{
    return v->with_counts ? shown_edge_count(v->function, edge) : -1;
}

/* The block's lines in its function's own file, as ranges: "lines 12-14, 20". Other files are
 * named. */
static void add_lines(struct buffer *out, const struct map_function *f, const struct map_block *block)
{
    enum { RANGES = 4 };
    int ranges = 0;
    for (uint32_t i = 0; i < block->line_count;) {
        uint32_t first = block->lines[i].line, last = first, file = block->lines[i].file;
        while (++i < block->line_count && block->lines[i].file == file &&
               (block->lines[i].line == last || block->lines[i].line == last + 1))
            last = block->lines[i].line;
        if (++ranges > RANGES) {
            buffer_add_text(out, ", ...");
            return;
        }
        bool only = first == last && i == block->line_count;
        buffer_add_text(out, ranges > 1 ? ", " : only ? "line " : "lines ");
        if (file != 0) {
            const char *slash = strrchr(f->files[file], '/');
            char *name = printable(slash ? slash + 1 : f->files[file]);
            buffer_addf(out, "%s:", name);
            free(name);
        }
        buffer_addf(out, first == last ? "%" PRIu32 : "%" PRIu32 "-%" PRIu32, first, last);
    }
}

static void put_hazards(FILE *out, uint32_t hazards)
{
    static const struct {
        uint32_t hazard;
        const char *name;
    } names[] = {
        {MAP_HAZARD_LONGJMP, "longjmp"}, {MAP_HAZARD_THROW, "throws"}, {MAP_HAZARD_LANDING_PAD, "catches"},
        {MAP_HAZARD_SETJMP, "setjmp"},   {MAP_HAZARD_EXIT, "exits"},   {MAP_HAZARD_FORK, "forks"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (hazards & names[i].hazard)
            fprintf(out, ", %s", names[i].name);
}

static void put_plans(FILE *out, const struct map_function *f, const struct plan *shown)
{
    fputs("counters:", out);
    for (uint32_t i = 0; i < f->plan_count; i++) {
        const struct placement_info *info = placement_info(f->plans[i].placement);
        fprintf(out, "%s %s %" PRIu32 "%s", i ? "," : "", info ? info->name : "?",
                plan_counters(&f->plans[i]), &f->plans[i] == shown && f->plan_count > 1 ? " (shown)" : "");
    }
    if (f->plan_count == 0)
        fputs(" none", out);
}

/* ---- Text ---- */

/* The source of the line that each block begins on, cut to a glance; NULL where it is not known. */
struct snippets {
    char **of_block;
    uint32_t count;
};

struct beginning {
    uint32_t line, block;
};

static int compare_beginnings(const void *left, const void *right)
{
    const struct beginning *a = left, *b = right;
    return (a->line > b->line) - (a->line < b->line);
}

static char *snippet(const char *line)
{
    enum { GLANCE = 60 };
    line += strspn(line, " ");
    size_t end = 0, shown = 0;
    for (; line[end]; end++) {
        shown += ((unsigned char)line[end] & 0xc0) != 0x80;
        if (shown > GLANCE)
            break;
    }
    return memory_substring(line, end);
}

static struct snippets read_snippets(const struct graph_view *v)
{
    const struct map_function *m = &v->function->map;
    struct snippets s = {.count = m->graph.vertex_count - 1};
    s.of_block = ZALLOC(char *, s.count + 1);
    struct beginning *order = ALLOC(struct beginning, s.count + 1);
    size_t known = 0, next = 0;
    for (uint32_t b = 0; b < s.count; b++)
        if (m->blocks[b].line_count && m->blocks[b].lines[0].file == 0)
            order[known++] = (struct beginning){m->blocks[b].lines[0].line, b};
    qsort(order, known, sizeof *order, compare_beginnings);
    char *path = m->file_count ? source_maps_apply(v->source_maps, m->files[0]) : NULL;
    struct source source;
    const char *reason, *text;
    if (path && source_open(&source, path, &reason)) {
        for (uint32_t number = 1; next < known && (text = source_next(&source)); number++)
            for (; next < known && order[next].line <= number; next++)
                if (order[next].line == number)
                    s.of_block[order[next].block] = snippet(text);
        source_close(&source);
    }
    free(path);
    free(order);
    return s;
}

static void snippets_release(struct snippets *s)
{
    for (uint32_t b = 0; b < s->count; b++)
        free(s->of_block[b]);
    free(s->of_block);
}

static void put_edge(FILE *out, const struct graph_view *v, const struct graph_counters *c, uint32_t e,
                     int width)
{
    const struct edge *edge = &v->function->map.graph.edges[e];
    char number[COUNT_TEXT], target[24];
    if (edge->to == graph_exit(&v->function->map.graph))
        snprintf(target, sizeof target, "%s", edge->kind == EDGE_VIRTUAL ? "stays" : "exit");
    else
        snprintf(target, sizeof target, "%" PRIu32, edge->to);
    if (v->with_counts)
        fprintf(out, "  %*s", width, count_text(number, edge_count(v, e)));
    fprintf(out, "    -> %s", target);
    if (c->edge[e] != NONE)
        fprintf(out, "%*s  [%" PRIu32 "]", strlen(target) < 6 ? 6 - (int)strlen(target) : 0, "", c->edge[e]);
    putc('\n', out);
}

/* Counts the activations that were left for ever in the block, and those resumed there. */
static void block_frames(const struct profile_function *f, uint32_t block, int64_t *left, int64_t *resumed)
{
    *left = *resumed = 0;
    for (size_t i = 0; i < f->frames.count; i++)
        if (f->frames.items[i].block == block) {
            *left = count_add(*left, f->frames.items[i].cuts);
            *resumed = count_add(*resumed, f->frames.items[i].resumes);
        }
    if (*left && profile_is_dead_end(&f->map.graph, block))
        *left = 0; /* by its virtual edge */
}

static void put_block_frames(FILE *out, const struct graph_view *v, uint32_t block, int width)
{
    int64_t left, resumed;
    char number[COUNT_TEXT];
    block_frames(v->function, block, &left, &resumed);
    if (v->with_counts && resumed)
        fprintf(out, "  %*s    <- resumed\n", width, count_text(number, resumed));
    if (v->with_counts && left)
        fprintf(out, "  %*s    -> left for ever\n", width, count_text(number, left));
}

void graph_view_text(const struct graph_view *v, FILE *out)
{
    const struct profile_function *f = v->function;
    const struct map_function *m = &f->map;
    const char *bold = v->color ? "\033[1m" : "", *red = v->color ? "\033[31m" : "",
               *dim = v->color ? "\033[2m" : "", *end = v->color ? "\033[m" : "";
    char number[COUNT_TEXT];
    char *name = printable(v->name);
    fprintf(out, "%s%s%s", bold, name, end);
    free(name);
    if (m->file_count) {
        char *path = source_shown_path(m->files[0]);
        fprintf(out, "  %s:%" PRIu32, path, m->line);
        free(path);
    }
    if (v->with_counts && f->counted)
        fprintf(out, "  entered %s time%s, %s", count_text(number, f->entries), f->entries == 1 ? "" : "s",
                f->exact ? "exact" : "not exact");
    if (f->why || (!f->counted && m->why_uncounted)) {
        char *why = printable(f->why ? f->why : m->why_uncounted);
        fprintf(out, ": %s", why);
        free(why);
    }
    fprintf(out, "\n%" PRIu32 " block%s, %" PRIu32 " edges, ", m->graph.vertex_count - 1,
            m->graph.vertex_count == 2 ? "" : "s", m->graph.edge_count);
    struct graph_counters c = graph_counters_of(m, v->placement);
    put_plans(out, m, c.plan);
    fputs(c.plan ? "; [n] marks counter n\n" : "\n", out);

    struct snippets snippets = read_snippets(v);
    struct adjacency a;
    adjacency_init(&a, &m->graph);
    int width = 5;
    for (uint32_t b = 0; b + 1 < m->graph.vertex_count; b++) {
        int w = (int)strlen(count_text(number, block_count(v, b)));
        width = w > width ? w : width;
    }
    uint32_t exit_vertex = graph_exit(&m->graph);
    fputs("\nentry\n", out);
    for (uint32_t i = a.out_start[exit_vertex]; i < a.out_start[exit_vertex + 1]; i++)
        put_edge(out, v, &c, a.out[i], width);
    for (uint32_t b = 0; b + 1 < m->graph.vertex_count && !ferror(out); b++) {
        bool never = block_count(v, b) == 0;
        fputs(never ? red : "", out);
        if (v->with_counts)
            fprintf(out, "  %*s  ", width, count_text(number, block_count(v, b)));
        fprintf(out, "block %" PRIu32, b);
        struct buffer lines = {0};
        add_lines(&lines, m, &m->blocks[b]);
        if (lines.length)
            fprintf(out, "  %s", buffer_text(&lines));
        buffer_release(&lines);
        put_hazards(out, m->blocks[b].hazards);
        if (c.vertex[b] != NONE)
            fprintf(out, "  [%" PRIu32 "]", c.vertex[b]);
        fputs(never ? end : "", out);
        if (snippets.of_block[b] && *snippets.of_block[b])
            fprintf(out, "  %s| %s%s", dim, snippets.of_block[b], end);
        putc('\n', out);
        for (uint32_t i = a.out_start[b]; i < a.out_start[b + 1]; i++)
            put_edge(out, v, &c, a.out[i], width);
        put_block_frames(out, v, b, width);
    }
    if (c.vertex[exit_vertex] != NONE)
        fprintf(out, "exit  [%" PRIu32 "]\n", c.vertex[exit_vertex]);
    adjacency_release(&a);
    snippets_release(&snippets);
    graph_counters_release(&c);
}

/* ---- Graphviz ---- */

/* Writes a quoted text for dot: quotes and backslashes are escaped; the caller writes a line break
 * as "\n". */
static void put_quoted(FILE *out, const char *text)
{
    char *safe = printable(text);
    for (const char *s = safe; *s; s++) {
        if (*s == '"' || *s == '\\')
            putc('\\', out);
        putc(*s, out);
    }
    free(safe);
}

/* Shades go from pale to strong by the logarithm of the count: hot loops differ from warm ones by
 * orders of magnitude. */
static void put_shade(FILE *out, int64_t count, int64_t most)
{
    if (count < 0)
        fputs("fillcolor=white", out);
    else if (count == 0)
        fputs("fillcolor=\"#f2f2f2\",fontcolor=\"#b00020\",color=\"#b00020\"", out);
    else
        fprintf(out, "fillcolor=\"0.09 %.3f 1.0\"",
                0.08 + 0.6 * log2(1.0 + (double)count) / log2(2.0 + (double)most));
}

static void put_dot_vertex(FILE *out, const struct graph *g, uint32_t vertex, bool as_source)
{
    if (vertex == graph_exit(g))
        fputs(as_source ? "entry" : "exit", out);
    else
        fprintf(out, "b%" PRIu32, vertex);
}

void graph_view_dot(const struct graph_view *v, FILE *out)
{
    const struct map_function *m = &v->function->map;
    struct graph_counters c = graph_counters_of(m, v->placement);
    char number[COUNT_TEXT];
    int64_t most = 0;
    for (uint32_t b = 0; b + 1 < m->graph.vertex_count; b++)
        if (block_count(v, b) > most)
            most = block_count(v, b);
    fputs("digraph \"", out);
    put_quoted(out, v->name);
    fputs("\" {\n  label=\"", out);
    put_quoted(out, v->name);
    if (m->file_count) {
        char *path = source_shown_path(m->files[0]);
        fputs("\\n", out);
        put_quoted(out, path);
        fprintf(out, ":%" PRIu32, m->line);
        free(path);
    }
    fputs("\\n", out);
    put_plans(out, m, c.plan);
    fputs(c.plan ? "; bold red edges and double frames carry one\"; " : "\"; ", out);
    fputs("labelloc=t; fontname=\"Helvetica\"; fontsize=11;\n"
          "  node [shape=box, style=\"filled,rounded\", fontname=\"Helvetica\", fontsize=10, "
          "color=\"#666666\"];\n"
          "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#444444\"];\n"
          "  entry [shape=plaintext, style=\"\"];\n  exit [shape=plaintext, style=\"\"];\n",
          out);
    for (uint32_t b = 0; b + 1 < m->graph.vertex_count && !ferror(out); b++) {
        fprintf(out, "  b%" PRIu32 " [label=\"%" PRIu32, b, b);
        if (v->with_counts)
            fprintf(out, ":  %s", count_text(number, block_count(v, b)));
        struct buffer lines = {0};
        add_lines(&lines, m, &m->blocks[b]);
        if (lines.length) {
            fputs("\\n", out);
            put_quoted(out, buffer_text(&lines));
        }
        buffer_release(&lines);
        if (c.vertex[b] != NONE)
            fprintf(out, "\\n[%" PRIu32 "]", c.vertex[b]);
        fputs("\", ", out);
        put_shade(out, block_count(v, b), most);
        fputs(c.vertex[b] != NONE ? ", peripheries=2];\n" : "];\n", out);
    }
    for (uint32_t e = 0; e < m->graph.edge_count && !ferror(out); e++) {
        const struct edge *edge = &m->graph.edges[e];
        fputs("  ", out);
        put_dot_vertex(out, &m->graph, edge->from, true);
        fputs(" -> ", out);
        put_dot_vertex(out, &m->graph, edge->to, false);
        fputs(" [label=\"", out);
        if (v->with_counts)
            fputs(count_text(number, edge_count(v, e)), out);
        if (c.edge[e] != NONE)
            fprintf(out, "%s[%" PRIu32 "]\", color=\"#c62828\", penwidth=2", v->with_counts ? " " : "",
                    c.edge[e]);
        else
            putc('"', out);
        fprintf(out, "%s];\n", edge->kind == EDGE_VIRTUAL ? ", style=dashed" : "");
    }
    for (uint32_t b = 0; v->with_counts && v->function->frames.count && b + 1 < m->graph.vertex_count; b++) {
        int64_t left, resumed;
        block_frames(v->function, b, &left, &resumed);
        if (resumed)
            fprintf(out, "  entry -> b%" PRIu32 " [label=\"%s\", style=dotted];\n", b,
                    count_text(number, resumed));
        if (left)
            fprintf(out, "  b%" PRIu32 " -> exit [label=\"%s\", style=dotted];\n", b,
                    count_text(number, left));
    }
    fputs("}\n", out);
    graph_counters_release(&c);
}
