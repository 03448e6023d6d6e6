/*
 * Streams of threads: begun when a thread enters traced code for the first time, moved on when a
 * region is used up, ended with the process. Traced code comes here through thunks
 * (format/trace/layout.h); nothing here is on its fast path.
 *
 * A stream whose thread has ended goes to the next thread that begins. Where it is unknown how the
 * thread ended (trace/threads.c), the last event and record are those before the first zero.
 *
 * A thread lets its written pages go every STEP bytes, or every page of a long trace would be
 * counted as the program's memory. Loops that pass no thunk leave that to another process
 * (trace/pages.c).
 */
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/statfs.h>
#include "runtime/trace/trace.h"
#include "runtime/death/signals.h"
#include "runtime/file/file.h"
#include "runtime/process/process.h"

#define STEP (UINT64_C(2) << 20)        /* bytes of a stream between two calls of cotree_trace_begin */
#define FIRST_READY (UINT64_C(4) << 10) /* bytes that are made real before they are needed */
#define SIDE_SPARE (UINT64_C(16) << 10) /* for records that are written without asking */
#define DEAD_PROBES 64u
#define PLENTY (UINT64_C(256) << 20) /* bytes of a disk: no thread writes so much between two thunks */

__thread struct trace_own cotree_trace_thread
    __attribute__((visibility("default"), tls_model(TRACE_TLS_MODEL)));

char cotree_traces_are_missing_so_link_with_cotree_cc; /* TRACE_LINK_SYMBOL */

_Static_assert(offsetof(struct cotree_module, index) == TRACE_MODULE_OFFSET,
               "thunks read it (TRACE_MODULE_SYMBOL)");

const struct trace_functions cotree_trace_functions = {
    .begin = TRACE_OWN(trace_begin),
    .begin_addresses = TRACE_OWN(trace_begin_addresses),
    .rounds = TRACE_OWN(trace_rounds),
    .land = TRACE_OWN(trace_land),
    .room = TRACE_OWN(trace_room),
};

/* ---- records ---- */

/* The parts are written first, the kind last: a follower that reads along sees all of a record or
 * nothing. */
void cotree_trace_write(struct cotree_trace_thread *at, uint64_t kind, const struct trace_record *parts,
                        unsigned count)
{
    struct trace_record *to = at->side;
    for (unsigned i = count; i > 0; i--) {
        __atomic_store_n(&to[i].calls, parts[i - 1].calls, __ATOMIC_RELEASE);
        __atomic_store_n(&to[i].what, parts[i - 1].what, __ATOMIC_RELEASE);
    }
    to->calls = at->calls;
    __atomic_store_n(&to->what, kind, __ATOMIC_RELEASE);
    at->side = to + 1 + count;
}

/* Is the page there that the next records come to? Only a new one is asked for. */
bool cotree_trace_has_room(const struct cotree_trace_thread *at, unsigned count)
{
    uintptr_t in_page = (uintptr_t)at->side % DATA_PAGE, length = count * sizeof *at->side;
    return (in_page != 0 && in_page + length <= DATA_PAGE) || cotree_in_sandbox() ||
           cotree_trace_ready(at->side, length) == 0;
}

static void write_pair(struct cotree_trace_thread *at, uint64_t kind, uint64_t what, const void *events)
{
    const struct trace_record part = {what, (uint64_t)(uintptr_t)events};
    cotree_trace_write(at, kind, &part, 1);
}

/* ---- where streams end ---- */

/* The number of units, of SIZE bytes and COUNT at most, that are written, from the first on. */
static uint64_t written_units(const uint8_t *begin, uint64_t size, uint64_t count)
{
    uint64_t low = 0, high = 1; /* units before `low` are written, that at `high` is not */
    uintptr_t page = 0;
#define IS_WRITTEN(i)                                                                                        \
    (cotree_trace_is_readable(begin + (i) * size, &page) &&                                                  \
     (size == 1 ? begin[i] != 0 : *(const volatile uint64_t *)(const void *)(begin + (i) * size) != 0))
    if (count == 0 || !IS_WRITTEN(0))
        return 0;
    for (low = 1; high < count && IS_WRITTEN(high); high *= 2)
        low = high + 1;
    if (high > count)
        high = count;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (IS_WRITTEN(middle))
            low = middle + 1;
        else
            high = middle;
    }
#undef IS_WRITTEN
    return low;
}

/*
 * The end of what is written of a region, in units of SIZE bytes, of which there are some or none
 * from BEGIN on. There may be very many: a loop without calls keeps its place in a register. The
 * follower takes pages out from the front, after it has said so in TAKEN.
 */
