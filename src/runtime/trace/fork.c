/*
 * A child of fork has an events file of its own, mapped where its parent's was, before it runs code
 * of the program: its thread goes on at the same addresses. The child's streams begin where the
 * parent's stood, and say first which frames it found on its stack (TRACE_FRAMES), from the frame
 * that called fork outwards; those that a signal handler interrupted belong to another stream.
 *
 * When it cannot make a file, memory of its own comes where its parent's file was. When nothing of
 * its thread was traced, it has no file until traced code runs.
 */
#include <errno.h>
#include <sys/mman.h>
#include "runtime/file/file.h"
#include "runtime/trace/trace.h"

#define SPARE_MEMORY (UINT64_C(4) << 20)

/* Makes the child's entry for a stream of its parent, where that stood. */
static void inherit(const struct trace_geometry *parents, const struct trace_level *level)
{
    struct trace_stream *stream = cotree_trace_stream(level->stream);
    cotree_copy(stream, &parents->stream, sizeof *stream);
    stream->thread = cotree_process.pid;
    stream->events_begin = (uint64_t)(uintptr_t)level->events;
    stream->side_begin = (uint64_t)(uintptr_t)level->at->side;
    stream->events_taken = stream->side_taken = stream->next = 0;
    struct trace_address_stream *words = cotree_trace_addresses(level->stream);
    if (cotree_trace_addresses_sunk(&parents->addresses, level->addresses)) {
        *words = (struct trace_address_stream){.unkept = 1};
    } else if (parents->addresses.length != 0) {
        *words = parents->addresses;
        words->begin = (uint64_t)(uintptr_t)level->addresses;
        words->taken = words->end = 0;
        cotree_trace_addresses_protect(words);
    }
    cotree_trace_own(&cotree_trace_thread, level->stream);
    cotree_trace_remember(level->stream);
    __atomic_store_n(&stream->state, 2, __ATOMIC_RELEASE);
    cotree_trace_protect(level->stream);
}

static long make_ready(const struct trace_geometry *parents, const struct trace_level *level)
{
    long error = cotree_trace_streams_reach(level->stream);
    if (error == 0)
        error = cotree_trace_ready(level->at->side, DATA_PAGE);
    if (error == 0)
        error = cotree_trace_ready(level->events, 1); /* who looks for their end looks there */
    if (error == 0 && (level->addresses != NULL || parents->addresses.length != 0))
        error = cotree_trace_words_reach(level->stream);
    if (error == 0 && level->addresses != NULL &&
        !cotree_trace_addresses_sunk(&parents->addresses, level->addresses))
        error = cotree_trace_ready(level->addresses, DATA_PAGE);
    return error;
}

/* The words of the parent's streams go to this process's file from now on, or, without one, to
 * memory. */
static void take_words(const struct trace_geometry *parents, bool has_file)
{
    const struct trace_address_stream *words = &parents->addresses;
    if (words->length == 0)
        return;
    cotree_munmap((void *)(uintptr_t)words->address, words->length); /* RLIMIT_AS may not allow both */
    if (has_file && cotree_trace_addresses_map(words))
        return;
    (void)cotree_mmap((void *)(uintptr_t)words->address, words->length, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    cotree_trace_flag(TRACE_FLAG_LOST);
}

/* Maps memory where the parent's file was. Where so much is not allowed (the program has limited
 * its address space since), as much as interrupted code may need for a while: handlers return to
 * it. */
static void take_memory_instead(char *file, const struct trace_level *levels, unsigned count)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED;
    if (!cotree_failed(cotree_mmap(file, cotree_trace_file.length, PROT_READ | PROT_WRITE, flags, -1, 0)))
        return;
    cotree_munmap(file, cotree_trace_file.length); /* it is the parent's: nothing may go there */
    cotree_trace_file.mapping = NULL;
    for (unsigned i = 1; i < count; i++)
        if (*levels[i].place == TRACE_IN_STREAM) {
            (void)cotree_mmap((void *)((uintptr_t)levels[i].events & ~(uintptr_t)(DATA_PAGE - 1)),
                              SPARE_MEMORY, PROT_READ | PROT_WRITE, flags, -1, 0);
            (void)cotree_mmap((void *)((uintptr_t)levels[i].at->side & ~(uintptr_t)(DATA_PAGE - 1)),
                              SPARE_MEMORY, PROT_READ | PROT_WRITE, flags, -1, 0);
        }
}

