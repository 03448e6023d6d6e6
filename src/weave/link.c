#include "base/memory.h"
#include "weave/building.h"
#include "weave/linker_words.h"
#include "weave/loaded.h"

#include <limits.h>
#include <unistd.h>

struct linking {
    struct build *build;
    size_t variant;
    char *output; /* relative to the directory that the linker runs in */
    struct input_paths inputs;
};

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

static void add_link_words(const struct linking *l, struct words *command)
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
            words_add(command, l->output);
        } else if (word->kind == CARRY_WORD_FIRST || word->kind == CARRY_WORD_AFTER) {
            words_add_all(command, word->kind == CARRY_WORD_FIRST ? &variant->first : &variant->after);
        } else if (!strcmp(word->text, "-l")) {
            build_add_word(command, "-l:%s", link->inputs.items[word->input].name);
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

/* Is this a file that the record names, or that weaving has made or brought? */
static bool is_expected(const struct build *b, const char *path)
{
    char resolved[PATH_MAX], named[PATH_MAX];
    size_t own = strlen(b->scratch.path), library = strlen(b->tools->library);
    if ((!strncmp(path, b->scratch.path, own) && path[own] == '/') ||
        (!strncmp(path, b->tools->library, library) && path[library] == '/') || !realpath(path, resolved))
        return true;
    for (size_t i = 0; i < b->program->link.inputs.count; i++) {
        const struct carry_input *input = &b->program->link.inputs.items[i];
        if (input->kind == CARRY_INPUT_NAMED && realpath(input->name, named) && !strcmp(named, resolved))
            return true;
    }
    return false;
}

/* Did the linker take what the record names, and nothing else? Directories hold other files by now, and
 * linkers open files for more reasons than words. */
static bool is_as_recorded(const struct build *b, const char *printed, struct error *error)
{
    char *text = scratch_read(printed), *rest = text;
    bool ok = true;
    for (char *line; ok && (line = strsep(&rest, "\n"));) {
        struct loaded_line loaded;
        if (*line && loaded_line_read(line, &loaded) && !is_expected(b, loaded.path))
            ok = error_set(error, "the linker took '%s', which the program was not linked with", loaded.path);
    }
    free(text);
    return ok;
}

static bool run_linker(const struct linking *l, struct error *error)
{
    struct build *b = l->build;
    struct words command = {0};
    char *printed = scratch_path(b->scratch.said, "linked%zu", l->variant);
    char *said = scratch_path(b->scratch.said, "link%zu", l->variant);
    words_add(&command, b->tools->linker);
    words_add(&command, "-t");
    add_link_words(l, &command);
    build_say(b, &command);
    pid_t child = build_start(b, &command, b->scratch.linked, printed, said, error);
    bool ok = child && (process_wait(child) == 0 || error_set(error, "the linker failed"));
    scratch_print_said(said);
    ok = ok && (!build_stopped || error_set(error, "stopped")) && is_as_recorded(b, printed, error);
    free(said);
    free(printed);
    words_release(&command);
    return ok;
}

/* What the linker calls the program: a name that the program has inside is that of the first one. */
static char *name_of_output(const struct build *b)
{
    const struct carry_link *link = &b->program->link;
    for (size_t i = 0; i < link->words.count; i++)
        if (link->words.items[i].kind == CARRY_WORD_OUTPUT && *link->words.items[i].text)
            return memory_string(link->words.items[i].text);
    return memory_string("program");
}

bool build_link(struct build *b, size_t variant, struct error *error)
{
    struct linking l = {.build = b, .variant = variant, .output = name_of_output(b)};
    char *output = output_place(b->order->variants[variant].output, error);
    char *linked = scratch_path(b->scratch.linked, "%s", l.output);
    bool ok = output && build_inputs(b, variant, &l.inputs, error) && run_linker(&l, error) &&
              output_put(b, linked, output, error);
    unlink(linked);
    for (size_t i = 0; i < l.inputs.count; i++)
        free(l.inputs.items[i]);
    ARRAY_RELEASE(&l.inputs);
    free(linked);
    free(l.output);
    free(output);
    return ok;
}