uint8_t *cotree_trace_written_end(uint64_t begin, uint64_t size, uint64_t address, uint64_t length,
                                  const uint64_t *taken)
{
    for (;;) {
        uint64_t before = __atomic_load_n(taken, __ATOMIC_ACQUIRE),
                 from = address + before > begin ? address + before : begin;
        uint8_t *at = (uint8_t *)(uintptr_t)from;
        uint64_t count =
            from < address + length ? written_units(at, size, (address + length - from) / size) : 0;
        if (before == __atomic_load_n(taken, __ATOMIC_ACQUIRE))
            return at + count * size;
    }
}

/* The same for events, from a place before which all are known to be written. */
uint8_t *cotree_trace_events_end_from(const struct trace_stream *stream, const uint8_t *events)
{
    return cotree_trace_written_end((uint64_t)(uintptr_t)events, 1, stream->events_address,
                                    stream->events_length, &stream->events_taken);
}

/* Where a stream's events end, whichever threads wrote them. */
static uint8_t *end_of_events(const struct trace_stream *stream)
{
    return cotree_trace_events_end_from(stream, (const uint8_t *)(uintptr_t)stream->events_begin);
}

static struct trace_record *end_of_records(const struct trace_stream *stream)
{
    return (struct trace_record *)(void *)cotree_trace_written_end(
        stream->side_begin, sizeof(struct trace_record), stream->side_address, stream->side_length,
        &stream->side_taken);
}

/* Is there an event before this place and none at it, in a page that is real? The common case,
 * answered without a system call. */
static bool is_end(const volatile uint8_t *at)
{
    return (uintptr_t)at % DATA_PAGE != 0 && at[0] == 0 && at[-1] != 0;
}

/* Where the thread's events really end: traced code keeps the place in a register, and a signal may
 * interrupt it. */
uint8_t *cotree_trace_events_end(const struct trace_own *own)
{
    const struct trace_stream *stream = cotree_trace_stream(own->stream);
    if (own->place != TRACE_IN_STREAM || own->is_broken || is_end(own->at.events))
        return own->at.events;
    return cotree_trace_events_end_from(stream, own->at.events);
}

/* ---- giving threads a place ---- */

static uint8_t *last_event(const struct trace_stream *stream)
{
    return (uint8_t *)(uintptr_t)(stream->events_address + stream->events_length - stream->events_length / 8);
}

static void keep_from_here(struct trace_own *own)
{
    own->kept = own->at.events;
    own->kept_side = own->at.side;
    own->kept_addresses = cotree_trace_addresses_sunk(cotree_trace_addresses(own->stream), own->at.addresses)
                              ? NULL
                              : own->at.addresses;
}

/* Sets where the thread next calls cotree_trace_begin: when its pages are to be let go, or the
 * region is used up. */
static void set_limits(struct trace_own *own, const struct trace_stream *stream)
{
    uint8_t *last = last_event(stream);
    own->at.events_limit = (uint64_t)(last - own->at.events) > STEP ? own->at.events + STEP : last;
    cotree_trace_ask_later(&own->at);
    cotree_trace_addresses_limit(own);
}

/* Have records come to where pages are to be let go, or the region ends? */
static bool is_side_full(const struct trace_own *own)
{
    const struct trace_stream *stream = cotree_trace_stream(own->stream);
    uint64_t side = (uint64_t)(uintptr_t)own->at.side;
    return side - (uint64_t)(uintptr_t)own->kept_side >= STEP ||
           side >= stream->side_address + stream->side_length - SIDE_SPARE;
}

/* May the thread go on where it is, without more ado? */
static bool goes_on(const struct trace_own *own)
{
    return own->place == TRACE_IN_STREAM && !own->is_broken && own->at.events < own->at.events_limit &&
           !is_side_full(own) && (own->at.addresses == NULL || own->at.addresses < own->at.addresses_limit);
}

static bool is_used_up(const struct trace_own *own, const struct trace_stream *stream)
{
    return own->at.events >= last_event(stream) || cotree_trace_addresses_used_up(own) ||
           (uint64_t)(uintptr_t)own->at.side >= stream->side_address + stream->side_length - SIDE_SPARE;
}

static long make_ready(const struct cotree_trace_thread *at)
{
    long result = cotree_trace_ready(at->events, FIRST_READY);
    if (result == 0 && at->addresses != NULL)
        result = cotree_trace_ready(at->addresses, FIRST_READY);
    return result != 0 ? result : cotree_trace_ready(at->side, FIRST_READY);
}

/* Is the stream left? Its number is not that of a thread any more, or it is that of the calling
 * one, which has no stream. */
static bool is_left(const struct trace_stream *stream, uint32_t tid)
{
    return stream->thread == tid ||
           COTREE_CALL(SYS_tgkill, cotree_process.pid, stream->thread, 0, 0, 0, 0) == -ESRCH;
}

