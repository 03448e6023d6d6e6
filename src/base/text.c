#include "base/text.h"

#include <string.h>

size_t text_character(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] < 0x80)
        return 1;
    size_t length = s[0] >= 0xc2 && s[0] <= 0xdf   ? 2
                    : (s[0] & 0xf0) == 0xe0        ? 3
                    : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4
                                                   : 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return length;
}

uint32_t text_code_point(const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t length = text_character(text);
    uint32_t code = length <= 1 ? s[0] : s[0] & (0x7fu >> length);
    for (size_t i = 1; i < length; i++)
        code = code << 6 | (s[i] & 0x3f);
    return code;
}

bool text_is_control(const char *text)
{
    if (!text_character(text))
        return false;
    uint32_t code = text_code_point(text);
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || text_changes_direction(code);
}

/* Marks of direction, embeddings, overrides and isolates; and the separators of lines and
 * paragraphs. */
bool text_changes_direction(uint32_t code)
{
    return code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

/* Keeps the bytes of `kept`. */
static void make_printable(char *s, const char *kept)
{
    while (*s) {
        size_t length = strchr(kept, *s) ? 1 : text_is_control(s) ? 0 : text_character(s);
        if (length)
            s += length;
        else
            *s++ = '?';
    }
}

void text_make_printable(char *s)
{
    make_printable(s, "");
}

void text_make_lines_printable(char *s)
{
    make_printable(s, "\n\t");
}

bool text_starts_with(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

bool text_ends_with(const char *s, const char *suffix)
{
    size_t n = strlen(s), m = strlen(suffix);
    return n >= m && strcmp(s + n - m, suffix) == 0;
}

bool text_matches(const char *pattern, const char *s)
{
    const char *star = NULL, *resume = NULL;
    while (*s) {
        if (*pattern == '*') {
            star = ++pattern;
            resume = s;
        } else if (*pattern == *s || (*pattern == '?')) {
            pattern++;
            s++;
        } else if (star) {
            pattern = star;
            s = ++resume;
        } else {
            return false;
        }
    }
    while (*pattern == '*')
        pattern++;
    return !*pattern;
}
