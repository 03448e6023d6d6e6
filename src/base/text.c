#include "base/text.h"

#include <string.h>

/* Length of the well-formed UTF-8 sequence at s that is no control character, or 0. */
static size_t printable_sequence(const unsigned char *s)
{
    if (s[0] < 0x80)
        return s[0] >= 0x20 && s[0] != 0x7f;
    size_t length = s[0] >= 0xc2 && s[0] <= 0xdf   ? 2
                    : (s[0] & 0xf0) == 0xe0        ? 3
                    : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4
                                                   : 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if (length == 2 && s[0] == 0xc2 && s[1] < 0xa0)
        return 0; /* C1 controls: some terminals obey them */
    return length;
}

void text_make_printable(char *text)
{
    unsigned char *s = (unsigned char *)text;
    while (*s) {
        size_t n = printable_sequence(s);
        if (n)
            s += n;
        else
            *s++ = '?';
    }
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
