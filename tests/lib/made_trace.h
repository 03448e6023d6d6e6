/* Events files made by hand, by the layout alone (format/trace/layout.h). */
#ifndef COTREE_TESTS_MADE_TRACE_H
#define COTREE_TESTS_MADE_TRACE_H

#include "base/memory.h"
#include "format/map/map.h"
#include "format/map/trace.h"
#include "format/trace/layout.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MADE_EVENTS_ADDRESS 0x100000000000ull
#define MADE_SIDE_ADDRESS 0x200000000000ull
#define MADE_REGION (1u << 24)

struct made_trace {
    int fd;
    uint64_t event_at[16], side_at[16]; /* per stream: bytes so far */
};

static inline void made_put(int fd, const void *bytes, size_t length, uint64_t offset)
{
    if (pwrite(fd, bytes, length, (off_t)offset) != (ssize_t)length)
        abort();
}

static inline uint64_t made_region(uint32_t stream, bool side)
{
    return TRACE_REGIONS_OFFSET + (2ull * stream + side) * MADE_REGION;
}

static inline void made_trace(struct made_trace *t, const char *path)
{
    *t = (struct made_trace){.fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666)};
    struct trace_header h = {
        .version = TRACE_VERSION, .end = made_region(16, false), .finished = 1, .pid = 1};
    memcpy(h.magic, TRACE_MAGIC, 8);
    if (t->fd < 0 || ftruncate(t->fd, (off_t)h.end))
        abort();
    made_put(t->fd, &h, sizeof h, 0);
}

/* begin: how far the parent of the process had come. */
static inline void made_stream(struct made_trace *t, uint32_t stream, uint32_t next, uint64_t begin)
{
    struct trace_stream s = {.state = 3,
                             .thread = 100 + stream,
                             .events_offset = made_region(stream, false),
                             .events_length = MADE_REGION,
                             .events_address = MADE_EVENTS_ADDRESS + (uint64_t)stream * MADE_REGION,
                             .side_offset = made_region(stream, true),
                             .side_length = MADE_REGION,
                             .side_address = MADE_SIDE_ADDRESS + (uint64_t)stream * MADE_REGION,
                             .next = next};
    s.events_begin = s.events_address + begin;
    s.side_begin = s.side_address;
    t->event_at[stream] = begin;
    made_put(t->fd, &s, sizeof s, TRACE_STREAMS_OFFSET + stream * sizeof s);
}

static inline uint64_t made_address(const struct made_trace *t, uint32_t stream)
{
    return MADE_EVENTS_ADDRESS + (uint64_t)stream * MADE_REGION + t->event_at[stream];
}

static inline void made_events(struct made_trace *t, uint32_t stream, const void *bytes, size_t length)
{
    made_put(t->fd, bytes, length, made_region(stream, false) + t->event_at[stream]);
    t->event_at[stream] += length;
}

static inline void made_record(struct made_trace *t, uint32_t stream, uint64_t what, uint64_t calls)
{
    const struct trace_record r = {what, calls};
    made_put(t->fd, &r, sizeof r, made_region(stream, true) + t->side_at[stream]);
    t->side_at[stream] += sizeof r;
}

/* Makes a function traced: values, one for each edge ("0>1" in order, then what completes the graph); calls:
 * one for each block, or MADE_NO_CALL. callee: what MAP_TRACE_KNOWN means. */
#define MADE_NO_CALL UINT32_MAX
static inline void made_traced(struct map_function *f, uint64_t id, const uint32_t *values,
                               uint32_t value_count, const uint32_t *calls, uint64_t callee)
{
    uint32_t blocks = graph_exit(&f->graph), used = 0;
    struct map_trace *t = ZALLOC(struct map_trace, 1);
    t->id = id;
    t->placement = WITNESS_FOREST;
    t->values = ZALLOC(uint32_t, f->graph.edge_count);
    memcpy(t->values, values, value_count * sizeof *values);
    for (uint32_t i = 0; i < value_count; i++)
        if (values[i] > t->value_count)
            t->value_count = values[i];
    t->callees = ALLOC(uint64_t, 1);
    t->callees[0] = callee;
    t->callee_count = 1;
    t->named = ZALLOC(bool, 1);
    t->linked = ZALLOC(uint64_t, 1);
    t->calls = ZALLOC(uint32_t, blocks + 1);
    t->first = ZALLOC(uint32_t, blocks + 1);
    t->resumes = ZALLOC(bool, blocks);
    for (uint32_t b = 0; b < blocks; b++) {
        t->first[b] = used;
        if (calls[b] != MADE_NO_CALL) {
            f->blocks[b].call_count = 1;
            f->blocks[b].calls = ZALLOC(struct map_call, 1);
            f->blocks[b].calls[0].callee = MAP_CALLEE_UNKNOWN;
            t->calls[used++] = calls[b];
        }
    }
    t->first[blocks] = used;
    f->trace = t;
}

/* Its accesses: per block so many before its call, if it has one, and so many behind; all are loads of 4
 * bytes. */
static inline void made_accesses(struct map_function *f, uint32_t before, uint32_t behind)
{
    struct map_trace *t = f->trace;
    uint32_t blocks = graph_exit(&f->graph), place = 0, used = 0;
    struct map_accesses *a = t->accesses = ZALLOC(struct map_accesses, 1);
    a->first = ZALLOC(uint32_t, (size_t)t->first[blocks] + blocks + 1);
    for (uint32_t b = 0; b < blocks; b++) {
        for (uint32_t call = t->first[b]; call < t->first[b + 1]; call++)
            a->first[++place] = used += before;
        a->first[++place] = used += behind;
    }
    a->items = ZALLOC(uint32_t, used + 1);
    for (uint32_t i = 0; i < used; i++)
        a->items[i] = 4 << 2 | MAP_LOAD;
    f->flags |= MAP_FUNCTION_TRACED | MAP_FUNCTION_ADDRESSES;
}

/* The words of a stream, in a region of their own. */
#define MADE_WORDS_ADDRESS 0x300000000000ull
#define MADE_WORDS_REGION 8u /* behind this many of the others */
static inline void made_words(const struct made_trace *t, uint32_t stream, const uint64_t *words,
                              size_t count)
{
    const struct trace_address_stream s = {.offset = made_region(MADE_WORDS_REGION + stream, false),
                                           .length = MADE_REGION,
                                           .address = MADE_WORDS_ADDRESS + (uint64_t)stream * MADE_REGION,
                                           .begin = MADE_WORDS_ADDRESS + (uint64_t)stream * MADE_REGION};
    made_put(t->fd, &s, sizeof s, TRACE_ADDRESSES_OFFSET + stream * sizeof s);
    made_put(t->fd, words, count * sizeof *words, s.offset);
}

#endif
