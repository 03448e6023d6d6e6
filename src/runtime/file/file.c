/*
 * The data file: made, joined, mapped and grown (format/data/layout.h).
 *
 * The file is mapped once, from its start and further than it reaches, so that pages which are
 * added later are visible without a descriptor: none is kept open, and programs that close them
 * all, change their root directory or forbid open(2) keep counting. Space is made real before it is
 * used, because writing to a hole on a full disk is SIGBUS: MADV_POPULATE_WRITE does it where the
 * file is long enough already (some sparse space is kept ready for that from the start),
 * fallocate(2) where it must grow. Growing beyond RLIMIT_FSIZE would be SIGXFSZ: it is not tried.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include "runtime/file/file.h"
#include "runtime/file/frame_counts.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define WINDOW_SIZE (UINT64_C(1) << 20) /* it counts against RLIMIT_AS, and against mlockall's limit */
#define SPARE_BLOCKS 16u
#define SPARE_SIZE (UINT64_C(1) << 20)
#define FIRST_FRAME_COUNTS (2 * (uint64_t)DATA_PAGE)
#define FIRST_SPACE (3 * (uint64_t)DATA_PAGE) /* header, first table, first page of frame counts */
#define SPARE_FRAME_COUNTS (4 * (uint64_t)DATA_PAGE)
#define FILL_LIMIT (UINT64_C(256) << 20)
#define NAMES_TRIED 1000000u

static struct cotree_file *const file = &cotree_process.file;

/* May a file be so long? A process that makes it longer than RLIMIT_FSIZE gets a signal. */
bool cotree_file_may_be(uint64_t length)
{
    struct rlimit limit;
    return COTREE_CALL(SYS_getrlimit, RLIMIT_FSIZE, &limit, 0, 0, 0, 0) != 0 ||
           limit.rlim_cur == RLIM_INFINITY || length <= limit.rlim_cur;
}

/* Makes [offset, offset + length) of the file real, whatever is in it. */
static long allocate(long descriptor, uint64_t offset, uint64_t length)
{
    if (!cotree_file_may_be(offset + length))
        return -EFBIG;
    long result;
    do
        result = COTREE_CALL(SYS_fallocate, descriptor, 0, offset, length, 0, 0);
    while (result == -EINTR);
    return result;
}

/* Makes [offset, offset + length) of the file real. It was never used: where there is no fallocate,
 * zeros are written. */
static long reserve(long descriptor, uint64_t offset, uint64_t length)
{
    long result = allocate(descriptor, offset, length);
    if (result != -EOPNOTSUPP && result != -ENOSYS)
        return result;
    static char zeros[DATA_PAGE]; /* not constant: no program needs a page of its file for it */
    for (uint64_t end = offset + length; offset < end;) {
        uint64_t part = end - offset < sizeof zeros ? end - offset : sizeof zeros;
        result = COTREE_CALL(SYS_pwrite64, descriptor, zeros, part, offset, 0, 0);
        if (result == -EINTR)
            continue;
        if (result <= 0)
            return result < 0 ? result : -ENOSPC;
        offset += (uint64_t)result;
    }
    return 0;
}

/* Opens the file again, if it still is the same one. */
static long reopen(void)
{
    struct stat status;
    long descriptor = cotree_open(file->path, O_RDWR | O_CLOEXEC | O_NOFOLLOW, 0);
    if (cotree_failed(descriptor))
        return descriptor;
    if (COTREE_CALL(SYS_fstat, descriptor, &status, 0, 0, 0, 0) != 0 || status.st_dev != file->device ||
        status.st_ino != file->inode) {
        cotree_close(descriptor);
        return -ESTALE;
    }
    return descriptor;
}

/* A window is one word, so that it changes in one step: its address, which ends in zeros, and the
 * power of two that is its size. */
static uint64_t window_word(long address, uint64_t size)
{
    return (uint64_t)address | (uint64_t)__builtin_ctzll(size);
}

