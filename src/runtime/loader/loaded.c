/*
 * An object that is loaded with RTLD_DEEPBIND, or into a list of its own (dlmopen), finds longjmp
 * in the C library before it finds the runtime's, and jumps unseen. Nothing tells that it did, but
 * its table of functions tells that it could: so tables are read before an object goes away
 * (dlclose), and at the end. An entry that no call has passed so far leads nowhere yet.
 *
 * Objects with counters tell themselves where frames stayed in a call that does not come back
 * (decode/profile/judge.c); of theirs only pointers to such functions matter.
 */
#include "runtime/loader/loaded.h"
#include "runtime/loader/objects.h"
#include "runtime/loader/watched.h"
#include "runtime/runtime.h"

#ifndef COTREE_RUNTIME_EXEC

bool cotree_loaded_leads_past(void)
{
    return false;
}

#else

/* The loader leaves the address of its list in the executable. */
extern const Elf64_Dyn dynamic_section[] __asm__("_DYNAMIC") __attribute__((weak, visibility("hidden")));

/* struct r_debug_extended, which older headers do not have (glibc 2.35): one for each list. */
struct loader_list {
    struct r_debug base;
    const struct loader_list *next; /* if base.r_version is at least 2 */
};

static const struct loader_list *loader_lists(void)
{
    static const struct loader_list *known;
    const struct loader_list *lists = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (lists != NULL)
        return lists;
    for (const Elf64_Dyn *entry = dynamic_section; entry != NULL && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == DT_DEBUG)
            lists = (const struct loader_list *)entry->d_un.d_ptr;
    __atomic_store_n(&known, lists, __ATOMIC_RELAXED);
    return lists;
}

const struct link_map *cotree_loaded_first(void)
{
    const struct loader_list *lists = loader_lists();
    return lists != NULL ? lists->base.r_map : NULL;
}

const struct link_map *cotree_loaded_at(uint64_t address)
{
    struct object object;
    if (!cotree_object_at(address, &object))
        return NULL;
    for (const struct link_map *map = cotree_loaded_first(); map != NULL; map = map->l_next)
        if ((uint64_t)(uintptr_t)map->l_ld - object.start < object.end - object.start)
            return map;
    return NULL;
}

/* ---- what an object defines ---- */

struct tables {
    const Elf64_Sym *symbols;
    const char *names;
    const uint32_t *hash, *gnu_hash; /* one of them may be NULL */
    const Elf64_Rela *calls, *others;
    uint64_t call_count, other_count;
};

/* The loader has added the bias to the values, except where it may not write (the vDSO). */
static const void *address_of(const struct link_map *object, uint64_t value)
{
    return (const void *)(uintptr_t)(value < object->l_addr ? value + object->l_addr : value);
}

static bool tables_of(const struct link_map *object, struct tables *t)
{
    cotree_clear(t, sizeof *t);
    for (const Elf64_Dyn *entry = object->l_ld; entry != NULL && entry->d_tag != DT_NULL; entry++)
        switch (entry->d_tag) {
        case DT_SYMTAB:
            t->symbols = address_of(object, entry->d_un.d_ptr);
            break;
        case DT_STRTAB:
            t->names = address_of(object, entry->d_un.d_ptr);
            break;
        case DT_HASH:
            t->hash = address_of(object, entry->d_un.d_ptr);
            break;
        case DT_GNU_HASH:
            t->gnu_hash = address_of(object, entry->d_un.d_ptr);
            break;
        case DT_JMPREL:
            t->calls = address_of(object, entry->d_un.d_ptr);
            break;
        case DT_PLTRELSZ:
            t->call_count = entry->d_un.d_val / sizeof *t->calls;
            break;
        case DT_RELA:
            t->others = address_of(object, entry->d_un.d_ptr);
            break;
        case DT_RELASZ:
            t->other_count = entry->d_un.d_val / sizeof *t->others;
            break;
        default:
            break;
        }
    return t->symbols != NULL && t->names != NULL;
}

static bool defines(const struct tables *t, const Elf64_Sym *symbol, const char *name)
{
    return symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
           cotree_same_text(t->names + symbol->st_name, name);
}

/* By DT_GNU_HASH: buckets of chains, whose last entry has bit 0. */
static const Elf64_Sym *find_by_gnu_hash(const struct tables *t, const char *name)
{
    uint32_t buckets = t->gnu_hash[0], first = t->gnu_hash[1], filter_words = t->gnu_hash[2], hash = 5381;
    const uint32_t *bucket = t->gnu_hash + 4 + 2 * filter_words, *chain = bucket + buckets;
    for (const char *at = name; *at != '\0'; at++)
        hash = 33 * hash + (uint8_t)*at;
    uint32_t i = buckets != 0 ? bucket[hash % buckets] : 0;
    for (; i >= first && i != 0; i++) {
        uint32_t entry = chain[i - first];
        if ((entry | 1) == (hash | 1) && defines(t, &t->symbols[i], name))
            return &t->symbols[i];
        if ((entry & 1) != 0)
            break;
    }
    return NULL;
}

