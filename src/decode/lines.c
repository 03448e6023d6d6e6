/*
 * Line counts as gcov's (LLVM's lib/ProfileData/GCOV.cpp was read for the rules; the code is our own).
 *
 * A line of a function is on certain blocks. Its count is
 *   - what arrives at those blocks over edges from blocks that are not on the line (and from outside the
 * function), plus
 *   - the loops that lie wholly on the line: cycles over edges between its blocks are found one after another
 * and their smallest count is taken off each of their edges, until none is left. On reducible graphs that is
 * the sum of the back edges. A block that comes back to a line in its middle (5, 6, 5: an argument on a line
 * of its own) arrives there twice, as in gcov. The line a function is defined on counts its first block, so
 * that definitions have counts; gcov does the same. A block that jumps to
 * itself and lies on one line is clang's own (it builds or destroys an array): its rounds are no arrivals,
 * neither here nor in gcov. One that lies on several (asm goto) arrives anew in every round; gcov misses
 * that. Instances of a line (templates, inline functions in several units) are added up.
 *
 * An activation that was left in the middle of a block has not begun the lines behind; one that was resumed
 * there begins only those. Which way a cut activation came to its block is not known; where that matters,
 * since some ways come from the line and others do not, the line is not called exact.
 *
 * Block-only profiles know no edges. There a line on one block has that block's count; on several, the
 * largest of theirs is shown and not called exact.
 */
#include "decode/lines.h"
#include "base/hash.h"

/* A place where a line meets a block; a block may meet a line more than once. */
struct meeting {
    uint32_t line, block;
    uint32_t entry; /* of the block's lines */
};
struct meetings ARRAY_OF(struct meeting);

static int by_line(const void *left, const void *right)
{
    const struct meeting *a = left, *b = right;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    return a->entry < b->entry ? -1 : a->entry > b->entry;
}

/* Sorts what is in the order of blocks and entries by line. The lines of a function lie close together: they
 * are counted rather than compared. */
static void sort_meetings(struct meetings *list)
{
    uint32_t least = UINT32_MAX, most = 0;
    for (size_t i = 0; i < list->count; i++) {
        least = list->items[i].line < least ? list->items[i].line : least;
        most = list->items[i].line > most ? list->items[i].line : most;
    }
    if (list->count < 2)
        return;
    if (most - least > 4 * list->count + 64) {
        qsort(list->items, list->count, sizeof *list->items, by_line);
        return;
    }
    uint32_t *start = ZALLOC(uint32_t, (size_t)(most - least) + 2);
    struct meeting *sorted = ALLOC(struct meeting, list->count);
    for (size_t i = 0; i < list->count; i++)
        start[list->items[i].line - least + 1]++;
    for (uint32_t line = 0; line <= most - least; line++)
        start[line + 1] += start[line];
    for (size_t i = 0; i < list->count; i++)
        sorted[start[list->items[i].line - least]++] = list->items[i];
    memcpy(list->items, sorted, list->count * sizeof *sorted);
    free(sorted);
    free(start);
}

/* What is needed while the lines of one function are counted; arrays over vertices and edges, reset by who
 * used them. */
struct workspace {
    const struct profile_function *f;
    struct adjacency adjacency;
    bool *on_line;      /* vertex */
    bool *open;         /* vertex: may still lie on a cycle */
    uint32_t *arrived;  /* vertex: edge the search came by, GRAPH_NONE if it has not been here */
    uint32_t *next;     /* vertex: next out-edge to try */
    uint32_t *stack;    /* vertices */
    int64_t *remaining; /* edge: count not yet taken by a cycle */
};

static void workspace_init(struct workspace *w, const struct profile_function *f)
{
    uint32_t n = f->map.graph.vertex_count, m = f->map.graph.edge_count;
    *w = (struct workspace){.f = f};
    if (!f->has_edges)
        return;
    adjacency_init(&w->adjacency, &f->map.graph);
    w->on_line = ZALLOC(bool, n);
    w->open = ZALLOC(bool, n);
    w->arrived = ALLOC(uint32_t, n);
    w->next = ALLOC(uint32_t, n);
    w->stack = ALLOC(uint32_t, n);
    w->remaining = ALLOC(int64_t, m + 1);
}

