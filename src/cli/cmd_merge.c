/* `cotree merge`: many runs become one self-contained file. */
#include "cli/commands.h"
#include "base/memory.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/parts.h"
#include "cli/shared_options.h"
#include "decode/profile/inputs.h"
#include "decode/profile/unite.h"

#include <stdio.h>
#include <unistd.h>

static const struct command_about about = {
    .name = "merge",
    .usages = {"[OPTION...] PROG DATA... -o FILE", "[OPTION...] MERGED... -o FILE",
               "--unite MERGED... -o FILE", "--unite PROG PART... -o FILE"},
    .text =
        "Adds up the counts of many runs of one build of PROG. DATA are run files, directories that are\n"
        "searched for run files (*.cotree), or files that `cotree merge` wrote. FILE stands alone: it needs\n"
        "neither PROG nor DATA any more.\n",
};

static void say_summary(const struct profile *p, const struct decode_totals *totals, const char *output)
{
    struct error line; /* error_set makes names printable */
    error_set(&line, "%llu run%s of %llu file%s in '%s', %s%s", (unsigned long long)p->runs,
              p->runs == 1 ? "" : "s", (unsigned long long)totals->used, totals->used == 1 ? "" : "s", output,
              p->exact ? "exact" : "not exact: ", p->exact ? "" : p->reasons.items[0]);
    fprintf(stderr, "cotree merge: %s\n", line.text);
}

struct request {
    const char *output;
    bool quiet, unite, help;
    struct option_words debug_paths;
    enum path_ends path_ends;
};

static int merge(struct request *q, char **words, size_t count)
{
    struct profile profile = {0};
    struct decode_totals totals;
    struct error error;
    const struct decode_options options = {
        .keep_negative = true, .path_ends = q->path_ends, .debug_paths = q->debug_paths.items};
    int status = input_decode_words(&profile, "cotree merge", words, count, &options, &totals);
    if (status == EXIT_OK || status == EXIT_SKIPPED) {
        if (!profile_write(&profile, q->output, &error)) {
            fprintf(stderr, "cotree merge: %s\n", error.text);
            status = EXIT_CANNOT;
        } else if (!q->quiet) {
            say_summary(&profile, &totals, q->output);
        }
    }
    profile_release(&profile);
    return status;
}

/* What is merged onto a merged file is in it afterwards; nothing else that is read is written. */
static bool check_output(const struct request *q, char **words, struct error *error)
{
    struct input_words onto = {.data = (char *[]){(char *)(uintptr_t)q->output}, .count = 1};
    const char *none = NULL;
    return output_check(q->output, input_is_merged(&onto) ? &none : (const char *const *)words, error);
}

/* The parts that the copies of one run have counted. */
static int unite_parts(struct request *q, char **words, size_t count)
{
    struct profile profile = {0};
    struct input_words in;
    struct error error;
    if (!input_split(&in, words, count, &error) ||
        (!in.program &&
         !error_set(&error, "parts of a run are there, but no program: name it before them"))) {
        fprintf(stderr, "cotree merge: %s\n", error.text);
        return EXIT_USAGE;
    }
    const struct decode_options options = {.keep_negative = true, .debug_paths = q->debug_paths.items};
    struct decode_totals totals = {.used = in.count};
    int status = parts_decode(&profile, "cotree merge", in.program, in.data, in.data, in.count, &options);
    if (status == EXIT_OK && !profile_write(&profile, q->output, &error)) {
        fprintf(stderr, "cotree merge: %s\n", error.text);
        status = EXIT_CANNOT;
    } else if (status == EXIT_OK && !q->quiet) {
        say_summary(&profile, &totals, q->output);
    }
    profile_release(&profile);
    input_release(&in);
    return status;
}

static int unite(struct request *q, char **words, size_t count)
{
    struct error error;
    count = inputs_once(words, count);
    if (parts_are_run_files(words, count))
        return unite_parts(q, words, count);
    struct profile united = {0}, *parts = ZALLOC(struct profile, count + 1);
    struct decode_totals totals = {.used = count};
    int status = EXIT_OK;
    size_t read = 0;
    if (!count) {
        error_set(&error, "nothing to unite: name files that 'cotree merge' wrote");
        status = EXIT_USAGE;
    }
    while (read < count && status == EXIT_OK) {
        if (profile_read(&parts[read], words[read], &error))
            read++;
        else
            status = EXIT_UNUSABLE;
    }
    if (status == EXIT_OK && !profiles_unite(&united, parts, (const char *const *)words, count, &error))
        status = EXIT_CANNOT;
    if (status == EXIT_OK && !profile_write(&united, q->output, &error))
        status = EXIT_CANNOT;
    if (status != EXIT_OK)
        fprintf(stderr, "cotree merge: %s\n", error.text);
    else if (!q->quiet)
        say_summary(&united, &totals, q->output);
    profile_release(&united);
    for (size_t i = 0; i < read; i++)
        profile_release(&parts[i]);
    free(parts);
    return status;
}

int cmd_merge(int argc, char **argv)
{
    struct error error;
    struct request q = {.path_ends = INPUT_PATH_ENDS};
    const struct command_option options[] = {
        {.heading = "Options"},
        OUTPUT_OPTION(&q.output),
        DEBUG_PATH_OPTION(&q.debug_paths),
        {"quiet", 'q', .flag = &q.quiet, .help = "no summary"},
        {.heading = "For experiments"},
        PATH_ENDS_OPTION(&q.path_ends),
        {"unite", .flag = &q.unite,
         .help = "join the parts of one run (-fcotree-parts), or profiles of builds\n"
                 "that watch different paths (-fcotree-paths=group:I/N)"},
        {0},
    };
    int status = EXIT_OK;
    if (!options_parse(&about, options, argc, argv, &q.help, &error) ||
        !debug_paths_finish(&q.debug_paths, &error)) {
        status = options_refuse(about.name, &error);
    } else if (!q.help && !q.output) {
        fprintf(stderr, "cotree merge: no output: say where with -o FILE\n");
        status = EXIT_USAGE;
    } else if (!q.help && !check_output(&q, argv + optind, &error)) {
        status = options_fail(about.name, &error, EXIT_CANNOT);
    } else if (!q.help) {
        status = (q.unite ? unite : merge)(&q, argv + optind, (size_t)(argc - optind));
    }
    ARRAY_RELEASE(&q.debug_paths);
    return status;
}
