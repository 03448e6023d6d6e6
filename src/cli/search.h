/* Explains where data was looked for in vain, and what may have kept a program from writing it. */
#ifndef COTREE_CLI_SEARCH_H
#define COTREE_CLI_SEARCH_H

#include "base/error.h"

#include <stddef.h>

/* Sets the error: in which directories nothing was found (those of the words, and that of
 * COTREE_FILE), which of them cannot be written to, and how to learn more from the program. */
void search_explain(struct error *error, const char *program, char *const *words, size_t count);

#endif
