/*
 * Line counts: decode/lines/lines.h says what they are. They follow from blocks alone, so profiles
 * without edge counts have the same.
 *
 * An activation that was left in the middle of a block has not begun the lines after that; one that
 * was resumed there begins only those. A block that comes back to a line (5, 6, 5: an argument on a
 * line of its own) has run it as often as the entry of that line that was reached most often. The
 * line a function is defined on counts its first block, so that definitions have counts.
 */
#include "decode/lines/lines.h"
#include "base/hash.h"
#include "decode/lines/definitions.h"

/* A line that meets a block; a block may meet a line more than once. */
struct meeting {
    uint32_t line;
    int64_t count; /* how often the block came there */
    int64_t least; /* the same, for certain */
    bool may_have_run;
};
struct meetings ARRAY_OF(struct meeting);

static int by_line(const void *left, const void *right)
{
    const struct meeting *a = left, *b = right;
    return a->line < b->line ? -1 : a->line > b->line;
}

/* The lines of a function lie close together, so sorting counts them rather than compares them. */
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

/* How often the block reached this entry of its lines. */
static int64_t count_reached(const struct profile_function *f, uint32_t block, uint32_t entry)
{
    int64_t count = f->block_counts[block];
    for (size_t i = 0; i < f->frames.count; i++) {
        const struct profile_frame *frame = &f->frames.items[i];
        if (frame->block == block && frame->lines <= entry)
            count = (int64_t)((uint64_t)count + (uint64_t)frame->resumes - (uint64_t)frame->cuts);
    }
    return count > 0 ? count : 0;
}

/* The first entry begins with the block; the others have surely run where all of the block was
 * passed. */
static struct meeting meet(const struct profile_function *f, uint32_t block, uint32_t entry)
{
    struct meeting m = {.line = f->map.blocks[block].lines[entry].line,
                        .count = count_reached(f, block, entry)};
    if (f->least) {
        m.least = entry ? f->least[block].left : f->least[block].began;
        m.count = m.count < m.least ? m.least : m.count;
        m.may_have_run = f->least[block].may_have_run;
    } else if (f->exact) {
        m.least = m.count;
    }
    return m;
}

/* The meetings of one of the function's files, sorted by line. */
static void collect_meetings(struct meetings *list, const struct profile_function *f, uint32_t file)
{
    list->count = 0;
    for (uint32_t b = 0; b < graph_exit(&f->map.graph); b++) {
        const struct map_block *block = &f->map.blocks[b];
        for (uint32_t i = 0; i < block->line_count && !(block->hazards & MAP_BLOCK_UNWRITTEN); i++)
            if (block->lines[i].file == file && block->lines[i].line)
                ARRAY_PUSH(list, meet(f, b, i));
    }
    sort_meetings(list);
}

