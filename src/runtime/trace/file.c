/*
 * The events file (format/trace/layout.h), and the sink.
 *
 * The file is made as long as the file system allows, 15 TiB if it can, and mapped whole: nothing
 * of it is real until it is written to, and a thread gets its regions by adding to a number,
 * without a system call, a descriptor or a name. Less is taken where the address space or the size
 * of files is limited: the program's own share of RLIMIT_AS must stay what it was, nearly.
 *
 * The sink is where events go that are not wanted (COTREE=off) or that cannot be kept: a few pages,
 * mapped side by side many times in a large range of addresses, since traced code never looks where
 * its range ends. Any number of threads write there; it is never read. A thread that passes thunks
 * goes back to its start again and again; one that passes none runs through the range, which is
 * mapped in windows when a store finds nothing there (trace/signals.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "runtime/file/file.h"
#include "runtime/trace/trace.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#endif

#define KIB UINT64_C(1024)
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define TIB (1024 * GIB)

#define FILE_MOST (15 * TIB)         /* ext4 has 16 TiB */
#define FILE_MOST_VALGRIND (8 * GIB) /* it has no more than 128 GiB of addresses to give */
#define FILE_MOST_DENSE (64 * MIB)   /* where there are no holes */
#define FILE_LEAST (TRACE_REGIONS_OFFSET + 1 * MIB)
#define SHARE_OF_ADDRESSES 32 /* of RLIMIT_AS */

/* Where the file of a library is mapped if possible. When the library is loaded again, its file is
 * mapped there again, so the place must not be near what others map; no sanitizer has its shadow
 * memory there. */
#ifdef COTREE_RUNTIME_SHARED
#define QUIET_PLACE ((void *)(uintptr_t)(32 * TIB))
#else
#define QUIET_PLACE NULL
#endif

/*
 * A stream takes 4 parts of the file: one of side records, one of events, and two for stores beyond
 * its end, which go to the sink. Parts of the first thread's are so much of the file, those of
 * others so much of what is left.
 */
#define PARTS 4u
#define FIRST_SHARE 6u
#define NEXT_SHARE 128u
#define REGION_MOST (256 * GIB)
#define REGION_LEAST (64 * KIB)
#define REGION_ALIGN (64 * KIB)

/*
 * A fresh page of the file costs 4 to 7 us, most of it not for its zeros but for a place on the
 * disk; one of 2 MiB costs 400 us, a tenth for the same bytes. Short traces are not to take that
 * much: SMALL_FIRST bytes of each region come in small pages, and end where a large page may begin.
 */
#define SMALL_FIRST (256 * KIB)
#define LARGE_FROM (8 * (uint64_t)TRACE_LARGE_PAGE) /* regions of that size have large ones */

struct trace_file cotree_trace_file;
uint32_t cotree_trace_streams_real, cotree_trace_words_real;
struct trace_address_stream cotree_trace_no_addresses;

/* Where the regions of streams are, in memory of the process's own: a child of fork must know it,
 * whatever its parent does next. */
static struct trace_geometry remembered[TRACE_STREAMS_MOST];

void cotree_trace_remember(uint32_t number)
{
    remembered[number].stream = *cotree_trace_stream(number);
    remembered[number].addresses = *cotree_trace_addresses(number);
    cotree_trace_file.end = __atomic_load_n(&cotree_trace_file.header->end, __ATOMIC_ACQUIRE);
}

const struct trace_geometry *cotree_trace_remembered(uint32_t number)
{
    return &remembered[number];
}

void cotree_trace_flag(uint32_t flags)
{
    if (cotree_trace_file.header != NULL)
        __atomic_fetch_or(&cotree_trace_file.header->flags, flags, __ATOMIC_RELAXED);
}

/* ---- the file ---- */

bool cotree_trace_name_of(char *out, size_t size, const char *data_path, bool shared)
{
    size_t at = cotree_append(out, size, 0, data_path);
    at = at < size ? cotree_append(out, size, at, TRACE_EVENTS_SUFFIX) : at;
    if (shared && at < size) {
        at = cotree_append(out, size, at, ".");
        at = at < size ? cotree_append_number(out, size, at, cotree_process.pid) : at;
    }
    return at < size;
}

/* Addresses at which a file that is gone back to will be mapped: whatever is mapped before must not
 * come there. */
