/* ELF files: opened to be read, never mapped, since they may be replaced meanwhile; and which build
 * they are. */
#ifndef COTREE_DECODE_ELF_FILE_H
#define COTREE_DECODE_ELF_FILE_H

#include "base/error.h"

#include <gelf.h>

struct elf_file {
    int fd;
    Elf *elf;
};

bool elf_file_open(struct elf_file *o, const char *path, struct error *error);
void elf_file_close(struct elf_file *o);
/* The build id in hexadecimal, newly allocated; NULL when there is none. */
char *elf_file_build_id(const struct elf_file *o);
/* Is it the module with this identity (decode/elf/map.h), as far as that can be told? */
bool elf_file_is_build(const struct elf_file *o, const char *build_id);

/* Where the section is in memory; false: there is none that is loaded from the file. */
bool elf_file_loaded_section(const struct elf_file *o, const char *name, uint64_t *address, uint64_t *size);

#endif
