#include "base/memory.h"
#include "base/progress.h"
#include "base/status.h"
#include "base/text.h"
#include "instrument/options.h"
#include "weave/building.h"

#include <stdio.h>
#include <unistd.h>

/* The compiler at work on a unit of a variant. */
struct job {
    size_t unit, variant;
    pid_t child; /* 0: not running */
};
struct jobs ARRAY_OF(struct job);

char **build_object(struct build *b, size_t unit, size_t variant)
{
    return &b->objects.items[unit * b->order->variant_count + variant];
}

static bool splits_functions(const char *word)
{
    return text_starts_with(word, "-fbasic-block-sections=") || !strcmp(word, "-fsplit-machine-functions");
}

static void add_compile_words(struct words *command, const struct build *b, size_t unit, size_t variant)
{
    const struct carry_unit *u = &b->program->units.items[unit];
    struct buffer plugin = {0};
    buffer_addf(&plugin, "%s/plugin.so", b->tools->library);
    words_add_all(command, &b->tools->compiler);
    words_add(command, "-cc1");
    for (size_t i = 0; i < u->words.count; i++)
        if (!b->order->variants[variant].keeps_whole || !splits_functions(u->words.items[i]))
            words_add(command, u->words.items[i]);
    words_add(command, u->flags & CARRY_UNIT_LTO ? "-emit-llvm-bc" : "-emit-obj");
    words_add(command, "-load");
    words_add(command, buffer_text(&plugin));
    build_add_word(command, "-fpass-plugin=%s", buffer_text(&plugin));
    words_add(command, "-disable-free"); /* as clang's driver says, too: time that nobody needs to spend */
    words_add(command, "-discard-value-names");
    words_add(command, "-disable-llvm-verifier");
    words_add(command, "-mllvm"); /* or the reader of bitcode verifies it: the plugin does, once */
    words_add(command, "-disable-auto-upgrade-debug-info");
    words_add(command, "-mllvm");
    words_add(command, "-" INSTRUMENT_WOVEN_OPTION);
    words_add(command, "-mllvm");
    build_add_word(command, "-cotree-options=%s",
                   b->order->variants[variant].options[u->flags % WEAVE_UNIT_KINDS]);
    buffer_release(&plugin);
}

/* The plugin writes what the unit is like in this variant, and ends if another is like it
 * (instrument/options.h). */
static void add_share_words(const struct build *b, const struct job *job, struct words *command)
{
    char *place = scratch_path(b->scratch.work, "unit%zu:%zu", job->unit, job->variant);
    words_add(command, "-mllvm");
    build_add_word(command, "-cotree-share=%s", place);
    free(place);
}

/* Says that a unit of a variant was not compiled. */
static void say_shared(const struct build *b, const struct job *job, size_t with)
{
    struct error line; /* error_set makes names printable */
    if (!b->order->verbose)
        return;
    error_set(&line, "unit '%s' is in variant %zu as in variant %zu", b->program->units.items[job->unit].name,
              job->variant + 1, with + 1);
    fprintf(stderr, "%s\n", line.text);
}

/* Variants that are alike in a unit have one object of it. */
static void share_objects(struct build *b, const struct jobs *jobs)
{
    const char *work = b->scratch.work;
    for (size_t i = 0; i < jobs->count && b->order->variant_count > 1; i++) {
        const struct job *job = &jobs->items[i];
        char *own = scratch_path(work, "unit%zu.%zu.digest", job->unit, job->variant);
        char *digest = scratch_read(own);
        char *claim = scratch_path(work, "unit%zu.%s", job->unit, digest), *claimed = scratch_read(claim);
        size_t variant = strtoul(claimed, NULL, 10);
        if (*digest && *claimed && variant < b->order->variant_count && variant != job->variant) {
            char **object = build_object(b, job->unit, job->variant);
            if (access(*object, F_OK) != 0)
                say_shared(b, job, variant);
            free(*object);
            *object = scratch_path(work, "unit%zu.%zu.o", job->unit, variant);
        }
        free(claimed);
        free(claim);
        free(digest);
        free(own);
    }
}

/* What the compiler prints on a unit of a variant. */
static char *said_path(const struct build *b, const struct job *job)
{
    return scratch_path(b->scratch.said, "unit%zu.%zu", job->unit, job->variant);
}

