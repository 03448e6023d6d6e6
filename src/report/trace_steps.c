/* Makes steps of runs, and shows those in the window that was asked for. */
#include "decode/lines/demangle.h"
#include "report/block_place.h"
#include "report/report.h"
#include "report/trace.h"

struct stepper {
    const struct trace_view *v;
    const struct trace_format *format;
    void *memory;
    struct trace_walk *walk;
    struct trace_part part;   /* what wrote these steps: threads may follow each other in one stream */
    bool announced;           /* the format knows of `part` */
    struct trace_stack stack; /* before the next step that the format gets */
    struct trace_window window;
    uint64_t position;
    size_t depth;
    uint32_t thread, signal; /* what writes the stream now */
    bool left;               /* the activations were left already, at the record of a new writer */
    bool started, over, shown;
    bool is_astray;                   /* the thread has died where it is not known how it came to */
    struct trace_addresses addresses; /* if the view wants them */
    size_t next_access;               /* of those that were found */
    struct ARRAY_OF(char *) losses;   /* texts that steps point to */
};

/* ---- Views ---- */

const char *trace_block_file(const struct map_function *f, uint32_t block, uint32_t *line)
{
    *line = 0;
    if (block >= graph_exit(&f->graph) || !f->blocks[block].line_count)
        return NULL;
    *line = f->blocks[block].lines[0].line;
    return f->files[f->blocks[block].lines[0].file];
}

const char *trace_block_shown(const struct map_function *f, uint32_t block, uint32_t *line)
{
    struct map_line place = block < graph_exit(&f->graph) ? block_place(f, block) : (struct map_line){0};
    *line = place.line;
    return place.line ? f->files[place.file] : NULL;
}

void trace_view_init(struct trace_view *v, const struct trace_program *program, bool no_demangle)
{
    static const struct source_maps none;
    *v = (struct trace_view){
        .program = program, .names = ZALLOC(char *, program->count + 1), .source_maps = &none, .out = stdout};
    for (size_t i = 0; i < program->count; i++) {
        char *full = no_demangle ? memory_string(program->maps[i]->name) : demangle(program->maps[i]->name);
        char *bare = no_demangle ? memory_string(full) : demangled_bare_name(full);
        v->names[i] = printable(bare);
        free(full);
        free(bare);
    }
}

/* blocks: an array per function, as spots and filters have them, or NULL. */
static void release_blocks(bool **blocks, size_t count)
{
    for (size_t i = 0; blocks && i < count; i++)
        free(blocks[i]);
    free(blocks);
}

void trace_view_release(struct trace_view *v)
{
    for (size_t i = 0; i < v->program->count; i++)
        free(v->names[i]);
    free(v->names);
    release_blocks(v->from.blocks, v->program->count);
    release_blocks(v->to.blocks, v->program->count);
    release_blocks(v->find.blocks, v->program->count);
    release_blocks(v->wanted, v->program->count);
}

/* Finds the blocks that are shown in files that the filter wants. A block whose file is unknown is
 * wanted if its function is. */
static bool *wanted_blocks(const struct report_filter *filter, const struct map_function *f)
{
    bool *wanted = ZALLOC(bool, graph_exit(&f->graph));
    for (uint32_t b = 0; b < graph_exit(&f->graph); b++) {
        uint32_t line;
        const char *file = trace_block_shown(f, b, &line);
        wanted[b] = !file || filter_wants_file(filter, file);
    }
    return wanted;
}

bool trace_view_filter(struct trace_view *v, const struct report_filter *filter, struct error *error)
{
    bool any = false;
    v->wanted = ZALLOC(bool *, v->program->count + 1);
    for (size_t i = 0; i < v->program->count; i++) {
        const struct map_function *f = v->program->maps[i];
        char *name = demangle(f->name);
        if (filter_wants_function(filter, f, name))
            v->wanted[i] = wanted_blocks(filter, f);
        free(name);
        any |= v->wanted[i] != NULL;
    }
    return any || filter_explain_nothing(filter, error);
}

