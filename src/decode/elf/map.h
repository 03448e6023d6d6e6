/*
 * What an ELF file says about itself: its build id, its map and its table of places. The only place
 * that knows libelf.
 *
 * The identity of a module is its build id (hexadecimal) or, where the linker was told to make
 * none, "map:" and a hash of the map. Sections that were stripped are looked for in unstripped
 * copies and separate debug files; such a file is used only if its build id is the same.
 */
#ifndef COTREE_DECODE_ELF_MAP_H
#define COTREE_DECODE_ELF_MAP_H

#include "base/error.h"
#include "base/memory.h"
#include "format/map/final.h"
#include "format/map/map.h"
#include "format/places/index.h"
#include "format/slots/slots.h"

struct elf_module {
    char *path;
    char *build_id; /* never NULL; "" when there is neither a build id nor a map */
    bool has_map;
    bool map_damaged; /* part of the map could not be read: `damage` */
    struct error damage;
    struct elf_functions ARRAY_OF(struct map_function) functions; /* equal keys once, by key */
    struct elf_finals ARRAY_OF(struct final_function) finals;
};

/*
 * Reads `path`. Fails when it is not an ELF file. A missing map is not a failure (has_map).
 * debug_paths: files or directories, NULL-terminated, or NULL.
 */
bool elf_module_read(struct elf_module *m, const char *path, const char *const *debug_paths,
                     struct error *error);
void elf_module_release(struct elf_module *m);

/*
 * Reads the table of places of the module that was read from `path` before; if another build is
 * there now, it is not used. The index has all that could be read, even when the result is false.
 * damaged: there was more.
 */
bool elf_places_read(struct place_index *index, const char *path, const char *build_id,
                     const char *const *debug_paths, bool *damaged, struct error *error);

/* The same for its table of slots (crash histories). */
bool elf_slots_read(struct slots_index *index, const char *path, const char *build_id,
                    const char *const *debug_paths, bool *damaged, struct error *error);

#endif