/* Is it one of the calling thread's other streams? Handlers of one thread write in several. */
static bool is_in_use_here(const struct trace_own *own, uint32_t number)
{
    for (uint32_t i = 0; i < own->depth; i++)
        if (own->levels[i].place == TRACE_IN_STREAM && own->levels[i].stream == number)
            return true;
    return false;
}

/* Takes a stream that another thread has left, and sets OWN to go on there. */
static struct trace_stream *take_left(struct trace_own *own, uint32_t tid)
{
    unsigned probes = 0;
    for (uint32_t i = 0; i < cotree_trace_streams_real && probes < DEAD_PROBES; i++) {
        struct trace_stream *stream = cotree_trace_stream(i);
        uint32_t state = __atomic_load_n(&stream->state, __ATOMIC_ACQUIRE);
        if (state == 0)
            break;
        if (state < 2 || __atomic_load_n(&stream->next, __ATOMIC_ACQUIRE) != 0 || is_in_use_here(own, i))
            continue;
        probes++;
        if (state == 2 && cotree_trace_end_if_gone(i))
            state = __atomic_load_n(&stream->state, __ATOMIC_ACQUIRE);
        if ((state == 2 && !is_left(stream, tid)) ||
            !__atomic_compare_exchange_n(&stream->state, &state, 2, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED))
            continue;
        cotree_trace_disown(i);
        own->stream = i;
        if (stream->side_end != 0) {
            own->at.events = (uint8_t *)(uintptr_t)stream->events_end;
            own->at.side = (struct trace_record *)(uintptr_t)stream->side_end;
            stream->side_end = 0;
        } else {
            cotree_trace_addresses(i)->end = 0;
            own->at.events = end_of_events(stream);
            own->at.side = end_of_records(stream);
        }
        cotree_trace_addresses_take(own);
        if (!is_used_up(own, stream))
            return stream;
        __atomic_store_n(&stream->state, 3, __ATOMIC_RELEASE);
    }
    return NULL;
}

/* The module that this runtime knows whose code holds the address, or NULL. Lock held. */
struct cotree_module *cotree_trace_module_at(uint64_t address)
{
    for (struct cotree_module *m = cotree_process.modules; m != NULL; m = m->next)
        if (address - m->code_begin < m->code_length)
            return m;
    return NULL;
}

static void lose(struct trace_own *own, long error)
{
    if (own->place != TRACE_IN_SINK) {
        cotree_trace_flag(TRACE_FLAG_LOST);
        cotree_lost("a thread is not traced in", error);
    }
    cotree_trace_sink_make(false);
    own->place = TRACE_IN_SINK;
    cotree_trace_sink(&own->at);
}

/* The first record of a handler's stream: which stream it interrupted, and where. */
static void write_signal(struct trace_own *own)
{
    const struct trace_interrupted *whom = &own->levels[own->depth - 1];
    struct cotree_module *module = cotree_trace_module_at(whom->pc);
    bool is_known = module != NULL && cotree_module_in_file(module) == 0;
    /* No part begins with 0, which marks the end of records. */
    const struct trace_record parts[] = {
        {whom->number, whom->place == TRACE_IN_STREAM ? whom->stream : UINT32_MAX},
        {whom->events != NULL ? (uint64_t)(uintptr_t)whom->events : 1, whom->at.calls},
        {is_known ? whom->pc - module->bias : whom->pc, is_known ? module->index : UINT32_MAX},
    };
    cotree_trace_write(&own->at, TRACE_SIGNAL, parts, 3);
    cotree_trace_mark(own, TRACE_MARK_SIGNAL);
}

static void begin_stream(struct trace_own *own)
{
    uint32_t tid = cotree_gettid();
    long error = 0;
    struct trace_stream *stream = take_left(own, tid);
    if (stream == NULL) {
        stream = cotree_trace_stream_new(&own->stream, &error);
        if (stream == NULL) {
            lose(own, error);
            return;
        }
        own->at.events = (uint8_t *)(uintptr_t)stream->events_begin;
        own->at.side = (struct trace_record *)(uintptr_t)stream->side_begin;
        cotree_trace_addresses_take(own);
    }
    stream->thread = tid;
    error = make_ready(&own->at);
    __atomic_store_n(&stream->state, error == 0 ? 2 : 3, __ATOMIC_RELEASE);
    if (error != 0) {
        lose(own, error);
        return;
    }
    own->place = TRACE_IN_STREAM;
    cotree_trace_own(own, own->stream);
    cotree_trace_remember(own->stream);
    keep_from_here(own);
    own->at.calls = 0;
    write_pair(&own->at, TRACE_THREAD, tid, own->at.events); /* also where what the one before did ends */
    cotree_trace_mark(own, TRACE_MARK_THREAD);
    if (own->depth > 0)
        write_signal(own);
    set_limits(own, stream);
}

