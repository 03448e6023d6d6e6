/*
 * Two things about pages of the events file cost a program more than all its events do, and are
 * done by a process of their own, which shares its memory:
 *
 *  - A fresh page costs the thread that first writes there microseconds. So pages are made real
 *    ahead of each writer, as many as it writes in a few milliseconds.
 *  - Pages count as the program's memory, by every measure (RSS), as long as they are mapped in,
 *    though those that are written are not needed any more. So they are let go after each writer:
 *    they stay in the file. (Threads that pass thunks let theirs go, too (trace.c); a loop may
 *    write for hours without passing one.)
 *
 * Where a writer is only its registers know, but what it has not written yet is zero. So this
 * process looks at the first bytes of pages, between once in 100 us, while pages are filled that
 * fast, and once in 10 ms, while none are.
 *
 * That is all it may do: it shares memory with a program that may change its user (setuid), so it
 * first gives up every system call but those it needs. Memory is looked at by a system call, too,
 * since a region may end before its time (trace/file.c: cotree_trace_sink_over), and a signal to
 * this process may be the end of the program. It ends with the program, or when that is about to
 * execute another one. While it is there the program's memory is, and its executable is in use: so
 * a program that ends in an orderly way ends it before, and waits until it is gone. Only one that
 * is killed leaves it, for a moment.
 */
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/prctl.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/poll.h>
#include <sys/uio.h>
#include "runtime/death/waiting.h"
#include "runtime/trace/trace.h"

/* Nanoseconds between two looks. */
#define PAUSE_FIRST 50000
#define PAUSE_LEAST 100000
#define PAUSE_BUSY 2000000 /* the longest while something is written */
#define PAUSE_MOST 10000000
#define TURN 200000

/* Bytes of a region that are written between two looks: more is much, less is little. */
#define MUCH (UINT64_C(512) << 10)
#define LITTLE (UINT64_C(128) << 10)

/* Bytes that are real ahead of a writer, as multiples of what it wrote since the last look; of all
 * writers together. */
#define AHEAD_TIMES 4u
#define AHEAD_LEAST (UINT64_C(64) << 10)
#define AHEAD_ALL (UINT64_C(2) << 20)
#define WRITERS_MOST                                                                                         \
    4u /* where more threads write, no processor is idle: pages cost the same in any process */
/* What is made at a look in pages of either size: it takes a millisecond or two, and pages that are
 * to go wait. */
#define SMALL_MOST (UINT64_C(512) << 10)
#define LARGE_MOST (UINT64_C(2) << 20)

#define KEPT_BEHIND (UINT64_C(128) << 10) /* of small pages; of large ones, one */
#define STREAMS_SEEN 32u /* pages of further ones are let go, all of them, as often as nothing moves */
#define HEAD 64u         /* bytes of a page that are looked at */

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

static char stack[16384] __attribute__((aligned(64)));
static struct trace_header *header; /* as it was when it began: a child of fork has another */
static long program, self;
static volatile bool is_leaving; /* its memory: by an end, or for that of another program */
static uint32_t process;         /* itself; 0: it is not there. The kernel clears it when it leaves */

#define ALLOW(call)                                                                                          \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static bool give_up_everything_else(void)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        ALLOW(madvise),
        ALLOW(ppoll),
        ALLOW(exit_group),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)self, 0, 1), /* its own memory alone */
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    };
    const struct sock_fprog rules = {.len = sizeof filter / sizeof *filter, .filter = filter};
    return COTREE_CALL(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0) == 0 &&
           COTREE_CALL(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &rules, 0, 0, 0) == 0;
}

/* ---- one region ---- */

struct region {
    uint64_t address, length, begin;
    const uint64_t *taken;
    uint64_t large_from;
};

/* Whole pages; 0: not looked at so far. */
struct view {
    uint64_t at;      /* the page that is being written */
    uint64_t ready;   /* pages before it are real */
    uint64_t kept;    /* pages before it were let go */
    uint64_t written; /* bytes, between the last two looks */
    bool is_lost;     /* memory that is never read lies there */
};
static struct view views[STREAMS_SEEN][3]; /* events, records, words */

static uint64_t down(uint64_t address, uint64_t size)
{
    return address & ~(size - 1);
}

/* Is anything written at the start of the page? */
static bool is_written(struct view *view, uint64_t page)
{
    uint64_t words[HEAD / sizeof(uint64_t)], any = 0;
    const struct iovec to = {words, sizeof words}, from = {(void *)(uintptr_t)page, sizeof words};
    if (COTREE_CALL(SYS_process_vm_readv, self, &to, 1, &from, 1, 0) != (long)sizeof words) {
        view->is_lost = true;
        return false;
    }
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
        any |= words[i];
    return any != 0;
}

/*
 * Finds the page that is written now. Beyond those that were made ready there are pages that the
 * writer has made itself, and holes: to look there makes the page real, so steps are small at
 * first.
 */
