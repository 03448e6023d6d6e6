/* Text that came from a file or a command line, made safe for a terminal. */
#ifndef COTREE_BASE_TEXT_H
#define COTREE_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Length of the well-formed UTF-8 sequence at s, or 0. Overlong forms and surrogates are not
 * well-formed. */
size_t text_character(const char *s);
/* The character that begins at s; the byte, if it is not well-formed. */
uint32_t text_code_point(const char *s);
/* Does a control character begin at s? These are also C1 characters, which some terminals obey, and
 * those that change the direction of text, which could make names and lines look like others. */
bool text_is_control(const char *s);
bool text_changes_direction(uint32_t code_point);
/* Replaces each byte of control characters and of malformed sequences by '?', in place. */
void text_make_printable(char *s);
/* The same, but for ends of lines and tabs. */
void text_make_lines_printable(char *s);
bool text_starts_with(const char *s, const char *prefix);
bool text_ends_with(const char *s, const char *suffix);
/* Shell-style match: '*' stands for any characters (slashes too), '?' for one. */
bool text_matches(const char *pattern, const char *s);

#endif