static struct {
    uint64_t base, length;
} reserved;

static void give_addresses_back(void)
{
    if (reserved.length != 0)
        cotree_munmap((void *)(uintptr_t)reserved.base, reserved.length);
    reserved.length = 0;
}

static bool reserve_addresses(uint64_t base, uint64_t length)
{
    if (reserved.base == base && reserved.length == length)
        return true;
    give_addresses_back();
    long result = cotree_mmap((void *)(uintptr_t)base, length, PROT_NONE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (cotree_failed(result))
        return false;
    reserved.base = (uint64_t)result;
    reserved.length = length;
    if (reserved.base != base) /* an older kernel */
        give_addresses_back();
    return reserved.length != 0;
}

/* Is it an events file that this process may go on in? */
static bool may_be_joined(const struct trace_header *header, uint64_t length)
{
    return header->version == TRACE_VERSION && header->image == cotree_process.image &&
           header->pid == cotree_process.pid && header->start_time == cotree_process.start_time &&
           header->left == 1 && length >= FILE_LEAST && reserve_addresses(header->base, length);
}

bool cotree_trace_name_taken(const char *path)
{
    char name[COTREE_PATH_MAX];
    struct stat status;
    struct trace_header header;
    if (!cotree_trace_name_of(name, sizeof name, path, false) ||
        COTREE_CALL(SYS_lstat, name, &status, 0, 0, 0, 0) != 0)
        return false;
#ifndef COTREE_RUNTIME_SHARED
    return true;
#endif
    long descriptor = cotree_open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0);
    if (cotree_failed(descriptor))
        return true;
    long got = COTREE_CALL(SYS_pread64, descriptor, &header, sizeof header, 0, 0, 0);
    cotree_close(descriptor);
    return got != (long)sizeof header || !may_be_joined(&header, (uint64_t)status.st_size);
}

/* How long the file and its mapping may be. */
static uint64_t longest(void)
{
    uint64_t length = FILE_MOST;
#ifndef COTREE_RUNTIME_SHARED
    if (cotree_runs_on_valgrind())
        length = FILE_MOST_VALGRIND;
#endif
    struct rlimit limit;
    if (COTREE_CALL(SYS_getrlimit, RLIMIT_FSIZE, &limit, 0, 0, 0, 0) == 0 && limit.rlim_cur < length)
        length = limit.rlim_cur; /* beyond it SIGXFSZ comes */
    uint64_t addresses = cotree_trace_address_limit();
    if (addresses != RLIM_INFINITY && addresses / SHARE_OF_ADDRESSES < length)
        length = addresses / SHARE_OF_ADDRESSES;
    return length & ~(uint64_t)(DATA_PAGE - 1);
}

/*
 * Older kernels cannot be asked for pages, but every call that touches them answers where a signal would
 * come. These two leave what is there as it is: `*word |= 0`, in one step, and a comparison.
 */
static bool touches(uintptr_t page)
{
    return COTREE_CALL(SYS_futex, page, FUTEX_WAKE_OP_PRIVATE, 0, 0, page,
                       FUTEX_OP(FUTEX_OP_OR, 0, FUTEX_OP_CMP_EQ, 0)) != -EFAULT;
}

static bool looks_at(uintptr_t page)
{
    return COTREE_CALL(SYS_futex, page, FUTEX_CMP_REQUEUE_PRIVATE, 0, 0, page + 64, 0) != -EFAULT;
}

static bool is_older_kernel(long result)
{
    return result == -EINVAL || result == -ENOSYS;
}

/* Makes pages of the file real, so that stores there find room on the disk. */
long cotree_trace_ready(void *from, uint64_t length)
{
    uintptr_t begin = (uintptr_t)from & ~(uintptr_t)(DATA_PAGE - 1);
    uint64_t pages = cotree_whole_pages((uintptr_t)from + length - begin);
    long result = COTREE_CALL(SYS_madvise, begin, pages, MADV_POPULATE_WRITE, 0, 0, 0);
    if (!is_older_kernel(result))
        return result;
    for (uint64_t at = 0; at < pages; at += DATA_PAGE)
        if (!touches(begin + at))
            return -EFAULT;
    return 0;
}

/*
 * Can the page at AT be read? Some file systems (tmpfs) make pages real that are read only, and a full one
 * answers by a signal, which may be blocked. LAST is the page that was asked for last, and could be.
 */
