/*
 * Threads that end. It is not certain that code of theirs runs last, so their streams are ended by
 * others: by the function that takes their storage away (process/threads.c), by the next thread
 * that looks for a stream, or at the end of the process. As long as a thread's storage is there, it
 * tells where the thread stood: above all how many calls it had made, which is known nowhere else.
 *
 * A library under a plain program cannot know how long storage lasts: there threads have no end.
 */
#include "runtime/file/file.h"
#include "runtime/trace/trace.h"

#ifdef COTREE_RUNTIME_SHARED

void cotree_trace_own(struct trace_own *own, uint32_t number)
{
    (void)own, (void)number;
}

void cotree_trace_disown(uint32_t number)
{
    (void)number;
}

void cotree_trace_disown_all(void) {}

bool cotree_trace_end_if_gone(uint32_t number)
{
    (void)number;
    return false;
}

void cotree_trace_end_all_gone(void) {}

void cotree_trace_thread_gone(char *thread)
{
    (void)thread;
}

#else

#include <pthread.h>
#include <time.h>

/* The thread of each stream, while that thread's storage lasts. Lock held, or no other thread. */
static struct trace_own *owners[TRACE_STREAMS_MOST];
static uint32_t owners_end; /* none from there on */
static bool is_blind;       /* the C library does not tell when storage goes away */

void cotree_trace_own(struct trace_own *own, uint32_t number)
{
    owners[number] = is_blind ? NULL : own;
    if (number >= owners_end)
        owners_end = number + 1;
}

void cotree_trace_disown(uint32_t number)
{
    owners[number] = NULL;
}

/* In a child of fork: all threads but one are gone, without an end. */
void cotree_trace_disown_all(void)
{
    for (uint32_t i = 0; i < owners_end; i++)
        owners[i] = NULL;
}

/* The distance of a thread's storage from its thread pointer is the same for all threads. */
static ptrdiff_t storage_offset(void)
{
    return (char *)&cotree_trace_thread - (char *)__builtin_thread_pointer();
}

static bool is_gone(const struct trace_own *own)
{
    const char *thread = (const char *)own - storage_offset();
    return own != &cotree_trace_thread && cotree_thread_id(thread) == 0;
}

/* The thread is gone. What one of its handlers interrupted, if it ended there, is left as it is:
 * between calls nothing says how far control had come. */
static void end(struct trace_own *own)
{
    if (own->place != TRACE_IN_STREAM || own->stream >= TRACE_STREAMS_MOST || owners[own->stream] != own)
        return;
    struct trace_stream *stream = cotree_trace_stream(own->stream);
    owners[own->stream] = NULL;
    own->place = TRACE_NOWHERE;
    if (own->is_broken)
        return;
    const struct trace_record part = {
        TRACE_END_THREAD, (uint64_t)(uintptr_t)cotree_trace_events_end_from(stream, own->at.events)};
    if (!cotree_in_sandbox() && cotree_trace_ready(own->at.side, 2 * sizeof *own->at.side) != 0)
        return;
    cotree_trace_write(&own->at, TRACE_END, &part, 1);
    stream->events_end = part.calls;
    stream->side_end = (uint64_t)(uintptr_t)own->at.side;
    __atomic_store_n(&stream->state, 3, __ATOMIC_RELEASE);
}

/* Frees the stream if its thread has ended. */
bool cotree_trace_end_if_gone(uint32_t number)
{
    struct trace_own *own = owners[number];
    if (own == NULL || own->stream != number || !is_gone(own))
        return false;
    end(own);
    return true;
}

void cotree_trace_end_all_gone(void)
{
    for (uint32_t i = 0; i < owners_end; i++)
        (void)cotree_trace_end_if_gone(i);
}

/* The storage of a thread that has ended is about to be used for something else; NULL: that is not
 * told. */
void cotree_trace_thread_gone(char *thread)
{
    if (cotree_trace_file.header == NULL || cotree_process.pid != cotree_getpid())
        return;
    uint64_t mask = cotree_lock();
    if (thread != NULL) {
        struct trace_own *own = (struct trace_own *)(void *)(thread + storage_offset());
        end(own);
        for (uint32_t i = 0; i < owners_end; i++) /* those of handlers, and those that were given up, too */
            if (owners[i] == own)
                owners[i] = NULL;
    } else {
        is_blind = true;
        cotree_trace_disown_all();
    }
    cotree_unlock(mask);
}

#endif
