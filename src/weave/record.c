/*
 * The linker says which files, and which members of archives, it takes (-t). Words that name files
 * become references to inputs; the rest is written down as it is, but for what only concerns the
 * machine that it was built on.
 */
#include "weave/recorder.h"
#include "base/text.h"
#include "weave/loaded.h"
#include "weave/process.h"
#include "weave/system_files.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

const char *recorder_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

void recorder_add_word(struct recorder *r, enum carry_word_kind kind, const char *text, size_t input)
{
    ARRAY_PUSH(&r->link.words, ((struct carry_word){kind, memory_string(text), input}));
}

/* ---- What the linker loaded ---- */

static void add_loaded(struct recorder *r, const char *path, const char *member)
{
    if (r->loaded_count == r->loaded_capacity) {
        r->loaded_capacity = r->loaded_capacity ? r->loaded_capacity * 2 : 64;
        RESIZE(r->loaded, r->loaded_capacity);
    }
    r->loaded[r->loaded_count++] = (struct loaded){memory_string(path), memory_string(member), false};
}

/* Takes a line that the linker printed. False: it is something else, for the user. */
static bool take_loaded(struct recorder *r, char *line)
{
    struct loaded_line loaded;
    if (!loaded_line_read(line, &loaded))
        return false;
    add_loaded(r, loaded.path, loaded.member);
    return true;
}

/* Objects that the linker made itself (-flto). */
static bool is_made_by_linker(const char *line)
{
    return text_matches("*/lto-llvm-*.o", line) || text_matches("*.lto.*o", line) ||
           text_matches("*lto.tmp", line);
}

static bool asked_to_trace(const struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        if (!strcmp(words->items[i], "-t") || !strcmp(words->items[i], "--trace"))
            return true;
    return false;
}

static int run_linker(struct recorder *r, struct error *error)
{
    struct words command = {0};
    struct buffer printed = {0};
    bool traces = asked_to_trace(&r->command->words);
    words_add(&command, r->command->linker);
    words_add_all(&command, &r->command->words);
    words_add(&command, "-t");
    if (text_starts_with(r->link.version, "GNU ld")) /* twice: members of archives, too */
        words_add(&command, "-t");
    int status = process_read(&command, &printed, error);
    buffer_text(&printed);
    char *rest = (char *)printed.data;
    for (char *line; status >= 0 && (line = strsep(&rest, "\n"));)
        if (*line && ((!take_loaded(r, line) && !is_made_by_linker(line)) || traces))
            puts(line);
    fflush(stdout);
    buffer_release(&printed);
    words_release(&command);
    return status;
}

static bool is_own_runtime(const char *path)
{
    return text_matches("*/lib/cotree/*", path);
}

/* ---- Words ---- */

/* An option whose value is a file: the value becomes a reference. */
static bool take_option_file(struct recorder *r, const char *word, const struct linker_word *read,
                             struct error *error)
{
    struct buffer text = {0};
    size_t number;
    if (!recorder_take_file(r, read->value, &number, error))
        return false;
    buffer_add(&text, word, strcspn(word, "="));
    buffer_add_text(&text, "=");
    recorder_add_word(r, CARRY_WORD_INPUT, buffer_text(&text), number);
    buffer_release(&text);
    return true;
}

/* Is an option with a value there, of a long name or of one letter? */
static bool has_option(const struct words *words, const char *wanted)
{
    for (size_t i = 0; i < words->count;) {
        struct linker_word read = linker_word_read(words, i);
        const char *name = words->items[i] + strspn(words->items[i], "-");
        size_t length = read.name_length ? read.name_length : 1;
        if (read.value && name != words->items[i] && length == strlen(wanted) &&
            text_starts_with(name, wanted))
            return true;
        i += read.count;
    }
    return false;
}

/* What a program is called inside: with a version script and without -soname the first version has the
 * name of the output, as it was given; GNU ld takes the last part of it. */
static const char *name_inside(const struct recorder *r)
{
    const struct words *words = &r->command->words;
    if (!has_option(words, "version-script") || has_option(words, "soname") || has_option(words, "h"))
        return "";
    return text_starts_with(r->link.version, "GNU ld") ? recorder_last_part(r->output) : r->output;
}

/* cotree's own plugin is among its own words; weave names LLVM's, of its own clang. */
static bool take_word(struct recorder *r, size_t at, const struct linker_word *read, struct error *error)
{
    char *const *words = &r->command->words.items[at];
    size_t number;
    switch (read->kind) {
    case LINKER_INPUT:
        if (!recorder_take_file(r, words[0], &number, error))
            return false;
        recorder_add_word(r, CARRY_WORD_INPUT, "", number);
        return true;
    case LINKER_LIBRARY:
        return recorder_take_library(r, read->value, error);
    case LINKER_FILE:
        return take_option_file(r, words[0], read, error);
    case LINKER_OUTPUT:
        r->output = read->value;
        recorder_add_word(r, CARRY_WORD_OUTPUT, name_inside(r), CARRY_NO_INPUT);
        return true;
    case LINKER_SAYS:
        return true;
    case LINKER_DIRECTORY:
        if (is_of_system(read->value)) {
            struct buffer text = {0};
            char resolved[PATH_MAX];
            buffer_addf(&text, "-L%s", realpath(read->value, resolved) ? resolved : read->value);
            recorder_add_word(r, CARRY_WORD_TEXT, buffer_text(&text), CARRY_NO_INPUT);
            buffer_release(&text);
        }
        return true;
    case LINKER_PLUGIN:
        recorder_add_word(r, CARRY_WORD_TEXT, "-plugin", CARRY_NO_INPUT);
        recorder_add_word(r, CARRY_WORD_TEXT, recorder_last_part(read->value), CARRY_NO_INPUT);
        return true;
    default:
        library_kind_follow(&r->libraries, words[0]);
        for (size_t i = 0; i < read->count; i++)
            recorder_add_word(r, CARRY_WORD_TEXT, words[i], CARRY_NO_INPUT);
        return true;
    }
}

