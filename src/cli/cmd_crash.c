/* `cotree crash`: how control came to where a program died, from its core file. */
#include "base/error.h"
#include "base/memory.h"
#include "cli/commands.h"
#include "cli/core_search.h"
#include "cli/input.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "report/crash.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct command_about about = {
    .name = "crash",
    .usages = {"[OPTION...] PROG [CORE]"},
    .text =
        "Shows why a program that was compiled with -fcotree=crash died, and how control came to where\n"
        "each of its frames stood: the way through the function, then the last round of each loop around\n"
        "it, as lines of the source. Without CORE, the newest core of the program is taken.\n",
    .unusable = STATUS_NEVER,
    .skipped = STATUS_NEVER,
};

struct request {
    struct crash_view shown;
    struct view_options view;
    const char *format, *sysroot;
    size_t frames_most;
    bool json, html, help;
};

static bool take_frame(void *target, const char *word, struct error *error)
{
    struct crash_view *view = target;
    char *end;
    errno = 0;
    view->frame = strtoul(word, &end, 10);
    view->one_frame = true;
    return (word[0] >= '0' && word[0] <= '9' && !*end && !errno) ||
           error_set(error, "--frame is a number from 0 on, not '%s'", word);
}

static bool take_thread(void *target, const char *word, struct error *error)
{
    struct crash_view *view = target;
    char *end;
    errno = 0;
    view->thread = strtoul(word, &end, 10);
    view->one_thread = true;
    return (word[0] >= '0' && word[0] <= '9' && !*end && !errno) ||
           error_set(error, "--thread is a number from 0 on, not '%s'", word);
}

static bool read_words(struct request *q, int argc, char **argv, struct error *error)
{
    const struct command_option options[] = {
        {.heading = "What to show"},
        {"all", .flag = &q->shown.all_threads, .help = "all threads, not only the one that died"},
        {"thread", .parse = take_thread, .target = &q->shown, .value = "N",
         .help = "only thread N, by its number or its id"},
        {"frame", .parse = take_frame, .target = &q->shown, .value = "N", .help = "only frame #N"},
        {"source", .flag = &q->shown.source,
         .help = "the source of each function on the stack: + ran, - did not run, > here it stands"},
        {"top", .count = &q->frames_most, .value = "N", .help = "only the N innermost frames of a thread"},
        {.heading = "How to show it"},
        {"format", .word = &q->format, .value = "FORMAT", .help = "text (default), json or html"},
        VIEW_OPTIONS(&q->view),
        {"sysroot", .word = &q->sysroot, .value = "DIR",
         .help = "libraries of the machine on which it died are below DIR"},
        {0},
    };
    if (!options_parse(&about, options, argc, argv, &q->help, error) || q->help)
        return q->help;
    q->json = q->format && !strcmp(q->format, "json");
    q->html = q->format && !strcmp(q->format, "html");
    if (q->format && !q->json && !q->html && strcmp(q->format, "text"))
        return error_set(error, "--format is text, json or html, not '%s'", q->format);
    if ((q->json || q->html) &&
        (q->shown.all_threads || q->shown.one_thread || q->shown.one_frame || q->shown.source))
        return error_set(error,
                         "--all, --thread, --frame and --source are for --format=text: others have all");
    if (argc - optind != 1 && argc - optind != 2)
        return error_set(error, "a program is needed, and perhaps a core file");
    q->shown.all_frames = q->frames_most;
    if (!view_options_finish(&q->view, error))
        return false;
    q->shown.color = q->view.color;
    q->shown.linkage_names = q->view.no_demangle;
    q->shown.source_maps = &q->view.source_maps;
    return true;
}

static int show(struct request *q, const char *program, const char *path)
{
    struct crash crash;
    struct output out;
    struct error error;
    const struct crash_files files = {.debug_paths = q->view.debug_paths.items, .sysroot = q->sysroot};
    if (!crash_read(&crash, program, path, &files, q->frames_most ? q->frames_most : SIZE_MAX, &error)) {
        fprintf(stderr, "cotree crash: %s\n", error.text);
        return EXIT_CANNOT;
    }
    for (size_t i = 0; i < crash.core.problems.count; i++) {
        error_set(&error, "%s", crash.core.problems.items[i]); /* makes names printable */
        fprintf(stderr, "cotree crash: %s\n", error.text);
    }
    bool ok = report_crash_has(&crash, &q->shown, &error) &&
              output_check(q->view.output, (const char *const[]){program, path, NULL}, &error) &&
              output_open(&out, q->view.output, !q->view.no_pager && !q->json && !q->html, &error);
    if (ok && q->json)
        report_crash_json(&crash, out.file);
    else if (ok && q->html)
        report_crash_html(&crash, program, &q->shown, out.file);
    else if (ok)
        report_crash_text(&crash, &q->shown, out.file);
    ok = ok && output_close(&out, true, &error);
    if (!ok)
        fprintf(stderr, "cotree crash: %s\n", error.text);
    crash_release(&crash);
    return ok ? EXIT_OK : EXIT_CANNOT;
}

static bool is_program(const char *path, struct error *error)
{
    if (access(path, F_OK) != 0)
        return error_set(error, "'%s': cannot open: %s", path, strerror(errno));
    return input_is_program(path) || error_set(error, "'%s' is no program", path);
}

int cmd_crash(int argc, char **argv)
{
    struct request q = {0};
    struct error error;
    if (!read_words(&q, argc, argv, &error)) {
        view_options_release(&q.view);
        return options_refuse("crash", &error);
    }
    bool temporary = false;
    char *found = NULL;
    const char *core = !q.help && argc - optind == 2 ? argv[optind + 1] : NULL;
    if (!q.help && !core && is_program(argv[optind], &error))
        core = found = core_search(argv[optind], &temporary, &error);
    int status = EXIT_OK;
    if (found && !temporary)
        fprintf(stderr, "cotree crash: the newest core is '%s'\n", found);
    if (core)
        status = show(&q, argv[optind], core);
    if (!q.help && !core) {
        fprintf(stderr, "cotree crash: %s\n", error.text);
        status = EXIT_CANNOT;
    }
    if (found && temporary)
        remove(found);
    free(found);
    view_options_release(&q.view);
    return status;
}
