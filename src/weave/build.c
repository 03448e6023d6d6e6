#include "weave/build.h"
#include "base/memory.h"
#include "base/progress.h"
#include "base/text.h"
#include "instrument/options.h"
#include "weave/archive.h"
#include "weave/confine.h"
#include "weave/linker_words.h"
#include "weave/loaded.h"
#include "weave/process.h"
#include "weave/record.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct job {
    size_t unit, variant;
    pid_t child; /* 0: not running */
};

struct build {
    struct carrying_program *program;
    const struct weave_tools *tools;
    const struct weave_order *order;
    char *directory;
    int confinement; /* of the compiler and the linker (weave/confine.h) */
    struct jobs ARRAY_OF(struct job) jobs;
    struct paths ARRAY_OF(char *) objects; /* by unit and variant; several variants may share one */
};

/* A signal that asks for an end ends the children, too, and nothing is left behind. */
static volatile sig_atomic_t stopped;

static void stop(int signal)
{
    stopped = signal;
}

/* ---- Files ---- */

static char *path_in(const struct build *b, const char *format, size_t first, size_t second)
{
    struct buffer path = {0};
    buffer_addf(&path, "%s/", b->directory);
    buffer_addf(&path, format, first, second);
    char *result = memory_string(buffer_text(&path));
    buffer_release(&path);
    return result;
}

static bool write_all(int fd, const uint8_t *bytes, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t n = write(fd, bytes + done, length - done);
        if (n < 0 && errno != EINTR)
            return false;
        done += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool write_file(const char *path, const void *bytes, size_t length, struct error *error)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && write_all(fd, bytes, length);
    int why = errno;
    if (fd >= 0 && close(fd) != 0 && ok) {
        ok = false;
        why = errno;
    }
    return ok || error_set(error, "cannot write '%s': %s", path, strerror(why));
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *walk)
{
    (void)st, (void)type, (void)walk;
    remove(path);
    return 0;
}

static bool make_directory(struct build *b, struct error *error)
{
    const char *place = getenv("TMPDIR");
    struct buffer path = {0};
    buffer_addf(&path, "%s/cotree-weave.XXXXXX", place && *place ? place : "/tmp");
    b->directory = memory_string(buffer_text(&path));
    buffer_release(&path);
    if (mkdtemp(b->directory))
        return true;
    error_set(error, "cannot make the directory '%s': %s", b->directory, strerror(errno));
    free(b->directory);
    b->directory = NULL;
    return false;
}

/* ---- Compiling ---- */

static char **object_of(struct build *b, size_t unit, size_t variant)
{
    return &b->objects.items[unit * b->order->variant_count + variant];
}

static void add_word(struct words *words, const char *format, const char *value)
{
    struct buffer word = {0};
    buffer_addf(&word, format, value);
    words_add(words, buffer_text(&word));
    buffer_release(&word);
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
    add_word(command, "-fpass-plugin=%s", buffer_text(&plugin));
    words_add(command, "-disable-free"); /* as clang's driver says, too: time that nobody needs to spend */
    words_add(command, "-discard-value-names");
    words_add(command, "-disable-llvm-verifier");
    words_add(command, "-mllvm"); /* or the reader of bitcode verifies it: the plugin does, once */
    words_add(command, "-disable-auto-upgrade-debug-info");
    words_add(command, "-mllvm");
    words_add(command, "-" INSTRUMENT_WOVEN_OPTION);
    words_add(command, "-mllvm");
    add_word(command, "-cotree-options=%s", b->order->variants[variant].options[u->flags % WEAVE_UNIT_KINDS]);
    buffer_release(&plugin);
}

static void say(const struct build *b, const struct words *command)
{
    for (size_t i = 0; b->order->verbose && i < command->count; i++) {
        char *printable = memory_string(command->items[i]);
        text_make_printable(printable);
        fprintf(stderr, "%s%c", printable, i + 1 < command->count ? ' ' : '\n');
        free(printable);
    }
}

/* The plugin writes what the unit is like in this variant, and ends if another is like it
 * (instrument/options.h). */
static void add_share_words(const struct build *b, const struct job *job, struct words *command)
{
    char *place = path_in(b, "unit%zu:%zu", job->unit, job->variant);
    words_add(command, "-mllvm");
    add_word(command, "-cotree-share=%s", place);
    free(place);
}

