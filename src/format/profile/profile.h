/*
 * A solved profile: the exact counts of a program, or as much as is known of them, and why not
 * more. Its file is the merged profile. report/ sees profiles only; the compiler reads them for
 * weights.
 *
 * Words
 *   cause      why counts are not exact, as a number that can be added up over runs and files
 *   reason     a cause as a sentence
 *   frame      here: how many activations were cut or resumed at one position of a block
 *   way        how far executions of a path got that did not end
 *   least      what is certain of a block of a function that is not exact
 *
 * Example: print how often each function was entered.
 *
 *     struct profile p;
 *     if (!profile_read(&p, "merged.cotree", &error))
 *         return false;
 *     profile_clamp(&p);
 *     for (size_t i = 0; i < p.functions.count; i++)
 *         if (p.functions.items[i].counted)
 *             printf("%s %lld\n", p.functions.items[i].map.name, (long
 *             long)p.functions.items[i].entries);
 *     profile_release(&p);
 *
 * Invariants
 *  1. A merged file stands alone: the parts of the map that its counts need travel with them.
 *  2. Counts of a function that is exact are not negative and conserve flow. Counts of others may
 *     be negative until profile_clamp, so that adding up files stays exact.
 *  3. Causes, run names, frames and ways are there once each; adding one that is there adds to its
 *     number.
 *  4. The order of input files does not matter to the result.
 */
#ifndef COTREE_FORMAT_PROFILE_PROFILE_H
#define COTREE_FORMAT_PROFILE_PROFILE_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "format/map/map.h"

#define MAX_ERROR_UNKNOWN (-1)

/*
 * Causes, the most important first. profile_explain makes sentences of them. Written into merged
 * files: never renumber.
 */
enum profile_cause {
    CAUSE_NONE = 0,
    CAUSE_KILLED = 1,        /* runs that were cut short */
    CAUSE_RUNNING = 2,       /* runs that go on */
    CAUSE_UNKNOWN_OWNER = 3, /* runs of another pid namespace: killed or going on */
    CAUSE_EXITED = 4,        /* _exit, quick_exit, abort */
    CAUSE_EXEC = 5,          /* exec */
    CAUSE_MAIN = 6,          /* exit handlers ran, but main had not returned */
    CAUSE_THREADS = 7,       /* threads alive at the end */
    CAUSE_NO_MAIN = 8,       /* main has no counters: it is not known whether it returned */
    CAUSE_FORKED = 9,        /* children of fork inherit unfinished frames */
    CAUSE_LOST = 10,         /* threads or modules without counters */
    CAUSE_NO_THREAD_HOOKS = 11,
    CAUSE_RAW_FORK = 12,
    CAUSE_RESET = 13,
    CAUSE_DUMPED = 14,
    CAUSE_EARLY = 15,
    CAUSE_CANCELLED = 16,
    CAUSE_LONGJMP = 17, /* from here on `where` is the function and the place */
    CAUSE_THROW = 18,
    CAUSE_LANDED = 19,
    CAUSE_SETJMP = 20,
    CAUSE_ENDED = 21,       /* a call that ends the process or the thread */
    CAUSE_STAYED = 22,      /* an activation that never left */
    CAUSE_LEFT_OUT = 23,    /* where: a module whose counts could not be read */
    CAUSE_MAP = 24,         /* where: a module whose map is damaged */
    CAUSE_UNSOLVED = 25,    /* where: a function whose counters do not determine its counts */
    CAUSE_IMPOSSIBLE = 26,  /* where: a function with a negative or contradicting count */
    CAUSE_SETS = 27,        /* where: a function whose counter sets disagree */
    CAUSE_PLACE = 28,       /* where: a function or module in which a frame was left that cannot be placed */
    CAUSE_FRAMES_LOST = 29, /* frames were left that the runtime could not record */
    CAUSE_LOOP = 30,        /* where: a function left in a loop whose counts are made before it runs */
    CAUSE_TRACE = 31,       /* where: what of a trace is lost */
    CAUSE_PLAIN_BODY = 32,  /* where: an inline function whose body in the program has no counters */
    CAUSE_COPY = 33,        /* where: an inline function of several modules; which of them ran is not known */
    CAUSE_LAST = CAUSE_COPY,
};

struct profile_cause_entry {
    enum profile_cause cause;
    uint64_t runs; /* or threads, for CAUSE_LOST */
    char *where;   /* "" for causes that have no place */
};

struct profile_module {
    char *path;
    char *build_id; /* hexadecimal, "" if unknown */
};

/*
 * Activations that were cut in the middle of a block, or resumed there without having begun (a
 * second return of setjmp, a child of fork). The flow out of a block is the flow into it, minus
 * cuts, plus resumes. But if only its virtual edge leads out of a block, activations that are cut
 * there leave by that edge.
 */
struct profile_frame {
    uint32_t block;
    uint32_t call;  /* calls of the block that were made, the one it stood in included */
    uint32_t lines; /* entries of the block's lines that have begun */
    bool between;   /* it stood after that call, and before the next one */
    int64_t cuts, resumes;
};
struct profile_frames ARRAY_OF(struct profile_frame); /* by block, call, lines, between; each once */

/*
 * How far executions of paths got that did not end (decode/paths/cut_paths.h): the blocks of the
 * path up to there, or, if they are not known, the block where it was left. Ways are found run by
 * run, since sums over runs tell less.
 */
