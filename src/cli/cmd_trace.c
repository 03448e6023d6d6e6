/* `cotree trace`: shows what a program did, in order. */
#include "base/error.h"
#include "base/progress.h"
#include "cli/commands.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/search.h"
#include "cli/shared_options.h"
#include "cli/unused_patterns.h"
#include "decode/profile/inputs.h"
#include "decode/trace/modules.h"
#include "follow/pack.h"
#include "report/report.h"
#include "report/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct command_about about = {
    .name = "trace",
    .usages = {"[OPTION...] PROG DATA...", "--compare [OPTION...] PROG DATA DATA", "--pack DATA..."},
    .text =
        "Regenerates the exact sequence of blocks that each thread of a program executed (-fcotree=trace).\n"
        "Without an option: how much of it there is, and how each thread ended.\n",
    .cannot = "cannot (control never came there; the traces differ)",
    .skipped = "done, but some inputs were skipped or a part is lost",
};

struct request {
    bool list, compare, pack, addresses, help, no_source;
    const char *find, *from, *to, *follow;
    const struct trace_format *format;
    size_t last, thread;
    struct report_filter filter;
    struct view_options view;
    struct input_words words;
};

/* A data file with its modules. */
struct opened {
    struct trace_file file;
    struct data_file data;
    struct trace_modules modules;
};

static bool parse_export(void *target, const char *word, struct error *error)
{
    const struct trace_format **format = target;
    *format = trace_format_by_name(word);
    return *format
               ? true
               : error_set(error, "--export is jsonl, callgrind, folded, perfetto or blocks, not '%s'", word);
}

static bool is_position(const char *place)
{
    return place && *place && !place[strspn(place, "0123456789")];
}

/* Refuses options that cannot be had together. */
static bool check_options(const struct request *q, struct error *error)
{
    if (q->pack && (q->list || q->find || q->compare || q->format))
        return error_set(error,
                         "--pack shows nothing: it cannot be had with --list, --find, --compare or --export");
    if (q->thread > UINT32_MAX)
        return error_set(error, "--thread is the number of a thread, not %zu", q->thread);
    if (q->pack)
        return true;
    if (q->list + (q->find != NULL) + q->compare + (q->format != NULL) > 1)
        return error_set(error, "only one of --list, --find, --compare and --export can be shown at a time");
    if ((q->from || q->to || q->last) && !q->list && !q->find && !q->format)
        return error_set(error, "--from, --to and --last need --list, --find or --export");
    if (is_position(q->from) && is_position(q->to) && strtoull(q->to, NULL, 10) < strtoull(q->from, NULL, 10))
        return error_set(error, "--to=%s is before --from=%s", q->to, q->from);
    if (!filter_is_empty(&q->filter) && !q->list)
        return error_set(error, "--function, --file, --exclude-function and --exclude-file need --list");
    if (q->addresses && !q->list &&
        (!q->format || (strcmp(q->format->name, "jsonl") && strcmp(q->format->name, "blocks"))))
        return error_set(error, "--addresses needs --list, --export=jsonl or --export=blocks");
    return true;
}

/* One word that is no program. */
static bool explain_word(const char *word, struct error *error)
{
    struct stat st;
    if (stat(word, &st) != 0)
        return error_set(error, "'%s': cannot open: %s", word, strerror(errno));
    return error_set(error, "no program given: '%s' is %s; name the program before it", word,
                     S_ISDIR(st.st_mode) ? "a directory" : "none");
}

/* Finds the program and its data. If no word is a program, the first one was meant to be: opening
 * it will fail, with the reason. */
static bool take_words(struct request *q, char **words, size_t count, struct error *error)
{
    if (q->pack)
        return count || error_set(error, "no data given: cotree trace --pack DATA...");
    if (!count)
        return error_set(error, "no program given: cotree trace PROG DATA...");
    if (!input_split(&q->words, words, count, error))
        return false;
    if (!q->words.program && count == 1)
        return explain_word(words[0], error);
    if (!q->words.program) {
        q->words.program = q->words.data[0];
        memmove(q->words.data, q->words.data + 1, --q->words.count * sizeof *q->words.data);
    }
    const char *program = q->words.program;
    return q->words.count ||
           error_set(error,
                     "no data for '%s': run it, then name what it left ('COTREE=verbose %s%s' says where)",
                     program, strchr(program, '/') ? "" : "./", program);
}