static void workspace_release(struct workspace *w)
{
    if (w->f->has_edges)
        adjacency_release(&w->adjacency);
    free(w->on_line);
    free(w->open);
    free(w->arrived);
    free(w->next);
    free(w->stack);
    free(w->remaining);
}

/* Takes the smallest count off the cycle that edge `closing` closes, and returns it. */
static int64_t take_cycle(struct workspace *w, uint32_t closing)
{
    const struct edge *edges = w->f->map.graph.edges;
    int64_t smallest = w->remaining[closing];
    uint32_t head = edges[closing].to;
    for (uint32_t v = edges[closing].from; v != head; v = edges[w->arrived[v]].from)
        if (w->remaining[w->arrived[v]] < smallest)
            smallest = w->remaining[w->arrived[v]];
    w->remaining[closing] -= smallest;
    for (uint32_t v = edges[closing].from; v != head; v = edges[w->arrived[v]].from)
        w->remaining[w->arrived[v]] -= smallest;
    return smallest;
}

/*
 * Searches depth first from `start` and takes every cycle it meets. A block that is left is closed for good:
 * counts only shrink, so no cycle will pass it again. An open block that the search meets again is therefore
 * on its stack. After a cycle the search goes on where the first edge without a count left it, which is also
 * where a search from the beginning would arrive.
 */
static int64_t take_cycles(struct workspace *w, uint32_t start)
{
    const struct edge *edges = w->f->map.graph.edges;
    uint32_t depth = 1;
    int64_t total = 0;
    w->stack[0] = start;
    w->arrived[start] = GRAPH_NONE - 1; /* it is here, by no edge */
    while (depth) {
        uint32_t v = w->stack[depth - 1];
        if (w->next[v] == w->adjacency.out_start[v + 1]) {
            w->open[v] = false;
            depth--;
            continue;
        }
        uint32_t e = w->adjacency.out[w->next[v]], to = edges[e].to;
        if (w->remaining[e] <= 0 || !w->open[to] || to == v) {
            w->next[v]++;
        } else if (w->arrived[to] == GRAPH_NONE) {
            w->arrived[to] = e;
            w->stack[depth++] = to;
        } else {
            total += take_cycle(w, e);
            uint32_t keep = depth;
            for (uint32_t i = depth - 1; w->stack[i] != to; i--)
                if (w->remaining[w->arrived[w->stack[i]]] <= 0)
                    keep = i;
            while (depth > keep)
                w->arrived[w->stack[--depth]] = GRAPH_NONE;
        }
    }
    return total;
}

static int64_t count_cycles(struct workspace *w, const struct meeting *on, size_t count)
{
    int64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        w->open[on[i].block] = true;
        w->arrived[on[i].block] = GRAPH_NONE;
        w->next[on[i].block] = w->adjacency.out_start[on[i].block];
    }
    for (size_t i = 0; i < count; i++)
        if (w->open[on[i].block])
            total += take_cycles(w, on[i].block);
    return total;
}

/* Is what flows over the edge into block b an arrival at the line? */
static bool arrives(const struct workspace *w, uint32_t edge, uint32_t b)
{
    uint32_t from = w->f->map.graph.edges[edge].from;
    return !w->on_line[from] || (from == b && w->f->map.blocks[b].line_count > 1);
}

/* Activations that were cut before they came to this meeting, or resumed before it. */
static void find_frames(const struct profile_function *f, const struct meeting *at, int64_t *cuts,
                        int64_t *resumes)
{
    *cuts = *resumes = 0;
    for (size_t i = 0; i < f->frames.count; i++) {
        const struct profile_frame *frame = &f->frames.items[i];
        if (frame->block == at->block && frame->lines <= at->entry) {
            *cuts += frame->cuts;
            *resumes += frame->resumes;
        }
    }
}

/* What they add to the count of the line. */
static int64_t count_frames(const struct workspace *w, const struct meeting *at, bool *exact)
{
    int64_t cuts, resumes, from_line = 0, arrived;
    find_frames(w->f, at, &cuts, &resumes);
    if (!cuts)
        return resumes;
    arrived = resumes;
    for (uint32_t k = w->adjacency.in_start[at->block]; k < w->adjacency.in_start[at->block + 1]; k++) {
        uint32_t e = w->adjacency.in[k];
        *(arrives(w, e, at->block) ? &arrived : &from_line) += w->f->edge_counts[e];
    }
    int64_t most = cuts < arrived ? cuts : arrived, least = cuts > from_line ? cuts - from_line : 0;
    if (most != least)
        *exact = false;
    return resumes - most;
}

