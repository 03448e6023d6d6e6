#include "follow/pack.h"
#include "decode/trace/addresses.h"
#include "decode/trace/feed.h"
#include "decode/trace/modules.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    PAUSE_LEAST_US = 500,
    PAUSE_MOST_US = 50000,
    RECORDS_FULL = TRACE_CHUNK_RECORDS / 4,
    WORDS_FULL = 1 << 20,
    EVENTS_A_STEP = 1 << 10, /* where there are addresses, many of which may come with a few events */
};

struct packed_stream {
    uint32_t first;
    struct trace_source source;
    struct trace_feed feed;
    struct trace_listener listener;
    struct trace_addresses addresses; /* if the program records any */
    struct trace_word_writer words;
    struct trace_chunk chunk; /* the sync record, and what was read and not packed yet */
    uint64_t next_event, next_block;
    uint32_t number;
    bool goes_on;       /* the last read left records for the next one */
    bool begins_unkept; /* addresses are not kept where the chunk begins */
    bool failed;        /* nothing more of it can be packed */
};

struct packing {
    const char *path;
    struct trace_events events;
    struct trace_packer packer;
    struct data_file data;
    struct trace_modules modules;
    struct trace_chunk_list before; /* chunks that another follower made */
    struct packed_streams ARRAY_OF(struct packed_stream *) streams;
};

/* ---- Taking out ---- */

/* How much of a region's start can be given back: whole pages of the size that the program writes
 * to. */
static uint64_t whole_pages(uint32_t number, uint64_t offset, uint64_t taken)
{
    const uint64_t page = number < TRACE_LARGE_STREAMS ? TRACE_LARGE_PAGE : DATA_PAGE;
    uint64_t end = (offset + taken) / page * page;
    return end > offset ? end - offset : 0;
}

/* Notes how much of a region is taken, and gives its whole pages back. */
static bool take_region(struct packing *p, uint32_t number, bool side, uint64_t taken)
{
    const struct trace_stream *e = &p->events.streams[number];
    uint64_t length = side ? e->side_length : e->events_length,
             offset = side ? e->side_offset : e->events_offset;
    uint64_t at =
        TRACE_STREAMS_OFFSET + (uint64_t)number * sizeof *e +
        (side ? offsetof(struct trace_stream, side_taken) : offsetof(struct trace_stream, events_taken));
    if (taken > length)
        taken = length;
    if (pwrite(p->events.fd, &taken, sizeof taken, (off_t)at) != (ssize_t)sizeof taken)
        return false;
    uint64_t whole = whole_pages(number, offset, taken);
    if (whole)
        (void)fallocate(p->events.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
                        (off_t)whole);
    return true;
}

/* Takes out the regions before the one that is being read, and of that one everything but what was
 * read ahead. */
static void take_out(struct packing *p, const struct packed_stream *s, bool side)
{
    const uint32_t stop = side ? s->source.side_number : s->source.number;
    uint64_t at = side ? s->source.side_at : s->source.at;
    uint64_t ahead = side ? s->chunk.records.count * sizeof(struct trace_record) : s->chunk.events.length;
    for (uint32_t number = s->first, steps = 0; number != stop && steps < TRACE_STREAMS_MOST; steps++) {
        if (!take_region(p, number, side, UINT64_MAX))
            return;
        number = (uint32_t)p->events.streams[number].next - 1;
    }
    if (at > ahead) /* otherwise part of that lies in the region before, and the next chunk takes it out */
        take_region(p, stop, side, at - ahead);
}

static void take_words(struct packing *p, const struct packed_stream *s)
{
    const struct trace_word_source *source = &s->addresses.source;
    for (uint32_t number = s->first, steps = 0; steps < TRACE_STREAMS_MOST; steps++) {
        struct trace_address_stream region;
        uint64_t at = TRACE_ADDRESSES_OFFSET + (uint64_t)number * sizeof region;
        if (!data_read_at(p->events.fd, &region, sizeof region, at))
            return;
        bool last = number == source->number;
        uint64_t taken = last ? s->chunk.words_say.end - region.address : region.length;
        if (region.length && taken <= region.length && taken > region.taken &&
            pwrite(p->events.fd, &taken, sizeof taken,
                   (off_t)(at + offsetof(struct trace_address_stream, taken))) == (ssize_t)sizeof taken &&
            taken >= DATA_PAGE)
            (void)fallocate(p->events.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)region.offset,
                            (off_t)(taken / DATA_PAGE * DATA_PAGE));
        if (last || !p->events.streams[number].next)
            return;
        number = (uint32_t)p->events.streams[number].next - 1;
    }
}

