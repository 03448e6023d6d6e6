/*
 * Addresses (format/trace/layout.h): a region for a stream whose thread enters code that records
 * them, and where it ends. Streams of other programs have none, and nothing is done for them.
 *
 * Thunks move a thread whose region is used up to new ones. A body asks for room, too
 * (cotree_trace_room), but events cannot go on elsewhere in the midst of one: there the thread may
 * use what is left of the region, and the next thunk moves it. When nothing is left, its words go
 * to the sink from there on, and a mark says so; its events are kept as before.
 */
#include <errno.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include "runtime/trace/trace.h"

/*
 * Code that asks for room seldom writes beyond the end of its region, and what it writes there goes
 * to the sink (trace/signals.c). So a region is mapped a second time, at a place with unused
 * address space after it. Where that cannot be (valgrind), another part of the file lies there.
 */
#define PARTS 2u
#define FIRST_SHARE 8u /* of what is left of the file */
#define NEXT_SHARE 64u
#define REGION_LEAST (UINT64_C(1) << 20)
#define SPARE (UINT64_C(256) << 10) /* for words that are written before code asks again */
#define STEP (UINT64_C(4) << 20)    /* bytes after which pages are let go */
#define FIRST_ROOM (UINT64_C(16) << 40)
#define NEXT_ROOM (UINT64_C(1) << 40)
#define SHARE_OF_ADDRESSES 8u /* of RLIMIT_AS */

void cotree_trace_addresses_protect(const struct trace_address_stream *stream)
{
    (void)COTREE_CALL(SYS_mprotect, stream->address + stream->length, stream->room - stream->length,
                      PROT_NONE, 0, 0, 0);
}

/* The region's place in the file's own mapping. */
static char *place_in_file(const struct trace_address_stream *stream)
{
    return (char *)cotree_trace_file.header + stream->offset;
}

bool cotree_trace_addresses_map(const struct trace_address_stream *stream)
{
    char *place = place_in_file(stream);
    return (char *)(uintptr_t)stream->address == place ||
           !cotree_failed(cotree_mremap(place, 0, stream->length, MREMAP_MAYMOVE | MREMAP_FIXED,
                                        (void *)(uintptr_t)stream->address));
}

/* Address space for a region of that size, with as much unused space after it as can be had; 0:
 * none. */
static uint64_t reserve(bool first, uint64_t size, uint64_t *room)
{
    uint64_t limit = cotree_trace_address_limit();
    *room = first ? FIRST_ROOM : NEXT_ROOM;
#ifndef COTREE_RUNTIME_SHARED
    if (cotree_runs_on_valgrind())
        return 0;
#endif
    if (limit != RLIM_INFINITY)
        while (*room > limit / SHARE_OF_ADDRESSES)
            *room /= 2;
    for (; *room >= PARTS * size; *room /= 2) {
        long range = cotree_mmap(NULL, *room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (!cotree_failed(range))
            return (uint64_t)range;
    }
    return 0;
}

uint32_t cotree_trace_word_streams;

long cotree_trace_addresses_new(uint32_t number)
{
    struct trace_header *header = cotree_trace_file.header;
    struct trace_address_stream *stream, new = {0};
    uint64_t end = __atomic_load_n(&header->end, __ATOMIC_ACQUIRE);
    uint64_t left = end < cotree_trace_file.length ? cotree_trace_file.length - end : 0;
    uint64_t size = left / (number == 0 ? FIRST_SHARE : NEXT_SHARE) & ~(REGION_LEAST - 1);
    long error = cotree_trace_words_reach(number);
    if (error != 0)
        return error;
    stream = cotree_trace_addresses(number);
    if (stream->unkept != 0)
        return -ENOSPC;
    if (size < REGION_LEAST)
        size = REGION_LEAST;
    if (PARTS * size > left)
        return -ENOSPC;
    new.offset = __atomic_fetch_add(&header->end, PARTS * size, __ATOMIC_ACQ_REL);
    if (new.offset + PARTS * size > cotree_trace_file.length)
        return -ENOSPC;
    new.length = size;
    new.address = reserve(number == 0, size, &new.room);
    if (new.address == 0 || !cotree_trace_addresses_map(&new)) {
        if (new.address != 0)
            cotree_munmap((void *)(uintptr_t)new.address, new.room);
        new.address = (uint64_t)(uintptr_t)header + new.offset;
        new.room = PARTS *size;
    }
    new.begin = new.address;
    cotree_trace_addresses_protect(&new);
    new.length = 0;
    *stream = new;
    __atomic_store_n(&stream->length, size, __ATOMIC_RELEASE);
    if (number >= cotree_trace_word_streams)
        cotree_trace_word_streams = number + 1;
    cotree_trace_remember(number);
    return 0;
}

static uint64_t *end_of_addresses(const struct trace_address_stream *stream)
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
    own->at.addresses = stream->end != 0 ? (uint64_t *)(uintptr_t)stream->end : end_of_addresses(stream);
    stream->end = 0;
}

static bool is_in(const struct trace_address_stream *stream, const uint64_t *words)
{
    return (uint64_t)(uintptr_t)words - stream->address < stream->room;
}

/* Are the words that are written there not kept? (Those of a thread that has a stream.) */
bool cotree_trace_addresses_sunk(const struct trace_address_stream *stream, const uint64_t *words)
{
    return words != NULL && !is_in(stream, words);
}

static bool is_sunk(const struct trace_own *own)
{
    return cotree_trace_addresses_sunk(cotree_trace_addresses(own->stream), own->at.addresses);
}

/* The last place where a body may go on; and, below, where a thunk lets the thread go on. */
static uint64_t *last_word(const struct trace_own *own)
{
    const struct trace_address_stream *stream = cotree_trace_addresses(own->stream);
    return (uint64_t *)(uintptr_t)(stream->address + stream->length - SPARE);
}

