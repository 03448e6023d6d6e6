#include "format/trace/chunks.h"
#include "base/whole.h"
#include "base/hash.h"
#include "format/data/data.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

enum {
    SIZES_MOST = 11 * 10,
    COLUMN_MOST = 20 * TRACE_CHUNK_RECORDS + 16,
    WORDS_MOST = 1 << 30, /* bytes */
};

void trace_chunk_release(struct trace_chunk *c)
{
    buffer_release(&c->sync);
    buffer_release(&c->events);
    buffer_release(&c->words);
    ARRAY_RELEASE(&c->records);
    *c = (struct trace_chunk){0};
}

static uint64_t entry_check(const struct trace_chunk_entry *e)
{
    uint64_t hash = hash_bytes(&e->stored, sizeof *e - offsetof(struct trace_chunk_entry, stored));
    return hash ? hash : 1;
}

/* ---- Writing ---- */

/*
 * How events are packed. The events of a loop repeat earlier ones, but hardly ever the last ones
 * that began alike: so the longest match of 16 candidates with the same six bytes is taken.
 * Compared with zstd's level 1 that makes a quarter to a half fewer bytes, takes three times as
 * long (less than regenerating the blocks takes), and is unpacked faster. More candidates save
 * another 5 %; level 6 packs worse and slower.
 */
static const struct {
    ZSTD_cParameter parameter;
    int value;
} packing[] = {
    {ZSTD_c_compressionLevel, 5}, {ZSTD_c_strategy, ZSTD_greedy}, {ZSTD_c_minMatch, 6},
    {ZSTD_c_searchLog, 4},        {ZSTD_c_hashLog, 18},           {ZSTD_c_chainLog, 18},
    {ZSTD_c_windowLog, 20},
};

size_t trace_pack_bytes(struct buffer *out, const void *bytes, size_t length)
{
    size_t room = ZSTD_compressBound(length), size = 0;
    uint8_t *packed = ALLOC(uint8_t, room + 1);
    ZSTD_CCtx *context = length ? ZSTD_createCCtx() : NULL;
    for (size_t i = 0; context && i < sizeof packing / sizeof *packing; i++)
        ZSTD_CCtx_setParameter(context, packing[i].parameter, packing[i].value);
    if (context)
        size = ZSTD_compress2(context, packed, room, bytes, length);
    bool smaller = context && !ZSTD_isError(size) && size < length;
    buffer_add(out, smaller ? packed : bytes, smaller ? size : length);
    ZSTD_freeCCtx(context);
    free(packed);
    return smaller ? size : length;
}

/*
 * Columns of records. The first part of every record is in columns 1 and 2. The further parts of a
 * record are in column 3, since their numbers are of other kinds: how many parts, then the two
 * words of each, less those of the same part of the last such record.
 */
enum { PART_KINDS = 16, PARTS_APART = 4 };
struct last_parts {
    struct trace_record of[PART_KINDS][PARTS_APART];
};

static struct trace_record *last_part(struct last_parts *last, uint64_t kind, size_t part)
{
    return &last->of[kind % PART_KINDS][part < PARTS_APART ? part : PARTS_APART - 1];
}

struct columns {
    struct buffer names, whats, calls, parts;
    struct hash_map numbers;
};

static void make_columns(struct columns *to, const struct trace_record *records, size_t count)
{
    struct last_parts last = {0};
    uint64_t before = 0;
    for (size_t i = 0; i < count; i++) {
        const struct trace_record *r = &records[i];
        bool added, enters = r->what >= TRACE_KINDS;
        const uint64_t calls = enters ? r->calls & TRACE_CALLS_MASK : r->calls,
                       name[2] = {r->what, enters ? trace_record_module(r) : 0};
        uint64_t *number = hash_map_put(&to->numbers, hash_bytes(name, sizeof name), &added);
        if (added) {
            *number = to->numbers.count - 1;
            buffer_add_u64(&to->names, name[0]);
            buffer_add_u64(&to->names, name[1]);
        }
        buffer_add_varint(&to->whats, *number);
        buffer_add_signed(&to->calls, (int64_t)(calls - before));
        before = calls;
        if (r->what >= TRACE_KINDS)
            continue;
        size_t parts = trace_record_parts(r, count - i);
        buffer_add_varint(&to->parts, parts ? parts - 1 : 0);
        for (size_t k = 1; k < parts; k++) {
            struct trace_record *was = last_part(&last, r->what, k);
            buffer_add_signed(&to->parts, (int64_t)(r[k].what - was->what));
            buffer_add_signed(&to->parts, (int64_t)(r[k].calls - was->calls));
            *was = r[k];
            i++;
        }
    }
}