static bool parse(struct request *q, int argc, char **argv, struct error *error)
{
    *q = (struct request){0};
    const struct command_option options[] = {
        {.heading = "What to show"},
        {"list", .flag = &q->list,
         .help = "the way control went: calls and lines, indented; repeats as x 1000"},
        {"find", .word = &q->find, .value = "PLACE",
         .help = "where a function or line ran: positions; or what ran at a position"},
        {"compare", .flag = &q->compare, .help = "the first place where two traces of one program differ"},
        {"export", .parse = parse_export, .target = &q->format, .value = "FORMAT",
         .help = "jsonl: a line a step; folded, callgrind: call trees; perfetto: a timeline;\n"
                 "blocks: a line a block: the function's trace id and the block's number.\n"
                 "Time is the number of blocks executed before"},
        {"pack", .flag = &q->pack,
         .help = "nothing: pack the events files (DATA-events) into the data files"},
        {.heading =
             "Which part of it; a PLACE is FILE:LINE, a FUNCTION, or a POSITION (blocks executed before)"},
        {"from", .word = &q->from, .value = "PLACE", .help = "from the first time control is there"},
        {"to", .word = &q->to, .value = "PLACE", .help = "to the first time it is there after that"},
        {"last", .count = &q->last, .value = "N", .help = "the last N blocks of that"},
        {"thread", .count = &q->thread, .value = "N", .help = "only this thread"},
        {"addresses", .flag = &q->addresses,
         .help = "also the loads and stores, with --list and --export=jsonl or blocks"},
        {.heading = "What of it is listed, with --list"},
        FILTER_OPTIONS(&q->filter),
        {.heading = "How to show it"},
        {"no-source", .flag = &q->no_source, .help = "lines by number only"},
        VIEW_OPTIONS(&q->view),
        {"follow", .word = &q->follow}, /* the runtime starts the follower by it */
        {0},
    };
    if (!options_parse(&about, options, argc, argv, &q->help, error))
        return false;
    if (q->help || q->follow)
        return true;
    return check_options(q, error) && take_words(q, argv + optind, (size_t)(argc - optind), error) &&
           view_options_finish(&q->view, error);
}

static bool open_trace(struct opened *o, const struct request *q, const char *path, struct error *error)
{
    uint32_t kind;
    uint64_t size;
    *o = (struct opened){.data.fd = -1};
    if (!trace_file_open(&o->file, path, error))
        return false;
    int fd = data_open(path, &kind, &size, error);
    bool good = fd >= 0 && data_file_read(&o->data, fd, error);
    if (good &&
        !trace_modules_load(&o->modules, q->words.program, &o->data, q->view.debug_paths.items, error)) {
        data_file_release(&o->data);
        good = false;
    }
    if (!good)
        trace_file_close(&o->file);
    return good;
}

static void close_trace(struct opened *o)
{
    trace_modules_release(&o->modules);
    data_file_release(&o->data);
    trace_file_close(&o->file);
}

static void make_view(struct trace_view *v, const struct request *q, const struct opened *o, FILE *out)
{
    trace_view_init(v, &o->modules.program, q->view.no_demangle);
    v->source_maps = &q->view.source_maps;
    v->color = q->view.color;
    v->no_source = q->no_source;
    v->addresses = q->addresses;
    v->last = q->last;
    v->out = out;
}

static bool set_choices(struct trace_view *v, const struct request *q, struct error *error)
{
    return (!q->from || trace_spot_set(&v->from, v, q->from, error)) &&
           (!q->to || trace_spot_set(&v->to, v, q->to, error)) &&
           (!q->find || trace_spot_set(&v->find, v, q->find, error)) &&
           (filter_is_empty(&q->filter) || trace_view_filter(v, &q->filter, error));
}

/* ---- Steps ---- */

static bool records_addresses(const struct opened *o)
{
    for (size_t i = 0; i < o->modules.program.count; i++)
        if (o->modules.program.maps[i]->trace->accesses)
            return true;
    return false;
}

/* Whether something is missing that no walk comes across: damaged lists of chunks, and events that
 * there was no room for. */
static bool is_incomplete(const struct trace_file *file)
{
    return file->chunks.damaged || file->unkept || file->untraced;
}

