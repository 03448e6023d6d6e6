/*
 * The parts of one run, each the run file of one copy (plan/parts/slices.h), become one run file:
 * that of a process whose threads counted what the copies did. Nothing is solved before: a part by
 * itself makes no sense as flow.
 *
 * Parts are joined only if nothing says that the copies did not do the same: they are of one build
 * and one run, each is there once, all ended alike after the same number of switch points,
 * and where one copy handed on to another, the other took over.
 */
#ifndef COTREE_FORMAT_DATA_JOIN_H
#define COTREE_FORMAT_DATA_JOIN_H

#include "format/data/data.h"

/* Does the header say that the file is a part, which means nothing by itself? */
static inline bool data_is_part(const struct data_header *header)
{
    return header->part && header->parts > 1;
}

/* Is the file what parts were joined to? */
static inline bool data_is_joined(const struct data_header *header)
{
    return !header->part && header->parts;
}

/* Writes the joined file; `names` are for the error. */
bool data_join(int to, struct data_file *parts, const char *const *names, size_t count, struct error *error);

#endif
