/*
 * Compression that browsers undo by themselves: the raw deflate format (RFC 1951), made for speed.
 * Of two places that begin with the same four bytes it remembers the later one, and takes the first
 * repetition it meets.
 */
#ifndef COTREE_REPORT_DEFLATE_H
#define COTREE_REPORT_DEFLATE_H

#include "base/buffer.h"

#include <stddef.h>

struct deflater;
struct deflater *deflater_new(void);
void deflater_free(struct deflater *d);
/* Appends a part of a stream, compressed. Parts do not refer to each other: long ones compress
 * better. After the last one a new stream may begin. */
void deflate_add(struct deflater *d, struct buffer *to, const void *data, size_t length, bool last);

#endif
