/*
 * Traces, packed: chunks in the data file of the process that wrote them. A chunk holds what a stream
 * (format/trace/layout.h) grew by, and, before that, where control stood when it began (a sync record:
 * decode/trace/replay.h writes it), so each can be regenerated alone.
 *
 * Chunks are listed in pages, which are a list whose first page the data file's header names (`traces`). An
 * entry says what is in the chunk, so that a first look needs no more than the list. An entry is valid when
 * its own hash is right; a chunk, when the hash in its entry is. Whoever packs takes space as everybody does,
 * by adding to `end`; several may at a time, since each fills pages of its own.
 *
 *   chunk:  varints: sync bytes, events, their bytes as packed, records, different `what`s, bytes of columns
 * 1, 2 and 3, each also as packed; the sync record; the events (zstd); the `what`s (u64); column 1: per
 * record the number of its `what` (varint; zstd); column 2: per record `calls` less the one before (zigzag
 * varint; zstd); column 3: for each record that is none of a function, how many parts it has behind the first
 * (varint), then the two words of each less those of the same part of the last record of its kind (zigzag
 * varint; zstd; the third and later parts are the same part). With TRACE_CHUNK_ADDRESSES: words
 * (format/trace/words.h), then struct trace_chunk_words
 */
#ifndef COTREE_FORMAT_TRACE_CHUNKS_H
#define COTREE_FORMAT_TRACE_CHUNKS_H

#include "format/container.h"
#include "format/data/layout.h"
#include "format/trace/events.h"

/* What one chunk holds, at most. Readers believe no more. */
#define TRACE_CHUNK_EVENTS (1u << 20)
#define TRACE_CHUNK_RECORDS (1u << 20)
#define TRACE_CHUNK_SYNC (64u << 20)

enum trace_chunk_flags {
    TRACE_CHUNK_ALONE = 1, /* it has a sync record; others go on where the one before ended */
    TRACE_CHUNK_GAP = 2,   /* what lies between it and the one before did not fit its program, and is lost */
    TRACE_CHUNK_ADDRESSES = 8,      /* it has addresses */
    TRACE_CHUNK_TAIL = 16,          /* also those behind the last event of the stream */
    TRACE_CHUNK_DROPPED = 32,       /* it is no longer there: COTREE_TRACE_MAX */
    TRACE_CHUNK_UNKEPT = 64,        /* addresses are not kept any more where it begins: TRACE_MARK_NO_ROOM */
    TRACE_CHUNK_UNKEPT_LATER = 128, /* from some place in it on, to the next thread */
    TRACE_CHUNK_MORE = 4, /* it ended because there were too many records: replay_input.side_goes_on */
};

struct trace_chunk_entry {
    uint64_t check;                /* of what follows: trace_chunk_check; 0: free */
    struct container_chunk stored; /* its bytes, packed; zeros if it was dropped */
    uint64_t pid, start_time;      /* of the process */
    uint32_t stream, number; /* the entry at which the stream begins; chunks of the stream before this one */
    uint32_t flags,
        end; /* enum trace_chunk_flags; enum trace_end of the last thread in it that ended, or 0 */
    uint32_t thread, signal; /* the thread at its end; the signal whose handlers the stream is of, or 0 */
    uint64_t first_event, events; /* bytes of the stream before it, and in it */
    uint32_t records, ahead;      /* the last `ahead` of them are the next chunk's, too: replay saw them */
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

/* The last bytes of a chunk with addresses: a first look needs no more. */
struct trace_chunk_words {
    uint64_t length;        /* bytes that the words take, packed */
    uint64_t loads, stores; /* accesses that do both are both */
    uint64_t others;        /* nobody knows which */
    uint64_t first,
        end;        /* addresses in the events file: of the first word, and behind the last; 0: unknown */
    uint64_t check; /* hash of these */
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

/* Appends the bytes as chunks have them: packed, or as they are where that is shorter. Returns how many they
 * are. */
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
    uint64_t most;        /* bytes of chunks that are kept, the last ones; 0: all */
    uint64_t held;        /* bytes of those that this packer has made and kept */
    struct trace_placed_entries ARRAY_OF(struct trace_placed_entry) made; /* if `most` */
    size_t dropped;                                                       /* of them, the first ones */
};
bool trace_packer_open(struct trace_packer *p, const char *path, struct error *error);
/* Writes the chunk, then its entry; fills in offset, length, hash, events, records and check of the entry. */
bool trace_packer_add(struct trace_packer *p, struct trace_chunk *c, struct error *error);
void trace_packer_close(struct trace_packer *p);

/* ---- Reading ---- */

struct trace_chunk_list {
    struct trace_chunk_entries ARRAY_OF(struct trace_chunk_entry) entries; /* by process, stream, number */
    size_t damaged; /* entries, or lists of them, that could not be read */
};
/* Lists the chunks of a data file. Damage is no failure: it is counted. */
void trace_chunks_list(struct trace_chunk_list *list, int fd, uint64_t first_page);
void trace_chunks_release(struct trace_chunk_list *list);
/* Reads one chunk; fails, with the reason, when it is damaged. c is empty, or was read before. */
bool trace_chunk_read(struct trace_chunk *c, int fd, const struct trace_chunk_entry *entry,
                      struct error *error);
/* Is it there as it was written? For those who do not need what is in it. */
bool trace_chunk_check(int fd, const struct trace_chunk_entry *entry, struct error *error);
/* What a chunk says of its addresses; zeros: it has none, or they are damaged. */
struct trace_chunk_words trace_chunk_words(int fd, const struct trace_chunk_entry *entry);

#endif
