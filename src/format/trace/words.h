/*
 * The words of a stream (addresses and marks: format/trace/layout.h): how they are read, and how
 * they are packed.
 *
 * A slot is a load or a store of the program; writer and reader number slots alike. A packed word
 * is the difference to the address that is expected of its slot: a slot is expected to go on as it
 * did the last time. Nothing is expected from other chunks, so that each can be read alone. Marks
 * are a column of their own.
 *
 *   words of a chunk
 *       varints: marks, bytes of their column, the same as packed
 *       varints: addresses, bytes of their column, the same as packed
 *       the marks: for each the number of addresses since the one before, and its kind (zstd)
 *       the addresses (zigzag varints; zstd)
 */
#ifndef COTREE_FORMAT_TRACE_WORDS_H
#define COTREE_FORMAT_TRACE_WORDS_H

#include "format/trace/events.h"

/* ---- In an events file ---- */

struct trace_word_source {
    const struct trace_events *file;
    struct trace_address_stream region; /* as it was last read */
    uint32_t number, steps;             /* the entry that is being read; regions so far */
    uint64_t at;                        /* in its region: where to read next */
};
void trace_words_begin(struct trace_word_source *s, const struct trace_events *t, uint32_t first);
/* Steps over words before that address, if it lies in the region. */
void trace_words_skip(struct trace_word_source *s, uint64_t address);
uint64_t trace_words_address(struct trace_word_source *s); /* of the next word; 0: there is no region */
/* Reads at most `most` words, all of one region. Returns how many there were. */
size_t trace_words_read(struct trace_word_source *s, uint64_t *to, size_t most);

/* Are more than `words` words left to read? */
bool trace_words_lag(const struct trace_word_source *s, uint64_t words);

/* ---- Packed ---- */

/* How many words one chunk holds at most. Readers refuse more. */
#define TRACE_CHUNK_WORDS (1u << 26)

/* The address that is expected of each slot. */
struct trace_word_model {
    size_t slots;
    struct trace_word_expected {
        uint64_t last;
        int64_t step;
        uint64_t chunk; /* the chunk in which this was seen; 0: never */
    } *expected;
    uint64_t chunk, previous; /* the number of the chunk, from 1; the last address of any slot */
};
void trace_word_model_init(struct trace_word_model *m, size_t slots); /* slots 0 .. slots - 1 */

struct trace_word_writer {
    struct trace_word_model model;
    struct buffer marks, deltas;
    uint64_t mark_count, count, since_mark; /* of marks; of addresses: all, and those after the last mark */
};
void trace_word_writer_add(struct trace_word_writer *w, size_t slot, uint64_t address);
void trace_word_writer_mark(struct trace_word_writer *w, enum trace_mark mark);
/* Appends what was added, packed, and begins the next chunk. */
void trace_word_writer_pack(struct trace_word_writer *w, struct buffer *out);
/* Drops what was added, and begins the next chunk. */
void trace_word_writer_drop(struct trace_word_writer *w);
void trace_word_writer_release(struct trace_word_writer *w);

struct trace_word_reader {
    struct trace_word_model model;
    struct buffer mark_bytes, delta_bytes;
    struct cursor marks, deltas;
    uint64_t left, marks_left; /* addresses and marks to come */
    uint64_t before_mark;      /* addresses before the next mark */
    enum trace_mark mark;      /* the next one, if marks_left */
};
bool trace_word_reader_begin(struct trace_word_reader *r, const void *bytes, size_t length);
/* What comes next: a mark (enum trace_mark), 0: an address, -1: nothing, -2: damage. */
int trace_word_reader_next(const struct trace_word_reader *r);
bool trace_word_reader_take(struct trace_word_reader *r, size_t slot, uint64_t *address);
bool trace_word_reader_take_mark(struct trace_word_reader *r);
void trace_word_reader_release(struct trace_word_reader *r);

#endif
