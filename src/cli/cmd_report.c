/* `cotree report`: decodes data and shows it. */
#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "cli/changed_lines.h"
#include "cli/commands.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "cli/unused_patterns.h"
#include "decode/decode.h"
#include "decode/lines/demangle.h"
#include "decode/profile/one_definition.h"
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct command_about about = {
    .name = "report",
    .usages = {"[OPTION...] PROG DATA...", "[OPTION...] MERGED..."},
    .text =
        "Shows how often every function, line and branch of PROG ran. DATA is what its runs left\n"
        "(NAME.PID.cotree), or directories that hold such files; MERGED is what `cotree merge` wrote, and\n"
        "needs no program.\n",
    .threshold = "below a threshold",
};

static const struct {
    const char *name;
    enum report_sort sort;
} sorts[] = {
    {"count", REPORT_SORT_COUNT}, {"entries", REPORT_SORT_ENTRIES},   {"name", REPORT_SORT_NAME},
    {"line", REPORT_SORT_LINE},   {"coverage", REPORT_SORT_COVERAGE},
};

struct request {
    struct report_options options;
    struct view_options view;
    const struct report_format *format;
    bool check_sets, help;
    enum path_ends path_ends;
    double fail_under_lines, fail_under_paths, fail_under_changed; /* below 0: no threshold */
    const char *changed_since, *diff;
    struct changes changes; /* what one of those says */
    struct line_choice line_choice;
};

static bool parse_sort(void *target, const char *word, struct error *error)
{
    enum report_sort *sort = target;
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++)
        if (strcmp(word, sorts[i].name) == 0) {
            *sort = sorts[i].sort;
            return true;
        }
    return error_set(error, "--sort is count, entries, name, line or coverage, not '%s'", word);
}

static bool parse_format(void *target, const char *word, struct error *error)
{
    const struct report_format **format = target;
    *format = report_format_by_name(word);
    struct buffer names = {0};
    for (const struct report_format *f = report_formats; f->name; f++)
        buffer_addf(&names, "%s%s", f == report_formats ? "" : f[1].name ? ", " : " or ", f->name);
    if (!*format)
        error_set(error, "--format is %s, not '%s'", buffer_text(&names), word);
    buffer_release(&names);
    return *format;
}

/* A line for each format, for --help. */
static void describe_formats(struct buffer *text)
{
    for (const struct report_format *f = report_formats; f->name; f++)
        buffer_addf(text, "%s%s: %s", f == report_formats ? "" : "\n", f->name, f->description);
}

static bool read_options(struct request *q, const char *formats, int argc, char **argv, struct error *error)
{
    const struct command_option options[] = {
        {.heading = "What to show"},
        FILTER_OPTIONS(&q->options.filter),
        {"sort", .parse = parse_sort, .target = &q->options.sort, .value = "KEY",
         .help = "count (default in text), entries, name, line, coverage (least first)"},
        {"top", .count = &q->options.top, .value = "N", .help = "only the first N functions in that order"},
        {"no-system", .flag = &q->options.no_system,
         .help = "leave out headers in /usr/include and /usr/lib and their functions"},
        {"changed-since", .word = &q->changed_since, .value = "REV",
         .help = "only lines that were changed since this revision of git"},
        {"diff", .word = &q->diff, .value = "FILE",
         .help = "only lines that this unified diff changed (-: stdin)"},
        {"no-markers", .flag = &q->line_choice.ignore_markers,
         .help = "count lines that LCOV_EXCL_LINE and its like leave out, too"},
        {"no-source", .flag = &q->options.no_source, .help = "the functions, without the source"},
        {"branches", .flag = &q->options.branches, .help = "below each line, where its branches went"},
        {"paths", .flag = &q->options.paths,
         .help = "how many paths ran, and the hottest (-fcotree=paths or trace)"},
        {"neighbours", .flag = &q->options.neighbours,
         .help = "with each path, those that never ran and differ from it at one branch"},
        {.heading = "How to show it"},
        {"format", .parse = parse_format, .target = &q->format, .value = "FORMAT", .help = formats},
        VIEW_OPTIONS(&q->view),
        {.heading = "What to check"},
        {"fail-under-lines", .percent = &q->fail_under_lines, .of_whole = true, .value = "PERCENT",
         .help = "exit with 3 when fewer lines ran"},
        {"fail-under-changed", .percent = &q->fail_under_changed, .of_whole = true, .value = "PERCENT",
         .help = "exit with 3 when fewer changed lines ran (--changed-since, --diff)"},
        {"fail-under-paths", .percent = &q->fail_under_paths, .of_whole = true, .value = "PERCENT",
         .help = "exit with 3 when fewer paths ran, of those that are watched"},
        {.heading = "For experiments"},
        PATH_ENDS_OPTION(&q->path_ends),
        {"check-sets", .flag = &q->check_sets,
         .help = "compare the counter sets of the program (-fcotree=edges,every-edge)"},
        {0},
    };
    return options_parse(&about, options, argc, argv, &q->help, error);
}

