/*
 * Carrying a link: runs the linker, then writes down what it made the program of
 * (format/carry/link.h), and adds that to the program together with the units of its objects.
 */
#ifndef COTREE_WEAVE_RECORD_H
#define COTREE_WEAVE_RECORD_H

#include "base/error.h"
#include "base/words.h"

struct link_command {
    const char *linker; /* its path */
    const char *name;   /* what it is called, as in "ld.lld" */
    const char *driver; /* carry_link.driver */
    struct words words; /* of the command line, without the linker's own name */
    struct own_words {
        size_t begin, end; /* words that cotree added: [begin, end), which may be empty */
    } first, after;
};

/* Runs the link. Returns the linker's exit status; on 0, what was made carries what it was made of.
 * -1, with the reason, if that failed. */
int link_and_carry(const struct link_command *command, struct error *error);

#endif
