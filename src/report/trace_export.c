/* Traces for other programs. Time is the number of blocks executed before. */
#include "base/hash.h"
#include "report/block_place.h"
#include "report/report.h"
#include "report/trace.h"

#include <inttypes.h>

struct exporter {
    const struct trace_view *v;
    uint64_t pid;
    uint32_t thread, stream, signal;
    bool any;
    bool begun; /* perfetto: the activations that were there when the window began are shown */
};

static void *begin(const struct trace_view *v)
{
    struct exporter *e = ZALLOC(struct exporter, 1);
    e->v = v;
    return e;
}

static void stream(void *memory, const struct trace_file *file, const struct trace_part *part)
{
    struct exporter *e = memory;
    (void)file;
    e->pid = part->pid;
    e->thread = part->thread;
    e->stream = part->stream;
    e->signal = part->signal;
    e->begun = false;
}

static void end(void *memory)
{
    free(memory);
}

/* ---- blocks: one line "ID BLOCK" for each block that began ---- */

static void stream_blocks(void *memory, const struct trace_file *file, const struct trace_part *part)
{
    struct exporter *e = memory;
    stream(memory, file, part);
    fprintf(e->v->out, "thread %" PRIu32, part->thread);
    if (part->signal)
        fprintf(e->v->out, " signal %" PRIu32, part->signal);
    putc('\n', e->v->out);
}

static void step_blocks(void *memory, struct trace_stack *stack, const struct trace_step *s)
{
    struct exporter *e = memory;
    (void)stack;
    for (size_t i = 0; i < s->access_count; i++) /* as valgrind's lackey writes them */
        fprintf(e->v->out, " %c %08" PRIx64 ",%" PRIu32 "\n",
                s->accesses[i].size ? "LSM"[s->accesses[i].kind] : '?', s->accesses[i].address,
                s->accesses[i].size);
    if (trace_step_is_block(s))
        fprintf(e->v->out, "%016" PRIx64 " %" PRIu32 "\n", e->v->program->functions[s->function].id,
                s->block);
    else if (s->kind == TRACE_STEP_GONE && s->lost)
        fprintf(e->v->out, "lost: %s\n", s->lost);
}

/* ---- JSON ---- */

static void put_json_text(FILE *out, const char *text)
{
    putc('"', out);
    for (const char *s = text; *s; s++) {
        if (*s == '"' || *s == '\\')
            putc('\\', out);
        if ((unsigned char)*s < 0x20)
            fprintf(out, "\\u%04x", (unsigned char)*s);
        else
            putc(*s, out);
    }
    putc('"', out);
}

static const char *kind_name(uint32_t kind)
{
    switch (kind) {
    case REPLAY_FLOW:
        return "block";
    case REPLAY_ENTER:
        return "enter";
    case REPLAY_ENTER_CALLED:
        return "enter-called";
    case REPLAY_LEAVE:
        return "leave";
    case REPLAY_LAND:
        return "land";
    case REPLAY_LAND_BEHIND:
        return "land-behind";
    case TRACE_STEP_FRAME:
        return "frame";
    case TRACE_STEP_ACCESSES:
        return "accesses";
    case TRACE_STEP_CUT:
        return "cut";
    default:
        return "gone";
    }
}

static void put_json_accesses(FILE *out, const struct trace_step *s)
{
    fputs(",\"accesses\":[", out);
    for (size_t i = 0; i < s->access_count; i++) {
        const struct trace_access *a = &s->accesses[i];
        fprintf(out, "%s{\"kind\":\"%s\",\"address\":\"0x%" PRIx64 "\"", i ? "," : "", trace_access_name(a),
                a->address);
        if (a->size)
            fprintf(out, ",\"size\":%" PRIu32 ",\"write\":%s", a->size,
                    a->kind == MAP_LOAD ? "false" : "true");
        putc('}', out);
    }
    putc(']', out);
}