static char *window_address(uint64_t window)
{
    return (char *)(uintptr_t)(window & ~(uint64_t)(DATA_PAGE - 1));
}

static uint64_t window_size(uint64_t window)
{
    return UINT64_C(1) << (window & 63);
}

/* Maps a larger window, of at least WANTED bytes, in place of WINDOW. Returns it, or 0. Needs no
 * lock. */
static uint64_t widen(uint64_t window, uint64_t wanted)
{
    uint64_t size = window_size(window);
    while (size < wanted)
        size *= 2;
    long address = cotree_mremap(window_address(window), 0, size, MREMAP_MAYMOVE, NULL);
    if (cotree_failed(address)) {
        long descriptor = reopen();
        if (cotree_failed(descriptor))
            return 0;
        address = cotree_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
        cotree_close(descriptor);
        if (cotree_failed(address))
            return 0;
    }
    uint64_t wider = window_word(address, size);
    if (__atomic_compare_exchange_n(&file->window, &window, wider, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return wider;
    cotree_munmap((void *)address, size);
    return window_size(window) >= wanted ? window : widen(window, wanted);
}

/* Where [offset, offset + length) is mapped, or NULL. Earlier windows stay: pointers into them
 * remain good. */
void *cotree_file_at(uint64_t offset, uint64_t length)
{
    uint64_t end = __atomic_load_n(&file->header->end, __ATOMIC_ACQUIRE);
    if (offset + length < offset || offset + length > end)
        return NULL;
    uint64_t window = __atomic_load_n(&file->window, __ATOMIC_ACQUIRE);
    if (offset + length > window_size(window))
        window = widen(window, offset + length);
    return window != 0 ? window_address(window) + offset : NULL;
}

/* The same for what is mapped already: makes no system call. */
void *cotree_file_mapped(uint64_t offset, uint64_t length)
{
    uint64_t window = __atomic_load_n(&file->window, __ATOMIC_ACQUIRE);
    bool there = offset + length >= offset && offset + length <= window_size(window) &&
                 offset + length <= __atomic_load_n(&file->header->end, __ATOMIC_ACQUIRE);
    return there ? window_address(window) + offset : NULL;
}

/* Makes [offset, offset + length) real, which was given out before. */
static long make_real(uint64_t offset, uint64_t length)
{
    char *memory = cotree_file_at(offset, length);
    if (memory != NULL && COTREE_CALL(SYS_madvise, memory, length, MADV_POPULATE_WRITE, 0, 0, 0) == 0)
        return 0;
    long descriptor = reopen();
    if (cotree_failed(descriptor))
        return descriptor;
    long result = reserve(descriptor, offset, length);
    cotree_close(descriptor);
    return result;
}

/* Gives out LENGTH bytes (whole pages) of real space. Returns 0 or a negative error. */
int cotree_file_space(uint64_t length, uint64_t *offset)
{
    *offset = __atomic_fetch_add(&file->header->end, length, __ATOMIC_ACQ_REL);
    long result = make_real(*offset, length);
    uint64_t end = *offset + length;
    if (result != 0) /* no thread has seen it: it goes back, if nothing was given out after it */
        (void)__atomic_compare_exchange_n(&file->header->end, &end, *offset, false, __ATOMIC_ACQ_REL,
                                          __ATOMIC_RELAXED);
    return (int)result;
}

/* Maps a block over ADDRESS, which holds the same bytes. Returns 0, or a negative error with
 * ADDRESS as it was. */
int cotree_file_map(uint64_t offset, uint64_t length, char *address)
{
    char *block = cotree_file_at(offset, length);
    if (block == NULL)
        return -ENOMEM;
    /* An old size of 0 makes a second mapping of shared pages; valgrind does not know it. */
    long result = cotree_mremap(block, 0, length, MREMAP_MAYMOVE | MREMAP_FIXED, address);
    if (result == (long)address)
        return 0;
    long descriptor = reopen();
    if (cotree_failed(descriptor))
        return (int)descriptor;
    result = cotree_mmap(address, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, descriptor, offset);
    cotree_close(descriptor);
    return cotree_failed(result) ? (int)result : 0;
}

void cotree_flag(uint32_t flags)
{
    if (file->header == NULL || (__atomic_load_n(&file->header->flags, __ATOMIC_RELAXED) & flags) == flags)
        return;
    __atomic_store_n(&file->header->seal, 0, __ATOMIC_SEQ_CST);
    __atomic_fetch_or(&file->header->flags, flags, __ATOMIC_RELAXED);
}

/* Notes in the file that a thread or module counts in memory only (R4). */
void cotree_lost(const char *what, long error)
{
    if (file->header != NULL) {
        cotree_unseal();
        cotree_flag(DATA_FLAG_LOST_THREAD);
        __atomic_fetch_add(&file->header->threads_lost, 1, __ATOMIC_RELAXED);
        cotree_say_error(what, file->path, error);
    }
}

void cotree_file_close(struct cotree_file *closed)
{
    if (closed->header != NULL)
        cotree_munmap(window_address(closed->window), window_size(closed->window));
    closed->header = NULL;
}

/* ---- making and joining ---- */

static uint64_t magic_word(void)
{
    uint64_t word;
    cotree_copy(&word, DATA_MAGIC, sizeof word);
    return word;
}

static void describe_file(struct data_header *header, bool pool)
{
    uint64_t none = 0;
    if (__atomic_compare_exchange_n(&header->pid, &none, cotree_process.pid, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED)) {
        struct {
            long seconds, nanoseconds;
        } now = {0, 0};
        (void)COTREE_CALL(SYS_clock_gettime, 0, &now, 0, 0, 0, 0);
        header->start_time = cotree_process.start_time;
        header->pid_namespace = cotree_process.pid_namespace;
        header->image = cotree_process.image;
        header->started_at = (uint64_t)now.seconds;
    }
    none = 0;
    (void)__atomic_compare_exchange_n(&header->end, &none, FIRST_SPACE, false, __ATOMIC_ACQ_REL,
                                      __ATOMIC_RELAXED);
    header->version = DATA_VERSION;
    header->kind = DATA_KIND_RUN;
    header->header_size = sizeof *header;
    header->table = DATA_PAGE;
    header->frame_counts = FIRST_FRAME_COUNTS;
    cotree_copy(header->run, cotree_process.run, sizeof header->run);
    cotree_copy(header->program, cotree_process.program, sizeof header->program);
    cotree_module_describe((struct data_module *)((char *)header + DATA_MODULE_OFFSET),
                           cotree_process.modules);
    cotree_parts_describe(header);
    if (pool)
        __atomic_fetch_or(&header->flags, DATA_FLAG_POOL, __ATOMIC_RELAXED);
    /* Last: from here on it is a data file. */
    __atomic_store_n((uint64_t *)(void *)header->magic, magic_word(), __ATOMIC_RELEASE);
}

static bool is_data_file(const struct data_header *header)
{
    return __atomic_load_n((const uint64_t *)(const void *)header->magic, __ATOMIC_ACQUIRE) == magic_word() &&
           header->version == DATA_VERSION && header->kind == DATA_KIND_RUN &&
           header->header_size == sizeof *header && header->table == DATA_PAGE &&
           header->frame_counts == FIRST_FRAME_COUNTS && header->end >= FIRST_SPACE &&
           header->end % DATA_PAGE == 0;
}

/* May this process count in an existing file: does it belong to the same build, or was it begun by
 * another runtime in this process? */
static bool may_join(const struct data_header *header, bool pool)
{
    const struct data_module *record =
        (const struct data_module *)((const char *)header + DATA_MODULE_OFFSET);
    const struct cotree_module *module = cotree_process.modules;
    if (!pool)
        return header->pid == cotree_process.pid && header->start_time == cotree_process.start_time &&
               header->pid_namespace == cotree_process.pid_namespace && header->image == cotree_process.image;
    if ((header->flags & DATA_FLAG_POOL) == 0 || record->build_id_size != module->build_id_size ||
        record->block_length != module->block_length || record->counters_length != module->counters_length)
        return false;
    for (uint32_t i = 0; i < module->build_id_size; i++)
        if (record->build_id[i] != module->build_id[i])
            return false;
    return true;
}

/* A pool that was just made, or whose maker died while describing it: empty, or on its way to what
 * this process would write. */
static bool is_unfinished(const struct data_header *header)
{
    return *(const uint64_t *)(const void *)header->magic == 0 &&
           (header->version == 0 || header->version == DATA_VERSION) &&
           (header->kind == 0 || header->kind == DATA_KIND_RUN) &&
           (header->header_size == 0 || header->header_size == sizeof *header) &&
           (header->table == 0 || header->table == DATA_PAGE) &&
           (header->frame_counts == 0 || header->frame_counts == FIRST_FRAME_COUNTS);
}

/* The size of the open file once its first pages are there, or a negative error. */
static long first_pages(long descriptor, struct stat *status)
{
    for (unsigned patience = 0;; patience++) {
        long result = COTREE_CALL(SYS_fstat, descriptor, status, 0, 0, 0, 0);
        if (result != 0)
            return result;
        if (!S_ISREG(status->st_mode))
            return -ESPIPE;
        if (status->st_size == 0) { /* new, or another process has just made the pool */
            result = reserve(descriptor, 0, FIRST_SPACE);
            if (result != 0)
                return result;
        } else if ((uint64_t)status->st_size >= FIRST_SPACE) {
            return 0;
        } else if (patience == 100) {
            return -EEXIST; /* another program's file */
        } else {            /* without fallocate it grows in steps */
            struct {
                long seconds, nanoseconds;
            } pause = {0, 1000000};
            (void)COTREE_CALL(SYS_nanosleep, &pause, 0, 0, 0, 0, 0);
        }
    }
}

/*
 * A file that was cut short (copied to a full disk, say) has blocks, perhaps tables, after its end;
 * touching them would be SIGBUS. So the space that was given out is made real first. That may be
 * space which another process is about to make real, and fill; where there is no fallocate it is
 * left to that process.
 */
static long fill_up(long descriptor, uint64_t size, uint64_t end)
{
    if (size >= end)
        return 0;
    if (end - size > FILL_LIMIT)
        return -EFBIG;
    long result = allocate(descriptor, size, end - size);
    return result == -EOPNOTSUPP || result == -ENOSYS ? 0 : result;
}

/* The owner of a file may cut it short, which kills processes that have it mapped: root trusts no
 * pool that another user made. */
static bool is_trusted(const struct stat *status)
{
    return status->st_uid == 0 || COTREE_CALL(SYS_geteuid, 0, 0, 0, 0, 0, 0) != 0;
}

/* Maps the open file, describes it if it is new, and makes some room. Returns 0 or a negative
 * error. */
static long adopt(long descriptor, bool fresh, bool pool)
{
    struct stat status;
    long result = first_pages(descriptor, &status);
    if (result != 0)
        return result;
    if (pool && !is_trusted(&status))
        return -EEXIST; /* there is room for another name */
    uint64_t block = 0;
    for (const struct cotree_module *module = cotree_process.modules; module != NULL; module = module->next)
        block += module->block_length;
    uint64_t size = WINDOW_SIZE;
    while (size < 4 * block)
        size *= 2;
    long window;
    while (cotree_failed(window = cotree_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                                              descriptor, 0))) {
        if (window != -ENOMEM || size / 2 < FIRST_SPACE + block)
            return window;
        size /= 2;
    }
    struct data_header *header = (struct data_header *)window;
    if (fresh || (pool && is_unfinished(header))) {
        describe_file(header, pool);
    } else if (!is_data_file(header) || !may_join(header, pool) ||
               fill_up(descriptor, (uint64_t)status.st_size, header->end) != 0) {
        cotree_munmap((void *)window, size);
        return -EEXIST;
    }
    uint64_t spare = SPARE_BLOCKS * block;
    if (spare > SPARE_SIZE)
        spare = 2 * block > SPARE_SIZE ? 2 * block : SPARE_SIZE / block * block;
    spare += SPARE_FRAME_COUNTS;
    if ((uint64_t)status.st_size < FIRST_SPACE + block + spare)
        (void)reserve(descriptor, FIRST_SPACE + block + spare - 1, 1); /* a hole before it; it may fail */
    file->window = window_word(window, size);
    file->header = header;
    file->device = status.st_dev;
    file->inode = status.st_ino;
    file->shared = pool;
    file->joined = !pool && !fresh;
    return 0;
}

/* Something has the name already. Beside a file or a link there is room for another name; a user
 * who names a device or a directory wants something else. */
static long taken_by(const char *path)
{
    struct stat status;
    long result = COTREE_CALL(SYS_lstat, path, &status, 0, 0, 0, 0);
    if (result != 0)
        return result == -ENOENT ? -EEXIST : result;
    if (S_ISDIR(status.st_mode))
        return -EISDIR;
    return S_ISREG(status.st_mode) || S_ISLNK(status.st_mode) ? -EEXIST : -ESPIPE;
}

/* Opens a data file that exists. */
static long open_existing(const char *path, long flags)
{
    struct stat status;
    long result = COTREE_CALL(SYS_lstat, path, &status, 0, 0, 0, 0);
    if (result != 0)
        return result;
    return S_ISREG(status.st_mode) ? cotree_open(path, flags, 0) : taken_by(path);
}

static long open_attempt(unsigned attempt)
{
    bool pool, fresh = true;
    long result = cotree_name(file->path, sizeof file->path, attempt, &pool);
    if (result != 0)
        return result;
    if (!pool && cotree_traces() && cotree_trace_hooks.name_taken(file->path))
        return -EEXIST;
    long flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW, descriptor;
    if (pool) {
        /* Without O_CREAT first: systems may forbid it for files of others in shared
         * directories. */
        descriptor = open_existing(file->path, flags);
        if (descriptor == -ENOENT)
            descriptor = cotree_open(file->path, flags | O_CREAT, 0666);
    } else {
        descriptor = cotree_open(file->path, flags | O_CREAT | O_EXCL, 0666);
        if (descriptor == -EEXIST)
            descriptor = taken_by(file->path);
    }
#ifdef COTREE_RUNTIME_SHARED
    /* Perhaps made by another library in this process, or by this one before dlclose. */
    if (descriptor == -EEXIST && !pool) {
        fresh = false;
        descriptor = open_existing(file->path, flags);
        if (cotree_failed(descriptor))
            return -EEXIST;
    }
#endif
    if (cotree_failed(descriptor))
        return descriptor;
    result = adopt(descriptor, fresh && !pool, pool);
    cotree_close(descriptor);
    if (result != 0 && result != -EEXIST && fresh && !pool)
        (void)COTREE_CALL(SYS_unlink, file->path, 0, 0, 0, 0, 0);
    return result;
}

/* Makes this process's data file, or joins it. Returns 0 or a negative error; then there is
 * none. */
int cotree_file_open(void)
{
    long result = -EEXIST;
    for (unsigned attempt = 0; attempt < NAMES_TRIED && result == -EEXIST; attempt++)
        result = open_attempt(attempt);
    if (result != 0) {
        cotree_say_error("no profile: cannot create", file->path, result);
        return (int)result;
    }
    for (struct cotree_module *module = cotree_process.modules; module != NULL; module = module->next)
        module->index = UINT32_MAX; /* looked up in this file when it is needed */
    cotree_frames_forget();
    cotree_say("counting into ", file->path, (const char *)NULL);
    return 0;
}
