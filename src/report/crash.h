/* What `cotree crash` prints: a core with its histories (decode/crash/history.h). */
#ifndef COTREE_REPORT_CRASH_H
#define COTREE_REPORT_CRASH_H

#include "decode/crash/history.h"
#include "report/source.h"

#include <stdio.h>

struct crash_view {
    bool all_threads; /* not only the one that died */
    bool all_frames;  /* of a deep stack, too */
    bool linkage_names;
    bool one_frame;
    size_t frame;       /* if only one is wanted */
    bool source, color; /* of the functions on the stack */
    const struct source_maps *source_maps;
    bool one_thread;
    size_t thread; /* if only one is wanted: its number, from 1, or its id */
};

/* Are the thread and the frame there that the view wants? */
bool report_crash_has(const struct crash *c, const struct crash_view *view, struct error *error);
void report_crash_text(const struct crash *c, const struct crash_view *view, FILE *out);
void report_crash_json(const struct crash *c, FILE *out);
/* The same without the frames in the middle of deep stacks: the frame behind them has the member
 * "skipped", how many numbers of frames there are between. */
void report_crash_json_folded(const struct crash *c, FILE *out);
/* A page; program: the path of the file whose core it is. Of the view it has the frames and where sources
 * are. */
void report_crash_html(const struct crash *c, const char *program, const struct crash_view *view, FILE *out);

/* Of a deep stack so many frames are shown: the innermost and the outermost. How many are not. */
enum { CRASH_INNERMOST = 30, CRASH_OUTERMOST = 10 };
static inline size_t crash_hidden_frames(const struct thread_history *t)
{
    size_t shown = CRASH_INNERMOST + CRASH_OUTERMOST;
    return t->frames.count > shown + 1 ? t->frames.count - shown : 0;
}

/* "SIGSEGV: a null pointer was dereferenced (address 0x10)". Newly allocated. */
char *crash_signal_text(const struct core *c);
/* The same without the signal; NULL: nothing is known. */
char *crash_meaning(const struct core *c);
/* The source of the activation's function: + ran, - did not run, > here it stands. */
void crash_put_source(const struct history *h, const struct crash_view *view, FILE *out);
/* The innermost activation of the thread that died whose line is known; NULL: there is none. */
const struct history *crash_failing(const struct crash *c);
/* The function's name, as the source has it if that is known. Newly allocated. */
char *crash_function_name(const struct history *h, bool linkage_names);
/* What the part is called. */
static inline const char *crash_part_kind(const struct history_part *part)
{
    return part->completed ? "round" : part->region ? "last round" : "way";
}

#endif