/* The thread has a stream, and goes on without one. Signals are blocked: the record must find
 * room. */
static void give_up(struct trace_own *own, long error)
{
    if (cotree_trace_ready(own->at.side, 2 * sizeof *own->at.side) == 0) {
        write_pair(&own->at, TRACE_LOST, TRACE_LOSS_NO_ROOM, own->at.events);
        if (own->at.addresses != NULL &&
            cotree_trace_ready(own->at.addresses, sizeof *own->at.addresses) == 0)
            cotree_trace_mark(own, TRACE_MARK_LOST);
    }
    lose(own, error);
}

/* The thread leaves all its regions for new ones. */
static void move(struct trace_own *own, struct trace_stream *before)
{
    struct cotree_trace_thread next = own->at;
    uint32_t number;
    long error;
    struct trace_stream *stream = cotree_trace_stream_new(&number, &error);
    if (stream != NULL) {
        next.events = (uint8_t *)(uintptr_t)stream->events_begin;
        next.side = (struct trace_record *)(uintptr_t)stream->side_begin;
        stream->thread = before->thread;
        bool kept = own->at.addresses != NULL &&
                    !cotree_trace_addresses_sunk(cotree_trace_addresses(own->stream), own->at.addresses);
        if (kept && cotree_trace_addresses_new(number) == 0)
            next.addresses = (uint64_t *)(uintptr_t)cotree_trace_addresses(number)->begin;
        else if (kept) {
            cotree_trace_addresses_sink(own);
            next.addresses = own->at.addresses;
        }
        error = error == 0 ? make_ready(&next) : error;
        __atomic_store_n(&stream->state, error == 0 ? 2 : 3, __ATOMIC_RELEASE);
    }
    if (error != 0) {
        give_up(own, error);
        return;
    }
    if (cotree_trace_ready(own->at.side, 2 * sizeof *own->at.side) != 0) {
        lose(own, -ENOSPC);
        return;
    }
    write_pair(&own->at, TRACE_MOVED, (uint64_t)(uintptr_t)own->at.events, next.events);
    __atomic_store_n(&before->next, 1 + (uint64_t)number, __ATOMIC_RELEASE);
    own->at.events = next.events;
    own->at.side = next.side;
    cotree_trace_disown(own->stream);
    cotree_trace_own(own, number);
    cotree_trace_remember(number);
    own->at.addresses = next.addresses;
    own->stream = number;
    keep_from_here(own);
    set_limits(own, stream);
}

static void unmap_between(uintptr_t from, uintptr_t to)
{
    from &= ~(uintptr_t)(TRACE_LARGE_PAGE - 1);
    to &= ~(uintptr_t)(TRACE_LARGE_PAGE - 1);
    if (to > from)
        (void)COTREE_CALL(SYS_madvise, from, to - from, MADV_DONTNEED, 0, 0, 0);
}

/* Takes pages out of the thread's memory that it will not write to again. They stay in the file. */
void cotree_trace_addresses_let_go(struct trace_own *own)
{
    if (own->kept_addresses == NULL)
        return;
    unmap_between((uintptr_t)own->kept_addresses, (uintptr_t)own->at.addresses);
    own->kept_addresses = own->at.addresses;
}

static void let_pages_go(struct trace_own *own)
{
    unmap_between((uintptr_t)own->kept, (uintptr_t)own->at.events);
    unmap_between((uintptr_t)own->kept_side, (uintptr_t)own->at.side);
    cotree_trace_addresses_let_go(own);
    keep_from_here(own);
}

/* What resolvers of ifuncs called, or the C library of a static program, before there was a
 * runtime: goes to the sink, but for a record of the first function. */
static bool ran_early;
static struct trace_record early[16];

/* Is there a file, or can there be one? Lock held. */
static bool has_file(void)
{
    if (cotree_trace_file.header != NULL)
        return true;
    if (cotree_process.off || cotree_trace_file.failed)
        return false;
    if (cotree_host != NULL) { /* which keeps no traces: those that do are used by all (TRACE_LINK_SYMBOL) */
        cotree_host->flag(cotree_host_is_apart ? DATA_FLAG_TRACE_APART : DATA_FLAG_TRACE_UNKEPT);
        return false;
    }
    if (cotree_process.file.header == NULL && !cotree_process.failed)
        cotree_open_and_attach();
    long error = cotree_process.file.header == NULL ? -ENOENT : cotree_trace_file_open(NULL);
    if (error != 0) {
        cotree_trace_file.failed = true;
        cotree_lost("the process is not traced in", error);
        return false;
    }
    if (ran_early) {
        cotree_process.file.header->early = early[0].what;
        cotree_flag(DATA_FLAG_EARLY);
    }
    if (!cotree_trace_file.joined)
        cotree_trace_follow();
    return true;
}

