/* Build ids and maps of ELF files: decode/elf/map.h. Files are read, never mapped: they may be
 * replaced meanwhile. */
#include "decode/elf/map.h"
#include "base/hash.h"
#include "base/text.h"
#include "decode/elf/file.h"

#include <stdio.h>

struct collector {
    struct elf_module *module;
    struct hash_map keys;
};

static void collect(void *context, struct map_function *f)
{
    struct collector *c = context;
    bool added;
    uint64_t *place = hash_map_put(&c->keys, f->key, &added);
    if (added) {
        *place = c->module->functions.count;
        ARRAY_PUSH(&c->module->functions, *f);
        return;
    }
    /* It is the same inline function of another unit. One definition is enough to make it more than
     * a copy. */
    uint32_t *flags = &c->module->functions.items[*place].flags;
    if (!(f->flags & MAP_FUNCTION_OPTIONAL))
        *flags &= ~(uint32_t)MAP_FUNCTION_OPTIONAL;
    *flags |= f->flags & MAP_FUNCTION_ADDRESS_TAKEN;
    map_function_release(f);
}

static void collect_final(void *context, struct final_function *f)
{
    struct collector *c = context;
    ARRAY_PUSH(&c->module->finals, *f);
}

static int by_key(const void *left, const void *right)
{
    const struct map_function *a = left, *b = right;
    return a->key < b->key ? -1 : a->key > b->key;
}

/* The sections that are wanted, by name. All are taken from one file, wherever that is found. */
struct wanted {
    const char *before; /* sections of this name are taken first, if there are any; or NULL */
    const char *section;
    /* Called with the bytes of one section; NULL, with a reason, when they cannot be read. */
    void (*take)(void *context, const char *section, const void *data, size_t length, const char *reason);
    void *context;
};

/* Hands over every section of the name; true if one of them was not empty. */
static bool take_named(const struct wanted *wanted, const char *wanted_name, Elf *elf)
{
    size_t names;
    bool found = false;
    if (elf_getshdrstrndx(elf, &names) < 0)
        return false;
    for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
        GElf_Shdr header;
        const char *name;
        if (!gelf_getshdr(section, &header) || !(name = elf_strptr(elf, names, header.sh_name)) ||
            strcmp(name, wanted_name) || header.sh_type == SHT_NOBITS || header.sh_size == 0)
            continue;
        if (header.sh_flags & SHF_COMPRESSED && elf_compress(section, 0, 0) < 0) {
            wanted->take(wanted->context, wanted_name, NULL, 0, "cannot be decompressed");
            continue;
        }
        Elf_Data *data = elf_rawdata(section, NULL);
        if (!data || !data->d_buf) {
            wanted->take(wanted->context, wanted_name, NULL, 0, "is cut short");
            continue;
        }
        found = true;
        wanted->take(wanted->context, wanted_name, data->d_buf, data->d_size, NULL);
    }
    return found;
}

static bool take_sections(const struct wanted *wanted, Elf *elf)
{
    if (wanted->before)
        take_named(wanted, wanted->before, elf);
    return take_named(wanted, wanted->section, elf);
}

/* Takes the sections of another file if it is of the same build. */
static bool try_copy(const struct wanted *wanted, const char *build_id, const char *path)
{
    struct elf_file o;
    if (!elf_file_open(&o, path, NULL))
        return false;
    char *id = elf_file_build_id(&o);
    bool found = id && !strcmp(id, build_id) && take_sections(wanted, o.elf);
    free(id);
    elf_file_close(&o);
    return found;
}

static bool try_directory(const struct wanted *wanted, const char *build_id, const char *directory,
                          const char *base)
{
    char path[4096];
    const char *const forms[] = {"%s/%s", "%s/%s.debug"};
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, forms[i], directory, base);
        if (try_copy(wanted, build_id, path))
            return true;
    }
    snprintf(path, sizeof path, "%s/.build-id/%.2s/%s.debug", directory, build_id, build_id + 2);
    return try_copy(wanted, build_id, path);
}

/* Looks where unstripped copies and separate debug files are kept. */
static bool find_copy(const struct wanted *wanted, const char *module, const char *build_id,
                      const char *const *debug_paths)
{
    char path[4096];
    const char *slash = strrchr(module, '/'), *base = slash ? slash + 1 : module;
    if (strlen(build_id) < 3)
        return false; /* a copy could not be recognised */
    for (; debug_paths && *debug_paths; debug_paths++)
        if (try_copy(wanted, build_id, *debug_paths) || try_directory(wanted, build_id, *debug_paths, base))
            return true;
    snprintf(path, sizeof path, "%s.debug", module);
    if (try_copy(wanted, build_id, path))
        return true;
    snprintf(path, sizeof path, "%.*s.debug/%s.debug", (int)(base - module), module, base);
    return try_copy(wanted, build_id, path) || try_directory(wanted, build_id, "/usr/lib/debug", base);
}

static void take_map(void *context, const char *section, const void *data, size_t length, const char *reason)
{
    (void)section;
    struct collector *c = context;
    struct elf_module *m = c->module;
    struct error damage;
    if (!data)
        error_set(&damage, "its map %s", reason);
    else if (map_read_section(data, length, collect, c, &damage) &&
             final_read_section(data, length, collect_final, c, &damage))
        return;
    if (!m->map_damaged)
        m->damage = damage;
    m->map_damaged = true;
}

