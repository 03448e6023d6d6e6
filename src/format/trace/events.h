/*
 * The one reader of events files (format/trace/layout.h), while their program runs and afterwards.
 * It reads with pread, never mmap: regions are huge and sparse, and a follower may take pages out
 * at any time.
 *
 * Every field is untrusted. A stream ends at its first byte that was never written, or where the
 * file ends.
 */
#ifndef COTREE_FORMAT_TRACE_EVENTS_H
#define COTREE_FORMAT_TRACE_EVENTS_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "format/trace/layout.h"

struct trace_records ARRAY_OF(struct trace_record);

struct trace_events {
    int fd;
    struct trace_header header;
    struct trace_stream *streams; /* TRACE_STREAMS_MOST of them, as they were last read */
};

/* Finds the events files of a data file: its own or, if several processes share it, one of each
 * process. */
struct trace_names ARRAY_OF(char *);
void trace_events_find(struct trace_names *names, const char *data_path);
void trace_names_release(struct trace_names *names);

/* writable: for a packer, which takes out what it has packed. */
bool trace_events_open(struct trace_events *t, const char *path, bool writable, struct error *error);
void trace_events_close(struct trace_events *t);
struct data_header;
/* Was it written by the process whose data file that is? Not asked of pools, which are of many
 * processes. */
bool trace_events_belong(const struct trace_events *t, const struct data_header *data, struct error *error);
/* Reads header and streams once more; false when the file is cut. */
bool trace_events_refresh(struct trace_events *t);
/* The entries at which streams begin: they are or were in use, and no other entry goes on there.
 * Newly allocated. */
uint32_t *trace_events_firsts(const struct trace_events *t, size_t *count);
/* Is the process that writes still there? A process of another pid namespace is taken for alive
 * unless it said that it had finished. */
bool trace_events_running(const struct trace_events *t);
/* Is that process of another pid namespace, so that nobody here sees whether it was killed? */
bool trace_events_unsettled(const struct trace_events *t);
/* The process that packs the file, will pack it, or has packed it; 0: none. */
uint64_t trace_events_follower(const struct trace_events *t);
/* Does that process exist? */
bool trace_events_followed(const struct trace_events *t);

/*
 * Locks. The list of chunks and the rest in this file fit together only while no packer is at work.
 * So readers hold the file, any number at a time, and a packer has it alone while it lists a chunk
 * and takes it out of here. These are locks of the open file: they end with it, and with its
 * process.
 */
bool trace_events_hold(struct trace_events *t);   /* false, without waiting: it is being changed now */
void trace_events_change(struct trace_events *t); /* waits for all that hold it */
void trace_events_let_go(struct trace_events *t); /* ends both */
/*
 * Goes on with a copy of the file as it is now, so that no packer has to wait for the reader. False
 * when the copy would have more than `most` bytes, or cannot be written: the file stays open then.
 */
bool trace_events_copy(struct trace_events *t, uint64_t most);

/* One stream, as far as it was not taken out of the file. */
struct trace_source {
    const struct trace_events *file;
    uint32_t number, side_number; /* entries that are being read */
    uint64_t at, side_at;         /* in their regions: where to read next */
    uint32_t steps, side_steps;   /* regions so far, so that a chain that leads back ends */
};
void trace_source_begin(struct trace_source *s, const struct trace_events *t, uint32_t first);
/* Steps over events before that address, and so many records: they are packed, though the file does
 * not say so yet. */
void trace_source_skip(struct trace_source *s, uint64_t address, uint64_t records);
/* The address of the next event. */
uint64_t trace_source_address(const struct trace_source *s);
/*
 * Appends at most `most` events, and then records, at most about most_records. Every record that
 * was written before the last of these events is there, unless *goes_on: then there are more of
 * them. A record with several parts is appended whole. True when there was anything. Reading
 * follows the stream to its next regions.
 */
bool trace_source_read(struct trace_source *s, size_t most, struct buffer *events, size_t most_records,
                       struct trace_records *records, bool *goes_on);

/* How many struct trace_record this record takes with all its parts; 0 when they are not all among
 * the `left` ones. */
size_t trace_record_parts(const struct trace_record *record, size_t left);

#endif
