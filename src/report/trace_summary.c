/* Summarises a trace: a line for each thread, from the list of chunks as far as that goes. */
#include "report/report.h"
#include "report/trace.h"

#include <inttypes.h>

uint64_t trace_all_events(const struct trace_file *file)
{
    uint64_t events = 0;
    for (size_t i = 0; i < file->parts.count; i++)
        events += file->parts.items[i].totals.events;
    return events;
}

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
    uint64_t astray;            /* threads that died where it is not known how they came to */
    struct trace_addresses addresses;
    /* Of all chunks and of what is not packed: loads, stores, others, and bytes. */
    struct trace_chunk_words words;
};

static void note_loss(void *context, const struct replay *replay, const char *why)
{
    struct losses *l = context;
    (void)replay;
    if (why)
        ARRAY_PUSH(&l->texts, memory_string(why));
}

static void note_stood(void *context, const struct replay *replay, bool there)
{
    struct losses *l = context;
    (void)replay;
    l->astray += !there;
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

/* Ends the last row: what was walked since the row before belongs to it. */
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

/* Notes the parts that COTREE_TRACE_MAX left no room for. Returns how many there are. */
static uint64_t note_dropped(const struct trace_file *file, const struct trace_part *part,
                             struct losses *losses)
{
    const struct trace_chunk_entry *last = NULL;
    struct error text;
    for (size_t i = 0; i < part->chunk_count; i++)
        if (file->chunks.entries.items[part->first_chunk + i].flags & TRACE_CHUNK_DROPPED)
            last = &file->chunks.entries.items[part->first_chunk + i];
    if (!last)
        return 0;
    trace_say_dropped(&text, last);
    ARRAY_PUSH(&losses->texts, memory_string(text.text));
    return 1;
}

/* Chunks are read to see whether they are whole only up to this size, which takes little time. */
#define CHECKED_MOST ((uint64_t)256 << 20)

static bool may_check(const struct trace_file *file)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < file->chunks.entries.count && bytes <= CHECKED_MOST; i++)
        bytes += file->chunks.entries.items[i].stored.length;
    return bytes <= CHECKED_MOST;
}

static uint64_t note_damaged(const struct trace_file *file, const struct trace_part *part,
                             const struct trace_chunk_entry *e, struct losses *losses)
{
    struct error why, text;
    if (!may_check(file) || trace_chunk_check(file->fd, e, &why))
        return 0;
    error_set(&text, "chunk %" PRIu32 " of stream %" PRIu32 " (event %" PRIu64 " on) %s", e->number,
              part->stream, e->first_event, why.text);
    ARRAY_PUSH(&losses->texts, memory_string(text.text));
    return 1;
}

static uint64_t note_unkept(const struct trace_part *part, uint64_t kept, struct losses *losses)
{
    struct error text;
    char count[COUNT_TEXT];
    error_set(&text,
              "the addresses of thread %" PRIu32
              " after its first %s loads and stores: there was no room for them",
              part->thread, count_text(count, (int64_t)kept));
    ARRAY_PUSH(&losses->texts, memory_string(text.text));
    return 1;
}

/* Whether the writer may have changed in the chunk: the list of chunks names only the writer at its
 * end. */
static bool may_be_shared(const struct trace_part *part, const struct trace_chunk_entry *entries, size_t i)
{
    const struct trace_chunk_entry *e = &entries[i];
    bool alone = (!i || e->flags & TRACE_CHUNK_ALONE) &&
                 (i + 1 == part->chunk_count || entries[i + 1].flags & TRACE_CHUNK_ALONE);
    return alone && (!i || e->signal || e[-1].signal || e->thread != e[-1].thread);
}

/* Finds the rows of a chunk by regenerating it. The chunk's size is divided as its events are.
 * Returns false if it cannot be regenerated. */