/* Finds the blocks of the function that have the line; NULL when there are none. */
static bool *blocks_of_line(const struct map_function *f, const char *file, uint32_t line)
{
    bool *found = NULL;
    for (uint32_t b = 0; b < graph_exit(&f->graph); b++)
        for (uint32_t i = 0; i < f->blocks[b].line_count; i++) {
            const struct map_line *l = &f->blocks[b].lines[i];
            if (l->line != line || !path_matches(file, f->files[l->file]))
                continue;
            if (!found)
                found = ZALLOC(bool, graph_exit(&f->graph));
            found[b] = true;
        }
    return found;
}

bool trace_spot_set(struct trace_spot *spot, const struct trace_view *v, const char *text,
                    struct error *error)
{
    char *end;
    *spot = (struct trace_spot){.text = text};
    if (*text && !text[strspn(text, "0123456789")]) {
        spot->is_position = true;
        spot->position = strtoull(text, NULL, 10);
        return true;
    }
    const char *colon = strrchr(text, ':');
    unsigned long line = colon ? strtoul(colon + 1, &end, 10) : 0;
    spot->is_line = line && !*end;
    char *file = spot->is_line ? memory_substring(text, (size_t)(colon - text)) : NULL;
    bool any = false;
    spot->blocks = ZALLOC(bool *, v->program->count + 1);
    for (size_t i = 0; i < v->program->count; i++) {
        const struct map_function *f = v->program->maps[i];
        if (file) {
            spot->blocks[i] = blocks_of_line(f, file, (uint32_t)line);
        } else if (name_matches(text, f->name, v->names[i])) {
            spot->blocks[i] = ZALLOC(bool, graph_exit(&f->graph));
            spot->blocks[i][GRAPH_ROOT] = true;
        }
        any |= spot->blocks[i] != NULL;
    }
    free(file);
    return any || error_set(error, "no traced function or line is '%s'", text);
}

const char *trace_access_name(const struct trace_access *access)
{
    static const char *const names[] = {
        [MAP_LOAD] = "load", [MAP_STORE] = "store", [MAP_LOAD_AND_STORE] = "update"};
    return access->size ? names[access->kind] : "access";
}

/* ---- Steps ---- */

static void apply(struct trace_stack *stack, const struct trace_step *step)
{
    switch (step->kind) {
    case REPLAY_ENTER:
    case REPLAY_ENTER_CALLED:
    case TRACE_STEP_FRAME:
        ARRAY_PUSH(stack, ((struct trace_activation){step->function, step->block, step->position}));
        break;
    case REPLAY_FLOW:
    case REPLAY_LAND:
    case REPLAY_LAND_BEHIND:
        if (stack->count)
            stack->items[stack->count - 1].block = step->block;
        break;
    case REPLAY_LEAVE:
        stack->count -= stack->count > 0;
        break;
    case TRACE_STEP_CUT:
        if (stack->count > step->depth)
            stack->count = step->depth;
        break;
    case TRACE_STEP_GONE:
        stack->count = 0;
        break;
    }
}

static void give(struct stepper *s, const struct trace_step *step)
{
    if (step->kind == TRACE_STEP_OTHER) {
        s->announced &= s->part.thread == step->function && s->part.signal == step->block;
        s->part.thread = step->function;
        s->part.signal = step->block;
        return;
    }
    if (!s->announced)
        s->format->stream(s->memory, s->walk->file, &s->part);
    s->announced = s->shown = true;
    s->format->step(s->memory, &s->stack, step);
    apply(&s->stack, step);
    free(step->accesses);
}

/* Returns false when the window is over. */
static bool take(struct stepper *s, const struct trace_step *step)
{
    bool block = trace_step_is_block(step);
    if (block && step->position > s->window.to) { /* the end of the window lies in a part that is lost */
        s->over = true;
        return false;
    }
    if (!s->started && block)
        s->started = step->position >= s->window.from;
    if (!s->started) {
        if (step->kind == TRACE_STEP_OTHER)
            give(s, step);
        apply(&s->stack, step);
        free(step->accesses);
        return true;
    }
    give(s, step);
    s->over |= block && step->position >= s->window.to;
    return !s->over && !ferror(s->v->out);
}

