/* The records and keys of a unit's functions, as its map has them. */
#ifndef COTREE_INSTRUMENT_GRAPH_RECORDS_H
#define COTREE_INSTRUMENT_GRAPH_RECORDS_H

#include "base/buffer.h"
#include "instrument/graph/unit_function.h"

/*
 * Writes the records of all functions, and gives each function its key. A record names the keys of
 * the derived functions that its function calls, so it comes after their records.
 */
void records_write(struct buffer *payload, struct unit_functions *functions);

#endif
