/*
 * What `cotree cc` tells the plugin: one string on clang's command line, so that ccache and
 * everything else that compares command lines sees it:
 *
 *     clang-19 -fplugin=PLUGIN -fpass-plugin=PLUGIN -fno-discard-value-names
 *              -Xclang -mllvm -Xclang -cotree-options=STRING ...
 *
 * -fplugin loads the plugin before clang parses -mllvm, and makes ccache hash its content. -Xclang
 * keeps the option away from the assembler, which would refuse it. -fno-discard-value-names keeps
 * clang's names of blocks until the plugin has seen them: only by their names can blocks that exist
 * for lifetime markers alone be told from blocks of the program. Without it counts are right, but
 * ids at -O1 and above differ from those at -O0. The plugin drops the names when it is done.
 *
 * STRING is a list of key=value pairs separated by ';'. In a value, the characters '%' and ';' and
 * control characters are written as %XX (two hexadecimal digits); instrument_option_add does that.
 * Keys that may repeat are marked with a star.
 *
 *     sets=NAME,NAME...      counter sets, by the names of plan/plan.h, in the order of their counters;
 *                            default "edges"
 *     placement=NAME         how the set `edges` or `blocks` is placed: replaces the first of the two in sets
 *     use=FILE               a merged profile: its counts are the weights, for counters and for LLVM
 *     counters=0             no counters and no map: the unit is compiled plainly, but by the profile of use=
 *     allow-file=GLOB *      if there is one: only functions defined in files that match one of them are
 *                            instrumented
 *     deny-file=GLOB *       functions defined in files that match are not; deny wins over allow
 *     allow-function=GLOB *  the same for names: matched against the linkage name and the source's name
 *     deny-function=GLOB *
 *     prefix-map=OLD=NEW *   file names in the map that begin with OLD begin with NEW instead; the last match
 *                            wins. Not needed for -ffile-prefix-map and -fdebug-prefix-map, which clang
 *                            applies before the plugin sees a name
 *     source-map=OLD=NEW *   the name of the module's source that begins with OLD begins with NEW instead:
 *                            clang does not apply -ffile-prefix-map to it
 *     trace=1                functions record their trace; then sets may be empty
 *     trace-report=1         and every block of theirs calls cotree_block(trace id, block), which the program
 *                            brings along
 *     trace-addresses=1      and they record the addresses of their loads and stores
 *     witness=NAME           where witnesses stand: forest (default), calls, forest-first, predicates, paths,
 *                            packed-bits or log2
 *     crash=1                frames tell how control came to their calls (crash histories); then sets may be
 *                            empty, and the program gets no runtime
 *     crash-paths=GLOB *     ... of functions that match all of the way, whatever it costs
 *     crash-faults=GLOB *    ... and to their loads and stores, too, where that is cheap
 *     crash-functions=GLOB * ... and a byte is set when one of them, ...
 *     crash-calls=GLOB *     ... a block of theirs that calls, ...
 *     crash-blocks=GLOB *    ... or any block of theirs runs (crash/coverage.h)
 *     crash-history=N:GLOB * ... and a ring in the frame holds the last N completed rounds of each loop
 *                            around their calls
 *     crash-tunable=GLOB *   ... and `cotree tune` can turn them off
 *     parts=1                what is counted can be collected in parts (instrument/parts/parts.h)
 *     plan=source            counters stand where the plans of functions put them: final functions
 *                            (instrument/final/final.h) have none of their own
 *     durable=1              every function counts its activations begun and ended, as main does, so that the
 *                            number of unfinished ones is known after SIGKILL, too
 *     paths=SELECTOR *       only these paths are counted (plan/path_selector.h)
 *     path-numbering=NAME    how chosen paths are told apart: all, pspp or compact; default: what is cheapest
 *     paths-hash=HEX *       hash of the content of a profile that a selector names; the plugin ignores it
 *     use-hash=HEX           hash of the content of use=: the command line changes with it; the plugin
 *                            ignores it
 *     plugin-hash=HEX        hash of the plugin's content, with lto; the plugin ignores it
 *     lto=1                  the object is for a linker that compiles (-flto): markers become increments
 *                            there (place/link_time.h)
 *     bitcode=1              the object will be bitcode for another tool (-emit-llvm): passes still follow,
 *                            so increments must be opaque to them
 *     lines=1                locations are in the IR only because cotree asked for them (-Rpass=^$, no -g):
 *                            the plugin removes what they would change in the code
 *     verbose=1              list functions left out and profile mismatches on stderr
 *
 * An unknown key or a malformed value is an error: clang stops with one line that names it.
 */
