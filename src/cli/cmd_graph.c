/*
 * `cotree graph`: a function's flow graph with its counts and counters, from a program and its data or from
 * the program's map alone; or the plans of graphs given as text (cli/graph_text.c).
 */
#include "base/error.h"
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/graph_text.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/output.h"
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

static const char help[] =
    "usage: cotree graph [OPTION...] PROG [DATA...] --function=NAME\n"
    "       cotree graph [OPTION...] MERGED... --function=NAME\n"
    "       cotree graph [OPTION...] --text FILE\n"
    "\n"
    "Shows a function's flow graph: blocks with their lines, edges, how often each ran, and which carry a "
    "counter.\n"
    "Without DATA the graph is shown as it was planned; without --function the functions are listed.\n"
    "\n"
    "  --function=GLOB     the function (demangled or not, parameters may be left out)\n"
    "  --format=FORMAT     text; dot: for Graphviz; svg: drawn by Graphviz's program dot\n"
    "  --placement=NAME    mark the counters of this set, where the program has several\n"
    "  -o, --output=FILE   write FILE, complete or not at all\n"
    "  --source-map=OLD=NEW  sources whose path begins with OLD are at NEW now (may be repeated)\n"
    "  --no-demangle       linkage names of C++ functions\n"
    "  --color=WHEN        auto, always, never\n"
    "  --no-pager          do not run COTREE_PAGER, PAGER or less\n"
    "  --text FILE         plan the graphs in FILE (- is standard input; cotree-graph-format(5)) and print "
    "what each\n"
    "                      placement would cost; --placement shows one of them in full\n"
    "  --weights=RULE[,LOOP[,BRANCH]]  with --text: plan with weights guessed by the rule repaired or "
    "paper,\n"
    "                      even if FILE has some; LOOP: how often a loop runs; BRANCH: how much likelier\n"
    "                      a way to a loop is than another\n"
    "\n"
    "Exit status: 0 done, 1 cannot, 2 no usable input, 4 some inputs skipped, 64 wrong usage.\n";

enum format { FORMAT_TEXT, FORMAT_DOT, FORMAT_SVG };
static const char *const format_names[] = {"text", "dot", "svg"};

struct request {
    const char *function, *output, *text, *when; /* when: to use colour */
    enum format format;
    const struct placement_info *placement;
    struct weight_options weights;
    bool weigh; /* weights were asked for */
    bool color, no_pager, no_demangle, help;
    struct source_maps source_maps;
};

static int refuse(const struct error *error, int status)
{
    fprintf(stderr, "cotree graph: %s\n", error->text);
    return status;
}

static bool parse_format(void *request, const char *word, struct error *error)
{
    struct request *q = request;
    for (q->format = FORMAT_TEXT; q->format <= FORMAT_SVG; q->format++)
        if (strcmp(word, format_names[q->format]) == 0)
            return true;
    return error_set(error, "--format is text, dot or svg, not '%s'", word);
}

static bool parse_placement(void *request, const char *word, struct error *error)
{
    struct request *q = request;
    q->placement = placement_by_name(word);
    if (q->placement && placement_counts_paths(q->placement->placement))
        q->placement = NULL;
    return q->placement ? true : error_set(error, "no such placement: '%s'", word);
}

static bool parse_weights(void *request, const char *word, struct error *error)
{
    struct request *q = request;
    q->weigh = true;
    return graph_text_weights(&q->weights, word, error);
}

static bool add_source_map(void *request, const char *word, struct error *error)
{
    struct request *q = request;
    return source_maps_add(&q->source_maps, word, error);
}

