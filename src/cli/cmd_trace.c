/* `cotree trace`: what a program did, in order. */
#include "base/error.h"
#include "base/progress.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "decode/inputs.h"
#include "decode/trace_modules.h"
#include "decode/trace_pack.h"
#include "report/report.h"
#include "report/trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: cotree trace [OPTION...] PROG DATA...\n"
    "       cotree trace --compare [OPTION...] PROG DATA DATA\n"
    "       cotree trace --pack DATA...\n"
    "\n"
    "Regenerates the exact sequence of blocks that each thread of a program executed (-fcotree=trace). "
    "Without an\n"
    "option: how much of it there is, and how each thread ended.\n"
    "\n"
    "What to show:\n"
    "  --list              the way control went: calls and lines, indented; what repeats is folded as x "
    "1000\n"
    "  --find=PLACE        where a function or line ran: positions\n"
    "  --compare           the first place where two traces of one program differ\n"
    "  --export=FORMAT     jsonl: a line for each step; folded and callgrind: call trees; perfetto: a "
    "timeline;\n"
    "                      blocks: a line for each block: the function's trace id and the block's number.\n"
    "                      Time is the number of blocks executed before\n"
    "  --pack              nothing: moves what lies in events files (DATA-events) into the data files, "
    "packed\n"
    "\n"
    "Which part of it; a PLACE is FILE:LINE, the name of a FUNCTION, or a POSITION (blocks executed "
    "before):\n"
    "  --from=PLACE        from the first time control is there\n"
    "  --to=PLACE          to the first time it is there after that\n"
    "  --last=N            the last N blocks of that\n"
    "  --thread=N          only this thread\n"
    "  --addresses         also the loads and stores, with --list and --export=jsonl or blocks\n"
    "\n"
    "How to show it:\n"
    "  -o, --output=FILE   write FILE, complete or not at all\n"
    "  --source-map=OLD=NEW  sources whose path begins with OLD are at NEW now (may be repeated)\n"
    "  --debug-path=PATH   where else the maps of stripped programs may be (may be repeated)\n"
    "  --no-source         lines by number only\n"
    "  --no-demangle       linkage names of C++ functions\n"
    "  --color=WHEN        auto, always, never\n"
    "  --no-pager          do not run COTREE_PAGER, PAGER or less\n"
    "\n"
    "Exit status: 0 done, 1 cannot (or the traces differ), 2 no usable input, 4 some inputs skipped or a "
    "part lost, 64\n"
    "wrong usage.\n";

struct request {
    bool list, compare, pack, addresses, help, no_pager, no_demangle, no_source, color;
    const char *find, *from, *to, *output, *when, *follow;
    const struct trace_format *format;
    size_t last, thread;
    struct option_words debug_paths;
    struct source_maps source_maps;
    const char *program;
};

/* One data file, with its modules. */
struct opened {
    struct trace_file file;
    struct data_file data;
    struct trace_modules modules;
};

static int refuse(const struct error *error, int status)
{
    fprintf(stderr, "cotree trace: %s\n", error->text);
    return status;
}

static bool parse_export(void *request, const char *word, struct error *error)
{
    struct request *q = request;
    q->format = trace_format_by_name(word);
    return q->format
               ? true
               : error_set(error, "--export is jsonl, callgrind, folded, perfetto or blocks, not '%s'", word);
}

static bool add_source_map(void *request, const char *word, struct error *error)
{
    struct request *q = request;
    return source_maps_add(&q->source_maps, word, error);
}

