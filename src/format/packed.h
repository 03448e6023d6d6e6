/*
 * Bytes that are written packed (zstd) where that makes them smaller. The format that holds them
 * stores how many bytes there were; if there are as many still, they are not packed. Nothing is
 * packed to less than 1/PACKED_MOST_TIMES, so that a small damaged file cannot ask for much memory.
 */
#ifndef COTREE_FORMAT_PACKED_H
#define COTREE_FORMAT_PACKED_H

#include "base/buffer.h"

#define PACKED_MOST_TIMES 255

void packed_add(struct buffer *out, const void *bytes, size_t length);
/* Newly allocated, `unpacked` bytes long; NULL when they are damaged. */
uint8_t *packed_read(const void *bytes, size_t length, size_t unpacked);

#endif
