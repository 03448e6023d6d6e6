/*
 * The road from names to a profile: the program's map, then one input after another, then the
 * solution.
 *
 * Invariants:
 *  1. A file is used whole or not at all (decode/model/counts.h). Of a cut file not even the part
 *     that is there is used: which threads' counts are gone cannot be told, so no bound could be
 *     given.
 *  2. Sums are sums: no result depends on the order of the inputs. What cannot be added up (names,
 *     paths) is chosen by comparison.
 */
#include "decode/decode.h"
#include "base/progress.h"
#include "decode/profile/copies.h"
#include "decode/profile/decoder.h"
#include "decode/profile/inputs.h"
#include "format/data/data.h"

#include <sys/stat.h>
#include <unistd.h>

struct decode_module *decoder_find_module(const struct decoder *d, const char *build_id, const char *path)
{
    for (size_t i = 0; i < d->modules.count; i++) {
        struct decode_module *m = d->modules.items[i];
        if (*build_id ? !strcmp(m->build_id, build_id)
                      : !strncmp(m->build_id, "map:", 4) && !strcmp(m->path, path))
            return m;
    }
    return NULL;
}

static void skip(void *context, const char *path, const char *reason)
{
    struct decoder *d = context;
    d->totals->skipped++;
    if (d->progress)
        progress_end(d->progress);
    if (d->options->skipped)
        d->options->skipped(d->options->context, path, reason);
}

static void add_input(struct decoder *d, struct hash_map *seen, const struct copies *copies,
                      const struct input_list *list, size_t place)
{
    const struct input *input = &list->items[place];
    struct error error;
    uint32_t kind;
    uint64_t size;
    int fd = data_open(input->path, &kind, &size, &error);
    bool used = false;
    if (fd >= 0) {
        struct stat st;
        if ((fstat(fd, &st) == 0 && input_seen_before(seen, &st)) ||
            (kind == DATA_KIND_MERGED && !input->named) || copies_superseded(copies, place, fd)) {
            close(fd);
            return;
        }
        d->path = input->path;
        used = kind == DATA_KIND_MERGED ? decoder_add_merged_file(d, fd, size, &error)
                                        : decoder_add_run_file(d, fd, &error);
    }
    if (used)
        d->totals->used++;
    else
        skip(d, input->path, error.text);
}

static bool load_program(struct decoder *d, struct error *error)
{
    struct decode_module *m = ZALLOC(struct decode_module, 1);
    if (!decode_module_load(m, d->program, d->options->debug_paths, error)) {
        free(m);
        return false;
    }
    ARRAY_PUSH(&d->modules, m);
    d->build_id = memory_string(m->build_id);
    return true;
}

/* Is anything known that could have been counted? A report of nothing would pass every
 * threshold. */
static bool has_functions(const struct decoder *d)
{
    for (size_t i = 0; i < d->modules.count; i++)
        if (d->modules.items[i]->functions.count)
            return true;
    return false;
}

/* Says why there is nothing to show. */
static bool explain_nothing(const struct decoder *d, const struct input_list *inputs, struct error *error)
{
    d->totals->status = EXIT_CANNOT;
    if (d->undecided)
        return error_set(error, "the files are of several builds: name the program whose data is wanted");
    d->totals->status = EXIT_UNUSABLE;
    const struct decode_module *program = d->program ? d->modules.items[0] : NULL;
    if (program && program->map_damaged && !program->functions.count)
        return error_set(error, "no usable data: the map of '%s' is damaged: %s", d->program,
                         program->problem);
    if (d->program && !d->modules.items[0]->known) {
        return error_set(
            error,
            "'%s' holds no map of counters: it was not built with 'cotree cc', or was stripped and no "
            "unstripped copy or separate "
            "debug file of build %s was found",
            d->program, *d->build_id ? d->build_id : "(none)");
    }
    bool found = false;
    for (size_t i = 0; i < inputs->count; i++)
        found |= access(inputs->items[i].path, F_OK) == 0;
    d->totals->nothing_there = !found;
    if (!inputs->count)
        return error_set(error, "no data: no run file *.cotree was found");
    if (d->totals->used)
        return error_set(error, "no usable data: no map tells what was counted");
    return error_set(error, "no usable data: %s",
                     inputs->count == 1 ? "the one file was skipped" : "all files were skipped");
}

static void release(struct decoder *d)
{
    for (size_t i = 0; i < d->modules.count; i++) {
        decode_module_release(d->modules.items[i]);
        free(d->modules.items[i]);
    }
    ARRAY_RELEASE(&d->modules);
    profile_release(&d->sums);
    solver_room_release(&d->room);
    free(d->build_id);
}

bool decode(struct profile *profile, const char *program, const char *const *inputs, size_t input_count,
            const struct decode_options *options, struct decode_totals *totals, struct error *error)
{
    static const struct decode_options defaults;
    struct decode_totals ignored;
    struct decoder d = {
        .options = options ? options : &defaults, .totals = totals ? totals : &ignored, .program = program};
    *profile = (struct profile){0};
    *d.totals = (struct decode_totals){.status = EXIT_CANNOT};
    if (program && !load_program(&d, error)) {
        release(&d);
        return false;
    }
    struct input_list list = {0};
    struct hash_map seen = {0};
    inputs_find(&list, inputs, input_count, skip, &d);
    struct copies copies;
    copies_find(&copies, &list);
    struct progress progress = progress_start("reading", list.count);
    progress.terminal &= !d.options->no_progress;
    d.progress = &progress;
    for (size_t i = 0; i < list.count; i++) {
        progress_update(&progress, i);
        add_input(&d, &seen, &copies, &list, i);
    }
    progress_end(&progress);
    bool ok = d.totals->used > 0 && !d.undecided && has_functions(&d);
    if (ok) {
        decoder_finish(&d, profile);
        d.totals->status = d.totals->skipped ? EXIT_SKIPPED : EXIT_OK;
    } else {
        explain_nothing(&d, &list, error);
    }
    inputs_release(&list);
    hash_map_release(&seen);
    copies_release(&copies);
    release(&d);
    return ok;
}
