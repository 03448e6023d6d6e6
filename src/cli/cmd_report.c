/* `cotree report`: data in, an answer out. */
#include "base/error.h"
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/output.h"
#include "decode/decode.h"
#include "decode/lines/demangle.h"
#include "decode/profile/one_definition.h"
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: cotree report [OPTION...] PROG DATA...\n"
    "       cotree report [OPTION...] MERGED...\n"
    "\n"
    "Shows how often every function, line and branch of PROG ran. DATA is what its runs left "
    "(NAME.PID.cotree), or\n"
    "directories that hold such files; MERGED is what `cotree merge` wrote, and needs no program.\n"
    "\n"
    "What to show:\n"
    "  --function=GLOB       only functions of this name (demangled or not, parameters may be left out)\n"
    "  --file=GLOB           only this source file; the last components of its path are enough\n"
    "  --sort=KEY            count (default in text), entries, name, line, coverage (least first)\n"
    "  --top=N               only the first N functions in that order\n"
    "  --no-system           leave out system headers (/usr/include, /usr/lib) and functions defined there\n"
    "  --no-source           the functions, without the source\n"
    "  --branches            below each line, where its branches went\n"
    "  --paths               how many paths ran, and those that ran most (--top=N: so many), of a program "
    "built with -fcotree=paths\n"
    "                        or -fcotree=trace\n"
    "  --path-ends=WHERE     what ends the paths of a traced program: back (edges back into loops), loops "
    "(and edges\n"
    "                        into them), mixed (some of these; the default); cotree-cc(1), "
    "-fcotree-path-ends\n"
    "  --neighbours          with each path, those that never ran and differ from it at one branch (text "
    "with --paths, JSON)\n"
    "\n"
    "How to show it:\n"
    "  --format=FORMAT       ";
static const char help_rest[] =
    "  -o, --output=FILE     write FILE, complete or not at all\n"
    "  --source-map=OLD=NEW  sources whose path begins with OLD are at NEW now (may be repeated)\n"
    "  --debug-path=PATH     where else the maps of stripped programs may be: a file or directory (may be "
    "repeated)\n"
    "  --no-demangle         linkage names of C++ functions\n"
    "  --color=WHEN          auto (a terminal, and NO_COLOR is not set), always, never\n"
    "  --no-pager            do not run COTREE_PAGER, PAGER or less\n"
    "\n"
    "What to check:\n"
    "  --fail-under-lines=PERCENT  exit with 3 when fewer lines ran\n"
    "  --fail-under-paths=PERCENT  exit with 3 when fewer paths ran, of those that are watched\n"
    "  --check-sets          compare all counter sets of the program with each other (cotree cc "
    "-fcotree=edges,every-edge)\n"
    "\n"
    "Exit status: 0 done, 1 cannot, 2 no usable input, 3 below a threshold, 4 some inputs skipped, 64 wrong "
    "usage.\n";

static void put_help(void)
{
    fputs(help, stdout);
    for (const struct report_format *f = report_formats; f->name; f++)
        printf("%*s%s: %s\n", f == report_formats ? 0 : 24, "", f->name, f->description);
    fputs(help_rest, stdout);
}

static const struct {
    const char *name;
    enum report_sort sort;
} sorts[] = {
    {"count", REPORT_SORT_COUNT}, {"entries", REPORT_SORT_ENTRIES},   {"name", REPORT_SORT_NAME},
    {"line", REPORT_SORT_LINE},   {"coverage", REPORT_SORT_COVERAGE},
};

struct request {
    struct report_options options;
    const struct report_format *format;
    const char *output, *color;
    bool no_pager, check_sets, help;
    struct option_words debug_paths;
    enum path_ends path_ends;
    double fail_under_lines, fail_under_paths; /* below 0: no threshold */
};

static bool parse_sort(void *request, const char *word, struct error *error)
{
    struct request *q = request;
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++)
        if (strcmp(word, sorts[i].name) == 0) {
            q->options.sort = sorts[i].sort;
            return true;
        }
    return error_set(error, "--sort is count, entries, name, line or coverage, not '%s'", word);
}

static bool parse_format(void *request, const char *word, struct error *error)
{
    struct request *q = request;
    q->format = report_format_by_name(word);
    return q->format ? true : error_set(error, "no such format: '%s'", word);
}

static bool add_source_map(void *request, const char *word, struct error *error)
{
    struct request *q = request;
    return source_maps_add(&q->options.source_maps, word, error);
}

static bool parse_path_ends(void *request, const char *word, struct error *error)
{
    struct request *q = request;
    return input_path_ends(&q->path_ends, word, error);
}

