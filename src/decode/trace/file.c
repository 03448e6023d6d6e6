#include "decode/trace/file.h"
#include "decode/trace/addresses.h"
#include "decode/trace/feed.h"

#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    WAIT_MS = 5,
    SAY_MS = 1500,     /* a wait that takes longer is announced */
    STALLED_MS = 5000, /* a follower that has done nothing for this long is not waited for */
    CHANGED_MOST_MS = 30000,
    WINDOW_EVENTS = 1 << 18,
    WINDOW_RECORDS = 1 << 16,
    COPY_MOST = 1 << 28, /* bytes */
};

static uint64_t first_chunks(int fd)
{
    struct data_header h;
    return data_read_at(fd, &h, sizeof h, 0) && h.header_size >= sizeof h ? h.traces : 0;
}

bool trace_file_exists(const char *path, int fd)
{
    struct trace_names names = {0};
    trace_events_find(&names, path);
    bool there = names.count ||
                 first_chunks(fd); /* in this order: what is gone from the events file is listed as a chunk */
    trace_names_release(&names);
    return there;
}

const char *trace_file_missing(const struct data_header *header)
{
    if (header->flags & DATA_FLAG_DUMPED)
        return "all of it: a copy by cotree_dump has none";
    if (header->flags & DATA_FLAG_LOST_THREAD)
        return "all of it: its program could not make an events file (COTREE=verbose says why)";
    return "all of it: its events file is not beside the data file";
}

static bool is_gone(const struct trace_events *e)
{
    struct stat st;
    return fstat(e->fd, &st) == 0 && !st.st_nlink;
}

/* ---- While a follower packs ---- */

/* One line, once, when the user has waited long enough to wonder. */
static void say_wait(const struct trace_events *e, int waited)
{
    struct stat st;
    if (waited != SAY_MS || fstat(e->fd, &st) < 0)
        return;
    fprintf(stderr,
            "cotree: waiting for process %llu, which packs the trace of process %llu: %llu MB are left\n",
            (unsigned long long)trace_events_follower(e), (unsigned long long)e->header.pid,
            (unsigned long long)st.st_blocks / 2048);
}

static uint64_t taken_so_far(const struct trace_events *e)
{
    uint64_t taken = 0;
    for (uint32_t i = 0; i < TRACE_STREAMS_MOST; i++)
        taken += e->streams[i].events_taken + e->streams[i].side_taken;
    return taken;
}

/* Waits for a follower that has not caught up yet with its program, which has ended. Packed traces
 * are read faster; nothing else depends on it. */
static void wait_for_follower(struct trace_events *e)
{
    const struct timespec pause = {.tv_nsec = WAIT_MS * 1000000l};
    uint64_t taken = 0;
    for (int waited = 0, idle = 0; idle < STALLED_MS; waited += WAIT_MS, idle += WAIT_MS) {
        if (!trace_events_refresh(e) || trace_events_running(e) || !trace_events_followed(e) || is_gone(e))
            return;
        if (taken_so_far(e) != taken)
            idle = 0;
        taken = taken_so_far(e);
        say_wait(e, waited);
        nanosleep(&pause, NULL);
    }
}

/* Sees to it that the file does not change from now on. A packer has it for a moment only, unless
 * the packer was stopped then. */
static bool hold(struct trace_events *e, struct error *error)
{
    const struct timespec pause = {.tv_nsec = WAIT_MS * 1000000l};
    for (int waited = 0; !trace_events_hold(e); waited += WAIT_MS) {
        if (waited >= CHANGED_MOST_MS)
            return error_set(error, "is being packed by process %llu, which does not go on",
                             (unsigned long long)trace_events_follower(e));
        say_wait(e, waited);
        nanosleep(&pause, NULL);
    }
    return trace_events_refresh(e) || error_set(error, "is cut short: it ends inside its list of streams");
}

/* Copies the file of a program that runs, if it is not too large, so that its follower does not
 * wait for readers. */
static void let_followers_go_on(struct trace_file *t)
{
    for (size_t i = 0; i < t->events.count; i++)
        if (t->running)
            (void)trace_events_copy(t->events.items[i], COPY_MOST);
}

