/*
 * Packed traces: chunks (format/container.h) in the data file of the process that wrote them.
 *
 * Words
 *   chunk       a part of one stream (format/trace/layout.h): its events, its records and, with
 *               addresses, its words
 *   sync record where control stood when the chunk began. It comes first, so that the chunk can be
 *               regenerated alone. decode/trace/replay.h writes and reads it.
 *   entry       what the list says of a chunk: enough for a first look without reading the chunk
 *   column      one kind of number of all records, stored together, since that packs better
 *
 * Entries fill pages. The pages are a linked list whose first page the data file's header names
 * (`traces`).
 *
 * A chunk, before packing and container:
 *
 *   11 varints      bytes of the sync record; events, and their bytes as packed; records; different
 *                   `what`s; then for columns 1, 2 and 3 their bytes, and their bytes as packed
 *   sync record
 *   events          zstd
 *   `what`s         u64 each; with TRACE_CHUNK_MODULES the module follows each as u64: that of the
 *                   function that was entered, or 0
 *   column 1        for each record the number of its `what` (varint; zstd)
 *   column 2        for each record its `calls`, without the module, less the one before (zigzag
 *                   varint; zstd)
 *   column 3        for each record that is not of a function: how many parts follow its first
 *                   (varint), then the two words of each part less those of the same part of the
 *                   last record of its kind (zigzag varint; zstd; the third and later parts count
 *                   as the same part)
 *   with TRACE_CHUNK_ADDRESSES: words (format/trace/words.h), then struct trace_chunk_words
 *
 * Invariants
 *  1. An entry is valid if its own hash (`check`) is right. A chunk is valid if the hash in its
 *     entry is.
 *  2. A packer writes the chunk before its entry, so a valid entry of a packer that was killed
 *     names a chunk that is there.
 *  3. Packers take space as all writers do, by adding to the header's `end`. Several may pack at a
 *     time, since each fills pages of its own.
 *  4. A chunk holds at most TRACE_CHUNK_EVENTS events, TRACE_CHUNK_RECORDS records and
 *     TRACE_CHUNK_SYNC bytes of sync record. Readers refuse more.
 */
#ifndef COTREE_FORMAT_TRACE_CHUNKS_H
#define COTREE_FORMAT_TRACE_CHUNKS_H

#include "format/container.h"
#include "format/data/layout.h"
#include "format/trace/events.h"

/* Invariant 4. */
#define TRACE_CHUNK_EVENTS (1u << 20)
#define TRACE_CHUNK_RECORDS (1u << 20)
#define TRACE_CHUNK_SYNC (64u << 20)

enum trace_chunk_flags {
    TRACE_CHUNK_ALONE = 1, /* it has a sync record; a chunk without one goes on where the one before ended */
    TRACE_CHUNK_GAP = 2,   /* the part between it and the one before did not fit its program, and is lost */
    TRACE_CHUNK_ADDRESSES = 8,      /* it has addresses */
    TRACE_CHUNK_TAIL = 16,          /* also the addresses after the last event of the stream */
    TRACE_CHUNK_DROPPED = 32,       /* its bytes were given back, as COTREE_TRACE_MAX asks */
    TRACE_CHUNK_UNKEPT = 64,        /* addresses are not kept any more where it begins: TRACE_MARK_NO_ROOM */
    TRACE_CHUNK_UNKEPT_LATER = 128, /* the same from some place in it on, to the next thread */
    /* Its records of functions that were entered name the module. Without it none is known. */
    TRACE_CHUNK_MODULES = 256,
    TRACE_CHUNK_ASTRAY = 512, /* its thread died further on: the way there was not written yet */
    TRACE_CHUNK_MORE = 4,     /* it ended because there were too many records: replay_input.side_goes_on */
};

