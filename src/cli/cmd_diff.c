/* `cotree diff`: compares two profiles. */
#include "base/error.h"
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "cli/unused_patterns.h"
#include "decode/decode.h"
#include "report/diff.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct command_about about = {
    .name = "diff",
    .usages = {"[OPTION...] OLD NEW", "[OPTION...] PROG OLD NEW",
               "[OPTION...] PROG DATA... -- [PROG] DATA..."},
    .text =
        "Shows which functions and lines ran more or less often in the new profile than in the old one.\n"
        "OLD and NEW are what `cotree merge` wrote, or, with PROG, what its runs left. Several files a "
        "side,\n"
        "or two programs, are parted by --. Functions of two builds are matched by name and graph, their\n"
        "lines by position.\n",
    .threshold = "above a threshold",
};

struct side {
    struct input_words words;
    struct profile profile;
    struct report report;
};

struct request {
    struct report_options options;
    struct view_options view;
    void (*write)(const struct diff *d, size_t top, FILE *out);
    bool help;
    double fail_above; /* below 0: no threshold */
    char **old_words, **new_words;
    size_t old_count, new_count;
    bool parted; /* by --; otherwise all words are in old_words */
    struct side old_side, new_side;
};

static bool parse_format(void *target, const char *word, struct error *error)
{
    struct request *q = target;
    q->write = !strcmp(word, "text")   ? diff_write_text
               : !strcmp(word, "html") ? diff_write_html
               : !strcmp(word, "json") ? diff_write_json
                                       : NULL;
    return q->write ? true : error_set(error, "--format is text, html or json, not '%s'", word);
}

/* Options may stand on either side of `--`. */
static bool parse(struct request *q, int argc, char **argv, struct error *error)
{
    *q = (struct request){.write = diff_write_text, .fail_above = -1};
    const struct command_option options[] = {
        {.heading = "What to show"},
        FILTER_OPTIONS(&q->options.filter),
        {"top", .count = &q->options.top, .value = "N",
         .help = "N functions and N lines (20 in text, all in JSON)"},
        {"no-system", .flag = &q->options.no_system,
         .help = "leave out headers in /usr/include and /usr/lib and their functions"},
        {"no-source", .flag = &q->options.no_source, .help = "lines by number only"},
        {"paths", .flag = &q->options.paths,
         .help = "the paths that ran more or less often, too (-fcotree=paths or trace)"},
        {.heading = "How to show it"},
        {"format", .parse = parse_format, .target = q, .value = "FORMAT",
         .help = "text, html: a page to look at, or json: cotree-json(5)"},
        VIEW_OPTIONS(&q->view),
        {.heading = "What to check"},
        {"fail-above", .percent = &q->fail_above, .value = "PERCENT",
         .help = "exit with 3 when the blocks ran more often than before by more than this"},
        {0},
    };
    int dashes = 1;
    while (dashes < argc && strcmp(argv[dashes], "--"))
        dashes++;
    char *kept = argv[dashes]; /* getopt wants an array that ends with NULL */
    argv[dashes] = NULL;
    bool good = options_parse(&about, options, dashes, argv, &q->help, error);
    argv[dashes] = kept;
    q->old_words = argv + optind;
    q->old_count = (size_t)(dashes - optind);
    q->parted = dashes < argc;
    if (good && !q->help && q->parted) {
        good = options_parse(&about, options, argc - dashes, argv + dashes, &q->help, error);
        q->new_words = argv + dashes + optind;
        q->new_count = (size_t)(argc - dashes - optind);
    }
    if (!good || q->help)
        return good;
    good = view_options_finish(&q->view, error);
    view_options_apply(&q->view, &q->options);
    return good;
}

/* Two profiles without -- between them: one file or directory each, and perhaps their program. */
static bool split_pair(struct request *q, struct error *error)
{
    struct input_words *a = &q->old_side.words, *b = &q->new_side.words;
    struct error several;
    if (!input_split(a, q->old_words, q->old_count, &several))
        return error_set(error, "%s; to compare them: PROG DATA... -- PROG DATA...", several.text);
    if (a->count != 2)
        return error_set(error, a->count < 2 ? "two profiles are needed: cotree diff OLD NEW, or PROG OLD NEW"
                                             : "which are old, which are new? Put -- between them: PROG "
                                               "DATA... -- DATA...");
    *b = (struct input_words){.program = a->program, .data = ALLOC(char *, 1), .count = 1};
    b->data[0] = a->data[--a->count];
    return true;
}

