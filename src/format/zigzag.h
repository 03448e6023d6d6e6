/* Signed differences of 32-bit numbers, zigzag, with room for tag bits below. */
#ifndef COTREE_FORMAT_ZIGZAG_H
#define COTREE_FORMAT_ZIGZAG_H

#include "base/buffer.h"

static inline uint64_t zigzag(uint32_t from, uint32_t to)
{
    int64_t delta = (int64_t)to - (int64_t)from;
    return ((uint64_t)delta << 1) ^ (delta < 0 ? UINT64_MAX : 0);
}

/* from + delta; anything outside [0, limit) fails the cursor and gives 0. */
static inline uint32_t unzigzag(struct cursor *c, uint32_t from, uint64_t coded, uint64_t limit)
{
    int64_t delta = (int64_t)((coded >> 1) ^ (coded & 1 ? UINT64_MAX : 0));
    if (delta < -(int64_t)UINT32_MAX || delta > (int64_t)UINT32_MAX) {
        c->failed = true;
        return 0;
    }
    int64_t value = (int64_t)from + delta;
    if (value < 0 || (uint64_t)value >= limit) {
        c->failed = true;
        return 0;
    }
    return (uint32_t)value;
}

#endif
