#include "cli/input.h"
#include "cli/search.h"
#include "decode/decode.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool input_is_program(const char *path)
{
    char magic[4] = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return false;
    bool is = read(fd, magic, sizeof magic) == (ssize_t)sizeof magic && memcmp(magic, "\177ELF", 4) == 0;
    close(fd);
    return is;
}

bool input_path_ends(enum path_ends *ends, const char *word, struct error *error)
{
    static const struct {
        const char *name;
        enum path_ends ends;
    } known[] = {{"back", PATH_ENDS_BACK}, {"loops", PATH_ENDS_LOOPS}, {"mixed", PATH_ENDS_MIXED}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(word, known[i].name)) {
            *ends = known[i].ends;
            return true;
        }
    return error_set(error, "--path-ends is back, loops or mixed, not '%s'", word);
}

static void say_skipped(void *context, const char *file, const char *reason)
{
    struct error line; /* for its clean-up of names */
    error_set(&line, "skipped '%s': %s", file, reason);
    fprintf(stderr, "%s: %s\n", (const char *)context, line.text);
}

static void say_difference(void *context, const struct decode_difference *d)
{
    struct error line;
    const char *what = d->is_path                                 ? "path"
                       : d->is_edge                               ? "edge"
                       : d->id == graph_exit(&d->function->graph) ? "entries, vertex"
                                                                  : "block";
    error_set(&line, "%s: '%s' (%s:%u) %s %u: %lld by %s, %lld by %s",
              d->declared ? "declared difference" : "difference", d->function->name,
              d->function->file_count ? d->function->files[0] : "?", d->function->line, what, d->id,
              (long long)d->first_count, placement_info(d->first)->name, (long long)d->other_count,
              d->traced ? "its trace" : placement_info(d->other)->name);
    fprintf(stderr, "%s: %s\n", (const char *)context, line.text);
}

int input_decode(struct profile *profile, const char *who, char **words, size_t count,
                 const struct decode_options *options, struct decode_totals *totals)
{
    struct error error;
    struct decode_totals own_totals;
    struct decode_options own = options ? *options : (struct decode_options){0};
    const char *program = NULL;
    if (!totals)
        totals = &own_totals;
    if (count > 0 && (input_is_program(words[0]) || access(words[0], F_OK) != 0)) {
        program = words[0];
        words++;
        count--;
    }
    if (count == 0) {
        if (program && access(program, F_OK) != 0) {
            error_set(&error, "'%s': cannot open: %s", program, strerror(errno));
            fprintf(stderr, "%s: %s\n", who, error.text);
            return EXIT_CANNOT;
        }
        if (program)
            error_set(&error,
                      "no data for '%s': run it, then name what it left, as in: %s %s %s.*.cotree "
                      "('COTREE=verbose %s%s' says where)",
                      program, who, program, strrchr(program, '/') ? strrchr(program, '/') + 1 : program,
                      strchr(program, '/') ? "" : "./", program);
        else
            error_set(&error, "no program and no data given: %s PROG DATA...", who);
        fprintf(stderr, "%s: %s\n", who, error.text);
        return EXIT_USAGE;
    }
    own.skipped = say_skipped;
    own.difference = say_difference;
    own.context = (void *)(uintptr_t)who;
    if (!decode(profile, program, (const char *const *)words, count, &own, totals, &error)) {
        if (program && totals->nothing_there)
            search_explain(&error, program, words, count);
        fprintf(stderr, "%s: %s\n", who, error.text);
        return totals->status;
    }
    if (own.every_set && totals->undeclared) {
        fprintf(stderr, "%s: %llu counts differ between counter sets\n", who,
                (unsigned long long)totals->undeclared);
        return EXIT_CANNOT;
    }
    return totals->status;
}
