/* Where data was looked for in vain, and what may have kept a program from writing it. */
#ifndef COTREE_CLI_SEARCH_H
#define COTREE_CLI_SEARCH_H

#include "base/error.h"

#include <stddef.h>

/* Says where nothing was: the directories of the words, and that of COTREE_FILE, which of these cannot be
 * written to, and how to learn more from the program. */
void search_explain(struct error *error, const char *program, char *const *words, size_t count);

#endif