static bool open_events(struct trace_file *t, const char *path, struct error *error)
{
    struct trace_names names = {0};
    struct data_header data;
    bool good = true, has_header = data_header_read(t->fd, &data);
    trace_events_find(&names, path);
    for (size_t i = 0; i < names.count && good; i++) {
        struct trace_events *e = ZALLOC(struct trace_events, 1);
        if (!trace_events_open(e, names.items[i], false, error)) {
            struct stat st;
            good =
                stat(names.items[i], &st) < 0 || error_prefix(error, "its events file '%s'", names.items[i]);
            free(e);
            continue;
        }
        wait_for_follower(e);
        bool running = trace_events_running(
            e); /* asked before it is read: if it has ended, all that it wrote is there */
        good = hold(e, error);
        if (is_gone(e) || !good) { /* everything is packed */
            trace_events_close(e);
            free(e);
            if (!good)
                error_prefix(error, "its events file '%s'", names.items[i]);
            continue;
        }
        t->running |= running;
        ARRAY_PUSH(&t->events, e);
        if (has_header && !trace_events_belong(e, &data, error))
            good = error_prefix(error, "its events file '%s'", names.items[i]);
    }
    trace_names_release(&names);
    return good;
}

static struct trace_part *part_of(struct trace_file *t, uint64_t pid, uint64_t start_time, uint32_t stream)
{
    for (size_t i = t->parts.count; i-- > 0;) {
        struct trace_part *p = &t->parts.items[i];
        if (p->pid == pid && p->start_time == start_time && p->stream == stream)
            return p;
    }
    return NULL;
}

static void list_rest(struct trace_file *t, const struct trace_events *events)
{
    size_t count;
    t->unkept += (events->header.flags & TRACE_FLAG_LOST) != 0;
    t->lost_before += events->header.flags & TRACE_FLAG_LOST && events->header.flags & TRACE_FLAG_LOST_BEFORE;
    uint32_t *firsts = trace_events_firsts(events, &count);
    for (size_t i = 0; i < count; i++) {
        const struct trace_header *h = &events->header;
        struct trace_part *p = part_of(t, h->pid, h->start_time, firsts[i]);
        if (!p) {
            p = ARRAY_ADD(&t->parts);
            *p = (struct trace_part){.pid = h->pid, .start_time = h->start_time, .stream = firsts[i]};
        }
        p->rest = events;
        if (!p->thread)
            p->thread = events->streams[firsts[i]].thread;
    }
    free(firsts);
}

static void list_parts(struct trace_file *t)
{
    for (size_t i = 0; i < t->chunks.entries.count; i++) {
        const struct trace_chunk_entry *e = &t->chunks.entries.items[i];
        struct trace_part *p = t->parts.count ? &t->parts.items[t->parts.count - 1] : NULL;
        if (!p || p->pid != e->pid || p->start_time != e->start_time || p->stream != e->stream) {
            p = ARRAY_ADD(&t->parts);
            *p = (struct trace_part){
                .pid = e->pid, .start_time = e->start_time, .stream = e->stream, .first_chunk = i};
        }
        p->chunk_count++;
        p->thread = e->thread;
        p->signal = e->signal ? e->signal : p->signal;
        p->packed += e->stored.length;
        p->totals.blocks += e->blocks;
        p->totals.branches += e->branches;
        p->totals.calls += e->calls;
        p->totals.events += e->events;
        p->totals.records += e->records - e->ahead;
    }
    for (size_t k = 0; k < t->events.count; k++)
        list_rest(t, t->events.items[k]);
}

bool trace_file_open(struct trace_file *t, const char *path, struct error *error)
{
    uint32_t kind;
    uint64_t size;
    struct data_header header;
    *t = (struct trace_file){.fd = data_open(path, &kind, &size, error)};
    if (t->fd < 0)
        return false;
    t->path = memory_string(path);
    bool good = kind == DATA_KIND_RUN || error_set(error, "is a merged file: traces are in run files only");
    good = good &&
           open_events(
               t, path,
               error); /* before the list of chunks: what is taken out of the events file is in the list */
    if (good && !data_header_read(t->fd, &header))
        good = error_set(error, "is cut short: it ends inside its header");
    if (good) {
        t->image = header.image;
        trace_chunks_list(&t->chunks, t->fd, header.traces);
        list_parts(t);
        if (header.flags & DATA_FLAG_LOST_THREAD && !t->unkept)
            t->untraced = header.threads_lost ? header.threads_lost : 1;
        let_followers_go_on(t);
        if (!t->parts.count && t->chunks.damaged)
            good = error_set(error, "has a damaged list of chunks: nothing of its trace can be read");
        else if (!t->parts.count && t->events.count && !t->unkept)
            good = error_set(error, "holds no trace so far: no thread has written to its events file");
        else if (!t->parts.count && !t->unkept && header.flags & DATA_FLAG_TRACED)
            good = error_set(error, "misses its trace, %s", trace_file_missing(&header));
        else if (!t->parts.count && !t->unkept)
            good = error_set(error,
                             "holds no trace: its program was not built with -fcotree=trace, or never ran "
                             "traced code");
    }
    if (!good)
        trace_file_close(t);
    return good;
}

