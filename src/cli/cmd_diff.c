/* `cotree diff`: two profiles in, what differs out. */
#include "base/error.h"
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/output.h"
#include "decode/decode.h"
#include "format/data/data.h"
#include "report/diff.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: cotree diff [OPTION...] OLD NEW\n"
    "       cotree diff [OPTION...] PROG OLD NEW\n"
    "       cotree diff [OPTION...] PROG DATA... -- [PROG] DATA...\n"
    "\n"
    "Shows which functions and lines ran more or less often in the new profile than in the old one. OLD and "
    "NEW are what "
    "`cotree\n"
    "merge` wrote, or, behind PROG, what its runs left. Several files a side, or two programs, are parted by "
    "--. Functions of "
    "two\n"
    "builds are matched by name and graph, their lines by position.\n"
    "\n"
    "What to show:\n"
    "  --function=GLOB       only functions of this name (demangled or not, parameters may be left out)\n"
    "  --file=GLOB           only this source file; the last components of its path are enough\n"
    "  --top=N               N functions and N lines (20 in text, all in JSON)\n"
    "  --no-system           leave out system headers (/usr/include, /usr/lib) and functions defined there\n"
    "  --no-source           lines by number only\n"
    "  --paths               the paths that ran more or less often, too (-fcotree=paths)\n"
    "\n"
    "How to show it:\n"
    "  --format=FORMAT       text, html: a page to look at, or json: cotree-json(5)\n"
    "  -o, --output=FILE     write FILE, complete or not at all\n"
    "  --source-map=OLD=NEW  sources whose path begins with OLD are at NEW now (may be repeated)\n"
    "  --debug-path=PATH     where else the maps of stripped programs may be: a file or directory (may be "
    "repeated)\n"
    "  --no-demangle         linkage names of C++ functions\n"
    "  --color=WHEN          auto (a terminal, and NO_COLOR is not set), always, never\n"
    "  --no-pager            do not run COTREE_PAGER, PAGER or less\n"
    "\n"
    "What to check:\n"
    "  --fail-above=PERCENT  exit with 3 when the blocks ran more often than before by more than this\n"
    "\n"
    "Exit status: 0 done, 1 cannot, 2 no usable input, 3 above a threshold, 4 some inputs skipped, 64 wrong "
    "usage.\n";

struct side {
    char **words;
    size_t count;
    struct profile profile;
    struct report report;
};

struct request {
    struct report_options options;
    void (*write)(const struct diff *d, size_t top, FILE *out);
    bool no_pager, help;
    const char *output, *color;
    struct option_words debug_paths;
    double fail_above; /* below 0: no threshold */
    struct side old_side, new_side;
};

static bool parse_format(void *request, const char *word, struct error *error)
{
    struct request *q = request;
    q->write = !strcmp(word, "text")   ? diff_write_text
               : !strcmp(word, "html") ? diff_write_html
               : !strcmp(word, "json") ? diff_write_json
                                       : NULL;
    return q->write ? true : error_set(error, "no such format: '%s'", word);
}

static bool add_source_map(void *request, const char *word, struct error *error)
{
    struct request *q = request;
    return source_maps_add(&q->options.source_maps, word, error);
}

/* Options may stand on either side of `--`. */
static bool parse(struct request *q, int argc, char **argv, struct error *error)
{
    *q = (struct request){.write = diff_write_text, .color = "auto", .fail_above = -1};
    const struct command_option options[] = {
        {"format", .parse = parse_format},
        {"output", 'o', .word = &q->output},
        {"function", .word = &q->options.function},
        {"file", .word = &q->options.file},
        {"top", .count = &q->options.top},
        {"no-source", .flag = &q->options.no_source},
        {"no-system", .flag = &q->options.no_system},
        {"paths", .flag = &q->options.paths},
        {"source-map", .parse = add_source_map},
        {"color", .word = &q->color},
        {"no-pager", .flag = &q->no_pager},
        {"fail-above", .percent = &q->fail_above},
        {"no-demangle", .flag = &q->options.no_demangle},
        {"debug-path", .words = &q->debug_paths},
        {NULL},
    };
    int parted = 1;
    while (parted < argc && strcmp(argv[parted], "--"))
        parted++;
    char *behind = argv[parted]; /* getopt wants an array that ends with NULL */
    argv[parted] = NULL;
    bool good = options_parse(options, parted, argv, q, &q->help, error);
    argv[parted] = behind;
    q->old_side.words = argv + optind;
    q->old_side.count = (size_t)(parted - optind);
    if (good && !q->help && parted < argc) {
        good = options_parse(options, argc - parted, argv + parted, q, &q->help, error);
        q->new_side.words = argv + parted + optind;
        q->new_side.count = (size_t)(argc - parted - optind);
    }
    return good && (q->help || output_color(q->color, q->output, &q->options.color, error));
}