/* Progress is shown only if the answer goes to a file. On a terminal its line would be in the way
 * of the answer, or of the pager. */
static bool may_show_progress(const struct request *q, FILE *out)
{
    struct stat st;
    return q->view.output || (fstat(fileno(out), &st) == 0 && S_ISREG(st.st_mode));
}

/* What was found of the things that were asked for, in all streams together. */
struct met {
    bool complete, from, to, shown;
    bool left; /* the reader of the output is gone */
    struct unused_patterns unused;
};

/* Windows are cut out of what one thread wrote. Without a window a stream is shown as it is. */
static void find_turns(const struct request *q, struct trace_turns *turns, struct trace_walk *walk)
{
    turns->count = 0;
    if (q->from || q->to || q->last || q->thread)
        trace_turns_find(turns, walk);
    else
        ARRAY_PUSH(turns, ((struct trace_turn){.end = UINT64_MAX}));
}

static bool show(const struct request *q, const struct opened *o, const struct trace_format *format,
                 FILE *out, struct error *error, struct met *met)
{
    struct trace_view v;
    if (q->addresses && !records_addresses(o))
        return error_set(error, "'%s' records no addresses: build with -fcotree-trace=addresses",
                         q->words.program);
    make_view(&v, q, o, out);
    for (size_t i = 0; i < o->modules.program.count; i++)
        unused_patterns_try(&met->unused, o->modules.program.maps[i]);
    if (!set_choices(&v, q, error)) {
        trace_view_release(&v);
        return false;
    }
    struct progress progress = progress_start("regenerating", trace_all_events(&o->file));
    if (may_show_progress(q, out))
        v.progress = &progress;
    void *memory = q->find ? NULL : format->begin(&v);
    struct trace_turns turns = {0};
    for (size_t i = 0; i < o->file.parts.count; i++) {
        struct trace_walk walk = {.file = &o->file,
                                  .part = &o->file.parts.items[i],
                                  .program = o->modules.replay,
                                  .resolver = &o->modules.resolver};
        find_turns(q, &turns, &walk);
        for (size_t k = 0; k < turns.count && !trace_reader_left(&v); k++) {
            if (q->thread && turns.items[k].thread != q->thread)
                continue;
            const struct trace_window window =
                q->find ? trace_find_stream(&v, &walk, &turns.items[k])
                        : trace_show_stream(&v, format, memory, &walk, &turns.items[k]);
            met->complete &= !window.lost && (q->find || !walk.lost);
            met->from |= window.reaches_from;
            met->to |= window.reaches_from && window.reaches_to;
            met->shown |= window.shown;
        }
    }
    ARRAY_RELEASE(&turns);
    met->complete &= !is_incomplete(&o->file);
    met->left = trace_reader_left(&v);
    if (memory)
        format->end(memory);
    progress_end(&progress);
    trace_view_release(&v);
    return true;
}

/* ---- Comparison ---- */

static void put_side(FILE *out, const struct trace_view *v, const struct opened *o,
                     const struct trace_step *s, bool ended)
{
    char *name = printable(o->file.path);
    fprintf(out, "  %s: ", name);
    free(name);
    if (ended || s->kind == TRACE_STEP_GONE) {
        fprintf(out, "ends\n");
        return;
    }
    uint32_t line;
    const char *file = trace_block_shown(v->program->maps[s->function], s->block, &line);
    char *path = source_shown_path(file ? file : "?");
    fprintf(out, "%s %s, %s:%" PRIu32 " (block %" PRIu32 ")\n",
            s->kind == REPLAY_LEAVE                                     ? "returns from"
            : s->kind == REPLAY_ENTER || s->kind == REPLAY_ENTER_CALLED ? "enters"
                                                                        : "goes on in",
            v->names[s->function], path, line, s->block);
    free(path);
}

struct sequences {
    struct ARRAY_OF(struct trace_sequence) items; /* by thread, then by signal */
};

static void release_sequences(struct sequences *s)
{
    for (size_t i = 0; i < s->items.count; i++) {
        ARRAY_RELEASE(&s->items.items[i].walks);
        ARRAY_RELEASE(&s->items.items[i].turns);
    }
    ARRAY_RELEASE(&s->items);
}

