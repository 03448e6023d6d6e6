/*
 * Compression that browsers undo by themselves: the raw deflate format (RFC 1951), made for speed. Of two
 * places that begin with the same four bytes it remembers the later one, and takes the first repetition it
 * meets.
 */
#ifndef COTREE_REPORT_DEFLATE_H
#define COTREE_REPORT_DEFLATE_H

#include "base/buffer.h"

#include <stddef.h>

/* Appends data, compressed. */
void deflate_add(struct buffer *to, const void *data, size_t length);

#endif
