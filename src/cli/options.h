/*
 * The options of a command as a table: what each is called and where its value goes. Built on getopt_long, so
 * options may follow other words, be abbreviated, and end with "--"; --help and -h every command has.
 */
#ifndef COTREE_CLI_OPTIONS_H
#define COTREE_CLI_OPTIONS_H

#include "base/error.h"
#include "base/memory.h"

struct option_words ARRAY_OF(const char *);

/* One of the members from `flag` on is set. */
struct command_option {
    const char *name; /* without the dashes; NULL ends a table */
    char letter;      /* or 0 */
    bool *flag;       /* takes no value: set to true. All others need one. */
    const char **word;
    struct option_words *words; /* may be repeated */
    size_t *count;              /* a number from 1 on */
    double *percent;            /* from 0 on, with or without % ... */
    bool of_whole;              /* ... and to 100 */
    bool (*parse)(void *request, const char *word, struct error *error); /* looks at the word itself */
};

/*
 * Reads the options of argv; argv[optind] is the first other word then. --help ends the reading: nothing
 * after it is looked at. request: handed to the parse functions.
 */
bool options_parse(const struct command_option *options, int argc, char **argv, void *request, bool *help,
                   struct error *error);
/* Says what is wrong with the words of `cotree COMMAND`, and returns EXIT_USAGE. */
int options_refuse(const char *command, const struct error *error);

#endif
