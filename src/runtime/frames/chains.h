/*
 * Frames that were left together before, by a jump from the same place over the same distance
 * (chains.c).
 */
#ifndef COTREE_RUNTIME_FRAMES_CHAINS_H
#define COTREE_RUNTIME_FRAMES_CHAINS_H

#include "runtime/frames/frames.h"

/* Counts the jump, if the same frames were left before. False: nothing was done. There is a
 * file. */
bool cotree_chain_count(struct cotree_recording *recording, uint64_t target, uint64_t resume_at);
/* The jump had to be counted by walking: perhaps it is worth being remembered. */
void cotree_chain_learn(const struct cotree_recording *recording, uint64_t target, uint64_t resume_at);

#endif
