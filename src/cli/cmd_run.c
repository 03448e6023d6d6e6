/* `cotree run`: copies of one run count a part of it each; one exact profile. Or: one run that is ended
 * where it prints what it should not. */
#include "cli/commands.h"
#include "base/memory.h"
#include "cli/install.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/parts.h"
#include "cli/shared_options.h"
#include "plan/parts/slices.h"
#include "run/copies.h"
#include "run/expected.h"

#include <sched.h>
#include <stdio.h>
#include <unistd.h>

/* As env(1) and its like end when they themselves fail: the program's own statuses stay its own. */
enum { EXIT_RUN_FAILED = 125 };

static const struct command_about about = {
    .name = "run",
    .usages = {"[OPTION...] -o FILE -- PROG ARGUMENT...", "--abort-at-output=FILE -- PROG ARGUMENT..."},
    .text = "Runs PROG, built with `cotree cc -fcotree=paths -fcotree-parts`, N times at once on the same\n"
            "arguments and input. Each copy counts a part of the run; FILE is the profile of one run. What\n"
            "copies but the first print is thrown away.\n"
            "With --abort-at-output any PROG is run, once, and aborts where it prints something else than\n"
            "FILE holds: the core file tells how it got there (`cotree crash`).\n",
    .statuses = "that of the program, or of the first copy, 128 and the signal's number if it was killed\n"
                "(134 where output is wrong); 125 when there is no profile, since the copies did not do the\n"
                "same, for example, or when the output could not be compared; 64 for wrong usage",
};

struct run_request {
    const char *output, *expected;
    size_t copies, jobs; /* 0: as many as there are processors */
    bool keep_buffering, quiet, help;
};

static size_t processors(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (size_t)CPU_COUNT(&set) : 1;
}

static bool is_usable(const struct run_request *q, size_t words, struct error *error)
{
    if (!words)
        return error_set(error, "no program given");
    if (q->expected)
        return (!q->output && !q->copies && !q->jobs) ||
               error_set(error, "--abort-at-output goes without -o, -k and -j: nothing is collected");
    if (q->keep_buffering)
        return error_set(error, "--keep-buffering goes with --abort-at-output");
    if (!q->output)
        return error_set(error, "no output: say where with -o FILE");
    return q->copies <= PARTS_MOST || error_set(error, "-k %zu: at most %u copies", q->copies, PARTS_MOST);
}

/* The path by which the program was run, for its map. */
static char *find_program(const char *name)
{
    const char *path = getenv("PATH");
    char *found = NULL;
    if (strchr(name, '/') || !path)
        return memory_string(name);
    for (const char *at = path; *at && !found; at += strcspn(at, ":"), at += *at == ':') {
        struct buffer file = {0};
        size_t length = strcspn(at, ":");
        buffer_add(&file, at, length);
        buffer_addf(&file, "%s%s", length ? "/" : "", name);
        if (access(buffer_text(&file), X_OK) == 0)
            found = memory_string(buffer_text(&file));
        buffer_release(&file);
    }
    return found ? found : memory_string(name);
}

static int unite(const struct run_request *q, const struct copies_run *r)
{
    struct profile profile = {0};
    struct error error;
    char *program = find_program(r->command[0]);
    const struct decode_options options = {.keep_negative = true, .no_progress = true};
    char **called = ZALLOC(char *, r->copies);
    for (uint32_t i = 0; i < r->copies; i++) {
        struct buffer name = {0};
        buffer_addf(&name, "copy %u", i + 1);
        called[i] = memory_string(buffer_text(&name));
        buffer_release(&name);
    }
    int status = parts_decode(&profile, "cotree run", program, r->files, called, r->copies, &options);
    if (status == EXIT_OK && !profile_write(&profile, q->output, &error)) {
        fprintf(stderr, "cotree run: %s\n", error.text);
        status = EXIT_CANNOT;
    }
    if (status == EXIT_OK && !q->quiet)
        fprintf(stderr, "cotree run: %u part%s in '%s', %s%s\n", r->copies, r->copies > 1 ? "s" : "",
                q->output,
                profile.exact ? "exact" : "not exact: ", profile.exact ? "" : profile.reasons.items[0]);
    for (uint32_t i = 0; i < r->copies; i++)
        free(called[i]);
    free(called);
    profile_release(&profile);
    free(program);
    return status == EXIT_OK ? r->status : EXIT_RUN_FAILED;
}

static int run_expected(const struct run_request *q, char **command)
{
    struct error error;
    int status = EXIT_RUN_FAILED;
    struct buffer library = {0};
    char *directory = install_library_directory(&error), *program = find_program(command[0]);
    if (directory)
        buffer_addf(&library, "%s/expect.so", directory);
    struct expected_run r = {.command = command,
                             .program = program,
                             .expected = q->expected,
                             .library = buffer_text(&library),
                             .keep_buffering = q->keep_buffering};
    if (directory && expected_run(&r, &error)) {
        status = r.status;
        if (r.differed.text[0] && !q->quiet)
            fprintf(stderr, "cotree run: %s\n", r.differed.text);
    } else {
        fprintf(stderr, "cotree run: %s\n", error.text);
    }
    free(directory);
    free(program);
    buffer_release(&library);
    return status;
}

static int run_copies(const struct run_request *q, char **command)
{
    struct error error;
    char *program = find_program(command[0]);
    bool ok = output_check(q->output, (const char *const[]){program, NULL}, &error);
    free(program);
    if (!ok)
        return options_fail("run", &error, EXIT_RUN_FAILED);
    struct copies_run r = {.command = command,
                           .copies = (uint32_t)(q->copies ? q->copies : processors()),
                           .at_once = (uint32_t)(q->jobs ? q->jobs : processors())};
    int status = EXIT_RUN_FAILED;
    if (copies_run(&r, &error))
        status = unite(q, &r);
    else
        fprintf(stderr, "cotree run: %s\n", error.text);
    copies_run_release(&r);
    return status;
}

int cmd_run(int argc, char **argv)
{
    struct error error;
    struct run_request q = {0};
    const struct command_option options[] = {
        {.heading = "Options"},
        {"copies", 'k', .count = &q.copies, .value = "N", .help = "run N copies (default: one a processor)"},
        {"jobs", 'j', .count = &q.jobs, .value = "N",
         .help = "run N at the same time (default: one a processor)"},
        OUTPUT_OPTION(&q.output),
        {"abort-at-output", .word = &q.expected, .value = "FILE",
         .help = "abort where the output is not what FILE holds"},
        {"keep-buffering", .flag = &q.keep_buffering, .help = "with it: leave stdout's buffer to PROG"},
        {"quiet", 'q', .flag = &q.quiet, .help = "no summary"},
        {0},
    };
    if (!options_parse(&about, options, argc, argv, &q.help, &error) ||
        (!q.help && !is_usable(&q, (size_t)(argc - optind), &error)))
        return options_refuse(about.name, &error);
    if (q.help)
        return EXIT_OK;
    return q.expected ? run_expected(&q, argv + optind) : run_copies(&q, argv + optind);
}