static int64_t count_with_edges(struct workspace *w, const struct meeting *on, size_t count, bool *exact)
{
    const struct profile_function *f = w->f;
    int64_t total = 0;
    for (size_t i = 0; i < count; i++) {
        w->on_line[on[i].block] = true;
        for (uint32_t k = w->adjacency.out_start[on[i].block]; k < w->adjacency.out_start[on[i].block + 1];
             k++)
            w->remaining[w->adjacency.out[k]] = f->edge_counts[w->adjacency.out[k]];
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t b = on[i].block;
        for (uint32_t k = w->adjacency.in_start[b]; k < w->adjacency.in_start[b + 1]; k++) {
            uint32_t e = w->adjacency.in[k];
            if (arrives(w, e, b))
                total += f->edge_counts[e];
        }
    }
    if (count > 1)
        total += count_cycles(w, on, count);
    for (size_t i = 0; i < count && f->frames.count; i++)
        total += count_frames(w, &on[i], exact);
    for (size_t i = 0; i < count; i++)
        w->on_line[on[i].block] = false;
    return total;
}

static int64_t count_without_edges(const struct profile_function *f, const struct meeting *on, size_t count,
                                   bool *exact)
{
    int64_t largest = 0, framed = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t cuts, resumes;
        find_frames(f, &on[i], &cuts, &resumes);
        framed += resumes - cuts;
        if (f->block_counts[on[i].block] > largest)
            largest = f->block_counts[on[i].block];
        if (on[i].block != on[0].block)
            *exact = false;
    }
    return on[0].block == on[count - 1].block ? largest * (int64_t)count + framed : largest;
}

static struct file_lines *file_of(struct file_lines_list *files, struct hash_map *index, const char *name)
{
    uint64_t *at = hash_map_put(index, hash_text(name), NULL);
    if (!*at) {
        struct file_lines *f = ARRAY_ADD(files);
        *f = (struct file_lines){.file = memory_string(name)};
        *at = files->count;
    }
    return &files->items[*at - 1];
}

/* The meetings of one of the function's files, sorted by line and block. */
static void collect_meetings(struct meetings *list, const struct map_function *f, uint32_t file)
{
    list->count = 0;
    for (uint32_t b = 0; b < graph_exit(&f->graph); b++)
        for (uint32_t i = 0; i < f->blocks[b].line_count; i++)
            if (f->blocks[b].lines[i].file == file && f->blocks[b].lines[i].line)
                ARRAY_PUSH(list,
                           ((struct meeting){.line = f->blocks[b].lines[i].line, .block = b, .entry = i}));
    sort_meetings(list);
}

static void add_branches(struct file_lines_list *files, struct hash_map *index, const struct workspace *w,
                         uint32_t function)
{
    const struct map_function *f = &w->f->map;
    struct file_lines *to = NULL; /* that of the last branch: mostly that of the next */
    uint32_t file = 0;
    for (uint32_t b = 0; b < graph_exit(&f->graph); b++) {
        uint32_t first = w->adjacency.out_start[b], count = 0;
        uint32_t out = w->adjacency.out_start[b + 1] - first;
        if (out < 2 || !f->blocks[b].line_count)
            continue;
        const struct map_line *last = &f->blocks[b].lines[f->blocks[b].line_count - 1];
        struct line_branch branch = {
            .line = last->line, .function = function, .block = b, .edges = ALLOC(uint32_t, out)};
        for (uint32_t k = 0; k < out; k++)
            if (f->graph.edges[w->adjacency.out[first + k]].kind != EDGE_VIRTUAL)
                branch.edges[count++] = w->adjacency.out[first + k];
        branch.edge_count = count;
        if (count < 2 || !last->line) {
            free(branch.edges);
            continue;
        }
        if (!to || file != last->file)
            to = file_of(files, index, f->files[file = last->file]);
        ARRAY_PUSH(&to->branches, branch);
    }
}

