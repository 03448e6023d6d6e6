/* What the files that make variants share (weave/build.h): the compiler's, the linker's and the output's. */
#ifndef COTREE_WEAVE_BUILDING_H
#define COTREE_WEAVE_BUILDING_H

#include "base/memory.h"
#include "weave/build.h"
#include "weave/process.h"
#include "weave/scratch.h"
#include "weave/stem.h"

#include <signal.h>

struct build {
    struct carrying_program *program;
    const struct weave_tools *tools;
    const struct weave_order *order;
    struct scratch scratch;
    int confinement;                       /* of the compiler and the linker (weave/confine.h) */
    int nothing;                           /* their standard input */
    struct stem stem;                      /* while units are compiled: what is started is a copy of it */
    struct paths ARRAY_OF(char *) objects; /* by unit and variant; several variants may share one */
};

/* The signal that asked weave to end, or 0. */
extern volatile sig_atomic_t build_stopped;

/* The place of the object of a unit of a variant. */
char **build_object(struct build *b, size_t unit, size_t variant);
/* Prints a command, if the user wants to see them. */
void build_say(const struct build *b, const struct words *command);
/* Starts the compiler or the linker, in a directory or where weave runs. What it prints goes to the files;
 * `printed` may be `said`. Returns 0, with the reason, if it cannot be started. */
pid_t build_start(struct build *b, const struct words *command, const char *directory, const char *printed,
                  const char *said, struct error *error);
/* Runs a command to its end, and prints what it says. */
bool build_run(struct build *b, const struct words *command, const char *what, struct error *error);
/* Adds a word, of a format with one place for text. */
void build_add_word(struct words *words, const char *format, const char *value);

/* Compiles all units of all variants, several at a time and the largest first. */
bool build_compile(struct build *b, struct error *error);
/* Puts a variant's inputs of the link where the linker finds them. The paths are in the order of the
 * inputs. */
struct input_paths ARRAY_OF(char *);
bool build_inputs(struct build *b, size_t variant, struct input_paths *paths, struct error *error);
/* Links a variant, and makes its output of that. */
bool build_link(struct build *b, size_t variant, struct error *error);

/* What `output` names and may be replaced: what a symbolic link names. Newly allocated; NULL, with the
 * reason, if there is no such place. */
char *output_place(const char *output, struct error *error);
/* The program that was linked becomes the output, with what it carries. */
bool output_put(const struct build *b, const char *linked, const char *output, struct error *error);

#endif
