/*
 * Packs an events file into chunks of its data file, while the program runs (as its follower) or
 * afterwards. The trace is replayed on the way, since a chunk begins with where control stands.
 * Packed parts are taken out of the events file; when the program has ended and everything is
 * packed, the file is removed.
 */
#ifndef COTREE_FOLLOW_PACK_H
#define COTREE_FOLLOW_PACK_H

#include "base/error.h"

/* data: the path of the data file. Returns when its program has ended and everything is packed.
 * False when that cannot be done: the events file stays as it is then. */
bool trace_pack(const char *data, struct error *error);

#endif