void trace_file_close(struct trace_file *t)
{
    if (t->fd >= 0)
        close(t->fd);
    for (size_t i = 0; i < t->events.count; i++) {
        trace_events_close(t->events.items[i]);
        free(t->events.items[i]);
    }
    ARRAY_RELEASE(&t->events);
    trace_chunks_release(&t->chunks);
    ARRAY_RELEASE(&t->parts);
    free(t->path);
    *t = (struct trace_file){.fd = -1};
}

/* ---- Walks ---- */

static const struct trace_chunk_entry *entry_at(const struct trace_walk *w, size_t i)
{
    return &w->file->chunks.entries.items[w->part->first_chunk + i];
}

/* The last chunk that begins at or before the block, and can be regenerated alone. */
static size_t chunk_of_block(const struct trace_walk *w)
{
    size_t found = 0;
    for (size_t i = 0; i < w->part->chunk_count && w->from_block; i++)
        if (entry_at(w, i)->first_block <= w->from_block && entry_at(w, i)->flags & TRACE_CHUNK_ALONE)
            found = i;
    return found;
}

void trace_walk_find(struct trace_walk *w)
{
    size_t first = w->part->chunk_count ? chunk_of_block(w) : 0;
    w->from_block = w->part->chunk_count ? entry_at(w, first)->first_block : 0;
    w->thread = first ? entry_at(w, first - 1)->thread : 0;
    w->signal = first ? entry_at(w, first - 1)->signal : 0;
}

/* Puts the name of a function instead of its id into what replay says. */
static void name_function(const struct trace_walk *w, const struct error *error, struct error *named)
{
    static const char before[] = "in function ";
    const char *at = strstr(error->text, before), *name = NULL;
    char *end = NULL;
    uint64_t id = at ? strtoull(at + strlen(before), &end, 16) : 0;
    for (size_t i = 0; id && w->resolver && w->resolver->program && i < w->resolver->program->count && !name;
         i++)
        if (w->resolver->program->maps[i]->trace->id == id)
            name = w->resolver->program->maps[i]->name;
    *named = *error;
    if (name)
        error_set(named, "%.*s%s%s", (int)(at - error->text) + (int)strlen(before), error->text, name, end);
}

static void lose(struct trace_walk *w, struct trace_feed *f, const char *what, uint64_t event,
                 const struct error *error)
{
    struct error text, named;
    name_function(w, error, &named);
    error_set(&text, "%s of stream %u (event %llu on) %s", what, w->part->stream, (unsigned long long)event,
              named.text);
    trace_feed_leave(f, text.text);
}

static void tell_accesses(struct trace_walk *w)
{
    if (w->listener->accesses)
        w->listener->accesses(w->listener->context);
}

/* Finds the accesses between the last step of the chunk and its end. */
static bool end_addresses(struct trace_walk *w, const struct trace_feed *f, const struct trace_chunk *c,
                          struct error *error)
{
    struct trace_addresses *a = w->listener->addresses;
    trace_addresses_settle(a, f->replay);
    tell_accesses(w);
    if (c->entry.flags & TRACE_CHUNK_TAIL) {
        trace_addresses_tail(a);
        tell_accesses(w);
    }
    if (a->failed)
        return error_set(error, "%s", a->error.text);
    return trace_addresses_used_up(a) ||
           error_set(error, "does not fit its program: addresses are left over");
}

