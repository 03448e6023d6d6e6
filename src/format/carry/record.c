#include "format/carry/record.h"
#include "base/hash.h"

#include <string.h>

void carry_record_add(struct buffer *out, const struct carry_record *kind, const struct buffer *body)
{
    buffer_add_text(out, kind->magic);
    buffer_add_u32(out, kind->version);
    buffer_add_u32(out, 0);
    buffer_add_u64(out, body->length);
    buffer_add_u64(out, hash_bytes(body->data, body->length));
    buffer_add(out, body->data, body->length);
}

bool carry_record_read(struct cursor *c, const struct carry_record *kind, struct cursor *body,
                       struct error *error)
{
    const uint8_t *magic = cursor_bytes(c, strlen(kind->magic));
    uint32_t version = cursor_u32(c);
    cursor_u32(c);
    uint64_t length = cursor_u64(c), hash = cursor_u64(c);
    if (c->failed || memcmp(magic, kind->magic, strlen(kind->magic)) != 0)
        return error_set(error, "section %s is damaged", kind->section);
    if (version != kind->version)
        return error_set(error, "section %s is of version %u, and this cotree reads version %u",
                         kind->section, version, kind->version);
    const uint8_t *bytes = length <= cursor_left(c) ? cursor_bytes(c, (size_t)length) : NULL;
    if (!bytes || hash_bytes(bytes, (size_t)length) != hash)
        return error_set(error, "section %s is damaged", kind->section);
    *body = cursor_over(bytes, (size_t)length);
    return true;
}