static uint64_t *last_for_thunks(const struct trace_own *own)
{
    return last_word(own) - cotree_trace_addresses(own->stream)->length / 4 / sizeof(uint64_t);
}

void cotree_trace_addresses_limit(struct trace_own *own)
{
    own->at.addresses_limit = NULL;
    if (own->at.addresses == NULL)
        return;
    if (is_sunk(own)) {
        cotree_trace_sink_words(&own->at);
        return;
    }
    uint64_t *last = last_for_thunks(own);
    bool far = own->at.addresses < last && (uint64_t)((char *)last - (char *)own->at.addresses) > STEP;
    own->at.addresses_limit =
        far && !cotree_in_sandbox() ? own->at.addresses + STEP / sizeof(uint64_t) : last;
}

bool cotree_trace_addresses_used_up(const struct trace_own *own)
{
    return own->at.addresses != NULL && !is_sunk(own) && own->at.addresses >= last_for_thunks(own);
}

/* What was kept of the addresses so far stays. */
void cotree_trace_addresses_sink(struct trace_own *own)
{
    bool calls = !cotree_in_sandbox();
    if (!calls || cotree_trace_ready(own->at.addresses, sizeof *own->at.addresses) == 0)
        cotree_trace_mark(own, TRACE_MARK_NO_ROOM);
    else
        cotree_trace_flag(TRACE_FLAG_LOST);
    if (calls)
        cotree_trace_sink_make(false);
    own->kept_addresses = NULL;
    cotree_trace_sink_words(&own->at);
}

static void sink_words(struct trace_own *own)
{
    bool locked = cotree_in_sandbox() || cotree_forks_now();
    uint64_t mask = locked ? 0 : cotree_lock();
    cotree_trace_addresses_sink(own);
    if (!locked)
        cotree_unlock(mask);
}

/* The region of events is used up, and there is only so much unused address space after it
 * (trace/signals.c). */
static void go_back(struct trace_own *own)
{
    const struct trace_stream *stream = cotree_trace_stream(own->stream);
    uint64_t end = stream->events_address + stream->events_length;
    if ((uint64_t)(uintptr_t)own->at.events > end)
        own->at.events = (uint8_t *)(uintptr_t)end;
}

/*
 * Called by bodies. A thread goes on where it was: it never begins a stream here, nor do its events
 * move, since replay would not know where to.
 */
__attribute__((preserve_most)) void TRACE_OWN(trace_room)(struct cotree_trace_thread *at)
{
    struct trace_own *own = &cotree_trace_thread;
    (void)at;
    if (own->place == TRACE_NOWHERE)
        return;
    if (own->place == TRACE_IN_STREAM && own->is_broken && cotree_trace_file.header != NULL)
        go_back(own);
    if (own->place != TRACE_IN_STREAM || cotree_trace_file.header == NULL || is_sunk(own)) {
        cotree_trace_sink_words(&own->at);
    } else if (own->is_broken) {
        own->kept_addresses = NULL;
        cotree_trace_sink_words(&own->at);
    } else if (own->at.addresses >= last_word(own)) {
        sink_words(own);
    } else {
        if (!cotree_in_sandbox())
            cotree_trace_addresses_let_go(own);
        cotree_trace_addresses_limit(own);
        if (own->at.addresses >= own->at.addresses_limit) {
            own->at.addresses_limit = last_word(own);
            own->at.side_limit = NULL; /* the next thunk moves */
        }
    }
}

/* Where the thread's words really end: as cotree_trace_events_end. */
uint64_t *cotree_trace_addresses_end(const struct trace_own *own)
{
    const volatile uint64_t *at = own->at.addresses;
    if (own->place != TRACE_IN_STREAM || own->is_broken || at == NULL || is_sunk(own) ||
        ((uintptr_t)at % DATA_PAGE != 0 && at[0] == 0 && at[-1] != 0))
        return own->at.addresses;
    const struct trace_address_stream *stream = cotree_trace_addresses(own->stream);
    return (uint64_t *)(void *)cotree_trace_written_end((uint64_t)(uintptr_t)at, sizeof(uint64_t),
                                                        stream->address, stream->length, &stream->taken);
}

/* The end of the addresses, for the thread that takes the stream in state 3; 0: it has to look. */
uint64_t cotree_trace_addresses_last(const struct trace_own *own)
{
    return is_sunk(own) ? 0 : (uint64_t)(uintptr_t)cotree_trace_addresses_end(own);
}

void cotree_trace_mark(struct trace_own *own, enum trace_mark mark)
{
    if (own->place != TRACE_IN_STREAM || own->at.addresses == NULL)
        return;
    if ((uintptr_t)own->at.addresses % DATA_PAGE == 0 && !is_sunk(own) && !cotree_in_sandbox() &&
        cotree_trace_ready(own->at.addresses, sizeof *own->at.addresses) != 0) {
        cotree_trace_flag(TRACE_FLAG_LOST);
        own->kept_addresses = NULL;
        cotree_trace_sink_words(&own->at);
    }
    __atomic_store_n(own->at.addresses, TRACE_MARK_WORD(mark), __ATOMIC_RELEASE);
    own->at.addresses++;
}

uint64_t cotree_trace_addresses_room(uint64_t address, uint32_t number)
{
    const struct trace_address_stream *stream = cotree_trace_addresses(number);
    return stream->length != 0 && address - stream->address < stream->room ? stream->address + stream->room
                                                                           : 0;
}

bool cotree_trace_addresses_hold(uint64_t address)
{
    for (uint32_t i = 0; i < cotree_trace_words_real; i++)
        if (cotree_trace_addresses_room(address, i) != 0)
            return true;
    return false;
}