static void find_writer(struct view *view, const struct region *region)
{
    const uint64_t end = (region->address + region->length) / DATA_PAGE;
    uint64_t low = view->at / DATA_PAGE, high = view->ready / DATA_PAGE; /* `low` was reached */
    for (uint64_t step = 1; high < end && is_written(view, (high - 1) * DATA_PAGE); step *= 2) {
        low = high - 1;
        high = high + step < end ? high + step : end;
    }
    while (high - low > 1 && !view->is_lost) {
        uint64_t middle = low + (high - low) / 2;
        if (is_written(view, middle * DATA_PAGE))
            low = middle;
        else
            high = middle;
    }
    view->at = low * DATA_PAGE;
    if (view->ready <= view->at)
        view->ready = view->at + DATA_PAGE;
}

/* Pages that the writer has filled. A large page goes as a whole. */
static void let_go(struct view *view, const struct region *region)
{
    bool large = view->at > region->large_from;
    uint64_t to = large ? down(view->at, TRACE_LARGE_PAGE) : view->at;
    if (view->is_lost || to < view->kept + (large ? TRACE_LARGE_PAGE : KEPT_BEHIND))
        return;
    (void)COTREE_CALL(SYS_madvise, view->kept, to - view->kept, MADV_DONTNEED, 0, 0, 0);
    view->kept = to;
}

/* Notes how many bytes were written since the last look. */
static void look_at(struct view *view, const struct region *region)
{
    view->written = 0;
    if (region->length == 0 || view->is_lost)
        return;
    if (view->at == 0) {
        view->at = view->kept = down(region->begin, DATA_PAGE);
        view->ready = view->at + DATA_PAGE;
    }
    uint64_t before = view->at,
             taken = down(region->address + __atomic_load_n(region->taken, __ATOMIC_ACQUIRE), DATA_PAGE);
    if (view->at < taken)
        view->at = taken; /* zeros are before it again */
    if (view->ready <= view->at)
        view->ready = view->at + DATA_PAGE;
    find_writer(view, region);
    let_go(view, region);
    view->written = view->at - before;
}

/* Makes pages real ahead of the writer, one of WRITERS. LEFT: bytes that can still be made at this
 * look. */
static void make_ready(struct view *view, const struct region *region, unsigned writers, uint64_t *left_small,
                       uint64_t *left_large)
{
    uint64_t ahead = AHEAD_TIMES * view->written, most = AHEAD_ALL / writers;
    if (view->is_lost)
        return;
    ahead = ahead < AHEAD_LEAST ? AHEAD_LEAST : ahead;
    uint64_t to = view->at + (ahead > most ? most : ahead), end = region->address + region->length;
    bool large = to > region->large_from;
    uint64_t *left = large ? left_large : left_small;
    if (large)
        to = down(to + TRACE_LARGE_PAGE - 1, TRACE_LARGE_PAGE);
    if (to > end)
        to = end;
    if (to <= view->ready || to - view->ready > *left)
        return;
    *left -= to - view->ready;
    if (COTREE_CALL(SYS_madvise, view->ready, to - view->ready, MADV_POPULATE_WRITE, 0, 0, 0) == 0)
        view->ready = to;
}

/* ---- all of them ---- */

static const struct trace_stream *stream_of(uint32_t number)
{
    return (const struct trace_stream *)(const void *)((const char *)header + TRACE_STREAMS_OFFSET) + number;
}

static const struct trace_address_stream *words_of(uint32_t number)
{
    return (const struct trace_address_stream *)(const void *)((const char *)header +
                                                               TRACE_ADDRESSES_OFFSET) +
           number;
}

static bool has_words(uint32_t number)
{
    return number < cotree_trace_words_real && words_of(number)->length != 0;
}

enum { EVENTS, SIDE, WORDS, KINDS };

static struct region region_of(uint32_t number, unsigned kind)
{
    const struct trace_stream *stream = stream_of(number);
    const struct trace_address_stream *words = words_of(number);
    struct region region = {0};
    if (__atomic_load_n(&stream->state, __ATOMIC_ACQUIRE) < 2)
        return region;
    if (kind == EVENTS)
        region = (struct region){stream->events_address, stream->events_length, stream->events_begin,
                                 &stream->events_taken, 0};
    else if (kind == SIDE)
        region = (struct region){stream->side_address, stream->side_length, stream->side_begin,
                                 &stream->side_taken, 0};
    else if (has_words(number))
        region = (struct region){words->address, words->length, words->begin, &words->taken, 0};
    region.large_from = kind == WORDS
                            ? UINT64_MAX
                            : cotree_trace_large_from(number, region.address, region.length, region.begin);
    return region;
}

/* Returns the bytes that the fastest writer wrote. FIRST: whose turn it is to be made ready for
 * first. */