/* No system call may be made: where there is a stream it goes on to its end, and handlers get
 * none. */
static void begin_in_sandbox(struct trace_own *own)
{
    const struct trace_stream *stream = cotree_trace_stream(own->stream);
    if (own->place == TRACE_IN_STREAM) {
        own->at.events_limit = (uint8_t *)(uintptr_t)(stream->events_address + stream->events_length);
        cotree_trace_ask_later(&own->at);
        cotree_trace_addresses_limit(own);
    }
    if (own->place != TRACE_IN_STREAM || is_used_up(own, stream)) {
        cotree_trace_flag(TRACE_FLAG_LOST);
        own->place = TRACE_IN_SINK;
        cotree_trace_sink(&own->at);
    }
}

/* As much of a region from there on as is written before the thread comes here again, if it passes
 * thunks. */
static bool make_step_ready(const void *from, uint64_t region_end)
{
    uint64_t left = region_end - (uint64_t)(uintptr_t)from,
             length = left < STEP + FIRST_READY ? left : STEP + FIRST_READY;
    return cotree_trace_ready((void *)(uintptr_t)from, length) == 0;
}

/* Is there so much room on the disk that pages need not be made real before they are needed? */
static bool has_plenty_of_room(void)
{
    struct statfs disk;
    return COTREE_CALL(SYS_statfs, cotree_process.file.path, &disk, 0, 0, 0, 0) == 0 && disk.f_bsize > 0 &&
           disk.f_bavail > PLENTY / (uint64_t)disk.f_bsize;
}

/*
 * A store that finds no room is made elsewhere by a handler (trace/signals.c). A thread that has
 * its signal blocked would be killed, so there is room before it stores anything, or it is not
 * traced any more.
 */
static void make_sure_of_room(struct trace_own *own, uint64_t blocked)
{
#ifdef COTREE_RUNTIME_SHARED
    blocked = ~UINT64_C(0); /* libraries have no such handler */
#endif
    if ((blocked & (SIGNAL_BIT(SIGBUS) | SIGNAL_BIT(SIGSEGV))) == 0 || own->place != TRACE_IN_STREAM ||
        cotree_in_sandbox() || has_plenty_of_room())
        return;
    const struct trace_stream *stream = cotree_trace_stream(own->stream);
    if (!make_step_ready(own->at.events, stream->events_address + stream->events_length) ||
        !make_step_ready(own->at.side, stream->side_address + stream->side_length))
        give_up(own, -ENOSPC);
}

static void begin(struct trace_own *own)
{
    if (own->at.side_limit != NULL && goes_on(own)) {
        cotree_trace_ask_later(&own->at);
        return;
    }
    if (own->at.side_limit != NULL && own->place == TRACE_IN_SINK) {
        cotree_trace_sink(&own->at);
        return;
    }
    if (__atomic_load_n(&cotree_process.started, __ATOMIC_ACQUIRE) != 2) {
        cotree_trace_sink_make(false);
        cotree_trace_sink(&own->at);
        own->place = TRACE_IN_SINK_EARLY;
        if (!ran_early) {
            own->at.side = early;
            own->at.side_limit = early + 1;
        }
        ran_early = true;
        return;
    }
    if (cotree_in_sandbox() && (own->place != TRACE_NOWHERE || own->depth > 0)) {
        begin_in_sandbox(own);
        return;
    }
    if (cotree_trace_file.over)
        cotree_flag(DATA_FLAG_TRACE_UNKEPT);
    bool locked = cotree_forks_now();
    uint64_t mask = locked ? 0 : cotree_lock();
    if (own->place == TRACE_IN_STREAM && own->is_broken) {
        give_up(own, -ENOSPC);
    } else if (own->place == TRACE_IN_STREAM) {
        struct trace_stream *stream = cotree_trace_stream(own->stream);
        let_pages_go(own);
        if (is_used_up(own, stream))
            move(own, stream);
        else
            set_limits(own, stream);
    } else if (own->place == TRACE_IN_SINK) {
        cotree_trace_sink(&own->at);
    } else if (has_file()) {
        begin_stream(own);
    } else if (own->place != TRACE_IN_SINK) {
        cotree_trace_sink_make(false);
        cotree_trace_sink(&own->at);
        own->place = TRACE_IN_SINK;
    }
    make_sure_of_room(own, mask);
    if (!locked)
        cotree_unlock(mask);
}

__attribute__((preserve_most)) void TRACE_OWN(trace_begin)(void)
{
#ifdef COTREE_RUNTIME_SHARED
    extern char **__environ;
    cotree_start(__environ);
#endif
    begin(&cotree_trace_thread);
}

