/*
 * A child of fork has an events file of its own, mapped where its parent's was, before it runs code of the
 * program: its thread goes on at the same addresses. The child's streams begin where the parent's stood, and
 * say first which frames it found on its stack (TRACE_FRAMES), from the frame that called fork outwards;
 * those that a signal handler interrupted belong to another stream.
 *
 * When it cannot make a file, memory of its own comes where its parent's file was.
 */
#include <errno.h>
#include <sys/mman.h>
#include "runtime/trace.h"

/* Writes the frames from the cursor up to one that a signal interrupted, whose frames are another stream's;
 * FIRST: that is where this one's begin. Returns whether there is one. */
static bool write_frames(struct cotree_trace_thread *at, struct cotree_cursor *cursor, const uint8_t *events)
{
    struct trace_record *head = at->side, *to = head + 2;
    bool first = true, more = false;
    do {
        if (cursor->interrupted && !first) {
            more = true;
            break;
        }
        first = false;
        /* A return address may lie behind the code. */
        struct cotree_module *module = cotree_trace_module_at(cursor->pc - !cursor->interrupted);
        if (module != NULL && to < at->side_limit && cotree_module_in_file(module) == 0) {
            to->what = cursor->pc - module->bias;
            to->calls = module->index | (cursor->interrupted ? TRACE_FRAME_INTERRUPTED : 0);
            to++;
        }
    } while (cotree_unwind(cursor) == COTREE_STEP_OK);
    head[1] = (struct trace_record){(uint64_t)(to - head - 2), (uint64_t)(uintptr_t)events};
    head->calls = at->calls;
    __atomic_store_n(&head->what, TRACE_FRAMES, __ATOMIC_RELEASE);
    at->side = to;
    return more;
}

#define LEVELS (TRACE_LEVELS + 1)
struct level {
    struct cotree_trace_thread *at;
    uint32_t *place;
    uint32_t stream;
    struct trace_stream parents;
    struct trace_address_stream addresses_of_parents;
    uint8_t *events;
    uint64_t *addresses;
};

/* The child's entry for a stream of its parent's: where it stood. */
static void inherit(const struct level *level)
{
    struct trace_stream *stream = cotree_trace_stream(level->stream);
    cotree_copy(stream, &level->parents, sizeof *stream);
    stream->thread = cotree_process.pid;
    stream->events_begin = (uint64_t)(uintptr_t)level->events;
    stream->side_begin = (uint64_t)(uintptr_t)level->at->side;
    stream->events_taken = stream->side_taken = stream->next = 0;
    if (level->addresses_of_parents.length != 0) {
        struct trace_address_stream *words = cotree_trace_addresses(level->stream);
        *words = level->addresses_of_parents;
        words->begin = (uint64_t)(uintptr_t)level->addresses;
        words->taken = words->end = 0;
        cotree_trace_addresses_protect(words);
    }
    cotree_trace_own(&cotree_trace_thread, level->stream);
    __atomic_store_n(&stream->state, 2, __ATOMIC_RELEASE);
    cotree_trace_protect(stream);
}

/* EVENTS is what was known before the fork: the mapping is still the parent's, who may have gone on. */
static void find_level(struct level *level, struct cotree_trace_thread *at, uint32_t *place, uint32_t number,
                       uint8_t *events, uint64_t *addresses)
{
    *level = (struct level){
        .at = at, .place = place, .stream = number, .events = events, .addresses = addresses};
    if (*place == TRACE_IN_STREAM) {
        cotree_copy(&level->parents, cotree_trace_stream(number), sizeof level->parents);
        level->addresses_of_parents = *cotree_trace_addresses(number);
    }
}

/* Innermost first. */
static unsigned find_levels(struct trace_own *own, struct level *levels)
{
    unsigned count = 0;
    find_level(&levels[count++], &own->at, &own->place, own->stream, own->at.events,
               own->at.addresses);
    for (uint32_t i = own->depth; i > 0; i--) {
        struct trace_interrupted *whom = &own->levels[i - 1];
        find_level(&levels[count++], &whom->at, &whom->place, whom->stream, whom->events,
                   whom->addresses);
    }
    return count;
}

void cotree_trace_forked(const struct cotree_cursor *from)
{
    struct trace_own *own = &cotree_trace_thread;
    struct level levels[LEVELS];
    struct trace_header *before = cotree_trace_file.header;
    if (before == NULL)
        return;
    uint64_t end = __atomic_load_n(&before->end, __ATOMIC_ACQUIRE);
    unsigned count = find_levels(own, levels);
    cotree_trace_file.header = NULL;
    cotree_trace_disown_all();
    long error = cotree_process.file.header == NULL ? -ENOENT : cotree_trace_file_open(before);
    if (error != 0) {
        cotree_trace_file.failed = true;
        (void)cotree_mmap(before, cotree_trace_file.length, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        for (unsigned i = 0; i < count; i++)
            *levels[i].place = *levels[i].place == TRACE_IN_STREAM ? TRACE_IN_SINK : *levels[i].place;
        if (own->place == TRACE_IN_SINK) {
            cotree_trace_sink_make();
            cotree_trace_sink(&own->at);
        }
        cotree_lost("the child is not traced in", error);
        return;
    }
    __atomic_store_n(&cotree_trace_file.header->end, end, __ATOMIC_RELEASE);
    struct cotree_cursor cursor = *from;
    bool more = true;
    for (unsigned i = 0; i < count; i++) {
        if (*levels[i].place != TRACE_IN_STREAM) {
            while (more && cotree_unwind(&cursor) == COTREE_STEP_OK && !cursor.interrupted)
                ;
            continue;
        }
        if ((error = cotree_trace_ready(cotree_trace_stream(levels[i].stream),
                                        sizeof(struct trace_stream))) != 0 ||
            (error = cotree_trace_ready(levels[i].at->side, DATA_PAGE)) != 0 ||
            (levels[i].addresses_of_parents.length != 0 &&
             ((error = cotree_trace_ready(cotree_trace_addresses(levels[i].stream),
                                          sizeof(struct trace_address_stream))) != 0 ||
              (error = cotree_trace_ready(levels[i].addresses, DATA_PAGE)) != 0))) {
            cotree_trace_flag(TRACE_FLAG_LOST);
            continue;
        }
        inherit(&levels[i]);
        if (more)
            more = write_frames(levels[i].at, &cursor, levels[i].events);
    }
    own->kept = own->at.events;
    own->kept_side = own->at.side;
    own->kept_addresses = own->at.addresses;
    cotree_trace_follow();
}
