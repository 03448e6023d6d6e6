#include "format/map/units.h"
#include "base/hash.h"
#include "format/packed.h"

#include <stdlib.h>

enum {
    UNIT_HEADER = 24, /* magic, length, version, length of the payload, hash */
    AFTER_LENGTH = 16,
};

void unit_add_record(struct buffer *payload, const struct buffer *record)
{
    buffer_add_varint(payload, record->length);
    buffer_add(payload, record->data, record->length);
}

void unit_write(struct buffer *out, uint32_t magic, uint32_t version, const struct buffer *payload)
{
    struct buffer packed = {0};
    packed_add(&packed, payload->data, payload->length);
    buffer_add_u32(out, magic);
    buffer_add_u32(out, (uint32_t)(packed.length + AFTER_LENGTH));
    buffer_add_u32(out, version);
    buffer_add_u32(out, (uint32_t)payload->length);
    buffer_add_u64(out, hash_bytes(packed.data, packed.length));
    buffer_add(out, packed.data, packed.length);
    buffer_release(&packed);
}

/* Hands over the records of one payload. False, with an error, when a record is damaged; the others
 * are still read. */
static bool read_payload(const struct unit_kind *kind, const uint8_t *data, size_t length,
                         struct error *error)
{
    struct cursor c = cursor_over(data, length);
    bool ok = true;
    while (cursor_left(&c)) {
        size_t size = cursor_count(&c, 1);
        const uint8_t *record = cursor_bytes(&c, size);
        if (!record)
            return ok ? error_set(error, "map unit is cut short") : false;
        ok &= kind->take(kind->context, record, size, ok ? error : NULL);
    }
    return ok;
}

static bool read_packed(const struct unit_kind *kind, const uint8_t *data, size_t length, size_t unpacked,
                        struct error *error)
{
    uint8_t *payload = packed_read(data, length, unpacked);
    if (!payload)
        return error_set(error, "map unit cannot be unpacked");
    bool ok = read_payload(kind, payload, unpacked, error);
    free(payload);
    return ok;
}

/* rest: what follows the length of the unit record at offset `at`. */
static bool read_unit(const struct unit_kind *kind, const uint8_t *rest, size_t size, size_t at,
                      struct error *error)
{
    struct cursor unit = cursor_over(rest, size);
    uint32_t version = cursor_u32(&unit), unpacked = cursor_u32(&unit);
    uint64_t hash = cursor_u64(&unit);
    size_t payload = size - AFTER_LENGTH;
    if (version < kind->oldest || version > kind->newest)
        return error_set(error, "map unit at offset %zu has version %u, this program reads versions %u to %u",
                         at, version, kind->oldest, kind->newest);
    if (hash_bytes(unit.at, payload) != hash)
        return error_set(error, "map unit at offset %zu is damaged (wrong checksum)", at);
    return read_packed(kind, unit.at, payload, version > kind->not_packed ? unpacked : payload, error);
}

bool units_read(const struct unit_kind *kind, const void *data, size_t length, struct error *error)
{
    const uint8_t *bytes = data;
    size_t at = 0;
    bool ok = true;
    while (at < length) {
        if (!bytes[at]) { /* padding; a record never starts with a zero byte */
            at++;
            continue;
        }
        struct cursor c = cursor_over(bytes + at, length - at);
        uint32_t magic = cursor_u32(&c), size = cursor_u32(&c);
        const uint8_t *rest = cursor_bytes(&c, size);
        bool known = magic == MAP_MAGIC || magic == MAP_MAGIC_FINAL;
        if (!known || size < AFTER_LENGTH || !rest) {
            /* From here on nothing can be trusted to start a record. */
            if (ok)
                error_set(error, known ? "map unit at offset %zu is cut short" : "no map unit at offset %zu",
                          at);
            return false;
        }
        if (magic == kind->magic && !read_unit(kind, rest, size, at, ok ? error : NULL))
            ok = false;
        at += (UNIT_HEADER - AFTER_LENGTH) + size;
    }
    return ok;
}