bool elf_module_read(struct elf_module *m, const char *path, const char *const *debug_paths,
                     struct error *error)
{
    struct elf_file o;
    if (!elf_file_open(&o, path, error))
        return error_prefix(error, "'%s'", path);
    *m = (struct elf_module){.path = memory_string(path)};
    m->build_id = elf_file_build_id(&o);
    bool has_build_id = m->build_id != NULL;
    if (!has_build_id)
        m->build_id = memory_string("");
    struct collector c = {.module = m};
    const struct wanted maps = {.section = MAP_SECTION, .take = take_map, .context = &c};
    m->has_map = take_sections(&maps, o.elf) || find_copy(&maps, path, m->build_id, debug_paths);
    hash_map_release(&c.keys);
    if (m->functions.count)
        qsort(m->functions.items, m->functions.count, sizeof *m->functions.items, by_key);
    map_trace_link(m->functions.items, m->functions.count);
    elf_file_close(&o);
    if (!has_build_id &&
        m->has_map) { /* equal functions make equal maps, whatever the order of linking was */
        struct buffer keys = {0};
        for (size_t i = 0; i < m->functions.count; i++)
            buffer_add_u64(&keys, m->functions.items[i].key);
        struct buffer text = {0};
        buffer_addf(&text, "map:%016llx", (unsigned long long)hash_bytes(keys.data, keys.length));
        free(m->build_id);
        m->build_id = memory_string(buffer_text(&text));
        buffer_release(&text);
        buffer_release(&keys);
    }
    return true;
}

struct places_collector {
    struct place_index *index;
    struct error damage;
    bool damaged;
};

static void take_places(void *context, const char *section, const void *data, size_t length,
                        const char *reason)
{
    struct places_collector *c = context;
    struct error damage;
    if (!data)
        error_set(&damage, "its table of places %s", reason);
    else if (!strcmp(section, POSITIONS_SECTION) ? place_index_add_positions(c->index, data, length, &damage)
                                                 : place_index_add(c->index, data, length, &damage))
        return;
    if (!c->damaged)
        c->damage = damage;
    c->damaged = true;
}

/* Takes the wanted sections of the module, wherever they are found. */
static bool read_wanted(const struct wanted *wanted, const char *what, const char *path, const char *build_id,
                        const char *const *debug_paths, struct error *error)
{
    struct elf_file o;
    if (!elf_file_open(&o, path, error))
        return error_prefix(error, "'%s'", path);
    bool same = elf_file_is_build(&o, build_id);
    bool found = same && (take_sections(wanted, o.elf) || find_copy(wanted, path, build_id, debug_paths));
    elf_file_close(&o);
    if (!same)
        return error_set(error, "'%s' is no longer of build %s", path, build_id);
    return found || error_set(error, "'%s' holds no table of %s", path, what);
}

bool elf_places_read(struct place_index *index, const char *path, const char *build_id,
                     const char *const *debug_paths, bool *damaged, struct error *error)
{
    struct places_collector c = {.index = index};
    const struct wanted places = {
        .before = POSITIONS_SECTION, .section = PLACES_SECTION, .take = take_places, .context = &c};
    *index = (struct place_index){0};
    bool found = read_wanted(&places, "places", path, build_id, debug_paths, error);
    place_index_sort(index);
    *damaged = c.damaged;
    if (found && c.damaged && error)
        *error = c.damage;
    return found && (!c.damaged || error_prefix(error, "'%s'", path));
}

struct slots_collector {
    struct slots_index *index;
    struct error damage;
    bool damaged;
};

static void take_slots(void *context, const char *section, const void *data, size_t length,
                       const char *reason)
{
    struct slots_collector *c = context;
    (void)section;
    if (!data)
        c->damaged = !error_set(&c->damage, "its table of slots %s", reason);
    else if (c->index->units.count)
        c->damaged = !error_set(&c->damage, "slots come in two sections");
    else
        c->damaged = !slots_index_read(c->index, data, length, &c->damage);
}

bool elf_slots_read(struct slots_index *index, const char *path, const char *build_id,
                    const char *const *debug_paths, bool *damaged, struct error *error)
{
    struct slots_collector c = {.index = index};
    const struct wanted slots = {.section = SLOTS_SECTION, .take = take_slots, .context = &c};
    *index = (struct slots_index){0};
    bool found = read_wanted(&slots, "slots", path, build_id, debug_paths, error);
    *damaged = c.damaged;
    if (found && c.damaged && error)
        *error = c.damage;
    return found && (!c.damaged || error_prefix(error, "'%s'", path));
}

void elf_module_release(struct elf_module *m)
{
    for (size_t i = 0; i < m->functions.count; i++)
        map_function_release(&m->functions.items[i]);
    for (size_t i = 0; i < m->finals.count; i++)
        final_function_release(&m->finals.items[i]);
    ARRAY_RELEASE(&m->functions);
    ARRAY_RELEASE(&m->finals);
    free(m->path);
    free(m->build_id);
    *m = (struct elf_module){0};
}
