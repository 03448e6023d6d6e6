/*
 * Chunks: checksummed pieces of a file. This is the one reader and the one writer of merged files
 * (format/profile/profile.h) and of packed traces (format/trace/chunks.h), and of formats to come.
 *
 * Words
 *   chunk    some bytes of a file, and a struct container_chunk that says where they are and what
 *            their hash is. What the bytes mean is the business of the format.
 *   type     the number that says how the bytes of a chunk are read. A number is never used again.
 *   table    the list of the chunks of a file.
 *
 * A file of chunks
 *
 *   offset 0    the container of format/data/layout.h: magic, version, kind, header_size 64, flags
 *               0, end = the length of the file, table = 64
 *   offset 64   the table: u64 hash of the rest of the table | u32 number of chunks | u32 0 |
 *               for each chunk: u32 type | u32 0 | u64 offset | u64 length | u64 hash
 *   after it    the chunks, in the order of the table
 *
 * To write such a file, add chunks and fill them, then save:
 *
 *     struct container_writer w = {0};
 *     buffer_add_string(container_writer_add(&w, CHUNK_PROGRAM), "a.out");
 *     buffer_add_varint(container_writer_add(&w, CHUNK_RUNS), 3);
 *     bool ok = container_writer_save(&w, DATA_KIND_MERGED, path, error);
 *     container_writer_release(&w);
 *
 * To read it, open it with the last type that you know, then ask for the chunks by their types, in
 * any order:
 *
 *     struct container_reader r;
 *     struct cursor c;
 *     bool ok = container_reader_open(&r, fd, size, CHUNK_RUNS, error);
 *     if (ok && container_reader_chunk(&r, CHUNK_RUNS, &c)) {
 *         runs = cursor_varint(&c);
 *         ok = container_chunk_ended(&c, CHUNK_RUNS, error);
 *     }
 *     container_reader_release(&r);
 *
 * Packed traces are not such files. They are appended to a run file that its program, and other
 * packers, may be extending at that moment, and a packer may be killed between any two writes. So
 * their list is not one table with one hash, written last, but pages that are linked, of entries
 * that each have a hash of their own and say much more than a type (format/trace/chunks.h). What
 * they share is the chunk itself:
 *
 *     struct container_chunk chunk;
 *     container_chunk_append(&chunk, fd, &header->end, bytes, length);
 *     ...
 *     enum container_state state;
 *     uint8_t *again = container_chunk_read(&chunk, fd, most, &state);
 *
 * Invariants
 *  1. Bytes that a reader hands out lie inside the file, are not longer than the limit that the
 *     format sets, and have the hash that was stored with them. Any other chunk is refused, never
 *     guessed at.
 *  2. Every offset, length and number is untrusted: none is used before it was checked against the
 *     size of the file, and no memory is taken for more bytes than the file has.
 *  3. In a file of chunks each type that the reader knows stands once at most. Chunks of types that
 *     it does not know were written by a later cotree; they are skipped, and their bytes are not
 *     read.
 *  4. A file of chunks is written under another name and then renamed, so a full disk or a kill
 *     leaves the old file. Pipes and devices are written directly.
 *  5. The same chunks give the same bytes: nothing depends on the time, the machine or the process.
 */
#ifndef COTREE_FORMAT_CONTAINER_H
#define COTREE_FORMAT_CONTAINER_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"

/* ---- One chunk ---- */

struct container_chunk {
    uint64_t offset, length;
    uint64_t hash; /* hash_bytes of its bytes */
};

/* Why container_chunk_read gave nothing. */
enum container_state {
    CONTAINER_WHOLE,
    CONTAINER_TOO_LONG,       /* it claims more bytes than its format allows */
    CONTAINER_CUT_SHORT,      /* the file ends before it does */
    CONTAINER_UNREADABLE,     /* reading failed */
    CONTAINER_WRONG_CHECKSUM, /* the bytes are not those that were written */
};

/* Reads and checks the bytes of a chunk of at most `most` bytes. Newly allocated; never NULL for a
 * whole chunk, even an empty one. NULL: *state says why. */
uint8_t *container_chunk_read(const struct container_chunk *chunk, int fd, uint64_t most,
                              enum container_state *state);
/* Appends a chunk to a file whose space is given out in pages, by adding to the mapped word *end.
 * Several processes may append at a time. False, with errno, when the bytes could not be written:
 * the space is lost then. */
bool container_chunk_append(struct container_chunk *chunk, int fd, uint64_t *end, const void *bytes,
                            size_t length);
/* Takes space for `length` bytes, in whole pages, at the end of such a file. Returns its offset. */
uint64_t container_take_space(uint64_t *end, uint64_t length);
/* How much space that takes. */
uint64_t container_space_of(uint64_t length);

/* ---- Writing a file of chunks ---- */

struct container_part {
    uint32_t type;
    struct buffer bytes;
};
struct container_writer ARRAY_OF(struct container_part); /* in the order of the file */

/* Adds an empty chunk. Fill the buffer before the next one is added: it moves then. */
struct buffer *container_writer_add(struct container_writer *w, uint32_t type);
/* Appends the whole file, of this kind (enum data_kind), to `out`. */
void container_writer_assemble(const struct container_writer *w, uint32_t kind, struct buffer *out);
/* Writes the file. The error names it. */
bool container_writer_save(const struct container_writer *w, uint32_t kind, const char *path,
                           struct error *error);
void container_writer_release(struct container_writer *w);

/* ---- Reading a file of chunks ---- */

struct container_reader {
    uint32_t last_type;
    struct container_read {
        uint8_t *bytes; /* NULL: the chunk is missing */
        size_t length;
    } *chunks; /* by type, up to last_type */
};

/* Reads the table of the file that fd is open on, which has `size` bytes and was opened by
 * data_open, and all chunks of types 1 to last_type. Does not close fd. Errors are reasons without
 * the file's name. On failure nothing is left to release. */
bool container_reader_open(struct container_reader *r, int fd, uint64_t size, uint32_t last_type,
                           struct error *error);
/* Sets a cursor over the bytes of a chunk. False when the file has no chunk of this type. */
bool container_reader_chunk(const struct container_reader *r, uint32_t type, struct cursor *c);
/* Was the chunk read to its end, and without failure? Called after it was read. */
bool container_chunk_ended(const struct cursor *c, uint32_t type, struct error *error);
void container_reader_release(struct container_reader *r);

#endif
