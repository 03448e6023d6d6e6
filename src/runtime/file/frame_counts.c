/*
 * Frame counts: how often frames were left or resumed, by kind and address (format/data/layout.h).
 *
 * The counts lie in pages of the file. An address is looked up in a cache, then in the pages;
 * entries and pages are taken by compare-and-swap. Nothing here takes a lock or allocates, and a
 * system call is made only when the last page is full: frames are counted in signal handlers, and
 * in the last moments of programs that allow themselves hardly a system call.
 */
#include "runtime/file/frame_counts.h"
#include "runtime/file/file.h"
#include "runtime/loader/loaded.h"
#include "runtime/loader/objects.h"
#include <sys/mman.h>

/* ---- code that counts ---- */

/*
 * The ranges of code that counts. Entries are reused. When a library ends, it is perhaps unloaded,
 * and other code will lie there next; or the program exits, and the library's frames are still on
 * stacks. So its range stays in the list, and is_still_there is asked before it is used.
 */
struct code {
    uint64_t begin, length, bias;
    struct cotree_module *module;
    bool has_ended;
    uint32_t build_id_size; /* copied when it ended */
    uint8_t build_id[DATA_BUILD_ID_MAX];
};

#define CODES_A_PAGE 32u
struct code_page {
    struct code codes[CODES_A_PAGE];
    struct code_page *next;
};
static struct code_page codes;
static unsigned code_count; /* entries that were ever used */

static bool same_build(const struct code *code, const struct cotree_module *module)
{
    if (module->build_id_size != code->build_id_size || module->build_id_size == 0)
        return false;
    for (uint32_t i = 0; i < code->build_id_size; i++)
        if (module->build_id[i] != code->build_id[i])
            return false;
    return true;
}

/* Is the code at this address still that of the library which has ended? Then its struct
 * cotree_module is still where it was. */
static bool is_still_there(const struct code *code, uint64_t address)
{
    struct object object;
    const struct cotree_module *module = code->module;
    uint64_t at = (uint64_t)(uintptr_t)module;
    return cotree_object_at(address, &object) && at >= object.start && at + sizeof *module <= object.end &&
           module->code_begin == code->begin && module->code_length == code->length &&
           same_build(code, module);
}