/* Gives the accesses before that item, one step for those of a block that follow each other. */
static void take_accesses_before(struct stepper *s, uint32_t item)
{
    const struct trace_access_list *found = &s->addresses.found;
    while (!s->over && s->next_access < found->count && found->items[s->next_access].item <= item) {
        const struct trace_access *first = &found->items[s->next_access], *end = first;
        while (end < found->items + found->count && end->item <= item && end->function == first->function &&
               end->block == first->block && !end->size == !first->size)
            end++;
        size_t count = (size_t)(end - first);
        struct trace_step step = {.kind = TRACE_STEP_ACCESSES,
                                  .function = first->function,
                                  .block = first->block,
                                  .position = s->position ? s->position - 1 : 0,
                                  .depth = s->depth,
                                  .accesses = ALLOC(struct trace_access, count),
                                  .access_count = count};
        memcpy(step.accesses, first, count * sizeof *first);
        s->next_access += count;
        if (!take(s, &step))
            s->over = true;
    }
}

static void take_accesses(void *context)
{
    struct stepper *s = context;
    s->next_access = 0;
    if (s->v->addresses)
        take_accesses_before(s, UINT32_MAX);
}

/* Skips a run that lies before the window: only the stack changes. */
static void skip(struct stepper *s, const struct replay_run *run)
{
    for (uint32_t k = 0; k < run->item_count; k++) {
        const struct replay_item *item = &run->items[k];
        const struct trace_step step = {
            .kind = item->kind, .function = item->function, .block = item->block, .position = s->position};
        s->depth += item->kind == REPLAY_ENTER || item->kind == REPLAY_ENTER_CALLED;
        s->depth -= item->kind == REPLAY_LEAVE && s->depth;
        apply(&s->stack, &step);
    }
    s->position += run->block_count;
}

static bool take_runs(void *context, const struct replay_run *const *runs, size_t count)
{
    struct stepper *s = context;
    uint32_t number = 0;
    s->next_access = 0;
    for (size_t i = 0; i < count; i++) {
        if (s->position + runs[i]->block_count <= s->window.from && !s->v->addresses) {
            skip(s, runs[i]);
            continue;
        }
        for (uint32_t k = 0; k < runs[i]->item_count; k++) {
            const struct replay_item *item = &runs[i]->items[k];
            if (s->v->addresses)
                take_accesses_before(s, number++);
            struct trace_step step = {.kind = item->kind,
                                      .function = item->function,
                                      .block = item->block,
                                      .from = item->from,
                                      .position = s->position};
            s->depth += item->kind == REPLAY_ENTER || item->kind == REPLAY_ENTER_CALLED;
            step.depth = s->depth;
            s->depth -= item->kind == REPLAY_LEAVE && s->depth;
            s->position += trace_step_is_block(&step);
            if (!s->over && !take(s, &step))
                s->over = true;
        }
    }
    return !s->over;
}

static void take_cut(void *context, const struct replay *replay, size_t depth)
{
    struct stepper *s = context;
    (void)replay;
    take_accesses(s);
    s->depth = depth;
    if (!s->over)
        take(s, &(struct trace_step){.kind = TRACE_STEP_CUT, .position = s->position, .depth = depth});
}

static void take_leave(void *context, const struct replay *replay, const char *why)
{
    struct stepper *s = context;
    (void)replay;
    s->depth = 0;
    const bool is_astray = s->is_astray;
    s->is_astray = false;
    if (s->left && !why) { /* take_record has said so, when it came to the record before this */
        s->left = false;
        return;
    }
    if (why)
        ARRAY_PUSH(&s->losses, memory_string(why));
    if (!s->over)
        take(s, &(struct trace_step){.kind = TRACE_STEP_GONE,
                                     .position = s->position,
                                     .is_astray = is_astray,
                                     .lost = why ? s->losses.items[s->losses.count - 1] : NULL});
}

