/*
 * The linker says which files, and which members of archives, it takes (-t). Words that name files
 * become references to inputs; the rest is written down as it is, but for what only concerns the
 * machine that it was built on.
 */
#include "weave/record.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/temporary.h"
#include "base/text.h"
#include "format/carry/link.h"
#include "format/carry/seal.h"
#include "format/carry/units.h"
#include "weave/archive.h"
#include "weave/linker_words.h"
#include "weave/loaded.h"
#include "weave/object.h"
#include "weave/process.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Files of the system that are no larger are carried all the same: start files change with the C
 * library. */
enum { SMALL_FILE = 16384 };

struct recorder {
    const struct link_command *command;
    struct carry_link link;
    struct carry_units units;
    struct files ARRAY_OF(struct mapped_file) files; /* mapped until the record is written */
    struct copies ARRAY_OF(uint8_t *) copies;
    struct loaded {
        char *path, *member; /* member NULL: the file itself */
        bool used;
    } *loaded;
    size_t loaded_count, loaded_capacity;
    struct hash_map input_of_path; /* hash of the path as it was given -> input + 1 */
    struct library_kind libraries; /* what -l means where we are */
    const char *output;
    bool first_done, after_done; /* the places of cotree's own words are written down */
};

bool is_of_system(const char *path)
{
    static const char *const places[] = {"/usr/lib/", "/usr/lib32/", "/usr/lib64/", "/usr/libx32/",
                                         "/lib/",     "/lib64/",     "/lib32/",     "/libx32/"};
    char resolved[PATH_MAX];
    if (!realpath(path, resolved))
        return false;
    size_t length = strlen(resolved);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (text_starts_with(resolved, places[i]) ||
            (length + 1 == strlen(places[i]) && text_starts_with(places[i], resolved)))
            return true;
    return false;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
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

/* ---- Inputs ---- */

static void keep_copy(struct recorder *r, struct carry_input *input, struct buffer *copy)
{
    ARRAY_PUSH(&r->copies, copy->data);
    input->bytes = copy->data;
    input->length = copy->length;
}

struct definer {
    const struct carry_units *units;
    size_t first;
    bool all;
};

/* Names that the optimiser and code generators make are not in the IR: they begin with two underlines. */
static void check_defined(void *context, const char *name)
{
    struct definer *d = context;
    bool found = strchr(name, '.') || text_starts_with(name, "__") || text_starts_with(name, "cotree_");
    for (size_t i = d->first; i < d->units->count && !found; i++)
        found = memmem(d->units->items[i].bitcode, d->units->items[i].bitcode_length, name, strlen(name));
    d->all &= found;
}

/* What `ld -r` made may hold assembly as well, which names no source file: then it defines what no unit
 * of it does. */
static bool is_made_of_units(struct recorder *r, size_t first, const uint8_t *bytes, size_t length,
                             struct error *error)
{
    struct definer definer = {&r->units, first, true};
    if (object_source_files(bytes, length) > r->units.count - first)
        return false;
    if (object_is_of_llvm(bytes, length))
        return true;
    if (!carry_units_unpack(&r->units, error))
        return false;
    object_defined_symbols(bytes, length, check_defined, &definer);
    return definer.all;
}

/* Is the object what the compilers wrote, or made of that by `ld -r`? Others were edited. */
static bool is_as_compiled(struct recorder *r, size_t first_unit, size_t first_seal, const uint8_t *bytes,
                           size_t length, struct error *error)
{
    size_t units = r->units.count - first_unit, seals = r->units.seals.count - first_seal;
    return units && units == seals &&
           carry_seals_hold(bytes, length, r->units.seals.items + first_seal, seals) &&
           (units == 1 || is_made_of_units(r, first_unit, bytes, length, error));
}

/* An object as the units in it; false if it has none, or parts that are none. */
static bool take_units(struct recorder *r, struct carry_input *input, const uint8_t *bytes, size_t length,
                       struct error *error)
{
    struct mapped_file section;
    size_t first = r->units.count, first_seal = r->units.seals.count;
    bool found = true;
    enum object_kind kind = object_kind_of(bytes, length);
    if (kind == OBJECT_BITCODE) {
        if (!carry_units_find(&r->units, bytes, length, &found, error))
            return false;
    } else if (kind != OBJECT_RELOCATABLE || !object_section(bytes, length, CARRY_UNITS_SECTION, &section) ||
               !carry_units_read(&r->units, section.bytes, section.length, error)) {
        return false;
    }
    size_t count = r->units.count - first;
    if (!found || !is_as_compiled(r, first, first_seal, bytes, length, error)) {
        carry_units_drop(&r->units, first);
        return false;
    }
    input->kind = CARRY_INPUT_UNITS;
    input->id_count = count;
    input->ids = ALLOC(uint64_t, count);
    for (size_t i = 0; i < count; i++)
        input->ids[i] = r->units.items[first + i].id;
    return true;
}

static void take_whole(struct recorder *r, struct carry_input *input, const uint8_t *bytes, size_t length)
{
    struct buffer copy = {0};
    input->kind = CARRY_INPUT_WHOLE;
    if (object_kind_of(bytes, length) == OBJECT_SHARED) {
        object_interface(bytes, length, &copy);
        keep_copy(r, input, &copy);
        return;
    }
    input->bytes = bytes;
    input->length = length;
}

/* The name of a file; an object that clang deletes again, NAME-HEXDIGITS.o, is never called the same
 * twice. */
static char *name_of_file(const char *path)
{
    enum { DIGITS = 6, END = DIGITS + 2 };
    const char *name = last_part(path), *place = temporary_directory();
    size_t length = strlen(name), stem = length > END + 1 ? length - END - 1 : 0;
    size_t directory = strlen(place);
    while (directory > 1 && place[directory - 1] == '/')
        directory--;
    if (!stem || name[stem] != '-' || strcmp(name + length - 2, ".o") != 0 ||
        strspn(name + stem + 1, "0123456789abcdef") != DIGITS || (size_t)(name - path) != directory + 1 ||
        strncmp(path, place, directory) != 0)
        return memory_string(name);
    struct buffer text = {0};
    buffer_addf(&text, "%.*s.o", (int)stem, name);
    char *result = memory_string(buffer_text(&text));
    buffer_release(&text);
    return result;
}

/* An object, or a member of an archive that is not of the system. An object without a name is called
 * after its source: clang's own name of an object that it deletes again is never the same. */
static void take_object(struct recorder *r, struct carry_input *input, const uint8_t *bytes, size_t length)
{
    struct error ignored;
    if (!take_units(r, input, bytes, length, &ignored)) {
        take_whole(r, input, bytes, length);
    } else if (!input->name) {
        struct buffer name = {0};
        buffer_addf(&name, "%s.o", last_part(r->units.items[r->units.count - 1].name));
        input->name = memory_string(buffer_text(&name));
        buffer_release(&name);
    }
}

/* Linkers print names of members, and several members may have one: all of them are taken then, and the
 * linker chooses among them again. */
static bool take_loaded_member(struct recorder *r, const char *archive, const char *member, const char *path)
{
    for (size_t i = 0; i < r->loaded_count; i++) {
        struct loaded *l = &r->loaded[i];
        bool same = l->member ? !strcmp(l->path, archive) &&
                                    (!strcmp(l->member, member) || !strcmp(l->member, last_part(member)))
                              : path && !strcmp(l->path, path);
        if (same)
            return l->used = true;
    }
    return false;
}

static bool open_file(struct recorder *r, const char *path, struct mapped_file *file, struct error *error)
{
    if (!mapped_file_open(file, path, error))
        return false;
    ARRAY_PUSH(&r->files, *file);
    return true;
}

/* Adds the members that were linked after the archive. */
static bool take_archive(struct recorder *r, size_t number, const char *path, const struct mapped_file *file,
                         struct error *error)
{
    struct archive archive;
    if (!archive_read(&archive, file->bytes, file->length, error))
        return error_prefix(error, "'%s'", path);
    bool ok = true;
    for (size_t i = 0; i < archive.count && ok; i++) {
        struct archive_member *member = &archive.items[i];
        struct mapped_file outside = {member->bytes, member->length};
        struct buffer place = {0};
        if (!member->bytes)
            buffer_addf(&place, "%.*s%s", member->name[0] == '/' ? 0 : (int)(last_part(path) - path), path,
                        member->name);
        if (take_loaded_member(r, path, member->name, place.length ? buffer_text(&place) : NULL)) {
            ok = member->bytes || open_file(r, buffer_text(&place), &outside, error);
            struct carry_input input = {.name = memory_string(last_part(member->name))};
            if (ok)
                take_object(r, &input, outside.bytes, outside.length);
            input.size = outside.length;
            ARRAY_PUSH(&r->link.inputs, input);
            r->link.inputs.items[number].member_count++;
        }
        buffer_release(&place);
    }
    archive_release(&archive);
    return ok;
}

static bool is_own_runtime(const char *path)
{
    return text_matches("*/lib/cotree/*", path);
}

/* The number of the input that is this file, which is added if it is new. */
static bool take_file(struct recorder *r, const char *path, size_t *number, struct error *error)
{
    uint64_t *known = hash_map_put(&r->input_of_path, hash_text(path), NULL);
    if (*known) {
        *number = (size_t)*known - 1;
        return true;
    }
    *known = r->link.inputs.count + 1;
    *number = r->link.inputs.count;
    struct mapped_file file;
    if (!open_file(r, path, &file, error))
        return false;
    enum object_kind kind = object_kind_of(file.bytes, file.length);
    bool system = is_of_system(path), archive = kind == OBJECT_ARCHIVE || kind == OBJECT_THIN_ARCHIVE;
    struct carry_input input = {.size = file.length, .hash = hash_bytes(file.bytes, file.length)};
    if (system && !(kind == OBJECT_RELOCATABLE && file.length <= SMALL_FILE)) {
        char resolved[PATH_MAX];
        input.kind = CARRY_INPUT_NAMED;
        input.name = memory_string(realpath(path, resolved) ? resolved : path);
    } else {
        if (archive)
            input.kind = CARRY_INPUT_ARCHIVE;
        else
            take_object(r, &input, file.bytes, file.length);
        if (!input.name)
            input.name = name_of_file(path);
    }
    ARRAY_PUSH(&r->link.inputs, input);
    return input.kind != CARRY_INPUT_ARCHIVE || take_archive(r, *number, path, &file, error);
}

/* ---- Words ---- */

static void add_word(struct recorder *r, enum carry_word_kind kind, const char *text, size_t input)
{
    ARRAY_PUSH(&r->link.words, ((struct carry_word){kind, memory_string(text), input}));
}

/* Finds the file that -lNAME means, as linkers do. */
static bool find_library(const struct recorder *r, const char *name, struct buffer *path)
{
    const struct words *words = &r->command->words;
    for (size_t i = 0; i < words->count;) {
        struct linker_word word = linker_word_read(words, i);
        i += word.count;
        for (int archive = r->libraries.archives; word.kind == LINKER_DIRECTORY && archive < 2; archive++) {
            path->length = 0;
            if (name[0] == ':')
                buffer_addf(path, "%s/%s", word.value, name + 1);
            else
                buffer_addf(path, "%s/lib%s.%s", word.value, name, archive ? "a" : "so");
            if (loaded_is_file(buffer_text(path)))
                return true;
        }
    }
    return false;
}

/* Linkers know directories that no word names: then the file is one of those that it loaded. */
static bool find_loaded_library(const struct recorder *r, const char *name, struct buffer *path)
{
    for (size_t i = 0; i < r->loaded_count; i++) {
        const char *file = last_part(r->loaded[i].path);
        struct buffer wanted = {0};
        bool found = false;
        for (int archive = 0; archive < 2 && !found; archive++) {
            wanted.length = 0;
            buffer_addf(&wanted, *name == ':' ? "%s" : "lib%s.%s", name + (*name == ':'),
                        archive ? "a" : "so");
            found = !strcmp(file, buffer_text(&wanted));
        }
        buffer_release(&wanted);
        if (found) {
            path->length = 0;
            buffer_add_text(path, r->loaded[i].path);
            return true;
        }
    }
    return false;
}

static bool take_library(struct recorder *r, const char *name, struct error *error)
{
    struct buffer path = {0}, text = {0};
    size_t number;
    bool ok = find_library(r, name, &path) || find_loaded_library(r, name, &path) ||
              error_set(error, "cannot find the library '-l%s'", name);
    ok = ok && take_file(r, buffer_text(&path), &number, error);
    if (ok && r->link.inputs.items[number].kind == CARRY_INPUT_NAMED) {
        buffer_addf(&text, "-l%s", name);
        add_word(r, CARRY_WORD_LIBRARY, buffer_text(&text), number);
    } else if (ok) {
        add_word(r, CARRY_WORD_INPUT, "-l", number);
    }
    buffer_release(&path);
    buffer_release(&text);
    return ok;
}

/* An option whose value is a file: the value becomes a reference. */
static bool take_option_file(struct recorder *r, const char *word, const struct linker_word *read,
                             struct error *error)
{
    struct buffer text = {0};
    size_t number;
    if (!take_file(r, read->value, &number, error))
        return false;
    buffer_add(&text, word, strcspn(word, "="));
    buffer_add_text(&text, "=");
    add_word(r, CARRY_WORD_INPUT, buffer_text(&text), number);
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
    return text_starts_with(r->link.version, "GNU ld") ? last_part(r->output) : r->output;
}

/* cotree's own plugin is among its own words; weave names LLVM's, of its own clang. */
static bool take_word(struct recorder *r, size_t at, const struct linker_word *read, struct error *error)
{
    char *const *words = &r->command->words.items[at];
    size_t number;
    switch (read->kind) {
    case LINKER_INPUT:
        if (!take_file(r, words[0], &number, error))
            return false;
        add_word(r, CARRY_WORD_INPUT, "", number);
        return true;
    case LINKER_LIBRARY:
        return take_library(r, read->value, error);
    case LINKER_FILE:
        return take_option_file(r, words[0], read, error);
    case LINKER_OUTPUT:
        r->output = read->value;
        add_word(r, CARRY_WORD_OUTPUT, name_inside(r), CARRY_NO_INPUT);
        return true;
    case LINKER_SAYS:
        return true;
    case LINKER_DIRECTORY:
        if (is_of_system(read->value)) {
            struct buffer text = {0};
            char resolved[PATH_MAX];
            buffer_addf(&text, "-L%s", realpath(read->value, resolved) ? resolved : read->value);
            add_word(r, CARRY_WORD_TEXT, buffer_text(&text), CARRY_NO_INPUT);
            buffer_release(&text);
        }
        return true;
    case LINKER_PLUGIN:
        add_word(r, CARRY_WORD_TEXT, "-plugin", CARRY_NO_INPUT);
        add_word(r, CARRY_WORD_TEXT, last_part(read->value), CARRY_NO_INPUT);
        return true;
    default:
        library_kind_follow(&r->libraries, words[0]);
        for (size_t i = 0; i < read->count; i++)
            add_word(r, CARRY_WORD_TEXT, words[i], CARRY_NO_INPUT);
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
    add_word(r, CARRY_WORD_TEXT, "-rpath", CARRY_NO_INPUT);
    add_word(r, CARRY_WORD_TEXT, separate ? words->items[at + 1] : word + 2, CARRY_NO_INPUT);
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
    add_word(r, CARRY_WORD_TEXT, "-rpath", CARRY_NO_INPUT);
    add_word(r, CARRY_WORD_TEXT, path, CARRY_NO_INPUT);
}

static bool take_words(struct recorder *r, struct error *error)
{
    const struct link_command *command = r->command;
    for (size_t i = 0; i < command->words.count;) {
        if (i == command->first.begin && !r->first_done) {
            r->first_done = true;
            add_word(r, CARRY_WORD_FIRST, "", CARRY_NO_INPUT);
            i = command->first.end;
            continue;
        }
        if (i == command->after.begin && !r->after_done) {
            r->after_done = true;
            add_word(r, CARRY_WORD_AFTER, "", CARRY_NO_INPUT);
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
            !take_file(r, l->path, &number, error))
            return false;
    }
    return true;
}

/* ---- Libraries that carried libraries need ---- */

static void add_places(void *context, const char *places)
{
    for (; *places; places += strcspn(places, ":"), places += *places == ':') {
        char *place = memory_substring(places, strcspn(places, ":"));
        if (*place)
            words_add(context, place);
        free(place);
    }
}

static void add_name(void *context, const char *name)
{
    words_add(context, name);
}

/* -rpath-link and -rpath say where GNU ld looks for them; so does the library that needs them. */
static void find_places(const struct recorder *r, const struct carry_input *library, struct words *places)
{
    static const char *const options[] = {"rpath-link", "rpath"};
    const struct words *words = &r->command->words;
    for (size_t o = 0; o < sizeof options / sizeof *options; o++)
        for (size_t i = 0; i < words->count;) {
            struct linker_word read = linker_word_read(words, i);
            const char *name = words->items[i] + strspn(words->items[i], "-");
            if (read.value && read.name_length == strlen(options[o]) && text_starts_with(name, options[o]))
                add_places(places, read.value);
            i += read.count;
        }
    const char *run_path = getenv("LD_RUN_PATH"), *library_path = getenv("LD_LIBRARY_PATH");
    if (run_path && !places->count)
        add_places(places, run_path);
    if (library_path)
        add_places(places, library_path);
    object_dynamic_texts(library->bytes, library->length, DT_RPATH, add_places, places);
    object_dynamic_texts(library->bytes, library->length, DT_RUNPATH, add_places, places);
}

/* Carries what one carried library needs and the system does not have. */
static bool take_needed_by(struct recorder *r, size_t library, struct error *error)
{
    struct words names = {0}, places = {0};
    const struct carry_input *input = &r->link.inputs.items[library];
    bool ok = true;
    object_dynamic_texts(input->bytes, input->length, DT_NEEDED, add_name, &names);
    find_places(r, input, &places);
    for (size_t i = 0; i < names.count && ok; i++)
        for (size_t p = 0; p < places.count; p++) {
            struct buffer path = {0};
            size_t number, before = r->link.inputs.count;
            buffer_addf(&path, "%s/%s", places.items[p], names.items[i]);
            bool here = loaded_is_file(buffer_text(&path)), system = here && is_of_system(buffer_text(&path));
            ok = !here || system || take_file(r, buffer_text(&path), &number, error);
            if (ok && here && !system && r->link.inputs.count > before)
                add_word(r, CARRY_WORD_INPUT, CARRY_WORD_NEEDED, number);
            buffer_release(&path);
            if (here || !ok)
                break;
        }
    words_release(&names);
    words_release(&places);
    return ok;
}

static bool take_needed(struct recorder *r, struct error *error)
{
    if (!text_starts_with(r->link.version, "GNU ld")) /* the others do not look for them */
        return true;
    for (size_t i = 0; i < r->link.inputs.count; i++) {
        const struct carry_input *input = &r->link.inputs.items[i];
        if (input->kind == CARRY_INPUT_WHOLE && !input->is_member &&
            object_kind_of(input->bytes, input->length) == OBJECT_SHARED && !take_needed_by(r, i, error))
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
    if (status == 0 && !(take_words(&r, error) && take_rest(&r, error) && take_needed(&r, error) &&
                         (!loaded_is_file(r.output) || append_records(&r, error)))) {
        error_prefix(error, "-fcotree-carry");
        status = -1;
    }
    recorder_release(&r);
    return status;
}
