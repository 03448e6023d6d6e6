/* Running other programs: never through a shell. */
#ifndef COTREE_WEAVE_PROCESS_H
#define COTREE_WEAVE_PROCESS_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/words.h"

#include <sys/types.h>

/* Starts a program by its path or name, that may do no more than a confinement lets it
 * (weave/confine.h); -1 for any. With `output` its standard output goes to the pipe whose reading end is
 * put there. Returns 0, with the reason, if it cannot be started. */
pid_t process_start_confined(const struct words *command, int confinement, int *output, struct error *error);
/* Reads such a pipe to its end, and closes it. */
void process_collect(int output, struct buffer *printed);
/* Waits for it; the exit status, or 128 + the signal that ended it. */
int process_wait(pid_t child);
/* Runs a program to its end and collects what it prints. The exit status; -1 if it cannot be run. */
int process_read(const struct words *command, struct buffer *printed, struct error *error);
/* The first line that `PROGRAM --version` prints; newly allocated, "" if there is none. */
char *process_version(const struct words *command);
/* The path of a program: in the directory `first`, or in PATH. Newly allocated; NULL if there is
 * none. */
char *process_find(const char *first, const char *name);

#endif