void lines_of_function(const struct profile_function *f, struct function_lines *lines)
{
    struct meetings on = {0};
    for (uint32_t file = 0; file < f->map.file_count; file++) {
        collect_meetings(&on, f, file);
        for (size_t i = 0; i < on.count; i++) {
            const struct meeting *m = &on.items[i];
            struct function_line *last = i ? &lines->items[lines->count - 1] : NULL;
            if (!last || last->at.line != m->line) {
                ARRAY_PUSH(lines,
                           ((struct function_line){{file, m->line}, m->count, m->least, m->may_have_run}));
                continue;
            }
            last->count = m->count > last->count ? m->count : last->count;
            last->least = m->least > last->least ? m->least : last->least;
            last->may_have_run |= m->may_have_run;
        }
    }
    ARRAY_RELEASE(&on);
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

static void add_branch(struct file_lines_list *files, struct hash_map *index, const struct map_function *f,
                       struct line_branch branch)
{
    const struct map_block *block = &f->blocks[branch.block];
    uint32_t entry = branch.says ? branch.says->entry : block->line_count - 1;
    const struct map_line *at = entry < block->line_count ? &block->lines[entry] : NULL;
    if (branch.edge_count < 2 || !at || !at->line) {
        free(branch.edges);
        return;
    }
    struct file_lines *to = file_of(files, index, f->files[at->file]);
    branch.line = at->line;
    ARRAY_PUSH(&to->branches, branch);
}

/* For a map that does not say what decides: every block with several successors. */
static void add_unknown_branches(struct file_lines_list *files, struct hash_map *index,
                                 const struct map_function *f, struct line_branch branch)
{
    struct adjacency ways;
    adjacency_init(&ways, &f->graph);
    for (uint32_t b = 0; b < graph_exit(&f->graph); b++) {
        uint32_t first = ways.out_start[b], out = ways.out_start[b + 1] - first;
        if (out < 2)
            continue;
        branch.block = b;
        branch.edges = ALLOC(uint32_t, out);
        branch.edge_count = 0;
        for (uint32_t k = 0; k < out; k++)
            if (f->graph.edges[ways.out[first + k]].kind != EDGE_VIRTUAL)
                branch.edges[branch.edge_count++] = ways.out[first + k];
        add_branch(files, index, f, branch);
    }
    adjacency_release(&ways);
}

static void add_branches(struct file_lines_list *files, struct hash_map *index, const struct map_function *f,
                         struct line_branch branch)
{
    if (!(f->flags & MAP_FUNCTION_BRANCHES))
        add_unknown_branches(files, index, f, branch);
    for (uint32_t i = 0; i < f->branch_count; i++) {
        branch.says = &f->branches[i];
        branch.block = branch.says->block;
        branch.column = branch.says->column;
        branch.edges = ALLOC(uint32_t, branch.says->way_count);
        branch.edge_count = branch.says->way_count;
        for (uint32_t k = 0; k < branch.edge_count; k++)
            branch.edges[k] = branch.says->ways[k].edge;
        add_branch(files, index, f, branch);
    }
}

static void add_function(struct file_lines_list *files, struct hash_map *index,
                         struct definitions *definitions, const struct profile *p, uint32_t number)
{
    const struct profile_function *f = &p->functions.items[number];
    if (f->map.file_count)
        ARRAY_PUSH(&file_of(files, index, f->map.files[0])->functions, number);
    if (!f->counted)
        return;
    struct function_lines lines = {0};
    struct file_lines *to = NULL;
    uint32_t definition = definitions_number(definitions, &f->map);
    lines_of_function(f, &lines);
    for (size_t i = 0; i < lines.count; i++) {
        const struct function_line *line = &lines.items[i];
        if (!i || line->at.file != line[-1].at.file)
            to = file_of(files, index, f->map.files[line->at.file]);
        ARRAY_PUSH(&to->lines, ((struct line_count){.line = line->at.line,
                                                    .exact = f->exact,
                                                    .may_have_run = line->may_have_run,
                                                    .count = line->count,
                                                    .least = line->least,
                                                    .definition = definition}));
    }
    ARRAY_RELEASE(&lines);
    if (f->has_edges)
        add_branches(files, index, &f->map,
                     (struct line_branch){.function = number, .definition = definition});
}

static int compare_lines(const void *left, const void *right)
{
    const struct line_count *a = left, *b = right;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return a->definition < b->definition ? -1 : a->definition > b->definition;
}

static int compare_branches(const void *left, const void *right)
{
    const struct line_branch *a = left, *b = right;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    if (a->function != b->function)
        return a->function < b->function ? -1 : 1;
    return a->block < b->block ? -1 : a->block > b->block;
}

static int compare_files(const void *left, const void *right)
{
    return strcmp(((const struct file_lines *)left)->file, ((const struct file_lines *)right)->file);
}

/* They are in order most of the time: functions are, and instances are few. */
static void sort_lines(struct line_count *lines, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (compare_lines(&lines[i - 1], &lines[i]) > 0) {
            qsort(lines, count, sizeof *lines, compare_lines);
            return;
        }
}

static int64_t sum_of(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* Adds up instances, and keeps the largest of different functions. Functions keep the profile's
 * order, which is by line within a module. */
static void put_in_order(struct file_lines *f, const struct profile *p)
{
    size_t kept = 0;
    sort_lines(f->lines.items, f->lines.count);
    for (size_t i = 0, end; i < f->lines.count; i = end) {
        struct line_count sum = f->lines.items[i];
        for (end = i + 1; end < f->lines.count && !compare_lines(&sum, &f->lines.items[end]); end++) {
            sum.count = sum_of(sum.count, f->lines.items[end].count);
            sum.least = sum_of(sum.least, f->lines.items[end].least);
            sum.exact &= f->lines.items[end].exact;
            sum.may_have_run |= f->lines.items[end].may_have_run;
        }
        struct line_count *last = kept ? &f->lines.items[kept - 1] : NULL;
        if (!last || last->line != sum.line) {
            f->lines.items[kept++] = sum;
            continue;
        }
        sum.exact &= last->exact;
        sum.least = sum.least > last->least ? sum.least : last->least;
        sum.may_have_run |= last->may_have_run;
        if (sum.count < last->count) {
            sum.count = last->count;
            sum.definition = last->definition;
        }
        *last = sum;
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
    struct definitions definitions = {0};
    *files = (struct file_lines_list){0};
    for (size_t i = 0; i < p->functions.count; i++)
        add_function(files, &index, &definitions, p, (uint32_t)i);
    hash_map_release(&index);
    definitions_release(&definitions);
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
