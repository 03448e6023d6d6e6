/* Running other programs: never through a shell. */
#ifndef COTREE_WEAVE_PROCESS_H
#define COTREE_WEAVE_PROCESS_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/words.h"

#include <sys/types.h>

/* Puts something where standard input, output and error are closed, which cannot be read or written: no
 * file that is opened later takes their numbers, which are given away. */
void process_hold_standard(void);
/* How a program runs. */
struct process_setting {
    int confinement; /* it may do no more than this (weave/confine.h); -1 for any */
    int input, output, errors;
    const char *directory; /* NULL: this one */
    const char *preloaded; /* a library, or NULL */
};
/* Starts a program by its path or name, in a process group of its own. Returns 0, with the reason, if it
 * cannot be started. */
pid_t process_start_confined(const struct words *command, const struct process_setting *setting,
                             struct error *error);
/* Waits until one of the children has ended, and leaves it to process_wait. -1 if a signal came first. */
pid_t process_next_end(void);
/* Waits for a child to end, and ends what it left behind; the exit status, or 128 + the signal that ended
 * it. A signal that is caught here meanwhile ends it. */
int process_wait(pid_t child);
/* Runs a program to its end and collects what it prints. The exit status; -1 if it cannot be run. */
int process_read(const struct words *command, struct buffer *printed, struct error *error);
/* The first line that `PROGRAM --version` prints; newly allocated, "" if there is none. */
char *process_version(const struct words *command);
/* The path of a program: in the directory `first`, or in PATH. Newly allocated; NULL if there is
 * none. */
char *process_find(const char *first, const char *name);

#endif
