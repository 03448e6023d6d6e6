/*
 * A compiler that is loaded once, and copied for each unit (stem/stem.c): what is done before a compiler
 * looks at its words is half of what compiling a small unit takes.
 *
 * Compilers that cannot be preloaded, as those that are linked statically, give no stem: they are started
 * for each unit.
 */
#ifndef COTREE_WEAVE_STEM_H
#define COTREE_WEAVE_STEM_H

#include "weave/process.h"

struct stem {
    pid_t process; /* 0: there is none */
    int socket;
};

/* Starts the compiler, which does nothing yet. `library` is the directory of what is preloaded. */
void stem_start(struct stem *stem, const struct words *compiler, const char *library, int confinement,
                int nothing);
/* Starts a copy of the compiler, with further words, as process_start_confined starts a program. Returns 0,
 * and there is no stem from then on, if that cannot be done. */
pid_t stem_copy(struct stem *stem, const struct words *command, size_t first,
                const struct process_setting *setting);
/* Ends the stem, if there is one; copies of it live on. */
void stem_end(struct stem *stem);

#endif
