/* Reads selectors of paths. A word of ours is followed by one colon; two are of a C++ namespace. */
#include "plan/path_selector.h"

#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <math.h>

static bool parse_number(const char *text, const char *end, uint64_t least, uint64_t most, uint64_t *number)
{
    char *stop;
    if (text == end || *text < '0' || *text > '9')
        return false;
    errno = 0;
    *number = strtoull(text, &stop, 10);
    return !errno && stop == end && *number >= least && *number <= most;
}

/* The text after "WORD:", or NULL. */
static const char *after(const char *text, const char *word)
{
    size_t length = strlen(word);
    return text_starts_with(text, word) && text[length] == ':' && text[length + 1] != ':' ? text + length + 1
                                                                                          : NULL;
}

static bool parse_line(struct path_selector *s, const char *text, struct error *error)
{
    const char *colon = strrchr(text, ':');
    uint64_t line;
    if (!colon || colon == text || !parse_number(colon + 1, text + strlen(text), 1, UINT32_MAX, &line))
        return error_set(error, "say which line: through:FILE:LINE");
    s->line = (uint32_t)line;
    s->name = memory_substring(text, (size_t)(colon - text));
    return true;
}

static bool parse_hot(struct path_selector *s, const char *text, struct error *error)
{
    const char *colon = strchr(text, ':');
    char *end;
    s->percent = strtod(text, &end);
    if (end != text && *end == '%')
        end++;
    if (!colon || end != colon || end == text || !isfinite(s->percent) || s->percent < 0 || s->percent > 100)
        return error_set(error, "say how much, from 0 to 100 per cent, of which profile: hot:90%%:FILE");
    if (!colon[1])
        return error_set(error, "the name of a profile is missing");
    s->name = memory_string(colon + 1);
    return true;
}

static bool parse_group(struct path_selector *s, const char *text, struct error *error)
{
    const char *slash = strchr(text, '/');
    uint64_t group, groups;
    if (!slash || !parse_number(slash + 1, text + strlen(text), 1, PATH_GROUPS_MOST, &groups) ||
        !parse_number(text, slash, 1, groups, &group))
        return error_set(error, "say which of how many (at most %d) groups: group:2/8", PATH_GROUPS_MOST);
    s->group = (uint32_t)group;
    s->groups = (uint32_t)groups;
    return true;
}

static bool parse_function(struct path_selector *s, const char *text, struct error *error)
{
    const char *mark = strrchr(text, '#');
    s->kind = PATH_SELECT_FUNCTION;
    if (mark && parse_number(mark + 1, text + strlen(text), 0, UINT64_MAX, &s->id))
        s->kind = PATH_SELECT_ID;
    else if (mark && !strchr(mark, ')') && !strchr(mark, '}')) /* names of lambdas have a '#', too */
        return error_set(error, "behind '#' stands the number of a path");
    size_t length = s->kind == PATH_SELECT_ID ? (size_t)(mark - text) : strlen(text);
    if (!length)
        return error_set(error, "the name of a function is missing");
    s->name = memory_substring(text, length);
    return true;
}

bool path_selector_parse(struct path_selector *s, const char *text, struct error *error)
{
    const char *rest;
    *s = (struct path_selector){0};
    if ((rest = after(text, "through"))) {
        s->kind = PATH_SELECT_LINE;
        return parse_line(s, rest, error);
    }
    if ((rest = after(text, "hot"))) {
        s->kind = PATH_SELECT_HOT;
        return parse_hot(s, rest, error);
    }
    if ((rest = after(text, "uncovered"))) {
        s->kind = PATH_SELECT_UNCOVERED;
        s->name = memory_string(rest);
        if (*rest)
            return true;
        path_selector_release(s);
        return error_set(error, "the name of a profile is missing");
    }
    if ((rest = after(text, "group"))) {
        s->kind = PATH_SELECT_GROUP;
        return parse_group(s, rest, error);
    }
    return parse_function(s, text, error);
}

void path_selector_release(struct path_selector *s)
{
    free(s->name);
    *s = (struct path_selector){0};
}
