/*
 * Slots: which block of the file belongs to which process and thread (format/data/layout.h,
 * invariants 2 and 3), and the list of blocks that are mapped in this process.
 *
 * A block is looked for in this order: one that is free; one whose process has ended and said so; a
 * new one. A block that a killed process left (USED) is never taken: its state is the only sign
 * that it was cut short. A slot that has a block goes from FREE to USED in one step, because counts
 * in a slot that stays CLAIMED are not read.
 */
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include "format/counters.h"
#include "format/data/seal.h"
#include "runtime/file/file.h"

#define ENDED_PROBES 64 /* how many ended processes are looked up before a new block is made */

/* Walks the tables: TABLE is each of them, AT its offset. Each lies after the one before it, so
 * even in a damaged file the walk ends. */
#define FOR_EACH_TABLE(table, at)                                                                            \
    for (uint64_t at = cotree_process.file.header->table; (table = table_at(at)) != NULL;                    \
         at = next_table(table, at))

static struct data_table *table_at(uint64_t offset)
{
    if (offset == 0 || offset % DATA_PAGE != 0)
        return NULL;
    return cotree_file_at(offset, DATA_PAGE);
}

static uint64_t next_table(const struct data_table *table, uint64_t offset)
{
    uint64_t next = __atomic_load_n(&table->next, __ATOMIC_ACQUIRE);
    return next > offset ? next : 0;
}

/* Is the process that ended in this slot really gone? One in another pid namespace cannot be asked:
 * it counts as alive. */
static bool owner_is_gone(const struct data_slot *slot, uint64_t owner)
{
    uint32_t pid = DATA_OWNER_PID(owner);
    if (slot->pid_namespace != cotree_process.pid_namespace)
        return false;
    /* An earlier life of this library, or of this pid; unless this process is about to end. */
    if (pid == cotree_process.pid)
        return cotree_process.ended_as == 0;
    return COTREE_CALL(SYS_kill, pid, 0, 0, 0, 0, 0) == -ESRCH;
}

static bool has_block_for(const struct data_slot *slot, const struct cotree_module *module)
{
    uint64_t offset = slot->offset;
    return offset != 0 && offset % DATA_PAGE == 0 && slot->module == module->index &&
           slot->length == module->block_length;
}

/* A thread that had not counted when its process ended has not counted since. */
static bool stayed_idle(const struct data_slot *slot, const struct cotree_module *module)
{
    const uint64_t *block = slot->idle != 0 ? cotree_file_at(slot->offset, slot->length) : NULL;
    const uint64_t *image = (const uint64_t *)(const void *)module->image;
    if (slot->idle == 0)
        return true;
    return block != NULL && cotree_same_words(block, image, module->counters_length / 8);
}

