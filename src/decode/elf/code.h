/*
 * How code that is not counted can reach functions that are: which of them the dynamic linker shows
 * to other modules, and which of them code and data of the program refer to other than by a call in
 * counted code. The answers may hold too many functions, never too few.
 */
#ifndef COTREE_DECODE_ELF_CODE_H
#define COTREE_DECODE_ELF_CODE_H

#include "base/hash.h"
#include "format/places/index.h"

/* Adds map_name_tag() of every function that other modules can find by name. False: it is not
 * known. */
bool elf_code_exports(const char *path, const char *build_id, struct hash_map *tags);

/* Calls `refer` for each machine function that is referred to. False: it is not known. */
bool elf_code_references(const char *path, const char *build_id, const struct place_index *places,
                         void (*refer)(void *context, const struct place_code *code), void *context);

/* What the symbol tables of a module say of functions by name. */
struct elf_symbols {
    /* The module has a table of all its symbols: it is not stripped. */
    bool known;
    /* map_name_tag() of functions that are defined in code that is not counted, or in another module. */
    struct hash_map plain;
};
void elf_code_symbols(struct elf_symbols *symbols, const char *path, const char *build_id,
                      const struct place_index *places);
void elf_symbols_release(struct elf_symbols *symbols);

#endif