static const struct trace_turn *first_turn(const struct trace_sequence *s)
{
    return &s->turns.items[0];
}

static int by_thread(const void *left, const void *right)
{
    const struct trace_turn *a = first_turn(left), *b = first_turn(right);
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return (a->signal > b->signal) - (a->signal < b->signal);
}

/* Collects what each thread and its handlers did, from all streams in which that is. */
static void find_sequences(struct sequences *s, const struct opened *o)
{
    struct trace_turns turns = {0};
    *s = (struct sequences){0};
    for (size_t i = 0; i < o->file.parts.count; i++) {
        struct trace_walk walk = {.file = &o->file,
                                  .part = &o->file.parts.items[i],
                                  .program = o->modules.replay,
                                  .resolver = &o->modules.resolver};
        trace_turns_find(&turns, &walk);
        for (size_t k = 0; k < turns.count; k++) {
            const struct trace_turn *turn = &turns.items[k];
            size_t at = 0;
            while (at < s->items.count && (first_turn(&s->items.items[at])->thread != turn->thread ||
                                           first_turn(&s->items.items[at])->signal != turn->signal))
                at++;
            if (at == s->items.count)
                ARRAY_PUSH(&s->items, ((struct trace_sequence){0}));
            ARRAY_PUSH(&s->items.items[at].walks, walk);
            ARRAY_PUSH(&s->items.items[at].turns, *turn);
        }
    }
    ARRAY_RELEASE(&turns);
    if (s->items.count)
        qsort(s->items.items, s->items.count, sizeof *s->items.items, by_thread);
}

/* Compares the k-th thread of one trace with the k-th of the other. Returns false if they
 * differ. */
static bool compare_threads(const struct trace_view *v, const struct opened *traces,
                            struct trace_sequence *const *pair)
{
    FILE *out = v->out;
    struct trace_difference d;
    struct trace_sequence copies[2] = {*pair[0], *pair[1]};
    fprintf(out, "thread %" PRIu32, first_turn(pair[0])->thread);
    if (first_turn(pair[0])->thread != first_turn(pair[1])->thread)
        fprintf(out, " / %" PRIu32, first_turn(pair[1])->thread);
    if (first_turn(pair[0])->signal)
        fprintf(out, ", handlers of signal %" PRIu32, first_turn(pair[0])->signal);
    if (!trace_compare(copies, &d)) {
        char blocks[COUNT_TEXT];
        fprintf(out, ": equal, %s blocks\n", count_text(blocks, (int64_t)d.blocks));
        return true;
    }
    fprintf(out, ": equal up to position %" PRIu64 ", then\n", d.position);
    for (int k = 0; k < 2; k++)
        put_side(out, v, &traces[k], &d.steps[k], d.ended[k]);
    return false;
}

static bool only_in(const struct trace_view *v, const struct opened *o, const struct trace_sequence *s)
{
    char *name = printable(o->file.path);
    fprintf(v->out, "only in %s: thread %" PRIu32, name, first_turn(s)->thread);
    if (first_turn(s)->signal)
        fprintf(v->out, ", handlers of signal %" PRIu32, first_turn(s)->signal);
    putc('\n', v->out);
    free(name);
    return false;
}

/* Returns where the sequences of the next thread begin. */
static size_t next_thread(const struct sequences *s, size_t at)
{
    uint32_t thread = first_turn(&s->items.items[at])->thread;
    while (at < s->items.count && first_turn(&s->items.items[at])->thread == thread)
        at++;
    return at;
}

