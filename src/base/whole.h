/* Writing and copying to the last byte, whatever signals come between. All return false, with errno, if
 * that cannot be done. */
#ifndef COTREE_BASE_WHOLE_H
#define COTREE_BASE_WHOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From where the descriptor stands: it may be a pipe. */
bool write_whole(int fd, const void *bytes, size_t length);
bool write_whole_at(int fd, const void *bytes, size_t length, uint64_t offset);
/* Copies what is left to read of `from`. */
bool copy_whole(int from, int to);

#endif