static bool parse(struct request *q, int argc, char **argv, struct error *error)
{
    *q = (struct request){.when = "auto"};
    const struct command_option options[] = {
        {"list", .flag = &q->list},
        {"find", .word = &q->find},
        {"compare", .flag = &q->compare},
        {"export", .parse = parse_export},
        {"from", .word = &q->from},
        {"to", .word = &q->to},
        {"last", .count = &q->last},
        {"thread", .count = &q->thread},
        {"addresses", .flag = &q->addresses},
        {"output", 'o', .word = &q->output},
        {"source-map", .parse = add_source_map},
        {"debug-path", .words = &q->debug_paths},
        {"no-source", .flag = &q->no_source},
        {"no-demangle", .flag = &q->no_demangle},
        {"color", .word = &q->when},
        {"no-pager", .flag = &q->no_pager},
        {"pack", .flag = &q->pack},
        {"follow", .word = &q->follow},
        {NULL},
    };
    if (!options_parse(options, argc, argv, q, &q->help, error))
        return false;
    if (q->help || q->follow)
        return true;
    if (q->pack)
        return optind < argc || error_set(error, "no data given: cotree trace --pack DATA...");
    if (q->list + (q->find != NULL) + q->compare + (q->format != NULL) > 1)
        return error_set(error, "only one of --list, --find, --compare and --export can be shown at a time");
    if ((q->from || q->to || q->last) && !q->list && !q->find && !q->format)
        return error_set(error, "--from, --to and --last need --list, --find or --export");
    if (q->addresses && !q->list && !q->format)
        return error_set(error, "--addresses needs --list or --export");
    if (optind == argc)
        return error_set(error, "no program given: cotree trace PROG DATA...");
    if (optind + 1 == argc)
        return error_set(error, "no data for '%s': run it, then name what it left", argv[optind]);
    return output_color(q->when, q->output, &q->color, error);
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
    if (good && !trace_modules_load(&o->modules, q->program, &o->data, q->debug_paths.items, error)) {
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
    trace_view_init(v, &o->modules.program, q->no_demangle);
    v->source_maps = &q->source_maps;
    v->color = q->color;
    v->no_source = q->no_source;
    v->addresses = q->addresses;
    v->last = q->last;
    v->thread = (uint32_t)q->thread;
    v->out = out;
}

static bool set_spots(struct trace_view *v, const struct request *q, struct error *error)
{
    return (!q->from || trace_spot_set(&v->from, v, q->from, error)) &&
           (!q->to || trace_spot_set(&v->to, v, q->to, error)) &&
           (!q->find || trace_spot_set(&v->find, v, q->find, error));
}

/* As far as chunks tell. */
static uint64_t all_events(const struct trace_file *file)
{
    uint64_t events = 0;
    for (size_t i = 0; i < file->parts.count; i++)
        events += file->parts.items[i].totals.events;
    return events;
}

/* ---- The summary ---- */

static const char *end_text(uint32_t end, bool running)
{
    switch (end) {
    case TRACE_END_THREAD:
        return "its function returned";
    case TRACE_END_CLEAN:
        return "exit, handlers ran";
    case TRACE_END_EXEC:
        return "exec";
    case TRACE_END_EXITED:
        return "_exit, quick_exit or abort";
    case TRACE_END_SIGNAL:
        return "killed by a signal";
    default:
        return running ? "still running" : "cut short";
    }
}

/* A thread, or the handlers of a stream. */
struct row {
    uint32_t thread, signal, end;
    struct trace_totals totals;
    uint64_t bytes;
};

struct losses {
    struct ARRAY_OF(char *) texts;
    struct progress *progress;
    uint64_t events;
    struct rows ARRAY_OF(struct row) rows;
    struct trace_totals before; /* of the walk, when the last row began */
    struct trace_addresses addresses;
    struct trace_chunk_words
        words; /* of all chunks and what is not packed: loads, stores, others, and bytes */
};

static void note_loss(void *context, const struct replay *replay, const char *why)
{
    struct losses *l = context;
    (void)replay;
    if (why)
        ARRAY_PUSH(&l->texts, memory_string(why));
}

static void note_progress(void *context, uint64_t events)
{
    struct losses *l = context;
    progress_update(l->progress, l->events + events);
}

static void add_totals(struct trace_totals *to, const struct trace_totals *from)
{
    to->blocks += from->blocks;
    to->branches += from->branches;
    to->calls += from->calls;
    to->events += from->events;
    to->records += from->records;
}

static void put_totals(FILE *out, const char *name, const struct trace_totals *t, uint64_t bytes,
                       const char *end)
{
    char blocks[COUNT_TEXT], branches[COUNT_TEXT], calls[COUNT_TEXT], size[COUNT_TEXT];
    fprintf(out, "  %-22s %17s %17s %15s %13s ", name, count_text(blocks, (int64_t)t->blocks),
            count_text(branches, (int64_t)t->branches), count_text(calls, (int64_t)t->calls),
            count_text(size, (int64_t)bytes));
    if (t->branches)
        fprintf(out, "%7.3f", 8 * (double)bytes / (double)t->branches);
    else
        fprintf(out, "%7s", "-");
    fprintf(out, "  %s\n", end);
}

static struct trace_totals less(const struct trace_totals *a, const struct trace_totals *b)
{
    return (struct trace_totals){.blocks = a->blocks - b->blocks,
                                 .branches = a->branches - b->branches,
                                 .calls = a->calls - b->calls,
                                 .events = a->events - b->events,
                                 .records = a->records - b->records};
}

static struct row *last_row(struct losses *l)
{
    return &l->rows.items[l->rows.count - 1];
}

/* What was walked since the last row ended is the last row's. */
static void end_row(struct losses *l, const struct trace_totals *done)
{
    struct trace_totals more = less(done, &l->before);
    add_totals(&last_row(l)->totals, &more);
    last_row(l)->bytes += more.events + sizeof(struct trace_record) * more.records;
    l->before = *done;
}

static void note_record(void *context, const struct trace_record *record, const struct trace_totals *done)
{
    struct losses *l = context;
    if (record->what == TRACE_END)
        last_row(l)->end = (uint32_t)record[1].what;
    if (record->what != TRACE_THREAD && record->what != TRACE_SIGNAL)
        return;
    uint32_t signal = record->what == TRACE_SIGNAL ? (uint32_t)record[1].what : 0;
    uint32_t thread = record->what == TRACE_THREAD ? (uint32_t)record[1].what : last_row(l)->thread;
    end_row(l, done);
    if (record->what == TRACE_THREAD && !last_row(l)->end) /* it left its stream to another */
        last_row(l)->end = TRACE_END_THREAD;
    if (last_row(l)->totals.blocks && (last_row(l)->thread != thread || last_row(l)->signal != signal))
        ARRAY_PUSH(&l->rows, ((struct row){0}));
    if (!last_row(l)->totals.blocks)
        last_row(l)->end = 0;
    last_row(l)->thread = thread;
    last_row(l)->signal = signal;
}

static void add_words(struct losses *l, const struct trace_chunk_words *w, bool less_those)
{
    l->words.loads += less_those ? -w->loads : w->loads;
    l->words.stores += less_those ? -w->stores : w->stores;
    l->words.others += less_those ? -w->others : w->others;
    l->words.length += less_those ? 0 : w->length;
}

/* The rows of one stream: from the list of chunks as far as that goes, then by regenerating the rest. */
static uint64_t summarize_part(const struct opened *o, const struct trace_part *part, struct losses *losses)
{
    const struct trace_chunk_entry *e = NULL;
    losses->rows.count = 0;
    for (size_t i = 0; i < part->chunk_count; i++) {
        e = &o->file.chunks.entries.items[part->first_chunk + i];
        const struct trace_totals totals = {e->blocks, e->branches, e->calls, e->events,
                                            e->records - e->ahead};
        if (!i || last_row(losses)->thread != e->thread || last_row(losses)->signal != e->signal)
            ARRAY_PUSH(&losses->rows, ((struct row){.thread = e->thread, .signal = e->signal}));
        add_totals(&last_row(losses)->totals, &totals);
        const struct trace_chunk_words words = trace_chunk_words(o->file.fd, e);
        add_words(losses, &words, false);
        last_row(losses)->bytes += e->length - (words.length < e->length ? words.length : 0);
        last_row(losses)->end = e->end;
    }
    if (!part->rest)
        return 0;
    if (!part->chunk_count)
        ARRAY_PUSH(&losses->rows, ((struct row){.thread = part->thread}));
    struct trace_addresses *addresses = &losses->addresses;
    const struct trace_listener listener = {.context = losses,
                                            .addresses = trace_addresses_slots(addresses) ? addresses : NULL,
                                            .leave = note_loss,
                                            .record = note_record,
                                            .progress = note_progress};
    struct trace_walk walk = {.file = &o->file,
                              .part = part,
                              .program = o->modules.replay,
                              .resolver = &o->modules.resolver,
                              .listener = &listener,
                              .from_block = part->totals.blocks};
    trace_walk_find(&walk);
    /* the last chunk is walked once more, since the rest goes on behind it */
    losses->before = (struct trace_totals){0};
    for (size_t i = 0; i < part->chunk_count; i++) {
        e = &o->file.chunks.entries.items[part->first_chunk + i];
        if (e->first_block >= walk.from_block)
            add_totals(&losses->before, &(const struct trace_totals){e->blocks, e->branches, e->calls,
                                                                     e->events, e->records - e->ahead});
    }
    for (size_t i = 0; i < part->chunk_count; i++) {
        e = &o->file.chunks.entries.items[part->first_chunk + i];
        const struct trace_chunk_words words = trace_chunk_words(o->file.fd, e);
        if (e->first_block >= walk.from_block)
            add_words(losses, &words, true);
    }
    addresses->loads = addresses->stores = addresses->others = 0;
    uint64_t known = losses->words.loads + losses->words.stores + losses->words.others;
    trace_walk(&walk);
    end_row(losses, &walk.done);
    add_words(losses,
              &(const struct trace_chunk_words){
                  .loads = addresses->loads, .stores = addresses->stores, .others = addresses->others},
              false);
    known = losses->words.loads + losses->words.stores + losses->words.others - known;
    losses->words.length += sizeof(uint64_t) * known;
    return walk.lost;
}

/* Handlers that ran one after the other are one row. */
static void join_rows(struct rows *rows)
{
    size_t kept = 0;
    for (size_t i = 0; i < rows->count; i++) {
        struct row *last = kept ? &rows->items[kept - 1] : NULL, *row = &rows->items[i];
        if (!last || last->thread != row->thread || last->signal != row->signal) {
            rows->items[kept++] = *row;
            continue;
        }
        add_totals(&last->totals, &row->totals);
        last->bytes += row->bytes;
        last->end = row->end;
    }
    rows->count = kept;
}

static void put_addresses(FILE *out, const struct losses *l)
{
    const struct trace_chunk_words *w = &l->words;
    uint64_t all = w->loads + w->stores + w->others;
    char loads[COUNT_TEXT], stores[COUNT_TEXT], others[COUNT_TEXT], bytes[COUNT_TEXT];
    if (!trace_addresses_slots(&l->addresses))
        return;
    fprintf(out, "  addresses: %s loads, %s stores", count_text(loads, (int64_t)w->loads),
            count_text(stores, (int64_t)w->stores));
    if (w->others)
        fprintf(out, ", %s behind the last event", count_text(others, (int64_t)w->others));
    fprintf(out, "; %s bytes", count_text(bytes, (int64_t)w->length));
    if (all)
        fprintf(out, ", %.2f an access", (double)w->length / (double)all);
    putc('\n', out);
}

static bool summarize(const struct request *q, const struct opened *o, FILE *out)
{
    struct trace_totals all = {0};
    uint64_t all_bytes = 0, lost = o->file.chunks.damaged + o->file.unkept;
    struct progress progress = progress_start("regenerating", all_events(&o->file));
    struct losses losses = {.progress = &progress};
    trace_addresses_init(&losses.addresses, &o->modules.program);
    char *name = printable(o->file.path);
    fprintf(out, "%s%s\n", name, o->file.running ? ": still running" : ":");
    free(name);
    fprintf(out, "  %-22s %17s %17s %15s %13s %7s  %s\n", "thread", "blocks", "branches", "calls", "bytes",
            "bits/br", "ended");
    size_t shown = 0;
    for (size_t i = 0; i < o->file.parts.count; i++) {
        lost += summarize_part(o, &o->file.parts.items[i], &losses);
        progress_end(&progress);
        join_rows(&losses.rows);
        for (size_t k = 0; k < losses.rows.count; k++) {
            const struct row *row = &losses.rows.items[k];
            char text[64];
            losses.events += row->totals.events;
            if (q->thread && row->thread != q->thread)
                continue;
            snprintf(text, sizeof text, row->signal ? "%" PRIu32 ", signal %" PRIu32 : "%" PRIu32,
                     row->thread, row->signal);
            put_totals(out, text, &row->totals, row->bytes,
                       row->signal ? "(handlers)" : end_text(row->end, o->file.running));
            add_totals(&all, &row->totals);
            all_bytes += row->bytes;
            shown++;
        }
    }
    ARRAY_RELEASE(&losses.rows);
    if (shown > 1)
        put_totals(out, "all", &all, all_bytes, "");
    if (o->file.chunks.damaged)
        fprintf(out, "  %zu entr%s of the list of chunks cannot be read\n", o->file.chunks.damaged,
                o->file.chunks.damaged == 1 ? "y" : "ies");
    for (size_t i = 0; i < losses.texts.count; i++) {
        char *text = printable(losses.texts.items[i]);
        fprintf(out, "  lost: %s\n", text);
        free(text);
        free(losses.texts.items[i]);
    }
    ARRAY_RELEASE(&losses.texts);
    put_addresses(out, &losses);
    trace_addresses_release(&losses.addresses);
    if (o->file.unkept)
        fprintf(
            out,
            "  lost: what a thread or a handler did from some moment on: there was no room for its events\n");
    if (o->file.events.count && !o->file.running)
        fprintf(out, "  not packed: `cotree trace --pack` moves it into its data file\n");
    if (!lost)
        fprintf(out, "  complete: nothing that was written is lost\n");
    return !lost;
}

/* ---- Steps ---- */

static bool records_addresses(const struct opened *o)
{
    for (size_t i = 0; i < o->modules.program.count; i++)
        if (o->modules.program.maps[i]->trace->accesses)
            return true;
    return false;
}

/* What no walk comes across: lists that are damaged, and what there was no room for. */
static bool is_incomplete(const struct trace_file *file)
{
    return file->chunks.damaged || file->unkept;
}

static bool show(const struct request *q, const struct opened *o, const struct trace_format *format,
                 FILE *out, struct error *error, bool *complete)
{
    struct trace_view v;
    if (q->addresses && !records_addresses(o))
        return error_set(error, "'%s' records no addresses: build with -fcotree-trace=addresses", q->program);
    make_view(&v, q, o, out);
    if (!set_spots(&v, q, error)) {
        trace_view_release(&v);
        return false;
    }
    struct progress progress = progress_start("regenerating", all_events(&o->file));
    if (q->output)
        v.progress = &progress;
    void *memory = format->begin(&v);
    for (size_t i = 0; i < o->file.parts.count && !ferror(out); i++) {
        struct trace_walk walk = {.file = &o->file,
                                  .part = &o->file.parts.items[i],
                                  .program = o->modules.replay,
                                  .resolver = &o->modules.resolver};
        trace_show_stream(&v, format, memory, &walk);
        *complete &= !walk.lost;
    }
    *complete &= !is_incomplete(&o->file);
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
    const char *file = trace_block_file(v->program->maps[s->function], s->block, &line);
    char *path = source_shown_path(file ? file : "?");
    fprintf(out, "%s %s, %s:%" PRIu32 " (block %" PRIu32 ")\n",
            s->kind == REPLAY_LEAVE                                     ? "returns from"
            : s->kind == REPLAY_ENTER || s->kind == REPLAY_ENTER_CALLED ? "enters"
                                                                        : "goes on in",
            v->names[s->function], path, line, s->block);
    free(path);
}

static int compare(const struct request *q, const struct opened *traces, FILE *out)
{
    int status = EXIT_OK;
    struct trace_view v;
    bool lost = is_incomplete(&traces[0].file) || is_incomplete(&traces[1].file);
    make_view(&v, q, &traces[0], out);
    size_t count = traces[0].file.parts.count, other = traces[1].file.parts.count;
    for (size_t i = 0; i < count && i < other; i++) {
        struct trace_walk walks[2];
        struct trace_difference d;
        for (int k = 0; k < 2; k++)
            walks[k] = (struct trace_walk){.file = &traces[k].file,
                                           .part = &traces[k].file.parts.items[i],
                                           .program = traces[k].modules.replay,
                                           .resolver = &traces[k].modules.resolver};
        bool differ = trace_compare(walks, &d);
        lost |= walks[0].lost || walks[1].lost;
        if (!differ) {
            char blocks[COUNT_TEXT];
            fprintf(out, "thread %zu: equal, %s blocks\n", i + 1,
                    count_text(blocks, (int64_t)walks[0].done.blocks));
            continue;
        }
        fprintf(out, "thread %zu: equal up to position %" PRIu64 ", then\n", i + 1, d.position);
        for (int k = 0; k < 2; k++)
            put_side(out, &v, &traces[k], &d.steps[k], d.ended[k]);
        status = EXIT_CANNOT;
    }
    if (count != other) {
        fprintf(out, "one has %zu threads, the other %zu\n", count, other);
        status = EXIT_CANNOT;
    }
    trace_view_release(&v);
    if (lost) {
        struct error error;
        error_set(&error, "a part of a trace is lost: `cotree trace` without options says what");
        refuse(&error, EXIT_SKIPPED);
    }
    return status || !lost ? status : EXIT_SKIPPED;
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
        return refuse(&error, EXIT_USAGE);
    }
    for (int i = 0; i < 2; i++)
        if (!open_trace(&traces[i], q, inputs->items[i].path, &error)) {
            error_prefix(&error, "'%s'", inputs->items[i].path);
            if (i)
                close_trace(&traces[0]);
            return refuse(&error, EXIT_UNUSABLE);
        }
    int status = compare(q, traces, out);
    close_trace(&traces[0]);
    close_trace(&traces[1]);
    return status;
}