static int compare(const struct request *q, const struct opened *traces, FILE *out)
{
    struct trace_view v;
    struct sequences s[2];
    size_t at[2] = {0, 0}, end[2];
    bool equal = true, lost = is_incomplete(&traces[0].file) || is_incomplete(&traces[1].file);
    make_view(&v, q, &traces[0], out);
    for (int k = 0; k < 2; k++)
        find_sequences(&s[k], &traces[k]);
    while (at[0] < s[0].items.count || at[1] < s[1].items.count) {
        for (int k = 0; k < 2; k++)
            end[k] = at[k] < s[k].items.count ? next_thread(&s[k], at[k]) : at[k];
        while (at[0] < end[0] || at[1] < end[1]) {
            struct trace_sequence *pair[2] = {at[0] < end[0] ? &s[0].items.items[at[0]] : NULL,
                                              at[1] < end[1] ? &s[1].items.items[at[1]] : NULL};
            int side = !pair[0]                                                    ? 1
                       : !pair[1]                                                  ? 0
                       : first_turn(pair[0])->signal < first_turn(pair[1])->signal ? 0
                       : first_turn(pair[0])->signal > first_turn(pair[1])->signal ? 1
                                                                                   : -1;
            equal &= side < 0 ? compare_threads(&v, traces, pair) : only_in(&v, &traces[side], pair[side]);
            at[0] += side != 1;
            at[1] += side != 0;
        }
    }
    for (int k = 0; k < 2; k++) {
        for (size_t i = 0; i < s[k].items.count; i++)
            for (size_t n = 0; n < s[k].items.items[i].walks.count; n++)
                lost |= s[k].items.items[i].walks.items[n].lost;
        release_sequences(&s[k]);
    }
    trace_view_release(&v);
    if (lost) {
        struct error error;
        error_set(&error, "a part of a trace is lost: `cotree trace` without options says what");
        options_fail("trace", &error, EXIT_SKIPPED);
    }
    return !equal ? EXIT_CANNOT : lost ? EXIT_SKIPPED : EXIT_OK;
}

/* ---- The command ---- */

static void say_problem(void *context, const char *path, const char *reason)
{
    struct error line;
    size_t *skipped = context;
    error_set(&line, "skipped '%s': %s", path, reason);
    fprintf(stderr, "cotree trace: %s\n", line.text);
    ++*skipped;
}

static int compare_words(const struct request *q, const struct input_list *inputs, FILE *out)
{
    struct error error;
    struct opened traces[2];
    if (inputs->count != 2) {
        error_set(&error, "--compare needs two data files, here are %zu", inputs->count);
        return options_fail("trace", &error, EXIT_USAGE);
    }
    for (int i = 0; i < 2; i++)
        if (!open_trace(&traces[i], q, inputs->items[i].path, &error)) {
            error_prefix(&error, "'%s'", inputs->items[i].path);
            if (i)
                close_trace(&traces[0]);
            return options_fail("trace", &error, EXIT_UNUSABLE);
        }
    int status = compare(q, traces, out);
    close_trace(&traces[0]);
    close_trace(&traces[1]);
    return status;
}

/* Says why nothing is shown, or more than was asked for. Returns false if nothing is. */
static bool say_unmet(const struct request *q, const struct met *met)
{
    struct error error;
    char where[64] = "";
    if (q->thread)
        snprintf(where, sizeof where, " in thread %zu", q->thread);
    const char *part = q->from || q->to || q->last ? " in that part" : "";
    if (q->from && !met->from)
        error_set(&error,
                  is_position(q->from) ? "the trace ends before position %s%s"
                                       : "control never came to '%s'%s",
                  q->from, where);
    else if (q->find && !met->shown)
        error_set(&error,
                  is_position(q->find) ? "no block has position %s%s%s" : "control never came to '%s'%s%s",
                  q->find, where, part);
    else if (q->thread && !met->shown)
        error_set(&error, "there is no thread %zu, or it executed no traced code%s", q->thread, part);
    else if (q->to && !met->to)
        error_set(&error,
                  is_position(q->to) ? "the trace ends before position %s%s: shown to its end"
                                     : "control never came to '%s'%s after that: shown to the end",
                  q->to, where);
    else
        return true;
    options_fail("trace", &error, EXIT_CANNOT);
    return met->shown;
}

