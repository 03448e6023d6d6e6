/*
 * Arithmetic with bounds of errors: a sum with an unknown bound is unknown, and so is one that does
 * not fit. Bounds come from files, so nothing about their size can be trusted.
 */
#ifndef COTREE_DECODE_MODEL_ERROR_BOUNDS_H
#define COTREE_DECODE_MODEL_ERROR_BOUNDS_H

#include "format/profile/profile.h"

static inline int64_t error_plus(int64_t a, int64_t b)
{
    int64_t sum;
    return a < 0 || b < 0 || __builtin_add_overflow(a, b, &sum) ? MAX_ERROR_UNKNOWN : sum;
}

static inline int64_t error_times(int64_t a, int64_t b)
{
    int64_t product;
    return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &product) ? MAX_ERROR_UNKNOWN : product;
}

#endif
