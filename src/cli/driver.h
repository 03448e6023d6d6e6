/*
 * What `cotree cc` knows of the command line it was given, and what it makes of it.
 *
 * The road: words (response files opened) -> what they ask for (struct request) -> what is added ->
 * clang.
 *
 * Invariants:
 *  1. Words that are not cotree's own reach clang unchanged and in their order; cotree's own
 *     (-fcotree...) never reach it.
 *  2. An addition is made only if the step it belongs to will run: clang has no unused argument to
 *     warn about.
 *  3. The same words, files, plugin and directory give the same command: nothing depends on the
 *     time, the process or the environment (but for COTREE_CLANG, which names the compiler).
 */
#ifndef COTREE_CLI_DRIVER_H
#define COTREE_CLI_DRIVER_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/words.h"

#include <stdbool.h>
#include <stddef.h>

/* Makes a command that execve takes: if it is too long, all words from `first` on move into a
 * response file. */
bool words_fit(struct words *command, size_t first, struct error *error);

/* The last step clang will take. */
enum step {
    STEP_NOTHING,    /* only prints something, or has no input */
    STEP_PREPROCESS, /* -E, -M, -MM */
    STEP_CHECK,      /* -fsyntax-only, --analyze, headers to precompile: no code comes out */
    STEP_COMPILE,    /* -c, -S */
    STEP_LINK,
};

enum link_kind {
    LINK_EXECUTABLE,
    LINK_STATIC, /* -static, -static-pie */
    LINK_SHARED,
    LINK_RELOCATABLE, /* -r: another link follows, which adds what is needed */
};

/* What -fcotree-crash= asks for, of some functions. */
enum crash_kind {
    CRASH_PATHS,
    CRASH_FAULTS,
    CRASH_FUNCTIONS,
    CRASH_CALLS,
    CRASH_BLOCKS,
    CRASH_HISTORY,
    CRASH_TUNABLE,
    CRASH_KINDS
};

struct request {
    struct words user; /* the words for clang, in order, response files opened */
    bool reopened;     /* a response file held words of cotree's own: clang must get `user`, not the files */
    bool *dropped;     /* for each word of argv: it is cotree's own */
    enum step step;
    enum link_kind link;
    bool has_source; /* a C or C++ source will be compiled */
    bool has_input;
    bool no_libc;         /* -nostdlib and its kin: the user names every library */
    bool own_unwinder;    /* which library unwinds is the user's choice: -unwindlib=..., -static-libgcc */
    bool probe;           /* a configure check: compiled plainly */
    bool emulated_tls;    /* -femulated-tls: compiled plainly, since counters lie in thread-local storage */
    bool lto, emits_ir;   /* objects are bitcode: -flto, -emit-llvm */
    bool debug_info;      /* -g, in any form that keeps lines */
    bool remarks;         /* the user asked for remarks, so locations are kept already */
    bool lld;             /* the linker is lld, which compiles bitcode whether -flto is there or not */
    bool fat_lto;         /* objects hold code and bitcode: -ffat-lto-objects */
    bool in_parts;        /* functions are to be laid out in parts: -fbasic-block-sections=... */
    bool lto_partitions;  /* the linker is to compile a program in parts */
    bool build_id;        /* the user gave an option for --build-id */
    bool gold;            /* the linker is gold */
    bool folds_code;      /* the linker is to fold functions that look alike into one: --icf=... */
    bool wraps;           /* the next word of the linker is a function to wrap */
    struct words wrapped; /* functions whose calls the linker redirects: --wrap=... */
    bool help;
    bool expands;      /* the output is preprocessed text: -E without -M */
    char *output;      /* of -o, or NULL */
    char *unsupported; /* the word that asks for another target, or NULL */
    char *linker;      /* what -fuse-ld= or --ld-path= names, or NULL */

    /* cotree's own options: */
    bool none;            /* -fcotree=none */
    const char *path_set; /* where paths end: the name of a counter set, or NULL */
    char *sets, *placement, *use, *path_numbering, *witness;
    bool trace_report, trace_addresses, durable, parts, source_plan, verbose;
    bool crash_output;  /* -fcotree-crash=output: static programs can be compared with what is expected */
    bool carry;         /* -fcotree-carry */
    bool carries_link;  /* and this command makes a program that carries its link */
    struct words paths; /* which paths are counted: selectors (plan/path_selector.h) */
    /* Patterns of functions, by what -fcotree-crash= says of them (driver_options.c). */
    struct words crash[CRASH_KINDS];
    struct words allow_files, deny_files, allow_functions, deny_functions;
    struct words files_read;  /* files whose content has become part of the command */
    struct words source_maps; /* OLD=NEW of -ffile-prefix-map */
};

/* Reads the command line (argv[0] is skipped). On failure the error says what is wrong with one of
 * cotree's own options. */
bool request_read(struct request *r, int argc, char **argv, struct error *error);
void request_release(struct request *r);
/* Whether the plugin is needed: sources are to be counted, or compiled by an earlier profile
 * without counters. */
bool request_uses_plugin(const struct request *r);
/* Whether sources are preprocessed and files beside them decide what the object will be:
 * driver_preprocess. */
bool request_marks_text(const struct request *r);

/* Takes a word that begins with -fcotree. */
bool request_take_option(struct request *r, const char *word, struct error *error);
/* Prints cotree's own options. */
void driver_print_help(void);

/* The string for the plugin (instrument/options.h). Fails if a file named there cannot be read. */
bool driver_plugin_options(struct request *r, struct buffer *options, struct error *error);

/* Functions that are to be traced are one piece of code each, whatever clang was told: otherwise readers
 * would not know which calls became jumps. */
bool driver_keeps_whole(const struct request *r);

/* Runs the command, then makes its output depend on the files that were read. Returns the exit
 * status; with an empty error text it is clang's own. */
int driver_preprocess(const struct request *r, const struct buffer *options, const struct words *command,
                      struct error *error);

/* These add the words that put the runtime into the link, before and after those of the user. */
void driver_add_link_first(const struct request *r, const char *library, struct words *command);
void driver_add_link(const struct request *r, const char *library, struct words *command);

/* -fcotree-carry: these enclose cotree's own words of a link, and add those for `cotree-ld`
 * (driver_carry.c). */
void driver_carry_begin(const struct request *r, bool first, struct words *command);
void driver_carry_end(const struct request *r, struct words *command);
void driver_carry_add(const struct request *r, const char *library, struct words *command);
/* Reads what a link is for cotree from the text that a program carries. */
bool driver_read_link(struct request *r, const char *text, struct error *error);

/* Splits the text of a response file into words, as GNU programs quote them. */
void driver_split(const char *text, struct words *words);
/* Returns the whole file as text; NULL if it cannot be read (errno says why). */
char *driver_read_file(const char *path, size_t *length);

/* Whether the next word is the option's argument: `-o FILE`. */
bool driver_takes_argument(const char *option);

#endif