static int show_files(const struct request *q, const struct input_list *inputs, size_t *skipped, FILE *out,
                      struct met *met)
{
    const struct trace_format *format = q->list ? &trace_format_list : q->format;
    struct error error;
    size_t used = 0;
    for (size_t i = 0; i < inputs->count && !met->left; i++) {
        struct opened o;
        if (!open_trace(&o, q, inputs->items[i].path, &error)) {
            say_problem(skipped, inputs->items[i].path, error.text);
            continue;
        }
        used++;
        bool good = true;
        if (format || q->find)
            good = show(q, &o, format, out, &error, met);
        else
            met->complete &= trace_summarize(&o.file, &o.modules, (uint32_t)q->thread, out, &met->shown);
        close_trace(&o);
        if (!good)
            return options_fail("trace", &error, EXIT_CANNOT);
    }
    if (!used) {
        bool found = false;
        for (size_t i = 0; i < inputs->count; i++)
            found |= access(inputs->items[i].path, F_OK) == 0;
        if (found)
            error_set(&error, "no usable trace: %s",
                      inputs->count == 1 ? "the one file was skipped" : "all files were skipped");
        else
            search_explain(&error, q->words.program, q->words.data, q->words.count);
        return options_fail("trace", &error, EXIT_UNUSABLE);
    }
    const bool shows = (format || q->find) && !met->left;
    if (shows && !met->complete) {
        error_set(&error, "a part of the trace is lost: `cotree trace` without options says what");
        options_fail("trace", &error, EXIT_SKIPPED);
    }
    if (shows && !say_unmet(q, met))
        return EXIT_CANNOT;
    if (q->thread && !met->shown) {
        error_set(&error, "there is no thread %zu", q->thread);
        return options_fail("trace", &error, EXIT_CANNOT);
    }
    return *skipped || !met->complete ? EXIT_SKIPPED : EXIT_OK;
}

static int show_words(const struct request *q, const struct input_list *inputs, size_t *skipped, FILE *out)
{
    struct met met = {.complete = true};
    unused_patterns_init(&met.unused, &q->filter);
    int status = show_files(q, inputs, skipped, out, &met);
    unused_patterns_say(&met.unused, "cotree trace");
    unused_patterns_release(&met.unused);
    return status;
}

static int trace_words(struct request *q)
{
    struct error error;
    if (!input_allow_output(&q->words, q->view.output, &error))
        return options_fail("trace", &error, EXIT_CANNOT);
    input_take_variant(&q->words, "cotree trace", q->view.debug_paths.items);
    struct output output;
    struct input_list inputs = {0};
    size_t skipped = 0;
    inputs_find(&inputs, (const char *const *)q->words.data, q->words.count, say_problem, &skipped);
    int status = EXIT_OK;
    if (!output_open(&output, q->view.output, !q->view.no_pager && (q->list || q->find), &error)) {
        status = options_fail("trace", &error, EXIT_CANNOT);
    } else {
        status = q->compare ? compare_words(q, &inputs, output.file)
                            : show_words(q, &inputs, &skipped, output.file);
        bool keep = status == EXIT_OK || status == EXIT_SKIPPED || q->compare;
        output_follow_reader(&output);
        if (!output_close(&output, keep, &error))
            status = options_fail("trace", &error, EXIT_CANNOT);
    }
    inputs_release(&inputs);
    return status;
}

/* Packs events files. A file that is packed already is no mistake. */
static int pack_words(int argc, char **argv)
{
    struct error error;
    struct input_list inputs = {0};
    size_t skipped = 0;
    inputs_find(&inputs, (const char *const *)argv + optind, (size_t)(argc - optind), say_problem, &skipped);
    for (size_t i = 0; i < inputs.count; i++) {
        struct trace_file file;
        bool good = trace_file_open(&file, inputs.items[i].path, &error);
        bool events = good && file.events.count > 0;
        if (good)
            trace_file_close(&file);
        if (!good || (events && !trace_pack(inputs.items[i].path, &error)))
            say_problem(&skipped, inputs.items[i].path, error.text);
    }
    bool none = skipped >= inputs.count;
    if (!inputs.count && !skipped) {
        error_set(&error, "nothing to pack: no run file *.cotree was found");
        options_fail("trace", &error, EXIT_UNUSABLE);
    }
    inputs_release(&inputs);
    return none ? EXIT_UNUSABLE : skipped ? EXIT_SKIPPED : EXIT_OK;
}

static int follow(const char *path)
{
    struct error error;
    return trace_pack(path, &error) ? EXIT_OK : options_fail("trace", &error, EXIT_CANNOT);
}

int cmd_trace(int argc, char **argv)
{
    struct error error;
    struct request q;
    int status = EXIT_OK;
    if (!parse(&q, argc, argv, &error))
        status = options_refuse(about.name, &error);
    else if (!q.help)
        status = q.follow ? follow(q.follow) : q.pack ? pack_words(argc, argv) : trace_words(&q);
    input_release(&q.words);
    filter_release(&q.filter);
    view_options_release(&q.view);
    return status;
}
