/*
 * The words PROG DATA..., or MERGED..., turned into a profile.
 *
 * Words are told apart by what the files hold, not by their order: `cotree report run.cotree
 * ./prog` is `cotree report ./prog run.cotree`.
 */
#ifndef COTREE_CLI_INPUT_H
#define COTREE_CLI_INPUT_H

#include "base/error.h"
#include "decode/decode.h"

/* What ends the paths of traces unless --path-ends says it; the same as for -fcotree-path-ends. */
#define INPUT_PATH_ENDS PATH_ENDS_MIXED

/* The words of one profile. */
struct input_words {
    const char *program; /* NULL: there is none among them */
    char **data;         /* all others, in their order; the array is allocated, the words are the caller's */
    size_t count;
    char *variant; /* the program, where it is not the one that was given (input_take_variant) */
};

/* Finds the program among the words. Fails if there are several. */
bool input_split(struct input_words *in, char **words, size_t count, struct error *error);
void input_release(struct input_words *in);
/* Looks at the output (output_check): it is none of the words. */
bool input_allow_output(const struct input_words *in, const char *output, struct error *error);
/* Where the data is of another variant of the program, and that is found (cli/variants.h), it is the program
 * from now on; a line on stderr says so. */
void input_take_variant(struct input_words *in, const char *who, const char *const *debug_paths);
/* Whether all data is what `cotree merge` wrote, which needs no program. */
bool input_is_merged(const struct input_words *in);
/* Whether the file is an executable or a shared library. */
bool input_is_program(const char *path);

/*
 * Decodes what the words name; each skipped input and the reason of a failure get a line on stderr
 * that begins with `who`. Returns EXIT_OK, EXIT_SKIPPED (the profile is there, some inputs are not
 * in it), or another status (there is no profile to show). options: what differs from decode's
 * defaults, or NULL; with every_set each difference between counter sets gets a line, and one that
 * was not declared makes the status EXIT_CANNOT. totals: may be NULL.
 */
int input_decode(struct profile *profile, const char *who, struct input_words *in,
                 const struct decode_options *options, struct decode_totals *totals);
/* The same, of words as they were given. */
int input_decode_words(struct profile *profile, const char *who, char **words, size_t count,
                       const struct decode_options *options, struct decode_totals *totals);

#endif