static bool parse(struct request *q, int argc, char **argv, struct error *error)
{
    *q = (struct request){.format = &report_formats[0],
                          .path_ends = INPUT_PATH_ENDS,
                          .fail_under_lines = -1,
                          .fail_under_paths = -1,
                          .fail_under_changed = -1};
    struct buffer formats = {0};
    describe_formats(&formats);
    bool good = read_options(q, buffer_text(&formats), argc, argv, error);
    buffer_release(&formats);
    if (!good || q->help)
        return good;
    if (q->changed_since && q->diff)
        return error_set(error, "--changed-since and --diff exclude each other");
    if (q->fail_under_changed >= 0 && !q->changed_since && !q->diff)
        return error_set(error, "--fail-under-changed goes with --changed-since or --diff");
    if (q->options.neighbours && !q->options.paths && q->format == &report_formats[0])
        return error_set(error, "--neighbours goes with --paths in text, or with --format=json");
    if (q->options.paths) { /* --top is then about paths, of all functions */
        q->options.top_paths = q->options.top;
        q->options.top = 0;
    }
    good = view_options_finish(&q->view, error);
    view_options_apply(&q->view, &q->options);
    return good;
}

/* Finds out which lines the report is about. */
static bool choose_lines(struct request *q, struct error *error)
{
    bool good = q->changed_since ? changed_since(&q->changes, q->changed_since, error)
                : q->diff        ? changed_by_diff(&q->changes, q->diff, error)
                                 : true;
    q->line_choice.changes = q->changed_since || q->diff ? &q->changes : NULL;
    q->line_choice.maps = &q->options.source_maps;
    q->options.line_choice = &q->line_choice;
    return good;
}

/* Names the markers that leave out the rest of a file, since nothing ends them. */
static void say_unended_markers(const struct line_choice *choice)
{
    struct error line;
    for (size_t i = 0; i < choice->files.count; i++)
        if (choice->files.items[i]->marked.unended) {
            error_set(&line,
                      "'%s', line %u: no STOP ends this marker, so that it leaves out the rest of the file",
                      choice->files.items[i]->file, choice->files.items[i]->marked.unended);
            fprintf(stderr, "cotree report: %s\n", line.text);
        }
}

/* Says that counts are not exact where the format itself cannot say it. */
static void say_not_exact(const struct profile *profile, const struct report_format *format)
{
    struct error line;
    error_set(&line, "counts are not exact, which %s cannot say: %s%s", format->name,
              profile->reasons.count ? profile->reasons.items[0] : "no reason is known",
              profile->reasons.count > 1 ? " (--format=text has more reasons)" : "");
    fprintf(stderr, "cotree report: %s\n", line.text);
}

/* Names the functions that break the rule of one definition: traced units each run their own. */
static void say_definitions(const struct profile *profile)
{
    struct error line;
    const struct profile_function *f;
    for (size_t at = 0; (f = one_definition_next(profile, &at));) {
        char *name = demangle(f->map.name);
        error_set(&line,
                  "'%s' (%s:%u) is not the same in all units: where they are traced each runs its own, "
                  "where not all run one of them",
                  name, f->map.file_count ? f->map.files[0] : "?", f->map.line);
        fprintf(stderr, "cotree report: %s\n", line.text);
        free(name);
    }
}

static int check_threshold(const char *what, double percent, double wanted)
{
    struct error error;
    if (percent >= wanted)
        return EXIT_OK;
    /* rounded down: what is below the threshold must not look as if it reached it */
    error_set(&error, "%.2f%% of the %s ran, %g%% were asked for", floor(percent * 100) / 100, what, wanted);
    return options_fail("report", &error, EXIT_THRESHOLD);
}