struct profile_way {
    uint32_t *blocks;
    uint32_t block_count;
    uint32_t lines; /* how many entries of the last block's lines had begun, for certain */
    bool from_entry, unknown;
    int64_t count;
};
struct profile_ways { /* each once */
    struct profile_way *items;
    size_t count, capacity;
    struct hash_map index; /* of the first `indexed` items: hash -> index in items */
    size_t indexed;
};

/* What is known, beside its count, of a block of a function that is not exact; for EXIT, of the
 * function's entries. */
struct profile_least {
    int64_t began;     /* how often it began, at least */
    int64_t left;      /* how often all of it was passed, at least */
    bool may_have_run; /* if the count is 0, no counter shows that it did not run */
};

struct profile_function {
    struct map_function map; /* names, files, graph, blocks, plans */
    uint32_t module;         /* index */
    bool counted;            /* false: the function carries no counters; its counts are unknown */
    bool exact;
    enum profile_cause cause; /* of its own, or CAUSE_NONE when the profile's causes are its causes */
    char *why;                /* NULL when exact */
    int64_t max_error;        /* largest possible error of any count here, or MAX_ERROR_UNKNOWN */
    bool has_edges;           /* false: the placement gives block counts only */
    int64_t entries;
    int64_t *block_counts; /* per block; NULL unless counted */
    int64_t *edge_counts;  /* per edge of the complete graph; NULL unless has_edges */
    int64_t *path_counts;  /* by path id, how often it ran to its end; NULL unless paths are counted */
    /* By vertex; NULL: nothing more is known than the counts, or they are exact. */
    struct profile_least *least;
    struct profile_frames frames;
    bool ways_known; /* false: a file that had frames did not say */
    struct profile_ways ways;
};

/* Files of runs that had this COTREE_RUN, or none ("" then). */
struct profile_run_name {
    char *name;
    uint64_t files;
};

/* Files whose runs made the profile inexact (format/profile/files.h). */
struct profile_file {
    char *path;   /* as given */
    uint64_t pid; /* of its process, or of the process that was cut short; 0: there are several */
    char *why;
};
struct profile_files {
    struct profile_file *items; /* by path; only some if there are very many */
    size_t count, capacity;
    uint64_t all; /* how many there are */
};

struct profile {
    char *program;  /* path as given */
    char *build_id; /* hexadecimal */
    char *mode;     /* names of the placements, comma separated: "edges", "edges,every-edge" */
    uint64_t runs;
    struct profile_run_names ARRAY_OF(struct profile_run_name) run_names; /* by name, each once */
    bool exact;
    struct profile_causes ARRAY_OF(struct profile_cause_entry) causes; /* by cause and place, each once */
    struct profile_files inexact_files;
    /* Why it is not exact, the most important reason first; made from the causes. */
    struct profile_reasons ARRAY_OF(char *) reasons;
    struct profile_modules ARRAY_OF(struct profile_module) modules;
    struct profile_functions ARRAY_OF(struct profile_function) functions; /* by module, file, line, name */
};

void profile_release(struct profile *p);
void profile_function_release(struct profile_function *f);

/* Adds to the cause's number of runs; `where` may be NULL. */
void profile_add_cause(struct profile *p, enum profile_cause cause, uint64_t runs, const char *where);
/* Adds to the number of files whose runs had that name. */
void profile_add_run_name(struct profile *p, const char *name, uint64_t files);
/* The causes as one sentence, without what can be done about them. Newly allocated. */
char *profile_causes_text(const struct profile *p);
/* Sets `exact` and `reasons` from the causes, and `why` of each function that is not exact. Call it
 * when all causes are in. */
void profile_explain(struct profile *p);
/* Sorts the functions by module, file, line, name, key. */
void profile_sort(struct profile *p);
/* Adds to the cuts and resumes of that position. */
void profile_frames_add(struct profile_frames *frames, const struct profile_frame *frame);
/* Adds to the count of that way; copies it if it is new. */
void profile_ways_add(struct profile_ways *ways, const struct profile_way *way);
void profile_ways_release(struct profile_ways *ways);
/* Sorts them by their blocks, so that the order of files does not matter. */
void profile_ways_sort(struct profile_ways *ways);
/* Sets what each vertex gains by them (graph/flow.h); `gains` has vertex_count entries. False when
 * all are 0. */
bool profile_frames_gains(const struct profile_frames *frames, const struct graph *g, int64_t *gains);
/* Do activations that are cut in the block leave by its virtual edge, since no other edge leads
 * out? */
bool profile_is_dead_end(const struct graph *g, uint32_t block);
/* Sets how many activations did not return (they were cut, or came to a dead end), and how many
 * were resumed. Without edge counts the first number is not known: -1. */
void profile_function_frames(const struct profile_function *f, int64_t *unfinished, int64_t *resumed);

/* Computes entries and block_counts (how often each block began) from edge_counts; allocates
 * block_counts when it is NULL. */
void profile_function_blocks(struct profile_function *f);
/*
 * Raises the counts of functions that are not exact to 0 and to what is certain, which is nearer to
 * the truth. Called before counts are shown; a merged file keeps them as they are (invariant 2).
 */
void profile_clamp(struct profile *p);

/*
 * Merged files are files of chunks (format/container.h) of kind DATA_KIND_MERGED; readers skip
 * chunks that they do not know. They are described in docs/cotree-profile.5.scd.
 */
bool profile_write(const struct profile *p, const char *path, struct error *error);
bool profile_read(struct profile *p, const char *path, struct error *error);
/* The same from a descriptor that data_open gave, which it closes. Errors are reasons without a
 * name. */
bool profile_read_fd(struct profile *p, int fd, uint64_t size, struct error *error);

#endif
