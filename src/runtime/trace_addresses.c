/*
 * Addresses (format/trace_layout.h): a region for a stream whose thread enters code that records them, and
 * where it ends. Streams of other programs have none, and nothing is done for them.
 */
#include <errno.h>
#include <sys/mman.h>
#include "runtime/trace.h"

/* A region is one part of the file, and another behind it for stores beyond its end, which go to the sink. */
#define PARTS 2u
#define FIRST_SHARE 8u /* of what is left of the file */
#define NEXT_SHARE 64u
#define REGION_LEAST (UINT64_C(64) << 10)
#define STEP (UINT64_C(16) << 20) /* bytes after which pages are let go */

void cotree_trace_addresses_protect(const struct trace_address_stream *stream)
{
    (void)COTREE_CALL(SYS_mprotect, stream->address + stream->length, (PARTS - 1) * stream->length, PROT_NONE,
                      0, 0, 0);
}

long cotree_trace_addresses_new(uint32_t number)
{
    struct trace_header *header = cotree_trace_file.header;
    struct trace_address_stream *stream = cotree_trace_addresses(number);
    uint64_t end = __atomic_load_n(&header->end, __ATOMIC_ACQUIRE);
    uint64_t left = end < cotree_trace_file.length ? cotree_trace_file.length - end : 0;
    uint64_t size = left / (number == 0 ? FIRST_SHARE : NEXT_SHARE) & ~(REGION_LEAST - 1);
    long error = cotree_trace_ready(stream, sizeof *stream);
    if (error != 0)
        return error;
    if (size < REGION_LEAST)
        size = REGION_LEAST;
    if (PARTS * size > left)
        return -ENOSPC;
    uint64_t offset = __atomic_fetch_add(&header->end, PARTS * size, __ATOMIC_ACQ_REL);
    if (offset + PARTS * size > cotree_trace_file.length)
        return -ENOSPC;
    stream->offset = offset;
    stream->address = stream->begin = (uint64_t)(uintptr_t)header + offset;
    stream->taken = stream->end = 0;
    cotree_trace_addresses_protect(stream);
    __atomic_store_n(&stream->length, size, __ATOMIC_RELEASE);
    cotree_trace_remember(number);
    return 0;
}

uint64_t *cotree_trace_last_address(const struct trace_address_stream *stream)
{
    return (uint64_t *)(void *)cotree_trace_written_end(stream->begin, sizeof(uint64_t), stream->address,
                                                        stream->length, &stream->taken);
}

void cotree_trace_addresses_take(struct trace_own *own)
{
    struct trace_address_stream *stream = cotree_trace_addresses(own->stream);
    own->at.addresses = NULL;
    if (stream->length == 0)
        return;
    own->at.addresses =
        stream->end != 0 ? (uint64_t *)(uintptr_t)stream->end : cotree_trace_last_address(stream);
    stream->end = 0;
}

static uint64_t *last_word(const struct trace_own *own)
{
    const struct trace_address_stream *stream = cotree_trace_addresses(own->stream);
    return (uint64_t *)(uintptr_t)(stream->address + stream->length - stream->length / 8);
}

void cotree_trace_addresses_limit(struct trace_own *own)
{
    own->at.addresses_limit = NULL;
    if (own->at.addresses == NULL)
        return;
    uint64_t *last = last_word(own);
    bool far = own->at.addresses < last && (uint64_t)((char *)last - (char *)own->at.addresses) > STEP;
    own->at.addresses_limit =
        far && !cotree_in_sandbox() ? own->at.addresses + STEP / sizeof(uint64_t) : last;
}

bool cotree_trace_addresses_used_up(const struct trace_own *own)
{
    return own->at.addresses != NULL && own->at.addresses >= last_word(own);
}

/* Where the thread's words really end: as cotree_trace_events_end. */
uint64_t *cotree_trace_addresses_end(const struct trace_own *own)
{
    const volatile uint64_t *at = own->at.addresses;
    if (own->place != TRACE_IN_STREAM || own->is_broken || at == NULL ||
        ((uintptr_t)at % DATA_PAGE != 0 && at[0] == 0 && at[-1] != 0))
        return own->at.addresses;
    const struct trace_address_stream *stream = cotree_trace_addresses(own->stream);
    return (uint64_t *)(void *)cotree_trace_written_end((uint64_t)(uintptr_t)at, sizeof(uint64_t),
                                                        stream->address, stream->length, &stream->taken);
}

void cotree_trace_mark(struct trace_own *own, enum trace_mark mark)
{
    if (own->place != TRACE_IN_STREAM || own->at.addresses == NULL)
        return;
    __atomic_store_n(own->at.addresses, TRACE_MARK_WORD(mark), __ATOMIC_RELEASE);
    own->at.addresses++;
}

uint64_t cotree_trace_addresses_room(uint64_t address, uint32_t number)
{
    const struct trace_address_stream *stream = cotree_trace_addresses(number);
    return address - stream->address < PARTS * stream->length ? stream->address + PARTS * stream->length : 0;
}
