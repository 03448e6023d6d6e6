#include "base/memory.h"
#include "weave/archive.h"
#include "weave/building.h"
#include "weave/system_files.h"

#include <sys/stat.h>

struct inputs {
    struct build *build;
    size_t variant;
    struct input_paths *paths; /* of each input */
};

/* Makes the directory of an input and returns the input's path in it: names matter to linkers
 * (crtbegin.o). */
static char *input_place(const struct inputs *in, size_t number)
{
    char *directory = scratch_path(in->build->scratch.made, "%zu.%zu", in->variant, number);
    mkdir(directory, 0700);
    char *path = scratch_path(directory, "%s", in->build->program->link.inputs.items[number].name);
    free(directory);
    return path;
}

/* Runs a program that makes one file: the last word of what is said so far is its option. */
static bool make_file(const struct inputs *in, size_t number, struct words *command, const char *what,
                      const struct words *from, struct error *error)
{
    char *made = scratch_path(in->build->scratch.work, "%zu.%zu", in->variant, number);
    words_add(command, made);
    words_add_all(command, from);
    bool ok =
        build_run(in->build, command, what, error) && scratch_link(made, in->paths->items[number], error);
    free(made);
    return ok;
}

/* An object of several units is what `ld -r` makes of theirs. */
static bool place_units(const struct inputs *in, size_t number, struct error *error)
{
    struct build *b = in->build;
    const struct carry_input *input = &b->program->link.inputs.items[number];
    struct words command = {0}, objects = {0};
    for (size_t i = 0; i < input->id_count; i++) {
        size_t unit = (size_t)*hash_map_get(&b->program->unit_of_id, input->ids[i]) - 1;
        words_add(&objects, *build_object(b, unit, in->variant));
    }
    words_add(&command, b->tools->linker);
    words_add(&command, "-r");
    words_add(&command, "-o");
    bool ok = input->id_count == 1 ? scratch_link(objects.items[0], in->paths->items[number], error)
                                   : make_file(in, number, &command, "the linker", &objects, error);
    words_release(&command);
    words_release(&objects);
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

static bool place_whole(const struct carry_input *input, const char *path, struct error *error)
{
    if (object_kind_of(input->bytes, input->length) != OBJECT_SHARED)
        return file_write_new(path, input->bytes, input->length, error);
    struct buffer copy = {0};
    buffer_add(&copy, input->bytes, input->length);
    object_cut_places(copy.data, copy.length, is_place_of_system);
    bool ok = file_write_new(path, copy.data, copy.length, error);
    buffer_release(&copy);
    return ok;
}

static bool place_input(const struct inputs *in, size_t number, struct error *error)
{
    const struct carry_input *input = &in->build->program->link.inputs.items[number];
    if (input->kind == CARRY_INPUT_NAMED) {
        ARRAY_PUSH(in->paths, memory_string(input->name));
        return true;
    }
    char *path = input_place(in, number);
    ARRAY_PUSH(in->paths, path);
    if (input->kind == CARRY_INPUT_UNITS)
        return place_units(in, number, error);
    return input->kind == CARRY_INPUT_ARCHIVE || place_whole(input, path, error);
}

/* LLVM's own archiver knows the symbols of bitcode. */
static bool archive_bitcode(const struct inputs *in, size_t number, struct error *error)
{
    const struct carry_input *input = &in->build->program->link.inputs.items[number];
    struct words command = {0}, members = {0};
    if (!in->build->tools->archiver)
        return error_set(error, "'%s' is an archive of bitcode, and llvm-ar is not here", input->name);
    words_add(&command, in->build->tools->archiver);
    words_add(&command, "rcsD");
    for (size_t m = 1; m <= input->member_count; m++)
        words_add(&members, in->paths->items[number + m]);
    bool ok = make_file(in, number, &command, "llvm-ar", &members, error);
    words_release(&command);
    words_release(&members);
    return ok;
}

static bool make_archive(const struct inputs *in, size_t number, struct error *error)
{
    const struct carry_input *input = &in->build->program->link.inputs.items[number];
    struct archive archive = {0};
    struct maps ARRAY_OF(struct mapped_file) maps = {0};
    bool ok = true, bitcode = false;
    for (size_t m = 1; m <= input->member_count && ok; m++) {
        struct mapped_file file;
        ok = mapped_file_open(&file, in->paths->items[number + m], error);
        if (!ok)
            break;
        ARRAY_PUSH(&maps, file);
        bitcode |= object_kind_of(file.bytes, file.length) == OBJECT_BITCODE;
        ARRAY_PUSH(&archive,
                   ((struct archive_member){memory_string(input[m].name), file.bytes, file.length}));
    }
    struct buffer bytes = {0};
    if (ok && bitcode) {
        ok = archive_bitcode(in, number, error);
    } else if (ok) {
        archive_write(&bytes, &archive);
        ok = file_write_new(in->paths->items[number], bytes.data, bytes.length, error);
    }
    buffer_release(&bytes);
    for (size_t i = 0; i < maps.count; i++)
        mapped_file_close(&maps.items[i]);
    ARRAY_RELEASE(&maps);
    archive_release(&archive);
    return ok;
}

bool build_inputs(struct build *b, size_t variant, struct input_paths *paths, struct error *error)
{
    const struct carry_inputs *inputs = &b->program->link.inputs;
    const struct inputs in = {b, variant, paths};
    for (size_t i = 0; i < inputs->count; i++)
        if (!place_input(&in, i, error))
            return false;
    for (size_t i = 0; i < inputs->count; i++)
        if (inputs->items[i].kind == CARRY_INPUT_ARCHIVE && !make_archive(&in, i, error))
            return false;
    return true;
}
