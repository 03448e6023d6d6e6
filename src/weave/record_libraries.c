/* Linkers look for libraries in directories: those of the words, those that they know, and those that
 * libraries name which need others. */
#include "weave/recorder.h"
#include "base/text.h"
#include "weave/loaded.h"
#include "weave/system_files.h"

#include <elf.h>
#include <stdlib.h>

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
        const char *file = recorder_last_part(r->loaded[i].path);
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

bool recorder_take_library(struct recorder *r, const char *name, struct error *error)
{
    struct buffer path = {0}, text = {0};
    size_t number;
    bool ok = find_library(r, name, &path) || find_loaded_library(r, name, &path) ||
              error_set(error, "cannot find the library '-l%s'", name);
    ok = ok && recorder_take_file(r, buffer_text(&path), &number, error);
    if (ok && r->link.inputs.items[number].kind == CARRY_INPUT_NAMED) {
        buffer_addf(&text, "-l%s", name);
        recorder_add_word(r, CARRY_WORD_LIBRARY, buffer_text(&text), number);
    } else if (ok) {
        recorder_add_word(r, CARRY_WORD_INPUT, "-l", number);
    }
    buffer_release(&path);
    buffer_release(&text);
    return ok;
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
            ok = !here || system || recorder_take_file(r, buffer_text(&path), &number, error);
            if (ok && here && !system && r->link.inputs.count > before)
                recorder_add_word(r, CARRY_WORD_INPUT, CARRY_WORD_NEEDED, number);
            buffer_release(&path);
            if (here || !ok)
                break;
        }
    words_release(&names);
    words_release(&places);
    return ok;
}

bool recorder_take_needed(struct recorder *r, struct error *error)
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