/* The varints with which a chunk begins. */
enum {
    SYNC,
    EVENTS,
    EVENTS_PACKED,
    RECORDS,
    NAMES,
    WHATS,
    WHATS_PACKED,
    CALLS,
    CALLS_PACKED,
    PARTS,
    PARTS_PACKED,
    SIZES
};

static void pack(struct buffer *out, const struct trace_chunk *c)
{
    struct buffer events = {0}, whats = {0}, calls = {0}, parts = {0};
    struct columns columns = {0};
    make_columns(&columns, c->records.items, c->records.count);
    const uint64_t sizes[SIZES] = {
        [SYNC] = c->sync.length,
        [EVENTS] = c->events.length,
        [EVENTS_PACKED] = trace_pack_bytes(&events, c->events.data, c->events.length),
        [RECORDS] = c->records.count,
        [NAMES] = columns.numbers.count,
        [WHATS] = columns.whats.length,
        [WHATS_PACKED] = trace_pack_bytes(&whats, columns.whats.data, columns.whats.length),
        [CALLS] = columns.calls.length,
        [CALLS_PACKED] = trace_pack_bytes(&calls, columns.calls.data, columns.calls.length),
        [PARTS] = columns.parts.length,
        [PARTS_PACKED] = trace_pack_bytes(&parts, columns.parts.data, columns.parts.length),
    };
    for (size_t i = 0; i < SIZES; i++)
        buffer_add_varint(out, sizes[i]);
    const struct buffer *pieces[] = {&c->sync, &events, &columns.names, &whats, &calls, &parts};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++)
        buffer_add(out, pieces[i]->data, pieces[i]->length);
    buffer_release(&events);
    buffer_release(&whats);
    buffer_release(&calls);
    buffer_release(&parts);
    buffer_release(&columns.names);
    buffer_release(&columns.whats);
    buffer_release(&columns.calls);
    buffer_release(&columns.parts);
    hash_map_release(&columns.numbers);
}

bool trace_packer_open(struct trace_packer *p, const char *path, struct error *error)
{
    *p = (struct trace_packer){.fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)};
    if (p->fd < 0)
        return error_set(error, "cannot open: %s", strerror(errno));
    struct data_header h;
    if (!data_header_read(p->fd, &h) || memcmp(h.magic, DATA_MAGIC, 8) || h.version != DATA_VERSION ||
        h.kind != DATA_KIND_RUN || !DATA_HEADER_HAS(&h, traces))
        error_set(error, "is no run file that can hold traces");
    else {
        p->header = mmap(NULL, DATA_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, p->fd, 0);
        if (p->header != MAP_FAILED)
            return true;
        error_set(error, "cannot be mapped: %s", strerror(errno));
    }
    p->header = NULL;
    trace_packer_close(p);
    return false;
}

void trace_packer_close(struct trace_packer *p)
{
    if (p->header)
        munmap(p->header, DATA_PAGE);
    if (p->fd >= 0)
        close(p->fd);
    ARRAY_RELEASE(&p->made);
    *p = (struct trace_packer){.fd = -1};
}

