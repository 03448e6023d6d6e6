/*
 * Graphs as text, the form people write tests and questions in: one statement a line
 * (cotree-graph-format(5)).
 *
 *     graph NAME
 *     blocks N
 *     FROM -> TO [WEIGHT]
 *
 * Input is untrusted: every number is bounded before it is used, and no memory is taken for a block
 * that is only announced. A graph that was parsed prints to text that parses to the same graph.
 */
#include "graph/graph.h"

#include "base/memory.h"

#include <math.h>
#include <stdio.h>

#define MOST_BLOCKS (1u << 24)
#define MOST_EDGES (1u << 27)

/* The rest of one line. Blanks are spaces, tabs and a carriage return before the line's end. */
struct line {
    const char *at, *end;
    unsigned number;
    struct error *error;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(struct line *l)
{
    while (l->at < l->end && is_blank(*l->at))
        l->at++;
}

/* Takes the next line off the text, without its comment and the blanks around it. */
static struct line next_line(const char **at, const char *end, unsigned number, struct error *error)
{
    const char *newline = memchr(*at, '\n', (size_t)(end - *at));
    struct line l = {.at = *at, .end = newline ? newline : end, .number = number, .error = error};
    *at = newline ? newline + 1 : end;
    for (const char *p = l.at; p < l.end; p++)
        if (*p == '#' && (p == l.at || is_blank(p[-1]))) {
            l.end = p;
            break;
        }
    skip_blanks(&l);
    while (l.end > l.at && is_blank(l.end[-1]))
        l.end--;
    return l;
}

static bool take_word(struct line *l, const char *word)
{
    size_t length = strlen(word);
    if ((size_t)(l->end - l->at) < length || memcmp(l->at, word, length))
        return false;
    const char *after = l->at + length;
    bool arrow_follows =
        l->end - after >= 2 && after[0] == '-' && after[1] == '>'; /* "entry->0" needs no blanks */
    if (after < l->end && !is_blank(*after) && word[length - 1] != '>' && !arrow_follows)
        return false;
    l->at += length;
    skip_blanks(l);
    return true;
}

/* A decimal number of at most `most`; digits only. */
static bool take_number(struct line *l, uint32_t most, uint32_t *number)
{
    const char *start = l->at;
    uint64_t value = 0;
    while (l->at < l->end && *l->at >= '0' && *l->at <= '9' && value <= most)
        value = value * 10 + (uint64_t)(*l->at++ - '0');
    if (l->at == start || value > most)
        return false;
    skip_blanks(l);
    *number = (uint32_t)value;
    return true;
}

static bool take_weight(struct line *l, double *weight)
{
    char copy[64];
    size_t length = (size_t)(l->end - l->at);
    if (length >= sizeof copy)
        return false;
    memcpy(copy, l->at, length);
    copy[length] = 0;
    if (strspn(copy, "0123456789.eE+-") != length)
        return false; /* strtod would take "inf", "nan" and hexadecimal too */
    char *end;
    *weight = strtod(copy, &end);
    l->at = l->end;
    return end == copy + length && isfinite(*weight) && *weight >= 0 && !signbit(*weight);
}

static bool fail(const struct line *l, const char *problem)
{
    return error_set(l->error, "line %u: %s", l->number, problem);
}

static bool parse_name(struct graph_text *t, struct line *l)
{
    if (!take_word(l, "graph"))
        return fail(l, "expected 'graph NAME'");
    if (l->at == l->end)
        return fail(l, "the graph has no name");
    for (const char *p = l->at; p < l->end; p++)
        if ((unsigned char)*p < ' ' || *p == 0x7f)
            return fail(l, "the graph's name has a control character in it");
    t->name = memory_substring(l->at, (size_t)(l->end - l->at));
    return true;
}

static bool parse_edge(struct graph_text *t, struct line *l, bool *has_entry, size_t *weight_capacity)
{
    struct graph *g = &t->graph;
    uint32_t exit = graph_exit(g), from, to;
    enum edge_kind kind = EDGE_FLOW;
    if (take_word(l, "entry")) {
        from = exit;
        kind = EDGE_ENTRY;
    } else if (!take_number(l, exit - 1, &from)) {
        return fail(l, "expected 'FROM -> TO [WEIGHT]', FROM being a block or 'entry'");
    }
    if (!take_word(l, "->"))
        return fail(l, "expected '->' after the first block");
    bool to_exit = take_word(l, "exit"), to_virtual = !to_exit && take_word(l, "virtual");
    if (to_exit || to_virtual)
        to = exit;
    else if (!take_number(l, exit - 1, &to))
        return fail(l, "expected a block, 'exit' or 'virtual' after '->'");
    if (kind == EDGE_ENTRY && (*has_entry || to != GRAPH_ROOT))
        return fail(l, "the one entry edge is 'entry -> 0'");
    if (kind == EDGE_ENTRY)
        *has_entry = true;
    else if (to == exit)
        kind = to_virtual ? EDGE_VIRTUAL : EDGE_EXIT;

    bool has_weight = l->at < l->end;
    double weight = 0;
    if (has_weight && !take_weight(l, &weight))
        return fail(l, "the weight is not a number of at least 0");
    if (g->edge_count && has_weight != (t->weights != NULL))
        return fail(l, has_weight ? "this edge has a weight, those before it have none"
                                  : "this edge has no weight, those before it have one");
    if (g->edge_count == MOST_EDGES)
        return fail(l, "too many edges");
    uint32_t e = graph_add_edge(g, from, to, kind);
    if (has_weight) {
        if (e >= *weight_capacity) {
            *weight_capacity = *weight_capacity ? *weight_capacity * 2 : 8;
            RESIZE(t->weights, *weight_capacity);
        }
        t->weights[e] = weight;
    }
    return true;
}

bool graph_text_parse(struct graph_text *t, const char **at, const char *end, unsigned *line,
                      struct error *error)
{
    *t = (struct graph_text){0};
    bool named = false, sized = false, has_entry = false, ok = true;
    size_t weight_capacity = 0;
    struct line l = {.number = *line, .error = error};
    while (ok && *at < end) {
        const char *here = *at;
        l = next_line(at, end, *line, error);
        if (l.at == l.end) {
            ++*line;
            continue;
        }
        struct line ahead = l;
        if (named && take_word(&ahead, "graph")) {
            *at = here; /* the next graph begins */
            break;
        }
        ++*line;
        uint32_t blocks;
        if (!named) {
            ok = named = parse_name(t, &l);
        } else if (take_word(&l, "blocks")) {
            if (sized)
                ok = fail(&l, "the number of blocks is given twice");
            else if (!take_number(&l, MOST_BLOCKS, &blocks) || blocks == 0 || l.at < l.end)
                ok = error_set(error, "line %u: the number of blocks is not between 1 and %u", l.number,
                               MOST_BLOCKS);
            else
                graph_init(&t->graph, blocks);
            sized = true;
        } else if (!sized) {
            ok = fail(&l, "expected 'blocks N' before the edges");
        } else {
            ok = parse_edge(t, &l, &has_entry, &weight_capacity);
        }
    }
    if (ok && !named)
        ok = fail(&l, "expected 'graph NAME'");
    if (ok && !sized)
        ok = fail(&l, "the graph has no 'blocks N'");
    if (!ok)
        graph_text_release(t);
    return ok;
}

/* The fewest digits that read back as the same number. */
static void print_weight(struct buffer *out, double weight)
{
    char text[64];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, weight);
        if (strtod(text, NULL) == weight)
            break;
    }
    buffer_add_text(out, text);
}

