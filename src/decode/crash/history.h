/*
 * Histories: how control came to where each frame of a core stands.
 *
 * A frame is one activation, or several where functions were inlined: innermost first, as debuggers
 * number them. Each activation has a history, in parts that nest: the way through the function to the
 * loop it stands in, the last round of that loop up to the loop inside it, and so on. What happened in
 * earlier rounds is not known, so parts are no continuous way, unless the function keeps rings
 * (-fcotree-crash=history:N): then rounds that were completed since control entered the loop are parts, too,
 * in front of the last round, and how many came before them is known.
 *
 * Invariant: what a part shows did happen, in that order, or is one of `candidates` ways of which one
 * happened; else the part, or the whole history, says why it is not known. (A program that overwrites
 * its stack can forge any number: a part whose number is impossible says so, one whose number is
 * possible is believed.)
 */
#ifndef COTREE_DECODE_CRASH_HISTORY_H
#define COTREE_DECODE_CRASH_HISTORY_H

#include "decode/crash/active.h"
#include "decode/crash/core.h"
#include "decode/model/module.h"
#include "format/slots/slots.h"
#include "plan/crash/rounds.h"
#include "plan/crash/ways.h"

/* A block, or a loop that was left again, that every candidate passes. */
struct history_stop {
    uint32_t block; /* of a loop: the block by which it was entered */
    bool is_loop;
    bool around;   /* of a loop: by which of its heads it was entered is not known; block is one of them */
    bool gap;      /* several ways lead here from the stop before, or from the beginning */
    uint32_t edge; /* by which control came here; GRAPH_NONE: not known, or it begins here */
};

#define HISTORY_UNKNOWN UINT64_MAX

struct history_part {
    uint32_t region;  /* 0: the function; else one of its loops */
    bool completed;   /* it is a round that was completed */
    uint64_t earlier; /* rounds since control entered the loop, before this one; HISTORY_UNKNOWN: not known */
    uint64_t candidates;                        /* UINT64_MAX: so many, or more; 0: not known */
    const char *why;                            /* with 0 candidates: why not */
    struct ARRAY_OF(struct history_stop) stops; /* the last one is where it stands, or the loop
                                                    inside; of a completed round its end */
};

struct history {
    const struct decode_function *f; /* NULL: code that cotree knows nothing of */
    const char *symbol;              /* of such code: the function's name, or NULL */
    uint32_t block, lines;           /* where it stands, and how many of the block's lines had begun */
    bool before;                     /* a signal came before it had begun there */
    const char *why;                 /* why there are no parts, or NULL */
    enum active *active;             /* by block; NULL: not known */
    struct history_parts ARRAY_OF(struct history_part) parts; /* outermost first */
};

struct frame_history {
    const struct core_frame *frame;
    struct ARRAY_OF(struct history) activations; /* one at least */
};

struct thread_history {
    const struct core_thread *thread;
    struct ARRAY_OF(struct frame_history) frames;
};

struct crash_module;
struct crash {
    struct core core;
    struct crash_module *modules; /* as many as the core has */
    struct ARRAY_OF(struct thread_history) threads;
};

/* Where else files may be. */
struct crash_files {
    const char *const *debug_paths; /* as in decode/elf/map.h */
    const char *sysroot;            /* as in core.h */
};
/* frames_most: of each thread. */
bool crash_read(struct crash *c, const char *program, const char *core, const struct crash_files *files,
                size_t frames_most, struct error *error);
void crash_release(struct crash *c);

struct crash_names ARRAY_OF(const char *);
/* The linkage names of functions that surely never ran, as far as coverage bytes tell; false: there are no
 * such bytes. */
bool crash_never_ran(const struct crash *c, struct crash_names *names);

/* Do all parts have one candidate? */
bool history_is_unique(const struct history *h);
/* How many candidates there are for all parts together; 0: not known. */
uint64_t history_candidates(const struct history *h);
/* The line where it stands; NULL: not known. */
const struct map_line *history_line(const struct history *h);

#endif
