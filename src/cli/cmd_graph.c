/* `cotree graph`: a function's flow graph with its counts and counters, from a program and its data
 * or from the program's map alone; or the plans of graphs given as text (cli/graph_text.c). */
#include "base/error.h"
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/graph_text.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "cli/unused_patterns.h"
#include "decode/elf/map.h"
#include "decode/lines/demangle.h"
#include "report/report.h"

#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const struct command_about about = {
    .name = "graph",
    .usages = {"[OPTION...] PROG [DATA...] --function=NAME", "[OPTION...] MERGED... --function=NAME",
               "[OPTION...] --text FILE"},
    .text =
        "Shows a function's flow graph: blocks with their lines, edges, how often each ran, and which carry\n"
        "a counter in the plan for the source. Optimised code has a plan of its own, with fewer counters,\n"
        "which is not shown. Without DATA there are no counts; without --function the functions are\n"
        "listed.\n",
};

enum format { FORMAT_TEXT, FORMAT_DOT, FORMAT_SVG };
static const char *const format_names[] = {"text", "dot", "svg"};

struct request {
    const char *text;
    struct view_options view;
    struct report_filter filter;
    enum format format;
    const struct placement_info *placement;
    struct weight_options weights;
    bool weigh; /* weights were asked for */
    bool help;
};

static bool parse_format(void *target, const char *word, struct error *error)
{
    struct request *q = target;
    for (q->format = FORMAT_TEXT; q->format <= FORMAT_SVG; q->format++)
        if (strcmp(word, format_names[q->format]) == 0)
            return true;
    return error_set(error, "--format is text, dot or svg, not '%s'", word);
}

static bool parse_placement(void *target, const char *word, struct error *error)
{
    struct request *q = target;
    q->placement = placement_by_name(word);
    if (q->placement && placement_counts_paths(q->placement->placement))
        q->placement = NULL;
    return q->placement ? true : error_set(error, "no such placement: '%s'", word);
}

static bool parse_weights(void *target, const char *word, struct error *error)
{
    struct request *q = target;
    q->weigh = true;
    return graph_text_weights(&q->weights, word, error);
}

static bool parse(struct request *q, int argc, char **argv, struct error *error)
{
    *q = (struct request){0};
    const struct command_option options[] = {
        {.heading = "What to show"},
        FILTER_OPTIONS(&q->filter),
        {.heading = "How to show it"},
        {"format", .parse = parse_format, .target = q, .value = "FORMAT",
         .help = "text; dot: for Graphviz; svg: drawn by Graphviz's program dot"},
        VIEW_OPTIONS(&q->view),
        {.heading = "For experiments"},
        {"placement", .parse = parse_placement, .target = q, .value = "NAME",
         .help = "mark the counters of this set; with --text: show its plan"},
        {"text", .word = &q->text, .value = "FILE",
         .help = "plan the graphs in FILE (- is standard input): cotree-graph-format(5)"},
        {"weights", .parse = parse_weights, .target = q, .value = "RULE[,LOOP[,BRANCH]]",
         .help = "with --text: guess weights, by the rule repaired or paper;\n"
                 "LOOP: how often a loop runs; BRANCH: how much likelier a way to it is"},
        {0},
    };
    if (!options_parse(&about, options, argc, argv, &q->help, error))
        return false;
    if (q->help)
        return true;
    if (q->weigh && !q->text)
        return error_set(error, "--weights needs --text FILE");
    if (q->text && optind < argc)
        return error_set(error, "--text takes one file, and no program: '%s'", argv[optind]);
    if (!q->text && optind == argc)
        return error_set(error, "no program given");
    return view_options_finish(&q->view, error);
}

/* ---- Graphviz ---- */

/* Draws the dot text in `source` (from its start) into `out` by the program dot. */
static bool draw(FILE *source, FILE *out, struct error *error)
{
    if (fflush(source) != 0 || fseek(source, 0, SEEK_SET) != 0 || fflush(out) != 0)
        return error_set(error, "cannot write a temporary file: %s", strerror(errno));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(source), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
    char name[] = "dot", option[] = "-Tsvg";
    char *argv[] = {name, option, NULL};
    pid_t pid;
    int failed = posix_spawnp(&pid, "dot", &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed == ENOENT)
        return error_set(error, "'dot' is not installed: it comes with Graphviz; --format=dot needs nothing");
    if (failed)
        return error_set(error, "cannot run 'dot': %s", strerror(failed));
    int status;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return error_set(error, "cannot wait for 'dot': %s", strerror(errno));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return error_set(error, "'dot' failed");
    return true;
}