static bool is_merged(const char *path)
{
    uint32_t kind = 0;
    uint64_t size;
    struct error ignored;
    int fd = data_open(path, &kind, &size, &ignored);
    if (fd >= 0)
        close(fd);
    return fd >= 0 && kind == DATA_KIND_MERGED;
}

/* The words of both sides; those of the new side get the program of the old one if they need one. The array
 * is the caller's to free. */
static char **share_out(struct request *q, struct error *error)
{
    struct side *a = &q->old_side, *b = &q->new_side;
    bool program = a->count && input_is_program(a->words[0]);
    size_t count = a->count + b->count + 2;
    char **words = ALLOC(char *, count);
    if (!b->words && a->count != (program ? 3u : 2u)) {
        free(words);
        error_set(error, a->count < 2 || (program && a->count == 2)
                             ? "two profiles are needed: cotree diff OLD NEW, or PROG OLD NEW"
                             : "which are old, which are new? Put -- between them: PROG DATA... -- DATA...");
        return NULL;
    }
    if (b->words && (!a->count || !b->count)) {
        free(words);
        error_set(error, "nothing stands %s --", a->count ? "behind" : "before");
        return NULL;
    }
    if (b->words) {
        memcpy(words, a->words, a->count * sizeof *words);
        memcpy(words + a->count + 1, b->words, b->count * sizeof *words);
    } else {
        words[0] = a->words[0];
        if (program)
            words[1] = a->words[1];
        words[a->count] = a->words[a->count - 1];
        b->count = 1;
        a->count -= 1;
    }
    b->words = words + a->count + 1;
    a->words = words;
    if (program && !input_is_program(b->words[0]) && !is_merged(b->words[0])) {
        *--b->words = words[0];
        b->count++;
    }
    if (program && a->count > 1 &&
        is_merged(a->words[1])) { /* it stands alone, and may be of another build */
        a->words++;
        a->count--;
    }
    return words;
}

static int refuse(const struct error *error, int status)
{
    fprintf(stderr, "cotree diff: %s\n", error->text);
    return status;
}

static int write_diff(const struct request *q, const struct diff *d)
{
    struct error error;
    struct output output;
    if (!d->functions.count && (q->options.function || q->options.file)) {
        error_set(&error, "nothing matches '%s'",
                  q->options.function ? q->options.function : q->options.file);
        return refuse(&error, EXIT_CANNOT);
    }
    if (q->options.paths && (!report_has_paths(d->old_report) || !report_has_paths(d->new_report))) {
        error_set(&error,
                  "no paths were counted in the %s profile: build with -fcotree=paths or -fcotree=trace",
                  report_has_paths(d->old_report) ? "new" : "old");
        return refuse(&error, EXIT_CANNOT);
    }
    if (q->write == diff_write_html && output_is_terminal(q->output)) {
        error_set(&error, "a page is not for a terminal: -o FILE writes it");
        return refuse(&error, EXIT_USAGE);
    }
    if (!output_open(&output, q->output, q->write == diff_write_text && !q->no_pager, &error))
        return refuse(&error, EXIT_CANNOT);
    q->write(d, q->options.top, output.file);
    if (!output_close(&output, true, &error))
        return refuse(&error, EXIT_CANNOT);
    if (q->fail_above >= 0 && (double)d->new_runs > (double)d->old_runs * (1 + q->fail_above / 100)) {
        error_set(&error, "blocks ran %lld times, %lld times before: more than %g%% above",
                  (long long)d->new_runs, (long long)d->old_runs, q->fail_above);
        return refuse(&error, EXIT_THRESHOLD);
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
    char **words = share_out(q, &error);
    if (!words)
        return options_refuse("diff", &error);
    ARRAY_PUSH(&q->debug_paths, NULL);
    const struct decode_options options = {.path_ends = q->options.paths ? INPUT_PATH_ENDS : 0,
                                           .debug_paths = q->debug_paths.items};
    struct report_options shown = q->options;
    shown.top = 0;
    struct side *a = &q->old_side, *b = &q->new_side;
    int old_status = input_decode(&a->profile, "cotree diff", a->words, a->count, &options, NULL);
    int new_status = usable(old_status)
                         ? input_decode(&b->profile, "cotree diff", b->words, b->count, &options, NULL)
                         : old_status;
    int status = new_status ? new_status : old_status;
    if (usable(new_status)) {
        struct diff d;
        report_init(&a->report, &a->profile, &shown, false);
        report_init(&b->report, &b->profile, &shown, false);
        diff_init(&d, &a->report, &b->report);
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
    free(words);
    return status;
}

int cmd_diff(int argc, char **argv)
{
    struct error error;
    struct request q;
    int status = EXIT_OK;
    if (!parse(&q, argc, argv, &error))
        status = options_refuse("diff", &error);
    else if (q.help)
        fputs(help, stdout);
    else
        status = compare(&q);
    ARRAY_RELEASE(&q.options.source_maps);
    ARRAY_RELEASE(&q.debug_paths);
    return status;
}
