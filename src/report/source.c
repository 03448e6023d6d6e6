#include "report/source.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TAB = 8 };

bool source_maps_add(struct source_maps *maps, const char *old_and_new, struct error *error)
{
    const char *equals = strchr(old_and_new, '=');
    if (!equals || equals == old_and_new)
        return error_set(error, "'%s' is not OLD=NEW", old_and_new);
    struct source_map map = {old_and_new, equals + 1, (size_t)(equals - old_and_new)};
    ARRAY_PUSH(maps, map);
    return true;
}

char *source_maps_apply(const struct source_maps *maps, const char *path)
{
    for (size_t i = maps->count; i-- > 0;) {
        const struct source_map *m = &maps->items[i];
        if (strncmp(path, m->from, m->from_length) != 0)
            continue;
        const char *rest = path + m->from_length;
        /* "/a" must not match "/ab/c.c" */
        if (*rest && *rest != '/' && m->from[m->from_length - 1] != '/')
            continue;
        size_t length = strlen(m->to) + strlen(rest) + 2;
        char *mapped = ALLOC(char, length);
        bool slash = m->from[m->from_length - 1] == '/' && *m->to && !text_ends_with(m->to, "/");
        snprintf(mapped, length, "%s%s%s", m->to, slash ? "/" : "", rest);
        return mapped;
    }
    return memory_string(path);
}

bool source_open(struct source *s, const char *path, const char **reason)
{
    *s = (struct source){0};
    /* A path comes from a file: it may name a pipe or a device by now, on which open or read would
     * wait for ever. */
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        *reason = strerror(errno);
        if (fd >= 0)
            close(fd);
        return false;
    }
    if (!S_ISREG(st.st_mode)) {
        *reason = "not a regular file";
        close(fd);
        return false;
    }
    s->file = fdopen(fd, "r");
    if (!s->file) {
        *reason = strerror(errno);
        close(fd);
        return false;
    }
    return true;
}

/* Whether the text is printable ASCII alone, which is shown as it is. Most lines are. No step of
 * the loop depends on the one before, so that the compiler makes vector code of it. */
static bool is_plain(const char *text, size_t length)
{
    uint8_t other = 0;
    for (size_t i = 0; i < length; i++)
        other |= (uint8_t)((uint8_t)(text[i] - ' ') > '~' - ' ');
    return !other;
}

/* The same for several lines with their ends. */
static bool is_plain_text(const char *text, size_t length)
{
    uint8_t other = 0;
    for (size_t i = 0; i < length; i++)
        other |= (uint8_t)((uint8_t)(text[i] - ' ') > '~' - ' ') & (uint8_t)(text[i] != '\n');
    return !other;
}

/* Returns a line, without its end, as it is shown. There must be room for one more character after
 * it. */
static const char *show(struct source *s, char *line, size_t length)
{
    size_t tabs = 0;
    while (length > 0 && (line[length - 1] == '\n' || line[length - 1] == '\r'))
        length--;
    if (is_plain(line, length)) {
        line[length] = '\0';
        return line;
    }
    for (size_t i = 0; i < length; i++)
        tabs += line[i] == '\t';
    size_t needed = length + tabs * (TAB - 1) + 1;
    if (needed > s->shown_capacity) {
        s->shown_capacity = needed * 2;
        RESIZE(s->shown, s->shown_capacity);
    }
    size_t to = 0, column = 0;
    for (size_t i = 0; i < length; i++) {
        char c = line[i];
        if (c == '\t') {
            do
                s->shown[to++] = ' ';
            while (++column % TAB != 0);
        } else {
            s->shown[to++] = c ? c : '?';
            column += ((unsigned char)c & 0xc0) != 0x80; /* bytes within a UTF-8 character take no room */
        }
    }
    s->shown[to] = '\0';
    text_make_printable(s->shown);
    return s->shown;
}

const char *source_next(struct source *s)
{
    ssize_t got = getline(&s->line, &s->capacity, s->file);
    return got < 0 ? NULL : show(s, s->line, (size_t)got);
}

size_t source_column(const struct source *s, uint32_t byte)
{
    size_t column = 0;
    for (uint32_t i = 0; i + 1 < byte && s->line[i] && s->line[i] != '\n'; i++)
        if (s->line[i] == '\t')
            column += TAB - column % TAB;
        else
            column += ((unsigned char)s->line[i] & 0xc0) != 0x80;
    return column;
}

