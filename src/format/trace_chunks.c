#include "format/trace_chunks.h"
#include "base/hash.h"
#include "format/data.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zstd.h>

enum {
    LEVEL = 1, /* 3 makes events smaller by a tenth, and takes twice the time */
    SIZES_MOST = 9 * 10,
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
    uint64_t hash = hash_bytes(&e->offset, sizeof *e - offsetof(struct trace_chunk_entry, offset));
    return hash ? hash : 1;
}

/* ---- Writing ---- */

static size_t add_packed(struct buffer *out, const void *bytes, size_t length)
{
    size_t room = ZSTD_compressBound(length);
    uint8_t *packed = ALLOC(uint8_t, room + 1);
    size_t size = length ? ZSTD_compress(packed, room, bytes, length, LEVEL) : 0;
    bool smaller = !ZSTD_isError(size) && size < length;
    buffer_add(out, smaller ? packed : bytes, smaller ? size : length);
    free(packed);
    return smaller ? size : length;
}

static void add_sizes(struct buffer *out, const uint64_t *sizes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        buffer_add_varint(out, sizes[i]);
}

static void pack(struct buffer *out, const struct trace_chunk *c)
{
    struct buffer events = {0}, names = {0}, whats = {0}, calls = {0}, packed_whats = {0}, packed_calls = {0};
    struct hash_map numbers = {0};
    uint64_t before = 0;
    for (size_t i = 0; i < c->records.count; i++) {
        const struct trace_record *r = &c->records.items[i];
        bool added;
        uint64_t *number = hash_map_put(&numbers, r->what, &added);
        if (added) {
            *number = numbers.count - 1;
            buffer_add_u64(&names, r->what);
        }
        buffer_add_varint(&whats, *number);
        buffer_add_signed(&calls, (int64_t)(r->calls - before));
        before = r->calls;
    }
    uint64_t sizes[9] = {c->sync.length,
                         c->events.length,
                         0,
                         c->records.count,
                         numbers.count,
                         whats.length,
                         0,
                         calls.length,
                         0};
    sizes[2] = add_packed(&events, c->events.data, c->events.length);
    sizes[6] = add_packed(&packed_whats, whats.data, whats.length);
    sizes[8] = add_packed(&packed_calls, calls.data, calls.length);
    add_sizes(out, sizes, sizeof sizes / sizeof *sizes);
    buffer_add(out, c->sync.data, c->sync.length);
    buffer_add(out, events.data, events.length);
    buffer_add(out, names.data, names.length);
    buffer_add(out, packed_whats.data, packed_whats.length);
    buffer_add(out, packed_calls.data, packed_calls.length);
    buffer_release(&events);
    buffer_release(&names);
    buffer_release(&whats);
    buffer_release(&calls);
    buffer_release(&packed_whats);
    buffer_release(&packed_calls);
    hash_map_release(&numbers);
}

bool trace_packer_open(struct trace_packer *p, const char *path, struct error *error)
{
    *p = (struct trace_packer){.fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)};
    if (p->fd < 0)
        return error_set(error, "cannot open: %s", strerror(errno));
    struct data_header h;
    if (!data_read_at(p->fd, &h, sizeof h, 0) || memcmp(h.magic, DATA_MAGIC, 8) ||
        h.version != DATA_VERSION || h.kind != DATA_KIND_RUN || h.header_size < sizeof h)
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
    *p = (struct trace_packer){.fd = -1};
}

