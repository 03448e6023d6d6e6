/*
 * A stream as people read it: a line for each block, indented by depth, calls with their names.
 * What repeats is folded: equal neighbours, of up to FOLD_MOST entries each, become one with a
 * number, again and again, so loops inside loops fold, too. Entries wait in a list for what follows
 * them; the list is written when it is long.
 */
#include "base/hash.h"
#include "report/report.h"
#include "report/trace.h"

#include <inttypes.h>

enum { FOLD_MOST = 48, LIST_LONG = 8192, LIST_KEPT = 1024, DEPTH_SHOWN = 60 };
/* After STEPS_SILENT steps without output everything is written but the entries that may still
 * fold, so that a user who waits sees something. */
enum { STEPS_SILENT = 1 << 22, LIST_FOLDING = 4 * FOLD_MOST };

struct entry {
    uint64_t hash; /* of the content, repetitions included */
    uint64_t position, times;
    struct trace_step step;
    uint32_t lines;     /* how many of the block's lines have begun; 0: all */
    struct entry *body; /* a repetition: its entries; step is unused */
    size_t body_count;
    char *text; /* accesses */
};
struct entries ARRAY_OF(struct entry);

struct source_text {
    char **lines;
    size_t count;
};

struct lister {
    const struct trace_view *v;
    struct entries entries;
    struct hash_map sources; /* hash of a path -> index + 1 */
    struct ARRAY_OF(struct source_text) texts;
    struct trace_step last; /* shown, or left out as more of its line */
    bool first;
    bool begun;         /* the activations that were there at the beginning are shown */
    uint32_t unwritten; /* steps since something was written */
};

static void *begin(const struct trace_view *v)
{
    struct lister *l = ZALLOC(struct lister, 1);
    l->v = v;
    l->first = true;
    l->last.kind = TRACE_STEP_GONE;
    return l;
}

/* ---- What was asked for ---- */

static bool wants_function(const struct trace_view *v, uint32_t function)
{
    return !v->wanted || v->wanted[function];
}

static bool wants_block(const struct trace_view *v, uint32_t function, uint32_t block)
{
    return !v->wanted || (v->wanted[function] && v->wanted[function][block]);
}

/* A call is shown if its function is wanted, everything else if its block is. Losses, and accesses
 * that no block is known for, are always shown. */
static bool wants_step(const struct trace_view *v, const struct trace_step *s)
{
    switch (s->kind) {
    case TRACE_STEP_GONE:
    case TRACE_STEP_CUT:
        return true;
    case REPLAY_ENTER:
    case REPLAY_ENTER_CALLED:
    case REPLAY_LEAVE:
    case TRACE_STEP_FRAME:
        return wants_function(v, s->function);
    case TRACE_STEP_ACCESSES:
        return !s->accesses[0].size || wants_block(v, s->function, s->block);
    default:
        return wants_block(v, s->function, s->block);
    }
}

/* ---- Folding ---- */

static void release_entry(struct entry *e)
{
    for (size_t i = 0; i < e->body_count; i++)
        release_entry(&e->body[i]);
    free(e->body);
    free(e->text);
}

static bool same(const struct entry *a, const struct entry *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (a[i].hash != b[i].hash)
            return false;
    return true;
}

static uint64_t hash_repetition(const struct entry *e)
{
    uint64_t parts[2] = {e->times, 0};
    for (size_t i = 0; i < e->body_count; i++)
        parts[1] = (parts[1] + e->body[i].hash) * 0x9e3779b97f4a7c15ull;
    return hash_bytes(parts, sizeof parts);
}

static size_t depth_of(const struct entry *e)
{
    while (e->body_count)
        e = e->body;
    bool call = e->step.kind == REPLAY_ENTER || e->step.kind == REPLAY_ENTER_CALLED;
    return e->step.depth + !e->step.depth - call;
}

/* A repetition begins where it is least deep: with a whole activation, or a whole round of a
 * loop. */
static bool is_nested(const struct entry *body, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (depth_of(&body[i]) < depth_of(body))
            return false;
    return true;
}