struct trace_chunk_entry {
    uint64_t check;                /* hash of the rest of the entry, never 0; 0: the entry is free */
    struct container_chunk stored; /* its bytes, packed; zeros if it was dropped */
    uint64_t pid, start_time;      /* of the process */
    uint32_t stream, number; /* the entry at which the stream begins; chunks of the stream before this one */
    uint32_t flags;          /* enum trace_chunk_flags */
    uint32_t end;            /* enum trace_end of the last thread in it that ended, or 0 */
    uint32_t thread, signal; /* the thread at its end; the signal whose handlers the stream is of, or 0 */
    uint64_t first_event, events; /* bytes of the stream before it, and in it */
    uint32_t records, ahead;      /* the last `ahead` of them stand in the next chunk, too: replay saw them */
    uint64_t first_block, blocks, branches, calls;
};
_Static_assert(sizeof(struct trace_chunk_entry) == 128, "entries fill their page");

#define TRACE_CHUNKS_A_PAGE 31u
struct trace_chunk_page {
    uint64_t next; /* offset of the page before it, or 0 */
    uint64_t reserved[15];
    struct trace_chunk_entry entries[TRACE_CHUNKS_A_PAGE];
};
_Static_assert(sizeof(struct trace_chunk_page) == DATA_PAGE, "one page");

/* The last bytes of a chunk with addresses; a first look at the addresses needs no more. */
struct trace_chunk_words {
    uint64_t length;        /* bytes that the words take, packed */
    uint64_t loads, stores; /* accesses that do both are both */
    uint64_t others;        /* not known whether loads or stores */
    /* Addresses in the events file: of the first word, and after the last one; 0: unknown. */
    uint64_t first, end;
    uint64_t check; /* hash of the fields above */
};

struct trace_chunk {
    struct trace_chunk_entry entry;
    struct buffer sync, events;
    struct trace_records records;
    struct buffer words; /* packed; empty: none */
    struct trace_chunk_words words_say;
};
void trace_chunk_release(struct trace_chunk *c);

/* ---- Writing ---- */

/* Appends the bytes as chunks hold them: packed, or unpacked where that is shorter. Returns how
 * many bytes that takes. */
size_t trace_pack_bytes(struct buffer *out, const void *bytes, size_t length);

struct trace_placed_entry {
    uint64_t at; /* where in the file */
    struct trace_chunk_entry entry;
};
struct trace_packer {
    int fd;
    struct data_header *header; /* mapped */
    struct trace_chunk_page page;
    uint64_t page_offset; /* 0: none yet */
    uint32_t used;        /* entries of it */
    uint64_t most;        /* how many bytes of chunks are kept, the last ones; 0: all */
    uint64_t held;        /* bytes of the chunks that this packer has made and kept */
    struct trace_placed_entries ARRAY_OF(struct trace_placed_entry) made; /* with `most` */
    size_t dropped; /* how many of `made`, the first ones, were dropped */
};
bool trace_packer_open(struct trace_packer *p, const char *path, struct error *error);
/* Writes the chunk, then its entry. Fills in `stored`, events, records, check and some flags of the
 * entry. */
bool trace_packer_add(struct trace_packer *p, struct trace_chunk *c, struct error *error);
void trace_packer_close(struct trace_packer *p);

/* ---- Reading ---- */

struct trace_chunk_list {
    struct trace_chunk_entries ARRAY_OF(struct trace_chunk_entry) entries; /* by process, stream, number */
    size_t damaged; /* entries, or lists of them, that could not be read */
};
/* Lists the chunks of a data file. Damage is not a failure: it is counted. */
void trace_chunks_list(struct trace_chunk_list *list, int fd, uint64_t first_page);
void trace_chunks_release(struct trace_chunk_list *list);
/* Reads one chunk; fails, with the reason, when it is damaged. c is zeroed, or was read before. */
bool trace_chunk_read(struct trace_chunk *c, int fd, const struct trace_chunk_entry *entry,
                      struct error *error);
/* Is the chunk there as it was written? For callers that do not need its content. */
bool trace_chunk_check(int fd, const struct trace_chunk_entry *entry, struct error *error);
/* Reads what a chunk says of its addresses; zeros if it has none, or they are damaged. */
struct trace_chunk_words trace_chunk_words(int fd, const struct trace_chunk_entry *entry);

#endif