const char *source_part(struct source *s, size_t *length)
{
    enum { PART = 1 << 18 };
    struct buffer *raw = &s->raw;
    size_t got, end = 0;
    if (s->taken)
        memmove(raw->data, raw->data + s->taken, raw->length - s->taken);
    raw->length -= s->taken;
    s->taken = 0;
    do { /* up to the end of a line */
        got = fread(buffer_room(raw, PART), 1, PART, s->file);
        const uint8_t *last = got ? memrchr(raw->data + raw->length, '\n', got) : NULL;
        raw->length += got;
        end = last ? (size_t)(last - raw->data) + 1 : 0;
    } while (got && !end);
    if (!got && raw->length) {
        buffer_add(raw, "\n", 1);
        end = raw->length;
    }
    if (!end)
        return NULL;
    s->taken = end;
    *length = end;
    if (is_plain_text((char *)raw->data, end))
        return (char *)raw->data;
    s->lines.length = 0;
    for (size_t at = 0; at < end;) {
        char *line = (char *)raw->data + at;
        size_t size = (size_t)((char *)memchr(line, '\n', end - at) - line) + 1;
        buffer_add_text(&s->lines, show(s, line, size));
        buffer_add(&s->lines, "\n", 1);
        at += size;
    }
    *length = s->lines.length;
    return (char *)s->lines.data;
}

void source_close(struct source *s)
{
    if (s->file)
        fclose(s->file);
    free(s->line);
    free(s->shown);
    buffer_release(&s->raw);
    buffer_release(&s->lines);
    *s = (struct source){0};
}

bool source_newer(const char *path, const char *than)
{
    struct stat a, b;
    return than && stat(than, &b) == 0 && stat(path, &a) == 0 && a.st_mtime > b.st_mtime;
}

/* Returns the path without "." and ".." components; newly allocated. Links are not followed. */
static char *without_dots(const char *path)
{
    char *result = ALLOC(char, strlen(path) + 2);
    size_t length = 0;
    bool absolute = *path == '/';
    for (const char *s = path; *s;) {
        size_t part = strcspn(s, "/");
        bool up = part == 2 && s[0] == '.' && s[1] == '.';
        const char *last = memrchr(result, '/', length);
        if (up && absolute && last) {
            length = (size_t)(last - result);
        } else if (part > 0 && !(part == 1 && s[0] == '.')) {
            if (length > 0 || absolute)
                result[length++] = '/';
            memcpy(result + length, s, part);
            length += part;
        }
        s += part;
        s += *s == '/';
    }
    result[length] = '\0';
    return result;
}

bool source_of_system(const char *path)
{
    char *plain = without_dots(path);
    bool is = text_starts_with(plain, "/usr/include/") || text_starts_with(plain, "/usr/lib/");
    free(plain);
    return is;
}

char *source_short_path(const char *given)
{
    char *shorter = without_dots(given);
    /* a link on the way may make it another file */
    struct stat a, b;
    bool same =
        stat(given, &a) != 0 || (stat(shorter, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino);
    if (same && *shorter)
        return shorter;
    free(shorter);
    return memory_string(given);
}

char *source_shown_path(const char *given)
{
    char *path = source_short_path(given);
    enum { UP = 3 }; /* more than "../../../" is no easier to read than the whole path */
    char here[4096];
    char *shown = NULL;
    if (path[0] == '/' && getcwd(here, sizeof here - 1) && here[0] == '/') {
        strcat(here, "/");
        size_t common = 0,
               up = 0; /* common: length of the directories both begin with, their last slash included */
        for (size_t i = 0; here[i] && here[i] == path[i]; i++)
            if (here[i] == '/')
                common = i + 1;
        for (size_t i = common; here[i]; i++)
            up += here[i] == '/';
        if (common > 1 && path[common] && up <= UP) {
            size_t room = 3 * up + strlen(path + common) + 1;
            shown = ALLOC(char, room);
            for (size_t i = 0; i < up; i++)
                memcpy(shown + 3 * i, "../", 3);
            strcpy(shown + 3 * up, path + common);
        }
    }
    if (!shown)
        shown = memory_string(path);
    free(path);
    text_make_printable(shown);
    return shown;
}
