/*
 * A section of records, as linkers put them together: each begins with a magic number and its length, and
 * between two of them there may be zero bytes.
 *
 * Invariant: sections are untrusted. A record that is damaged is left out, and the others are read; behind
 * what is no record, or is cut short, nothing is.
 */
#ifndef COTREE_FORMAT_RECORDS_H
#define COTREE_FORMAT_RECORDS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct record_kind {
    const char *name;            /* for messages: "places" */
    uint32_t magic, other_magic; /* either of them */
    /* Reads one record, without magic and length; false if it is damaged. offset: in the section. */
    bool (*read)(void *to, uint32_t magic, uint64_t offset, const uint8_t *record, size_t length);
};

/* False, with the first error, if a record could not be read. */
bool records_read(const struct record_kind *kind, void *to, const void *section, size_t length,
                  struct error *error);

#endif
