/* One run file: it is read, matched with modules, judged, and only then added to the totals. */
#include "decode/paths/cut_paths.h"
#include "decode/profile/decoder.h"
#include "decode/paths/early_ends.h"
#include "decode/model/error_bounds.h"
#include "decode/frames/frames.h"
#include "decode/profile/judge.h"
#include "decode/profile/least.h"
#include "decode/model/moved.h"
#include "decode/trace/file.h"
#include "decode/profile/trace_profile.h"
#include "format/data/join.h"
#include "format/profile/files.h"

#include <stdio.h>

struct reading {
    struct decoder *decoder;
    struct data_file data;
    /* Modules by their numbers in the file; NULL: left out or without counters. */
    struct decode_module **module_of;
    /* Modules with counts, each once. */
    struct reading_modules ARRAY_OF(struct decode_module *) modules;
    struct reading_functions ARRAY_OF(struct decode_function *) touched;
    /* Counts of some function may be wrong, by its file.error. */
    bool doubted;
    struct profile *verdict;
    /* Any count of the file's modules may be wrong, by any amount. */
    bool unbounded;
    struct decode_module *current;
    /* Sums of what threads counted that were idle at the end. */
    struct reading_counts ARRAY_OF(int64_t) idle;
    /* How many of these threads counted after all. */
    uint64_t late;
    /* It has a trace, which is in the functions' file.trace. */
    bool traced;
};

/* Loads a shared library, by the path the run recorded; it is unknown (with the problem) when it is
 * not there or of another build. */
