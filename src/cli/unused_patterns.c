#include "cli/unused_patterns.h"
#include "decode/lines/demangle.h"

#include <stdio.h>

/* A list that is looked through, and which of its patterns have matched. */
struct looked_for {
    const struct globs *globs;
    bool *found;
    size_t missing;
};

static struct looked_for look_for(const struct globs *globs)
{
    return (struct looked_for){globs, ZALLOC(bool, globs->count + 1), globs->count > 1 ? globs->count : 0};
}

static void mark(struct looked_for *l, size_t i, bool matches)
{
    if (matches && !l->found[i]) {
        l->found[i] = true;
        l->missing--;
    }
}

static void try_name(struct looked_for *l, const struct map_function *f)
{
    char *shown = demangle(f->name);
    for (size_t i = 0; i < l->globs->count; i++)
        mark(l, i, name_matches(l->globs->items[i], f->name, shown));
    free(shown);
}

static void try_path(struct looked_for *l, const char *path)
{
    for (size_t i = 0; i < l->globs->count; i++)
        mark(l, i, path_matches(l->globs->items[i], path));
}

static void say(struct looked_for *l, const char *option, const char *who)
{
    struct error line;
    for (size_t i = 0; i < l->globs->count && l->missing && l->missing < l->globs->count; i++)
        if (!l->found[i]) {
            error_set(&line, "nothing matches %s=%s", option, l->globs->items[i]);
            fprintf(stderr, "%s: %s\n", who, line.text);
        }
    free(l->found);
}

void unused_patterns_say(const struct report_filter *filter, const struct profile *p, const char *who)
{
    struct looked_for names = look_for(&filter->functions), paths = look_for(&filter->files);
    for (size_t i = 0; i < p->functions.count && (names.missing || paths.missing); i++) {
        const struct map_function *f = &p->functions.items[i].map;
        if (names.missing)
            try_name(&names, f);
        for (uint32_t k = 0; k < f->file_count && paths.missing; k++)
            try_path(&paths, f->files[k]);
    }
    say(&names, "--function", who);
    say(&paths, "--file", who);
}
