/* Files of chunks, and single chunks in other files: format/container.h. */
#include "format/container.h"
#include "base/whole.h"
#include "base/hash.h"
#include "base/unfinished.h"
#include "format/data/data.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { HEADER = 64, TABLE_HEAD = 16, TABLE_ENTRY = 32, CHUNKS_MOST = 1024 };
#define CHUNK_BYTES_MOST (1ull << 32)

/* ---- One chunk ---- */

uint8_t *container_chunk_read(const struct container_chunk *chunk, int fd, uint64_t most,
                              enum container_state *state)
{
    const off_t end = lseek(fd, 0, SEEK_END);
    if (end < 0 || chunk->offset > (uint64_t)end || chunk->length > (uint64_t)end - chunk->offset) {
        *state = CONTAINER_CUT_SHORT;
        return NULL;
    }
    if (chunk->length > most) {
        *state = CONTAINER_TOO_LONG;
        return NULL;
    }
    uint8_t *bytes = ALLOC(uint8_t, (size_t)chunk->length + 1);
    if (!data_read_at(fd, bytes, (size_t)chunk->length, chunk->offset))
        *state = CONTAINER_UNREADABLE;
    else if (hash_bytes(bytes, (size_t)chunk->length) != chunk->hash)
        *state = CONTAINER_WRONG_CHECKSUM;
    else {
        *state = CONTAINER_WHOLE;
        return bytes;
    }
    free(bytes);
    return NULL;
}

uint64_t container_space_of(uint64_t length)
{
    return (length + DATA_PAGE - 1) / DATA_PAGE * DATA_PAGE;
}

uint64_t container_take_space(uint64_t *end, uint64_t length)
{
    return __atomic_fetch_add(end, container_space_of(length), __ATOMIC_ACQ_REL);
}

bool container_chunk_append(struct container_chunk *chunk, int fd, uint64_t *end, const void *bytes,
                            size_t length)
{
    *chunk = (struct container_chunk){
        .offset = container_take_space(end, length), .length = length, .hash = hash_bytes(bytes, length)};
    return write_whole_at(fd, bytes, length, chunk->offset);
}

/* ---- Writing a file of chunks ---- */

struct buffer *container_writer_add(struct container_writer *w, uint32_t type)
{
    struct container_part *part = ARRAY_ADD(w);
    *part = (struct container_part){.type = type};
    return &part->bytes;
}

void container_writer_release(struct container_writer *w)
{
    for (size_t i = 0; i < w->count; i++)
        buffer_release(&w->items[i].bytes);
    ARRAY_RELEASE(w);
}

static void add_header(struct buffer *out, uint32_t kind, uint64_t end)
{
    buffer_add(out, DATA_MAGIC, 8);
    buffer_add_u32(out, DATA_VERSION);
    buffer_add_u32(out, kind);
    buffer_add_u32(out, HEADER);
    buffer_add_u32(out, 0);
    buffer_add_u64(out, end);
    buffer_add_u64(out, HEADER); /* where the table begins */
    for (size_t i = 0; i < 3; i++)
        buffer_add_u64(out, 0);
}

void container_writer_assemble(const struct container_writer *w, uint32_t kind, struct buffer *out)
{
    struct buffer table = {0};
    uint64_t at = HEADER + TABLE_HEAD + w->count * TABLE_ENTRY;
    buffer_add_u32(&table, (uint32_t)w->count);
    buffer_add_u32(&table, 0);
    for (size_t i = 0; i < w->count; i++) {
        const struct container_part *part = &w->items[i];
        buffer_add_u32(&table, part->type);
        buffer_add_u32(&table, 0);
        buffer_add_u64(&table, at);
        buffer_add_u64(&table, part->bytes.length);
        buffer_add_u64(&table, hash_bytes(part->bytes.data, part->bytes.length));
        at += part->bytes.length;
    }
    add_header(out, kind, at);
    buffer_add_u64(out, hash_bytes(table.data, table.length));
    buffer_add(out, table.data, table.length);
    buffer_release(&table);
    for (size_t i = 0; i < w->count; i++)
        buffer_add(out, w->items[i].bytes.data, w->items[i].bytes.length);
}

/* Invariant 4. */
static bool write_file(const struct buffer *b, const char *path, struct error *error)
{
    struct stat st;
    bool there = stat(path, &st) == 0, straight = there && !S_ISREG(st.st_mode);
    char *target = there && !straight ? realpath(path, NULL) : memory_string(path), *temporary = NULL;
    int fd = -1;
    if (!target)
        return error_set(error, "cannot write '%s': %s", path, strerror(errno));
    if (straight) {
        fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    } else {
        fd = unfinished_create(target, &temporary);
    }
    bool ok = fd >= 0 && write_whole(fd, b->data, b->length) && (straight || fsync(fd) == 0);
    int saved = errno;
    if (fd >= 0 && close(fd) < 0 && ok) {
        ok = false;
        saved = errno;
    }
    if (ok && temporary && rename(temporary, target) < 0) {
        ok = false;
        saved = errno;
    }
    if (!ok && fd >= 0 && temporary)
        unlink(temporary);
    unfinished_end();
    free(temporary);
    free(target);
    return ok || error_set(error, "cannot write '%s': %s", path, strerror(saved));
}

