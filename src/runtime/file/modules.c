/*
 * Records of modules in the file: which block is of which module.
 */
#include <errno.h>
#include "runtime/file/file.h"

static bool same_module(const struct data_module *record, const struct cotree_module *module)
{
    if (__atomic_load_n(&record->state, __ATOMIC_ACQUIRE) != 2 ||
        record->build_id_size != module->build_id_size ||
        record->counters_length != module->counters_length || record->block_length != module->block_length)
        return false;
    for (uint32_t i = 0; i < module->build_id_size; i++)
        if (record->build_id[i] != module->build_id[i])
            return false;
    if (module->build_id_size == 0)
        for (size_t i = 0; i < sizeof record->path; i++) {
            if (record->path[i] != module->path[i])
                return false;
            if (record->path[i] == '\0')
                break;
        }
    return true;
}

/* Fills in a record. What it says depends on the build only, so several processes may write the
 * first one at once. */
void cotree_module_describe(struct data_module *record, const struct cotree_module *module)
{
    record->build_id_size = module->build_id_size;
    cotree_copy(record->build_id, module->build_id, sizeof record->build_id);
    record->block_length = module->block_length;
    record->counters_length = module->counters_length;
    cotree_copy(record->path, module->path, sizeof record->path);
    __atomic_store_n(&record->state, 2, __ATOMIC_RELEASE);
}

/* The record goes from 0 to 1 to 2; one whose writer died in between stays unused. */
static bool describe(struct data_module *record, const struct cotree_module *module)
{
    uint32_t none = 0;
    if (!__atomic_compare_exchange_n(&record->state, &none, 1, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return false;
    cotree_module_describe(record, module);
    return true;
}

/* Finds or makes the module's number in the file. Returns 0 or a negative error. Needs no lock: two
 * threads may at worst make two records. */
int cotree_module_in_file(struct cotree_module *module)
{
    if (__atomic_load_n(&module->index, __ATOMIC_RELAXED) != UINT32_MAX)
        return 0;
    struct data_header *header = cotree_process.file.header;
    const struct data_module *first = (const struct data_module *)((const char *)header + DATA_MODULE_OFFSET);
    /* An executable's two ranges can be of one length; its thread-local one is always the first. */
    bool may_be_first = module == cotree_process.modules || !cotree_process.modules->thread_local_range;
    if (may_be_first && same_module(first, module)) {
        __atomic_store_n(&module->index, 0, __ATOMIC_RELAXED);
        return 0;
    }
    uint64_t *link = &header->modules, before = 0;
    for (uint32_t number = 1;; number += 7) {
        uint64_t offset = __atomic_load_n(link, __ATOMIC_ACQUIRE);
        if (offset == 0) {
            uint64_t none = 0;
            int error = cotree_file_space(DATA_PAGE, &offset);
            if (error != 0)
                return error;
            if (!__atomic_compare_exchange_n(link, &none, offset, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
                offset = none;
        }
        struct data_module_page *page = cotree_file_at(offset, DATA_PAGE);
        if (page == NULL || offset % DATA_PAGE != 0 || offset <= before)
            return -EINVAL;
        before = offset;
        for (uint32_t i = 0; i < 7; i++)
            if (same_module(&page->modules[i], module) || describe(&page->modules[i], module)) {
                __atomic_store_n(&module->index, number + i, __ATOMIC_RELAXED);
                return 0;
            }
        link = &page->next;
    }
}