static bool split_chunk(const struct trace_file *file, const struct trace_modules *modules,
                        const struct trace_part *part, size_t i, uint64_t bytes, struct losses *losses)
{
    const struct trace_chunk_entry *e = &file->chunks.entries.items[part->first_chunk + i];
    const struct trace_listener listener = {.context = losses, .record = note_record};
    struct trace_part alone = *part;
    alone.rest = NULL;
    struct trace_walk walk = {.file = file,
                              .part = &alone,
                              .program = modules->replay,
                              .resolver = &modules->resolver,
                              .listener = &listener,
                              .range_first = i,
                              .range_end = i + 1};
    if (!losses->rows.count)
        ARRAY_PUSH(&losses->rows, ((struct row){.thread = part->thread}));
    size_t first = losses->rows.count - 1;
    const struct row saved = *last_row(losses);
    losses->before = (struct trace_totals){0};
    trace_walk(&walk);
    end_row(losses, &walk.done);
    if (walk.lost || walk.done.blocks != e->blocks) {
        losses->rows.count = first + 1;
        losses->rows.items[first] = saved;
        return false;
    }
    uint64_t left = bytes;
    for (size_t k = first; k < losses->rows.count; k++) {
        struct row *row = &losses->rows.items[k];
        bool begins_before = k == first && row->thread == saved.thread && row->signal == saved.signal;
        uint64_t events = row->totals.events - (begins_before ? saved.totals.events : 0);
        uint64_t share = e->events ? (uint64_t)((double)bytes * (double)events / (double)e->events) : left;
        share = k + 1 == losses->rows.count || share > left ? left : share;
        row->bytes = (begins_before ? saved.bytes : 0) + share;
        left -= share;
    }
    last_row(losses)->end = e->end;
    return true;
}

/* Finds the rows of one stream: from the list of chunks as far as that goes, then by regenerating
 * the rest. */
static uint64_t summarize_part(const struct trace_file *file, const struct trace_modules *modules,
                               const struct trace_part *part, struct losses *losses)
{
    const struct trace_chunk_entry *e = NULL;
    losses->rows.count = 0;
    uint64_t dropped = note_dropped(file, part, losses), kept = 0;
    bool unkept = false;
    for (size_t i = 0; i < part->chunk_count; i++) {
        e = &file->chunks.entries.items[part->first_chunk + i];
        if (e->flags & TRACE_CHUNK_DROPPED)
            continue;
        const struct trace_totals totals = {e->blocks, e->branches, e->calls, e->events,
                                            e->records - e->ahead};
        const struct trace_chunk_words words = trace_chunk_words(file->fd, e);
        const uint64_t bytes = e->stored.length - (words.length < e->stored.length ? words.length : 0);
        if (!may_be_shared(part, e - i, i) || !split_chunk(file, modules, part, i, bytes, losses)) {
            if (!losses->rows.count || last_row(losses)->thread != e->thread ||
                last_row(losses)->signal != e->signal)
                ARRAY_PUSH(&losses->rows, ((struct row){.thread = e->thread, .signal = e->signal}));
            add_totals(&last_row(losses)->totals, &totals);
            last_row(losses)->bytes += bytes;
            last_row(losses)->end = e->end;
        }
        losses->astray += (e->flags & TRACE_CHUNK_ASTRAY) != 0;
        add_words(losses, &words, false);
        kept += words.loads + words.stores;
        if (!unkept && e->flags & (TRACE_CHUNK_UNKEPT | TRACE_CHUNK_UNKEPT_LATER)) {
            unkept = true;
            dropped += note_unkept(part, kept, losses);
        }
        if (e->flags & TRACE_CHUNK_ADDRESSES && !words.check) {
            struct error text;
            error_set(&text,
                      "chunk %" PRIu32 " of stream %" PRIu32 " (event %" PRIu64
                      " on) is damaged: nothing is known of its addresses",
                      e->number, part->stream, e->first_event);
            ARRAY_PUSH(&losses->texts, memory_string(text.text));
            dropped++;
        } else {
            dropped += note_damaged(file, part, e, losses);
        }
    }
    if (!part->rest)
        return dropped;
    if (!losses->rows.count)
        ARRAY_PUSH(&losses->rows, ((struct row){.thread = part->thread}));
    struct trace_addresses *addresses = &losses->addresses;
    const struct trace_listener listener = {.context = losses,
                                            .addresses = trace_addresses_slots(addresses) ? addresses : NULL,
                                            .leave = note_loss,
                                            .record = note_record,
                                            .stood = note_stood,
                                            .progress = note_progress};
    struct trace_walk walk = {.file = file,
                              .part = part,
                              .program = modules->replay,
                              .resolver = &modules->resolver,
                              .listener = &listener,
                              .from_block = part->totals.blocks};
    trace_walk_find(&walk);
    /* The last chunk is walked once more, since the rest of the stream continues it. */
    losses->before = (struct trace_totals){0};
    for (size_t i = 0; i < part->chunk_count; i++) {
        e = &file->chunks.entries.items[part->first_chunk + i];
        if (e->first_block >= walk.from_block)
            add_totals(&losses->before, &(const struct trace_totals){e->blocks, e->branches, e->calls,
                                                                     e->events, e->records - e->ahead});
    }
    for (size_t i = 0; i < part->chunk_count; i++) {
        e = &file->chunks.entries.items[part->first_chunk + i];
        const struct trace_chunk_words words = trace_chunk_words(file->fd, e);
        if (e->first_block >= walk.from_block) {
            add_words(losses, &words, true);
            kept -= words.loads + words.stores;
        }
    }
    addresses->loads = addresses->stores = addresses->others = 0;
    uint64_t known = losses->words.loads + losses->words.stores + losses->words.others;
    trace_walk(&walk);
    end_row(losses, &walk.done);
    add_words(losses,
              &(const struct trace_chunk_words){
                  .loads = addresses->loads, .stores = addresses->stores, .others = addresses->others},
              false);
    if (addresses->gaps && !unkept)
        note_unkept(part, kept + addresses->kept, losses);
    known = losses->words.loads + losses->words.stores + losses->words.others - known;
    losses->words.length += sizeof(uint64_t) * known;
    return walk.lost + dropped;
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
        fprintf(out, ", %s after the last event", count_text(others, (int64_t)w->others));
    fprintf(out, "; %s bytes", count_text(bytes, (int64_t)w->length));
    if (all)
        fprintf(out, ", %.2f an access", (double)w->length / (double)all);
    putc('\n', out);
}