/* The text of a small file that the plugin wrote; "" if it is not there. */
static char *read_small(const char *path)
{
    struct mapped_file file;
    struct error ignored;
    if (!mapped_file_open(&file, path, &ignored))
        return memory_string("");
    char *text = memory_substring((const char *)file.bytes, file.length);
    mapped_file_close(&file);
    return text;
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
static void share_objects(struct build *b)
{
    for (size_t i = 0; i < b->jobs.count && b->order->variant_count > 1; i++) {
        const struct job *job = &b->jobs.items[i];
        char *own = path_in(b, "unit%zu.%zu.digest", job->unit, job->variant), *digest = read_small(own);
        struct buffer claim = {0};
        buffer_addf(&claim, "%s/unit%zu.%s", b->directory, job->unit, digest);
        char *claimed = read_small(buffer_text(&claim));
        size_t variant = strtoul(claimed, NULL, 10);
        if (*digest && *claimed && variant < b->order->variant_count && variant != job->variant) {
            char **object = object_of(b, job->unit, job->variant);
            if (access(*object, F_OK) != 0)
                say_shared(b, job, variant);
            free(*object);
            *object = path_in(b, "unit%zu.%zu.o", job->unit, variant);
        }
        buffer_release(&claim);
        free(claimed);
        free(digest);
        free(own);
    }
}

static bool start_job(struct build *b, struct job *job, struct error *error)
{
    const struct carry_unit *unit = &b->program->units.items[job->unit];
    char *bitcode = path_in(b, "unit%zu.bc", job->unit, 0);
    struct words command = {0};
    bool ok = access(bitcode, F_OK) == 0 || write_file(bitcode, unit->bitcode, unit->bitcode_length, error);
    *object_of(b, job->unit, job->variant) = path_in(b, "unit%zu.%zu.o", job->unit, job->variant);
    if (ok) {
        add_compile_words(&command, b, job->unit, job->variant);
        if (b->order->variant_count > 1)
            add_share_words(b, job, &command);
        words_add(&command, "-o");
        words_add(&command, *object_of(b, job->unit, job->variant));
        words_add(&command, "-x");
        words_add(&command, "ir");
        words_add(&command, bitcode);
        say(b, &command);
        job->child = process_start_confined(&command, b->confinement, NULL, error);
    }
    free(bitcode);
    words_release(&command);
    return job->child != 0;
}

/* Waits for one job to end; its number. */
static bool wait_for_job(struct build *b, struct error *error)
{
    int status;
    pid_t child = waitpid(-1, &status, 0);
    if (child < 0)
        return error_set(error, errno == EINTR ? "stopped" : "cannot wait for the compiler");
    for (size_t i = 0; i < b->jobs.count; i++)
        if (b->jobs.items[i].child == child) {
            b->jobs.items[i].child = 0;
            return (WIFEXITED(status) && WEXITSTATUS(status) == 0) ||
                   error_set(error, "the compiler failed on unit '%s'",
                             b->program->units.items[b->jobs.items[i].unit].name);
        }
    return true;
}

static void end_jobs(struct build *b)
{
    for (size_t i = 0; i < b->jobs.count; i++)
        if (b->jobs.items[i].child) {
            kill(b->jobs.items[i].child, SIGTERM);
            process_wait(b->jobs.items[i].child);
            b->jobs.items[i].child = 0;
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

static bool compile(struct build *b, struct error *error)
{
    const struct carry_units *units = &b->program->units;
    for (size_t unit = 0; unit < units->count; unit++)
        for (size_t variant = 0; variant < b->order->variant_count; variant++) {
            ARRAY_PUSH(&b->jobs, ((struct job){unit, variant, 0}));
            ARRAY_PUSH(&b->objects, NULL);
        }
    units_of_compared = units;
    qsort(b->jobs.items, b->jobs.count, sizeof *b->jobs.items, compare_jobs);
    struct progress progress = progress_start("weaving", b->jobs.count);
    size_t begun = 0, running = 0;
    bool ok = true;
    while (ok && (begun < b->jobs.count || running)) {
        if (begun < b->jobs.count && running < b->order->jobs) {
            ok = start_job(b, &b->jobs.items[begun++], error);
            running += ok;
            continue;
        }
        ok = wait_for_job(b, error) && !stopped;
        running--;
        progress_update(&progress, begun - running);
    }
    end_jobs(b);
    progress_end(&progress);
    return ok;
}

/* ---- Linking ---- */

struct linking {
    struct build *build;
    size_t variant;
    struct input_paths ARRAY_OF(char *) inputs; /* the path of each input, or NULL for a member */
};

/* Makes the directory of an input and returns the input's path in it: names matter to linkers
 * (crtbegin.o). */
static char *input_place(const struct linking *l, size_t number)
{
    char *directory = path_in(l->build, "%zu.%zu", l->variant, number);
    struct buffer path = {0};
    mkdir(directory, 0700);
    buffer_addf(&path, "%s/%s", directory, l->build->program->link.inputs.items[number].name);
    char *result = memory_string(buffer_text(&path));
    buffer_release(&path);
    free(directory);
    return result;
}

/* Runs a command to its end. */
static bool run(struct build *b, const struct words *command, const char *what, struct error *error)
{
    say(b, command);
    pid_t child = process_start_confined(command, b->confinement, NULL, error);
    if (!child)
        return false;
    int status = process_wait(child);
    return status == 0 ? !stopped || error_set(error, "stopped") : error_set(error, "%s failed", what);
}

/* An object of several units is what `ld -r` makes of theirs. */
static bool place_units(struct linking *l, const struct carry_input *input, const char *path,
                        struct error *error)
{
    struct build *b = l->build;
    struct words command = {0};
    words_add(&command, b->tools->linker);
    words_add(&command, "-r");
    words_add(&command, "-o");
    words_add(&command, path);
    for (size_t i = 0; i < input->id_count; i++) {
        size_t unit = (size_t)*hash_map_get(&b->program->unit_of_id, input->ids[i]) - 1;
        const char *object = *object_of(b, unit, l->variant);
        words_add(&command, object);
        if (input->id_count == 1) {
            words_release(&command);
            return link(object, path) == 0 || error_set(error, "cannot make '%s': %s", path, strerror(errno));
        }
    }
    bool ok = run(b, &command, "the linker", error);
    words_release(&command);
    return ok;
}

/* Are all directories where a library looks for others the system's? Others are not looked into: what the
 * library needs of them is carried. */
static bool is_place_of_system(const char *places)
{
    bool ok = true;
    while (ok && *places) {
        char *place = memory_substring(places, strcspn(places, ":"));
        ok = is_of_system(place);
        free(place);
        places += strcspn(places, ":");
        places += *places == ':';
    }
    return ok;
}

static bool place_whole(const struct carry_input *input, const char *path, bool is_option,
                        struct error *error)
{
    enum object_kind kind = object_kind_of(input->bytes, input->length);
    if (!is_option && kind != OBJECT_RELOCATABLE && kind != OBJECT_SHARED && kind != OBJECT_BITCODE)
        return error_set(error, "'%s', which is carried, is no object: linker scripts are not obeyed",
                         input->name);
    if (kind != OBJECT_SHARED)
        return write_file(path, input->bytes, input->length, error);
    struct buffer copy = {0};
    buffer_add(&copy, input->bytes, input->length);
    object_cut_places(copy.data, copy.length, is_place_of_system);
    bool ok = write_file(path, copy.data, copy.length, error);
    buffer_release(&copy);
    return ok;
}

/* Is the input read by an option, as --version-script=FILE? */
static bool is_read_by_option(const struct carry_link *link, size_t number)
{
    for (size_t i = 0; i < link->words.count; i++)
        if (link->words.items[i].input == number && link->words.items[i].kind == CARRY_WORD_INPUT &&
            link->words.items[i].text[0] == '-' && strcmp(link->words.items[i].text, "-l") != 0 &&
            strcmp(link->words.items[i].text, CARRY_WORD_NEEDED) != 0)
            return true;
    return false;
}

static bool place_input(struct linking *l, size_t number, struct error *error)
{
    const struct carry_link *link = &l->build->program->link;
    const struct carry_input *input = &link->inputs.items[number];
    if (input->kind == CARRY_INPUT_NAMED) {
        ARRAY_PUSH(&l->inputs, memory_string(input->name));
        return true;
    }
    char *path = input_place(l, number);
    ARRAY_PUSH(&l->inputs, path);
    if (input->kind == CARRY_INPUT_UNITS)
        return place_units(l, input, path, error);
    return input->kind == CARRY_INPUT_ARCHIVE ||
           place_whole(input, path, is_read_by_option(link, number), error);
}

/* LLVM's own archiver knows the symbols of bitcode. */
static bool archive_bitcode(struct linking *l, size_t number, struct error *error)
{
    const struct carry_input *input = &l->build->program->link.inputs.items[number];
    struct words command = {0};
    if (!l->build->tools->archiver)
        return error_set(error, "'%s' is an archive of bitcode, and llvm-ar is not here", input->name);
    words_add(&command, l->build->tools->archiver);
    words_add(&command, "rcsD");
    words_add(&command, l->inputs.items[number]);
    for (size_t m = 1; m <= input->member_count; m++)
        words_add(&command, l->inputs.items[number + m]);
    bool ok = run(l->build, &command, "llvm-ar", error);
    words_release(&command);
    return ok;
}

static bool make_archive(struct linking *l, size_t number, struct error *error)
{
    const struct carry_input *input = &l->build->program->link.inputs.items[number];
    struct archive archive = {0};
    struct maps ARRAY_OF(struct mapped_file) maps = {0};
    bool ok = true, bitcode = false;
    for (size_t m = 1; m <= input->member_count && ok; m++) {
        struct mapped_file file;
        ok = mapped_file_open(&file, l->inputs.items[number + m], error);
        if (!ok)
            break;
        ARRAY_PUSH(&maps, file);
        bitcode |= object_kind_of(file.bytes, file.length) == OBJECT_BITCODE;
        ARRAY_PUSH(&archive,
                   ((struct archive_member){memory_string(input[m].name), file.bytes, file.length}));
    }
    struct buffer bytes = {0};
    if (ok && bitcode) {
        ok = archive_bitcode(l, number, error);
    } else if (ok) {
        archive_write(&bytes, &archive);
        ok = write_file(l->inputs.items[number], bytes.data, bytes.length, error);
    }
    buffer_release(&bytes);
    for (size_t i = 0; i < maps.count; i++)
        mapped_file_close(&maps.items[i]);
    ARRAY_RELEASE(&maps);
    archive_release(&archive);
    return ok;
}

static bool place_inputs(struct linking *l, struct error *error)
{
    const struct carry_inputs *inputs = &l->build->program->link.inputs;
    for (size_t i = 0; i < inputs->count; i++)
        if (!place_input(l, i, error))
            return false;
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->items[i].kind == CARRY_INPUT_ARCHIVE && !make_archive(l, i, error))
            return false;
    return true;
}

/* Adds a word and the directory of a file. */
static void add_directory(struct words *command, const char *word, const char *path)
{
    struct buffer text = {0};
    buffer_addf(&text, "%s%.*s", word, (int)(strrchr(path, '/') - path), path);
    words_add(command, buffer_text(&text));
    buffer_release(&text);
}

/* Carried libraries are named as -l does: a library without a name of its own is known by the last part
 * of its path then. They are found before those of the system that have the same name: the directories
 * of the system are among the words that come after these. */
static void add_carried_directories(const struct linking *l, struct words *command)
{
    const struct carry_link *link = &l->build->program->link;
    for (size_t i = 0; i < link->words.count; i++)
        if (link->words.items[i].kind == CARRY_WORD_INPUT && !strcmp(link->words.items[i].text, "-l"))
            add_directory(command, "-L", l->inputs.items[link->words.items[i].input]);
}

/* Adds what texts[at] says, and its value; the number of words. */
static size_t add_link_text(const struct linking *l, const struct words *texts, size_t at,
                            struct words *command)
{
    struct linker_word read = linker_word_read(texts, at);
    if (read.kind == LINKER_PLUGIN) {
        struct buffer path = {0};
        buffer_addf(&path, "%s/../lib/%s", l->build->tools->llvm_bin, read.value);
        words_add(command, "-plugin");
        words_add(command, buffer_text(&path));
        buffer_release(&path);
    } else {
        linker_word_add(command, texts, at, &read);
    }
    return read.count;
}

static void add_link_words(const struct linking *l, const char *output, struct words *command)
{
    const struct carry_link *link = &l->build->program->link;
    const struct weave_variant *variant = &l->build->order->variants[l->variant];
    struct words texts = {0};
    carrying_program_texts(l->build->program, &texts);
    if (!strncmp(link->linker, "ld.lld", 6)) /* objects ask for libraries, and for files */
        words_add(command, "--no-dependent-libraries");
    add_carried_directories(l, command);
    for (size_t i = 0; i < link->words.count; i++) {
        const struct carry_word *word = &link->words.items[i];
        if (word->kind == CARRY_WORD_TEXT) {
            i += add_link_text(l, &texts, i, command) - 1;
        } else if (word->kind == CARRY_WORD_LIBRARY) {
            words_add(command, word->text);
        } else if (word->kind == CARRY_WORD_OUTPUT) {
            words_add(command, "-o");
            words_add(command, output);
        } else if (word->kind == CARRY_WORD_FIRST || word->kind == CARRY_WORD_AFTER) {
            words_add_all(command, word->kind == CARRY_WORD_FIRST ? &variant->first : &variant->after);
        } else if (!strcmp(word->text, "-l")) {
            add_word(command, "-l:%s", link->inputs.items[word->input].name);
        } else if (!strcmp(word->text, CARRY_WORD_NEEDED)) {
            add_directory(command, word->text, l->inputs.items[word->input]);
        } else {
            struct buffer text = {0};
            buffer_addf(&text, "%s%s", word->text, l->inputs.items[word->input]);
            words_add(command, buffer_text(&text));
            buffer_release(&text);
        }
    }
    words_release(&texts);
}

/* The woven program carries what the first one did, and names it. */
static bool carry_again(const struct build *b, const char *path, struct error *error)
{
    struct carry_link link = b->program->link;
    struct buffer units = {0}, record = {0};
    if (!*link.origin)
        link.origin = b->program->build_id;
    buffer_add(&units, b->program->units_section.bytes, b->program->units_section.length);
    carry_link_write(&record, &link);
    const struct new_section sections[] = {{CARRY_UNITS_SECTION, &units}, {CARRY_LINK_SECTION, &record}};
    bool ok = object_append(path, sections, 2, error);
    buffer_release(&units);
    buffer_release(&record);
    return ok;
}

/* ---- Outputs ---- */

/* What a symbolic link names, be it there or not; NULL if the path is no such link. */
static char *link_target(const char *path)
{
    char target[PATH_MAX];
    struct buffer place = {0};
    ssize_t length = readlink(path, target, sizeof target - 1);
    if (length <= 0)
        return NULL;
    target[length] = 0;
    const char *slash = strrchr(path, '/');
    buffer_addf(&place, "%.*s%s", *target != '/' && slash ? (int)(slash + 1 - path) : 0, path, target);
    char *result = memory_string(buffer_text(&place));
    buffer_release(&place);
    return result;
}

/* The file that is to be replaced: what a symbolic link names. NULL if it is none that can be. */
static char *output_place(const char *output, struct error *error)
{
    struct stat st;
    if (stat(output, &st) != 0 && errno == ELOOP) {
        error_set(error, "cannot write '%s': %s", output, strerror(ELOOP));
        return NULL;
    }
    if (stat(output, &st) != 0) {
        enum { MOST_LINKS = 40 }; /* as the kernel allows */
        char *place = memory_string(output), *target;
        for (unsigned links = 0; links < MOST_LINKS && (target = link_target(place)); links++) {
            free(place);
            place = target;
        }
        return place;
    }
    if (!S_ISREG(st.st_mode)) {
        error_set(error, "cannot write '%s': it is no file", output);
        return NULL;
    }
    char *resolved = realpath(output, NULL);
    return resolved ? resolved : memory_string(output);
}

/* Makes a new file beside the output; nobody else's. */
static int make_beside(const char *output, struct buffer *path, struct error *error)
{
    enum { ATTEMPTS = 100 };
    const char *slash = strrchr(output, '/');
    int fd = -1;
    errno = EEXIST;
    for (unsigned attempt = 0; fd < 0 && errno == EEXIST && attempt < ATTEMPTS; attempt++) {
        path->length = 0;
        buffer_addf(path, "%.*s.%s.weaving-%d-%u", slash ? (int)(slash + 1 - output) : 0, output,
                    slash ? slash + 1 : output, (int)getpid(), attempt);
        fd = open(buffer_text(path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    }
    if (fd < 0)
        error_set(error, "cannot write '%s': %s", output, strerror(errno));
    return fd;
}

/* The program that was linked becomes the output. */
static bool put_output(const char *linked, const char *output, struct error *error)
{
    struct mapped_file file;
    struct stat st;
    struct buffer path = {0};
    if (stat(linked, &st) != 0 || !mapped_file_open(&file, linked, error))
        return error_set(error, "the linker made no program");
    int fd = make_beside(output, &path, error);
    bool ok = fd >= 0;
    if (ok &&
        !(write_all(fd, file.bytes, file.length) && fchmod(fd, st.st_mode & 0777) == 0 && fsync(fd) == 0))
        ok = error_set(error, "cannot write '%s': %s", output, strerror(errno));
    if (fd >= 0 && close(fd) != 0 && ok)
        ok = error_set(error, "cannot write '%s': %s", output, strerror(errno));
    ok = ok && (!stopped || error_set(error, "stopped"));
    if (ok && rename(buffer_text(&path), output) != 0)
        ok = error_set(error, "cannot rename '%s' to '%s': %s", buffer_text(&path), output, strerror(errno));
    if (fd >= 0 && !ok)
        unlink(buffer_text(&path));
    mapped_file_close(&file);
    buffer_release(&path);
    return ok;
}

/* Is this a file that the record names, or that weaving has made or brought? */
static bool is_expected(const struct build *b, const char *path)
{
    char resolved[PATH_MAX], named[PATH_MAX];
    size_t own = strlen(b->directory), library = strlen(b->tools->library);
    if ((!strncmp(path, b->directory, own) && path[own] == '/') ||
        (!strncmp(path, b->tools->library, library) && path[library] == '/') || !realpath(path, resolved))
        return true;
    for (size_t i = 0; i < b->program->link.inputs.count; i++) {
        const struct carry_input *input = &b->program->link.inputs.items[i];
        if (input->kind == CARRY_INPUT_NAMED && realpath(input->name, named) && !strcmp(named, resolved))
            return true;
    }
    return false;
}

/* Links, and asks what was linked: directories hold other files by now, and linkers open files for more
 * reasons than words. */
static bool run_link(struct build *b, const struct words *command, struct error *error)
{
    struct buffer printed = {0};
    int output;
    say(b, command);
    pid_t child = process_start_confined(command, b->confinement, &output, error);
    if (!child)
        return false;
    process_collect(output, &printed);
    bool ok = process_wait(child) == 0 || error_set(error, "the linker failed");
    buffer_text(&printed);
    char *rest = (char *)printed.data;
    for (char *line; ok && (line = strsep(&rest, "\n"));) {
        struct loaded_line loaded;
        if (loaded_line_read(line, &loaded) && !is_expected(b, loaded.path))
            ok = error_set(error, "the linker took '%s', which the program was not linked with", loaded.path);
    }
    buffer_release(&printed);
    return ok && (!stopped || error_set(error, "stopped"));
}

static bool link_variant(struct build *b, size_t variant, struct error *error)
{
    struct linking l = {.build = b, .variant = variant};
    char *output = output_place(b->order->variants[variant].output, error);
    char *linked = path_in(b, "program%zu", variant, 0);
    struct words command = {0};
    bool ok = output && place_inputs(&l, error);
    if (ok) {
        words_add(&command, b->tools->linker);
        words_add(&command, "-t");
        add_link_words(&l, linked, &command);
        ok = run_link(b, &command, error) && carry_again(b, linked, error) &&
             put_output(linked, output, error);
    }
    unlink(linked);
    for (size_t i = 0; i < l.inputs.count; i++)
        free(l.inputs.items[i]);
    ARRAY_RELEASE(&l.inputs);
    words_release(&command);
    free(linked);
    free(output);
    return ok;
}

/* ---- All of it ---- */

/* What the compiler and the linker may read beside the system: themselves, the plugin, and the files that
 * the options name. What they write beside their output they write to weave's directory. */
static int make_confinement(const struct build *b)
{
    struct words readable = {0};
    words_add(&readable, b->tools->library);
    words_add(&readable, b->tools->llvm_bin);
    for (size_t i = 0; i < b->tools->compiler.count; i++) {
        char *found = process_find(b->tools->llvm_bin, b->tools->compiler.items[i]);
        char *program = realpath(found ? found : b->tools->compiler.items[i], NULL);
        char *slash = program ? strrchr(program, '/') : NULL;
        if (slash) {
            *slash = 0;
            add_word(&readable, "%s", program);
            add_word(&readable, "%s/../lib", program);
        }
        free(program);
        free(found);
    }
    if (b->tools->linker)
        words_add(&readable, b->tools->linker);
    for (size_t i = 0; i < b->order->variant_count; i++)
        words_add_all(&readable, &b->order->variants[i].read);
    int confinement = confine_make(&readable, b->directory);
    words_release(&readable);
    return confinement;
}

/* What of the environment the compiler and the linker see: how they are found and start, not what they
 * make. What says that is in the record. */
static bool is_passed_on(const char *variable)
{
    static const char *const patterns[] = {"PATH=*",       "HOME=*",  "TMPDIR=*",       "LANG=*",
                                           "LC_*",         "TERM=*",  "COTREE*",        "LD_LIBRARY_PATH=*",
                                           "LD_PRELOAD=*", "GLIBC_*", "*SAN_OPTIONS=*", "GCOV_*"};
    for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
        if (text_matches(patterns[i], variable))
            return true;
    return false;
}

static void clean_environment(void)
{
    struct words dropped = {0};
    for (char **variable = environ; *variable; variable++)
        if (!is_passed_on(*variable)) {
            char *name = memory_substring(*variable, strcspn(*variable, "="));
            words_add(&dropped, name);
            free(name);
        }
    for (size_t i = 0; i < dropped.count; i++)
        unsetenv(dropped.items[i]);
    words_release(&dropped);
}

/* What the compiler and the linker find in their environment. Huge pages save compilers 1.8 % of their
 * time, which is what the kernel does for their memory; who has chosen otherwise gets what he chose. */
static void set_environment(const struct build *b)
{
    clean_environment();
    setenv("TMPDIR", b->directory, 1);
    setenv("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1", 0);
}

/* Assembly can ask for files of any size: what is made of a program is not larger than so many of it. */
static void limit_files(const struct build *b)
{
    enum { TIMES = 64, FEWEST = 1 << 28 };
    struct rlimit limit;
    rlim_t most = (rlim_t)b->program->file.length * TIMES + FEWEST;
    signal(SIGXFSZ, SIG_IGN); /* writing fails, which is said */
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur > most) {
        limit.rlim_cur = most;
        setrlimit(RLIMIT_FSIZE, &limit);
    }
}

static void catch_signals(bool on, struct sigaction *before)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction action = {.sa_handler = stop};
        sigaction(signals[i], on ? &action : &before[i], on ? &before[i] : NULL);
    }
}

bool weave_build(struct carrying_program *p, const struct weave_tools *tools, const struct weave_order *order,
                 struct error *error)
{
    struct build b = {.program = p, .tools = tools, .order = order};
    struct sigaction before[3];
    if (!carry_units_unpack(&p->units, error) || !carry_link_unpack(&p->link, error) ||
        !make_directory(&b, error))
        return false;
    b.confinement = make_confinement(&b);
    set_environment(&b);
    limit_files(&b);
    catch_signals(true, before);
    bool ok = compile(&b, error);
    if (ok)
        share_objects(&b);
    for (size_t i = 0; ok && i < order->variant_count; i++)
        ok = link_variant(&b, i, error);
    nftw(b.directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    if (b.confinement >= 0)
        close(b.confinement);
    catch_signals(false, before);
    if (stopped)
        raise(stopped);
    for (size_t i = 0; i < b.objects.count; i++)
        free(b.objects.items[i]);
    ARRAY_RELEASE(&b.objects);
    ARRAY_RELEASE(&b.jobs);
    free(b.directory);
    return ok;
}
