/*
 * Makes variants of a program from what it carries: compiles its units, several at a time and the
 * largest first, then links each variant.
 *
 * Invariants
 *  1. Nothing of the program, and nothing outside a new directory and the outputs, is written.
 *  2. An output appears under its name when it is whole, by a rename; until then it has another.
 *  3. No shell is run, and no word of the program reaches another one that was not checked
 *     (carrying_program_missing): the caller has made sure that nothing is missing.
 */
#ifndef COTREE_WEAVE_BUILD_H
#define COTREE_WEAVE_BUILD_H

#include "weave/program.h"

enum { WEAVE_UNIT_KINDS = 4 }; /* by enum carry_unit_flag */

struct weave_variant {
    char *output;
    char *options[WEAVE_UNIT_KINDS]; /* what the plugin is told (instrument/options.h), by the unit's flags */
    bool keeps_whole;                /* functions are one piece of code each, whatever units ask for */
    struct words first, after;       /* cotree's own words for the linker */
    struct words read;               /* files that the options name */
};

struct weave_order {
    struct weave_variant *variants;
    size_t variant_count;
    unsigned jobs;
    bool verbose; /* print the commands */
};

/* False, with the reason. No output is left that is not whole; those of variants before it stay. */
bool weave_build(struct carrying_program *p, const struct weave_tools *tools, const struct weave_order *order,
                 struct error *error);

#endif
