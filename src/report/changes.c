/*
 * A diff is read by its own counts: "@@ -10,2 +12,5 @@" says that the next lines have five of the new
 * file, so that a line of them that looks like the head of a file is none.
 */
#include "report/changes.h"
#include "base/buffer.h"
#include "base/text.h"

#include <inttypes.h>
#include <unistd.h>

struct reader {
    FILE *diff;
    const char *name, *base;
    char *line; /* without its end */
    size_t room;
    uint64_t number;
};

static bool next_line(struct reader *r)
{
    ssize_t length = getline(&r->line, &r->room, r->diff);
    if (length < 0)
        return false;
    r->number++;
    if (length > 0 && r->line[length - 1] == '\n')
        r->line[--length] = '\0';
    return true;
}

/* Returns the character behind a backslash of a quoted name, and steps over it. */
static char unquote(const char **at)
{
    static const char letters[] = "abtnvfr", meant[] = "\a\b\t\n\v\f\r";
    const char *s = *at, *letter;
    if (*s >= '0' && *s <= '3' && s[1] >= '0' && s[1] <= '7' && s[2] >= '0' && s[2] <= '7') {
        *at += 3;
        return (char)((s[0] - '0') * 64 + (s[1] - '0') * 8 + (s[2] - '0'));
    }
    *at += 1;
    letter = strchr(letters, *s);
    return letter && *s ? meant[letter - letters] : *s;
}

/* Returns the name behind "+++ ": quoted as git does, or ended by a tab and a date; newly allocated. */
static char *name_of_file(const char *text)
{
    struct buffer name = {0};
    if (*text == '"') {
        for (text++; *text && *text != '"';) {
            char c = *text++;
            if (c == '\\' && *text)
                c = unquote(&text);
            buffer_add(&name, &c, 1);
        }
    } else {
        buffer_add(&name, text, strcspn(text, "\t\r"));
    }
    char *result = memory_string(buffer_text(&name));
    buffer_release(&name);
    return result;
}

/* Returns the path as the system knows it, or as it is; newly allocated. */
static char *real_path(const char *path)
{
    char *real = realpath(path, NULL);
    return real ? real : memory_string(path);
}

static char *join(const char *base, const char *name)
{
    struct buffer path = {0};
    if (*name != '/')
        buffer_addf(&path, "%s/", base);
    buffer_add_text(&path, name);
    char *result = memory_string(buffer_text(&path));
    buffer_release(&path);
    return result;
}

static char *place_of(const char *name, const char *base)
{
    const char *rest = strchr(name, '/');
    char *whole = join(base, name), *shorter = join(base, rest ? rest + 1 : name);
    char *result = real_path(access(shorter, F_OK) == 0 || access(whole, F_OK) != 0 ? shorter : whole);
    free(whole);
    free(shorter);
    return result;
}

/* Reads "START" or "START,COUNT". */
static bool read_range(const char **at, uint64_t *start, uint64_t *count)
{
    char *end;
    *count = 1;
    if (**at < '0' || **at > '9')
        return false;
    *start = strtoull(*at, &end, 10);
    if (*end == ',' && end[1] >= '0' && end[1] <= '9')
        *count = strtoull(end + 1, &end, 10);
    *at = end;
    return *start <= UINT32_MAX && *count <= UINT32_MAX;
}

static bool cut_short(const struct reader *r, struct error *error)
{
    return error_set(error, "'%s', line %" PRIu64 ": the diff is cut short or damaged", r->name, r->number);
}

/* Reads a hunk, whose head is the line that was read last. file: NULL if it is gone. */
static bool read_hunk(struct reader *r, struct changed_file *file, struct error *error)
{
    uint64_t old_at, old_left, at, left;
    const char *s = r->line + strlen("@@ -");
    if (!read_range(&s, &old_at, &old_left) || strncmp(s, " +", 2) || (s += 2, !read_range(&s, &at, &left)) ||
        strncmp(s, " @@", 3))
        return cut_short(r, error);
    if (file && left && file->lines.count && at <= file->lines.items[file->lines.count - 1].last)
        return error_set(error, "'%s', line %" PRIu64 ": changes of '%s' are not in order", r->name,
                         r->number, file->path);
    while (old_left || left) {
        if (!next_line(r))
            return cut_short(r, error);
        char kind = *r->line;
        bool is_new = kind == '+', is_old = kind == '-', is_same = kind == ' ' || !kind;
        if (kind == '\\')
            continue; /* "\ No newline at end of file" */
        if ((!is_new && !is_old && !is_same) || (!is_old && !left) || (!is_new && !old_left))
            return cut_short(r, error);
        if (is_new && file)
            line_ranges_add(&file->lines, (uint32_t)at);
        at += !is_old;
        left -= !is_old;
        old_left -= !is_new;
    }
    return true;
}

/* Returns what the diff says of that file, from now on or already. */
static size_t entry_of(struct changes *changes, char *path)
{
    for (size_t i = 0; i < changes->files.count; i++)
        if (!strcmp(changes->files.items[i].path, path)) {
            free(path);
            return i;
        }
    ARRAY_PUSH(&changes->files, ((struct changed_file){path, {0}}));
    return changes->files.count - 1;
}

bool changes_read(struct changes *changes, FILE *diff, const char *name, const char *base,
                  struct error *error)
{
    struct reader r = {.diff = diff, .name = name, .base = base};
    bool good = true, has_file = false, is_diff = false;
    size_t at = 0; /* the file */
    while (good && next_line(&r)) {
        is_diff |= text_starts_with(r.line, "diff ");
        if (text_starts_with(r.line, "+++ ")) {
            char *file = name_of_file(r.line + strlen("+++ "));
            has_file = strcmp(file, "/dev/null") != 0;
            is_diff = true;
            if (has_file)
                at = entry_of(changes, place_of(file, base));
            free(file);
        } else if (text_starts_with(r.line, "@@ -")) {
            good = is_diff ? read_hunk(&r, has_file ? &changes->files.items[at] : NULL, error)
                           : cut_short(&r, error);
        }
    }
    if (good && ferror(diff))
        good = error_set(error, "'%s' cannot be read", name);
    else if (good && r.number && !is_diff)
        good = error_set(error, "'%s' is no unified diff", name);
    free(r.line);
    return good;
}

void changes_release(struct changes *changes)
{
    for (size_t i = 0; i < changes->files.count; i++) {
        free(changes->files.items[i].path);
        ARRAY_RELEASE(&changes->files.items[i].lines);
    }
    ARRAY_RELEASE(&changes->files);
}

const struct line_ranges *changes_of(const struct changes *changes, const char *path)
{
    const struct line_ranges *lines = NULL;
    char *real = real_path(path);
    for (size_t i = 0; i < changes->files.count && !lines; i++)
        if (!strcmp(changes->files.items[i].path, real))
            lines = &changes->files.items[i].lines;
    free(real);
    return lines;
}
