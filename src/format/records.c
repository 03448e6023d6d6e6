#include "format/records.h"
#include "base/buffer.h"

enum { RECORD_HEAD = 8 }; /* magic, length */

/* The last byte of a magic number is the version. */
static bool is_older(uint32_t found, uint32_t magic)
{
    return (found & 0xffff) == (magic & 0xffff) && found >> 24 >= '2' && found >> 24 < magic >> 24;
}

bool records_read(const struct record_kind *kind, void *to, const void *section, size_t length,
                  struct error *error)
{
    const uint8_t *bytes = section;
    bool ok = true;
    for (size_t at = 0; at < length;) {
        if (!bytes[at]) { /* padding; a record never starts with a zero byte */
            at++;
            continue;
        }
        struct cursor c = cursor_over(bytes + at, length - at);
        uint32_t magic = cursor_u32(&c), size = cursor_u32(&c);
        const uint8_t *record = cursor_bytes(&c, size);
        struct error *first = ok ? error : NULL;
        bool known = magic == kind->magic || magic == kind->other_magic;
        if (!known && is_older(magic, kind->magic))
            return error_set(first, "its table of %s is of an older version of cotree: build it again",
                             kind->name);
        if (!known)
            return error_set(first, "no record of %s at offset %zu", kind->name, at);
        if (!record)
            return error_set(first, "record of %s at offset %zu is cut short", kind->name, at);
        if (!kind->read(to, magic, at, record, size))
            ok = error_set(first, "record of %s at offset %zu is damaged", kind->name, at);
        at += RECORD_HEAD + (size_t)size;
    }
    return ok;
}
