/*
 * Functions that a program may call itself (cotree.h): a copy of the counts so far, and starting
 * over.
 */
#include <errno.h>
#include <fcntl.h>
#include "format/counters.h"
#include "runtime/file/file.h"
#include "runtime/file/frame_counts.h"
#include "runtime/process/process.h"

int cotree_runtime_dump(const char *path);
int cotree_runtime_reset(void);

static long write_all(long descriptor, const char *bytes, uint64_t length)
{
    while (length > 0) {
        long written = COTREE_CALL(SYS_write, descriptor, bytes, length, 0, 0, 0);
        if (written == -EINTR)
            continue;
        if (written <= 0)
            return written < 0 ? written : -ENOSPC;
        bytes += written;
        length -= (uint64_t)written;
    }
    return 0;
}

/*
 * Copies the file page by page as it is now, from memory: it need not be open any more. Space that
 * was given out but never made real has no memory; the kernel says so, and zeros stand for it.
 */
static long copy_file(long to)
{
    static char page[DATA_PAGE];
    uint64_t end = __atomic_load_n(&cotree_process.file.header->end, __ATOMIC_ACQUIRE);
    const char *memory = cotree_file_at(0, end);
    if (memory == NULL)
        return -ENOMEM;
    if (!cotree_file_may_be(end))
        return -EFBIG;
    __atomic_fetch_add(&cotree_process.file.header->dumps, 1, __ATOMIC_RELAXED);
    cotree_copy(page, memory, sizeof page);
    ((struct data_header *)(void *)page)->flags |= DATA_FLAG_DUMPED;
    ((struct data_header *)(void *)page)->seal = 0;
    long error = write_all(to, page, sizeof page);
    cotree_clear(page, sizeof page);
    for (uint64_t offset = DATA_PAGE; offset < end && error == 0; offset += DATA_PAGE) {
        error = write_all(to, memory + offset, DATA_PAGE);
        if (error == -EFAULT)
            error = write_all(to, page, sizeof page);
    }
    return error;
}

/* Writes PATH, replacing it in one step. Returns 0 or an error number. */
int cotree_dump_now(const char *path)
{
    char temporary[COTREE_PATH_MAX];
    if (cotree_process.file.header == NULL)
        return ENOENT;
    size_t at = cotree_append(temporary, sizeof temporary, 0, path);
    at = at < sizeof temporary ? cotree_append(temporary, sizeof temporary, at, ".") : at;
    at = at < sizeof temporary ? cotree_append_number(temporary, sizeof temporary, at, cotree_gettid()) : at;
    at = at < sizeof temporary ? cotree_append(temporary, sizeof temporary, at, ".tmp") : at;
    if (at >= sizeof temporary)
        return ENAMETOOLONG;
    uint64_t mask = cotree_lock();
    long to = cotree_open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    long error = cotree_failed(to) ? to : copy_file(to);
    if (error == 0)
        error = COTREE_CALL(SYS_rename, temporary, path, 0, 0, 0, 0);
    if (!cotree_failed(to)) {
        cotree_close(to);
        if (error != 0)
            (void)COTREE_CALL(SYS_unlink, temporary, 0, 0, 0, 0, 0);
    }
    cotree_unlock(mask);
    return (int)-error;
}

/* Sets the counters of a block to zero; their keys and numbers stay. */
void cotree_clear_counters(uint64_t *block, uint64_t words)
{
    for (uint64_t i = 0; i + COUNTERS_HEADER_WORDS <= words;) {
        if (block[i] == 0) {
            i++;
            continue;
        }
        uint64_t count = block[i + 1];
        i += COUNTERS_HEADER_WORDS;
        if (count > words - i)
            return;
        for (uint64_t end = i + count; i < end; i++)
            __atomic_store_n(&block[i], 0, __ATOMIC_RELAXED);
    }
}

/* Starts the counts of this process over. Not in a shared file: its blocks hold the counts of other
 * runs too. Not where a trace is kept: it begins with the program, and counts are regenerated from
 * it. Returns 0 or an error number. */
int cotree_reset_now(void)
{
    struct data_header *header = cotree_process.file.header;
    if (header == NULL)
        return ENOENT;
    if (cotree_process.file.shared || (header->flags & (DATA_FLAG_POOL | DATA_FLAG_TRACED)) != 0)
        return ENOTSUP;
    uint64_t mask = cotree_lock();
    for (uint64_t offset = header->table; offset != 0;) {
        struct data_table *table = cotree_file_at(offset, DATA_PAGE);
        if (table == NULL)
            break;
        for (unsigned i = 0; i < 63; i++) {
            struct data_slot *slot = &table->slots[i];
            uint64_t *block = slot->offset != 0 ? cotree_file_at(slot->offset, slot->length) : NULL;
            __atomic_store_n(&slot->seal, 0, __ATOMIC_SEQ_CST);
            if (block != NULL)
                cotree_clear_counters(block, slot->length / 8);
        }
        offset = __atomic_load_n(&table->next, __ATOMIC_ACQUIRE);
    }
    cotree_frame_counts_clear();
    cotree_flag(DATA_FLAG_RESET);
    __atomic_fetch_add(&header->resets, 1, __ATOMIC_RELAXED);
    cotree_unlock(mask);
    return 0;
}

int cotree_runtime_dump(const char *path)
{
    return cotree_host != NULL ? cotree_host->dump(path) : cotree_dump_now(path);
}

int cotree_runtime_reset(void)
{
    return cotree_host != NULL ? cotree_host->reset() : cotree_reset_now();
}