/* Feeds one chunk; false when the walk is over. */
static bool walk_chunk(struct trace_walk *w, struct trace_feed *f, const struct trace_chunk *c)
{
    const struct trace_chunk_entry *e = &c->entry;
    struct error error;
    char name[32];
    snprintf(name, sizeof name, "chunk %u", e->number);
    w->position = e->first_block;
    if (!f->standing && !c->sync.length) {
        error_set(&error, "cannot be regenerated: nobody knows where control stood");
        lose(w, f, name, e->first_event, &error);
        return true;
    }
    if (!f->standing && !trace_feed_restore(f, &c->sync, &error)) {
        lose(w, f, name, e->first_event, &error);
        return true;
    }
    if (w->listener->addresses &&
        !trace_addresses_from_chunk(w->listener->addresses, &c->words, e->flags & TRACE_CHUNK_UNKEPT)) {
        error_set(&error, "is damaged: its addresses cannot be unpacked");
        lose(w, f, name, e->first_event, &error);
        return true;
    }
    struct replay_input input = trace_feed_input(&c->events, &c->records, e->flags & TRACE_CHUNK_MORE);
    uint64_t blocks = f->done.blocks;
    f->stood = false;
    enum replay_result result = trace_feed(f, &input, &error);
    if (result == REPLAY_STOPPED)
        return false;
    if (result == REPLAY_MORE && f->done.blocks - blocks != e->blocks && !f->stood) {
        error_set(&error, "does not fit its program: it gives %llu blocks instead of %llu",
                  (unsigned long long)(f->done.blocks - blocks), (unsigned long long)e->blocks);
        result = REPLAY_DAMAGED;
    } else if (result == REPLAY_MORE &&
               (input.events != input.events_end || (size_t)(input.side_end - input.side) != e->ahead)) {
        error_set(&error, "does not fit its program: %zu events are left over",
                  (size_t)(input.events_end - input.events));
        result = REPLAY_DAMAGED;
    } else if (result == REPLAY_MORE && w->listener->addresses && !end_addresses(w, f, c, &error)) {
        result = REPLAY_DAMAGED;
    }
    if (result == REPLAY_DAMAGED)
        lose(w, f, name, e->first_event, &error);
    return true;
}

/* A range begins where another one ends: its activations are not new to the listener. */
static void take_over(struct trace_feed *f, const struct trace_chunk *c)
{
    static const struct trace_listener nobody;
    const struct trace_listener *listener = f->listener;
    struct error ignored;
    f->listener = &nobody;
    bool there = trace_feed_restore(f, &c->sync, &ignored);
    f->listener = listener;
    if (there && listener->take_over)
        listener->take_over(listener->context, f->replay);
}

void trace_say_dropped(struct error *text, const struct trace_chunk_entry *last)
{
    error_set(text, "the first %llu blocks of stream %u were dropped, as COTREE_TRACE_MAX asks",
              (unsigned long long)(last->first_block + last->blocks), last->stream);
}

static void lose_dropped(struct trace_feed *f, const struct trace_chunk_entry *last)
{
    struct error text;
    trace_say_dropped(&text, last);
    trace_feed_leave(f, text.text);
}

/* The program runs, and its follower packs: a chunk that was listed may have been dropped since. */
static bool was_dropped_since(const struct trace_walk *w, const struct trace_chunk_entry *e)
{
    struct trace_chunk_list now;
    bool dropped = false;
    if (!w->file->running)
        return false;
    trace_chunks_list(&now, w->file->fd, first_chunks(w->file->fd));
    for (size_t i = 0; i < now.entries.count; i++) {
        const struct trace_chunk_entry *same = &now.entries.items[i];
        dropped |= same->pid == e->pid && same->start_time == e->start_time && same->stream == e->stream &&
                   same->number == e->number && same->flags & TRACE_CHUNK_DROPPED;
    }
    trace_chunks_release(&now);
    return dropped;
}

static bool walk_chunks(struct trace_walk *w, struct trace_feed *f, uint64_t *events)
{
    struct trace_chunk c = {0};
    bool go_on = true;
    size_t first = w->range_end ? w->range_first : chunk_of_block(w);
    size_t end = w->range_end ? w->range_end : w->part->chunk_count;
    for (size_t i = first; i < end && go_on; i++) {
        const struct trace_chunk_entry *e = entry_at(w, i);
        struct error error;
        if (e->flags & TRACE_CHUNK_DROPPED) {
            if (i + 1 == w->part->chunk_count || !(entry_at(w, i + 1)->flags & TRACE_CHUNK_DROPPED))
                lose_dropped(f, e);
            continue;
        }
        if (i > first && e->number != entry_at(w, i - 1)->number + 1) {
            error_set(&error, "is missing");
            lose(w, f, "a chunk", entry_at(w, i - 1)->first_event + entry_at(w, i - 1)->events, &error);
        } else if (e->flags & TRACE_CHUNK_GAP && f->standing) {
            error_set(&error, "did not fit its program when it was packed");
            lose(w, f, "what lies before a chunk", e->first_event, &error);
        }
        if (trace_chunk_read(&c, w->file->fd, e, &error)) {
            if (w->range_end && i == first && i)
                take_over(f, &c);
            go_on = walk_chunk(w, f, &c);
            if (c.words_say.end)
                w->words_end = c.words_say.end;
        } else if (was_dropped_since(w, e)) {
            lose_dropped(f, e);
        } else {
            char name[32];
            snprintf(name, sizeof name, "chunk %u", e->number);
            lose(w, f, name, e->first_event, &error);
        }
        *events = e->first_event + e->events;
        if (w->listener->progress)
            w->listener->progress(w->listener->context, *events);
    }
    trace_chunk_release(&c);
    return go_on;
}