/* ---- One stream ---- */

static bool has_addresses(const struct packed_stream *s)
{
    return s->listener.addresses != NULL;
}

static void save_sync(struct packed_stream *s)
{
    s->chunk.sync.length = 0;
    if (s->feed.standing)
        replay_save(s->feed.replay, &s->chunk.sync);
}

/* Goes on after the chunks that exist already. */
static bool continue_stream(struct packing *p, struct packed_stream *s)
{
    const struct trace_chunk_entry *last = NULL;
    uint64_t records = 0;
    for (size_t i = 0; i < p->before.entries.count; i++) {
        const struct trace_chunk_entry *e = &p->before.entries.items[i];
        if (e->pid == p->events.header.pid && e->start_time == p->events.header.start_time &&
            e->stream == s->first)
            last = e;
        if (last == e)
            records += e->records - e->ahead;
    }
    if (!last)
        return true;
    struct error error;
    struct trace_chunk c = {0};
    bool good = trace_chunk_read(&c, p->packer.fd, last, &error) && c.sync.length &&
                (!has_addresses(s) ||
                 trace_addresses_from_chunk(&s->addresses, &c.words, last->flags & TRACE_CHUNK_UNKEPT)) &&
                trace_feed_restore(&s->feed, &c.sync, &error);
    struct replay_input input = trace_feed_input(&c.events, &c.records, last->flags & TRACE_CHUNK_MORE);
    good = good && trace_feed(&s->feed, &input, &error) == REPLAY_MORE && input.events == input.events_end;
    s->number = last->number + 1;
    s->next_event = last->first_event + last->events;
    s->next_block = last->first_block + last->blocks;
    s->feed.done = (struct trace_totals){0};
    trace_source_skip(&s->source, replay_place(s->feed.replay).address, records);
    if (has_addresses(s)) {
        trace_addresses_settle(&s->addresses, s->feed.replay);
        good = good && !s->addresses.failed;
        trace_addresses_from_file(&s->addresses, &p->events, s->first, s->addresses.unkept);
        if (c.words_say.end)
            trace_words_skip(&s->addresses.source, c.words_say.end);
    }
    trace_chunk_release(&c);
    return good;
}

static struct packed_stream *add_stream(struct packing *p, uint32_t first)
{
    struct packed_stream *s = ZALLOC(struct packed_stream, 1);
    s->first = first;
    trace_source_begin(&s->source, &p->events, first);
    trace_addresses_init(&s->addresses, &p->modules.program);
    if (trace_addresses_slots(&s->addresses)) {
        s->listener.addresses = &s->addresses;
        trace_addresses_from_file(&s->addresses, &p->events, first, false);
    }
    trace_feed_begin(&s->feed, p->modules.replay, &s->listener);
    s->feed.resolver = &p->modules.resolver;
    s->feed.thread = p->events.streams[first].thread;
    trace_feed_start(&s->feed, trace_source_address(&s->source));
    s->failed = !continue_stream(p, s);
    if (has_addresses(s)) {
        trace_word_model_init(&s->words.model, trace_addresses_slots(&s->addresses));
        s->addresses.writer = &s->words;
    }
    save_sync(s);
    ARRAY_PUSH(&p->streams, s);
    return s;
}

static void free_stream(struct packed_stream *s)
{
    trace_feed_end(&s->feed);
    trace_chunk_release(&s->chunk);
    trace_addresses_release(&s->addresses);
    trace_word_writer_release(&s->words);
    free(s);
}

/* Feeds all events, or as many as make enough addresses for a chunk. */
static enum replay_result feed_chunk(struct packed_stream *s, struct replay_input *input, struct error *error)
{
    const uint8_t *end = input->events_end;
    enum replay_result result;
    do {
        if (has_addresses(s) && end - input->events > EVENTS_A_STEP)
            input->events_end = input->events + EVENTS_A_STEP;
        else
            input->events_end = end;
        result = trace_feed(&s->feed, input, error);
    } while (result == REPLAY_MORE && input->events_end != end &&
             s->words.count + s->words.mark_count < WORDS_FULL);
    return result;
}

