/*
 * Makes an events file that holds little small, as the last act of a program, so that no file of an
 * enormous size is left. What was written is moved to the front, and the rest of the file is given
 * back. Other threads might still write, so it is done only when there are none. Larger files, and
 * those of programs that could not do this, are left to the follower.
 *
 * Addresses stay what they were (format/trace/layout.h): a region is shorter, and elsewhere in the
 * file.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include "format/data/seal.h"
#include "runtime/file/file.h"
#include "runtime/trace/trace.h"

/* The part of a region that is written, in whole pages, with a zero after it. */
struct part {
    uint64_t from, length; /* as an address */
};

/* Of a long region only so much is looked at as tells that it is long: each page that is looked at
 * is mapped in. */
static struct part written(uint64_t begin, uint64_t size, uint64_t address, uint64_t length,
                           const uint64_t *taken)
{
    uint64_t from = begin & ~(uint64_t)(DATA_PAGE - 1);
    if (length > begin - address + TRACE_WORTH_PACKING + DATA_PAGE)
        length = begin - address + TRACE_WORTH_PACKING + DATA_PAGE;
    uint64_t end = (uint64_t)(uintptr_t)cotree_trace_written_end(begin, size, address, length, taken);
    return (struct part){from, cotree_whole_pages(end + sizeof(struct trace_record) - from)};
}

static struct part written_side(const struct trace_stream *stream)
{
    return written(stream->side_begin, sizeof(struct trace_record), stream->side_address, stream->side_length,
                   &stream->side_taken);
}

static struct part written_events(const struct trace_stream *stream)
{
    return written(stream->events_begin, 1, stream->events_address, stream->events_length,
                   &stream->events_taken);
}

static struct part written_addresses(const struct trace_address_stream *stream)
{
    return written(stream->begin, sizeof(uint64_t), stream->address, stream->length, &stream->taken);
}

/* Has this thread alone written too much? That is known without a look at pages, each of which
 * would be mapped in. */
static bool is_long(void)
{
    const struct trace_own *own = &cotree_trace_thread;
    const struct trace_stream *stream = cotree_trace_stream(own->stream);
    return own->place == TRACE_IN_STREAM &&
           ((uint64_t)(uintptr_t)own->at.events > stream->events_begin + TRACE_WORTH_PACKING ||
            (uint64_t)(uintptr_t)own->at.side > stream->side_begin + TRACE_WORTH_PACKING);
}

/* How much is written, or 0: it cannot be moved. Streams lie in the file in their order, side
 * before events. */
static uint64_t measure(void)
{
    uint64_t total = 0, before = 0, first = UINT64_MAX;
    for (uint32_t i = 0; i < cotree_trace_streams_real; i++) {
        const struct trace_stream *stream = cotree_trace_stream(i);
        if (stream->events_length == 0) /* in a child of fork there are gaps */
            continue;
        if (stream->events_taken != 0 || stream->side_taken != 0 || stream->side_offset < before ||
            stream->events_offset < stream->side_offset)
            return 0;
        before = stream->events_offset;
        total += written_side(stream).length + written_events(stream).length;
        const struct trace_address_stream *words = cotree_trace_addresses(i);
        if (words->length != 0) {
            if (words->taken != 0)
                return 0;
            first = words->offset < first ? words->offset : first;
            total += written_addresses(words).length;
        }
    }
    return first >= TRACE_REGIONS_OFFSET + total ? total : 0; /* addresses come last, whatever lies there */
}

static void move_part(struct part part, uint64_t *to, uint64_t *offset, uint64_t *length, uint64_t *address)
{
    char *base = (char *)cotree_trace_file.header + *to;
    const char *from = (const char *)(uintptr_t)part.from;
    uintptr_t page = 0;
    for (uint64_t at = 0; base != from && at < part.length; at += DATA_PAGE) {
        if (cotree_trace_is_readable(from + at, &page)) /* the last one may be a hole */
            cotree_copy(base + at, from + at, DATA_PAGE);
        else
            cotree_clear(base + at, DATA_PAGE);
    }
    *offset = *to;
    *length = part.length;
    *address = part.from;
    *to += part.length;
}

static bool is_alone(void)
{
    struct stat status;
    return cotree_alone() ||
           (COTREE_CALL(SYS_stat, "/proc/self/task", &status, 0, 0, 0, 0) == 0 && status.st_nlink == 3);
}