/* ---- The functions of a program ---- */

/* Makes a profile without counts from the program's map alone. */
static bool read_map(struct profile *p, const struct request *q, const char *program, struct error *error)
{
    struct elf_module module;
    if (!elf_module_read(&module, program, q->view.debug_paths.items, error))
        return error_prefix(error, "'%s'", program);
    bool has_map = module.has_map;
    p->program = memory_string(program);
    for (size_t i = 0; i < module.functions.count; i++) {
        struct profile_function *f = ARRAY_ADD(&p->functions);
        *f = (struct profile_function){.map = module.functions.items[i]};
        module.functions.items[i] = (struct map_function){0};
    }
    module.functions.count = 0;
    profile_sort(p);
    elf_module_release(&module);
    return has_map ? true
                   : error_set(error, "'%s' has no map: it was not built with cotree, or was stripped of it",
                               program);
}

struct views ARRAY_OF(struct graph_view);

/* Lists the functions that were asked for. The list owns their names. */
static void find_views(struct views *views, const struct profile *p, const struct request *q,
                       bool with_counts)
{
    const enum placement placement = q->placement ? q->placement->placement : (enum placement)0;
    for (size_t i = 0; i < p->functions.count; i++) {
        const struct profile_function *f = &p->functions.items[i];
        char *name = q->view.no_demangle ? memory_string(f->map.name) : demangle(f->map.name);
        if (filter_wants_function(&q->filter, &f->map, name))
            ARRAY_PUSH(views, ((struct graph_view){p, f, name, with_counts, q->view.color, placement,
                                                   &q->view.source_maps}));
        else
            free(name);
    }
}

static void list_functions(const struct views *views, FILE *out)
{
    fprintf(out, "%8s %8s %8s  function\n", "blocks", "edges", "counters");
    for (size_t i = 0; i < views->count && !ferror(out); i++) {
        const struct map_function *m = &views->items[i].function->map;
        char *name = printable(views->items[i].name);
        fprintf(out, "%8" PRIu32 " %8" PRIu32 " %8" PRIu32 "  %s", m->graph.vertex_count - 1,
                m->graph.edge_count, map_function_counters(m), name);
        if (m->file_count) {
            char *path = source_shown_path(m->files[0]);
            fprintf(out, "  %s:%" PRIu32, path, m->line);
            free(path);
        }
        putc('\n', out);
        free(name);
    }
}

/* Returns EXIT_OK if the views can be shown in the format, otherwise the status to end with. */
static int check_views(const struct views *views, const struct request *q, struct error *error)
{
    if (views->count == 0 && !filter_is_empty(&q->filter)) {
        filter_explain_nothing(&q->filter, error);
        return EXIT_CANNOT;
    }
    if (q->format == FORMAT_TEXT || (q->filter.functions.count && views->count == 1))
        return EXIT_OK;
    if (q->filter.functions.count)
        error_set(error, "%zu functions match '%s': --format=%s draws one", views->count,
                  q->filter.functions.items[0], format_names[q->format]);
    else
        error_set(error, "--format=%s needs --function=NAME", format_names[q->format]);
    return EXIT_USAGE;
}

static bool write_views(const struct views *views, const struct request *q, FILE *out, struct error *error)
{
    FILE *dot = q->format == FORMAT_SVG ? tmpfile() : NULL;
    if (q->format == FORMAT_SVG && !dot)
        return error_set(error, "cannot make a temporary file: %s", strerror(errno));
    if (!q->filter.functions.count)
        list_functions(views, out);
    for (size_t i = 0; q->filter.functions.count && i < views->count; i++) {
        if (i > 0)
            putc('\n', out);
        if (q->format == FORMAT_TEXT)
            graph_view_text(&views->items[i], out);
        else
            graph_view_dot(&views->items[i], dot ? dot : out);
    }
    bool good = !dot || draw(dot, out, error);
    if (dot)
        fclose(dot);
    return good;
}

/* Writes the graphs of all functions that match (text) or of the one that does (drawings); without
 * --function, a list of functions. */
