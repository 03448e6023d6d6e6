/*
 * The options of a command as one table: what each is called, where its value goes, and what --help
 * says of it. A command writes
 *
 *     const struct command_option options[] = {
 *         {.heading = "What to show"},
 *         FILTER_OPTIONS(&q->filter),                               (cli/shared_options.h)
 *         {"top", .count = &q->top, .value = "N", .help = "only the first N functions"},
 *         {0},
 *     };
 *     if (!options_parse(&about, options, argc, argv, &q->help, error)) ...
 *
 * and has parsing, messages and --help from it. It is built on getopt_long: options may follow
 * other words, may be abbreviated, and end with "--". Every command has -h and --help.
 */
#ifndef COTREE_CLI_OPTIONS_H
#define COTREE_CLI_OPTIONS_H

#include "base/error.h"
#include "base/memory.h"

#include <stdio.h>

struct option_words ARRAY_OF(const char *);

/* A row has a name or a heading; a row with neither ends the table. Of the members from `flag` to
 * `parse` one is set. */
struct command_option {
    const char *name;           /* without the dashes */
    char letter;                /* or 0 */
    bool *flag;                 /* takes no value: set to true. All other kinds need a value. */
    const char **word;          /* the last one given counts */
    struct option_words *words; /* may be repeated */
    size_t *count;              /* a number from 1 on */
    double *percent;            /* a number from 0 on, with or without % ... */
    bool of_whole;              /* ... and at most 100 */
    bool (*parse)(void *target, const char *word, struct error *error); /* reads the word itself */
    void *target;                                                       /* of parse */
    const char *value;                                                  /* what --help calls the value */
    const char *help;    /* one line; lines after '\n' are indented like it. NULL: --help leaves it out. */
    const char *heading; /* begins a group in --help */
};

#define STATUS_NEVER ""

/* What --help says besides the options. */
struct command_about {
    const char *name;      /* of the command */
    const char *usages[4]; /* what may follow `cotree NAME`; the unused ones are NULL */
    const char *text;      /* what the command does; lines end with '\n' */
    /* What these exit statuses mean. NULL: as for every command; STATUS_NEVER, and for `threshold` NULL:
     * the command never ends so. */
    const char *cannot, *unusable, *threshold, *skipped;
    const char *statuses; /* instead of a list of exit statuses, or NULL; lines */
};

/* Reads the options of argv; argv[optind] is the first other word then. --help is answered on
 * standard output and ends the reading: nothing after it is looked at. */
bool options_parse(const struct command_about *about, const struct command_option *options, int argc,
                   char **argv, bool *help, struct error *error);
/* Says what is wrong with the words of `cotree COMMAND`, and returns EXIT_USAGE. */
int options_refuse(const char *command, const struct error *error);
/* Says why `cotree COMMAND` cannot do what it was asked, and returns the status. */
int options_fail(const char *command, const struct error *error, int status);
/* Parts of --help: an option, whose help begins in a column beside spellings of at most `widest`
 * characters; and the exit statuses. */
void options_put_row(const char *spelling, const char *help, size_t widest, FILE *out);
void options_put_statuses(const struct command_about *about, FILE *out);

#endif