static bool take(struct data_slot *slot, uint64_t expected, uint32_t state)
{
    uint64_t mine = DATA_OWNER(cotree_process.pid, state);
    return __atomic_compare_exchange_n(&slot->owner, &expected, mine, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

static struct data_slot *taken(struct data_slot *slot)
{
    slot->start_time = cotree_process.start_time;
    slot->pid_namespace = cotree_process.pid_namespace;
    slot->thread = 0;
    slot->idle = 0;
    __atomic_store_n(&slot->seal, 0, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&slot->uses, 1, __ATOMIC_RELAXED);
    return slot;
}

/* A block that others have used must still be one: the file may have been cut short and filled up
 * with zeros. */
static bool is_whole(const struct data_slot *slot, const struct cotree_module *module)
{
    const uint64_t *block = cotree_file_at(slot->offset, slot->length);
    const uint64_t *image = (const uint64_t *)(const void *)module->image;
    uint64_t words = module->counters_length / 8;
    if (block == NULL)
        return false;
    for (uint64_t i = 0; i + COUNTERS_HEADER_WORDS <= words;) {
        if (image[i] == 0) {
            i++;
            continue;
        }
        if (block[i] != image[i] || block[i + 1] != image[i + 1] || image[i + 1] > words)
            return false;
        i += COUNTERS_HEADER_WORDS + image[i + 1];
    }
    return true;
}

static struct data_slot *take_used_before(const struct cotree_module *module)
{
    struct data_table *table;
    FOR_EACH_TABLE(table, at)
    for (unsigned i = 0; i < 63; i++) {
        struct data_slot *slot = &table->slots[i];
        uint64_t owner = __atomic_load_n(&slot->owner, __ATOMIC_ACQUIRE);
        if (DATA_OWNER_STATE(owner) == DATA_FREE && has_block_for(slot, module) &&
            (!cotree_process.file.shared || is_whole(slot, module)) && take(slot, owner, DATA_USED))
            return taken(slot);
    }
    if (!cotree_process.file.shared && !cotree_process.file.joined)
        return NULL;
    unsigned probes = 0;
    FOR_EACH_TABLE(table, at)
    for (unsigned i = 0; i < 63 && probes < ENDED_PROBES; i++) {
        struct data_slot *slot = &table->slots[i];
        uint64_t owner = __atomic_load_n(&slot->owner, __ATOMIC_ACQUIRE);
        if (DATA_OWNER_STATE(owner) < DATA_CLEAN || !has_block_for(slot, module))
            continue;
        probes++;
        if (owner_is_gone(slot, owner) && stayed_idle(slot, module) && is_whole(slot, module) &&
            take(slot, owner, DATA_USED))
            return taken(slot);
    }
    return NULL;
}

static struct data_slot *claim_empty(long *error)
{
    struct data_table *table;
    FOR_EACH_TABLE(table, at)
    {
        for (unsigned i = 0; i < 63; i++) {
            struct data_slot *slot = &table->slots[i];
            uint64_t owner = __atomic_load_n(&slot->owner, __ATOMIC_ACQUIRE);
            if (DATA_OWNER_STATE(owner) == DATA_FREE && slot->offset == 0 && take(slot, owner, DATA_CLAIMED))
                return slot;
        }
        if (__atomic_load_n(&table->next, __ATOMIC_ACQUIRE) == 0) {
            uint64_t offset, none = 0;
            *error = cotree_file_space(DATA_PAGE, &offset);
            if (*error != 0)
                return NULL;
            (void)__atomic_compare_exchange_n(&table->next, &none, offset, false, __ATOMIC_ACQ_REL,
                                              __ATOMIC_RELAXED);
        }
    }
    *error = -ENOMEM;
    return NULL;
}

/* A block of MODULE for this process, its slot USED; or NULL and a negative error. A new one (it
 * has one use) starts as a copy of FIRST, which is the image plus what was counted so far. */
struct data_slot *cotree_slot_claim(struct cotree_module *module, const char *first, long *error)
{
    if (cotree_process.file.header == NULL || cotree_module_in_file(module) != 0) {
        *error = -ENOENT;
        return NULL;
    }
    cotree_unseal();
    struct data_slot *slot = take_used_before(module);
    if (slot != NULL)
        return slot;
    slot = claim_empty(error);
    if (slot == NULL)
        return NULL;
    uint64_t offset;
    char *block = NULL;
    *error = cotree_file_space(module->block_length, &offset);
    if (*error == 0) {
        block = cotree_file_at(offset, module->block_length);
        if (block == NULL)
            *error = -ENOMEM;
    }
    if (block == NULL) {
        __atomic_store_n(&slot->owner, DATA_OWNER(0, DATA_FREE), __ATOMIC_RELEASE);
        return NULL;
    }
    cotree_copy_words(block, first, module->counters_length / 8);
    slot->module = module->index;
    slot->length = module->block_length;
    slot->offset = offset;
    taken(slot);
    __atomic_store_n(&slot->owner, DATA_OWNER(cotree_process.pid, DATA_USED), __ATOMIC_RELEASE);
    return slot;
}

/* Gives the slot its next state. A FREE slot may be taken by any process; its counts stay. */
void cotree_slot_state(struct data_slot *slot, uint32_t state)
{
    __atomic_store_n(&slot->seal, 0, __ATOMIC_SEQ_CST);
    uint32_t pid = state == DATA_FREE ? 0 : cotree_process.pid;
    __atomic_store_n(&slot->owner, DATA_OWNER(pid, state), __ATOMIC_RELEASE);
}

/* ---- seals (seals.c) ---- */

/* Seals what ended threads of this process left. Others may want such a slot meanwhile: it is taken
 * for that. */
void cotree_slots_seal_free(void)
{
    struct data_table *table;
    FOR_EACH_TABLE(table, at)
    for (unsigned i = 0; i < 63; i++) {
        struct data_slot *slot = &table->slots[i];
        uint64_t owner = __atomic_load_n(&slot->owner, __ATOMIC_ACQUIRE);
        if (DATA_OWNER_STATE(owner) != DATA_FREE || slot->offset == 0 || data_is_sealed(slot->seal) ||
            slot->start_time != cotree_process.start_time ||
            slot->pid_namespace != cotree_process.pid_namespace)
            continue;
        const void *block = cotree_file_mapped(slot->offset, slot->length);
        if (block == NULL || !take(slot, owner, DATA_USED))
            continue;
        cotree_seal_slot(slot, block);
        __atomic_store_n(&slot->owner, DATA_OWNER(0, DATA_FREE), __ATOMIC_RELEASE);
    }
}

/* Adds all tables to the hash. Returns it, or 0: some tables cannot be read. */
uint64_t cotree_slots_hash(uint64_t hash)
{
    for (uint64_t at = cotree_process.file.header->table; at != 0;) {
        const struct data_table *table = at % DATA_PAGE == 0 ? cotree_file_mapped(at, DATA_PAGE) : NULL;
        if (table == NULL)
            return 0;
        hash = data_seal_table(hash, table);
        at = next_table(table, at);
    }
    return hash;
}

/* ---- mappings of this process: a list of arrays that only grows; entries are reused ---- */

struct mapping_page {
    struct mapping_page *next;
    struct cotree_mapping entries[32];
};

static struct mapping_page first_page;

/* A free entry, or NULL. The caller fills it, `module` last, and holds the lock. */
struct cotree_mapping *cotree_mapping_new(void)
{
    for (struct mapping_page *page = &first_page;; page = page->next) {
        for (unsigned i = 0; i < 32; i++)
            if (page->entries[i].module == NULL)
                return &page->entries[i];
        if (page->next == NULL) {
            long memory = cotree_mmap(NULL, cotree_whole_pages(sizeof *page), PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (cotree_failed(memory))
                return NULL;
            __atomic_store_n(&page->next, (struct mapping_page *)memory, __ATOMIC_RELEASE);
        }
    }
}

/* The next entry in use; begin with NULL. */
struct cotree_mapping *cotree_mapping_next(struct cotree_mapping *after)
{
    bool found = after == NULL;
    for (struct mapping_page *page = &first_page; page != NULL; page = page->next) {
        unsigned i = 0;
        if (!found) {
            if (after < page->entries || after >= page->entries + 32)
                continue;
            i = (unsigned)(after - page->entries) + 1;
            found = true;
        }
        for (; i < 32; i++)
            if (page->entries[i].module != NULL)
                return &page->entries[i];
    }
    return NULL;
}

/* The thread-local mapping of the thread with this control block, or NULL. */
struct cotree_mapping *cotree_mapping_of_thread(const void *thread)
{
    for (struct mapping_page *page = &first_page; page != NULL; page = page->next)
        for (unsigned i = 0; i < 32; i++)
            if (page->entries[i].module != NULL && page->entries[i].thread == thread)
                return &page->entries[i];
    return NULL;
}

/* Puts ordinary memory, holding the image, where a block was or should have been. */
void cotree_keep_in_memory(char *address, const struct cotree_module *module)
{
    long memory = cotree_mmap(address, module->block_length, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    if (!cotree_failed(memory))
        cotree_copy_words(address, module->image, module->counters_length / 8);
}