/* Folds the last entries if they repeat those before. Returns true when anything was folded. */
static bool fold_once(struct entries *list)
{
    for (size_t k = 1; k <= FOLD_MOST && k < list->count; k++) {
        struct entry *tail = &list->items[list->count - k];
        struct entry *before = tail - 1;
        if (before->body_count == k && same(before->body, tail, k)) { /* once more */
            before->times++;
            before->hash = hash_repetition(before);
            for (size_t i = 0; i < k; i++)
                release_entry(&tail[i]);
            list->count -= k;
            return true;
        }
        if (list->count >= 2 * k && same(tail - k, tail, k) && (k > 1 || !tail->body_count) &&
            is_nested(tail, k)) {
            struct entry folded = {.times = 2, .body = ALLOC(struct entry, k), .body_count = k};
            memcpy(folded.body, tail - k, k * sizeof *tail);
            folded.position = folded.body[0].position;
            folded.hash = hash_repetition(&folded);
            for (size_t i = 0; i < k; i++)
                release_entry(&tail[i]);
            list->count -= 2 * k;
            ARRAY_PUSH(list, folded);
            return true;
        }
    }
    return false;
}

/* ---- Writing ---- */

static const struct source_text *source_of(struct lister *l, const char *file)
{
    bool added;
    uint64_t *number = hash_map_put(&l->sources, hash_text(file), &added);
    if (added) {
        struct source source;
        const char *reason, *line;
        struct ARRAY_OF(char *) lines = {0};
        char *path = source_maps_apply(l->v->source_maps, file);
        if (source_open(&source, path, &reason)) {
            while ((line = source_next(&source)))
                ARRAY_PUSH(&lines, memory_string(line + strspn(line, " ")));
            source_close(&source);
        }
        free(path);
        ARRAY_PUSH(&l->texts, ((struct source_text){lines.items, lines.count}));
        *number = l->texts.count;
    }
    return &l->texts.items[*number - 1];
}

static void put_indent(struct lister *l, uint64_t position, size_t depth)
{
    if (position == UINT64_MAX)
        fprintf(l->v->out, "%12s  ", "");
    else
        fprintf(l->v->out, "%s%12" PRIu64 "%s  ", l->v->color ? "\033[2m" : "", position,
                l->v->color ? "\033[0m" : "");
    if (depth > DEPTH_SHOWN)
        fprintf(l->v->out, "(%zu) ", depth);
    for (size_t i = 0; i < depth && i < DEPTH_SHOWN; i++)
        fputs("  ", l->v->out);
}

/* lines: how many of the block's lines to show, 0: all. */
static void put_place(struct lister *l, const struct map_function *f, uint32_t block, uint32_t lines)
{
    uint32_t line;
    const char *file = trace_block_shown(f, block, &line), *slash;
    if (!file) {
        fprintf(l->v->out, "block %" PRIu32, block);
        return;
    }
    slash = strrchr(file, '/');
    char *name = printable(slash ? slash + 1 : file);
    fprintf(l->v->out, "%s:%" PRIu32, name, line);
    free(name);
    const struct map_block *b = &f->blocks[block];
    for (uint32_t i = 1; i < (lines ? lines : b->line_count) && i < 8; i++)
        if (b->lines[i].file == b->lines[0].file)
            fprintf(l->v->out, ",%" PRIu32, b->lines[i].line);
    const struct source_text *text = l->v->no_source ? NULL : source_of(l, file);
    if (text && line && line <= text->count)
        fprintf(l->v->out, "  %s%s%s", l->v->color ? "\033[36m" : "", text->lines[line - 1],
                l->v->color ? "\033[0m" : "");
}

static void put_call(struct lister *l, const struct trace_step *s, const char *how)
{
    put_indent(l, s->position, s->depth - 1);
    fprintf(l->v->out, "%s%s%s%s\n", l->v->color ? "\033[1m" : "", l->v->names[s->function],
            l->v->color ? "\033[0m" : "", how);
}

