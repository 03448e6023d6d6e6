/*
 * The one reader of events files (format/trace/layout.h), while their program runs and afterwards. It reads
 * with pread, never mmap: regions are huge and sparse, and a follower may take pages out at any time.
 *
 * Every field is untrusted. A stream ends at its first byte that was never written, or where the file ends.
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

/* The events files of a data file: its own, and, where several processes share it, one of each. */
struct trace_names ARRAY_OF(char *);
void trace_events_find(struct trace_names *names, const char *data_path);
void trace_names_release(struct trace_names *names);

/* writable: for whoever takes out what it has packed. */
bool trace_events_open(struct trace_events *t, const char *path, bool writable, struct error *error);
void trace_events_close(struct trace_events *t);
struct data_header;
/* Was it written by the process whose data file that is? Of pools, which have many, it is not asked. */
bool trace_events_belong(const struct trace_events *t, const struct data_header *data, struct error *error);
/* Reads header and streams once more; false when the file is cut. */
bool trace_events_refresh(struct trace_events *t);
/* The entries at which streams begin: in use now or once, and no other goes on there. Newly allocated. */
uint32_t *trace_events_firsts(const struct trace_events *t, size_t *count);
/* Is the process that writes still there? A process of another pid namespace is taken for alive unless it
 * said that it had finished. */
bool trace_events_running(const struct trace_events *t);
/* Who packs it, will, or has; 0: nobody. And is that one there? */
uint64_t trace_events_follower(const struct trace_events *t);
bool trace_events_followed(const struct trace_events *t);

/*
 * What is listed as packed and what is left here fit together only while nobody packs. So whoever reads holds
 * the file, as many as want to, and whoever packs has it alone while it lists a chunk and takes it out of
 * here. These are locks of the open file: they end with it, and with its process.
 */
bool trace_events_hold(struct trace_events *t);   /* false: it is being changed now; nobody waits */
void trace_events_change(struct trace_events *t); /* waits for those who hold it */
void trace_events_let_go(struct trace_events *t); /* of both */
/*
 * Goes on with a copy of the file, as it is now, so that nobody need wait for who reads it. False when that
 * would be more than so many bytes, or cannot be written: then the file is what it was.
 */
bool trace_events_copy(struct trace_events *t, uint64_t most);

/* One stream, read from what nobody has taken yet. */
struct trace_source {
    const struct trace_events *file;
    uint32_t number, side_number; /* entries that are being read */
    uint64_t at, side_at;         /* in their regions: what comes next */
    uint32_t steps, side_steps;   /* regions so far: a chain that leads back ends */
};
void trace_source_begin(struct trace_source *s, const struct trace_events *t, uint32_t first);
/* Steps over what is packed, though nobody noted it here: events before that address, and so many records. */
void trace_source_skip(struct trace_source *s, uint64_t address, uint64_t records);
/* The address of the next event. */
uint64_t trace_source_address(const struct trace_source *s);
/*
 * Appends at most `most` events, and then records, at most most_records or so, so that every record that was
 * written before the last of these events is there, unless *goes_on (there are more of them); of a record
 * with several parts all are. True when there was any. What has moved on to another region is read there.
 */
bool trace_source_read(struct trace_source *s, size_t most, struct buffer *events, size_t most_records,
                       struct trace_records *records, bool *goes_on);

/* Records that this one and the parts behind it are together; 0 when that is not among the `left` ones. */
size_t trace_record_parts(const struct trace_record *record, size_t left);

#endif
