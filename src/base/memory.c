#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void memory_exhausted(size_t bytes)
{
    fprintf(stderr, "cotree: out of memory (%zu bytes wanted)\n", bytes);
    exit(1);
}

static void *checked(void *p, size_t bytes)
{
    if (!p)
        memory_exhausted(bytes);
    return p;
}

static size_t product(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        checked(NULL, SIZE_MAX);
    return bytes ? bytes : 1;
}

void *memory_alloc(size_t count, size_t size)
{
    size_t bytes = product(count, size);
    return checked(malloc(bytes), bytes);
}

void *memory_zero(size_t count, size_t size)
{
    size_t bytes = product(count, size);
    return checked(calloc(1, bytes), bytes);
}

void *memory_resize(void *p, size_t count, size_t size)
{
    size_t bytes = product(count, size);
    return checked(realloc(p, bytes), bytes);
}

char *memory_string(const char *s)
{
    return s ? memory_substring(s, strlen(s)) : NULL;
}

char *memory_substring(const char *s, size_t length)
{
    char *copy = ALLOC(char, length + 1);
    memcpy(copy, s, length);
    copy[length] = 0;
    return copy;
}

void memory_copy(void *to, const void *from, size_t size)
{
    if (size)
        memcpy(to, from, size);
}
