/*
 * Traces, shown. A stream is regenerated (decode/trace/file.h) into steps; a window cuts out what
 * was asked for; a format makes something of it. One format is one struct trace_format.
 *
 * The position of a step is the number of blocks that the stream executed before it: time, as
 * exports know it.
 */
#ifndef COTREE_REPORT_TRACE_H
#define COTREE_REPORT_TRACE_H

#include "base/progress.h"
#include "decode/trace/addresses.h"
#include "decode/trace/modules.h"
#include "report/filter.h"
#include "report/source.h"

#include <stdio.h>

/* What a step is: an enum replay_item_kind, or one of these. */
enum trace_step_kind {
    TRACE_STEP_FRAME = 16, /* an activation that began before: outermost first, in its place */
    TRACE_STEP_CUT = 17,   /* activations above `depth` are gone */
    /* Another thread (`function`) or handler (of signal `block`) writes. Formats do not get it. */
    TRACE_STEP_OTHER = 19,
    /* Loads and stores of the block, since the step before; with trace_view.addresses. */
    TRACE_STEP_ACCESSES = 20,
    TRACE_STEP_GONE = 18, /* all activations are gone: the thread ended, or a part is lost (then `lost`) */
};
struct trace_step {
    uint32_t kind, function, block, from;
    uint64_t position;
    size_t depth;
    const char *lost; /* GONE: what is lost, or NULL */
    bool is_astray;   /* GONE: the thread died where it is not known how it came to: blocks are missing */
    /* ACCESSES, until the step is over: all of one function and block, or all of unknown ones. */
    struct trace_access *accesses;
    size_t access_count;
};

struct trace_activation {
    uint32_t function, block;
    uint64_t begun;
};
struct trace_stack ARRAY_OF(struct trace_activation);

/* A place in the trace: a position, a function or a line. */
struct trace_spot {
    const char *text; /* NULL: none */
    bool is_position, is_line;
    uint64_t position;
    bool **blocks; /* per function: NULL, or which of its blocks match */
};

struct trace_view {
    const struct trace_program *program;
    char **names; /* per function, as shown */
    const struct source_maps *source_maps;
    bool color, no_source, addresses;
    struct trace_spot from, to, find;
    /* What the list shows: per function NULL, or which of its blocks. NULL: everything. */
    bool **wanted;
    size_t last; /* only the last blocks of that, so many; 0: all */
    FILE *out;
    struct progress *progress; /* or NULL */
};
void trace_view_init(struct trace_view *v, const struct trace_program *program, bool no_demangle);
/* text: POSITION, FILE:LINE or the name of a function; fails when nothing in the program
 * matches. */
bool trace_spot_set(struct trace_spot *spot, const struct trace_view *v, const char *text,
                    struct error *error);
/* Makes the list show what the filter wants only; fails when nothing in the program is. */
bool trace_view_filter(struct trace_view *v, const struct report_filter *filter, struct error *error);
void trace_view_release(struct trace_view *v);

struct trace_format {
    const char *name;
    void *(*begin)(const struct trace_view *v); /* the format's memory */
    /* The steps of a thread, or of a handler of part->signal, follow. */
    void (*stream)(void *memory, const struct trace_file *file, const struct trace_part *part);
    /* Takes a step; stack: as it is before the step (the youngest last). */
    void (*step)(void *memory, struct trace_stack *stack, const struct trace_step *step);
    /* The window is over, and these activations have not ended. NULL: the format does not care. */
    void (*leave)(void *memory, struct trace_stack *stack, uint64_t position);
    void (*end)(void *memory); /* writes what is left, frees */
    /* Control went no further in the block of the last step: so many of its lines have begun. Or
     * NULL. */
    void (*stop)(void *memory, const struct trace_step *step, uint32_t lines);
};
extern const struct trace_format trace_formats[]; /* ends with a NULL name */
const struct trace_format *trace_format_by_name(const char *name);
extern const struct trace_format trace_format_list;

/* Returns the events of all streams, as far as chunks tell. */
uint64_t trace_all_events(const struct trace_file *file);
/* Writes for each thread (or the one that is asked for; 0: all) what it did, what that takes and
 * how it ended. any: set if there was one. Returns false if a part is lost, which is said. */
bool trace_summarize(const struct trace_file *file, const struct trace_modules *modules, uint32_t thread,
                     FILE *out, bool *any);

/* A turn: what one thread, or one of its handlers (of `signal`), wrote of a stream, as positions,
 * the end not included; UINT64_MAX: to the end of the stream. */
struct trace_turn {
    uint32_t thread, signal;
    uint64_t first, end;
};
struct trace_turns ARRAY_OF(struct trace_turn);
void trace_turns_find(struct trace_turns *turns, struct trace_walk *walk);

/* The part of a turn that was asked for: positions, both included. */
struct trace_window {
    uint64_t from, to;
    uint64_t end;                  /* of the turn */
    bool reaches_from, reaches_to; /* control came there; true where nothing was asked for */
    bool shown;                    /* there was something to show */
    uint64_t lost;                 /* parts that could not be looked at */
};
/* Finds the window. Only as much of the stream is regenerated as that needs. */
struct trace_window trace_window(const struct trace_view *v, struct trace_walk *walk,
                                 const struct trace_turn *turn);
/* Regenerates a turn of a stream, or all of it, into a format, through the window. The walk tells
 * what was lost. */
struct trace_window trace_show_stream(const struct trace_view *v, const struct trace_format *format,
                                      void *memory, struct trace_walk *walk, const struct trace_turn *turn);
/* Writes where, within the window, control came to v->find. */
struct trace_window trace_find_stream(const struct trace_view *v, struct trace_walk *walk,
                                      const struct trace_turn *turn);
/* Whether output is lost: its pipe is closed, or the disk is full. */
bool trace_reader_left(const struct trace_view *v);

/* Returns the list of the part's chunks. */
static inline const struct trace_chunk_entry *trace_entries(const struct trace_walk *walk)
{
    return walk->part->chunk_count ? &walk->file->chunks.entries.items[walk->part->first_chunk] : NULL;
}

/* Whether the step is a block that begins. */
static inline bool trace_step_is_block(const struct trace_step *s)
{
    return s->kind == REPLAY_FLOW || s->kind == REPLAY_ENTER || s->kind == REPLAY_ENTER_CALLED ||
           s->kind == REPLAY_LAND;
}

/* "load", "store" or, for both, "update". */
const char *trace_access_name(const struct trace_access *access);

/* Returns the line that a block begins at: its file (as the map has it; NULL: unknown) and its
 * number. */
const char *trace_block_file(const struct map_function *f, uint32_t block, uint32_t *line);
/* Returns the line that a block is shown at (block_place.h). */
const char *trace_block_shown(const struct map_function *f, uint32_t block, uint32_t *line);

/* What a thread, or its handlers of a signal, did: turns of one stream or of several, in order. */
struct trace_sequence {
    struct ARRAY_OF(struct trace_walk) walks; /* of each turn */
    struct trace_turns turns;
};
/* The first place where two sequences differ. trace_compare returns false when there is none. */
struct trace_difference {
    uint64_t position;          /* from the beginning of the sequences */
    uint64_t blocks;            /* if there is none */
    struct trace_step steps[2]; /* what each did there */
    bool ended[2];              /* or that it had ended */
};
bool trace_compare(struct trace_sequence *sequences, struct trace_difference *difference);

#endif