static void step_jsonl(void *memory, struct trace_stack *stack, const struct trace_step *s)
{
    struct exporter *e = memory;
    FILE *out = e->v->out;
    (void)stack;
    fprintf(out, "{\"at\":%" PRIu64 ",\"process\":%" PRIu64 ",\"thread\":%" PRIu32 ",\"kind\":\"%s\"",
            s->position, e->pid, e->thread, kind_name(s->kind));
    if (e->signal) /* handlers of one signal may be nested, in streams of their own */
        fprintf(out, ",\"signal\":%" PRIu32 ",\"stream\":%" PRIu32, e->signal, e->stream);
    if (s->kind == TRACE_STEP_CUT)
        fprintf(out, ",\"depth\":%zu", s->depth);
    if (s->kind == TRACE_STEP_GONE && s->lost) {
        fputs(",\"lost\":", out);
        put_json_text(out, s->lost);
    }
    if (s->kind == TRACE_STEP_GONE && s->is_astray)
        fputs(",\"further_on\":true", out);
    bool nobodys = s->kind == TRACE_STEP_ACCESSES && !s->accesses[0].size;
    if (s->kind != TRACE_STEP_CUT && s->kind != TRACE_STEP_GONE && !nobodys) {
        uint32_t line;
        const char *file = trace_block_file(e->v->program->maps[s->function], s->block, &line);
        fprintf(out, ",\"depth\":%zu,\"function\":", s->depth);
        put_json_text(out, e->v->names[s->function]);
        fprintf(out, ",\"block\":%" PRIu32, s->block);
        if (file) {
            char *safe = printable(file);
            fputs(",\"file\":", out);
            put_json_text(out, safe);
            fprintf(out, ",\"line\":%" PRIu32, line);
            free(safe);
        }
    }
    if (s->kind == TRACE_STEP_ACCESSES)
        put_json_accesses(out, s);
    fputs("}\n", out);
}

/* ---- Perfetto: the JSON that it and other viewers of timelines read ---- */

static void put_perfetto(struct exporter *e, char phase, const char *name, uint64_t at)
{
    fprintf(e->v->out, "%s{\"ph\":\"%c\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu32 ",\"ts\":%" PRIu64,
            e->any ? ",\n" : "[\n", phase, e->pid, e->thread, at);
    if (name) {
        fputs(",\"name\":", e->v->out);
        put_json_text(e->v->out, name);
    }
    putc('}', e->v->out);
    e->any = true;
}

static void step_perfetto(void *memory, struct trace_stack *stack, const struct trace_step *s)
{
    struct exporter *e = memory;
    for (size_t i = 0; i < stack->count && !e->begun; i++)
        put_perfetto(e, 'B', e->v->names[stack->items[i].function], s->position);
    e->begun = true;
    if (s->kind == REPLAY_ENTER || s->kind == REPLAY_ENTER_CALLED || s->kind == TRACE_STEP_FRAME)
        put_perfetto(e, 'B', e->v->names[s->function], s->position);
    else if (s->kind == REPLAY_LEAVE && stack->count)
        put_perfetto(e, 'E', NULL, s->position);
    else if (s->kind == TRACE_STEP_CUT || s->kind == TRACE_STEP_GONE)
        for (size_t i = stack->count; i > (s->kind == TRACE_STEP_CUT ? s->depth : 0); i--)
            put_perfetto(e, 'E', NULL, s->position);
}

static void leave_perfetto(void *memory, struct trace_stack *stack, uint64_t position)
{
    for (size_t i = 0; i < stack->count; i++)
        put_perfetto(memory, 'E', NULL, position);
}

static void end_perfetto(void *memory)
{
    struct exporter *e = memory;
    fputs(e->any ? "\n]\n" : "[]\n", e->v->out);
    free(e);
}

/* ---- Call trees: folded stacks and callgrind ---- */

struct node {
    uint32_t function, parent;
    uint64_t blocks;
};

struct call {
    uint32_t caller, block, callee;
    uint64_t count, inclusive;
};

struct tree {
    struct exporter base;
    struct ARRAY_OF(struct node) nodes; /* 0: the root */
    struct hash_map children;           /* hash of parent and function -> node */
    struct ARRAY_OF(uint32_t) path;     /* node of each activation */
    struct ARRAY_OF(uint64_t) begun;
    /* callgrind: */
    uint64_t **block_counts; /* per function and block */
    struct hash_map calls;   /* hash of caller, block, callee -> index + 1 */
    struct ARRAY_OF(struct call) call_list;
    uint64_t total;
};

enum { TREE_DEEP = 1000 };

static void *begin_tree(const struct trace_view *v)
{
    struct tree *t = ZALLOC(struct tree, 1);
    t->base.v = v;
    t->block_counts = ZALLOC(uint64_t *, v->program->count + 1);
    ARRAY_PUSH(&t->nodes, ((struct node){UINT32_MAX, 0, 0}));
    return t;
}

