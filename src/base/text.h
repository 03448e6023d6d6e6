/* Text that came from a file or a command line, made safe for a terminal. */
#ifndef COTREE_BASE_TEXT_H
#define COTREE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Length of the well-formed UTF-8 sequence at s, or 0. Overlong forms and surrogates are not well-formed. */
size_t text_character(const char *s);
/* Whether a control character begins at s; C1 ones too, which some terminals obey. */
bool text_is_control(const char *s);
/* Replaces control bytes (and malformed or C1 UTF-8 sequences) by '?', in place. */
void text_make_printable(char *s);
bool text_starts_with(const char *s, const char *prefix);
bool text_ends_with(const char *s, const char *suffix);
/* Shell-style match: '*' any run (slashes too), '?' one character. */
bool text_matches(const char *pattern, const char *s);

#endif
