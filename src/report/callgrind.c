/*
 * Callgrind's profile format, as valgrind's manual describes it: read by KCachegrind and
 * callgrind_annotate.
 *
 * Three events, exact as far as the profile is:
 *  - Lines: how often a line ran (what the text report shows);
 *  - Blocks: how often a block began, where it is shown (block_place.h); their sum over a function
 *    is its "block runs";
 *  - Calls: how often a function was entered, where it is defined.
 *
 * The edges between blocks are jumps: from the last line of a block to where the next is shown,
 * conditional where there are several ways. Calls stand where their block does, with their number;
 * a callee that is called through a pointer, or lies outside the profile, is not known. What a call
 * costs in lines and blocks is not measured; of the event Calls it costs itself, which is what
 * KCachegrind draws call graphs by.
 *
 * What never ran, or is not known, is left out. Names always have a number before them, as the
 * format allows: without one, a name that begins with a bracket would be taken for a number.
 */
#include "base/hash.h"
#include "report/block_place.h"
#include "report/report.h"

#include <inttypes.h>

struct writer {
    const struct report *r;
    FILE *out;
    struct hash_map files, functions, objects; /* hash of a name -> its number */
    uint64_t file_count, function_count, object_count;
    struct hash_map by_tag; /* map_name_tag -> 1 + index of the first function of the view */
    uint32_t *next_of_tag;  /* function -> 1 + index of the next one of its tag, 0 at the end */
    int64_t total_lines, total_blocks, total_calls;
};

/* Writes KEY=(number) name, the name only the first time. */
static void put_name(struct writer *w, const char *key, struct hash_map *names, uint64_t *count,
                     const char *name)
{
    bool added;
    uint64_t *number = hash_map_put(names, hash_text(name), &added);
    if (added)
        *number = ++*count;
    fprintf(w->out, "%s=(%" PRIu64 ")", key, *number);
    if (added) {
        char *safe = printable(name);
        fprintf(w->out, " %s", *safe ? safe : "???");
        free(safe);
    }
    putc('\n', w->out);
}

static void put_file(struct writer *w, const char *key, const char *file)
{
    char *path = source_maps_apply(&w->r->options->source_maps, file);
    put_name(w, key, &w->files, &w->file_count, *path ? path : "???");
    free(path);
}

static void put_function_name(struct writer *w, const char *key, uint32_t function)
{
    put_name(w, key, &w->functions, &w->function_count, w->r->functions[function].name);
}

static const struct map_line *last_line(const struct map_function *f, uint32_t block)
{
    const struct map_block *b = &f->blocks[block];
    return b->line_count && b->lines[b->line_count - 1].line ? &b->lines[b->line_count - 1] : NULL;
}

/* Returns where the executions of a block are shown; if that is nowhere, where its function is
 * defined. */
static struct map_line place_of_block(const struct map_function *f, const struct map_line *places,
                                      uint32_t block)
{
    return places[block].line ? places[block] : (struct map_line){0, f->line};
}

/* ---- Costs ---- */

struct cost {
    uint32_t line;
    int64_t lines, blocks, calls;
};
struct costs ARRAY_OF(struct cost);

static int compare_costs(const void *left, const void *right)
{
    const struct cost *a = left, *b = right;
    return (a->line > b->line) - (a->line < b->line);
}

static void put_costs(struct writer *w, struct costs *costs)
{
    if (costs->count)
        qsort(costs->items, costs->count, sizeof *costs->items, compare_costs);
    for (size_t i = 0, end; i < costs->count; i = end) {
        struct cost sum = {.line = costs->items[i].line};
        for (end = i; end < costs->count && costs->items[end].line == sum.line; end++) {
            sum.lines = count_add(sum.lines, costs->items[end].lines);
            sum.blocks = count_add(sum.blocks, costs->items[end].blocks);
            sum.calls = count_add(sum.calls, costs->items[end].calls);
        }
        if (sum.calls > 0) /* zeros at the end are left out, as the format allows */
            fprintf(w->out, "%" PRIu32 " %" PRId64 " %" PRId64 " %" PRId64 "\n", sum.line, sum.lines,
                    sum.blocks, sum.calls);
        else if (sum.lines > 0 || sum.blocks > 0)
            fprintf(w->out, "%" PRIu32 " %" PRId64 " %" PRId64 "\n", sum.line, sum.lines, sum.blocks);
        w->total_lines = count_add(w->total_lines, sum.lines);
        w->total_blocks = count_add(w->total_blocks, sum.blocks);
        w->total_calls = count_add(w->total_calls, sum.calls);
    }
}