/* For the first time in this stream. Lock held. */
static void begin_addresses(struct trace_own *own)
{
    long error = cotree_trace_addresses_new(own->stream);
    if (error == -ENOSPC) {
        cotree_trace_addresses(own->stream)->unkept = 1;
        cotree_trace_sink_make(false);
        cotree_trace_sink_words(&own->at);
        return;
    }
    if (error == 0) {
        own->at.addresses = (uint64_t *)(uintptr_t)cotree_trace_addresses(own->stream)->begin;
        error = make_ready(&own->at);
    }
    if (error != 0) {
        give_up(own, error);
        return;
    }
    own->kept_addresses = own->at.addresses;
    cotree_trace_mark(own, TRACE_MARK_BEGIN);
    cotree_trace_addresses_limit(own);
}

__attribute__((preserve_most)) void TRACE_OWN(trace_begin_addresses)(void)
{
    struct trace_own *own = &cotree_trace_thread;
    TRACE_OWN(trace_begin)();
    if (own->place != TRACE_IN_STREAM || own->is_broken || own->at.addresses != NULL)
        return;
    if (cotree_in_sandbox()) { /* as begin_in_sandbox: no system call may be made */
        cotree_trace_flag(TRACE_FLAG_LOST);
        own->place = TRACE_IN_SINK;
        cotree_trace_sink(&own->at);
        return;
    }
    bool locked = cotree_forks_now();
    uint64_t mask = locked ? 0 : cotree_lock();
    begin_addresses(own);
    if (!locked)
        cotree_unlock(mask);
}

/* ---- landing ---- */

/* The stream is free for the next one. */
static void free_stream(struct trace_own *own, const uint8_t *events)
{
    struct trace_stream *stream = cotree_trace_stream(own->stream);
    cotree_trace_disown(own->stream);
    stream->events_end = (uint64_t)(uintptr_t)events;
    stream->side_end = (uint64_t)(uintptr_t)own->at.side;
    cotree_trace_addresses(own->stream)->end = cotree_trace_addresses_last(own);
    __atomic_store_n(&stream->state, 3, __ATOMIC_RELEASE);
}

/* The stream of the handler that runs is free, too. */
static void end_handler(struct trace_own *own)
{
    if (own->place != TRACE_IN_STREAM || own->is_broken)
        return;
    uint8_t *events = cotree_trace_events_end(own);
    if (!cotree_trace_has_room(&own->at, 2)) { /* the stream has no end, and is not for the next one */
        cotree_trace_flag(TRACE_FLAG_LOST);
        cotree_trace_stream(own->stream)->thread = 0;
        return;
    }
    write_pair(&own->at, TRACE_END, TRACE_END_THREAD, events);
    free_stream(own, events);
}

/* The handler that runs has returned, or was left: what it interrupted is the thread's place
 * again. */
void cotree_trace_drop_handler(struct trace_own *own)
{
    const struct trace_interrupted *whom = &own->levels[own->depth - 1];
    end_handler(own);
    own->at = whom->at;
    own->place = whom->place;
    own->stream = whom->stream;
    own->kept = whom->kept;
    own->kept_side = whom->kept_side;
    own->kept_addresses = whom->kept_addresses;
    own->is_broken = whom->is_broken;
    own->depth--;
}

static bool is_in(const struct trace_stream *stream, const uint8_t *address)
{
    return (uint64_t)(uintptr_t)address - stream->events_address < stream->events_length;
}

/* Is the address in the stream, or in one that it moved on from? */
static bool holds(uint32_t number, const uint8_t *address)
{
    if (is_in(cotree_trace_stream(number), address))
        return true;
    for (uint32_t i = 0; i < cotree_trace_streams_real; i++) {
        const struct trace_stream *stream = cotree_trace_stream(i);
        if (__atomic_load_n(&stream->state, __ATOMIC_ACQUIRE) == 0)
            return false;
        for (unsigned steps = 0; is_in(stream, address) && stream->next != 0; steps++) {
            uint64_t next = stream->next - 1;
            if (next == number)
                return true;
            if (next >= cotree_trace_streams_real || steps == TRACE_STREAMS_MOST)
                return false;
            stream = cotree_trace_stream((uint32_t)next);
            address = (const uint8_t *)(uintptr_t)stream->events_begin;
        }
    }
    return false;
}

/* Control has left signal handlers for an activation that began at ENTRY. */
static void leave_handlers(struct trace_own *own, const uint8_t *entry)
{
    if (cotree_trace_file.header == NULL || own->depth == 0 ||
        (own->place == TRACE_IN_STREAM && holds(own->stream, entry)))
        return;
    for (uint32_t i = own->depth; i > 0; i--)
        if (own->levels[i - 1].place == TRACE_IN_STREAM && holds(own->levels[i - 1].stream, entry)) {
            while (own->depth >= i)
                cotree_trace_drop_handler(own);
            own->has_left = true;
            return;
        }
}

