/* Text that came from a file or a command line, made safe for a terminal. */
#ifndef COTREE_BASE_TEXT_H
#define COTREE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Replaces control bytes (and malformed or C1 UTF-8 sequences) by '?', in place. */
void text_make_printable(char *s);
bool text_starts_with(const char *s, const char *prefix);
bool text_ends_with(const char *s, const char *suffix);
/* Shell-style match: '*' any run (slashes too), '?' one character. */
bool text_matches(const char *pattern, const char *s);

#endif
