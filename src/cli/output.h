/* Where an answer goes: standard output, a pager, or a file that appears only when it is
 * complete. */
#ifndef COTREE_CLI_OUTPUT_H
#define COTREE_CLI_OUTPUT_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

struct output {
    FILE *file;
    const char *named;      /* the path as it was given, or NULL */
    char *path, *temporary; /* NULL unless the answer goes to a file that is renamed at the end */
    pid_t pager;            /* 0: none */
    bool pipe_ignored;      /* this process was started with SIGPIPE ignored */
};

/*
 * path NULL or "-": standard output, through a pager if one is wanted and standard output is a
 * terminal. Otherwise the file; a regular file is written under a temporary name beside it. From
 * now on a closed pipe is an error and no signal.
 */
bool output_open(struct output *o, const char *path, bool want_pager, struct error *error);
/* Looks at the path before any work: it is none of the files that are read (of a directory, its data), and
 * no directory, and lies in a directory that can be written. NULL and "-" are standard output. The list
 * ends with NULL. */
bool output_check(const char *path, const char *const *read, struct error *error);
/* Whether the answer would be seen on a terminal. */
bool output_is_terminal(const char *path);
/* Ends this process by SIGPIPE, as programs end that write to a closed pipe, if the reader of
 * standard output is gone. */
void output_follow_reader(const struct output *o);
/* Ends the answer: waits for the pager, renames the file. With keep false the file is dropped
 * instead. */
bool output_close(struct output *o, bool keep, struct error *error);

/* Decides whether --color=WHEN ("auto", "always", "never") means colour now; NO_COLOR and TERM=dumb
 * turn "auto" off. */
bool output_color(const char *when, const char *path, bool *color, struct error *error);

#endif