static void *definition(const struct link_map *object, const struct tables *t, const char *name)
{
    const Elf64_Sym *found = NULL;
    if (t->gnu_hash != NULL)
        found = find_by_gnu_hash(t, name);
    else
        for (uint32_t i = 0; t->hash != NULL && i < t->hash[1] && found == NULL; i++)
            found = defines(t, &t->symbols[i], name) ? &t->symbols[i] : NULL;
    return found != NULL ? (void *)(uintptr_t)(object->l_addr + found->st_value) : NULL;
}

void *cotree_loaded_definition(const struct link_map *object, const char *name)
{
    struct tables t;
    return tables_of(object, &t) ? definition(object, &t, name) : NULL;
}

void *cotree_executable_definition(const char *name)
{
    static struct tables own; /* read when the process starts, which has one thread then */
    static bool is_read;
    const struct link_map *executable = cotree_loaded_first();
    if (executable == NULL)
        return NULL;
    if (!is_read)
        is_read = tables_of(executable, &own);
    return is_read ? definition(executable, &own, name) : NULL;
}

/* ---- what its tables lead to ---- */

WATCHED_LIST(cotree_jumps, WATCHED_JUMPS(WATCHED_ENTRY));

/* Does the entry lead to a function of such a name that is neither the runtime's nor in the object
 * itself? (An entry leads into its own object until it is first passed.) */
static bool passes_by(const struct link_map *object, const struct tables *t, const Elf64_Rela *entry)
{
    if (!cotree_relocation_is_address(ELF64_R_TYPE(entry->r_info)))
        return false;
    const char *name = t->names + t->symbols[ELF64_R_SYM(entry->r_info)].st_name;
    struct watched jump;
    for (const char *at = cotree_jumps; cotree_watched_next(&at, &jump);)
        if (cotree_same_text(name, jump.name)) {
            uint64_t leads_to = *(const uint64_t *)(uintptr_t)(object->l_addr + entry->r_offset);
            if (leads_to == 0 || leads_to == (uint64_t)(uintptr_t)jump.own)
                return false;
            const struct link_map *target = cotree_loaded_at(leads_to);
            return target != object && target != cotree_loaded_first();
        }
    return false;
}

static bool has_counters(const struct link_map *object)
{
    for (const struct cotree_module *m = cotree_process.modules; m != NULL; m = m->next)
        if (m->block_length != 0 && m->bias == object->l_addr)
            return true;
    return false;
}

static bool leads_past_us(const struct link_map *object)
{
    struct tables t;
    if (!tables_of(object, &t))
        return false;
    for (uint64_t i = 0; t.calls != NULL && i < t.call_count; i++)
        if (passes_by(object, &t, &t.calls[i]) && !has_counters(object))
            return true;
    for (uint64_t i = 0; t.others != NULL && i < t.other_count; i++)
        if (passes_by(object, &t, &t.others[i]))
            return true;
    return false;
}

/* The C library and the unwinder have tables that lead past the runtime in every list. */
static bool always_leads_past(const struct link_map *object)
{
    static const char *const systems[] = {"libc.so.", "libpthread.so.", "libgcc_s.so.", "ld-linux",
                                          "linux-vdso"};
    const char *name = object->l_name;
    for (const char *at = object->l_name; *at != '\0'; at++)
        name = *at == '/' ? at + 1 : name;
    for (size_t i = 0; i < sizeof systems / sizeof *systems; i++)
        if (cotree_starts_with(name, systems[i]))
            return true;
    return false;
}

/* Objects that the program was started with found the runtime first: they are not looked at. */
bool cotree_loaded_leads_past(void)
{
    const struct link_map *last = cotree_last_first_object();
    for (const struct loader_list *list = loader_lists(); list != NULL && last != NULL;
         list = list->base.r_version >= 2 ? list->next : NULL) {
        if (list->base.r_state != RT_CONSISTENT)
            continue;
        const struct link_map *map = list == loader_lists() ? last->l_next : list->base.r_map;
        for (; map != NULL; map = map->l_next)
            if (!always_leads_past(map) && leads_past_us(map))
                return true;
    }
    return false;
}

bool cotree_loaded_may_lead_past(void)
{
    const struct link_map *last = cotree_last_first_object();
    return last != NULL && (last->l_next != NULL || loader_lists()->base.r_version >= 2);
}

#endif