/* Addresses are to be read again, from `first` on. */
static void rewind_words(const struct packing *p, struct packed_stream *s, uint64_t first)
{
    struct trace_addresses *a = &s->addresses;
    trace_addresses_from_file(a, &p->events, s->first, s->begins_unkept);
    if (first)
        trace_words_skip(&a->source, first);
    a->loads = a->stores = a->others = a->gaps = 0;
    trace_word_writer_drop(&s->words);
}

/*
 * Replays what was read, and says how far replay got. If only half of the last event is there, that
 * half proved that control came that far: a chunk without it must not say so, and is replayed again
 * without it. all: nothing that was read is left.
 */
static bool replay_chunk(struct packing *p, struct packed_stream *s, size_t *used, size_t *taken, bool *all)
{
    struct trace_chunk *c = &s->chunk;
    struct error damage;
    const size_t length = c->events.length;
    uint64_t first = has_addresses(s) ? trace_addresses_position(&s->addresses) : 0;
    bool good = true;
    s->begins_unkept = s->addresses.unkept;
    s->addresses.gaps = 0;
    for (*used = 0;;) {
        struct replay_input input = trace_feed_input(&c->events, &c->records, s->goes_on);
        const struct replay_input from = input;
        s->feed.done = (struct trace_totals){0};
        s->feed.astray = false;
        good = good && feed_chunk(s, &input, &damage) == REPLAY_MORE;
        *used = (size_t)(input.events - from.events);
        *taken = (size_t)(input.side - from.side);
        if (!good || input.events == input.events_end || !c->sync.length)
            break;
        c->events.length = *used;
        if (has_addresses(s))
            rewind_words(p, s, first);
        good = trace_feed_restore(&s->feed, &c->sync, &damage);
    }
    c->events.length = length;
    c->words_say.first = first;
    *all = *used == length;
    return good;
}

/* Packs the words that belong to the chunk. False: they do not fit. */
static bool pack_words(struct packed_stream *s, bool at_end)
{
    struct trace_addresses *a = &s->addresses;
    struct trace_chunk *c = &s->chunk;
    trace_addresses_settle(a, s->feed.replay);
    if (at_end)
        trace_addresses_tail(a);
    c->words.length = 0;
    c->words_say = (struct trace_chunk_words){.loads = a->loads,
                                              .stores = a->stores,
                                              .others = a->others,
                                              .first = c->words_say.first,
                                              .end = trace_addresses_position(a)};
    a->loads = a->stores = a->others = 0;
    if (a->failed || s->words.count > TRACE_CHUNK_WORDS || s->words.mark_count > TRACE_CHUNK_WORDS)
        return false;
    if (s->words.count + s->words.mark_count)
        trace_word_writer_pack(&s->words, &c->words);
    return true;
}

/* Writes what was read as a chunk. Events and records that replay did not get to stay. at_end:
 * nothing follows. */
static bool pack_chunk(struct packing *p, struct packed_stream *s, bool at_end, struct error *error)
{
    struct trace_chunk *c = &s->chunk;
    size_t used, taken;
    bool all;
    if (!replay_chunk(p, s, &used, &taken, &all) || (has_addresses(s) && !pack_words(s, at_end && all))) {
        s->failed = true; /* the stream stays in the events file, where it can be looked at */
        return true;
    }
    size_t left_events = c->events.length - used, left_records = c->records.count - taken;
    if (!used && !taken && !c->words.length)
        return true;
    struct buffer events = {0};
    struct trace_records records = {0};
    if (left_events)
        buffer_add(&events, c->events.data + used, left_events);
    for (size_t i = taken; i < c->records.count; i++)
        ARRAY_PUSH(&records, c->records.items[i]);
    size_t ahead = left_records ? trace_record_parts(records.items, left_records) : 0;
    c->events.length = used;
    c->records.count = taken + ahead;
    c->entry = (struct trace_chunk_entry){
        .pid = p->events.header.pid,
        .start_time = p->events.header.start_time,
        .stream = s->first,
        .number = s->number++,
        .flags = (s->goes_on && !left_records ? TRACE_CHUNK_MORE : 0) |
                 (at_end && all && has_addresses(s) ? TRACE_CHUNK_TAIL : 0) |
                 (s->feed.astray ? TRACE_CHUNK_ASTRAY : 0) | (s->begins_unkept ? TRACE_CHUNK_UNKEPT : 0) |
                 (s->addresses.gaps ? TRACE_CHUNK_UNKEPT_LATER : 0),
        .end = s->feed.end,
        .thread = s->feed.thread,
        .signal = s->feed.signal,
        .first_event = s->next_event,
        .ahead = (uint32_t)ahead,
        .first_block = s->next_block,
        .blocks = s->feed.done.blocks,
        .branches = s->feed.done.branches,
        .calls = s->feed.done.calls};
    trace_events_change(&p->events);
    bool good = trace_packer_add(&p->packer, c, error);
    s->next_event += used;
    s->next_block += s->feed.done.blocks;
    buffer_release(&c->events);
    ARRAY_RELEASE(&c->records);
    c->events = events;
    c->records = records;
    save_sync(s);
    if (good) {
        take_out(p, s, false);
        take_out(p, s, true);
        if (c->words.length)
            take_words(p, s);
    }
    trace_events_let_go(&p->events);
    return good;
}

