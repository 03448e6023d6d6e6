#include "cli/unused_patterns.h"
#include "decode/lines/demangle.h"

#include <stdio.h>

static struct looked_for look_for(const struct globs *globs)
{
    return (struct looked_for){globs, ZALLOC(bool, globs->count + 1), globs->count > 1 ? globs->count : 0};
}

void unused_patterns_init(struct unused_patterns *u, const struct report_filter *filter)
{
    *u = (struct unused_patterns){look_for(&filter->functions), look_for(&filter->files)};
}

void unused_patterns_release(struct unused_patterns *u)
{
    free(u->functions.found);
    free(u->files.found);
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

void unused_patterns_try(struct unused_patterns *u, const struct map_function *f)
{
    if (u->functions.missing)
        try_name(&u->functions, f);
    for (uint32_t k = 0; k < f->file_count && u->files.missing; k++)
        try_path(&u->files, f->files[k]);
}

static void say(const struct looked_for *l, const char *option, const char *who)
{
    struct error line;
    for (size_t i = 0; i < l->globs->count && l->missing && l->missing < l->globs->count; i++)
        if (!l->found[i]) {
            error_set(&line, "nothing matches %s=%s", option, l->globs->items[i]);
            fprintf(stderr, "%s: %s\n", who, line.text);
        }
}

void unused_patterns_say(const struct unused_patterns *u, const char *who)
{
    say(&u->functions, "--function", who);
    say(&u->files, "--file", who);
}

static void try_profile(struct unused_patterns *u, const struct profile *p)
{
    for (size_t i = 0; i < p->functions.count; i++)
        unused_patterns_try(u, &p->functions.items[i].map);
}

void unused_patterns_say_of(const struct report_filter *filter, const struct profile *p,
                            const struct profile *other, const char *who)
{
    struct unused_patterns unused;
    unused_patterns_init(&unused, filter);
    try_profile(&unused, p);
    if (other)
        try_profile(&unused, other);
    unused_patterns_say(&unused, who);
    unused_patterns_release(&unused);
}