static int show_words(const struct request *q, const struct input_list *inputs, size_t *skipped, FILE *out)
{
    const struct trace_format *format = q->list   ? &trace_format_list
                                        : q->find ? &trace_format_find
                                                  : q->format;
    struct error error;
    size_t used = 0;
    bool complete = true;
    for (size_t i = 0; i < inputs->count && !ferror(out); i++) {
        struct opened o;
        if (!open_trace(&o, q, inputs->items[i].path, &error)) {
            say_problem(skipped, inputs->items[i].path, error.text);
            continue;
        }
        used++;
        bool good = true;
        if (format)
            good = show(q, &o, format, out, &error, &complete);
        else
            complete &= summarize(q, &o, out);
        close_trace(&o);
        if (!good)
            return refuse(&error, EXIT_CANNOT);
    }
    if (!used) {
        error_set(&error, "no usable trace");
        return refuse(&error, EXIT_UNUSABLE);
    }
    if (!complete && format) {
        error_set(&error, "a part of the trace is lost: `cotree trace` without options says what");
        refuse(&error, EXIT_SKIPPED);
    }
    return *skipped || !complete ? EXIT_SKIPPED : EXIT_OK;
}

static int trace_words(struct request *q, int argc, char **argv)
{
    struct error error;
    struct output output;
    struct input_list inputs = {0};
    size_t skipped = 0;
    ARRAY_PUSH(&q->debug_paths, NULL);
    q->program = argv[optind];
    inputs_find(&inputs, (const char *const *)argv + optind + 1, (size_t)(argc - optind - 1), say_problem,
                &skipped);
    int status = EXIT_OK;
    if (!output_open(&output, q->output, !q->no_pager && (q->list || q->find), &error)) {
        status = refuse(&error, EXIT_CANNOT);
    } else {
        status = q->compare ? compare_words(q, &inputs, output.file)
                            : show_words(q, &inputs, &skipped, output.file);
        bool keep = status == EXIT_OK || status == EXIT_SKIPPED || q->compare;
        if (!output_close(&output, keep, &error))
            status = refuse(&error, EXIT_CANNOT);
    }
    inputs_release(&inputs);
    return status;
}

/* A file that is packed already is no mistake. */
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
    bool none = skipped == inputs.count;
    inputs_release(&inputs);
    return none ? EXIT_UNUSABLE : skipped ? EXIT_SKIPPED : EXIT_OK;
}

int cmd_trace(int argc, char **argv)
{
    struct error error;
    struct request q;
    int status = EXIT_OK;
    if (!parse(&q, argc, argv, &error))
        status = options_refuse("trace", &error);
    else if (q.help)
        fputs(help, stdout);
    else if (q.follow)
        status = trace_pack(q.follow, &error) ? EXIT_OK : refuse(&error, EXIT_CANNOT);
    else if (q.pack)
        status = pack_words(argc, argv);
    else
        status = trace_words(&q, argc, argv);
    ARRAY_RELEASE(&q.source_maps);
    ARRAY_RELEASE(&q.debug_paths);
    return status;
}