static bool write_at(int fd, const void *bytes, size_t length, uint64_t offset)
{
    for (const uint8_t *at = bytes; length;) {
        ssize_t done = pwrite(fd, at, length, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return false;
        at += done;
        offset += (uint64_t)done;
        length -= (size_t)done;
    }
    return true;
}

static uint64_t take_space(struct trace_packer *p, size_t length)
{
    return __atomic_fetch_add(&p->header->end, (length + DATA_PAGE - 1) / DATA_PAGE * DATA_PAGE,
                              __ATOMIC_ACQ_REL);
}

/* A fresh page of entries, in front of the list. */
static bool add_page(struct trace_packer *p)
{
    p->page = (struct trace_chunk_page){0};
    p->used = 0;
    p->page_offset = take_space(p, DATA_PAGE);
    p->page.next = __atomic_load_n(&p->header->traces, __ATOMIC_ACQUIRE);
    do {
        if (!write_at(p->fd, &p->page, sizeof p->page, p->page_offset))
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

bool trace_packer_add(struct trace_packer *p, struct trace_chunk *c, struct error *error)
{
    struct buffer bytes = {0};
    struct trace_chunk_entry *e = &c->entry;
    pack(&bytes, c);
    if (c->words.length)
        add_words(&bytes, c);
    e->offset = take_space(p, bytes.length);
    e->length = bytes.length;
    e->hash = hash_bytes(bytes.data, bytes.length);
    e->events = c->events.length;
    e->records = (uint32_t)c->records.count;
    e->flags = c->sync.length ? e->flags | TRACE_CHUNK_ALONE : e->flags & ~(uint32_t)TRACE_CHUNK_ALONE;
    e->check = entry_check(e);
    bool written = write_at(p->fd, bytes.data, bytes.length, e->offset);
    buffer_release(&bytes);
    if (written && (!p->page_offset || p->used == TRACE_CHUNKS_A_PAGE)) {
        written = add_page(p);
        if (!written)
            p->page_offset = 0;
    }
    if (written) {
        p->page.entries[p->used] = *e;
        written = write_at(p->fd, e, sizeof *e,
                           p->page_offset + offsetof(struct trace_chunk_page, entries) + p->used * sizeof *e);
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
    ORDER_BY(offset);
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
                list->damaged += e->check || e->offset;
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

/* The next `packed` bytes, unpacked, appended to `to`. */
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

static bool read_records(struct trace_chunk *chunk, struct cursor *c, const uint64_t *sizes)
{
    const uint8_t *names = sizes[4] <= cursor_left(c) / 8 ? cursor_bytes(c, (size_t)sizes[4] * 8) : NULL;
    struct buffer whats = {0}, calls = {0};
    bool good = names && read_packed(c, (size_t)sizes[6], (size_t)sizes[5], &whats) &&
                read_packed(c, (size_t)sizes[8], (size_t)sizes[7], &calls);
    struct cursor what = cursor_over(whats.length ? whats.data : (const uint8_t *)"", whats.length),
                  call = cursor_over(calls.length ? calls.data : (const uint8_t *)"", calls.length);
    uint64_t before = 0;
    for (uint64_t i = 0; good && i < sizes[3]; i++) {
        uint64_t number = cursor_varint(&what);
        before += (uint64_t)cursor_signed(&call);
        struct trace_record r = {.calls = before};
        good = number < sizes[4] && !what.failed && !call.failed;
        if (good)
            memcpy(&r.what, names + 8 * number, 8);
        ARRAY_PUSH(&chunk->records, r);
    }
    good = good && !cursor_left(&what) && !cursor_left(&call);
    buffer_release(&whats);
    buffer_release(&calls);
    return good;
}

/* Takes them off the end. */
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
    struct trace_chunk_words words;
    bool good = entry->flags & TRACE_CHUNK_ADDRESSES && entry->length >= sizeof words && entry->offset <= INT64_MAX &&
                entry->length <= INT64_MAX - entry->offset &&
                data_read_at(fd, &words, sizeof words, entry->offset + entry->length - sizeof words) &&
                words.check == words_check(&words);
    return good ? words : (struct trace_chunk_words){0};
}

static bool unpack(struct trace_chunk *chunk, const uint8_t *bytes, size_t length)
{
    if (chunk->entry.flags & TRACE_CHUNK_ADDRESSES && !unpack_words(chunk, bytes, &length))
        return false;
    struct cursor c = cursor_over(bytes, length);
    uint64_t sizes[9];
    for (size_t i = 0; i < 9; i++)
        sizes[i] = cursor_varint(&c);
    if (c.failed || sizes[0] > TRACE_CHUNK_SYNC || sizes[1] > TRACE_CHUNK_EVENTS ||
        sizes[3] > TRACE_CHUNK_RECORDS || sizes[5] > 10ull * TRACE_CHUNK_RECORDS ||
        sizes[7] > 10ull * TRACE_CHUNK_RECORDS || sizes[1] != chunk->entry.events ||
        sizes[3] != chunk->entry.records)
        return false;
    for (size_t i = 0; i < 9; i++) /* none of what is stored is longer than the chunk */
        if ((i == 0 || i == 2 || i == 4 || i == 6 || i == 8) && sizes[i] > length)
            return false;
    const uint8_t *sync = cursor_bytes(&c, (size_t)sizes[0]);
    if (!sync)
        return false;
    buffer_add(&chunk->sync, sync, (size_t)sizes[0]);
    return read_packed(&c, (size_t)sizes[2], (size_t)sizes[1], &chunk->events) &&
           read_records(chunk, &c, sizes) && !cursor_left(&c);
}

bool trace_chunk_read(struct trace_chunk *c, int fd, const struct trace_chunk_entry *entry,
                      struct error *error)
{
    c->entry = *entry;
    c->sync.length = c->events.length = c->words.length = 0;
    c->words_say = (struct trace_chunk_words){0};
    c->records.count = 0;
    size_t most = SIZES_MOST + TRACE_CHUNK_SYNC + 40u * TRACE_CHUNK_RECORDS + 2 * TRACE_CHUNK_EVENTS;
    if (entry->flags & TRACE_CHUNK_ADDRESSES)
        most += WORDS_MOST;
    if (entry->length > most || entry->offset > INT64_MAX - most)
        return error_set(error, "is damaged: %llu bytes long", (unsigned long long)entry->length);
    uint64_t end = (uint64_t)lseek(fd, 0, SEEK_END);
    if (entry->offset > end || entry->length > end - entry->offset)
        return error_set(error, "is cut off: the file ends at %llu", (unsigned long long)end);
    uint8_t *bytes = ALLOC(uint8_t, (size_t)entry->length + 1);
    bool good = data_read_at(fd, bytes, (size_t)entry->length, entry->offset);
    if (!good)
        error_set(error, "cannot be read");
    else if (!(good = hash_bytes(bytes, (size_t)entry->length) == entry->hash))
        error_set(error, "is damaged: its checksum is wrong");
    else if (!(good = unpack(c, bytes, (size_t)entry->length)))
        error_set(error, "is damaged: it cannot be unpacked");
    free(bytes);
    return good;
}