static uint64_t look_at_all(unsigned first)
{
    uint64_t most = 0, left_small = SMALL_MOST, left_large = LARGE_MOST;
    unsigned writers = 0;
    for (uint32_t i = 0; i < STREAMS_SEEN * KINDS; i++) {
        struct view *view = &views[i / KINDS][i % KINDS];
        const struct region region = region_of(i / KINDS, i % KINDS);
        look_at(view, &region);
        writers += view->written > 0;
        most = view->written > most ? view->written : most;
    }
    for (uint32_t k = 0; k < STREAMS_SEEN * KINDS && writers > 0 && writers <= WRITERS_MOST; k++) {
        uint32_t i = (first + k) % (STREAMS_SEEN * KINDS);
        const struct region region = region_of(i / KINDS, i % KINDS);
        if (views[i / KINDS][i % KINDS].written > 0)
            make_ready(&views[i / KINDS][i % KINDS], &region, writers, &left_small, &left_large);
    }
    return most;
}

/* Pages of regions that are not looked at. */
static void let_others_go(void)
{
    for (uint32_t i = 0;
         i < cotree_trace_streams_real && __atomic_load_n(&stream_of(i)->state, __ATOMIC_ACQUIRE) != 0; i++) {
        const struct trace_stream *stream = stream_of(i);
        if (i >= STREAMS_SEEN || views[i][0].is_lost)
            (void)COTREE_CALL(SYS_madvise, stream->events_address, stream->events_length, MADV_DONTNEED, 0, 0,
                              0);
        if (i >= STREAMS_SEEN || views[i][1].is_lost)
            (void)COTREE_CALL(SYS_madvise, stream->side_address, stream->side_length, MADV_DONTNEED, 0, 0, 0);
        if (has_words(i) && (i >= STREAMS_SEEN || views[i][2].is_lost))
            (void)COTREE_CALL(SYS_madvise, words_of(i)->address, words_of(i)->length, MADV_DONTNEED, 0, 0, 0);
    }
}

static long next_pause(long pause, uint64_t written)
{
    if (written > MUCH)
        return pause / 2 < PAUSE_LEAST ? PAUSE_LEAST : pause / 2;
    if (written < LITTLE)
        pause *= 2;
    if (written > 0 && pause > PAUSE_BUSY)
        pause = PAUSE_BUSY;
    return pause > PAUSE_MOST ? PAUSE_MOST : pause;
}

/* Waits for so long; true: the program goes on. */
static bool goes_on(long nanoseconds)
{
    struct pollfd ends = {.fd = (int)program, .events = POLLIN};
    struct cotree_time pause = {0, nanoseconds}; /* it is changed */
    return COTREE_CALL(SYS_ppoll, &ends, 1, &pause, 0, 0, 0) == 0 && !is_leaving;
}

/*
 * It runs for little, but is to run soon: a fast program fills the memory that it may take in ten
 * milliseconds. A process that asks for short turns gets them earlier; older kernels ignore it.
 * Fairness and nice stay what they are.
 */
static void ask_for_short_turns(void)
{
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } how = {.size = sizeof how};
    if (COTREE_CALL(SYS_sched_getattr, 0, &how, sizeof how, 0, 0, 0) != 0 || how.policy != SCHED_OTHER)
        return;
    how.size = sizeof how;
    how.runtime = TURN;
    (void)COTREE_CALL(SYS_sched_setattr, 0, &how, 0, 0, 0, 0);
}

/* All that the other process does. Thread-local storage is that of the thread which made it: none
 * is used. */
static __attribute__((noreturn)) void mind_pages(void)
{
    (void)COTREE_CALL(SYS_prctl, PR_SET_NAME, "cotree-pages", 0, 0, 0, 0);
    self = cotree_getpid();
    ask_for_short_turns();
    long pause = PAUSE_FIRST, passed = 0;
    unsigned turn = 0;
    if (give_up_everything_else())
        for (; goes_on(pause); passed += pause) {
            if (passed >= PAUSE_MOST) {
                let_others_go();
                passed = 0;
            }
            pause = next_pause(pause, look_at_all(turn++));
        }
    for (;;)
        (void)COTREE_CALL(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

/* An exec that fails at once is not noticed. */
void cotree_trace_unshare_pages(bool leaves)
{
    is_leaving = leaves;
}

const uint32_t *cotree_trace_pages_process(void)
{
    return &process;
}

/* Called in a process that shares the program's memory, and is gone soon: it leaves no child to be
 * waited for. */
void cotree_trace_share_pages(void)
{
    program = COTREE_CALL(SYS_pidfd_open, cotree_process.pid, 0, 0, 0, 0, 0);
    if (cotree_failed(program))
        return;
    is_leaving = false;
    header = cotree_trace_file.header;
    cotree_clear(views, sizeof views);
    (void)cotree_clone_beside(&process, stack + sizeof stack, mind_pages); /* or it takes more memory */
}