static void add_function(struct file_lines_list *files, struct hash_map *index, const struct profile *p,
                         uint32_t number)
{
    const struct profile_function *f = &p->functions.items[number];
    if (f->map.file_count)
        ARRAY_PUSH(&file_of(files, index, f->map.files[0])->functions, number);
    if (!f->counted)
        return;
    struct workspace w;
    struct meetings on = {0};
    workspace_init(&w, f);
    for (uint32_t file = 0; file < f->map.file_count; file++) {
        collect_meetings(&on, &f->map, file);
        struct file_lines *to = on.count ? file_of(files, index, f->map.files[file]) : NULL;
        for (size_t i = 0, end; i < on.count; i = end) {
            for (end = i; end < on.count && on.items[end].line == on.items[i].line;)
                end++;
            struct line_count line = {.line = on.items[i].line, .exact = f->exact};
            line.count = f->has_edges ? count_with_edges(&w, on.items + i, end - i, &line.exact)
                                      : count_without_edges(f, on.items + i, end - i, &line.exact);
            ARRAY_PUSH(&to->lines, line);
        }
    }
    if (f->has_edges)
        add_branches(files, index, &w, number);
    ARRAY_RELEASE(&on);
    workspace_release(&w);
}

static int compare_lines(const void *left, const void *right)
{
    const struct line_count *a = left, *b = right;
    return a->line < b->line ? -1 : a->line > b->line;
}

static int compare_branches(const void *left, const void *right)
{
    const struct line_branch *a = left, *b = right;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    return a->block < b->block ? -1 : a->block > b->block;
}

static int compare_files(const void *left, const void *right)
{
    return strcmp(((const struct file_lines *)left)->file, ((const struct file_lines *)right)->file);
}

/* Mostly they are in order: functions are, and instances are few. */
static void sort_lines(struct line_count *lines, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (lines[i - 1].line > lines[i].line) {
            qsort(lines, count, sizeof *lines, compare_lines);
            return;
        }
}

/* Instances become one line; functions keep the profile's order, which is by line within a module. */
static void put_in_order(struct file_lines *f, const struct profile *p)
{
    size_t kept = 0;
    sort_lines(f->lines.items, f->lines.count);
    for (size_t i = 0; i < f->lines.count; i++) {
        struct line_count *last = kept ? &f->lines.items[kept - 1] : NULL;
        if (last && last->line == f->lines.items[i].line) {
            last->count += f->lines.items[i].count;
            last->exact &= f->lines.items[i].exact;
        } else {
            f->lines.items[kept++] = f->lines.items[i];
        }
    }
    f->lines.count = kept;
    if (f->branches.count)
        qsort(f->branches.items, f->branches.count, sizeof *f->branches.items, compare_branches);
    for (size_t i = 1; i < f->functions.count; i++) /* nearly sorted: only modules interleave */
        for (size_t k = i; k && p->functions.items[f->functions.items[k - 1]].map.line >
                                    p->functions.items[f->functions.items[k]].map.line;
             k--) {
            uint32_t swap = f->functions.items[k];
            f->functions.items[k] = f->functions.items[k - 1];
            f->functions.items[k - 1] = swap;
        }
}

void lines_count(const struct profile *p, struct file_lines_list *files)
{
    struct hash_map index = {0};
    *files = (struct file_lines_list){0};
    for (size_t i = 0; i < p->functions.count; i++)
        add_function(files, &index, p, (uint32_t)i);
    hash_map_release(&index);
    for (size_t i = 0; i < files->count; i++)
        put_in_order(&files->items[i], p);
    if (files->count)
        qsort(files->items, files->count, sizeof *files->items, compare_files);
}

void lines_release(struct file_lines_list *files)
{
    for (size_t i = 0; i < files->count; i++) {
        struct file_lines *f = &files->items[i];
        for (size_t k = 0; k < f->branches.count; k++)
            free(f->branches.items[k].edges);
        ARRAY_RELEASE(&f->lines);
        ARRAY_RELEASE(&f->branches);
        ARRAY_RELEASE(&f->functions);
        free(f->file);
    }
    ARRAY_RELEASE(files);
}