static void put_step(struct lister *l, const struct trace_step *s, uint32_t lines)
{
    const struct map_function *f = l->v->program->maps[s->function];
    size_t depth = s->depth ? s->depth : 1;
    switch (s->kind) {
    case REPLAY_ENTER:
    case REPLAY_ENTER_CALLED:
        put_call(l, &(struct trace_step){.position = s->position, .function = s->function, .depth = depth},
                 s->kind == REPLAY_ENTER ? "()" : "()  called by address or from outside");
        break;
    case TRACE_STEP_FRAME:
        put_call(l, &(struct trace_step){.position = s->position, .function = s->function, .depth = depth},
                 "()  was running");
        return;
    case REPLAY_LAND_BEHIND:
        put_indent(l, s->position, depth);
        fprintf(l->v->out, "returned once more, in %s: ", l->v->names[s->function]);
        put_place(l, f, s->block, 0);
        putc('\n', l->v->out);
        return;
    case REPLAY_LAND:
        put_indent(l, s->position, depth);
        fprintf(l->v->out, "landed, in %s\n", l->v->names[s->function]);
        break;
    case TRACE_STEP_GONE:
        if (s->lost) {
            put_indent(l, s->position, 0);
            fprintf(l->v->out, "lost: %s\n", s->lost);
        } else if (s->is_astray) {
            put_indent(l, s->position, 0);
            fputs("it died further on: the way there is not in the trace\n", l->v->out);
        }
        return;
    default:
        break;
    }
    if (!wants_block(l->v, s->function, s->block))
        return;
    put_indent(l, s->position, depth);
    put_place(l, f, s->block, lines);
    putc('\n', l->v->out);
}

static void put_entry(struct lister *l, const struct entry *e)
{
    if (e->text) {
        put_indent(l, UINT64_MAX, e->step.depth + 1);
        fprintf(l->v->out, "%s%s%s\n", l->v->color ? "\033[2m" : "", e->text, l->v->color ? "\033[0m" : "");
        return;
    }
    if (!e->body_count) {
        put_step(l, &e->step, e->lines);
        return;
    }
    for (size_t i = 0; i < e->body_count; i++)
        put_entry(l, &e->body[i]);
    put_indent(l, UINT64_MAX, depth_of(e));
    fprintf(l->v->out, "%sx %" PRIu64 "%s", l->v->color ? "\033[33m" : "", e->times,
            l->v->color ? "\033[0m" : "");
    if (e->body_count > 1)
        fprintf(l->v->out, " (the %zu above)", e->body_count);
    putc('\n', l->v->out);
}

static void write_first(struct lister *l, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        put_entry(l, &l->entries.items[i]);
        release_entry(&l->entries.items[i]);
    }
    l->unwritten = 0;
    l->entries.count -= count;
    if (l->entries.count)
        memmove(l->entries.items, l->entries.items + count, l->entries.count * sizeof *l->entries.items);
}

static void stream(void *memory, const struct trace_file *file, const struct trace_part *part)
{
    struct lister *l = memory;
    write_first(l, l->entries.count);
    l->last = (struct trace_step){.kind = TRACE_STEP_GONE};
    char *name = printable(file->path);
    fprintf(l->v->out, "%s%s: process %" PRIu64 ", thread %" PRIu32, l->first ? "" : "\n", name, part->pid,
            part->thread);
    if (part->signal)
        fprintf(l->v->out, ", handlers of signal %" PRIu32, part->signal);
    putc('\n', l->v->out);
    free(name);
    l->first = l->begun = false;
}

/* Shows how control came to where the window begins. */
static void put_stack(struct lister *l, const struct trace_stack *stack)
{
    for (size_t i = 0; i < stack->count; i++) {
        const struct trace_activation *a = &stack->items[i];
        if (!wants_function(l->v, a->function))
            continue;
        put_indent(l, UINT64_MAX, i);
        fprintf(l->v->out, "%s%s%s()  was running: ", l->v->color ? "\033[1m" : "", l->v->names[a->function],
                l->v->color ? "\033[0m" : "");
        put_place(l, l->v->program->maps[a->function], a->block, 0);
        putc('\n', l->v->out);
    }
    l->begun = true;
}

/* Whether the step only goes on in the line that was shown last. */
static bool is_same_line(const struct lister *l, const struct trace_step *s)
{
    const struct trace_step *last = &l->last;
    const struct map_block *blocks = l->v->program->maps[s->function]->blocks, *b = &blocks[s->block],
                           *before;
    if (!trace_step_is_block(last) || last->function != s->function || last->depth != s->depth ||
        b->line_count > 1)
        return false;
    before = &blocks[last->block];
    return !b->line_count ||
           (before->line_count && b->lines[0].line == before->lines[before->line_count - 1].line &&
            b->lines[0].file == before->lines[before->line_count - 1].file);
}

