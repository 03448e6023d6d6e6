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
    size_t count;      /* of words: 2 if the value is a word of its own */
    const char *value; /* or NULL; lies in the last of the words */
};

/* What stands at words[at]. */
struct linker_word linker_word_read(const struct words *words, size_t at);
/* Is the value one that LLVM's plugin may be told? */
bool linker_plugin_word_shapes(const char *value);

#endif
