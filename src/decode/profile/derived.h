/*
 * Entries that follow from calls: functions with MAP_FUNCTION_DERIVED have no counter for their
 * entries; the records of their callers say which calls lead there. So callers are solved first,
 * and hand on how often they made each of those calls.
 */
#ifndef COTREE_DECODE_PROFILE_DERIVED_H
#define COTREE_DECODE_PROFILE_DERIVED_H

#include "decode/model/module.h"

/* Finds which functions hand on entries to which, and the order: in module->order each function
 * comes after all that hand it entries. Does so again when functions were added since. */
void derived_link(struct decode_module *m);

/*
 * Hands on what a function called: adds to file.entries or total.entries of its callees.
 * block_counts: what flows into each block. An activation that was cut did not make the calls after
 * its place, and one that was resumed makes only those.
 */
enum derived_sum { DERIVED_FILE, DERIVED_TOTAL };
void derived_hand_on(const struct decode_function *f, const int64_t *block_counts,
                     const struct profile_frames *frames, enum derived_sum sum);

/*
 * By how much the entries of a callee may be wrong because of one call, if the counts of the caller
 * may be wrong by `error`: by that, and by one more for each activation whose place in the block is
 * not known, of which there are no more than that.
 */
int64_t derived_error(int64_t error);

/* How often a call (from 1) of a block was made: a cut activation has made none after where it stands. */
uint64_t derived_calls_made(uint32_t block, uint32_t call, const int64_t *block_counts,
                            const struct profile_frames *frames);

#endif