static uint32_t child_of(struct tree *t, uint32_t parent, uint32_t function)
{
    const uint32_t key[2] = {parent, function};
    bool added;
    uint64_t *number = hash_map_put(&t->children, hash_bytes(key, sizeof key), &added);
    if (added) {
        *number = t->nodes.count;
        ARRAY_PUSH(&t->nodes, ((struct node){function, parent, 0}));
    }
    return (uint32_t)*number;
}

static void count_call(struct tree *t, const struct trace_activation *caller, uint32_t callee, bool begins,
                       uint64_t inclusive)
{
    const uint32_t key[3] = {caller->function, caller->block, callee};
    bool added;
    uint64_t *number = hash_map_put(&t->calls, hash_bytes(key, sizeof key), &added);
    if (added) {
        ARRAY_PUSH(&t->call_list, ((struct call){caller->function, caller->block, callee, 0, 0}));
        *number = t->call_list.count;
    }
    t->call_list.items[*number - 1].count += begins;
    t->call_list.items[*number - 1].inclusive += inclusive;
}

/* Takes over the stack that a window has when it begins in the middle. */
static void catch_up(struct tree *t, const struct trace_stack *stack, uint64_t position)
{
    while (t->path.count < stack->count) {
        uint32_t above = t->path.count ? t->path.items[t->path.count - 1] : 0;
        uint32_t function = stack->items[t->path.count].function;
        ARRAY_PUSH(&t->path, t->path.count < TREE_DEEP ? child_of(t, above, function) : above);
        ARRAY_PUSH(&t->begun, position);
    }
}

/* Ends the activations above the depth. */
static void leave_to(struct tree *t, const struct trace_stack *stack, size_t depth, uint64_t position)
{
    while (t->path.count > depth) {
        size_t i = t->path.count - 1;
        if (i > 0 && i < stack->count)
            count_call(t, &stack->items[i - 1], stack->items[i].function, false,
                       position - t->begun.items[i]);
        t->path.count--;
        t->begun.count--;
    }
}

static void step_tree(void *memory, struct trace_stack *stack, const struct trace_step *s)
{
    struct tree *t = memory;
    catch_up(t, stack, s->position);
    switch (s->kind) {
    case REPLAY_ENTER:
    case REPLAY_ENTER_CALLED:
    case TRACE_STEP_FRAME: {
        uint32_t parent = t->path.count ? t->path.items[t->path.count - 1] : 0;
        if (stack->count)
            count_call(t, &stack->items[stack->count - 1], s->function, s->kind != TRACE_STEP_FRAME, 0);
        ARRAY_PUSH(&t->path, t->path.count < TREE_DEEP ? child_of(t, parent, s->function) : parent);
        ARRAY_PUSH(&t->begun, s->position);
        break;
    }
    case REPLAY_LEAVE:
        leave_to(t, stack, stack->count ? stack->count - 1 : 0, s->position);
        break;
    case TRACE_STEP_CUT:
        leave_to(t, stack, s->depth, s->position);
        break;
    case TRACE_STEP_GONE:
        leave_to(t, stack, 0, s->position);
        break;
    }
    if (!trace_step_is_block(s))
        return;
    t->nodes.items[t->path.count ? t->path.items[t->path.count - 1] : 0].blocks++;
    if (!t->block_counts[s->function])
        t->block_counts[s->function] =
            ZALLOC(uint64_t, t->base.v->program->maps[s->function]->graph.vertex_count);
    t->block_counts[s->function][s->block]++;
    t->total++;
}

static void leave_tree(void *memory, struct trace_stack *stack, uint64_t position)
{
    leave_to(memory, stack, 0, position);
}

static void free_tree(struct tree *t)
{
    for (size_t i = 0; i < t->base.v->program->count; i++)
        free(t->block_counts[i]);
    free(t->block_counts);
    ARRAY_RELEASE(&t->nodes);
    ARRAY_RELEASE(&t->path);
    ARRAY_RELEASE(&t->begun);
    ARRAY_RELEASE(&t->call_list);
    hash_map_release(&t->children);
    hash_map_release(&t->calls);
    free(t);
}

static void end_folded(void *memory)
{
    struct tree *t = memory;
    FILE *out = t->base.v->out;
    uint32_t *path = ALLOC(uint32_t, TREE_DEEP + 1);
    for (size_t i = 1; i < t->nodes.count; i++) {
        size_t count = 0;
        if (!t->nodes.items[i].blocks)
            continue;
        for (uint32_t n = (uint32_t)i; n; n = t->nodes.items[n].parent)
            path[count++] = t->nodes.items[n].function;
        while (count-- > 0) {
            for (const char *s = t->base.v->names[path[count]]; *s; s++)
                putc(*s == ';' ? ':' : *s, out);
            putc(count ? ';' : ' ', out);
        }
        fprintf(out, "%" PRIu64 "\n", t->nodes.items[i].blocks);
    }
    free(path);
    free_tree(t);
}

