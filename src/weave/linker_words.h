/*
 * What the words of a linker's command line mean, for GNU ld, gold and lld.
 *
 * The same table serves twice: to carry a link, and to decide which words of a carried link are
 * obeyed. Words that shape the program and do nothing else are obeyed. What loads code, writes
 * files, or reads files that the record does not hold is not in the table, and so is refused when
 * it comes out of a program.
 */
#ifndef COTREE_WEAVE_LINKER_WORDS_H
#define COTREE_WEAVE_LINKER_WORDS_H

#include "base/error.h"
#include "base/words.h"

#include <stdbool.h>
#include <stdint.h>

enum linker_word_kind {
    LINKER_INPUT,     /* a file */
    LINKER_SHAPES,    /* an option that shapes the program */
    LINKER_FILE,      /* such an option, whose value is a file to be read */
    LINKER_OUTPUT,    /* -o */
    LINKER_DIRECTORY, /* -L */
    LINKER_LIBRARY,   /* -l */
    LINKER_SAYS,      /* an option that prints or writes something beside the program */
    LINKER_PLUGIN,    /* -plugin */
    LINKER_TO_PLUGIN, /* -plugin-opt */
    LINKER_UNKNOWN,
};

struct linker_word {
    enum linker_word_kind kind;
    size_t count;       /* of words: 2 if the value is a word of its own */
    const char *value;  /* or NULL; lies in the last of the words */
    size_t name_length; /* of an option with a long name; 0 for all else */
};

/* What stands at words[at]. */
struct linker_word linker_word_read(const struct words *words, size_t at);
/* Adds what was read at words[at], spelt so that every linker reads the same. Linkers differ in the
 * options that they know and in what they take for a value: GNU ld reads -rosegment, which it does not
 * know, as -r -o segment. */
void linker_word_add(struct words *to, const struct words *words, size_t at, const struct linker_word *read);
/* Is the value one that LLVM's plugin may be told? */
bool linker_plugin_word_shapes(const char *value);

/* Which files -lNAME means, as words before it say: -Bstatic, --push-state. */
struct library_kind {
    bool archives;   /* archives alone */
    uint64_t before; /* what it was at each --push-state: the lowest bit is the last */
};
void library_kind_follow(struct library_kind *kind, const char *word);

#endif
