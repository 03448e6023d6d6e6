/* Objects become the units in them, where they are what the compiler wrote; other files are carried whole, or
 * only named if they are of the system. */
#include "weave/recorder.h"
#include "base/temporary.h"
#include "base/text.h"
#include "format/carry/seal.h"
#include "weave/archive.h"
#include "weave/system_files.h"

#include <limits.h>

/* Files of the system that are no larger are carried all the same: start files change with the C
 * library. */
enum { SMALL_FILE = 16384 };

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
    const char *name = recorder_last_part(path), *place = temporary_directory();
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
        buffer_addf(&name, "%s.o", recorder_last_part(r->units.items[r->units.count - 1].name));
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
        bool same = l->member ? !strcmp(l->path, archive) && (!strcmp(l->member, member) ||
                                                              !strcmp(l->member, recorder_last_part(member)))
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
            buffer_addf(&place, "%.*s%s", member->name[0] == '/' ? 0 : (int)(recorder_last_part(path) - path),
                        path, member->name);
        if (take_loaded_member(r, path, member->name, place.length ? buffer_text(&place) : NULL)) {
            ok = member->bytes || open_file(r, buffer_text(&place), &outside, error);
            struct carry_input input = {.name = memory_string(recorder_last_part(member->name))};
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

/* The number of the input that is this file, which is added if it is new. */
bool recorder_take_file(struct recorder *r, const char *path, size_t *number, struct error *error)
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