bool cotree_trace_is_readable(const void *at, uintptr_t *last)
{
    uintptr_t page = (uintptr_t)at & ~(uintptr_t)(DATA_PAGE - 1);
    if (page == *last || cotree_in_sandbox())
        return true;
    long result = COTREE_CALL(SYS_madvise, page, DATA_PAGE, MADV_POPULATE_READ, 0, 0, 0);
    if (is_older_kernel(result) ? !looks_at(page) : result != 0)
        return false;
    *last = page;
    return true;
}

/* Entries of SIZE bytes of the list that is OFFSET bytes from the file's start. */
static long reach(uint32_t number, uint64_t offset, uint64_t size, uint32_t *real)
{
    uint64_t from = *real * size, to = cotree_whole_pages((number + 1) * size);
    if (to <= from)
        return 0;
    long error = cotree_trace_ready((char *)cotree_trace_file.header + offset + from, to - from);
    if (error == 0)
        __atomic_store_n(real, (uint32_t)(to / size), __ATOMIC_RELEASE);
    return error;
}

long cotree_trace_streams_reach(uint32_t number)
{
    return reach(number, TRACE_STREAMS_OFFSET, sizeof(struct trace_stream), &cotree_trace_streams_real);
}

long cotree_trace_words_reach(uint32_t number)
{
    return reach(number, TRACE_ADDRESSES_OFFSET, sizeof(struct trace_address_stream),
                 &cotree_trace_words_real);
}

static void describe(struct trace_header *header)
{
    header->version = TRACE_VERSION;
    header->base = (uint64_t)(uintptr_t)header;
    header->end = TRACE_REGIONS_OFFSET;
    header->image = cotree_process.image;
    header->most = cotree_process.trace_most;
    header->pid = cotree_process.pid;
    header->start_time = cotree_process.start_time;
    header->pid_namespace = cotree_process.pid_namespace;
    uint64_t magic;
    cotree_copy(&magic, TRACE_MAGIC, sizeof magic);
    __atomic_store_n((uint64_t *)(void *)header->magic, magic, __ATOMIC_RELEASE);
}

/* Some file systems (FAT) know no holes: a large file takes room there. */
static bool knows_holes(long descriptor)
{
    struct stat status;
    return COTREE_CALL(SYS_ftruncate, descriptor, FILE_MOST_DENSE, 0, 0, 0, 0) == 0 &&
           COTREE_CALL(SYS_fstat, descriptor, &status, 0, 0, 0, 0) == 0 &&
           (uint64_t)status.st_blocks * 512 < FILE_MOST_DENSE / 2;
}

/* The file was this library's before it was unloaded. */
static void go_on_in(struct trace_header *header)
{
    __atomic_store_n(&header->left, 0, __ATOMIC_RELEASE);
    for (uint32_t i = 0;
         i < TRACE_STREAMS_MOST && cotree_trace_streams_reach(i) == 0 && cotree_trace_stream(i)->state != 0;
         i++)
        cotree_trace_protect(i);
}

/* ADDRESS: where it is to be, in a child of fork where its parent's is. FRESH: it is empty;
 * otherwise this process goes on in it. */