/* A program records an end when it executes another one, or makes a daemon that goes on for it, and
 * takes the record back if that fails. */
static void put_back_end(struct packed_stream *s)
{
    struct trace_records *r = &s->chunk.records;
    while (
        r->count >= 2 && r->items[r->count - 2].what == TRACE_END &&
        (r->items[r->count - 1].what == TRACE_END_EXEC || r->items[r->count - 1].what == TRACE_END_EXITED)) {
        r->count -= 2;
        s->source.side_at -= 2 * sizeof *r->items;
    }
}

/* Reads on; packs when there is enough or, at the end, all there is. True when there was
 * anything. */
static bool pump(struct packing *p, struct packed_stream *s, bool at_end, bool *good, struct error *error)
{
    size_t room = TRACE_CHUNK_EVENTS - s->chunk.events.length;
    bool any = trace_source_read(&s->source, room, &s->chunk.events,
                                 s->chunk.records.count < RECORDS_FULL ? RECORDS_FULL : 1, &s->chunk.records,
                                 &s->goes_on);
    if (!at_end)
        put_back_end(s);
    bool full = s->chunk.events.length >= TRACE_CHUNK_EVENTS || s->chunk.records.count >= RECORDS_FULL;
    bool words = has_addresses(s) && (at_end ? trace_addresses_any(&s->addresses)
                                             : trace_words_lag(&s->addresses.source, WORDS_FULL));
    uint64_t before = s->number;
    if (full || words || (at_end && (s->chunk.events.length || s->chunk.records.count)))
        *good = pack_chunk(p, s, at_end && !full && !s->goes_on, error);
    return (any || s->number != before) && !s->failed;
}

/* ---- All streams ---- */

static bool pump_all(struct packing *p, bool at_end, bool *any, struct error *error)
{
    size_t count;
    uint32_t *firsts = trace_events_firsts(&p->events, &count);
    bool good = true;
    *any = false;
    for (size_t i = 0; i < count && good; i++) {
        struct packed_stream *s = NULL;
        for (size_t k = 0; k < p->streams.count; k++)
            if (p->streams.items[k]->first == firsts[i])
                s = p->streams.items[k];
        if (!s)
            s = add_stream(p, firsts[i]);
        if (!s->failed)
            *any |= pump(p, s, at_end, &good, error);
    }
    free(firsts);
    return good;
}

static bool follow(struct packing *p, struct error *error)
{
    long pause = PAUSE_LEAST_US;
    for (;;) {
        bool any, running = trace_events_running(&p->events);
        if (!trace_events_refresh(&p->events))
            return error_set(error, "its events file was cut");
        if (!pump_all(p, !running, &any, error))
            return false;
        if (any) {
            pause = PAUSE_LEAST_US;
            continue;
        }
        if (!running)
            return true;
        const struct timespec time = {.tv_nsec = pause * 1000};
        nanosleep(&time, NULL);
        pause = pause * 2 < PAUSE_MOST_US ? pause * 2 : PAUSE_MOST_US;
    }
}