/* A side without a program takes that of the other side. Merged files stand alone, and may be of
 * another build. */
static bool split_words(struct request *q, struct error *error)
{
    struct input_words *a = &q->old_side.words, *b = &q->new_side.words;
    if (!q->parted && !split_pair(q, error))
        return false;
    if (q->parted && (!q->old_count || !q->new_count))
        return error_set(error, "nothing stands %s --", q->old_count ? "after" : "before");
    if (q->parted && (!input_split(a, q->old_words, q->old_count, error) ||
                      !input_split(b, q->new_words, q->new_count, error)))
        return false;
    const char *old_program = a->program, *new_program = b->program;
    a->program = input_is_merged(a) ? NULL : old_program ? old_program : new_program;
    b->program = input_is_merged(b) ? NULL : new_program ? new_program : old_program;
    return true;
}

static int write_diff(const struct request *q, const struct diff *d)
{
    struct error error;
    struct output output;
    if (!d->functions.count && !filter_is_empty(&q->options.filter)) {
        filter_explain_nothing(&q->options.filter, &error);
        return options_fail("diff", &error, EXIT_CANNOT);
    }
    if (q->options.paths && (!report_has_paths(d->old_report) || !report_has_paths(d->new_report))) {
        error_set(&error,
                  "no paths were counted in the %s profile: build with -fcotree=paths or -fcotree=trace",
                  report_has_paths(d->old_report) ? "new" : "old");
        return options_fail("diff", &error, EXIT_CANNOT);
    }
    if (q->write == diff_write_html && output_is_terminal(q->view.output)) {
        error_set(&error, "a page is not for a terminal: -o FILE writes it");
        return options_fail("diff", &error, EXIT_USAGE);
    }
    if (!output_open(&output, q->view.output, q->write == diff_write_text && !q->view.no_pager, &error))
        return options_fail("diff", &error, EXIT_CANNOT);
    q->write(d, q->options.top, output.file);
    if (!output_close(&output, true, &error))
        return options_fail("diff", &error, EXIT_CANNOT);
    if (q->fail_above >= 0 && (double)d->new_runs > (double)d->old_runs * (1 + q->fail_above / 100)) {
        error_set(&error, "blocks ran %lld times, %lld times before: more than %g%% above",
                  (long long)d->new_runs, (long long)d->old_runs, q->fail_above);
        return options_fail("diff", &error, EXIT_THRESHOLD);
    }
    return EXIT_OK;
}

static bool usable(int status)
{
    return status == EXIT_OK || status == EXIT_SKIPPED;
}

static int compare(struct request *q)
{
    struct error error;
    if (!split_words(q, &error))
        return options_refuse(about.name, &error);
    if (!input_allow_output(&q->old_side.words, q->view.output, &error) ||
        !input_allow_output(&q->new_side.words, q->view.output, &error))
        return options_fail("diff", &error, EXIT_CANNOT);
    const struct decode_options options = {.path_ends = q->options.paths ? INPUT_PATH_ENDS : 0,
                                           .debug_paths = q->view.debug_paths.items};
    struct report_options shown = q->options;
    shown.top = 0;
    struct side *a = &q->old_side, *b = &q->new_side;
    int old_status = input_decode(&a->profile, "cotree diff", &a->words, &options, NULL);
    int new_status =
        usable(old_status) ? input_decode(&b->profile, "cotree diff", &b->words, &options, NULL) : old_status;
    int status = new_status ? new_status : old_status;
    if (usable(new_status)) {
        struct diff d;
        report_init(&a->report, &a->profile, &shown, false);
        report_init(&b->report, &b->profile, &shown, false);
        diff_init(&d, &a->report, &b->report);
        unused_patterns_say_of(&shown.filter, &a->profile, &b->profile, "cotree diff");
        if (q->options.paths)
            diff_add_paths(&d);
        int written = write_diff(q, &d);
        status = written ? written : status;
        diff_release(&d);
        report_release(&a->report);
        report_release(&b->report);
    }
    profile_release(&a->profile);
    profile_release(&b->profile);
    return status;
}

int cmd_diff(int argc, char **argv)
{
    struct error error;
    struct request q;
    int status = EXIT_OK;
    if (!parse(&q, argc, argv, &error))
        status = options_refuse(about.name, &error);
    else if (!q.help)
        status = compare(&q);
    input_release(&q.old_side.words);
    input_release(&q.new_side.words);
    view_options_release(&q.view);
    filter_release(&q.options.filter);
    return status;
}