static void collect_costs(const struct profile_function *f, const struct map_line *places,
                          const struct report *part, uint32_t file, const char *name, struct costs *costs)
{
    for (size_t i = 0; i < part->lines.count; i++) {
        const struct file_lines *lines = &part->lines.items[i];
        for (size_t k = 0; !strcmp(lines->file, name) && k < lines->lines.count; k++)
            if (lines->lines.items[k].count > 0)
                ARRAY_PUSH(costs,
                           ((struct cost){lines->lines.items[k].line, lines->lines.items[k].count, 0, 0}));
    }
    for (uint32_t b = 0; b < graph_exit(&f->map.graph); b++) {
        struct map_line at = place_of_block(&f->map, places, b);
        if (at.file == file && f->block_counts[b] > 0)
            ARRAY_PUSH(costs, ((struct cost){at.line, 0, f->block_counts[b], 0}));
    }
    if (file == 0 && f->entries > 0)
        ARRAY_PUSH(costs, ((struct cost){f->map.line, 0, 0, f->entries}));
}

/* ---- Jumps and calls ---- */

static void put_jump(struct writer *w, const struct profile_function *f, const struct map_line *places,
                     uint32_t edge, bool conditional, uint32_t file)
{
    const struct edge *e = &f->map.graph.edges[edge];
    const struct map_line *from = last_line(&f->map, e->from), *to = &places[e->to];
    if (!from || !to->line || from->file != file || f->edge_counts[edge] <= 0)
        return;
    if (to->file != file)
        put_file(w, "jfi", f->map.files[to->file]);
    if (conditional)
        fprintf(w->out, "jcnd=%" PRId64 "/%" PRId64, f->edge_counts[edge], f->block_counts[e->from]);
    else
        fprintf(w->out, "jump=%" PRId64, f->edge_counts[edge]);
    fprintf(w->out, " %" PRIu32 "\n%" PRIu32 "\n", to->line, from->line);
}

static void put_jumps(struct writer *w, const struct profile_function *f, const struct map_line *places,
                      uint32_t file)
{
    const struct graph *g = &f->map.graph;
    uint32_t *ways = ZALLOC(uint32_t, g->vertex_count);
    for (uint32_t e = 0; e < g->edge_count; e++)
        ways[g->edges[e].from] += g->edges[e].kind != EDGE_VIRTUAL;
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->edges[e].kind == EDGE_FLOW)
            put_jump(w, f, places, e, ways[g->edges[e].from] > 1, file);
    free(ways);
}

/* Returns which of the functions with the callee's tag is meant, or none if that is not certain. */
static uint32_t find_callee(const struct writer *w, const struct map_function *caller, uint32_t tag)
{
    const struct profile_function *functions = w->r->view.functions.items;
    const uint64_t *first = hash_map_get(&w->by_tag, tag);
    uint32_t found = 0;
    bool unsure = false;
    for (uint32_t i = first ? (uint32_t)*first : 0; i; i = w->next_of_tag[i - 1]) {
        const struct map_function *f = &functions[i - 1].map;
        if (found && strcmp(functions[found - 1].map.name, f->name))
            return UINT32_MAX;
        if (f->file_count && caller->file_count && !strcmp(f->files[0], caller->files[0]))
            return i - 1;
        unsure |= found && (f->flags & MAP_FUNCTION_LOCAL) != 0;
        found = i;
    }
    return found && !unsure ? found - 1 : UINT32_MAX;
}