static bool parse(struct request *q, int argc, char **argv, struct error *error)
{
    *q = (struct request){.format = &report_formats[0],
                          .color = "auto",
                          .path_ends = INPUT_PATH_ENDS,
                          .fail_under_lines = -1,
                          .fail_under_paths = -1};
    const struct command_option options[] = {
        {"format", .parse = parse_format},
        {"output", 'o', .word = &q->output},
        {"function", .word = &q->options.function},
        {"file", .word = &q->options.file},
        {"sort", .parse = parse_sort},
        {"top", .count = &q->options.top},
        {"no-source", .flag = &q->options.no_source},
        {"no-system", .flag = &q->options.no_system},
        {"branches", .flag = &q->options.branches},
        {"paths", .flag = &q->options.paths},
        {"path-ends", .parse = parse_path_ends},
        {"source-map", .parse = add_source_map},
        {"color", .word = &q->color},
        {"no-pager", .flag = &q->no_pager},
        {"neighbours", .flag = &q->options.neighbours},
        {"fail-under-lines", .percent = &q->fail_under_lines, .of_whole = true},
        {"fail-under-paths", .percent = &q->fail_under_paths, .of_whole = true},
        {"check-sets", .flag = &q->check_sets},
        {"no-demangle", .flag = &q->options.no_demangle},
        {"debug-path", .words = &q->debug_paths},
        {NULL},
    };
    bool ok = options_parse(options, argc, argv, q, &q->help, error) &&
              (q->help || output_color(q->color, q->output, &q->options.color, error));
    if (q->options.paths) { /* of all functions */
        q->options.top_paths = q->options.top;
        q->options.top = 0;
    }
    return ok;
}

static int refuse(const struct error *error, int status)
{
    fprintf(stderr, "cotree report: %s\n", error->text);
    return status;
}

/* For formats that cannot say it themselves: no count leaves here as exact that is not. */
static void say_not_exact(const struct profile *profile, const struct report_format *format)
{
    struct error line;
    error_set(&line, "counts are not exact, which %s cannot say: %s%s", format->name,
              profile->reasons.count ? profile->reasons.items[0] : "no reason is known",
              profile->reasons.count > 1 ? " (--format=text has more reasons)" : "");
    fprintf(stderr, "cotree report: %s\n", line.text);
}

/* What a trace changes in programs that break the rule of one definition. */
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
    return refuse(&error, EXIT_THRESHOLD);
}

/* judged: what was asked for as a whole, of which --top shows a part. */
static int check_thresholds(const struct request *q, const struct report *judged)
{
    int status = EXIT_OK;
    if (q->fail_under_lines >= 0)
        status = check_threshold("lines", report_line_coverage(judged), q->fail_under_lines);
    if (status == EXIT_OK && q->fail_under_paths >= 0)
        status = check_threshold("paths", report_path_coverage(judged), q->fail_under_paths);
    return status;
}

static int write_report(const struct request *q, const struct profile *profile)
{
    struct error error;
    struct report report, uncut = {0};
    struct report_options all = q->options;
    all.top = 0;
    report_init(&report, profile, &q->options, q->format->for_people);
    const struct report *judged = &report;
    if (q->options.top && (q->fail_under_lines >= 0 || q->fail_under_paths >= 0)) {
        report_init(&uncut, profile, &all, q->format->for_people);
        judged = &uncut;
    }
    int status = EXIT_OK;
    struct output output;
    if (report.view.functions.count == 0 && (q->options.function || q->options.file)) {
        error_set(&error, "nothing matches '%s'",
                  q->options.function ? q->options.function : q->options.file);
        status = refuse(&error, EXIT_CANNOT);
    } else if (q->options.paths && !q->format->for_people) {
        error_set(&error, "--paths is text; --format=json and html have the paths of each function");
        status = refuse(&error, EXIT_USAGE);
    } else if ((q->options.paths || q->fail_under_paths >= 0) && !report_has_paths(judged)) {
        error_set(&error, "no paths were counted: build with -fcotree=paths or -fcotree=trace");
        status = refuse(&error, EXIT_CANNOT);
    } else if (q->format->write == report_write_html && output_is_terminal(q->output)) {
        error_set(&error, "a page is not for a terminal: -o FILE writes it");
        status = refuse(&error, EXIT_USAGE);
    } else if (!output_open(&output, q->output, q->format->for_people && !q->no_pager, &error)) {
        status = refuse(&error, EXIT_CANNOT);
    } else {
        if (!profile->exact && !q->format->tells_exactness)
            say_not_exact(profile, q->format);
        (q->options.paths ? report_write_paths : q->format->write)(&report, output.file);
        if (!output_close(&output, true, &error))
            status = refuse(&error, EXIT_CANNOT);
    }
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
    ARRAY_PUSH(&q->debug_paths, NULL);
    bool paths = q->options.paths || q->fail_under_paths >= 0 || q->check_sets || q->format->tells_paths;
    const struct decode_options options = {.every_set = q->check_sets,
                                           .path_ends = paths ? q->path_ends : 0,
                                           .debug_paths = q->debug_paths.items};
    int status =
        input_decode(&profile, "cotree report", argv + optind, (size_t)(argc - optind), &options, NULL);
    bool decoded = status == EXIT_OK || status == EXIT_SKIPPED;
    if (decoded && q->check_sets &&
        !strchr(profile.mode, ',')) { /* a check that compares nothing must not pass */
        error_set(&error, "only one counter set, '%s': build with -fcotree=edges,every-edge to compare",
                  profile.mode);
        status = refuse(&error, EXIT_CANNOT);
    } else if (decoded) {
        say_definitions(&profile);
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
        status = options_refuse("report", &error);
    else if (q.help)
        put_help();
    else
        status = report_words(&q, argc, argv);
    ARRAY_RELEASE(&q.options.source_maps);
    ARRAY_RELEASE(&q.debug_paths);
    return status;
}