static bool start_job(struct build *b, struct job *job, struct error *error)
{
    const struct carry_unit *unit = &b->program->units.items[job->unit];
    char *bitcode = scratch_path(b->scratch.made, "unit%zu.bc", job->unit), *said = said_path(b, job);
    char **object = build_object(b, job->unit, job->variant);
    struct words command = {0};
    bool ok =
        access(bitcode, F_OK) == 0 || file_write_new(bitcode, unit->bitcode, unit->bitcode_length, error);
    *object = scratch_path(b->scratch.work, "unit%zu.%zu.o", job->unit, job->variant);
    if (ok) {
        add_compile_words(&command, b, job->unit, job->variant);
        if (b->order->variant_count > 1)
            add_share_words(b, job, &command);
        words_add(&command, "-o");
        words_add(&command, *object);
        words_add(&command, "-x");
        words_add(&command, "ir");
        words_add(&command, bitcode);
        build_say(b, &command);
        job->child = build_start(b, &command, NULL, said, said, error);
    }
    free(said);
    free(bitcode);
    words_release(&command);
    return job->child != 0;
}

static int finish_job(const struct build *b, struct job *job)
{
    int status = process_wait(job->child);
    char *said = said_path(b, job);
    job->child = 0;
    scratch_print_said(said);
    free(said);
    return status;
}

static bool check_end(const struct build *b, struct job *job, struct error *error)
{
    int status = finish_job(b, job), sent = status - STATUS_OF_SIGNALS;
    const char *name = b->program->units.items[job->unit].name, *why = sent > 0 ? sigdescr_np(sent) : NULL;
    if (why)
        return error_set(error, "the compiler failed on unit '%s': %s", name, why);
    return status == 0 || error_set(error, "the compiler failed on unit '%s'", name);
}

/* Waits for one job to end. */
static bool wait_for_job(struct build *b, struct jobs *jobs, struct error *error)
{
    pid_t child = build_stopped ? -1 : process_next_end();
    if (child < 0)
        return error_set(error, build_stopped ? "stopped" : "cannot wait for the compiler");
    for (size_t i = 0; i < jobs->count; i++)
        if (jobs->items[i].child == child)
            return check_end(b, &jobs->items[i], error);
    if (child == b->stem.process)
        stem_end(&b->stem);
    else
        process_wait(child); /* what somebody started before weave became another program */
    return true;
}

static void end_jobs(const struct build *b, struct jobs *jobs)
{
    for (size_t i = 0; i < jobs->count; i++)
        if (jobs->items[i].child) {
            kill(jobs->items[i].child, SIGKILL);
            finish_job(b, &jobs->items[i]);
        }
}

static const struct carry_units *units_of_compared;

static int compare_jobs(const void *first, const void *second)
{
    const struct job *a = first, *b = second;
    size_t la = units_of_compared->items[a->unit].bitcode_length,
           lb = units_of_compared->items[b->unit].bitcode_length;
    return la != lb             ? (la < lb ? 1 : -1)
           : a->unit != b->unit ? (a->unit < b->unit ? -1 : 1)
                                : (a->variant > b->variant) - (a->variant < b->variant);
}

static void list_jobs(struct build *b, struct jobs *jobs)
{
    const struct carry_units *units = &b->program->units;
    for (size_t unit = 0; unit < units->count; unit++)
        for (size_t variant = 0; variant < b->order->variant_count; variant++) {
            ARRAY_PUSH(jobs, ((struct job){unit, variant, 0}));
            ARRAY_PUSH(&b->objects, NULL);
        }
    units_of_compared = units;
    qsort(jobs->items, jobs->count, sizeof *jobs->items, compare_jobs);
}

bool build_compile(struct build *b, struct error *error)
{
    struct jobs jobs = {0};
    list_jobs(b, &jobs);
    if (jobs.count > 1)
        stem_start(&b->stem, &b->tools->compiler, b->tools->library, b->confinement, b->nothing);
    struct progress progress = progress_start("weaving", jobs.count);
    size_t begun = 0;
    bool ok = true;
    for (size_t running = 0; ok && (begun < jobs.count || running);) {
        if (begun < jobs.count && running < b->order->jobs) {
            ok = start_job(b, &jobs.items[begun++], error);
            running += ok;
            continue;
        }
        ok = wait_for_job(b, &jobs, error) && (!build_stopped || error_set(error, "stopped"));
        running--;
        progress_update(&progress, begun - running);
    }
    stem_end(&b->stem);
    end_jobs(b, &jobs);
    progress_end(&progress);
    if (ok)
        share_objects(b, &jobs);
    ARRAY_RELEASE(&jobs);
    return ok;
}