/* Is nothing left that could not be packed? */
static bool all_packed(const struct packing *p)
{
    if (p->events.header.flags & TRACE_FLAG_LOST) /* only this flag says so */
        return false;
    for (size_t i = 0; i < p->streams.count; i++)
        if (p->streams.items[i]->failed || p->streams.items[i]->chunk.events.length ||
            p->streams.items[i]->chunk.records.count)
            return false;
    return true;
}

/* One process at a time packs a file: others wait, and go on where it stopped. *gone: nothing is
 * left to do. */
static bool lock_events(struct packing *p, bool *gone, struct error *error)
{
    struct stat st;
    int result;
    while ((result = flock(p->events.fd, LOCK_EX)) < 0 && errno == EINTR)
        ;
    if (result < 0 || fstat(p->events.fd, &st) < 0 || !trace_events_refresh(&p->events))
        return error_set(error, "its events file cannot be locked: %s", strerror(errno));
    *gone = st.st_nlink == 0;
    return true;
}

static bool open_all(struct packing *p, const char *events_path, bool *gone, struct error *error)
{
    uint32_t kind;
    uint64_t size;
    if (!trace_events_open(&p->events, events_path, true, error) || !lock_events(p, gone, error))
        return false;
    if (*gone)
        return true;
    int fd = data_open(p->path, &kind, &size, error);
    if (fd < 0 || !data_file_read(&p->data, fd, error))
        return false;
    if (!trace_events_belong(&p->events, &p->data.header, error))
        return error_prefix(error, "its events file '%s'", events_path);
    if (!trace_packer_open(&p->packer, p->path, error))
        return false;
    p->packer.most = p->events.header.most;
    trace_chunks_list(&p->before, p->packer.fd, p->data.header.traces);
    return trace_modules_load(&p->modules, NULL, &p->data, NULL, error);
}

/* ours: this process is the follower, and waits for its program whatever happens. */
static bool pack_file(const char *data, const char *events_path, bool ours, struct error *error)
{
    struct packing p = {.path = data, .events.fd = -1, .packer.fd = -1, .data.fd = -1};
    bool gone = false, good = open_all(&p, events_path, &gone, error);
    if (good && !gone && !ours && trace_events_unsettled(&p.events))
        good = error_set(error, "it cannot be seen here whether its program still runs, in another pid "
                                "namespace: pack it there");
    if (good && !gone) {
        uint64_t self = (uint64_t)getpid(), unsealed = 0;
        good = (pwrite(p.events.fd, &unsealed, 8, offsetof(struct trace_header, seal)) == 8 &&
                pwrite(p.events.fd, &self, 8, offsetof(struct trace_header, follower)) == 8) ||
               error_set(error, "its events file cannot be written: %s", strerror(errno));
        good = good && follow(&p, error);
        trace_events_change(&p.events);
        if (good && all_packed(&p) && unlink(events_path) < 0)
            good = error_set(error, "its events file cannot be removed: %s", strerror(errno));
    }
    for (size_t i = 0; i < p.streams.count; i++)
        free_stream(p.streams.items[i]);
    ARRAY_RELEASE(&p.streams);
    trace_modules_release(&p.modules);
    trace_chunks_release(&p.before);
    trace_packer_close(&p.packer);
    data_file_release(&p.data);
    if (p.events.streams)
        trace_events_close(&p.events);
    return good;
}

/* Is this process the follower of the file? The runtime noted its id before it became one. */
static bool is_ours(const char *events_path)
{
    struct trace_events e;
    struct error ignored;
    if (!trace_events_open(&e, events_path, false, &ignored))
        return false;
    bool ours = e.header.follower == (uint64_t)getpid();
    trace_events_close(&e);
    return ours;
}

bool trace_pack(const char *data, struct error *error)
{
    struct trace_names names = {0};
    bool good = true, ours = false;
    signal(SIGXFSZ, SIG_IGN); /* a part that does not fit in RLIMIT_FSIZE stays in the events file */
    trace_events_find(&names, data);
    for (size_t i = 0; i < names.count && !ours; i++)
        if ((ours = is_ours(names.items[i])))
            good = pack_file(data, names.items[i], true, error);
    for (size_t i = 0; i < names.count && good && !ours; i++)
        good = pack_file(data, names.items[i], false, error);
    if (!names.count)
        good = error_set(error, "there is no events file beside '%s'", data);
    trace_names_release(&names);
    return good;
}