static void add_accesses(struct lister *l, const struct trace_step *s)
{
    struct buffer text = {0};
    for (size_t i = 0; i < s->access_count; i++) {
        const struct trace_access *a = &s->accesses[i];
        if (a->size)
            buffer_addf(&text, "%s%s %" PRIu32 " at 0x%" PRIx64, i ? ", " : "", trace_access_name(a), a->size,
                        a->address);
        else
            buffer_addf(&text, "%s0x%" PRIx64, i ? ", " : "after the last event: ", a->address);
    }
    struct entry e = {
        .position = s->position, .times = 1, .step = *s, .text = memory_string(buffer_text(&text))};
    e.hash = hash_text(e.text) + s->depth;
    e.step.accesses = NULL;
    ARRAY_PUSH(&l->entries, e);
    buffer_release(&text);
}

static void step(void *memory, struct trace_stack *stack, const struct trace_step *s)
{
    struct lister *l = memory;
    if (!l->begun)
        put_stack(l, stack);
    const bool wanted = wants_step(l->v, s);
    if (s->kind == TRACE_STEP_ACCESSES) {
        if (wanted)
            add_accesses(l, s);
        while (fold_once(&l->entries))
            ;
        return;
    }
    bool same_line = s->kind == REPLAY_FLOW && s->block > s->from && stack->count && is_same_line(l, s);
    l->last = *s;
    if (same_line || !wanted)
        return;
    if (s->kind == REPLAY_LEAVE || s->kind == TRACE_STEP_CUT ||
        (s->kind == TRACE_STEP_GONE && !s->lost && !s->is_astray))
        return;
    const uint64_t what[4] = {s->kind, s->function, s->block, s->depth};
    ARRAY_PUSH(&l->entries,
               ((struct entry){
                   .hash = hash_bytes(what, sizeof what), .position = s->position, .times = 1, .step = *s}));
    while (fold_once(&l->entries))
        ;
    if (s->lost) /* the stream owns the text */
        write_first(l, l->entries.count);
    if (l->entries.count >= LIST_LONG)
        write_first(l, LIST_LONG - LIST_KEPT);
    if (++l->unwritten >= STEPS_SILENT) {
        write_first(l, l->entries.count > LIST_FOLDING ? l->entries.count - LIST_FOLDING : 0);
        fflush(l->v->out);
    }
}

/* Shows in the block's entry how much of it has begun. An entry that was folded is first taken out
 * of its repetition. */
static void stop(void *memory, const struct trace_step *s, uint32_t lines)
{
    struct lister *l = memory;
    struct entry *e = l->entries.count ? &l->entries.items[l->entries.count - 1] : NULL;
    const struct map_block *b = &l->v->program->maps[s->function]->blocks[s->block];
    if (!e || lines >= b->line_count)
        return;
    if (e->body_count == 1 && !e->body->body_count && !e->body->text && e->times > 1) {
        struct entry once = e->body[0];
        if (--e->times == 1) {
            free(e->body);
            *e = once;
        }
        ARRAY_PUSH(&l->entries, once);
        e = &l->entries.items[l->entries.count - 1];
    }
    if (!e->body_count && !e->text && trace_step_is_block(&e->step) && e->step.function == s->function &&
        e->step.block == s->block && e->step.depth == s->depth)
        e->lines = lines ? lines : 1;
}

static void end(void *memory)
{
    struct lister *l = memory;
    write_first(l, l->entries.count);
    ARRAY_RELEASE(&l->entries);
    for (size_t i = 0; i < l->texts.count; i++) {
        for (size_t k = 0; k < l->texts.items[i].count; k++)
            free(l->texts.items[i].lines[k]);
        free(l->texts.items[i].lines);
    }
    ARRAY_RELEASE(&l->texts);
    hash_map_release(&l->sources);
    free(l);
}

const struct trace_format trace_format_list = {"list", begin, stream, step, NULL, end, stop};
