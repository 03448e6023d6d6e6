/*
 * Functions that the compiler calls by itself, to copy or clear a structure for example. The
 * program may have functions of these names, which may count, be traced or do anything: so
 * references of the runtime lead here (arch/x86_64/entries.h).
 */
#include "runtime/system_calls.h"

void *cotree_memcpy(void *to, const void *from, size_t size);
void *cotree_memmove(void *to, const void *from, size_t size);
void *cotree_memset(void *at, int value, size_t size);
int cotree_memcmp(const void *one, const void *other, size_t size);

void *cotree_memcpy(void *to, const void *from, size_t size)
{
    cotree_copy_bytes(to, from, size);
    return to;
}

void *cotree_memmove(void *to, const void *from, size_t size)
{
    if ((uintptr_t)to - (uintptr_t)from >= size) {
        cotree_copy_bytes(to, from, size);
        return to;
    }
    for (size_t i = size; i-- > 0;) {
        ((char *)to)[i] = ((const char *)from)[i];
        __asm__ volatile("" : : : "memory"); /* stays a loop */
    }
    return to;
}

void *cotree_memset(void *at, int value, size_t size)
{
    cotree_fill_bytes(at, value, size);
    return at;
}

int cotree_memcmp(const void *one, const void *other, size_t size)
{
    const unsigned char *a = one, *b = other;
    for (size_t i = 0; i < size; i++) {
        if (a[i] != b[i])
            return a[i] - b[i];
        __asm__ volatile("" : : : "memory"); /* stays a loop */
    }
    return 0;
}
