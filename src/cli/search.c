#include "cli/search.h"
#include "base/buffer.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct places ARRAY_OF(char *);

/* Adds the place unless it is listed. */
static void add_place(struct places *places, const char *path, size_t length)
{
    char *place = length ? memory_substring(path, length) : memory_string(*path == '/' ? "/" : ".");
    for (size_t i = 0; i < places->count; i++)
        if (!strcmp(places->items[i], place)) {
            free(place);
            return;
        }
    ARRAY_PUSH(places, place);
}

static void add_directory_of(struct places *places, const char *file)
{
    const char *slash = strrchr(file, '/');
    add_place(places, file, slash ? (size_t)(slash - file) : 0);
}

static const char *problem_of(const char *place)
{
    struct stat st;
    if (stat(place, &st) != 0)
        return " (which is not there)";
    if (!S_ISDIR(st.st_mode))
        return S_ISREG(st.st_mode) ? " (which is a file)" : " (which is no regular file)";
    return access(place, W_OK | X_OK) != 0 ? " (which is not writable)" : "";
}

/* Adds the place that COTREE_FILE names: its directory, or the file itself where that is the
 * trouble. */
static void add_pattern(struct places *places, const char *pattern)
{
    struct stat st;
    const char *escape = strchr(pattern, '%'), *slash = strrchr(pattern, '/');
    if (!escape && stat(pattern, &st) == 0 && !S_ISREG(st.st_mode))
        add_place(places, pattern, strlen(pattern));
    else if (!escape || !slash || escape > slash)
        add_directory_of(places, pattern);
}

void search_explain(struct error *error, const char *program, char *const *words, size_t count)
{
    struct places places = {0};
    struct buffer list = {0};
    const char *pattern = getenv("COTREE_FILE");
    for (size_t i = 0; i < count; i++) {
        struct stat st;
        if (stat(words[i], &st) == 0 && S_ISDIR(st.st_mode))
            add_place(&places, words[i], strlen(words[i]));
        else
            add_directory_of(&places, words[i]);
    }
    if (!count)
        add_place(&places, ".", 1);
    if (pattern && *pattern)
        add_pattern(&places, pattern);
    enum { SHOWN = 5 };
    for (size_t i = 0; i < places.count && i < SHOWN; i++)
        buffer_addf(&list, "%s'%s'%s",
                    !i                     ? ""
                    : i + 1 < places.count ? ", "
                                           : " or ",
                    places.items[i], problem_of(places.items[i]));
    bool bare = !strchr(program, '/');
    error_set(
        error,
        "no data of '%s' was found in %s; run 'COTREE=verbose %s%s': it says where it writes, or why not",
        program, buffer_text(&list), bare ? "./" : "", program);
    buffer_release(&list);
    for (size_t i = 0; i < places.count; i++)
        free(places.items[i]);
    ARRAY_RELEASE(&places);
}