static bool parse(struct request *q, int argc, char **argv, struct error *error)
{
    *q = (struct request){.when = "auto"};
    const struct command_option options[] = {
        {"function", .word = &q->function},
        {"format", .parse = parse_format},
        {"placement", .parse = parse_placement},
        {"output", 'o', .word = &q->output},
        {"no-demangle", .flag = &q->no_demangle},
        {"color", .word = &q->when},
        {"no-pager", .flag = &q->no_pager},
        {"text", .word = &q->text},
        {"source-map", .parse = add_source_map},
        {"weights", .parse = parse_weights},
        {NULL},
    };
    if (!options_parse(options, argc, argv, q, &q->help, error))
        return false;
    if (q->help)
        return true;
    if (q->weigh && !q->text)
        return error_set(error, "--weights needs --text FILE");
    if (q->text && optind < argc)
        return error_set(error, "--text takes one file, and no program: '%s'", argv[optind]);
    if (!q->text && optind == argc)
        return error_set(error, "no program given");
    return output_color(q->when, q->output, &q->color, error);
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

/* A profile without counts: what the map alone says. */
static bool read_map(struct profile *p, const char *program, struct error *error)
{
    struct elf_module module;
    if (!elf_module_read(&module, program, NULL, error))
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

static void list_functions(const struct profile *p, const struct request *q, FILE *out)
{
    fprintf(out, "%8s %8s %8s  function\n", "blocks", "edges", "counters");
    for (size_t i = 0; i < p->functions.count && !ferror(out); i++) {
        const struct map_function *m = &p->functions.items[i].map;
        char *raw = q->no_demangle ? memory_string(m->name) : demangle(m->name), *name = printable(raw);
        fprintf(out, "%8" PRIu32 " %8" PRIu32 " %8" PRIu32 "  %s", m->graph.vertex_count - 1,
                m->graph.edge_count, map_function_counters(m), name);
        if (m->file_count) {
            char *path = source_shown_path(m->files[0]);
            fprintf(out, "  %s:%" PRIu32, path, m->line);
            free(path);
        }
        putc('\n', out);
        free(raw);
        free(name);
    }
}

/* Writes the graphs of all functions that match (text), or of the one that does. */
static int show(const struct profile *p, const struct request *q, bool with_counts)
{
    struct error error;
    struct ARRAY_OF(struct graph_view) views = {0};
    for (size_t i = 0; q->function && i < p->functions.count; i++) {
        const struct profile_function *f = &p->functions.items[i];
        char *name = q->no_demangle ? memory_string(f->map.name) : demangle(f->map.name);
        if (name_matches(q->function, f->map.name, name))
            ARRAY_PUSH(&views,
                       ((struct graph_view){p, f, name, with_counts, q->color,
                                            q->placement ? q->placement->placement : (enum placement)0,
                                            &q->source_maps}));
        else
            free(name);
    }
    int status = EXIT_OK;
    struct output output;
    FILE *dot = NULL;
    if (q->function && views.count == 0) {
        error_set(&error, "no function matches '%s'", q->function);
        status = refuse(&error, EXIT_CANNOT);
    } else if (q->format != FORMAT_TEXT && views.count != 1) {
        if (views.count)
            error_set(&error, "%zu functions match '%s': --format=%s draws one", views.count, q->function,
                      format_names[q->format]);
        else
            error_set(&error, "--format=%s needs --function=NAME", format_names[q->format]);
        status = refuse(&error, EXIT_USAGE);
    } else if (q->format == FORMAT_SVG && !(dot = tmpfile())) {
        error_set(&error, "cannot make a temporary file: %s", strerror(errno));
        status = refuse(&error, EXIT_CANNOT);
    } else if (!output_open(&output, q->output, q->format == FORMAT_TEXT && !q->no_pager, &error)) {
        status = refuse(&error, EXIT_CANNOT);
    } else {
        bool good = true;
        if (q->format == FORMAT_TEXT && !q->function)
            list_functions(p, q, output.file);
        for (size_t i = 0; i < views.count; i++) {
            if (q->format == FORMAT_TEXT && i > 0)
                putc('\n', output.file);
            if (q->format == FORMAT_TEXT)
                graph_view_text(&views.items[i], output.file);
            else
                graph_view_dot(&views.items[i], dot ? dot : output.file);
        }
        if (dot)
            good = draw(dot, output.file, &error);
        if (!good)
            status = refuse(&error, EXIT_CANNOT);
        if (!output_close(&output, good, &error))
            status = refuse(&error, EXIT_CANNOT);
    }
    if (dot)
        fclose(dot);
    for (size_t i = 0; i < views.count; i++)
        free((char *)views.items[i].name);
    ARRAY_RELEASE(&views);
    return status;
}

/* ---- Graphs given as text ---- */

/* graph_text.c writes to standard output; for -o and svg that is turned elsewhere meanwhile. */
static int plan_text(const struct request *q)
{
    struct error error;
    const char *placement = q->placement ? q->placement->name : NULL;
    const struct weight_options *weights = q->weigh ? &q->weights : NULL;
    bool from_stdin = strcmp(q->text, "-") == 0;
    if (!q->output && q->format != FORMAT_SVG)
        return cmd_graph_text(q->text, format_names[q->format], placement, from_stdin, weights);
    struct output output;
    FILE *dot = q->format == FORMAT_SVG ? tmpfile() : NULL;
    if (q->format == FORMAT_SVG && !dot) {
        error_set(&error, "cannot make a temporary file: %s", strerror(errno));
        return refuse(&error, EXIT_CANNOT);
    }
    if (!output_open(&output, q->output, false, &error)) {
        if (dot)
            fclose(dot);
        return refuse(&error, EXIT_CANNOT);
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
        status = refuse(&error, EXIT_CANNOT);
    if (!output_close(&output, status == EXIT_OK, &error))
        status = refuse(&error, EXIT_CANNOT);
    if (dot)
        fclose(dot);
    return status;
}

static int show_program(const struct request *q, int argc, char **argv)
{
    struct error error;
    struct profile profile = {0};
    int status = EXIT_OK;
    bool map_only = argc - optind == 1 && input_is_program(argv[optind]);
    if (!map_only)
        status = input_decode(&profile, "cotree graph", argv + optind, (size_t)(argc - optind), NULL, NULL);
    else if (!read_map(&profile, argv[optind], &error))
        status = refuse(&error, EXIT_CANNOT);
    if (status == EXIT_OK || status == EXIT_SKIPPED) {
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
    if (!parse(&q, argc, argv, &error)) {
        status = options_refuse("graph", &error);
    } else if (q.help) {
        fputs(help, stdout);
    } else if (q.text) {
        status = plan_text(&q);
    } else {
        status = show_program(&q, argc, argv);
    }
    ARRAY_RELEASE(&q.source_maps);
    return status;
}