static struct decode_module *load_library(struct decoder *d, const char *path, const char *build_id)
{
    struct decode_module *m = ZALLOC(struct decode_module, 1);
    struct error error;
    struct buffer problem = {0};
    bool loaded = decode_module_load(m, path, d->options->debug_paths, &error);
    if (!loaded)
        buffer_addf(&problem, "%s (%s)", path, error.text);
    else if (*build_id && strcmp(m->build_id, build_id))
        buffer_addf(&problem, "%s (the run used build %s, the file is now build %s)", path, build_id,
                    *m->build_id ? m->build_id : "(none)");
    else if (!m->known)
        buffer_addf(&problem,
                    "%s (it holds no map: it was stripped, and no unstripped copy of build %s was found)",
                    path, build_id);
    if (problem.length) {
        decode_module_release(m);
        decode_module_init(m, path, build_id);
        m->known = false;
        m->problem = memory_string(buffer_text(&problem));
    }
    buffer_release(&problem);
    ARRAY_PUSH(&d->modules, m);
    return m;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool refuse_build(const struct decoder *d, const struct data_file *data, struct error *error)
{
    char id[DATA_BUILD_ID_TEXT];
    data_module_build_id(&data->modules.items[0], id);
    bool again = !strcmp(data->header.program, base_name(d->program));
    return error_set(error, "is data of another build: %s%s of '%s', but '%s' is build %s%s",
                     *id ? "build " : "a build without id", id, data->header.program, d->program,
                     *d->build_id ? d->build_id : "(none)",
                     again ? ": it was built again since, or is another copy" : "");
}

/* Is this module of the file the program that was named? Without build ids the keys of the counters
 * decide, later. */
static bool is_program(const struct decoder *d, const struct data_module *m, const char *build_id)
{
    if (*build_id)
        return !strcmp(build_id, d->build_id);
    return !strncmp(d->build_id, "map:", 4) && !strcmp(base_name(m->path), base_name(d->program));
}

/* Finds the decoder's module for each module of the file, or reads it. */
static bool match_modules(struct reading *r, struct error *error)
{
    struct decoder *d = r->decoder;
    bool ours = false;
    for (size_t i = 0; i < r->data.modules.count; i++) {
        const struct data_module *m = &r->data.modules.items[i];
        char id[DATA_BUILD_ID_TEXT];
        data_module_build_id(m, id);
        if (m->state == 2 && is_program(d, m, id))
            ours = true;
    }
    if (!ours && !d->modules.items[0]->known)
        ours = data_file_is_of_libraries(&r->data, base_name(d->program));
    if (!ours)
        return refuse_build(d, &r->data, error);
    for (size_t i = 0; i < r->data.modules.count; i++) {
        const struct data_module *m = &r->data.modules.items[i];
        char id[DATA_BUILD_ID_TEXT];
        data_module_build_id(m, id);
        if (m->state != 2 || !m->block_length)
            continue;
        struct decode_module *module =
            is_program(d, m, id) ? d->modules.items[0] : decoder_find_module(d, id, m->path);
        if (!module)
            module = load_library(d, m->path, id);
        if (!module->known && module == d->modules.items[0])
            return error_set(error, "cannot be read without the map of '%s', which was stripped", d->program);
        r->module_of[i] = module;
    }
    return true;
}

static void touch(void *context, struct decode_function *f)
{
    struct reading *r = context;
    if (f->file.touched)
        return;
    f->file.touched = true;
    ARRAY_PUSH(&r->touched, f);
    file_counts_allocate(f);
}

/* The place of the counters of an array. */
static int64_t *place(void *context, uint64_t key, uint64_t count, struct error *error)
{
    static int64_t none;
    struct reading *r = context;
    struct decode_function *f = decode_module_find(r->current, key);
    struct decode_final *final = f ? NULL : decode_module_final(r->current, key);
    if (final && final->counter_count == count) {
        decode_final_touch(final);
        return final->counters;
    }
    if (!f && r->current->map_damaged) {
        struct decode_module *m = r->current;
        if (m->sink_count < count) {
            RESIZE(m->sink, count);
            memset(m->sink + m->sink_count, 0, (count - m->sink_count) * sizeof *m->sink);
            m->sink_count = count;
        }
        return count ? m->sink : &none;
    }
    if (final) {
        error_set(error, "is damaged: %llu counters of a final function, which has %u",
                  (unsigned long long)count, final->counter_count);
        return NULL;
    }
    if (!f) {
        error_set(error,
                  "does not belong to '%s' (build %s): it counts a function that the map does not know",
                  r->current->path, r->current->build_id);
        return NULL;
    }
    if (f->counter_count != count) {
        error_set(error, "is damaged: %llu counters of function '%s', which has %u",
                  (unsigned long long)count, f->map.name, f->counter_count);
        return NULL;
    }
    touch(r, f);
    return f->file.counters;
}

/* Adds up all arrays of one slot: counts are not negative, so the sums are 0 only if all counts
 * are. */
static int64_t *place_idle(void *context, uint64_t key, uint64_t count, struct error *error)
{
    struct reading *r = context;
    (void)key, (void)error;
    while (r->idle.count <= count)
        ARRAY_PUSH(&r->idle, 0);
    return r->idle.items;
}

/* Did a thread count after its process had looked, for the last time, whether it had? */
static bool look_at_idle(struct reading *r, const struct data_slot *slot, struct error *error)
{
    if (!slot->idle || DATA_OWNER_STATE(slot->owner) != DATA_CLEAN)
        return true;
    r->idle.count = 0;
    if (!data_add_block(&r->data, slot, place_idle, r, error))
        return false;
    bool counted = false;
    for (size_t i = 0; i < r->idle.count; i++)
        counted |= r->idle.items[i] != 0;
    r->late += counted;
    return true;
}

static void list_module(struct reading *r, struct decode_module *m)
{
    for (size_t i = 0; i < r->modules.count; i++)
        if (r->modules.items[i] == m)
            return;
    ARRAY_PUSH(&r->modules, m);
}

static bool read_blocks(struct reading *r, struct error *error)
{
    for (size_t i = 0; i < r->data.slots.count; i++) {
        const struct data_slot *slot = &r->data.slots.items[i];
        struct decode_module *m = r->module_of[slot->module];
        if (DATA_OWNER_STATE(slot->owner) == DATA_CLAIMED)
            continue;
        if (!data_check_block(&r->data, slot, error))
            return false;
        if (!m || !m->known)
            continue;
        list_module(r, m);
        r->current = m;
        if (!look_at_idle(r, slot, error) || !data_add_block(&r->data, slot, place, r, error))
            return false;
    }
    return true;
}

static void doubt_function(void *context, struct decode_function *f, int64_t error)
{
    struct reading *r = context;
    r->doubted = f->file.doubted = true;
    f->file.error = error_plus(f->file.error, error);
}

static void doubt(void *context, const struct decode_module *m, struct decode_function *f, int64_t error)
{
    struct reading *r = context;
    if (!f) {
        r->unbounded = true;
        profile_add_cause(r->verdict, CAUSE_PLACE, 1, m->path);
        return;
    }
    if (f->set == SET_NONE)
        return;
    profile_add_cause(r->verdict, CAUSE_PLACE, 1, f->map.name);
    doubt_function(r, f, error);
    /* The frame may stand in any block, even behind counters that it has yet to increment. */
    memset(may_have_run(f), 1, f->map.graph.vertex_count * sizeof(bool));
}

/* A frame count names an ELF file; the counters of that file may be in another entry of the
 * list. */
static struct decode_module *module_of_frame_count(const struct reading *r, uint32_t number)
{
    const struct data_module *m = &r->data.modules.items[number];
    if (r->module_of[number])
        return r->module_of[number];
    for (size_t i = 0; i < r->data.modules.count; i++) {
        const struct data_module *other = &r->data.modules.items[i];
        if (r->module_of[i] && other->build_id_size == m->build_id_size &&
            !memcmp(other->build_id, m->build_id, m->build_id_size) && !strcmp(other->path, m->path))
            return r->module_of[i];
    }
    return NULL;
}

/* Applies the frame counts: activations that were cut or resumed in the middle of functions. They
 * are used if all of them were recorded. */
static bool read_frame_counts(struct reading *r, struct error *error)
{
    if (!(r->data.header.flags & DATA_FLAG_FRAMES))
        return true;
    const struct frames frames = {
        .debug_paths = r->decoder->options->debug_paths, .context = r, .touch = touch, .doubt = doubt};
    for (size_t i = 0; i < r->data.frame_counts.count; i++) {
        const struct data_frame_count *e = &r->data.frame_counts.items[i];
        struct decode_module *m = module_of_frame_count(r, DATA_FRAME_MODULE(e->kind_and_address));
        if (!m || !m->known)
            continue; /* nothing of it is counted, or all of it is left out */
        list_module(r, m);
        if (!frames_apply(&frames, m, DATA_FRAME_KIND(e->kind_and_address),
                          DATA_FRAME_ADDRESS(e->kind_and_address), (int64_t)e->count))
            return error_set(error, "is damaged: a frame count of kind %u",
                             DATA_FRAME_KIND(e->kind_and_address));
    }
    return true;
}

/* Hands the counts of final functions to the functions in them. */
static void spread_finals(struct reading *r)
{
    for (size_t i = 0; i < r->modules.count; i++)
        finals_spread(r->modules.items[i], touch, r);
}

static void doubt_moved(struct reading *r)
{
    for (size_t i = 0; i < r->touched.count; i++) {
        struct decode_function *f = r->touched.items[i];
        int64_t wrong = moved_error(f);
        if (wrong && f->set != SET_NONE) {
            profile_add_cause(r->verdict, CAUSE_LOOP, 1, f->map.name);
            doubt_function(r, f, wrong);
        }
    }
}

/* Adds causes for counts that could not be read, for want of a map. */
static void add_left_out(const struct reading *r, struct profile *verdict)
{
    for (size_t i = 0; i < r->data.modules.count; i++) {
        const struct decode_module *m = r->module_of[i];
        if (m && !m->known)
            profile_add_cause(verdict, CAUSE_LEFT_OUT, r->data.header.runs_started, m->problem);
        else if (m && m->map_damaged)
            profile_add_cause(verdict, CAUSE_MAP, r->data.header.runs_started, m->path);
    }
}

/*
 * Finds the ways of paths that did not end in this file. Each file is looked at by itself: of what
 * many runs did together less is certain. exact: nothing of the function is in doubt here.
 */
static void add_ways(struct reading *r, struct decode_function *f, bool exact)
{
    const struct plan *plan = map_path_plan(&f->map);
    struct paths paths;
    if (!plan || f->set == SET_NONE || !f->file.frames.count || !paths_init(&paths, &f->map))
        return;
    int64_t *gains = ALLOC(int64_t, f->map.graph.vertex_count);
    profile_frames_gains(&f->file.frames, &f->map.graph, gains);
    struct solved s = solver_solve(&f->solver, &r->decoder->room, &f->map, f->set, f->file.counters,
                                   f->file.entries, &f->file.frames, gains);
    struct profile_function one = {.map = f->map,
                                   .counted = true,
                                   .exact = exact && s.result == FLOW_OK,
                                   .has_edges = s.has_edges,
                                   .edge_counts = s.edge_counts,
                                   .path_counts = ALLOC(int64_t, (size_t)plan->path_count + 1),
                                   .frames = f->file.frames};
    paths_read(&f->map, paths_counters(&f->map, f->file.counters), one.path_counts);
    /* A frame below 0 was taken back in another file than it was counted in. */
    for (size_t i = 0; i < one.frames.count; i++)
        f->file.unended.missing |= one.frames.items[i].cuts < 0;
    cut_paths_find(&f->file.unended.ways, &paths, &one);
    f->file.unended.counted = ZALLOC(int64_t, (size_t)plan->path_count + 1);
    early_ends_find(&f->file.unended.ways, f->file.unended.counted, &paths, &one);
    free(one.path_counts);
    free(gains);
    paths_release(&paths);
}

static uint64_t runs_of(const struct profile *verdict, enum profile_cause cause)
{
    for (size_t i = 0; i < verdict->causes.count; i++)
        if (verdict->causes.items[i].cause == cause)
            return verdict->causes.items[i].runs;
    return 0;
}

/* Were frames left that are not recorded, as flags say, or counts? They may have stood anywhere: in
 * calls, where a signal handler made its thread go on elsewhere, or where a child that shared the
 * memory failed. */
static bool are_frames_lost(const struct reading *r)
{
    return r->data.header.flags & DATA_FLAG_FRAMES_LOST || runs_of(r->verdict, CAUSE_FRAMES_LOST) ||
           runs_of(r->verdict, CAUSE_MAIN);
}

/* Finds what is certain of the counts, where they are not exact. */
static void find_least(const struct reading *r, bool all)
{
    const struct data_header *h = &r->data.header;
    for (size_t i = 0; i < r->modules.count; i++)
        finals_suppose(r->modules.items[i]);
    bool recorded = h->flags & DATA_FLAG_FRAMES;
    uint32_t torn = DATA_FLAG_RESET | DATA_FLAG_RAW_FORK | DATA_FLAG_NO_THREAD_HOOKS;
    int64_t threads = 0;
    for (size_t i = 0; i < r->data.slots.count; i++)
        threads += DATA_OWNER_STATE(r->data.slots.items[i].owner) == DATA_USED;
    const struct least_file file = {
        .modules = r->modules.items,
        .module_count = r->modules.count,
        .whole = !are_frames_lost(r) && !(h->flags & (recorded ? torn : torn | DATA_FLAG_FORKED)),
        .forked = h->flags & (DATA_FLAG_FORKED | DATA_FLAG_RAW_FORK),
        .returns = recorded && !runs_of(r->verdict, CAUSE_RUNNING),
        .all = all,
        .interrupted = recorded && !(h->flags & DATA_FLAG_NESTED) && !are_frames_lost(r)
                           ? error_plus(error_times(threads, 1 + __builtin_popcountll(h->handled)),
                                        judge_interrupted(&r->data))
                           : MAX_ERROR_UNKNOWN,
        .room = &r->decoder->room,
        .debug_paths = r->decoder->options->debug_paths};
    least_add_file(&file);
}

/* The process of the file; of several in a pool, the one that was cut short, if only one was. */
static uint64_t process_of(const struct data_file *data)
{
    uint64_t pid = 0;
    if (!(data->header.flags & DATA_FLAG_POOL))
        return data->header.pid;
    for (size_t i = 0; i < data->slots.count; i++) {
        uint64_t owner = data->slots.items[i].owner;
        if (DATA_OWNER_STATE(owner) != DATA_USED)
            continue;
        if (pid && pid != DATA_OWNER_PID(owner))
            return 0;
        pid = DATA_OWNER_PID(owner);
    }
    return pid;
}

/* The file is good: finds the last facts about its functions, and adds its causes to the sums. The
 * counts join the totals in end_transaction. */
static void conclude(struct reading *r, const struct judgement *judgement)
{
    struct decoder *d = r->decoder;
    const struct profile *verdict = r->verdict;
    if (judgement->unbounded || r->doubted)
        find_least(r, judgement->unbounded);
    for (size_t i = 0; i < r->touched.count; i++) {
        struct decode_function *f = r->touched.items[i];
        add_ways(r, f,
                 !judgement->unbounded && !f->file.unsure && !f->file.error && !f->derived.entries_unknown);
    }
    d->traced |= r->traced;
    if (verdict->causes.count) {
        char *why = profile_causes_text(verdict);
        profile_files_add(&d->sums.inexact_files, d->path, process_of(&r->data), why);
        free(why);
    }
    d->sums.runs += verdict->runs;
    profile_add_run_name(&d->sums, r->data.header.run, 1);
    for (size_t i = 0; i < verdict->causes.count; i++) {
        const struct profile_cause_entry *c = &verdict->causes.items[i];
        profile_add_cause(&d->sums, c->cause, c->runs, c->where);
    }
    r->unbounded = judgement->unbounded;
    for (size_t i = 0; i < r->modules.count; i++) {
        r->modules.items[i]->resumed_anywhere |= r->data.header.flags & DATA_FLAG_RESET;
        r->modules.items[i]->trace_lost |= runs_of(verdict, CAUSE_TRACE) > 0;
    }
    if (judgement->unbounded) {
        for (size_t i = 0; i < r->modules.count; i++)
            r->modules.items[i]->inexact = true;
        d->main_error = error_plus(d->main_error, judgement->main_error);
    }
}

/* Does only the program's trace tell what main did? */
static bool is_traced(const struct decoder *d)
{
    for (size_t i = 0; i < d->modules.count; i++)
        for (size_t k = 0; k < d->modules.items[i]->functions.count; k++) {
            const struct decode_function *f = d->modules.items[i]->functions.items[k];
            if (f->map.flags & MAP_FUNCTION_MAIN && f->map.trace && f->set == SET_NONE)
                return true;
        }
    return false;
}

/* The trace gave this cause for `told` runs, and then the counters for the same runs: they count
 * once. */
static void say_once(struct profile *verdict, enum profile_cause cause, uint64_t told)
{
    for (size_t i = 0; i < verdict->causes.count; i++)
        if (verdict->causes.items[i].cause == cause) {
            uint64_t again = verdict->causes.items[i].runs - told;
            verdict->causes.items[i].runs = told > again ? told : again;
        }
}

/* The traced function that ran before the runtime did, if it is known. */
static const char *early_function(const struct reading *r)
{
    uint64_t id = r->data.header.early;
    for (size_t i = 0; id && i < r->decoder->modules.count; i++)
        for (size_t k = 0; k < r->decoder->modules.items[i]->functions.count; k++) {
            const struct map_function *f = &r->decoder->modules.items[i]->functions.items[k]->map;
            if (f->trace && f->trace->id == id)
                return f->name;
        }
    return NULL;
}

/* Adds what else the runtime noted of a trace: two processes wrote it, or some code ran before it
 * began. Where there are counters, too, their judge says the same. */
static bool add_noted(struct reading *r)
{
    static const struct {
        uint32_t flag;
        enum profile_cause cause;
    } noted[] = {{DATA_FLAG_RAW_FORK, CAUSE_RAW_FORK}, {DATA_FLAG_EARLY, CAUSE_EARLY}};
    bool any = false;
    for (size_t i = 0; i < sizeof noted / sizeof *noted; i++)
        if (r->data.header.flags & noted[i].flag) {
            profile_add_cause(r->verdict, noted[i].cause, 1,
                              noted[i].cause == CAUSE_EARLY ? early_function(r) : NULL);
            any = true;
        }
    return any;
}

static void list_all_modules(struct reading *r)
{
    for (size_t i = 0; i < r->decoder->modules.count; i++)
        list_module(r, r->decoder->modules.items[i]);
}

/* Fills file.trace of the functions, if there is a trace, and adds causes for what it lacks. */
static bool read_trace(struct reading *r, struct judgement *judgement, struct error *error)
{
    const struct data_header *h = &r->data.header;
    if (!trace_profile_add(r->decoder, r->decoder->path, &r->data, r->verdict, &r->traced,
                           &judgement->unbounded, error))
        return false;
    if (h->flags & DATA_FLAG_TRACE_UNKEPT) {
        profile_add_cause(r->verdict, CAUSE_TRACE, 1,
                          r->traced ? "what ran when the program had ended is not kept"
                                    : "that of a library, in a program that is not traced itself");
        judgement->unbounded |= r->traced; /* counters are not touched by that */
    }
    if (h->flags & DATA_FLAG_TRACE_APART) {
        profile_add_cause(
            r->verdict, CAUSE_TRACE, 1,
            "that of a library loaded with RTLD_DEEPBIND or dlmopen, or linked with -Bsymbolic, which has a "
            "runtime of its own");
        judgement->unbounded |= r->traced;
    }
    /* There is neither a trace nor a counter: zeros would not be counts. A child of fork that ran no traced
     * code has none. */
    bool forked = h->flags & DATA_FLAG_FORKED && h->runs_started == 1;
    if (!r->traced && !r->touched.count &&
        (h->flags & DATA_FLAG_TRACED || (is_traced(r->decoder) && !forked))) {
        profile_add_cause(r->verdict, CAUSE_TRACE, 1, trace_file_missing(h));
        judgement->unbounded = true;
        list_all_modules(r);
    }
    return true;
}

/* modules: so many of the list have counters. */
static bool judge_counters(struct reading *r, size_t modules, struct judgement *judgement,
                           struct error *error)
{
    const struct judge_file file = {.data = &r->data,
                                    .modules = r->modules.items,
                                    .module_count = modules,
                                    .module_of = r->module_of,
                                    .debug_paths = r->decoder->options->debug_paths,
                                    .touched = r->touched.items,
                                    .late_threads = r->late,
                                    .touched_count = r->touched.count,
                                    .room = &r->decoder->room,
                                    .context = r,
                                    .doubt = doubt_function};
    static const enum profile_cause both[] = {CAUSE_KILLED, CAUSE_RUNNING, CAUSE_THREADS};
    uint64_t told[3];
    for (int i = 0; i < 3; i++)
        told[i] = runs_of(r->verdict, both[i]);
    if (!judge(&file, r->verdict, judgement, error))
        return false;
    for (int i = 0; i < 3; i++)
        say_once(r->verdict, both[i], told[i]);
    return true;
}

/* Every copy counts what was not built for parts. */
static bool are_in_parts(const struct reading *r, struct error *error)
{
    for (size_t i = 0; data_is_joined(&r->data.header) && i < r->touched.count; i++)
        if (!(r->touched.items[i]->map.flags & MAP_FUNCTION_IN_PARTS))
            return error_set(
                error,
                "cannot be united: '%s' was compiled without -fcotree-parts, so every copy counted "
                "all that it did",
                r->touched.items[i]->map.name);
    return true;
}

static bool add(struct reading *r, struct error *error)
{
    if (!match_modules(r, error) || !read_blocks(r, error) || !read_frame_counts(r, error))
        return false;
    spread_finals(r);
    if (!are_in_parts(r, error))
        return false;
    doubt_moved(r);
    size_t modules = r->modules.count;
    struct judgement judgement = {.unbounded = r->unbounded};
    /* A pool may be in use: what is judged must be what was read. */
    if (data_file_changed(&r->data)) {
        profile_add_cause(r->verdict, CAUSE_RUNNING, 1, NULL);
        judgement.unbounded = true;
    }
    size_t before = r->verdict->causes.count;
    add_left_out(r, r->verdict);
    judgement.unbounded |= r->verdict->causes.count > before;
    if (!read_trace(r, &judgement, error))
        return false;
    if (!r->touched.count && (r->traced || r->data.header.flags & DATA_FLAG_TRACED)) {
        /* There are no counters: the trace says all. */
        r->verdict->runs += r->data.header.runs_started;
        judgement.unbounded |= add_noted(r);
        list_all_modules(r);
    } else if (!judge_counters(r, modules, &judgement, error)) {
        return false;
    }
    conclude(r, &judgement);
    return true;
}

/*
 * What the file filled in functions joins the totals, or goes away with everything that only this
 * file asked for.
 */
static void end_transaction(struct decoder *d, bool good, enum file_trust trust, size_t modules_before)
{
    while (!good && d->modules.count > modules_before) {
        struct decode_module *m = d->modules.items[--d->modules.count];
        decode_module_release(m);
        free(m);
    }
    for (size_t i = 0; i < d->modules.count; i++) {
        finals_drop(d->modules.items[i]);
        for (size_t k = 0; k < d->modules.items[i]->functions.count; k++) {
            struct decode_function *f = d->modules.items[i]->functions.items[k];
            if (good)
                file_counts_commit(f, trust);
            else
                file_counts_drop(f);
        }
    }
}

/* A part by itself is no profile: what it lacks others counted. */
static bool refuse_part(const struct data_header *h, struct error *error)
{
    enum { NAMED = 9 };
    struct buffer others = {0};
    for (uint32_t i = 1; i <= h->parts && h->parts <= NAMED; i++)
        if (i != h->part)
            buffer_addf(&others, "%s %u", others.length ? "," : h->parts > 2 ? "parts" : "part", i);
    error_set(
        error,
        "is part %u of %u of a run, and says nothing without %s: 'cotree merge --unite' puts them together",
        h->part, h->parts, others.length ? buffer_text(&others) : "the others");
    buffer_release(&others);
    return false;
}

bool decoder_add_run_file(struct decoder *d, int fd, struct error *error)
{
    struct reading r = {.decoder = d};
    if (!data_file_read(&r.data, fd, error))
        return false;
    if (data_is_part(&r.data.header)) {
        refuse_part(&r.data.header, error);
        data_file_release(&r.data);
        return false;
    }
    if (!d->program) {
        error_set(error, "is a run file: name the program that it is of, '%s', before it",
                  r.data.header.program);
        data_file_release(&r.data);
        return false;
    }
    r.module_of = ZALLOC(struct decode_module *, r.data.modules.count);
    struct profile verdict = {0};
    r.verdict = &verdict;
    size_t modules_before = d->modules.count;
    bool ok = add(&r, error);
    profile_release(&verdict);
    enum file_trust trust = r.unbounded ? FILE_UNBOUNDED : r.doubted ? FILE_DOUBTED : FILE_EXACT;
    end_transaction(d, ok, trust, modules_before);
    free(r.module_of);
    ARRAY_RELEASE(&r.modules);
    ARRAY_RELEASE(&r.touched);
    ARRAY_RELEASE(&r.idle);
    data_file_release(&r.data);
    return ok;
}