static long map_whole(long descriptor, void *address, bool fresh)
{
    uint64_t length = address != NULL ? cotree_trace_file.length : longest();
    struct stat status;
    struct trace_header before;
    long result = COTREE_CALL(SYS_fstat, descriptor, &status, 0, 0, 0, 0);
    if (result != 0)
        return result;
    if (fresh && !cotree_file_may_be(length)) /* in a child of fork, which has its parent's length */
        return -EFBIG;
    if (!fresh) {
        length = (uint64_t)status.st_size;
        if (COTREE_CALL(SYS_pread64, descriptor, &before, sizeof before, 0, 0, 0) != (long)sizeof before ||
            !may_be_joined(&before, length))
            return -EEXIST;
        address = (void *)(uintptr_t)before.base;
    }
    if (fresh && address == NULL && length > FILE_MOST_DENSE && !knows_holes(descriptor))
        length = FILE_MOST_DENSE;
    result = -EFBIG;
    for (; length >= FILE_LEAST; length = length / 2 & ~(uint64_t)(DATA_PAGE - 1)) {
        result = fresh ? COTREE_CALL(SYS_ftruncate, descriptor, length, 0, 0, 0, 0) : 0;
        if (result == 0)
            result =
                cotree_mmap(address != NULL ? address : QUIET_PLACE, length, PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_NORESERVE | (address != NULL ? MAP_FIXED : 0), descriptor, 0);
        if (!cotree_failed(result) || address != NULL || !fresh)
            break;
    }
    if (cotree_failed(result))
        return result;
    struct trace_header *header = (struct trace_header *)result;
    (void)COTREE_CALL(SYS_madvise, header, length, MADV_DONTDUMP, 0, 0, 0);
    /* Without it the first store to a page makes megabytes of zeros around it, as if they were to
     * be read: 3 ms. */
    (void)COTREE_CALL(SYS_madvise, header, length, MADV_RANDOM, 0, 0, 0);
    result = fresh ? cotree_trace_ready(header, 2 * (uint64_t)DATA_PAGE) : 0;
    if (result != 0) {
        if (address == NULL)
            cotree_munmap(header, length);
        return result;
    }
    if (fresh)
        describe(header);
    cotree_trace_streams_real = DATA_PAGE / sizeof(struct trace_stream);
    cotree_trace_words_real = 0;
    cotree_trace_file.header = header;
    cotree_trace_file.mapping = (char *)header;
    cotree_trace_file.length = length;
    cotree_trace_file.device = status.st_dev;
    cotree_trace_file.inode = status.st_ino;
    cotree_trace_file.joined = !fresh;
    if (!fresh) {
        reserved.length = 0; /* the file is there now */
        go_on_in(header);
    }
    return 0;
}

/* Makes the events file of this process's data file. */
long cotree_trace_file_open(void *address)
{
    char name[COTREE_PATH_MAX];
    const long flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
    bool fresh = true;
    cotree_flag(DATA_FLAG_TRACED);
    if (!cotree_trace_name_of(name, sizeof name, cotree_process.file.path, cotree_process.file.shared))
        return -ENAMETOOLONG;
    long descriptor = cotree_open(name, flags | O_CREAT | O_EXCL, 0666);
    if (descriptor == -EEXIST && address == NULL) {
        descriptor = cotree_open(name, flags, 0);
        fresh = false;
    }
    long result = descriptor;
    if (!cotree_failed(descriptor)) {
        result = map_whole(descriptor, address, fresh);
        cotree_close(descriptor);
        if (result != 0 && fresh)
            (void)COTREE_CALL(SYS_unlink, name, 0, 0, 0, 0, 0);
    }
    if (result != 0)
        cotree_say_error("no trace: cannot create", name, result);
    /* Readers of the trace must know all modules; those that are loaded later are added then
     * (process/modules.c). */
    for (struct cotree_module *m = cotree_process.modules; result == 0 && m != NULL; m = m->next)
        (void)cotree_module_in_file(m);
    return result;
}

/* The mapping stays: what comes there instead is the caller's. */
void cotree_trace_file_remove(void)
{
    char name[COTREE_PATH_MAX];
    if (cotree_trace_name_of(name, sizeof name, cotree_process.file.path, cotree_process.file.shared))
        (void)COTREE_CALL(SYS_unlink, name, 0, 0, 0, 0, 0);
    cotree_trace_file.header = NULL;
}

/* ---- streams ---- */

static uint64_t region_size(bool first)
{
    const struct trace_header *header = cotree_trace_file.header;
    uint64_t end = __atomic_load_n(&header->end, __ATOMIC_ACQUIRE);
    uint64_t left = end < cotree_trace_file.length ? cotree_trace_file.length - end : 0;
    uint64_t size = first ? cotree_trace_file.length / FIRST_SHARE : left / NEXT_SHARE;
    if (!first && size > REGION_MOST)
        size = REGION_MOST;
    if (size < REGION_LEAST)
        size = REGION_LEAST;
    size &= ~((size < LARGE_FROM ? REGION_ALIGN : (uint64_t)TRACE_LARGE_PAGE) - 1);
    return PARTS * size <= left ? size : 0;
}

static bool has_large_pages(uint32_t number, uint64_t address, uint64_t length)
{
    return number < TRACE_LARGE_STREAMS && length >= LARGE_FROM && address % TRACE_LARGE_PAGE == 0;
}