/* Puts a new page of entries in front of the list. */
static bool add_page(struct trace_packer *p)
{
    p->page = (struct trace_chunk_page){0};
    p->used = 0;
    p->page_offset = container_take_space(&p->header->end, DATA_PAGE);
    p->page.next = __atomic_load_n(&p->header->traces, __ATOMIC_ACQUIRE);
    do {
        if (!write_whole_at(p->fd, &p->page, sizeof p->page, p->page_offset))
            return false;
    } while (!__atomic_compare_exchange_n(&p->header->traces, &p->page.next, p->page_offset, false,
                                          __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
    return true;
}

static uint64_t words_check(const struct trace_chunk_words *w)
{
    return hash_bytes(w, offsetof(struct trace_chunk_words, check));
}

static void add_words(struct buffer *out, struct trace_chunk *c)
{
    c->entry.flags |= TRACE_CHUNK_ADDRESSES;
    c->words_say.length = c->words.length;
    c->words_say.check = words_check(&c->words_say);
    buffer_add(out, c->words.data, c->words.length);
    buffer_add(out, &c->words_say, sizeof c->words_say);
}

/* Gives the space of the oldest chunks back. Their entries stay, and say that they were dropped. */
static void drop_oldest(struct trace_packer *p)
{
    for (; p->held > p->most && p->dropped + 1 < p->made.count; p->dropped++) {
        struct trace_placed_entry *oldest = &p->made.items[p->dropped];
        struct trace_chunk_entry *e = &oldest->entry;
        const uint64_t offset = e->stored.offset, length = container_space_of(e->stored.length);
        e->flags |= TRACE_CHUNK_DROPPED;
        e->stored = (struct container_chunk){0};
        e->check = entry_check(e);
        if (write_whole_at(p->fd, e, sizeof *e, oldest->at))
            (void)fallocate(p->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset, (off_t)length);
        p->held -= length;
    }
}

bool trace_packer_add(struct trace_packer *p, struct trace_chunk *c, struct error *error)
{
    struct buffer bytes = {0};
    struct trace_chunk_entry *e = &c->entry;
    pack(&bytes, c);
    if (c->words.length)
        add_words(&bytes, c);
    bool written = container_chunk_append(&e->stored, p->fd, &p->header->end, bytes.data, bytes.length);
    e->events = c->events.length;
    e->records = (uint32_t)c->records.count;
    e->flags |= TRACE_CHUNK_MODULES;
    e->flags = c->sync.length ? e->flags | TRACE_CHUNK_ALONE : e->flags & ~(uint32_t)TRACE_CHUNK_ALONE;
    e->check = entry_check(e);
    buffer_release(&bytes);
    if (written && (!p->page_offset || p->used == TRACE_CHUNKS_A_PAGE)) {
        written = add_page(p);
        if (!written)
            p->page_offset = 0;
    }
    if (written) {
        p->page.entries[p->used] = *e;
        written =
            write_whole_at(p->fd, e, sizeof *e,
                           p->page_offset + offsetof(struct trace_chunk_page, entries) + p->used * sizeof *e);
    }
    if (written && p->most) {
        const struct trace_placed_entry placed = {
            p->page_offset + offsetof(struct trace_chunk_page, entries) + p->used * sizeof *e, *e};
        ARRAY_PUSH(&p->made, placed);
        p->held += container_space_of(e->stored.length);
        drop_oldest(p);
    }
    p->used += written;
    return written || error_set(error, "cannot be written: %s", strerror(errno));
}

/* ---- Reading ---- */

static int by_stream(const void *left, const void *right)
{
    const struct trace_chunk_entry *a = left, *b = right;
#define ORDER_BY(field)                                                                                      \
    if (a->field != b->field)                                                                                \
    return a->field < b->field ? -1 : 1
    ORDER_BY(start_time);
    ORDER_BY(pid);
    ORDER_BY(stream);
    ORDER_BY(number);
    ORDER_BY(stored.offset);
#undef ORDER_BY
    return 0;
}

static bool same_chunk(const struct trace_chunk_entry *a, const struct trace_chunk_entry *b)
{
    return a->pid == b->pid && a->start_time == b->start_time && a->stream == b->stream &&
           a->number == b->number;
}

void trace_chunks_list(struct trace_chunk_list *list, int fd, uint64_t first_page)
{
    *list = (struct trace_chunk_list){0};
    struct hash_map seen = {0};
    for (uint64_t at = first_page; at;) {
        struct trace_chunk_page page;
        bool added;
        hash_map_put(&seen, at, &added);
        if (!added || at % DATA_PAGE || at > INT64_MAX || !data_read_at(fd, &page, sizeof page, at)) {
            list->damaged++;
            break;
        }
        for (uint32_t i = 0; i < TRACE_CHUNKS_A_PAGE; i++) {
            const struct trace_chunk_entry *e = &page.entries[i];
            if (e->check && e->check == entry_check(e))
                ARRAY_PUSH(&list->entries, *e);
            else
                list->damaged += e->check || e->stored.offset;
        }
        at = page.next;
    }
    hash_map_release(&seen);
    if (!list->entries.count)
        return;
    qsort(list->entries.items, list->entries.count, sizeof *list->entries.items, by_stream);
    size_t kept = 1;
    for (size_t i = 1; i < list->entries.count; i++) {
        if (same_chunk(&list->entries.items[kept - 1], &list->entries.items[i]))
            list->damaged++;
        else
            list->entries.items[kept++] = list->entries.items[i];
    }
    list->entries.count = kept;
}

void trace_chunks_release(struct trace_chunk_list *list)
{
    ARRAY_RELEASE(&list->entries);
}

/* Unpacks the next `packed` bytes and appends them to `to`. */
static bool read_packed(struct cursor *c, size_t packed, size_t unpacked, struct buffer *to)
{
    const uint8_t *bytes = cursor_bytes(c, packed);
    if (!bytes || packed > unpacked)
        return false;
    if (packed == unpacked) {
        buffer_add(to, bytes, unpacked);
        return true;
    }
    uint8_t *result = ALLOC(uint8_t, unpacked);
    bool good = ZSTD_decompress(result, unpacked, bytes, packed) == unpacked;
    if (good)
        buffer_add(to, result, unpacked);
    free(result);
    return good;
}

/* Reads the parts of a record after its first one. */
static bool read_parts(struct trace_chunk *chunk, struct cursor *c, uint64_t kind, uint64_t left,
                       struct last_parts *last)
{
    uint64_t count = cursor_varint(c);
    if (c->failed || count > left)
        return false;
    for (uint64_t k = 1; k <= count && !c->failed; k++) {
        struct trace_record *r = last_part(last, kind, (size_t)k);
        r->what += (uint64_t)cursor_signed(c);
        r->calls += (uint64_t)cursor_signed(c);
        ARRAY_PUSH(&chunk->records, *r);
    }
    return !c->failed;
}

static bool read_records(struct trace_chunk *chunk, struct cursor *c, const uint64_t *sizes)
{
    const bool modules = chunk->entry.flags & TRACE_CHUNK_MODULES;
    const size_t name = modules ? 16 : 8;
    const uint8_t *names =
        sizes[NAMES] <= cursor_left(c) / name ? cursor_bytes(c, (size_t)sizes[NAMES] * name) : NULL;
    struct buffer columns[3] = {0};
    struct cursor in[3];
    struct last_parts last = {0};
    bool good = names != NULL;
    for (int i = 0; i < 3; i++) {
        good = good &&
               read_packed(c, (size_t)sizes[WHATS_PACKED + 2 * i], (size_t)sizes[WHATS + 2 * i], &columns[i]);
        in[i] = cursor_over(columns[i].length ? columns[i].data : (const uint8_t *)"", columns[i].length);
    }
    uint64_t before = 0;
    while (good && chunk->records.count < sizes[RECORDS]) {
        uint64_t number = cursor_varint(&in[0]);
        before += (uint64_t)cursor_signed(&in[1]);
        struct trace_record r = {.calls = before};
        good = number < sizes[NAMES] && !in[0].failed && !in[1].failed;
        uint64_t module = TRACE_MODULE_UNKNOWN;
        if (good)
            memcpy(&r.what, names + name * number, 8);
        if (good && modules)
            memcpy(&module, names + name * number + 8, 8);
        if (r.what >= TRACE_KINDS)
            r.calls = (r.calls & TRACE_CALLS_MASK) | module << TRACE_MODULE_SHIFT;
        ARRAY_PUSH(&chunk->records, r);
        if (good && r.what < TRACE_KINDS)
            good = read_parts(chunk, &in[2], r.what, sizes[RECORDS] - chunk->records.count, &last);
    }
    for (int i = 0; i < 3; i++) {
        good = good && !cursor_left(&in[i]);
        buffer_release(&columns[i]);
    }
    return good;
}

/* Takes the words off the end of the chunk. */
static bool unpack_words(struct trace_chunk *chunk, const uint8_t *bytes, size_t *length)
{
    if (*length < sizeof chunk->words_say)
        return false;
    *length -= sizeof chunk->words_say;
    memcpy(&chunk->words_say, bytes + *length, sizeof chunk->words_say);
    if (chunk->words_say.check != words_check(&chunk->words_say) || chunk->words_say.length > *length)
        return false;
    *length -= (size_t)chunk->words_say.length;
    buffer_add(&chunk->words, bytes + *length, (size_t)chunk->words_say.length);
    return true;
}

struct trace_chunk_words trace_chunk_words(int fd, const struct trace_chunk_entry *entry)
{
    const struct container_chunk *at = &entry->stored;
    struct trace_chunk_words words;
    bool good = entry->flags & TRACE_CHUNK_ADDRESSES && at->length >= sizeof words &&
                at->offset <= INT64_MAX && at->length <= INT64_MAX - at->offset &&
                data_read_at(fd, &words, sizeof words, at->offset + at->length - sizeof words) &&
                words.check == words_check(&words);
    return good ? words : (struct trace_chunk_words){0};
}

static bool unpack(struct trace_chunk *chunk, const uint8_t *bytes, size_t length)
{
    if (chunk->entry.flags & TRACE_CHUNK_ADDRESSES && !unpack_words(chunk, bytes, &length))
        return false;
    struct cursor c = cursor_over(bytes, length);
    uint64_t sizes[SIZES];
    for (size_t i = 0; i < SIZES; i++)
        sizes[i] = cursor_varint(&c);
    if (c.failed || sizes[SYNC] > TRACE_CHUNK_SYNC || sizes[EVENTS] > TRACE_CHUNK_EVENTS ||
        sizes[RECORDS] > TRACE_CHUNK_RECORDS || sizes[WHATS] > COLUMN_MOST || sizes[CALLS] > COLUMN_MOST ||
        sizes[PARTS] > COLUMN_MOST || sizes[EVENTS] != chunk->entry.events ||
        sizes[RECORDS] != chunk->entry.records)
        return false;
    static const uint8_t stored[] = {SYNC, EVENTS_PACKED, NAMES, WHATS_PACKED, CALLS_PACKED, PARTS_PACKED};
    for (size_t i = 0; i < sizeof stored; i++) /* no stored piece is longer than the chunk */
        if (sizes[stored[i]] > length)
            return false;
    const uint8_t *sync = cursor_bytes(&c, (size_t)sizes[SYNC]);
    if (!sync)
        return false;
    buffer_add(&chunk->sync, sync, (size_t)sizes[SYNC]);
    return read_packed(&c, (size_t)sizes[EVENTS_PACKED], (size_t)sizes[EVENTS], &chunk->events) &&
           read_records(chunk, &c, sizes) && !cursor_left(&c);
}

/* The packed bytes of a chunk, newly allocated. NULL if they are not as they were written: error
 * says why. */
static uint8_t *read_whole(int fd, const struct trace_chunk_entry *entry, struct error *error)
{
    if (entry->flags & TRACE_CHUNK_DROPPED) {
        error_set(error, "was dropped, as COTREE_TRACE_MAX asks");
        return NULL;
    }
    size_t most = SIZES_MOST + TRACE_CHUNK_SYNC + 48u * TRACE_CHUNK_RECORDS + 2 * TRACE_CHUNK_EVENTS;
    if (entry->flags & TRACE_CHUNK_ADDRESSES)
        most += WORDS_MOST;
    enum container_state state;
    uint8_t *bytes = container_chunk_read(&entry->stored, fd, most, &state);
    if (state == CONTAINER_TOO_LONG)
        error_set(error, "is damaged: %llu bytes long", (unsigned long long)entry->stored.length);
    else if (state == CONTAINER_CUT_SHORT)
        error_set(error, "is cut off: the file ends at %lld", (long long)lseek(fd, 0, SEEK_END));
    else if (state == CONTAINER_UNREADABLE)
        error_set(error, "cannot be read");
    else if (state == CONTAINER_WRONG_CHECKSUM)
        error_set(error, "is damaged: its checksum is wrong");
    return bytes;
}

bool trace_chunk_check(int fd, const struct trace_chunk_entry *entry, struct error *error)
{
    uint8_t *bytes = read_whole(fd, entry, error);
    free(bytes);
    return bytes;
}

bool trace_chunk_read(struct trace_chunk *c, int fd, const struct trace_chunk_entry *entry,
                      struct error *error)
{
    c->entry = *entry;
    c->sync.length = c->events.length = c->words.length = 0;
    c->words_say = (struct trace_chunk_words){0};
    c->records.count = 0;
    uint8_t *bytes = read_whole(fd, entry, error);
    bool good = bytes && (unpack(c, bytes, (size_t)entry->stored.length) ||
                          error_set(error, "is damaged: it cannot be unpacked"));
    free(bytes);
    return good;
}