static void drop_front(struct buffer *b, size_t count)
{
    memmove(b->data, b->data + count, b->length - count);
    b->length -= count;
}

static void walk_rest(struct trace_walk *w, struct trace_feed *f, uint64_t event)
{
    struct trace_source source;
    struct buffer events = {0};
    struct trace_records records = {0};
    struct error error;
    trace_source_begin(&source, w->part->rest, w->part->stream);
    if (!w->part->chunk_count)
        trace_feed_start(f, trace_source_address(&source));
    else if (f->standing)
        trace_source_skip(&source, replay_place(f->replay).address, w->part->totals.records);
    struct trace_addresses *a = w->listener->addresses;
    if (a) {
        trace_addresses_from_file(a, w->part->rest, w->part->stream, w->part->chunk_count && a->unkept);
        if (w->words_end)
            trace_words_skip(&a->source, w->words_end);
    }
    for (bool goes_on = false, more = true; more || goes_on;) {
        more = trace_source_read(&source, events.length < WINDOW_EVENTS ? WINDOW_EVENTS : 0, &events,
                                 records.count < WINDOW_RECORDS ? WINDOW_RECORDS - records.count : 0,
                                 &records, &goes_on);
        if (!f->standing) {
            if (more) {
                error_set(&error, "cannot be regenerated: nobody knows where control stood");
                lose(w, f, "what was not packed", event, &error);
            }
            break;
        }
        struct replay_input input = trace_feed_input(&events, &records, goes_on);
        const struct replay_input from = input;
        enum replay_result result = trace_feed(f, &input, &error);
        const size_t used = (size_t)(input.events - from.events), taken = (size_t)(input.side - from.side);
        event += used;
        if (result == REPLAY_STOPPED) {
            w->stopped = true;
            break;
        }
        if (result == REPLAY_DAMAGED) {
            lose(w, f, "the part", event, &error);
            break;
        }
        if (a && a->failed) {
            lose(w, f, "the part", event, &a->error);
            break;
        }
        if (events.data)
            drop_front(&events, used);
        if (records.items)
            memmove(records.items, records.items + taken, (records.count - taken) * sizeof *records.items);
        records.count -= taken;
        if (!used && !taken && !more)
            break;
        if (w->listener->progress)
            w->listener->progress(w->listener->context, event);
    }
    if (a && f->standing && !w->stopped) {
        trace_addresses_settle(a, f->replay);
        tell_accesses(w);
        trace_addresses_tail(a);
        tell_accesses(w);
    }
    buffer_release(&events);
    ARRAY_RELEASE(&records);
}

void trace_walk(struct trace_walk *w)
{
    struct trace_feed f;
    uint64_t events = 0;
    trace_feed_begin(&f, w->program, w->listener);
    if (w->listener->addresses) {
        w->listener->addresses->unkept = false;
        w->listener->addresses->gaps = 0;
    }
    f.thread = w->part->thread;
    f.resolver = w->resolver;
    w->stopped = !walk_chunks(w, &f, &events);
    bool to_end = !w->range_end || w->range_end == w->part->chunk_count;
    if (!w->stopped && w->part->rest && to_end)
        walk_rest(w, &f, events);
    if (f.standing && to_end)
        trace_feed_leave(&f, NULL);
    w->done = f.done;
    w->lost = f.lost + (w->listener->addresses && w->listener->addresses->gaps);
    w->unended = f.unended;
    w->end = f.end;
    w->thread = f.thread;
    trace_feed_end(&f);
}