/* A descriptor of the file, if its name still leads to it. */
static long reopen(void)
{
    char name[COTREE_PATH_MAX];
    struct stat status;
    if (!cotree_trace_name_of(name, sizeof name, cotree_process.file.path, cotree_process.file.shared))
        return -1;
    long descriptor = cotree_open(name, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
    if (cotree_failed(descriptor) ||
        (COTREE_CALL(SYS_fstat, descriptor, &status, 0, 0, 0, 0) == 0 &&
         status.st_dev == cotree_trace_file.device && status.st_ino == cotree_trace_file.inode))
        return descriptor;
    cotree_close(descriptor);
    return -1;
}

/* A follower that packs has the file locked (follow/pack.c), and so has a reader
 * (format/trace/events.h); both look at it once more when they have the lock. */
static bool is_locked_by_others(long descriptor)
{
    const struct flock first_byte = {.l_type = F_WRLCK, .l_len = 1};
    return COTREE_CALL(SYS_flock, descriptor, LOCK_EX | LOCK_NB, 0, 0, 0, 0) != 0 ||
           COTREE_CALL(SYS_fcntl, descriptor, F_OFD_SETLK, &first_byte, 0, 0, 0) == -EAGAIN;
}

/* No thread writes any more: what is there is sealed, as data files are. */
static void seal(uint64_t streams, uint64_t end)
{
    struct trace_header *header = cotree_trace_file.header, described;
    const char *base = (const char *)header;
    uint64_t pages = cotree_whole_pages(streams * sizeof(struct trace_stream));
    header->sealed_streams = streams;
    cotree_copy(&described, header, sizeof described);
    described.follower = described.seal = 0;
    uint64_t hash =
        data_seal_words(DATA_SEAL_BEGIN, (const uint64_t *)(const void *)&described, sizeof described / 8);
    hash = data_seal_pages(hash, base + TRACE_STREAMS_OFFSET, TRACE_STREAMS_OFFSET, pages);
    if (streams > cotree_trace_words_real)
        streams = cotree_trace_words_real; /* further pages are zeros, which change nothing */
    pages = cotree_whole_pages(streams * sizeof(struct trace_address_stream));
    hash = data_seal_pages(hash, base + TRACE_ADDRESSES_OFFSET, TRACE_ADDRESSES_OFFSET, pages);
    hash =
        data_seal_pages(hash, base + TRACE_REGIONS_OFFSET, TRACE_REGIONS_OFFSET, end - TRACE_REGIONS_OFFSET);
    __atomic_store_n(&header->seal, hash | 1, __ATOMIC_RELEASE);
}

static void compact(void)
{
    struct trace_header *header = cotree_trace_file.header;
    uint64_t total = is_long() ? 0 : measure(), to = TRACE_REGIONS_OFFSET;
    if (total == 0 || total > TRACE_WORTH_PACKING)
        return;
    long descriptor = reopen();
    if (cotree_failed(descriptor))
        return;
    total = is_locked_by_others(descriptor) ? 0 : measure();
    if (total != 0 && total <= TRACE_WORTH_PACKING && cotree_trace_ready((char *)header + to, total) == 0) {
        uint32_t streams = 0;
        for (; streams < cotree_trace_streams_real; streams++) {
            struct trace_stream *stream = cotree_trace_stream(streams);
            if (stream->events_length == 0)
                continue;
            struct part side = written_side(stream), events = written_events(stream);
            move_part(side, &to, &stream->side_offset, &stream->side_length, &stream->side_address);
            move_part(events, &to, &stream->events_offset, &stream->events_length, &stream->events_address);
        }
        for (uint32_t i = 0; i < cotree_trace_words_real; i++) {
            struct trace_address_stream *words = cotree_trace_addresses(i);
            if (words->length != 0)
                move_part(written_addresses(words), &to, &words->offset, &words->length, &words->address);
        }
        __atomic_store_n(&header->end, to, __ATOMIC_RELEASE);
        seal(streams, to);
        /* Code that still runs finds no file. */
        struct trace_own *own = &cotree_trace_thread;
        cotree_trace_sink_make(true);
        cotree_trace_sink(&own->at);
        own->place = TRACE_IN_SINK;
        own->at.side_limit = NULL; /* the next thunk says that there was one */
        cotree_trace_file.header = NULL;
        cotree_trace_file.failed = cotree_trace_file.over = true;
        (void)COTREE_CALL(SYS_ftruncate, descriptor, to, 0, 0, 0, 0);
    }
    cotree_close(descriptor);
}

/* No handler may begin a stream meanwhile. */
void cotree_trace_compact(void)
{
    if (cotree_in_sandbox() || (cotree_trace_file.header->flags & TRACE_FLAG_LOST) != 0 || !is_alone())
        return;
    uint64_t mask = cotree_signals_block();
    compact();
    cotree_signals_restore(mask);
}