__attribute__((preserve_most)) void TRACE_OWN(trace_land)(uint64_t function, uint32_t block, uint32_t call,
                                                          uint8_t *entry)
{
    struct trace_own *own = &cotree_trace_thread;
    cotree_trace_landed(own, (uint64_t)(uintptr_t)__builtin_dwarf_cfa(), call != 0);
    leave_handlers(own, entry);
    if (own->at.side_limit == NULL || own->at.side >= own->at.side_limit)
        TRACE_OWN(trace_begin)();
    own->at.events = cotree_trace_events_end(own);
    own->at.addresses = cotree_trace_addresses_end(own);
    if (own->at.addresses >= own->at.addresses_limit && own->at.addresses != NULL)
        TRACE_OWN(trace_room)(&own->at);
    if (own->place == TRACE_IN_STREAM && !own->is_broken && !cotree_trace_has_room(&own->at, 3)) {
        bool locked = cotree_forks_now();
        uint64_t mask = locked ? 0 : cotree_lock();
        give_up(own, -ENOSPC);
        if (!locked)
            cotree_unlock(mask);
    }
    const struct trace_record parts[] = {
        {function, (uint64_t)block << 32 | call},
        {(uint64_t)(uintptr_t)entry, (uint64_t)(uintptr_t)own->at.events},
    };
    cotree_trace_write(&own->at, own->has_left ? TRACE_LAND_HANDLER : TRACE_LAND, parts, 2);
    cotree_trace_mark(own, TRACE_MARK_LAND);
    own->has_left = false;
}

/*
 * What a thread does on several stacks is several sequences of calls, and its stream is one: a
 * reader could not tell which events belong to which stack. So its trace ends here, and says so.
 */
static void context_changes(void)
{
    struct trace_own *own = &cotree_trace_thread;
    if (own->place != TRACE_IN_STREAM || own->is_broken)
        return;
    uint64_t mask = cotree_in_sandbox() ? 0 : cotree_signals_block();
    own->at.events = cotree_trace_events_end(own);
    if (cotree_in_sandbox() || cotree_trace_ready(own->at.side, 2 * sizeof *own->at.side) == 0)
        write_pair(&own->at, TRACE_LOST, TRACE_LOSS_CONTEXT, own->at.events);
    else
        cotree_trace_flag(TRACE_FLAG_LOST);
    own->at.addresses = cotree_trace_addresses_end(own);
    if (own->at.addresses != NULL &&
        (cotree_in_sandbox() || cotree_trace_ready(own->at.addresses, sizeof *own->at.addresses) == 0))
        cotree_trace_mark(own, TRACE_MARK_LOST);
    cotree_trace_sink_make(false);
    own->place = TRACE_IN_SINK;
    cotree_trace_sink(&own->at);
    if (!cotree_in_sandbox())
        cotree_signals_restore(mask);
}

/* ---- the end ---- */

static const uint8_t ends[] = {[DATA_CLEAN] = TRACE_END_CLEAN,
                               [DATA_EXEC] = TRACE_END_EXEC,
                               [DATA_EXITED] = TRACE_END_EXITED,
                               [DATA_SIGNALLED] = TRACE_END_SIGNAL};

static bool write_end(const struct trace_level *level, uint64_t how)
{
    struct cotree_trace_thread *at = level->at;
    if (*level->place != TRACE_IN_STREAM || level->is_broken ||
        (!cotree_in_sandbox() && cotree_trace_ready(at->side, 2 * sizeof *at->side) != 0))
        return false;
    write_pair(at, TRACE_END, how, level->events);
    return true;
}

/* What the thread interrupted by handlers ends, too, where it was interrupted. */
static void end_all_levels(struct trace_own *own, uint32_t state, const struct cotree_cursor *from)
{
    struct trace_level levels[TRACE_LEVELS + 1];
    unsigned count = cotree_trace_levels(own, cotree_trace_events_end(own), levels);
    struct cotree_cursor cursor = *from;
    bool more = true;
    for (unsigned i = 0; i < count; i++) {
        bool interrupted = i > 0 || state == DATA_SIGNALLED;
        if (more && interrupted)
            more = cotree_trace_write_frames(&levels[i], TRACE_STOOD, &cursor);
        else if (more && count > 1)
            more = cotree_trace_pass_frames(&cursor);
        (void)write_end(&levels[i], i > 0 ? TRACE_END_SIGNAL : ends[state]);
    }
}

/* An end by exec, say, is taken back if it fails (USED): the follower believes it when the file is
 * no longer mapped (follow/pack.c), and ignores a record without its second part. */
