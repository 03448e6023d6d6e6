/*
 * Addresses of loads and stores, each given to the access that recorded it. Words (format/trace/words.h) have
 * no names: which access wrote which follows from the blocks that replay gives out and from what their maps
 * say of them (format/map/trace.h: struct map_accesses). Marks say where control entered or landed from code
 * that is not known.
 *
 * Code that records no addresses leaves no marks: what a block did before it called such code may be given
 * out behind the blocks of that.
 *
 * Where there was no room for words a mark ends them, and nothing is given out until a thread begins again.
 *
 * An access is given out before the step that proves it: what a block did, before the next block, call or
 * return. What a thread did behind its last event is nobody's block as far as replay knows; where only one
 * way led on it is told all the same (trace_addresses_tail). Its last word is the last access that was tried:
 * the one that failed, if one did.
 */
#ifndef COTREE_DECODE_TRACE_ADDRESSES_H
#define COTREE_DECODE_TRACE_ADDRESSES_H

#include "decode/trace/program.h"
#include "format/trace/words.h"

struct trace_access {
    uint64_t address;
    uint32_t item; /* it happened before this item of the runs that were given (or, outside of them, 0) */
    uint32_t function, block;
    uint32_t size; /* in bytes; 0: nobody knows which access of which block it was */
    enum map_access_kind kind;
};

struct trace_access_place {
    uint32_t function, block, call; /* calls of the block that are over or begun */
    uint32_t next;                  /* access of the function that comes next */
};

struct trace_addresses {
    const struct trace_program *program;
    size_t *slots; /* per function: its first slot, and all of them */
    struct trace_access_stack ARRAY_OF(struct trace_access_place) stack;
    struct trace_access_list ARRAY_OF(struct trace_access) found;
    struct trace_word_source source; /* words come from here, or from the reader */
    struct trace_word_reader reader;
    bool is_packed;
    uint64_t *words; /* read from the source and not used yet */
    size_t at, count;
    struct trace_word_writer *writer; /* is given all that is used; or NULL */
    uint64_t loads, stores, others;   /* accesses that do both are both; others: nobody knows which */
    bool unkept;                      /* from here to the next thread nothing was kept: TRACE_MARK_NO_ROOM */
    uint32_t gaps;                    /* how often that began; whoever counts sets it to 0 */
    uint64_t kept;                    /* loads and stores before the first of them */
    bool is_dying; /* replay goes on to where the program died: the block need not be complete */
    bool failed;   /* they do not fit, and nothing is given out until the next resume or begin */
    struct error error;
    uint32_t item;
};
void trace_addresses_init(struct trace_addresses *a, const struct trace_program *program);
void trace_addresses_release(struct trace_addresses *a);
size_t trace_addresses_slots(const struct trace_addresses *a);

/* Where words come from now: a stream of an events file, or a chunk; unkept: none are kept there. */
void trace_addresses_from_file(struct trace_addresses *a, const struct trace_events *events, uint32_t stream,
                               bool unkept);
bool trace_addresses_from_chunk(struct trace_addresses *a, const struct buffer *packed, bool unkept);
/* Of the next word, in a file. */
uint64_t trace_addresses_position(struct trace_addresses *a);

/* Nobody is active; or those are that replay says. */
void trace_addresses_begin(struct trace_addresses *a);
void trace_addresses_resume(struct trace_addresses *a, const struct replay *replay);
/* The same things, in the same order, as replay's consumer is told. */
void trace_addresses_runs(struct trace_addresses *a, const struct replay_run *const *runs, size_t count);
void trace_addresses_cut(struct trace_addresses *a, size_t depth);
/* A record that is none of replay's, before it is taken. */
void trace_addresses_record(struct trace_addresses *a, const struct trace_record *record);
/* All that happened before the place where replay stands. At the end of a chunk: the next one begins there.
 */
void trace_addresses_settle(struct trace_addresses *a, const struct replay *replay);
/* What is left: nothing more is known of where control went. */
void trace_addresses_tail(struct trace_addresses *a);
bool trace_addresses_any(struct trace_addresses *a); /* Is there another word? */
/* Is nothing left in the chunk? */
bool trace_addresses_used_up(const struct trace_addresses *a);

#endif
