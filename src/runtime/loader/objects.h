/*
 * ELF objects of the running program: the executable, libraries, the vDSO (objects.c). Everything
 * but the start is safe in signal handlers.
 */
#ifndef COTREE_RUNTIME_LOADER_OBJECTS_H
#define COTREE_RUNTIME_LOADER_OBJECTS_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>

#define OBJECT_PAGE UINT64_C(4096)

struct object {
    uint64_t start, end;        /* its addresses */
    const uint8_t *frames;      /* .eh_frame_hdr, or NULL */
    const Elf64_Phdr *segments; /* NULL: not known */
    unsigned segment_count;
    uint64_t bias; /* addresses minus those in the file */
};

/* Once, before anything can be loaded later in an executable. */
void cotree_objects_start(void);
/* The last one that the program was started with, in the loader's list; NULL: not known. */
const struct link_map *cotree_last_first_object(void);
/* The object around an address. */
bool cotree_object_at(uint64_t address, struct object *object);
/* The same, of the loader alone, without segments; false, too, if it cannot be asked without a
 * lock. */
bool cotree_object_of_loader(uint64_t address, struct object *object);
/* Does it stay as long as this code does? */
bool cotree_object_is_permanent(const struct object *object);
/* The bytes around an address of the object that may be read. */
bool cotree_object_readable(const struct object *object, uint64_t address, const uint8_t **low,
                            const uint8_t **high);
/* Can the page at this address be read? Asks the kernel. */
bool cotree_is_mapped(uint64_t page);
/* The first thread's stack is one mapping up to here; 0: not known. */
uint64_t cotree_first_stack_end(void);

#endif
