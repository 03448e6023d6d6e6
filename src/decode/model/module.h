/*
 * What the decoder holds in memory: modules, their functions, and for each function the totals of
 * all files and the counts of the file that is being read (decode/model/counts.h).
 */
#ifndef COTREE_DECODE_MODEL_MODULE_H
#define COTREE_DECODE_MODEL_MODULE_H

#include "base/hash.h"
#include "decode/decode.h"
#include "decode/model/counts.h"
#include "decode/model/finals.h"
#include "decode/model/solve.h"
#include "decode/model/standing.h"
#include "format/places/index.h"

struct decode_function;

/* A call of a function whose entries follow from its calls. */
struct derived_site {
    struct decode_function *callee;
    uint32_t block, call;
};

/* To which functions a function hands on entries (decode/profile/derived.h). */
struct derived_calls {
    struct derived_site *sites;
    uint32_t site_count;
    /* While functions are put in order: calls of this one that are not in the order yet. */
    uint32_t callers;
    /* The function is its own caller, by hostile records: its entries are not known. */
    bool entries_unknown;
};

/* What the code of the module and its table of places say of a function
 * (decode/model/call_cycles.h). */
struct code_facts {
    /* Code or data of the module refers to it, other than by a counted call. */
    bool referenced;
    /* It is on a cycle of calls: it may be active several times in one thread. */
    bool on_cycle;
    /* After the count of its end a call is made that is no tail call. */
    bool ends_unsure;
    /* How often one stretch of code counts activations begun or ended, at most. */
    int64_t most_ends;
    /* How much one stretch of code counts, at most; 1 at least. */
    int64_t most_pending;
    /* How many paths one block of code counts, at most; 1 at least. */
    int64_t most_paths;
    /* By counter: some of its counts follow from flow (decode/model/finals.h). Or NULL: none do. */
    bool *flows;
    /* Its counters that were moved out of loops (decode/model/moved.h), or NULL. */
    struct moved_counts *moved;
};

/* The calls of a function by name (decode/profile/least.c). */
struct named_calls {
    /* How many there are. */
    uint32_t uses;
    /* The one function that makes all of them, or NULL. */
    struct decode_function *only_caller;
    /* The block of the call there, if it is one. */
    uint32_t only_block;
    /* The functions of which this one is the only caller: a list. */
    struct decode_function *only_callees, *next_only_callee;
    /* The next function of the same name. */
    struct decode_function *same_name;
};

struct decode_function {
    struct map_function map;
    /* How many counters its array has, over all sets. */
    uint32_t counter_count;
    /* The set whose counts are the profile, or SET_NONE; and its solver. */
    uint32_t set;
    struct solver solver;
    /* Some block or edge (a hazard, a virtual edge) tells that an activation was cut. */
    bool shows_cuts;
    /* Where its counters stand; made when it is first asked for. */
    struct standing standing;
    /* The paths by which traces are counted (decode/trace/paths.h), if it has no path counters;
     * placement 0: none. */
    struct plan trace_paths;
    struct derived_calls derived;
    struct code_facts code;
    struct named_calls calls;
    /* What the file being read says of it, and what all files say together. */
    struct file_counts file;
    struct total_counts total;
};

struct decode_module {
    char *path, *build_id;
    /* Its map was read, or came with merged files; if not, the problem says why. */
    bool known;
    char *problem;
    bool map_damaged;
    /* Some run of it was not exact, by any amount. */
    bool inexact;
    /* In some run counts began in the middle (cotree_reset): activations may have begun before. */
    bool resumed_anywhere;
    /* A part of the trace of some run is lost: any traced code may have run in it. */
    bool trace_lost;
    /* Its functions come from merged files: more may follow. */
    bool merged_only;
    struct decode_functions ARRAY_OF(struct decode_function *) functions;
    /* key -> index + 1 */
    struct hash_map by_key;
    /* Its final functions; key -> index + 1. */
    struct decode_finals ARRAY_OF(struct decode_final *) finals;
    struct hash_map final_by_key;
    /* The functions, callers first, and how many they are (decode/profile/derived.h). */
    struct decode_function **order;
    size_t linked;
    /* Takes the counts of arrays that a damaged map does not know. */
    int64_t *sink;
    uint64_t sink_count;
    /* Read when the first frame count asks for it. */
    struct place_index places;
    bool places_tried, places_known, places_damaged;
    /* code.most_pending, most_paths, most_ends and ends_unsure of its functions are found. */
    bool pending_known;
    /* What follows was looked for, and found (call_cycles.c). */
    bool code_tried, code_known;
    bool exports_known;
    /* Tags of the functions that other modules can find. */
    struct hash_map exports;
    /* The hash of the modules with which code.on_cycle was found, and calls.only_caller. */
    uint64_t cycles_of, callers_of;
    /* One of these modules may install signal handlers. */
    bool handlers;
};

/* Reads the map of an ELF file; a module without a map is not `known`. */
bool decode_module_load(struct decode_module *m, const char *path, const char *const *debug_paths,
                        struct error *error);
/* Begins a module whose functions come from merged files. */
void decode_module_init(struct decode_module *m, const char *path, const char *build_id);
/* Reads the module's table of places, once; false when it has none or it is damaged. */
bool decode_module_places(struct decode_module *m, const char *const *debug_paths);
void decode_module_release(struct decode_module *m);
/* Sorts the functions by key; they may have been added in any order. */
void decode_module_sort(struct decode_module *m);
struct decode_function *decode_module_find(const struct decode_module *m, uint64_t key);
/* Takes the map, which is empty afterwards. */
struct decode_function *decode_module_add(struct decode_module *m, struct map_function *map);

#endif