/* -R DIRECTORY is -rpath; with a file it is another word, that is not obeyed. The number of words. */
static size_t take_places(struct recorder *r, size_t at)
{
    const struct words *words = &r->command->words;
    const char *word = words->items[at];
    bool separate = !strcmp(word, "-R") && at + 1 < words->count;
    if ((!separate && (!text_starts_with(word, "-R") || !word[2])) ||
        loaded_is_file(separate ? words->items[at + 1] : word + 2))
        return 0;
    recorder_add_word(r, CARRY_WORD_TEXT, "-rpath", CARRY_NO_INPUT);
    recorder_add_word(r, CARRY_WORD_TEXT, separate ? words->items[at + 1] : word + 2, CARRY_NO_INPUT);
    return separate ? 2 : 1;
}

/* GNU ld takes LD_RUN_PATH for a program whose words do not say where its libraries are. */
static void take_run_path(struct recorder *r)
{
    const char *path = getenv("LD_RUN_PATH");
    if (!path || !*path || !text_starts_with(r->link.version, "GNU ld"))
        return;
    for (size_t i = 0; i < r->link.words.count; i++) {
        const char *text = r->link.words.items[i].text, *name = text + strspn(text, "-");
        if (name != text && (!strcmp(name, "rpath") || text_starts_with(name, "rpath=")))
            return;
    }
    recorder_add_word(r, CARRY_WORD_TEXT, "-rpath", CARRY_NO_INPUT);
    recorder_add_word(r, CARRY_WORD_TEXT, path, CARRY_NO_INPUT);
}

static bool take_words(struct recorder *r, struct error *error)
{
    const struct link_command *command = r->command;
    for (size_t i = 0; i < command->words.count;) {
        if (i == command->first.begin && !r->first_done) {
            r->first_done = true;
            recorder_add_word(r, CARRY_WORD_FIRST, "", CARRY_NO_INPUT);
            i = command->first.end;
            continue;
        }
        if (i == command->after.begin && !r->after_done) {
            r->after_done = true;
            recorder_add_word(r, CARRY_WORD_AFTER, "", CARRY_NO_INPUT);
            i = command->after.end;
            continue;
        }
        struct linker_word read = linker_word_read(&command->words, i);
        size_t taken = take_places(r, i);
        if (taken) {
            i += taken;
            continue;
        }
        if (!take_word(r, i, &read, error))
            return false;
        i += read.count;
    }
    take_run_path(r);
    return true;
}

/* Files that were read because others asked for them, as linker scripts do. */
static bool take_rest(struct recorder *r, struct error *error)
{
    size_t number;
    for (size_t i = 0; i < r->loaded_count; i++) {
        const struct loaded *l = &r->loaded[i];
        if (!l->member && !l->used && !is_own_runtime(l->path) && is_of_system(l->path) &&
            !recorder_take_file(r, l->path, &number, error))
            return false;
    }
    return true;
}

/* ---- The record ---- */

/* Equal units, of objects that are linked twice, are carried once. */
static void drop_repeated(struct carry_units *units, struct carry_unit *kept, size_t *count)
{
    struct hash_map seen = {0};
    *count = 0;
    for (size_t i = 0; i < units->count; i++) {
        bool added;
        hash_map_put(&seen, units->items[i].id, &added);
        if (added)
            kept[(*count)++] = units->items[i];
    }
    hash_map_release(&seen);
}

static bool append_records(struct recorder *r, struct error *error)
{
    struct buffer units = {0}, link = {0};
    struct carry_unit *kept = ALLOC(struct carry_unit, r->units.count + 1);
    size_t count;
    if (!carry_units_unpack(&r->units, error)) {
        free(kept);
        return false;
    }
    drop_repeated(&r->units, kept, &count);
    carry_units_write(&units, kept, count, true);
    carry_link_write(&link, &r->link);
    free(kept);
    const struct new_section sections[] = {{CARRY_UNITS_SECTION, &units}, {CARRY_LINK_SECTION, &link}};
    bool ok = object_append(r->output, sections, 2, error);
    buffer_release(&units);
    buffer_release(&link);
    return ok;
}

static void recorder_release(struct recorder *r)
{
    carry_link_release(&r->link);
    carry_units_release(&r->units);
    for (size_t i = 0; i < r->files.count; i++)
        mapped_file_close(&r->files.items[i]);
    for (size_t i = 0; i < r->copies.count; i++)
        free(r->copies.items[i]);
    for (size_t i = 0; i < r->loaded_count; i++) {
        free(r->loaded[i].path);
        free(r->loaded[i].member);
    }
    ARRAY_RELEASE(&r->files);
    ARRAY_RELEASE(&r->copies);
    free(r->loaded);
    hash_map_release(&r->input_of_path);
}

int link_and_carry(const struct link_command *command, struct error *error)
{
    struct recorder r = {.command = command, .output = "a.out"};
    struct words asked = {0};
    words_add(&asked, command->linker);
    r.link.linker = memory_string(command->name);
    r.link.version = process_version(&asked);
    r.link.origin = memory_string("");
    r.link.driver = memory_string(command->driver);
    words_release(&asked);
    int status = run_linker(&r, error);
    if (status == 0 && !(take_words(&r, error) && take_rest(&r, error) && recorder_take_needed(&r, error) &&
                         (!loaded_is_file(r.output) || append_records(&r, error)))) {
        error_prefix(error, "-fcotree-carry");
        status = -1;
    }
    recorder_release(&r);
    return status;
}