static void take_resume(void *context, const struct replay *replay, bool inherited)
{
    struct stepper *s = context;
    if (!inherited)
        s->position = s->walk->position;
    struct replay_place place = replay_place(replay);
    for (size_t i = 0; i < place.depth && !s->over; i++) {
        struct replay_frame frame = replay_frame(replay, i);
        take(s, &(struct trace_step){.kind = TRACE_STEP_FRAME,
                                     .function = frame.function,
                                     .block = frame.block,
                                     .position = s->position,
                                     .depth = i + 1});
    }
    s->depth = place.depth;
}

/* Control went no further: the block that was shown last may have lines that were not reached. */
static void take_stood(void *context, const struct replay *replay, bool there)
{
    struct stepper *s = context;
    struct replay_place place = replay_place(replay);
    s->is_astray = !there;
    if (!there || !place.depth || !s->format->stop || !s->shown)
        return;
    struct replay_frame frame = replay_frame(replay, place.depth - 1);
    const struct trace_step step = {.function = frame.function, .block = frame.block, .depth = place.depth};
    if (frame.reached)
        s->format->stop(s->memory, &step, frame.reached == REPLAY_ALL_LINES ? UINT32_MAX : frame.reached - 1);
}

static void take_left(void *context, const struct replay *replay, bool there, bool is_inside)
{
    struct stepper *s = context;
    (void)is_inside;
    take_stood(context, replay, there);
    s->is_astray = false;
}

/* Notes which thread or handler writes from here on. */
static void take_record(void *context, const struct trace_record *record, const struct trace_totals *done)
{
    struct stepper *s = context;
    (void)done;
    take_accesses(s);
    if ((record->what != TRACE_THREAD && record->what != TRACE_SIGNAL) || s->over)
        return;
    take_leave(s, NULL, NULL); /* the former writer's activations end, not the new writer's */
    s->left = true;
    if (s->position >= s->window.end) { /* the turn that was asked for is over */
        s->over = true;
        return;
    }
    if (record->what == TRACE_THREAD) {
        s->thread = (uint32_t)record[1].what;
        s->signal = 0;
    } else {
        s->signal = (uint32_t)record[1].what;
    }
    take(s,
         &(struct trace_step){
             .kind = TRACE_STEP_OTHER, .function = s->thread, .block = s->signal, .position = s->position});
}

static void show_progress(void *context, uint64_t events)
{
    struct stepper *s = context;
    if (s->v->progress)
        progress_update(s->v->progress, events);
    s->over |= trace_reader_left(s->v);
}

struct trace_window trace_show_stream(const struct trace_view *v, const struct trace_format *format,
                                      void *memory, struct trace_walk *walk, const struct trace_turn *turn)
{
    struct stepper s = {
        .v = v, .format = format, .memory = memory, .walk = walk, .window = trace_window(v, walk, turn)};
    if (!s.window.reaches_from)
        return s.window;
    if (v->addresses)
        trace_addresses_init(&s.addresses, v->program);
    const struct trace_listener listener = {.context = &s,
                                            .addresses = v->addresses ? &s.addresses : NULL,
                                            .accesses = take_accesses,
                                            .runs = take_runs,
                                            .cut = take_cut,
                                            .leave = take_leave,
                                            .resume = take_resume,
                                            .record = take_record,
                                            .stood = take_stood,
                                            .left = take_left,
                                            .progress = show_progress};
    const struct trace_part *part = walk->part;
    walk->listener = &listener;
    walk->from_block = s.window.from;
    trace_walk_find(walk);
    s.position = walk->from_block;
    s.part = *part;
    s.part.thread = s.thread = walk->thread ? walk->thread : part->thread;
    s.part.signal = s.signal = walk->signal;
    trace_walk(walk);
    if (s.announced && s.stack.count && format->leave)
        format->leave(memory, &s.stack, s.position <= s.window.to ? s.position : s.window.to + 1);
    s.window.shown = s.shown;
    for (size_t i = 0; i < s.losses.count; i++)
        free(s.losses.items[i]);
    ARRAY_RELEASE(&s.losses);
    if (v->addresses)
        trace_addresses_release(&s.addresses);
    ARRAY_RELEASE(&s.stack);
    return s.window;
}
