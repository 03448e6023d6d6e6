/*
 * Memory that either exists or ends the process, and arrays that grow.
 *
 * Sizes that come from files are checked against the file's length before they reach these
 * functions; what is left to fail here is a machine out of memory, which ends with one line on
 * stderr and status 1.
 */
#ifndef COTREE_BASE_MEMORY_H
#define COTREE_BASE_MEMORY_H

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Ends the process: a library has found no memory for what takes so much. */
_Noreturn void memory_exhausted(size_t bytes);
void *memory_alloc(size_t count, size_t size);           /* uninitialised; never NULL */
void *memory_zero(size_t count, size_t size);            /* zeroed; never NULL */
void *memory_resize(void *p, size_t count, size_t size); /* realloc with an overflow check */
char *memory_string(const char *s);                      /* copy of s; s == NULL gives NULL */
char *memory_substring(const char *s, size_t length);    /* copy of length bytes, terminated */
/* memcpy; if size is 0 the pointers may be NULL, as those of empty lists are. */
void memory_copy(void *to, const void *from, size_t size);

#define ALLOC(type, count) ((type *)memory_alloc((count), sizeof(type)))
#define ZALLOC(type, count) ((type *)memory_zero((count), sizeof(type)))
#define RESIZE(p, count) ((p) = memory_resize((p), (count), sizeof *(p)))

/* A growable array: declare `struct foo_list ARRAY_OF(struct foo);` and zero-initialise. */
#define ARRAY_OF(type)                                                                                       \
    {                                                                                                        \
        type *items;                                                                                         \
        size_t count, capacity;                                                                              \
    }
/* Makes room for one more item and evaluates to a pointer to it; the item is uninitialised. */
#define ARRAY_ADD(a)                                                                                         \
    ((a)->count == (a)->capacity ? ((a)->capacity = (a)->capacity ? (a)->capacity * 2 : 8,                   \
                                    RESIZE((a)->items, (a)->capacity), &(a)->items[(a)->count++])            \
                                 : &(a)->items[(a)->count++])
#define ARRAY_PUSH(a, value) (*ARRAY_ADD(a) = (value))
#define ARRAY_RELEASE(a) (free((a)->items), (a)->items = NULL, (a)->count = (a)->capacity = 0)

/* Of `count` items in order, the number of the first for which the condition on `i` does not hold; `count`
 * if it holds for all. It must hold for all that come before one for which it holds. */
#define FIRST_WITHOUT(count, i, condition)                                                                   \
    __extension__({                                                                                          \
        size_t low_ = 0, high_ = (count);                                                                    \
        while (low_ < high_) {                                                                               \
            size_t i = low_ + (high_ - low_) / 2;                                                            \
            if (condition)                                                                                   \
                low_ = i + 1;                                                                                \
            else                                                                                             \
                high_ = i;                                                                                   \
        }                                                                                                    \
        low_;                                                                                                \
    })

#endif
