/*
 * The trace of one process: the chunks of its data file (format/trace/chunks.h), and after them the
 * rest in its events file (format/trace/events.h). A walk regenerates one stream of it, from its
 * start or from any chunk.
 *
 * Invariants
 *  1. Everything that a walk gives out was replayed (decode/trace/replay.h) and fits its program.
 *     Where a part does not fit, the walk says so (trace_listener.leave, `lost`) and goes on at the
 *     next chunk that can be regenerated alone.
 *  2. Memory depends on the depth of the stack and the size of the program, not on the length of
 *     the trace.
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
    const struct trace_events *rest; /* the events file in which a rest of it may be, or NULL */
    uint64_t packed;                 /* bytes of its chunks in the file */
    struct trace_totals totals;      /* of its chunks */
};

struct trace_file {
    char *path;
    int fd;
    uint64_t image;
    struct trace_chunk_list chunks;
    bool running;         /* a process that writes it is alive */
    uint64_t unkept;      /* processes whose traces are lost from some moment on, mostly for want of room */
    uint64_t lost_before; /* those of them that were forked by a thread whose trace was lost already */
    uint64_t untraced; /* threads and children of fork that could not even begin, if nothing else says so */
    struct trace_events_list ARRAY_OF(struct trace_events *) events;
    struct trace_parts ARRAY_OF(struct trace_part) parts; /* one a stream */
};

/*
 * Opens the trace of a data file. Waits for a follower that is still at work though its program has
 * ended. From then on walks see the trace as it was at one moment, whatever a follower does
 * meanwhile (format/trace/events.h). False, with the reason without the file's name, when it cannot
 * be read or holds no trace.
 */
bool trace_file_open(struct trace_file *t, const char *path, struct error *error);
void trace_file_close(struct trace_file *t);
/* Is there a trace beside or in this data file, which is open as fd? */
bool trace_file_exists(const char *path, int fd);
/* Why a traced program left no trace, as far as its data file tells: a part of a sentence. */
const char *trace_file_missing(const struct data_header *header);

struct trace_addresses;
struct trace_listener {
    void *context;
    /* NULL, or what finds the addresses of accesses. When the listener is told of runs, a cut or a
     * record, the accesses before that are found; `accesses` is called for all others. */
    struct trace_addresses *addresses;
    void (*accesses)(void *context);
    /* As those of struct replay_consumer. */
    bool (*runs)(void *context, const struct replay_run *const *runs, size_t count);
    void (*cut)(void *context, const struct replay *replay, size_t depth);
    void (*land_behind)(void *context, const struct replay_item *item);
    /* All activations are over, or left where they stand: a new thread or handler begins, the data
     * end, or a part is lost. why: NULL, or what is lost. */
    void (*leave)(void *context, const struct replay *replay, const char *why);
    /* There are activations that did not begin in the part that is walked: after a lost part, and
     * where a walk begins in the middle. inherited: a parent process made them. */
    void (*resume)(void *context, const struct replay *replay, bool inherited);
    /* There are activations that the range of chunks before this one left
     * (trace_walk.range_first). */
    void (*take_over)(void *context, const struct replay *replay);
    /* The process died. there: replay went on to where it stood; otherwise it is not known where
     * that was. */
    void (*stood)(void *context, const struct replay *replay, bool there);
    /* Called before `stood` or `left`: counts of the function may be one off. declare: false: only
     * counts made by counters may, which see control elsewhere between two blocks. */
    void (*unsure)(void *context, uint32_t function, int64_t most, bool declare);
    /* As `stood`, but a signal handler took control elsewhere. is_inside: the youngest activation
     * was in no call. */
    void (*left)(void *context, const struct replay *replay, bool there, bool is_inside);
    /* A record that replay does not use: THREAD, SIGNAL, STOOD, LEFT, BACK, END, LOST, FRAMES.
     * done: what was given out before it. */
    void (*record)(void *context, const struct trace_record *record, const struct trace_totals *done);
    void (*progress)(void *context, uint64_t events);
};

struct trace_walk {
    const struct trace_file *file;
    const struct trace_part *part;
    struct replay_program *program;
    const struct trace_listener *listener;
    const struct trace_resolver *resolver; /* NULL: frames that a child of fork inherited are lost */
    /* Only these chunks of the part are walked, if range_end is not 0. The rest after the last
     * chunk belongs to the last range. Nothing is resumed or left where ranges meet. */
    size_t range_first, range_end;
    uint64_t from_block;      /* where it begins: 0, or what trace_walk_find made of it */
    struct trace_totals done; /* what was given out */
    uint64_t lost;            /* parts that could not be regenerated */
    uint32_t thread, signal;  /* the thread at this point; the signal whose handlers the stream is of, or 0 */
    uint32_t end;             /* enum trace_end of the thread or handler that ended last, or 0 */
    bool stopped;             /* the listener stopped it */
    uint64_t position;        /* when `resume` is called: blocks of the stream before that */
    uint64_t words_end; /* the address after the words that are packed, once a chunk with words was walked */
    uint64_t unended;   /* threads that left activations without a record of how they ended */
};
/* Sets from_block to the start of the chunk that holds that block, and thread and signal to those
 * that write there (0: the stream says it itself). */
void trace_walk_find(struct trace_walk *w);
/* Regenerates the stream. */
void trace_walk(struct trace_walk *w);

/* Says what is missing up to a chunk that was dropped. */
void trace_say_dropped(struct error *text, const struct trace_chunk_entry *last);

#endif
