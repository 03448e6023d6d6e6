/*
 * The records of both sections that a program carries: a magic of eight characters, u32 version, u32
 * 0, u64 length of the body, u64 hash of the body, the body.
 */
#ifndef COTREE_FORMAT_CARRY_RECORD_H
#define COTREE_FORMAT_CARRY_RECORD_H

#include "base/buffer.h"
#include "base/error.h"

struct carry_record {
    const char *magic, *section;
    uint32_t version;
};

void carry_record_add(struct buffer *out, const struct carry_record *kind, const struct buffer *body);
/* Reads a record that begins at the cursor, and sets a cursor over its body, whose hash is right. */
bool carry_record_read(struct cursor *c, const struct carry_record *kind, struct cursor *body,
                       struct error *error);

#endif
