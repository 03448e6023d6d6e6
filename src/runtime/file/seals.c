/*
 * Seals (format/data/seal.h): at the end of a process, when none of its threads has a block in use
 * any more, its blocks get a hash, and the file one, by which readers see damage.
 *
 * Nothing may be sealed that changes afterwards: it would look like damage. So the thread that
 * seals makes sure that no code of the program runs unseen from then on, and code that writes after
 * all unseals first: handlers of the program (death/signals.c), threads that were parked and go on
 * (death/stop.c), exec that failed, other processes that come to a pool. Any of these may come at
 * any moment, so a seal is made in two steps: a number that no other process uses is put in its
 * place, and is replaced by the hash only if it is still there when the hash is known. A process
 * that is killed in between has sealed nothing, which does no harm.
 *
 * Functions that a program gives fopencookie write when the C library flushes streams, after every
 * exit handler: with such streams clean ends are not sealed. Nor are those of libraries in plain
 * programs, which end before others that may call them, nor what ThreadSanitizer lets run on.
 */
#include <stdio.h>
#include "format/data/seal.h"
#include "runtime/file/file.h"
#include "runtime/interpose.h"

#ifdef COTREE_RUNTIME_SHARED

void cotree_seal_slot(struct data_slot *slot, const void *block)
{
    (void)slot, (void)block;
}

void cotree_seal(bool (*handlers_unseal)(void))
{
    (void)handlers_unseal;
}

#else

extern char __tsan_init __attribute__((weak));
static bool has_late_output;

#ifdef COTREE_RUNTIME_STATIC
/* Linked only if something in the program calls it. */
extern char fopencookie_is_there __asm__("fopencookie") __attribute__((weak));

static bool may_output_late(void)
{
    return &fopencookie_is_there != NULL || has_late_output;
}
#else
INTERPOSED_WEAKLY(FILE *, fopencookie, (void *, const char *, cookie_io_functions_t))

FILE *INTERPOSE(fopencookie)(void *cookie, const char *mode, cookie_io_functions_t functions)
{
    has_late_output = true;
    return REAL(fopencookie)(cookie, mode, functions);
}

static bool may_output_late(void)
{
    return has_late_output;
}
#endif

/* An even number that no other process uses. */
static uint64_t own_number(void)
{
    static uint64_t seals;
    uint64_t name =
        data_seal_word(data_seal_word(DATA_SEAL_BEGIN, cotree_process.pid), cotree_process.start_time);
    return (data_seal_word(name, __atomic_add_fetch(&seals, 1, __ATOMIC_RELAXED)) | 2) & ~UINT64_C(1);
}

static void replace(uint64_t *seal, uint64_t number, uint64_t hash)
{
    (void)__atomic_compare_exchange_n(seal, &number, hash, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

void cotree_seal_slot(struct data_slot *slot, const void *block)
{
    uint64_t number = own_number(), hash = DATA_SEAL_BEGIN;
    const uint64_t *words = block;
    __atomic_store_n(&slot->seal, number, __ATOMIC_SEQ_CST);
    for (uint64_t page = 0; page < slot->length / DATA_PAGE; page++)
        hash = data_seal_page(hash, page, words + page * DATA_PAGE_WORDS);
    replace(&slot->seal, number, data_seal_of_slot(slot, hash));
}

/* Have all processes that ever counted here ended, and said so? */
static bool is_nobody_left(const struct data_header *header)
{
    return __atomic_load_n(&header->runs_started, __ATOMIC_SEQ_CST) ==
           __atomic_load_n(&header->runs_clean, __ATOMIC_RELAXED) +
               __atomic_load_n(&header->runs_exec, __ATOMIC_RELAXED) +
               __atomic_load_n(&header->runs_exited, __ATOMIC_RELAXED) +
               __atomic_load_n(&header->runs_signalled, __ATOMIC_RELAXED);
}

/* The hash of everything but the blocks; 0: some of it cannot be read. */
static uint64_t hash_file(const struct data_header *header)
{
    uint64_t hash = data_seal_first(DATA_SEAL_BEGIN, (const uint64_t *)(const void *)header, sizeof *header);
    for (uint64_t at = header->modules, before = 0; at > before;) {
        const struct data_module_page *page = cotree_file_mapped(at, DATA_PAGE);
        if (page == NULL)
            return 0;
        hash = data_seal_modules(hash, page);
        before = at;
        at = page->next;
    }
    for (uint64_t at = header->frame_counts, before = 0; at > before;) {
        const struct data_frame_count_page *page = cotree_file_mapped(at, DATA_PAGE);
        if (page == NULL)
            return 0;
        hash = data_seal_frame_counts(hash, page);
        before = at;
        at = page->next;
    }
    return cotree_slots_hash(hash);
}

/* The process ends, and no thread of it has a block in use. Called with the lock, or alone. */
void cotree_seal(bool (*handlers_unseal)(void))
{
    struct data_header *header = cotree_process.file.header;
    if (&__tsan_init != NULL || !cotree_process.accounts ||
        (cotree_process.ended_as == DATA_CLEAN && may_output_late()) ||
        (header->flags & (DATA_FLAG_RAW_FORK | DATA_FLAG_NO_THREAD_HOOKS)) != 0)
        return;
    /* From here on a handler unseals what is sealed, and what is about to be. */
    cotree_process.sealed = true;
    if (!handlers_unseal()) {
        cotree_process.sealed = false;
        return;
    }
    uint64_t number = own_number();
    __atomic_store_n(&header->seal, number, __ATOMIC_SEQ_CST);
    for (struct cotree_mapping *m = cotree_mapping_next(NULL); m != NULL; m = cotree_mapping_next(m))
        cotree_seal_slot(m->slot, m->address);
    cotree_slots_seal_free();
    /* A handler that came meanwhile has taken all seals away, but not those that were made since:
     * the next handler would leave them, and what it counts would look like damage. */
    if (!__atomic_load_n(&cotree_process.sealed, __ATOMIC_SEQ_CST)) {
        cotree_process.sealed = true;
        cotree_unseal();
        return;
    }
    uint64_t hash = is_nobody_left(header) ? hash_file(header) : 0;
    replace(&header->seal, number, hash != 0 ? hash | 1 : 0);
}

#endif

/* Called before something is written after all. Needs no lock; any handler may call it. */
void cotree_unseal(void)
{
    struct data_header *header = cotree_process.file.header;
    if (!cotree_process.sealed || header == NULL)
        return;
    __atomic_store_n(&header->seal, 0, __ATOMIC_SEQ_CST);
    for (struct cotree_mapping *m = cotree_mapping_next(NULL); m != NULL; m = cotree_mapping_next(m))
        __atomic_store_n(&m->slot->seal, 0, __ATOMIC_SEQ_CST);
    cotree_process.sealed = false;
}
