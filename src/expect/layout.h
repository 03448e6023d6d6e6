/*
 * What `cotree run --abort-at-output` and the processes that it watches share: a file that all of them
 * map. The expected bytes follow the header. It stands alone: what is linked into programs includes it.
 */
#ifndef COTREE_EXPECT_LAYOUT_H
#define COTREE_EXPECT_LAYOUT_H

#include <stdint.h>

/* Names the file. */
#define EXPECT_VARIABLE "COTREE_EXPECT"
/* A static program in which the comparison is linked has a section of this name. */
#define EXPECT_SECTION ".cotree.expect"
#define EXPECT_MAGIC UINT64_C(0x31747865706f7463)

enum { EXPECT_HEADER_SIZE = 4096, EXPECT_STOPPED_SIZE = 32, EXPECT_MESSAGE_SIZE = 256 };

struct expect_state {
    uint64_t magic;
    uint64_t size;           /* of what is expected */
    uint64_t device, inode;  /* of the standard output that is compared */
    uint32_t keep_buffering; /* do not make stdout unbuffered */
    uint32_t started;        /* a process compares */
    uint32_t unusable;       /* a process met a C library whose streams it cannot watch */
    uint32_t wrong;          /* a wrong byte was written */
    uint32_t is_stopped;     /* something was written that cannot be seen; nothing is compared any more: */
    char stopped_by[EXPECT_STOPPED_SIZE]; /* the function that did it */
    uint64_t written;                     /* bytes so far, by all processes */
    char message[EXPECT_MESSAGE_SIZE];    /* which byte is wrong, and how */
};

#endif