bool container_writer_save(const struct container_writer *w, uint32_t kind, const char *path,
                           struct error *error)
{
    struct buffer b = {0};
    container_writer_assemble(w, kind, &b);
    bool ok = write_file(&b, path, error);
    buffer_release(&b);
    return ok;
}

/* ---- Reading a file of chunks ---- */

static bool explain(enum container_state state, uint32_t type, uint64_t length, struct error *error)
{
    switch (state) {
    case CONTAINER_WHOLE:
        return true;
    case CONTAINER_TOO_LONG:
        return error_set(error, "is damaged: chunk %u claims %llu bytes", type, (unsigned long long)length);
    case CONTAINER_WRONG_CHECKSUM:
        return error_set(error, "is damaged: chunk %u has a wrong checksum", type);
    default:
        return error_set(error, "is cut short: chunk %u does not fit", type);
    }
}

static bool read_known(struct container_reader *r, int fd, uint32_t type, const struct container_chunk *chunk,
                       struct error *error)
{
    enum container_state state;
    if (r->chunks[type].bytes)
        return error_set(error, "is damaged: chunk %u is there twice", type);
    r->chunks[type].bytes = container_chunk_read(chunk, fd, CHUNK_BYTES_MOST, &state);
    r->chunks[type].length = (size_t)chunk->length;
    return explain(state, type, chunk->length, error);
}

/* The table, but for its hash, which is right. Newly allocated; NULL with an error. */
static uint8_t *read_table(int fd, uint64_t size, uint32_t *count, size_t *length, struct error *error)
{
    uint8_t head[TABLE_HEAD];
    if (size < HEADER + TABLE_HEAD || !data_read_at(fd, head, TABLE_HEAD, HEADER)) {
        error_set(error, "is cut short: it ends before its table of chunks");
        return NULL;
    }
    struct cursor c = cursor_over(head, TABLE_HEAD);
    const uint64_t hash = cursor_u64(&c);
    *count = cursor_u32(&c);
    if (*count > CHUNKS_MOST) {
        error_set(error, "is damaged: %u chunks", *count);
        return NULL;
    }
    *length = TABLE_HEAD - 8 + (size_t)*count * TABLE_ENTRY;
    uint8_t *table = ALLOC(uint8_t, *length);
    if (!data_read_at(fd, table, *length, HEADER + 8))
        error_set(error, "is cut short: it ends inside its table of chunks");
    else if (hash_bytes(table, *length) != hash)
        error_set(error, "is damaged: its table of chunks has a wrong checksum");
    else
        return table;
    free(table);
    return NULL;
}

bool container_reader_open(struct container_reader *r, int fd, uint64_t size, uint32_t last_type,
                           struct error *error)
{
    *r = (struct container_reader){.last_type = last_type};
    uint32_t count;
    size_t length;
    uint8_t *table = read_table(fd, size, &count, &length, error);
    if (!table)
        return false;
    r->chunks = ZALLOC(struct container_read, (size_t)last_type + 1);
    struct cursor c = cursor_over(table, length);
    cursor_u64(&c); /* the number of chunks, and 0 */
    bool ok = true;
    for (uint32_t i = 0; ok && i < count; i++) {
        const uint32_t type = cursor_u32(&c);
        cursor_u32(&c);
        struct container_chunk chunk;
        chunk.offset = cursor_u64(&c);
        chunk.length = cursor_u64(&c);
        chunk.hash = cursor_u64(&c);
        if (type >= 1 && type <= last_type) /* invariant 3 */
            ok = read_known(r, fd, type, &chunk, error);
    }
    free(table);
    if (!ok)
        container_reader_release(r);
    return ok;
}

bool container_reader_chunk(const struct container_reader *r, uint32_t type, struct cursor *c)
{
    if (!r->chunks || type > r->last_type || !r->chunks[type].bytes)
        return false;
    *c = cursor_over(r->chunks[type].bytes, r->chunks[type].length);
    return true;
}

bool container_chunk_ended(const struct cursor *c, uint32_t type, struct error *error)
{
    return (!c->failed && !cursor_left(c)) || error_set(error, "is damaged: chunk %u makes no sense", type);
}

void container_reader_release(struct container_reader *r)
{
    for (uint32_t type = 0; r->chunks && type <= r->last_type; type++)
        free(r->chunks[type].bytes);
    free(r->chunks);
    *r = (struct container_reader){0};
}