static int show(const struct profile *p, const struct request *q, bool with_counts)
{
    struct error error;
    struct output output;
    struct views views = {0};
    find_views(&views, p, q, with_counts);
    int status = check_views(&views, q, &error);
    if (status != EXIT_OK) {
        options_fail("graph", &error, status);
    } else if (!output_open(&output, q->view.output, q->format == FORMAT_TEXT && !q->view.no_pager, &error)) {
        status = options_fail("graph", &error, EXIT_CANNOT);
    } else {
        bool good = write_views(&views, q, output.file, &error);
        if (!good)
            status = options_fail("graph", &error, EXIT_CANNOT);
        if (!output_close(&output, good, &error))
            status = options_fail("graph", &error, EXIT_CANNOT);
    }
    for (size_t i = 0; i < views.count; i++)
        free((char *)views.items[i].name);
    ARRAY_RELEASE(&views);
    return status;
}

/* ---- Graphs given as text ---- */

/* graph_text.c writes to standard output, which leads elsewhere meanwhile for -o and svg. */
static int plan_text(const struct request *q)
{
    struct error error;
    const char *placement = q->placement ? q->placement->name : NULL;
    const struct weight_options *weights = q->weigh ? &q->weights : NULL;
    bool from_stdin = strcmp(q->text, "-") == 0;
    if (!output_check(q->view.output, (const char *const[]){q->text, NULL}, &error))
        return options_fail("graph", &error, EXIT_CANNOT);
    if (!q->view.output && q->format != FORMAT_SVG)
        return cmd_graph_text(q->text, format_names[q->format], placement, from_stdin, weights);
    struct output output;
    FILE *dot = q->format == FORMAT_SVG ? tmpfile() : NULL;
    if (q->format == FORMAT_SVG && !dot) {
        error_set(&error, "cannot make a temporary file: %s", strerror(errno));
        return options_fail("graph", &error, EXIT_CANNOT);
    }
    if (!output_open(&output, q->view.output, false, &error)) {
        if (dot)
            fclose(dot);
        return options_fail("graph", &error, EXIT_CANNOT);
    }
    int saved = dup(STDOUT_FILENO);
    bool turned =
        fflush(stdout) == 0 && saved >= 0 && dup2(fileno(dot ? dot : output.file), STDOUT_FILENO) >= 0;
    int status = EXIT_CANNOT;
    if (turned) {
        status =
            cmd_graph_text(q->text, dot ? "dot" : format_names[q->format], placement, from_stdin, weights);
        if (fflush(stdout) != 0 && status == EXIT_OK)
            status = EXIT_CANNOT;
        dup2(saved, STDOUT_FILENO);
    }
    if (saved >= 0)
        close(saved);
    if (status == EXIT_OK && dot && !draw(dot, output.file, &error))
        status = options_fail("graph", &error, EXIT_CANNOT);
    if (!output_close(&output, status == EXIT_OK, &error))
        status = options_fail("graph", &error, EXIT_CANNOT);
    if (dot)
        fclose(dot);
    return status;
}

static int show_program(const struct request *q, int argc, char **argv)
{
    struct error error;
    struct profile profile = {0};
    int status = EXIT_OK;
    const struct decode_options options = {.debug_paths = q->view.debug_paths.items};
    if (!output_check(q->view.output, (const char *const *)argv + optind, &error))
        return options_fail("graph", &error, EXIT_CANNOT);
    bool map_only = argc - optind == 1 && input_is_program(argv[optind]);
    if (!map_only)
        status = input_decode_words(&profile, "cotree graph", argv + optind, (size_t)(argc - optind),
                                    &options, NULL);
    else if (!read_map(&profile, q, argv[optind], &error))
        status = options_fail("graph", &error, EXIT_CANNOT);
    if (status == EXIT_OK || status == EXIT_SKIPPED) {
        unused_patterns_say_of(&q->filter, &profile, NULL, "cotree graph");
        int shown = show(&profile, q, !map_only);
        status = shown ? shown : status;
    }
    profile_release(&profile);
    return status;
}

int cmd_graph(int argc, char **argv)
{
    struct error error;
    struct request q;
    int status = EXIT_OK;
    if (!parse(&q, argc, argv, &error))
        status = options_refuse(about.name, &error);
    else if (!q.help)
        status = q.text ? plan_text(&q) : show_program(&q, argc, argv);
    view_options_release(&q.view);
    filter_release(&q.filter);
    return status;
}
