/*
 * Single frames that were left before (links.c).
 */
#ifndef COTREE_RUNTIME_FRAMES_LINKS_H
#define COTREE_RUNTIME_FRAMES_LINKS_H

#include "runtime/frames/frames.h"

enum cotree_links {
    COTREE_LINKS_ALL,     /* all frames were counted */
    COTREE_LINKS_MISSING, /* as many were counted as the recording says; there is no link for the next one */
    COTREE_LINKS_NOT_SIMPLE /* the same, but the next one must be walked by its rules */
};
/* Counts the frames from where RECORDING began up to and including the one in which the stack
 * pointer TARGET lies, while they are known. */
enum cotree_links cotree_links_count(struct cotree_recording *recording, uint64_t target);
/* Makes links for these frames. */
void cotree_links_learn(const struct cotree_recording *recording, uint64_t target);

#endif
