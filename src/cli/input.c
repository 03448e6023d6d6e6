#include "cli/input.h"
#include "base/memory.h"
#include "cli/output.h"
#include "cli/search.h"
#include "cli/variants.h"
#include "decode/decode.h"
#include "format/data/data.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Words by content ---- */

bool input_is_program(const char *path)
{
    struct {
        unsigned char magic[EI_NIDENT];
        uint16_t type;
    } start = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return false;
    ssize_t length = read(fd, &start, sizeof start);
    close(fd);
    /* A damaged program is a program, too: its reader says what is wrong. Objects and cores are
     * not. */
    return length >= SELFMAG && !memcmp(start.magic, ELFMAG, SELFMAG) && start.type != ET_REL &&
           start.type != ET_CORE;
}

bool input_split(struct input_words *in, char **words, size_t count, struct error *error)
{
    *in = (struct input_words){.data = ALLOC(char *, count + 1)};
    for (size_t i = 0; i < count; i++) {
        if (!input_is_program(words[i])) {
            in->data[in->count++] = words[i];
        } else if (!in->program) {
            in->program = words[i];
        } else {
            error_set(error, "'%s' and '%s' are programs, and one is wanted", in->program, words[i]);
            input_release(in);
            return false;
        }
    }
    return true;
}

void input_release(struct input_words *in)
{
    free(in->data);
    free(in->variant);
    *in = (struct input_words){0};
}

bool input_allow_output(const struct input_words *in, const char *output, struct error *error)
{
    const char **read = ALLOC(const char *, in->count + 2);
    memory_copy(read, in->data, in->count * sizeof *read);
    read[in->count] = in->program;
    read[in->count + 1] = NULL;
    bool ok = output_check(output, read, error);
    free(read);
    return ok;
}

/* The kind of a file that cotree wrote (enum data_kind), or false with the reason. */
static bool read_kind(const char *path, uint32_t *kind, struct error *error)
{
    uint64_t size;
    int fd = data_open(path, kind, &size, error);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

bool input_is_merged(const struct input_words *in)
{
    struct error ignored;
    uint32_t kind;
    for (size_t i = 0; i < in->count; i++)
        if (!read_kind(in->data[i], &kind, &ignored) || kind != DATA_KIND_MERGED)
            return false;
    return in->count > 0;
}

static bool is_usable(const char *path)
{
    struct error ignored;
    struct stat st;
    uint32_t kind;
    return (stat(path, &st) == 0 && S_ISDIR(st.st_mode)) || read_kind(path, &kind, &ignored);
}

/*
 * Refuses words without a program of which the first is not there, most likely a program that was
 * misspelt, or of which none is data. Otherwise what is no data is skipped, with a line, by decode.
 */
static int check_words(const struct input_words *in, const char *who, struct error *error)
{
    uint32_t kind;
    if (in->program && in->count) {
        return EXIT_OK;
    } else if (in->program) {
        const char *slash = strrchr(in->program, '/');
        error_set(error,
                  "no data for '%s': run it, then name what it left, as in: %s %s %s.*.cotree "
                  "('COTREE=verbose %s%s' says where)",
                  in->program, who, in->program, slash ? slash + 1 : in->program, slash ? "" : "./",
                  in->program);
        return EXIT_USAGE;
    } else if (!in->count) {
        error_set(error, "no program and no data given: %s PROG DATA...", who);
        return EXIT_USAGE;
    } else if (access(in->data[0], F_OK) != 0) {
        error_set(error, "'%s': cannot open: %s", in->data[0], strerror(errno));
        return EXIT_CANNOT;
    }
    for (size_t i = 0; i < in->count; i++)
        if (is_usable(in->data[i]))
            return EXIT_OK;
    struct error why;
    read_kind(in->data[0], &kind, &why);
    error_set(error, "'%s' is no program, and %s", in->data[0], why.text);
    return EXIT_UNUSABLE;
}

void input_take_variant(struct input_words *in, const char *who, const char *const *debug_paths)
{
    char *variant = variant_of_data(in, debug_paths);
    if (!variant)
        return;
    struct error line;
    error_set(&line, "the data is of a variant of '%s': read with '%s'", in->program, variant);
    fprintf(stderr, "%s: %s\n", who, line.text);
    free(in->variant);
    in->program = in->variant = variant;
}

/* ---- Decoding ---- */

static void say_skipped(void *context, const char *file, const char *reason)
{
    struct error line; /* error_set makes names printable */
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

int input_decode(struct profile *profile, const char *who, struct input_words *in,
                 const struct decode_options *options, struct decode_totals *totals)
{
    struct error error;
    struct decode_totals own_totals;
    struct decode_options own = options ? *options : (struct decode_options){0};
    if (!totals)
        totals = &own_totals;
    int status = check_words(in, who, &error);
    if (status != EXIT_OK) {
        fprintf(stderr, "%s: %s\n", who, error.text);
        return status;
    }
    input_take_variant(in, who, own.debug_paths);
    own.skipped = say_skipped;
    own.difference = say_difference;
    own.context = (void *)(uintptr_t)who;
    if (!decode(profile, in->program, (const char *const *)in->data, in->count, &own, totals, &error)) {
        if (in->program && totals->nothing_there)
            search_explain(&error, in->program, in->data, in->count);
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

int input_decode_words(struct profile *profile, const char *who, char **words, size_t count,
                       const struct decode_options *options, struct decode_totals *totals)
{
    struct error error;
    struct input_words in;
    if (!input_split(&in, words, count, &error)) {
        fprintf(stderr, "%s: %s\n", who, error.text);
        return EXIT_USAGE;
    }
    int status = input_decode(profile, who, &in, options, totals);
    input_release(&in);
    return status;
}
