/* A whole ELF file in memory, whose bytes may be changed: where its sections and its code are in it.
 *
 * Invariant: what is found lies inside the file. */
#ifndef COTREE_DECODE_ELF_IMAGE_H
#define COTREE_DECODE_ELF_IMAGE_H

#include "base/error.h"

#include <gelf.h>
#include <stdint.h>
#include <sys/types.h>

struct elf_image {
    uint8_t *bytes;
    size_t length;
    mode_t mode;
    Elf *elf;
};

bool elf_image_read(struct elf_image *o, const char *path, struct error *error);
void elf_image_release(struct elf_image *o);
/* The content of the section; NULL: there is none, or none in the file. */
uint8_t *elf_image_section(const struct elf_image *o, const char *name, size_t *length);
/* So many bytes of code at this address; NULL: the file does not have them. */
uint8_t *elf_image_code(const struct elf_image *o, uint64_t address, size_t length);

#endif
