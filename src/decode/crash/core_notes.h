/* The notes of a core file: what the kernel says of threads, the signal and mapped files. */
#ifndef COTREE_DECODE_CRASH_CORE_NOTES_H
#define COTREE_DECODE_CRASH_CORE_NOTES_H

#include "decode/crash/core.h"

#include <gelf.h>

struct core_mapping {
    uint64_t start, end, offset; /* offset in the file */
    char *path;
};

struct core_notes {
    struct ARRAY_OF(struct core_mapping) mappings; /* by address */
    uint64_t headers;                              /* where the program's own headers are (AT_PHDR), or 0 */
};

/* Reads the segments and notes of the core into c and n. */
bool core_notes_read(struct core_notes *n, struct core *c, Elf *elf, struct error *error);
void core_notes_release(struct core_notes *n);

#endif
