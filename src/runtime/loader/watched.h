/*
 * Watched functions (watched_functions.h) as lists that code goes through: of each its name, and
 * where the runtime's own is. An entry is the distance to the function, in four bytes, and the
 * name: nothing of it is relocated when the program is loaded.
 *
 *     WATCHED_LIST(list, WATCHED_JUMPS(WATCHED_ENTRY));    at file level
 *     struct watched one;
 *     for (const char *at = list; cotree_watched_next(&at, &one);)
 */
#ifndef COTREE_RUNTIME_LOADER_WATCHED_H
#define COTREE_RUNTIME_LOADER_WATCHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "runtime/watched_functions.h"

#define WATCHED_ENTRY(name, ...) ".long cotree_own_" #name " - .\n\t.asciz \"" #name "\"\n\t"
#define WATCHED_LIST(list, entries)                                                                          \
    extern const char list[] __attribute__((visibility("hidden")));                                          \
    __asm__(".section .rodata." #list ",\"a\",@progbits\n\t.hidden " #list "\n" #list ":\n\t" entries        \
            "\n\t.long 0\n\t.text")

struct watched {
    const char *name;
    const void *own;
};

/* The entry at *AT, and past it. False: that was the last one. */
static inline bool cotree_watched_next(const char **at, struct watched *one)
{
    int32_t distance;
    __builtin_memcpy(&distance, *at, sizeof distance);
    one->own = *at + distance;
    one->name = *at += sizeof distance;
    while (distance != 0 && *(*at)++ != '\0')
        ;
    return distance != 0;
}

#endif
