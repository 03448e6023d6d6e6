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

/* What is done with the references that are found. */
struct elf_references {
    void *context;
    /* Code or data refers to the machine function. */
    void (*refer)(void *context, const struct place_code *to);
    /* Counted code calls or jumps to the machine function; the address is that after the instruction,
     * which has so many bytes. */
    void (*call)(void *context, const struct place_code *from, uint64_t address, unsigned length,
                 const struct place_code *to);
};

/* Looks at all code and data. False: it is not known what they refer to. */
bool elf_code_references(const char *path, const char *build_id, const struct place_index *places,
                         const struct elf_references *found);

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