bool trace_summarize(const struct trace_file *file, const struct trace_modules *modules, uint32_t thread,
                     FILE *out, bool *any)
{
    struct trace_totals all = {0};
    uint64_t all_bytes = 0, lost = file->chunks.damaged + file->unkept + file->untraced;
    struct progress progress = progress_start("regenerating", trace_all_events(file));
    struct losses losses = {.progress = &progress};
    trace_addresses_init(&losses.addresses, &modules->program);
    char *name = printable(file->path);
    fprintf(out, "%s%s\n", name, file->running ? ": still running" : ":");
    free(name);
    fprintf(out, "  %-22s %17s %17s %15s %13s %7s  %s\n", "thread", "blocks", "branches", "calls", "bytes",
            "bits/br", "ended");
    size_t shown = 0;
    for (size_t i = 0; i < file->parts.count; i++) {
        lost += summarize_part(file, modules, &file->parts.items[i], &losses);
        progress_end(&progress);
        join_rows(&losses.rows);
        for (size_t k = 0; k < losses.rows.count; k++) {
            const struct row *row = &losses.rows.items[k];
            char text[64];
            losses.events += row->totals.events;
            if (thread && row->thread != thread)
                continue;
            snprintf(text, sizeof text, row->signal ? "%" PRIu32 ", signal %" PRIu32 : "%" PRIu32,
                     row->thread, row->signal);
            put_totals(out, text, &row->totals, row->bytes,
                       row->signal ? "(handlers)" : end_text(row->end, file->running));
            add_totals(&all, &row->totals);
            all_bytes += row->bytes;
            shown++;
        }
    }
    ARRAY_RELEASE(&losses.rows);
    *any |= shown > 0;
    if (shown > 1)
        put_totals(out, "all", &all, all_bytes, "");
    if (file->chunks.damaged)
        fprintf(out, "  %zu entr%s of the list of chunks cannot be read\n", file->chunks.damaged,
                file->chunks.damaged == 1 ? "y" : "ies");
    for (size_t i = 0; i < losses.texts.count; i++) {
        char *text = printable(losses.texts.items[i]);
        fprintf(out, "  lost: %s\n", text);
        free(text);
        free(losses.texts.items[i]);
    }
    ARRAY_RELEASE(&losses.texts);
    put_addresses(out, &losses);
    trace_addresses_release(&losses.addresses);
    if (file->unkept > file->lost_before)
        fprintf(
            out,
            "  lost: what a thread or a handler did from some moment on: there was no room for its events\n");
    if (file->lost_before)
        fprintf(out, "  lost: what the process did on the thread that forked: it was not traced any more\n");
    if (file->untraced)
        fprintf(out, "  lost: all that %" PRIu64 " thread%s or process%s did: there was no room for it\n",
                file->untraced, file->untraced == 1 ? "" : "s", file->untraced == 1 ? "" : "es");
    if (file->events.count && !file->running)
        fprintf(out, "  not packed: `cotree trace --pack` moves it into its data file\n");
    if (losses.astray)
        fprintf(out,
                "  ends early: %" PRIu64 " thread%s died further on, and the way there was not written yet\n",
                losses.astray, losses.astray == 1 ? "" : "s");
    if (!lost)
        fprintf(out, may_check(file)
                         ? "  complete: nothing that was written is lost\n"
                         : "  complete, as its lists say: chunks are checked when they are read\n");
    return !lost;
}
