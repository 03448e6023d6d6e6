/* `cotree tune`: turns functions of a program off and on, whose cores tell how control got to them. */
#include "base/text.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/shared_options.h"
#include "decode/crash/history.h"
#include "decode/lines/demangle.h"
#include "weave/tune/tune.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>

static const struct command_about about = {
    .name = "tune",
    .usages = {"PROG [--off=GLOB] [--on=GLOB] [--from-crash=CORE] -o NEW", "PROG --list"},
    .text =
        "Turns functions of a program off and on that was compiled with -fcotree=crash\n"
        "-fcotree-crash=tunable: what is off stores nothing, and its frames tell no ways. NEW is PROG with\n"
        "other first bytes of these functions; a program that runs can be replaced.\n",
    .unusable = STATUS_NEVER,
    .skipped = STATUS_NEVER,
};

/* Later words win. */
struct word {
    const char *glob;
    bool on;
};

struct request {
    struct words_of_tuning ARRAY_OF(struct word) words;
    struct option_words cores;
    const char *output;
    bool list, no_demangle, help;
};

static bool take_off(void *target, const char *glob, struct error *error)
{
    struct request *q = target;
    ARRAY_PUSH(&q->words, ((struct word){.glob = glob}));
    return *glob || error_set(error, "--off=: the name of a function is missing");
}

static bool take_on(void *target, const char *glob, struct error *error)
{
    struct request *q = target;
    ARRAY_PUSH(&q->words, ((struct word){.glob = glob, .on = true}));
    return *glob || error_set(error, "--on=: the name of a function is missing");
}

static bool read_words(struct request *q, int argc, char **argv, struct error *error)
{
    const struct command_option options[] = {
        {.heading = "What to change, in this order; later words win"},
        {"off", .parse = take_off, .target = q, .value = "GLOB",
         .help = "turn functions off whose name matches (repeatable)"},
        {"on", .parse = take_on, .target = q, .value = "GLOB", .help = "turn them on (repeatable)"},
        {"from-crash", .words = &q->cores, .value = "CORE",
         .help = "turn on the functions on the stack of a core, whatever other words say (repeatable)"},
        {.heading = "What to write"},
        OUTPUT_OPTION(&q->output),
        {"list", .flag = &q->list, .help = "list the functions that can be turned off, and which are off"},
        {"no-demangle", .flag = &q->no_demangle, .help = "linkage names of C++ functions"},
        {0},
    };
    if (!options_parse(&about, options, argc, argv, &q->help, error) || q->help)
        return q->help;
    if (argc - optind != 1)
        return error_set(error, "one program is needed");
    if (!q->list && !q->output)
        return error_set(error, "where to write is missing: -o NEW");
    return (q->words.count || q->cores.count || q->list) ||
           error_set(error, "what to change is missing: --off, --on or --from-crash");
}

static bool set_words(struct tuning *t, const struct request *q, struct error *error)
{
    for (size_t i = 0; i < q->words.count; i++)
        if (!tuning_set(t, q->words.items[i].glob, q->words.items[i].on))
            return error_set(error, "no function that can be turned off matches '%s'",
                             q->words.items[i].glob);
    return true;
}

/* Turns on what stands on the stack of the thread that died. */
static bool set_stack(struct tuning *t, const char *program, const char *core, struct error *error)
{
    const struct crash_files files = {0};
    struct crash crash;
    size_t found = 0;
    if (!crash_read(&crash, program, core, &files, SIZE_MAX, error))
        return false;
    const struct thread_history *thread = crash.threads.count ? &crash.threads.items[0] : NULL;
    for (size_t i = 0; thread && i < thread->frames.count; i++)
        for (size_t k = 0; k < thread->frames.items[i].activations.count; k++) {
            const struct history *h = &thread->frames.items[i].activations.items[k];
            found += h->f ? tuning_set_key(t, h->f->map.key, true) : 0;
        }
    crash_release(&crash);
    return found || error_set(error, "'%s': no function on the stack can be turned on", core);
}

static bool list(const struct tuning *t, bool linkage_names, struct error *error)
{
    for (size_t i = 0; i < t->functions.count; i++) {
        const char *name = tuning_name(t, &t->functions.items[i]);
        char *shown = !name ? memory_string("??") : linkage_names ? memory_string(name) : demangle(name);
        text_make_printable(shown);
        printf("%-3s %s\n", t->functions.items[i].off ? "off" : "on", shown);
        free(shown);
    }
    return (fflush(stdout) == 0 && !ferror(stdout)) ||
           error_set(error, "cannot write standard output: %s", strerror(errno));
}

static bool write_tuned(struct tuning *t, const char *output, struct error *error)
{
    struct output out;
    if (!output_open(&out, output, false, error))
        return false;
    bool ok = (tuning_write(t, out.file) && fflush(out.file) == 0 &&
               (!out.path || fchmod(fileno(out.file), t->image.mode) == 0)) ||
              error_set(error, "cannot write '%s': %s", output, strerror(errno));
    return output_close(&out, ok, ok ? error : NULL) && ok;
}

static bool tune(struct tuning *t, const struct request *q, const char *program, struct error *error)
{
    bool ok = set_words(t, q, error);
    for (size_t i = 0; ok && i < q->cores.count; i++)
        ok = set_stack(t, program, q->cores.items[i], error);
    if (ok && q->list)
        ok = list(t, q->no_demangle, error);
    return ok && (!q->output || write_tuned(t, q->output, error));
}

int cmd_tune(int argc, char **argv)
{
    struct request q = {0};
    struct error error;
    struct tuning t;
    bool ok = read_words(&q, argc, argv, &error);
    int status = ok ? EXIT_OK : options_refuse("tune", &error);
    if (ok && !q.help) {
        ok = tuning_open(&t, argv[optind], &error);
        if (ok) {
            ok = tune(&t, &q, argv[optind], &error);
            tuning_release(&t);
        }
        if (!ok)
            fprintf(stderr, "cotree tune: %s\n", error.text);
        status = ok ? EXIT_OK : EXIT_CANNOT;
    }
    ARRAY_RELEASE(&q.words);
    ARRAY_RELEASE(&q.cores);
    return status;
}