/* The entry with this number, or NULL: there is no memory for it. Lock held. */
static struct code *code_entry(unsigned number)
{
    struct code_page *page = &codes;
    for (; number >= CODES_A_PAGE; number -= CODES_A_PAGE) {
        if (page->next == NULL) {
            long memory = cotree_mmap(NULL, cotree_whole_pages(sizeof *page), PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (cotree_failed(memory))
                return NULL;
            __atomic_store_n(&page->next, (struct code_page *)memory, __ATOMIC_RELEASE);
        }
        page = page->next;
    }
    return &page->codes[number];
}

__attribute__((minsize)) void cotree_code_add(struct cotree_module *module)
{
    struct code *unused = NULL;
    if (module->code_length == 0)
        return;
    for (unsigned i = 0; i < code_count; i++) {
        struct code *code = code_entry(i);
        bool overlaps = module->code_begin < code->begin + code->length &&
                        code->begin < module->code_begin + module->code_length;
        if (code->has_ended && (overlaps || same_build(code, module)))
            __atomic_store_n(&code->length, 0, __ATOMIC_RELEASE);
        if (code->length == 0)
            unused = code;
    }
    if (unused == NULL)
        unused = code_entry(code_count);
    if (unused == NULL)
        return;
    unused->begin = module->code_begin;
    unused->bias = module->bias;
    unused->module = module;
    unused->has_ended = false;
    __atomic_store_n(&unused->length, module->code_length, __ATOMIC_RELEASE);
    if (unused == code_entry(code_count))
        __atomic_store_n(&code_count, code_count + 1, __ATOMIC_RELEASE);
    cotree_frames_forget();
}

__attribute__((minsize)) void cotree_code_ends(const struct cotree_module *module)
{
    for (unsigned i = 0; i < code_count; i++) {
        struct code *code = code_entry(i);
        if (code->module != module)
            continue;
        code->build_id_size = module->build_id_size;
        cotree_copy(code->build_id, module->build_id, sizeof code->build_id);
        __atomic_store_n(&code->has_ended, true, __ATOMIC_RELEASE);
    }
    cotree_frames_forget();
}

/* The code that holds the address, or NULL. The code is running, so its module is loaded. */
static const struct code *code_at(uint64_t address)
{
    unsigned left = __atomic_load_n(&code_count, __ATOMIC_ACQUIRE);
    for (const struct code_page *page = &codes; left > 0; page = page->next)
        for (unsigned i = 0; i < CODES_A_PAGE && left > 0; i++, left--) {
            const struct code *code = &page->codes[i];
            if (address - code->begin < __atomic_load_n(&code->length, __ATOMIC_ACQUIRE) &&
                (!__atomic_load_n(&code->has_ended, __ATOMIC_ACQUIRE) || is_still_there(code, address)))
                return code;
        }
    return NULL;
}

bool cotree_code_counts(uint64_t address)
{
    return cotree_process.file.header != NULL && code_at(address) != NULL;
}

/* ---- entries ---- */

#define PROBES 16u

struct cotree_frame_count_cache cotree_frame_count_cache[1 << COTREE_FRAME_COUNT_CACHE_BITS];
#define BEING_WRITTEN 1u

static void remember(uint64_t key, struct data_frame_count *entry)
{
    unsigned i = cotree_frame_count_index(key);
    uint64_t before = __atomic_load_n(&cotree_frame_count_cache[i].key, __ATOMIC_RELAXED);
    if (before == BEING_WRITTEN ||
        !__atomic_compare_exchange_n(&cotree_frame_count_cache[i].key, &before, BEING_WRITTEN, false,
                                     __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
        return;
    __atomic_store_n(&cotree_frame_count_cache[i].entry, entry, __ATOMIC_RELEASE);
    __atomic_store_n(&cotree_frame_count_cache[i].key, key, __ATOMIC_RELEASE);
}

uint32_t cotree_frames_generation = 1;
void cotree_frames_forget(void)
{
    for (unsigned i = 0; i < 1 << COTREE_FRAME_COUNT_CACHE_BITS; i++)
        __atomic_store_n(&cotree_frame_count_cache[i].key, 0, __ATOMIC_RELEASE);
    __atomic_fetch_add(&cotree_frames_generation, 1, __ATOMIC_ACQ_REL);
}

void cotree_frames_lost(void)
{
    if (cotree_process.file.header == NULL)
        return;
    cotree_unseal();
    cotree_flag(DATA_FLAG_FRAMES_LOST);
    __atomic_fetch_add(&cotree_process.file.header->frames_lost, 1, __ATOMIC_RELAXED);
}

/* The file no longer says that all frames are recorded. A file that is shared gets that flag again
 * from the next process, so there the frames count as lost. */
void cotree_only_noted(void)
{
    struct cotree_file *file = &cotree_process.file;
    cotree_process.always_flagged &= ~(uint32_t)DATA_FLAG_FRAMES;
    if (file->header == NULL)
        return;
    __atomic_fetch_and(&file->header->flags, ~(uint32_t)DATA_FLAG_FRAMES, __ATOMIC_RELAXED);
    if (file->shared)
        cotree_flag(DATA_FLAG_FRAMES_LOST);
}

void cotree_frames_check_objects(void)
{
    if (cotree_process.file.header != NULL && (cotree_process.always_flagged & DATA_FLAG_FRAMES) != 0 &&
        cotree_loaded_leads_past())
        cotree_frames_lost();
}

static struct data_frame_count *find_in_page(struct data_frame_count_page *page, uint64_t kind_and_address)
{
    unsigned at = (unsigned)(kind_and_address % DATA_FRAME_COUNTS_A_PAGE);
    for (unsigned probe = 0; probe < PROBES; probe++) {
        struct data_frame_count *entry = &page->counts[at];
        uint64_t seen = __atomic_load_n(&entry->kind_and_address, __ATOMIC_ACQUIRE);
        if (seen == 0 && __atomic_compare_exchange_n(&entry->kind_and_address, &seen, kind_and_address, false,
                                                     __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            return entry;
        if (seen == kind_and_address)
            return entry;
        at = at + 1 == DATA_FRAME_COUNTS_A_PAGE ? 0 : at + 1;
    }
    return NULL;
}

/* The page that LINK leads to, or a new one if it leads to none; NULL: there is no room. Each page
 * lies after the one before it, so even in a damaged file the walk ends. */
static struct data_frame_count_page *next_page(uint64_t *link, uint64_t *before)
{
    uint64_t offset = __atomic_load_n(link, __ATOMIC_ACQUIRE);
    if (offset == 0) {
        uint64_t none = 0;
        if (cotree_in_sandbox() || cotree_file_space(DATA_PAGE, &offset) != 0)
            return NULL;
        if (!__atomic_compare_exchange_n(link, &none, offset, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            offset = none; /* another thread was faster: the new page stays empty */
    }
    if (offset % DATA_PAGE != 0 || offset <= *before)
        return NULL;
    *before = offset;
    return cotree_file_at(offset, DATA_PAGE);
}

static struct data_frame_count *find_in_file(uint64_t kind_and_address)
{
    cotree_unseal();
    struct data_frame_count *entry = NULL;
    uint64_t *link = &cotree_process.file.header->frame_counts, before = 0;
    while (entry == NULL) {
        struct data_frame_count_page *page = next_page(link, &before);
        if (page == NULL)
            break;
        entry = find_in_page(page, kind_and_address);
        link = &page->next;
    }
    if (entry == NULL)
        cotree_frames_lost();
    return entry;
}

static bool at_next_instruction(uint32_t kind)
{
    return kind == DATA_FRAME_CUT_AT || kind == DATA_FRAME_RESUME_AT;
}

struct data_frame_count *cotree_frame_count_find(uint32_t kind, uint64_t pc)
{
    /* A call may be the last instruction of the code: its return address lies after the code. */
    const struct code *code = code_at(at_next_instruction(kind) ? pc : pc - 1);
    struct data_frame_count *entry = NULL;
    if (code != NULL) {
        struct cotree_module *module = code->module;
        if (cotree_module_in_file(module) == 0 && module->index <= UINT16_MAX)
            entry = find_in_file(DATA_FRAME_KIND_AND_ADDRESS(kind, module->index, pc - code->bias));
        else
            cotree_frames_lost();
        if (entry == NULL || code->has_ended)
            return entry;
    }
    remember(cotree_frame_count_key(kind, pc), entry);
    return entry;
}

uint64_t *cotree_frame_counter(uint32_t kind, uint64_t pc, bool *stays)
{
    const struct code *code = code_at(at_next_instruction(kind) ? pc : pc - 1);
    struct data_frame_count *entry = code != NULL ? cotree_frame_count_at(kind, pc) : NULL;
    *stays = code == NULL || (entry != NULL && !__atomic_load_n(&code->has_ended, __ATOMIC_ACQUIRE));
    return entry != NULL ? &entry->count : NULL;
}

void cotree_frame_count(uint32_t kind, uint64_t pc)
{
    struct data_frame_count *entry =
        cotree_process.file.header != NULL ? cotree_frame_count_at(kind, pc) : NULL;
    if (entry != NULL)
        __atomic_fetch_add(&entry->count, 1, __ATOMIC_RELAXED);
}

__attribute__((minsize)) void cotree_frame_counts_clear(void)
{
    uint64_t offset = cotree_process.file.header->frame_counts, before = 0;
    while (offset > before && offset % DATA_PAGE == 0) {
        struct data_frame_count_page *page = cotree_file_at(offset, DATA_PAGE);
        if (page == NULL)
            return;
        for (unsigned i = 0; i < DATA_FRAME_COUNTS_A_PAGE; i++)
            __atomic_store_n(&page->counts[i].count, 0, __ATOMIC_RELAXED);
        before = offset;
        offset = __atomic_load_n(&page->next, __ATOMIC_ACQUIRE);
    }
}
