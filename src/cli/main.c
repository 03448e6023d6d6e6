/*
 * `cotree COMMAND ARG...`: the table of commands, and what `cotree --help` says.
 *
 * A new command is one file cmd_NAME.c and one line here. The program is `cotree cc` or `cotree
 * c++` when its own name ends with cotree-cc or cotree-c++, for builds that want the compiler to be
 * one word. It is the linker of -fcotree-carry when it ends with cotree-ld (driver_carry.c).
 */
#include "base/error.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/install.h"
#include "cli/options.h"
#include "cli/suggest.h"

#include <stdio.h>
#include <string.h>

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *arguments, *help;
} commands[] = {
    {"cc", cmd_cc, "CLANG-ARGUMENT...",
     "compile and link C so that the program counts (a drop-in for clang)"},
    {"c++", cmd_cxx, "CLANG-ARGUMENT...", "the same for C++"},
    {"report", cmd_report, "PROG DATA...", "show how often every function, line and branch ran"},
    {"run", cmd_run, "-o FILE -- PROG ...", "share one run's counting among N copies (-fcotree-parts)"},
    {"merge", cmd_merge, "PROG DATA... -o FILE", "add up many runs into one self-contained file"},
    {"diff", cmd_diff, "OLD NEW", "show what ran more or less often than before, in one build or two"},
    {"graph", cmd_graph, "PROG DATA... | FILE", "show a function's flow graph, or plan one given as text"},
    {"weave", cmd_weave, "PROG ... -o OUTPUT",
     "make a variant of a program that carries its code (-fcotree-carry)"},
    {"trace", cmd_trace, "PROG DATA...", "show what ran, in order (-fcotree=trace)"},
    {"crash", cmd_crash, "PROG [CORE]", "show how control got to where a program died (-fcotree=crash)"},
    {"tune", cmd_tune, "PROG ... -o NEW",
     "turn off or on what cores tell of functions (-fcotree-crash=tunable)"},
};
#define COMMAND_COUNT (sizeof commands / sizeof *commands)

struct variable {
    const char *name, *help;
};
static const struct variable profiled_variables[] = {
    {"COTREE_FILE=PATTERN", "where the data goes: %e program, %p process, %b build, %m a pool of all runs"},
    {"COTREE=off", "write nothing"},
    {"COTREE=verbose", "say on standard error which file is written, or why there is none"},
    {"COTREE_RUN=ID", "a name for the run, kept in the data (cotree merge --unite)"},
    {"COTREE_PART=I/N", "count part I of N only, with -fcotree-parts (cotree run)"},
    {"COTREE_TRACE_MAX=SIZE", "keep the last part of a long trace"},
    {"COTREE_FOLLOWER=PATH", "the cotree that packs a trace while the program runs; off: none"},
    {NULL, NULL},
};
static const struct variable own_variables[] = {
    {"COTREE_CLANG=WORDS", "the compiler that cc and c++ run, as in \"ccache clang-" COTREE_LLVM "\""},
    {"COTREE_PAGER, PAGER", "what shows text on a terminal; empty or cat: no pager"},
    {"NO_COLOR", "no colour unless --color=always"},
    {"SOURCE_DATE_EPOCH", "the time stamp of report --format=cobertura"},
    {"TMPDIR", "where files go that run, trace and weave need for a while"},
    {NULL, NULL},
};

static void put_variables(const char *heading, const struct variable *variables, FILE *out)
{
    fprintf(out, "\n%s:\n", heading);
    for (; variables->name; variables++)
        fprintf(out, "  %-21s %s\n", variables->name, variables->help);
}

static void print_usage(FILE *out)
{
    static const struct command_about about = {.threshold = "below or above a threshold"};
    fprintf(out, "usage: cotree COMMAND ARGUMENT...\n\n"
                 "Exact control-flow profiles of C and C++ programs.\n\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(out, "  %-7s %-21s %s\n", commands[i].name, commands[i].arguments, commands[i].help);
    fprintf(out, "  %-7s %-21s %s\n", "help", "[COMMAND]", "this list, or the options of a command");
    fprintf(out, "  %-7s %-21s %s\n", "version", "", "the versions of cotree and of LLVM (also --version)");
    fprintf(out, "\nA first try:\n"
                 "  cotree cc -O2 prog.c -o prog && ./prog && cotree report prog prog.*.cotree\n");
    put_variables("Environment of profiled programs (cotree-environment(7))", profiled_variables, out);
    put_variables("Environment of cotree", own_variables, out);
    options_put_statuses(&about, out);
    fprintf(out, "cc and c++ exit as clang does.\n");
}

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(name, commands[i].name) == 0)
            return &commands[i];
    return NULL;
}

static int refuse_command(const char *name)
{
    struct error error;
    struct suggestion meant = {.word = name};
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        suggestion_try(&meant, commands[i].name);
    if (meant.name)
        error_set(&error, "no such command: '%s' (did you mean '%s'?)", name, meant.name);
    else
        error_set(&error, "no such command: '%s'", name);
    fprintf(stderr, "cotree: %s; `cotree help` lists them\n", error.text);
    return EXIT_USAGE;
}

static int cmd_version(void)
{
    printf("cotree %s (LLVM %s)\nplugin %s\n", COTREE_VERSION, COTREE_LLVM, cotree_plugin_hash);
    return EXIT_OK;
}

static int cmd_help(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stdout);
        return EXIT_OK;
    }
    static const char *const about_cotree[] = {"help", "--help", "-h", "version", "--version"};
    for (size_t i = 0; i < sizeof about_cotree / sizeof *about_cotree; i++)
        if (!strcmp(argv[1], about_cotree[i]))
            return cmd_help(1, argv);
    const struct command *command = find_command(argv[1]);
    if (!command)
        return refuse_command(argv[1]);
    char help_option[] = "--help";
    char *help_argv[] = {argv[1], help_option, NULL};
    return command->run(2, help_argv);
}

int main(int argc, char **argv)
{
    const char *name = argc ? argv[0] : "cotree";
    if (strrchr(name, '/'))
        name = strrchr(name, '/') + 1;
    if (text_ends_with(name, "cotree-cc"))
        return cmd_cc(argc, argv);
    if (text_ends_with(name, "cotree-c++"))
        return cmd_cxx(argc, argv);
    if (text_ends_with(name, "cotree-ld"))
        return cmd_ld(argc, argv);
    if (argc < 2) {
        print_usage(stderr);
        return EXIT_USAGE;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "version") == 0)
        return cmd_version();
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return cmd_help(argc - 1, argv + 1);
    const struct command *command = find_command(argv[1]);
    return command ? command->run(argc - 1, argv + 1) : refuse_command(argv[1]);
}