/* Where large pages begin in a region that is written from BEGIN on; the end of the region: it has
 * none. */
uint64_t cotree_trace_large_from(uint32_t number, uint64_t address, uint64_t length, uint64_t begin)
{
    uint64_t from = (begin + SMALL_FIRST + TRACE_LARGE_PAGE - 1) & ~((uint64_t)TRACE_LARGE_PAGE - 1);
    return has_large_pages(number, address, length) && from < address + length ? from : address + length;
}

static void use_large_pages(uint32_t number, uint64_t address, uint64_t length, uint64_t begin)
{
    uint64_t from = cotree_trace_large_from(number, address, length, begin);
    if (from < address + length)
        (void)COTREE_CALL(SYS_madvise, from, address + length - from, MADV_HUGEPAGE, 0, 0, 0);
}

/* Makes stores beyond a stream's events fail, so that they are seen. */
void cotree_trace_protect(uint32_t number)
{
    const struct trace_stream *stream = cotree_trace_stream(number);
    use_large_pages(number, stream->events_address, stream->events_length, stream->events_begin);
    use_large_pages(number, stream->side_address, stream->side_length, stream->side_begin);
    (void)COTREE_CALL(SYS_mprotect, stream->events_address + stream->events_length,
                      (PARTS - 2) * stream->events_length, PROT_NONE, 0, 0, 0);
}