/* Writes KEY=path, with the path where the file is now. */
static void put_file(const struct tree *t, const char *key, const char *file)
{
    char *path = source_maps_apply(t->base.v->source_maps, file), *safe = printable(path);
    fprintf(t->base.v->out, "%s=%s\n", key, *safe ? safe : "???");
    free(safe);
    free(path);
}

static const char *file_of(const struct map_function *f)
{
    return f->file_count ? f->files[0] : "???";
}

/* Writes a line of costs of the block. What is written next belongs to the block, too. */
static void put_cost(const struct tree *t, const struct map_function *f, const struct map_line *place,
                     const char **current, uint64_t cost)
{
    const char *file = place->line ? f->files[place->file] : file_of(f);
    if (strcmp(file, *current)) /* code that was written elsewhere */
        put_file(t, strcmp(file, file_of(f)) ? "fi" : "fe", file);
    *current = file;
    fprintf(t->base.v->out, "%" PRIu32 " %" PRIu64 "\n", place->line ? place->line : f->line, cost);
}

static void put_callgrind_function(const struct tree *t, uint32_t function, const struct call *calls,
                                   size_t count)
{
    const struct trace_view *v = t->base.v;
    const struct map_function *f = v->program->maps[function];
    const char *current = file_of(f);
    struct map_line *places = block_places(f);
    putc('\n', v->out);
    put_file(t, "fl", current);
    fprintf(v->out, "fn=(%" PRIu32 ") %s\n", function + 1, v->names[function]);
    for (uint32_t b = 0; t->block_counts[function] && b < graph_exit(&f->graph); b++)
        if (t->block_counts[function][b])
            put_cost(t, f, &places[b], &current, t->block_counts[function][b]);
    for (size_t i = 0; i < count; i++) {
        const struct map_function *callee = v->program->maps[calls[i].callee];
        put_file(t, "cfi", file_of(callee));
        fprintf(v->out, "cfn=(%" PRIu32 ") %s\ncalls=%" PRIu64 " %" PRIu32 "\n", calls[i].callee + 1,
                v->names[calls[i].callee], calls[i].count, callee->line);
        put_cost(t, f, &places[calls[i].block], &current, calls[i].inclusive);
    }
    free(places);
}

static int by_caller(const void *left, const void *right)
{
    const struct call *a = left, *b = right;
    if (a->caller != b->caller)
        return a->caller < b->caller ? -1 : 1;
    if (a->block != b->block)
        return a->block < b->block ? -1 : 1;
    return (a->callee > b->callee) - (a->callee < b->callee);
}

static void end_callgrind(void *memory)
{
    struct tree *t = memory;
    const struct trace_view *v = t->base.v;
    fputs("# callgrind format\nversion: 1\ncreator: cotree " COTREE_VERSION
          "\npositions: line\nevent: Blocks : Block executions\nevents: Blocks\n",
          v->out);
    const struct call *calls = t->call_list.items;
    if (t->call_list.count)
        qsort(t->call_list.items, t->call_list.count, sizeof *t->call_list.items, by_caller);
    for (size_t i = 0, at = 0, end = 0; i < v->program->count; i++, at = end) {
        while (end < t->call_list.count && calls[end].caller == i)
            end++;
        if (t->block_counts[i] || end > at)
            put_callgrind_function(t, (uint32_t)i, end > at ? calls + at : NULL, end - at);
    }
    fprintf(v->out, "\ntotals: %" PRIu64 "\n", t->total);
    free_tree(t);
}

const struct trace_format trace_formats[] = {
    {"jsonl", begin, stream, step_jsonl, NULL, end},
    {"callgrind", begin_tree, stream, step_tree, leave_tree, end_callgrind},
    {"folded", begin_tree, stream, step_tree, leave_tree, end_folded},
    {"perfetto", begin, stream, step_perfetto, leave_perfetto, end_perfetto},
    {"blocks", begin, stream_blocks, step_blocks, NULL, end},
    {NULL},
};

const struct trace_format *trace_format_by_name(const char *name)
{
    for (const struct trace_format *f = trace_formats; f->name; f++)
        if (!strcmp(name, f->name))
            return f;
    return NULL;
}