static void put_calls(struct writer *w, const struct profile_function *f, const struct map_line *places,
                      uint32_t file)
{
    for (uint32_t b = 0; b < graph_exit(&f->map.graph); b++) {
        struct map_line at = place_of_block(&f->map, places, b);
        for (uint32_t k = 0; at.file == file && k < f->map.blocks[b].call_count; k++) {
            uint32_t callee = f->map.blocks[b].calls[k].callee;
            int64_t count = f->block_counts[b];
            /* Activations that were cut before the call did not make it; those resumed there did. */
            for (size_t i = 0; i < f->frames.count; i++)
                if (f->frames.items[i].block == b && f->frames.items[i].call <= k)
                    count = (int64_t)((uint64_t)count + (uint64_t)f->frames.items[i].resumes -
                                      (uint64_t)f->frames.items[i].cuts);
            callee =
                callee == MAP_CALLEE_UNKNOWN ? UINT32_MAX : find_callee(w, &f->map, f->map.callees[callee]);
            if (callee == UINT32_MAX || count <= 0)
                continue;
            const struct map_function *to = &w->r->view.functions.items[callee].map;
            put_name(w, "cob", &w->objects, &w->object_count,
                     w->r->view.modules.items[w->r->view.functions.items[callee].module].path);
            put_file(w, "cfi", to->file_count ? to->files[0] : "");
            put_function_name(w, "cfn", callee);
            fprintf(w->out, "calls=%" PRId64 " %" PRIu32 "\n%" PRIu32 " 0 0 %" PRId64 "\n", count, to->line,
                    at.line, count);
        }
    }
}

static void put_function(struct writer *w, uint32_t number)
{
    const struct profile_function *f = &w->r->view.functions.items[number];
    if (!f->counted || w->r->functions[number].executions <= 0)
        return;
    struct report part;
    struct costs costs = {0};
    struct map_line *places = block_places(&f->map);
    report_part_init(&part, w->r, &number, 1);
    putc('\n', w->out);
    put_name(w, "ob", &w->objects, &w->object_count, w->r->view.modules.items[f->module].path);
    put_file(w, "fl", f->map.file_count ? f->map.files[0] : "");
    put_function_name(w, "fn", number);
    uint32_t files = f->map.file_count ? f->map.file_count : 1;
    for (uint32_t file = 0; file < files; file++) {
        const char *name = f->map.file_count ? f->map.files[file] : "";
        if (!report_wants_file(w->r->options, name))
            continue;
        if (file)
            put_file(w, "fi", name);
        costs.count = 0;
        collect_costs(f, places, &part, file, name, &costs);
        put_costs(w, &costs);
        if (f->edge_counts)
            put_jumps(w, f, places, file);
        put_calls(w, f, places, file);
    }
    free(places);
    ARRAY_RELEASE(&costs);
    report_release(&part);
}

void report_write_callgrind(const struct report *r, FILE *out)
{
    size_t count = r->view.functions.count;
    struct writer w = {.r = r, .out = out, .next_of_tag = ZALLOC(uint32_t, count + 1)};
    char *program = printable(r->view.program && *r->view.program ? r->view.program : "(program unknown)");
    fprintf(out,
            "# callgrind format\nversion: 1\ncreator: cotree " COTREE_VERSION "\ncmd: %s\n"
            "desc: Counts: %s, %" PRIu64 " run%s\n",
            program, r->view.exact ? "exact" : "not exact", r->view.runs, r->view.runs == 1 ? "" : "s");
    for (size_t i = 0; i < r->view.reasons.count; i++) {
        char *reason = report_reason(r, r->view.reasons.items[i]);
        fprintf(out, "desc: Not exact: %s\n", reason);
        free(reason);
    }
    fputs("positions: line\nevent: Lines : Line executions\nevent: Blocks : Block executions\n"
          "event: Calls : Calls\nevents: Lines Blocks Calls\n",
          out);
    for (size_t i = count; i-- > 0;) {
        uint64_t *first = hash_map_put(&w.by_tag, map_name_tag(r->view.functions.items[i].map.name), NULL);
        w.next_of_tag[i] = (uint32_t)*first;
        *first = i + 1;
    }
    for (size_t i = 0; i < count && !ferror(out); i++)
        put_function(&w, (uint32_t)i);
    fprintf(out, "\ntotals: %" PRId64 " %" PRId64 " %" PRId64 "\n", w.total_lines, w.total_blocks,
            w.total_calls);
    hash_map_release(&w.files);
    hash_map_release(&w.functions);
    hash_map_release(&w.objects);
    hash_map_release(&w.by_tag);
    free(w.next_of_tag);
    free(program);
}
