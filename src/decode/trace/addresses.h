/*
 * The addresses of loads and stores, each given to the access that recorded it. Words
 * (format/trace/words.h) have no names. Which access wrote which word follows from the blocks that
 * replay gives out, and from what their maps say of their accesses (format/map/trace.h: struct
 * map_accesses). Marks say where control entered or landed from code that is not known.
 *
 *  1. An access is given out before the step that proves it: the accesses of a block come before
 *     the next block, call or return.
 *  2. Code that records no addresses leaves no marks. So the accesses of a block before a call of
 *     such code may be given out after the blocks of that code.
 *  3. Where there was no room for words a mark ends them, and nothing is given out until a thread
 *     begins again.
 *  4. Replay knows no block for what a thread did after its last event. If only one way led on from
 *     there, the accesses are given out all the same (trace_addresses_tail). The last word is the
 *     last access that was tried: the one that failed, if one did.
 */
#ifndef COTREE_DECODE_TRACE_ADDRESSES_H
#define COTREE_DECODE_TRACE_ADDRESSES_H

#include "decode/trace/program.h"
#include "format/trace/words.h"

struct trace_access {
    uint64_t address;
    uint32_t item; /* it happened before this item of the runs that were given; outside of runs 0 */
    uint32_t function, block;
    uint32_t size; /* in bytes; 0: it is not known which access of which block it was */
    enum map_access_kind kind;
};

struct trace_access_place {
    uint32_t function, block, call; /* calls of the block that are over or begun */
    uint32_t next;                  /* the access of the function that comes next */
};

struct trace_addresses {
    const struct trace_program *program;
    size_t *slots; /* per function: its first slot; after the last: the number of all slots */
    struct trace_access_stack ARRAY_OF(struct trace_access_place) stack;
    struct trace_access_list ARRAY_OF(struct trace_access) found;
    struct trace_word_source source; /* words come from here, or from the reader */
    struct trace_word_reader reader;
    bool is_packed;
    uint64_t *words; /* read from the source and not used yet */
    size_t at, count;
    struct trace_word_writer *writer; /* gets every word that is used; or NULL */
    uint64_t loads, stores, others;   /* accesses that do both count as both; others: not known which */
    bool unkept;                      /* from here to the next thread nothing was kept: TRACE_MARK_NO_ROOM */
    uint32_t gaps;                    /* how often that began; the caller that counts them sets it to 0 */
    uint64_t kept;                    /* loads and stores before the first gap */
    bool is_dying; /* replay goes on to where the program died, so the block need not be complete */
    bool failed;   /* the words do not fit; nothing is given out until the next resume or begin */
    struct error error;
    uint32_t item;
};
void trace_addresses_init(struct trace_addresses *a, const struct trace_program *program);
void trace_addresses_release(struct trace_addresses *a);
size_t trace_addresses_slots(const struct trace_addresses *a);

/* Sets where words come from: a stream of an events file, or a chunk. unkept: no words are kept
 * there. */
void trace_addresses_from_file(struct trace_addresses *a, const struct trace_events *events, uint32_t stream,
                               bool unkept);
bool trace_addresses_from_chunk(struct trace_addresses *a, const struct buffer *packed, bool unkept);
/* The address of the next word in the events file. */
uint64_t trace_addresses_position(struct trace_addresses *a);

/* Begins without activations, or with those that replay has. */
void trace_addresses_begin(struct trace_addresses *a);
void trace_addresses_resume(struct trace_addresses *a, const struct replay *replay);
/* To be called for the same things, in the same order, as replay's consumer. */
void trace_addresses_runs(struct trace_addresses *a, const struct replay_run *const *runs, size_t count);
void trace_addresses_cut(struct trace_addresses *a, size_t depth);
/* To be called for a record that replay does not use, before it takes effect. */
void trace_addresses_record(struct trace_addresses *a, const struct trace_record *record);
/* Finds all accesses before the place where replay stands. Called at the end of a chunk: the next
 * one begins there. */
void trace_addresses_settle(struct trace_addresses *a, const struct replay *replay);
/* Gives out what is left: nothing more is known of where control went. */
void trace_addresses_tail(struct trace_addresses *a);
/* Is there another word? */
bool trace_addresses_any(struct trace_addresses *a);
/* Are all words of the chunk used? */
bool trace_addresses_used_up(const struct trace_addresses *a);

#endif