/* A new stream with regions of its own, being set up; or NULL and an error. */
struct trace_stream *cotree_trace_stream_new(uint32_t *number, long *error)
{
    struct trace_header *header = cotree_trace_file.header;
    *error = -ENOSPC;
    /* A child of fork may have none of its parent's streams, and room only behind them all. */
    bool is_fresh = __atomic_load_n(&header->end, __ATOMIC_ACQUIRE) == TRACE_REGIONS_OFFSET;
    for (uint32_t i = 0; i < TRACE_STREAMS_MOST; i++) {
        struct trace_stream *stream = cotree_trace_stream(i);
        uint32_t none = 0;
        if ((*error = cotree_trace_streams_reach(i)) != 0)
            return NULL;
        *error = -ENOSPC;
        if (stream->state != 0)
            continue;
        if (!__atomic_compare_exchange_n(&stream->state, &none, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
            continue;
        uint64_t size = region_size(i == 0 && is_fresh);
        uint64_t offset = __atomic_fetch_add(&header->end, PARTS * size, __ATOMIC_ACQ_REL);
        if (size == 0 || offset + PARTS * size > cotree_trace_file.length) {
            __atomic_store_n(&stream->state, 0, __ATOMIC_RELEASE);
            return NULL;
        }
        uint64_t address = (uint64_t)(uintptr_t)header + offset;
        uint64_t skipped = has_large_pages(i, address, size) ? TRACE_LARGE_PAGE - SMALL_FIRST : 0;
        stream->side_offset = offset;
        stream->side_address = address;
        stream->side_begin = address + skipped;
        stream->events_offset = offset + size;
        stream->events_address = address + size;
        stream->events_begin = address + size + skipped;
        stream->events_length = stream->side_length = size;
        cotree_trace_protect(i);
        *number = i;
        *error = 0;
        return stream;
    }
    return NULL;
}

/* ---- the sink ---- */

#define SINK_SIZE (4 * MIB)
#define SINK_SPAN (64 * SINK_SIZE) /* what is mapped at a time */
#define SINK_SPANS 16u             /* how many of these there are at most */
#define SINK_MOST (8 * TIB)        /* addresses for events, as many for side records, and for addresses */
#define SINK_THIRDS 3u
#define SINK_CLOSED (64 * KIB) /* at the end of each third */
#define SINK_ROUND (64 * KIB)  /* thunks go back to the start from here on: it stays in the cache */

static struct {
    char *begin;     /* atomic; NULL: none so far */
    uint64_t length; /* of one third */
    uint64_t span;
    uint64_t spans[SINK_SPANS]; /* addresses of what is mapped besides the first of each third */
    uint32_t next;
} sink;

/* Maps the pages of the sink from ADDRESS on, at most up to LENGTH. */
static bool map_sink(char *address, uint64_t length)
{
    for (uint64_t at = 0; at < length; at += SINK_SIZE) {
        uint64_t part = length - at < SINK_SIZE ? length - at : SINK_SIZE;
        if (address + at == sink.begin)
            continue;
        long result = cotree_mremap(sink.begin, 0, part, MREMAP_MAYMOVE | MREMAP_FIXED, address + at);
        if (cotree_failed(result)) /* valgrind: memory of its own */
            result = cotree_mmap(address + at, part, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
        if (cotree_failed(result))
            return at > 0;
    }
    return true;
}

/* How much is mapped from there on: the end of a third is closed, so that a store there is seen,
 * and goes back. */
static uint64_t span_at(uint64_t from)
{
    uint64_t left = sink.length - (from - (uint64_t)(uintptr_t)sink.begin) % sink.length - SINK_CLOSED;
    return left < sink.span ? left : sink.span;
}

static char *make_sink(bool at_end)
{
    uint64_t third = SINK_MOST;
    uint64_t addresses = cotree_trace_address_limit();
    if (addresses != RLIM_INFINITY)
        while (third > SINK_SIZE && third > addresses / SHARE_OF_ADDRESSES)
            third /= 2;
    long range;
    while (cotree_failed(range = cotree_mmap(NULL, SINK_THIRDS * third, PROT_NONE,
                                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))) {
        third /= 2;
        if (third < SINK_SIZE)
            return NULL;
    }
    char *begin = (char *)range;
    /* No file, not even one in memory: RLIMIT_FSIZE is for those, too, and answers by a signal. */
    long result = cotree_mmap(begin, SINK_SIZE, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    if (cotree_failed(result)) {
        cotree_munmap(begin, SINK_THIRDS * third);
        return NULL;
    }
    sink.length = third;
    sink.span = third < SINK_SPAN ? third : SINK_SPAN;
    sink.begin = begin;
    const uint64_t first = at_end ? SINK_SIZE - SINK_CLOSED : span_at((uint64_t)(uintptr_t)begin);
    (void)map_sink(begin, first);
    (void)map_sink(begin + third, first);
    (void)map_sink(begin + 2 * third, first);
    return begin;
}

/* Without even that, a page of the runtime's own: enough for programs that pass thunks. */
#define LAST_THIRD (SINK_ROUND + DATA_PAGE)
#define LAST_SPARE (192 * KIB) /* for addresses, which are written faster */
static char last_resort[SINK_THIRDS * LAST_THIRD + LAST_SPARE] __attribute__((aligned(4096)));

static char *sink_begin(uint64_t *third)
{
    char *begin = __atomic_load_n(&sink.begin, __ATOMIC_ACQUIRE);
    *third = begin != NULL ? sink.length : LAST_THIRD;
    return begin != NULL ? begin : last_resort;
}

void cotree_trace_sink_words(struct cotree_trace_thread *at)
{
    uint64_t third;
    char *begin = sink_begin(&third);
    at->addresses = (uint64_t *)(void *)(begin + 2 * third);
    at->addresses_limit = (uint64_t *)(void *)(begin + 2 * third + SINK_ROUND);
}

void cotree_trace_sink(struct cotree_trace_thread *at)
{
    uint64_t third;
    char *begin = sink_begin(&third);
    at->events = (uint8_t *)begin;
    at->events_limit = at->events + SINK_ROUND;
    at->side = (struct trace_record *)(void *)(begin + third);
    cotree_trace_ask_later(at);
    cotree_trace_sink_words(at);
}

/* AT_END: little will be written there. Further parts are mapped where a store finds nothing, but
 * not all of it can be: the signal may be blocked. */
void cotree_trace_sink_make(bool at_end)
{
    if (sink.begin == NULL)
        (void)make_sink(at_end);
}

bool cotree_trace_sink_holds(uint64_t address)
{
    uint64_t begin = (uint64_t)(uintptr_t)__atomic_load_n(&sink.begin, __ATOMIC_ACQUIRE);
    return begin != 0 && address - begin < SINK_THIRDS * sink.length;
}

/* A store found nothing mapped there. The oldest part that is mapped goes: a thread that still
 * writes there comes here, too. At the end of a third of the range, writing goes back to the
 * start. */
bool cotree_trace_sink_extend(uint64_t address, uint64_t *back)
{
    uint64_t begin = (uint64_t)(uintptr_t)sink.begin,
             third = begin + (address - begin) / sink.length * sink.length;
    uint64_t from = third + (address - third) / sink.span * sink.span;
    uint64_t old = sink.spans[sink.next];
    *back = 0;
    if (address - third >= sink.length - SINK_CLOSED) {
        *back = sink.length - SINK_CLOSED;
        return true;
    }
    if (old != 0 && old != from)
        (void)cotree_mmap((void *)old, span_at(old), PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    sink.spans[sink.next] = from;
    sink.next = (sink.next + 1) % SINK_SPANS;
    return map_sink((char *)from, span_at(from));
}

/* The range around ADDRESS where stores of one stream may go; false: it belongs to no stream.
 * CLOSED: from there on stores are beyond the end of the region, and go back when they come to
 * END. */
static bool find_room(uint64_t address, uint64_t *closed, uint64_t *end)
{
    for (uint32_t i = 0; i < cotree_trace_streams_real; i++) {
        const struct trace_stream *stream = cotree_trace_stream(i);
        if (__atomic_load_n(&stream->state, __ATOMIC_ACQUIRE) == 0)
            return false;
        *closed = *end = cotree_trace_addresses_room(address, i);
        if (*end != 0)
            return true;
        *closed = *end = stream->side_address + stream->side_length;
        if (address - stream->side_address < stream->side_length)
            return true;
        *closed = stream->events_address + stream->events_length;
        *end = stream->events_address + (PARTS - 1) * stream->events_length;
        if (address - stream->events_address < *end - stream->events_address)
            return true;
    }
    return false;
}

#define SUNK_SIZE (4 * MIB)

static bool map_memory(uint64_t from, uint64_t length)
{
    return !cotree_failed(cotree_mmap((void *)from, length, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0));
}

/*
 * The disk is full, or a region is. Memory that is never read is mapped there, and memory that was
 * mapped so before is unmapped. After the end of a region it stays, and a thread that has filled it
 * goes back: what lies further on is not the thread's.
 */
bool cotree_trace_sink_over(uint64_t address, char **sunk, uint64_t *back)
{
    uint64_t page = address & ~(uint64_t)(DATA_PAGE - 1), closed, end;
    *back = 0;
    if (!find_room(address, &closed, &end))
        return false;
    if (address >= closed) {
        uint64_t most = end - closed - DATA_PAGE, length = most < SUNK_SIZE ? most : SUNK_SIZE;
        if (address - closed < length)
            return map_memory(closed, length);
        *back = page - closed;
        return true;
    }
    if (*sunk != NULL)
        (void)cotree_mmap(*sunk, SUNK_SIZE, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    bool is_last = closed - page <= SUNK_SIZE;
    bool mapped = map_memory(page, is_last ? closed - page : SUNK_SIZE);
    *sunk = mapped && !is_last ? (char *)page : NULL;
    return mapped;
}

/* ---- the end ---- */

static bool is_in_file(uint64_t address)
{
    return address - (uint64_t)(uintptr_t)cotree_trace_file.mapping < cotree_trace_file.length;
}

uint64_t cotree_trace_mapped(void)
{
    uint64_t mapped = cotree_trace_file.mapping != NULL ? cotree_trace_file.length : 0;
    for (uint32_t i = 0; i < cotree_trace_word_streams; i++)
        if (!is_in_file(remembered[i].addresses.address))
            mapped += remembered[i].addresses.room;
    return mapped + (sink.begin != NULL ? SINK_THIRDS * sink.length : 0);
}

bool cotree_trace_has_addresses(void)
{
    return cotree_trace_file.mapping != NULL || sink.begin != NULL || reserved.length != 0;
}

/*
 * The library that this runtime is part of is unloaded: its code does not run any more, and the
 * addresses are given back. A program that loads it again and again would have none left soon.
 */
void cotree_trace_unmap(void)
{
    for (uint32_t i = 0; i < cotree_trace_word_streams; i++) {
        const struct trace_address_stream *words = &remembered[i].addresses;
        if (words->room != 0 && !is_in_file(words->address))
            cotree_munmap((void *)(uintptr_t)words->address, words->room);
    }
    if (cotree_trace_file.mapping != NULL)
        cotree_munmap(cotree_trace_file.mapping, cotree_trace_file.length);
    give_addresses_back();
    if (sink.begin != NULL)
        cotree_munmap(sink.begin, SINK_THIRDS * sink.length);
}
