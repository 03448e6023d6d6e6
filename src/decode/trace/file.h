/*
 * The trace of one process: chunks of its data file (format/trace/chunks.h), and behind them what is left in
 * its events file (format/trace/events.h). A walk regenerates one stream of it, from its start or from any
 * chunk.
 *
 * Invariants:
 *  1. What a walk gives out was replayed (decode/trace/replay.h) and fits its program; where something does not,
 * the walk says so (problem) and goes on at the next chunk that can be regenerated alone.
 *  2. Memory follows the depth of the stack and the size of the program, not the length of the trace.
 */
#ifndef COTREE_DECODE_TRACE_FILE_H
#define COTREE_DECODE_TRACE_FILE_H

#include "decode/trace/frames.h"
#include "decode/trace/program.h"
#include "format/data/data.h"
#include "format/trace/chunks.h"

struct trace_totals {
    uint64_t blocks, branches, calls, events, records;
};

struct trace_part {
    uint64_t pid, start_time;
    uint32_t stream, thread, signal;
    size_t first_chunk, chunk_count; /* in chunks.entries */
    const struct trace_events *rest; /* where something may be left of it, or NULL */
    uint64_t packed;                 /* bytes of its chunks in the file */
    struct trace_totals totals;      /* of its chunks */
};

struct trace_file {
    char *path;
    int fd;
    uint64_t image;
    struct trace_chunk_list chunks;
    bool running;      /* a process that writes it */
    uint64_t unkept;   /* processes that wrote, from some moment on, where nobody reads: no room */
    uint64_t untraced; /* threads and children of fork that could not even begin, if nobody else says so */
    struct trace_events_list ARRAY_OF(struct trace_events *) events;
    struct trace_parts ARRAY_OF(struct trace_part) parts; /* one a stream */
};

/*
 * path: a data file. Waits for a follower that is still at work though its program has ended. What can be
 * walked from then on is what was there at one moment, whatever a follower does meanwhile
 * (format/trace/events.h). False with the reason (without the file's name) when it cannot be read or holds no
 * trace.
 */
bool trace_file_open(struct trace_file *t, const char *path, struct error *error);
void trace_file_close(struct trace_file *t);
/* Is there a trace beside or in this data file, which is open? */
bool trace_file_exists(const char *path, int fd);
/* Why there is none, as far as the data file of a traced program tells: a part of a sentence. */
const char *trace_file_missing(const struct data_header *header);

struct trace_addresses;
struct trace_listener {
    void *context;
    /* NULL, or what gives addresses to accesses: it has found those of the runs, or of what happened before
     * the cut or record, when a listener is told of these; `accesses` is told of all others. */
    struct trace_addresses *addresses;
    void (*accesses)(void *context);
    /* As replay_consumer. first: the index of the first block that they hold (blocks of the stream before).
     */
    bool (*runs)(void *context, const struct replay_run *const *runs, size_t count);
    void (*cut)(void *context, const struct replay *replay, size_t depth);
    void (*land_behind)(void *context, const struct replay_item *item);
    /* All activations are over or left where they stand: a new thread or handler begins, the data end, or a
     * part is lost. why: NULL, or what is lost. */
    void (*leave)(void *context, const struct replay *replay, const char *why);
    /* Activations are there that did not begin in the part that is walked: behind a lost part, and where a
     * walk begins in the middle. inherited: a parent process made them. */
    void (*resume)(void *context, const struct replay *replay, bool inherited);
    /* Activations are there that the range of chunks before this one left (trace_walk.range_first). */
    void (*take_over)(void *context, const struct replay *replay);
    /* The process died, and replay went on to where it stood; or, if not, nobody knows where that was. */
    void (*stood)(void *context, const struct replay *replay, bool there);
    /* Before one of the two: counts of the function may be one off, or (declare: false) those of counters,
     * who see control elsewhere between two blocks. */
    void (*unsure)(void *context, uint32_t function, bool declare);
    /* The same of control that a signal took elsewhere; is_inside: the youngest activation was in no call. */
    void (*left)(void *context, const struct replay *replay, bool there, bool is_inside);
    /* A record that is none of replay's: THREAD, SIGNAL, STOOD, LEFT, BACK, END, LOST, FRAMES; done: what was
     * given out before.
     */
    void (*record)(void *context, const struct trace_record *record, const struct trace_totals *done);
    void (*progress)(void *context, uint64_t events);
};

struct trace_walk {
    const struct trace_file *file;
    const struct trace_part *part;
    struct replay_program *program;
    const struct trace_listener *listener;
    const struct trace_resolver *resolver; /* NULL: frames that a child of fork inherited are lost */
    size_t range_first,
        range_end; /* only these chunks of the part, if range_end is not 0; what is behind the last chunk
                      belongs to the last range. Nothing is resumed or left where ranges meet. */
    uint64_t from_block;      /* where it begins: 0, or what trace_walk_find made of it */
    struct trace_totals done; /* what was given out */
    uint64_t lost;            /* parts that could not be regenerated */
    uint32_t signal;          /* as thread: whose handlers */
    uint32_t end, thread;     /* enum trace_end of what ended last, or 0 */
    bool stopped;             /* the listener said so */
    uint64_t position;        /* when `resume` is called: blocks of the stream before that */
    uint64_t words_end;       /* address behind the words that are packed, once such a chunk was walked */
    uint64_t unended;         /* threads that left activations, and nobody said how they ended */
};
/* Sets from_block to the start of the chunk that holds that block, thread and signal to who writes there (0:
 * the stream says it itself). */
void trace_walk_find(struct trace_walk *w);
/* Regenerates the stream. */
void trace_walk(struct trace_walk *w);

/* What is missing up to a chunk that was dropped. */
void trace_say_dropped(struct error *text, const struct trace_chunk_entry *last);

#endif