/* All pages that this needs. Without one of them the file is of no use. */
static long make_all_ready(const struct trace_level *levels, unsigned count)
{
    long error = 0;
    for (unsigned i = 0; i < count && error == 0; i++) {
        const struct trace_geometry *parents = cotree_trace_remembered(levels[i].stream);
        if (*levels[i].place != TRACE_IN_STREAM)
            continue;
        take_words(parents, true);
        error = make_ready(parents, &levels[i]);
    }
    if (error != 0)
        cotree_trace_file_remove();
    return error;
}

/* Has no level of the thread begun? */
static bool is_untraced(const struct trace_level *levels, unsigned count)
{
    bool begun = false;
    for (unsigned i = 0; i < count; i++)
        begun |= *levels[i].place != TRACE_NOWHERE;
    return !begun;
}

/* Is what a level does not kept any more? */
static bool is_lost(const struct trace_level *levels, unsigned count)
{
    bool lost = false;
    for (unsigned i = 0; i < count; i++)
        lost |= *levels[i].place == TRACE_IN_SINK || levels[i].is_broken;
    return lost;
}

/* The process makes a file of its own where it needs one, wherever that comes. */
static void leave_parents_file(void)
{
    cotree_munmap(cotree_trace_file.mapping, cotree_trace_file.length);
    cotree_trace_file.mapping = NULL;
    cotree_trace_file.joined = false;
}

void cotree_trace_forked(const struct cotree_cursor *from)
{
    struct trace_own *own = &cotree_trace_thread;
    struct trace_level levels[TRACE_LEVELS + 1];
    struct trace_header *before = cotree_trace_file.header;
    if (before == NULL)
        return;
    /* What is known here: the mapping is still the parent's, which may have gone on, or ended
     * (trace/compact.c). */
    unsigned count = cotree_trace_levels(own, own->at.events, levels);
    cotree_trace_file.header = NULL;
    cotree_trace_disown_all();
    if (is_untraced(levels, count)) {
        leave_parents_file();
        return;
    }
    long error = cotree_process.file.header == NULL ? -ENOENT : cotree_trace_file_open(before);
    if (error == 0)
        error = make_all_ready(levels, count);
    if (error != 0) {
        cotree_trace_file.failed = true;
        take_memory_instead((char *)before, levels, count);
        for (unsigned i = 0; i < count; i++)
            if (*levels[i].place == TRACE_IN_STREAM)
                take_words(cotree_trace_remembered(levels[i].stream), false);
        for (unsigned i = 0; i < count; i++)
            *levels[i].place = *levels[i].place == TRACE_IN_STREAM ? TRACE_IN_SINK : *levels[i].place;
        if (own->place == TRACE_IN_SINK) {
            cotree_trace_sink_make(false);
            cotree_trace_sink(&own->at);
        }
        cotree_lost("the child is not traced in", error);
        return;
    }
    __atomic_store_n(&cotree_trace_file.header->end, cotree_trace_file.end, __ATOMIC_RELEASE);
    if (is_lost(levels, count))
        cotree_trace_flag(TRACE_FLAG_LOST | TRACE_FLAG_LOST_BEFORE);
    struct cotree_cursor cursor = *from;
    bool more = true;
    for (unsigned i = 0; i < count; i++) {
        const struct trace_geometry *parents = cotree_trace_remembered(levels[i].stream);
        if (*levels[i].place == TRACE_IN_STREAM)
            inherit(parents, &levels[i]);
        more = more && cotree_trace_write_frames(&levels[i], TRACE_FRAMES, &cursor);
    }
    own->kept = own->at.events;
    own->kept_side = own->at.side;
    own->kept_addresses = cotree_trace_addresses_sunk(cotree_trace_addresses(own->stream), own->at.addresses)
                              ? NULL
                              : own->at.addresses;
    cotree_trace_follow();
}
