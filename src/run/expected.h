/*
 * One run of a program whose output is compared with a file as it is written (expect/expect.h), and
 * which aborts at the first byte that differs.
 */
#ifndef COTREE_RUN_EXPECTED_H
#define COTREE_RUN_EXPECTED_H

#include "base/error.h"

struct expected_run {
    char **command;       /* ends with NULL */
    const char *program;  /* the path of command[0] */
    const char *expected; /* a file: what it should print */
    const char *library;  /* what is preloaded */
    bool keep_buffering;
    int status;            /* the result, as a shell says it */
    struct error differed; /* how the output differed, one line; empty: it did not */
};

/* False, with the reason, if the program could not be run, or its output not be compared. */
bool expected_run(struct expected_run *r, struct error *error);

#endif