void graph_text_print(const struct graph_text *t, struct buffer *out)
{
    const struct graph *g = &t->graph;
    buffer_add_text(out, "graph ");
    /* Names may come from other sources than text: characters that would end the line or begin a
     * comment are replaced. */
    for (const char *p = t->name; *p; p++) {
        bool unsafe =
            (unsigned char)*p < ' ' || *p == 0x7f || (*p == '#' && (p == t->name || is_blank(p[-1])));
        buffer_addf(out, "%c", unsafe ? '?' : *p);
    }
    buffer_addf(out, "\nblocks %u\n", g->vertex_count - 1);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        const struct edge *edge = &g->edges[e];
        if (edge->kind == EDGE_ENTRY)
            buffer_add_text(out, "entry -> ");
        else
            buffer_addf(out, "%u -> ", edge->from);
        if (edge->to != graph_exit(g))
            buffer_addf(out, "%u", edge->to);
        else
            buffer_add_text(out, edge->kind == EDGE_VIRTUAL ? "virtual" : "exit");
        if (t->weights) {
            buffer_add_text(out, " ");
            print_weight(out, t->weights[e]);
        }
        buffer_add_text(out, "\n");
    }
}

void graph_text_release(struct graph_text *t)
{
    free(t->name);
    graph_release(&t->graph);
    free(t->weights);
    *t = (struct graph_text){0};
}