static void try_to_leave(struct trace_own *own, uint32_t state)
{
    bool fails = state == DATA_USED;
    static struct cotree_trace_thread *noted;
    if (fails && noted != NULL) {
        noted->side -= 2;
        noted->side[0].what = 0;
        cotree_clear(noted->side, 2 * sizeof *noted->side);
    }
    noted = NULL;
    struct trace_level levels[TRACE_LEVELS + 1];
    unsigned count = fails ? 0 : cotree_trace_levels(own, cotree_trace_events_end(own), levels);
    /* A handler may do it without any traced code of its own. */
    for (unsigned i = 0; i < count && noted == NULL; i++)
        if (write_end(&levels[i], ends[state]))
            noted = levels[i].at;
}

/* The library goes, and its process goes on: when it is loaded again it writes here, as the next
 * thread would. */
static void leave_file(struct trace_own *own)
{
    if (own->place == TRACE_IN_STREAM && !own->is_broken)
        free_stream(own, cotree_trace_events_end(own));
    own->place = TRACE_NOWHERE;
    __atomic_store_n(&cotree_trace_file.header->left, 1, __ATOMIC_RELEASE);
}

/* Words are mapped elsewhere, in pieces: a file that has any is not gone back to. */
static void unload(void)
{
    cotree_trace_file.is_left = cotree_trace_word_streams == 0;
}

static void ended(uint32_t state, const struct cotree_cursor *from, bool may_go_on)
{
    struct trace_own *own = &cotree_trace_thread;
    if (cotree_trace_file.header == NULL)
        return;
    struct trace_others others = {-1, -1};
    if (may_go_on)
        cotree_trace_unshare_pages(state != DATA_USED);
    else
        others = cotree_trace_end_others();
    if (state == DATA_EXEC || state == DATA_USED)
        cotree_trace_limit_leaves(state == DATA_EXEC);
    if (state != DATA_USED)
        cotree_trace_end_all_gone();
    if (may_go_on)
        try_to_leave(own, state);
    else
        end_all_levels(own, state, from);
    if (cotree_trace_file.is_left) {
        leave_file(own);
    } else {
        __atomic_store_n(&cotree_trace_file.header->finished, state != DATA_USED, __ATOMIC_RELEASE);
        if (!may_go_on)
            cotree_trace_compact();
    }
    cotree_trace_await(others);
}

const struct cotree_trace_hooks cotree_trace_hooks = {
    .name_taken = cotree_trace_name_taken,
    .forks = cotree_trace_forks,
    .forked = cotree_trace_forked,
    .ended = ended,
    .has_addresses = cotree_trace_has_addresses,
    .unload = unload,
    .unmap = cotree_trace_unmap,
    .fault = cotree_trace_fault,
    .handler_begins = cotree_trace_handler_begins,
    .handler_ends = cotree_trace_handler_ends,
    .jumped = cotree_trace_jumped,
    .thread_gone = cotree_trace_thread_gone,
    .back = cotree_trace_back,
    .context_changes = context_changes,
    .unwinds = cotree_trace_unwinds,
    .throws = cotree_trace_throws,
    .catches = cotree_trace_catches,
    .limit = cotree_trace_limit,
    .lock_memory = cotree_trace_lock_memory,
};

#ifndef COTREE_RUNTIME_SHARED
__attribute__((used)) static const char *const watched[] = {
    &cotree_trace_watches_catch, &cotree_trace_watches_limits, &cotree_trace_watches_lock};

/* What resolvers of ifuncs wrote before the runtime had started went to the sink. */
static void start_tracing(void)
{
    cotree_clear(&cotree_trace_thread, sizeof cotree_trace_thread);
}
__attribute__((section(".preinit_array"), used)) static void (*const start_entry)(void) = start_tracing;
#endif

/* A round and a number that does not fit a byte. One store writes all of it: a signal handler that
 * comes here finds all of it, or nothing. */
typedef uint8_t whole __attribute__((vector_size(TRACE_ROUNDS_MOST), aligned(1), may_alias));

__attribute__((preserve_most)) uint8_t *TRACE_OWN(trace_rounds)(uint8_t *events, uint64_t round,
                                                                uint64_t number)
{
    const uint64_t length = 2 + (round >> 8 & 0xff);
    whole bytes = {0};
    for (uint64_t i = 0; i < length; i++)
        bytes[i] = (uint8_t)(round >> 8 * i);
    bytes[length] = TRACE_ROUNDS_LONG;
    for (uint64_t i = 0; i < 8; i++)
        bytes[length + 1 + i] = (uint8_t)(number >> 7 * i | 0x80);
    *(volatile whole *)events = bytes;
    return events + length + 9;
}
