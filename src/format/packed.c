#include "format/packed.h"
#include "base/memory.h"

#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

enum { LEVEL = 3 }; /* 6 saves 4 %, and costs the compiler three times as much */

void packed_add(struct buffer *out, const void *bytes, size_t length)
{
    size_t room = ZSTD_compressBound(length);
    uint8_t *packed = ALLOC(uint8_t, room);
    size_t size = ZSTD_compress(packed, room, bytes, length, LEVEL);
    bool smaller = !ZSTD_isError(size) && size < length && length / PACKED_MOST_TIMES < size;
    buffer_add(out, smaller ? packed : bytes, smaller ? size : length);
    free(packed);
}

uint8_t *packed_read(const void *bytes, size_t length, size_t unpacked)
{
    if (unpacked < length || unpacked / PACKED_MOST_TIMES > length)
        return NULL;
    uint8_t *result = ALLOC(uint8_t, unpacked);
    if (unpacked == length) {
        if (length)
            memcpy(result, bytes, length);
        return result;
    }
    size_t size = ZSTD_decompress(result, unpacked, bytes, length);
    if (size == unpacked) /* errors are larger than any size */
        return result;
    if (ZSTD_isError(size) && ZSTD_getErrorCode(size) == ZSTD_error_memory_allocation)
        memory_exhausted(unpacked);
    free(result);
    return NULL;
}