/* judged: all that was asked for, also where --top shows only a part of it. */
static int check_thresholds(const struct request *q, const struct report *judged)
{
    int status = EXIT_OK;
    if (q->fail_under_lines >= 0)
        status = check_threshold("lines", report_line_coverage(judged), q->fail_under_lines);
    if (status == EXIT_OK && q->fail_under_changed >= 0)
        status = check_threshold("changed lines", report_line_coverage(judged), q->fail_under_changed);
    if (status == EXIT_OK && q->fail_under_paths >= 0)
        status = check_threshold("paths", report_path_coverage(judged), q->fail_under_paths);
    return status;
}

static bool has_threshold(const struct request *q)
{
    return q->fail_under_lines >= 0 || q->fail_under_paths >= 0 || q->fail_under_changed >= 0;
}

static int write_report(const struct request *q, const struct profile *profile)
{
    struct error error;
    struct report report, uncut = {0};
    struct report_options all = q->options;
    all.top = 0;
    report_init(&report, profile, &q->options, q->format->for_people);
    const struct report *judged = &report;
    if (q->options.top && has_threshold(q)) {
        report_init(&uncut, profile, &all, q->format->for_people);
        judged = &uncut;
    }
    int status = EXIT_OK;
    struct output output;
    if (report.view.functions.count == 0 && !filter_is_empty(&q->options.filter)) {
        filter_explain_nothing(&q->options.filter, &error);
        status = options_fail("report", &error, EXIT_CANNOT);
    } else if (q->options.paths && !q->format->for_people) {
        error_set(&error, "--paths is text; --format=json and html have the paths of each function");
        status = options_fail("report", &error, EXIT_USAGE);
    } else if ((q->options.paths || q->fail_under_paths >= 0) && !report_has_paths(judged)) {
        error_set(&error, "no paths were counted: build with -fcotree=paths or -fcotree=trace");
        status = options_fail("report", &error, EXIT_CANNOT);
    } else if (q->format->write == report_write_html && output_is_terminal(q->view.output)) {
        error_set(&error, "a page is not for a terminal: -o FILE writes it");
        status = options_fail("report", &error, EXIT_USAGE);
    } else if (!output_open(&output, q->view.output, q->format->for_people && !q->view.no_pager, &error)) {
        status = options_fail("report", &error, EXIT_CANNOT);
    } else {
        if (!profile->exact && !q->format->tells_exactness)
            say_not_exact(profile, q->format);
        (q->options.paths ? report_write_paths : q->format->write)(&report, output.file);
        if (!output_close(&output, true, &error))
            status = options_fail("report", &error, EXIT_CANNOT);
    }
    say_unended_markers(&q->line_choice);
    if (status == EXIT_OK)
        status = check_thresholds(q, judged);
    report_release(&report);
    report_release(&uncut);
    return status;
}

static int report_words(struct request *q, int argc, char **argv)
{
    struct error error;
    struct profile profile = {0};
    if (!output_check(q->view.output, (const char *const *)argv + optind, &error) || !choose_lines(q, &error))
        return options_fail("report", &error, EXIT_CANNOT);
    bool paths = q->options.paths || q->fail_under_paths >= 0 || q->check_sets || q->format->tells_paths;
    const struct decode_options options = {.every_set = q->check_sets,
                                           .path_ends = paths ? q->path_ends : 0,
                                           .debug_paths = q->view.debug_paths.items};
    int status =
        input_decode_words(&profile, "cotree report", argv + optind, (size_t)(argc - optind), &options, NULL);
    bool decoded = status == EXIT_OK || status == EXIT_SKIPPED;
    if (decoded && q->check_sets &&
        !strchr(profile.mode, ',')) { /* a check that compares nothing must not pass */
        error_set(&error, "only one counter set, '%s': build with -fcotree=edges,every-edge to compare",
                  profile.mode);
        status = options_fail("report", &error, EXIT_CANNOT);
    } else if (decoded) {
        say_definitions(&profile);
        unused_patterns_say_of(&q->options.filter, &profile, NULL, "cotree report");
        int written = write_report(q, &profile);
        status = written ? written : status;
    }
    profile_release(&profile);
    return status;
}

int cmd_report(int argc, char **argv)
{
    struct error error;
    struct request q;
    int status = EXIT_OK;
    if (!parse(&q, argc, argv, &error))
        status = options_refuse(about.name, &error);
    else if (!q.help)
        status = report_words(&q, argc, argv);
    view_options_release(&q.view);
    filter_release(&q.options.filter);
    line_choice_release(&q.line_choice);
    changes_release(&q.changes);
    return status;
}