#ifndef COTREE_INSTRUMENT_OPTIONS_H
#define COTREE_INSTRUMENT_OPTIONS_H

#include "base/buffer.h"
#include "base/error.h"
#include "plan/plan.h"
#include "plan/witness.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define INSTRUMENT_OPTION "cotree-options"
/* Given beside it, if the object is to carry the unit's IR (-fcotree-carry); it changes nothing
 * else, so it is no part of the string. */
#define INSTRUMENT_CARRY_OPTION "cotree-carry"
/* PLACE:NUMBER, where `cotree weave` compiles one unit for several variants. When the unit is
 * instrumented, its digest is written to PLACE.NUMBER.digest, and NUMBER to PLACE.DIGEST; if that
 * file is there already another variant has the same code, and the compilation ends. */
#define INSTRUMENT_SHARE_OPTION "cotree-share"
/* Given where `cotree weave` compiles: the unit's IR comes out of a file that anyone may have made. It is
 * verified once, by the plugin; clang does not do so, which would take several times as long. */
#define INSTRUMENT_WOVEN_OPTION "cotree-woven"

/* Metadata of a module that is instrumented, since passes at link time see it again: the string of
 * options. */
#define INSTRUMENT_DONE_MARK "cotree.instrumented"

struct instrument_names {
    char **items;
    size_t count, capacity;
};

struct prefix_map {
    char *old_prefix, *new_prefix;
};

struct instrument_prefix_maps {
    struct prefix_map *items;
    size_t count, capacity;
};

struct instrument_options {
    enum placement sets[PLACEMENT_HIGHEST];
    size_t set_count;
    char *use;                          /* or NULL */
    struct instrument_names paths;      /* selectors */
    enum path_code_kind path_numbering; /* 0: the cheapest */
    struct instrument_names allow_file, deny_file, allow_function, deny_function;
    struct instrument_names crash_paths, crash_faults, crash_functions, crash_calls, crash_blocks,
        crash_history, crash_tunable;
    struct instrument_prefix_maps prefix_maps, source_maps;
    enum witness_placement witness;
    bool trace, trace_report, trace_addresses, crash;
    bool durable, parts, source_plan, lines_only, lto, bitcode, verbose, no_counters;
};

/* Are crash histories all that is wanted? */
static inline bool instrument_options_crash_alone(const struct instrument_options *o)
{
    return o->crash && !o->set_count && !o->trace;
}

/* The placement of witnesses with this name; 0: there is none. */
static inline enum witness_placement witness_by_name(const char *name)
{
    static const char *const names[] = {"forest", "calls",       "forest-first", "predicates",
                                        "paths",  "packed-bits", "log2"}; /* from WITNESS_FOREST */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return (enum witness_placement)(i + WITNESS_FOREST);
    return (enum witness_placement)0;
}

#ifdef __cplusplus
extern "C" {
#endif
bool instrument_options_parse(struct instrument_options *o, const char *text, struct error *error);
void instrument_options_release(struct instrument_options *o);
/* The path as the maps have it. Newly allocated. */
char *prefix_maps_apply(const struct instrument_prefix_maps *maps, const char *path);
#ifdef __cplusplus
}
#endif

/* Appends "key=value" to the string being built, escaped, with a separator if it is not the
 * first. */
static inline void instrument_option_add(struct buffer *string, const char *key, const char *value)
{
    if (string->length)
        buffer_add_text(string, ";");
    buffer_addf(string, "%s=", key);
    for (; *value; value++) {
        unsigned char c = (unsigned char)*value;
        if (c == '%' || c == ';' || c < 32 || c == 127)
            buffer_addf(string, "%%%02x", c);
        else
            buffer_add(string, &c, 1);
    }
}

#endif
