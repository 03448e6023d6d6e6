/*
 * Entries that follow from calls: functions with MAP_FUNCTION_DERIVED have no counter for them; the records
 * of their callers say which calls lead there. So callers are solved first, and hand on how often they made
 * each of those calls.
 */
#ifndef COTREE_DECODE_PROFILE_DERIVED_H
#define COTREE_DECODE_PROFILE_DERIVED_H

#include "decode/model/module.h"

/* Finds who calls whom, and the order: in module->order each function stands behind all that hand it entries.
 * Again when functions were added since. */
void derived_link(struct decode_module *m);

/*
 * Hands on what a function called: adds to `entries` of its callees, at the given place of struct
 * decode_function (file_entries or total_entries). block_counts: what flows into each block. Of calls behind
 * the place where a frame was cut none was made, and one that was resumed makes only those.
 */
enum derived_sum { DERIVED_FILE, DERIVED_TOTAL };
void derived_hand_on(const struct decode_function *f, const int64_t *block_counts,
                     const struct profile_frames *frames, enum derived_sum sum);

/*
 * Hands on doubts: counts of a caller may be wrong by `error`, so each call of a callee may be wrong by that,
 * and by one more for each activation whose place in the block is not known, of which there are no more than
 * that. Returns by how much the callee's entries may be wrong because of one call.
 */
int64_t derived_error(int64_t error);

/* How often a call (from 1) of a block was made: a cut activation has made none after where it stands. */
uint64_t derived_calls_made(uint32_t block, uint32_t call, const int64_t *block_counts,
                            const struct profile_frames *frames);

#endif
