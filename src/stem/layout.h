/*
 * What weaving and a stem say to each other (stem/stem.c): a compiler that has been loaded, and waits to be
 * copied. They are the two ends of a stream of the machine's own numbers; the stem's end is its standard
 * input.
 *
 *     stem:   a pid_t, its own, once it is ready
 *     weave:  a request, with the descriptors of enum stem_descriptor (SCM_RIGHTS), then the words, each
 *             followed by a zero byte
 *     stem:   a pid_t: the copy, a child of weaving; or an errno below zero
 *
 * The copy waits until the other end of STEM_GATE is closed: by then it is in a process group of its own.
 */
#ifndef COTREE_STEM_LAYOUT_H
#define COTREE_STEM_LAYOUT_H

#include <stdint.h>

enum stem_descriptor { STEM_INPUT, STEM_OUTPUT, STEM_ERRORS, STEM_GATE, STEM_DESCRIPTORS };

struct stem_request {
    uint64_t length; /* of the words, in bytes */
    uint64_t count;
};

#endif
