#include "weave/program.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/carry/compiler_words.h"
#include "weave/linker_words.h"
#include "weave/process.h"
#include "weave/system_files.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

bool carrying_program_open(struct carrying_program *p, const char *path, struct error *error)
{
    *p = (struct carrying_program){.path = path};
    struct mapped_file link;
    if (!mapped_file_open(&p->file, path, error))
        return false;
    bool ok = object_kind_of(p->file.bytes, p->file.length) == OBJECT_SHARED ||
              error_set(error, "'%s' is no program", path);
    if (ok && (!object_section(p->file.bytes, p->file.length, CARRY_LINK_SECTION, &link) ||
               !object_section(p->file.bytes, p->file.length, CARRY_UNITS_SECTION, &p->units_section)))
        ok = error_set(error,
                       "'%s' carries nothing: it was built without -fcotree-carry, or was stripped by a "
                       "program that drops sections it does not know",
                       path);
    struct error why;
    if (ok && !(carry_link_read(&p->link, link.bytes, link.length, &why) &&
                carry_units_read(&p->units, p->units_section.bytes, p->units_section.length, &why)))
        ok = error_set(error, "'%s': %s", path, why.text);
    if (!ok) {
        carrying_program_close(p);
        return false;
    }
    for (size_t i = 0; i < p->units.count; i++)
        *hash_map_put(&p->unit_of_id, p->units.items[i].id, NULL) = i + 1;
    struct buffer id = {0};
    object_build_id(p->file.bytes, p->file.length, &id);
    p->build_id = memory_string(buffer_text(&id));
    buffer_release(&id);
    return true;
}

void carrying_program_close(struct carrying_program *p)
{
    carry_link_release(&p->link);
    carry_units_release(&p->units);
    hash_map_release(&p->unit_of_id);
    mapped_file_close(&p->file);
    free(p->build_id);
    *p = (struct carrying_program){0};
}

/* The unit with this id, or NULL. */
static const struct carry_unit *find_unit(const struct carrying_program *p, uint64_t id)
{
    const uint64_t *number = hash_map_get(&p->unit_of_id, id);
    return number ? &p->units.items[*number - 1] : NULL;
}

/* ---- Tools ---- */

/* A linker is known by its name; a path from the program is never run. */
static bool is_known_linker(const char *name)
{
    static const char *const names[] = {"ld", "ld.bfd", "ld.gold", "ld.lld", "ld.mold"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return text_starts_with(name, "ld.lld-") && !name[7 + strspn(name + 7, "0123456789")];
}

void weave_tools_find(struct weave_tools *tools, const struct carrying_program *p)
{
    tools->compiler_version = process_version(&tools->compiler);
    tools->linker = is_known_linker(p->link.linker) ? process_find(tools->llvm_bin, p->link.linker) : NULL;
    tools->archiver = process_find(tools->llvm_bin, "llvm-ar");
    struct words command = {0};
    if (tools->linker)
        words_add(&command, tools->linker);
    tools->linker_version = tools->linker ? process_version(&command) : memory_string("");
    words_release(&command);
}

void weave_tools_release(struct weave_tools *tools)
{
    words_release(&tools->compiler);
    free(tools->compiler_version);
    free(tools->linker);
    free(tools->linker_version);
    free(tools->archiver);
}

/* ---- What is missing ---- */

/* Adds a line; `format` has one or two places for text. */
static void add_line(struct words *lines, const char *format, const char *first, const char *second)
{
    struct error line;
    struct buffer text = {0};
    buffer_addf(&text, format, first, second);
    error_set(&line, "%s", buffer_text(&text)); /* makes names printable */
    words_add(lines, line.text);
    buffer_release(&text);
}

static void check_units(const struct carrying_program *p, const struct weave_tools *tools, bool any_compiler,
                        struct words *lines)
{
    bool runs = *tools->compiler_version;
    if (!runs)
        add_line(lines, "the compiler '%s' does not run%s", tools->compiler.items[0], "");
    for (size_t i = 0; i < p->units.count; i++) {
        const struct carry_unit *unit = &p->units.items[i];
        struct error why;
        if (!any_compiler && !*unit->compiler)
            add_line(lines,
                     "unit '%s' does not say what compiled it (%s; --any-compiler weaves all the same)",
                     unit->name, "-fno-ident");
        else if (!any_compiler && runs && strcmp(unit->compiler, tools->compiler_version) != 0)
            add_line(lines,
                     "unit '%s' was compiled by another compiler, '%s' (--any-compiler weaves all the same)",
                     unit->name, unit->compiler);
        if (!compiler_words_check(&unit->words, &why))
            add_line(lines, "unit '%s': %s", unit->name, why.text);
    }
}

/* What a file is: its length and the hash of its content. */
static uint64_t identity(uint64_t length, uint64_t hash)
{
    const uint64_t both[] = {length, hash};
    return hash_bytes(both, sizeof both);
}

/* *seen has the identities of files by device and number: a record may name one many times. */
static bool is_unchanged(const struct carry_input *input, const struct mapped_file *file,
                         struct hash_map *seen)
{
    struct stat st;
    bool is_new = true;
    uint64_t here = 0, *known = &here;
    if (stat(input->name, &st) == 0)
        known = hash_map_put(seen, identity(st.st_dev, st.st_ino), &is_new);
    if (is_new)
        *known = identity(file->length, hash_bytes(file->bytes, file->length));
    return *known == identity(input->size, input->hash);
}

static void check_named(const struct carry_input *input, struct hash_map *seen, struct words *lines)
{
    struct mapped_file file;
    struct error why;
    if (access(input->name, F_OK) != 0)
        add_line(lines, "the link reads '%s', which is gone%s", input->name, "");
    else if (!is_of_system(input->name))
        add_line(lines, "the link reads '%s', which is no file of the system's packages here%s", input->name,
                 "");
    else if (!mapped_file_open(&file, input->name, &why))
        add_line(lines, "the link reads a file that cannot be read: %s%s", why.text, "");
    else {
        if (!is_unchanged(input, &file, seen))
            add_line(lines, "'%s' has changed since the program was linked%s", input->name, "");
        mapped_file_close(&file);
    }
}

/* The last part of a path. */
static bool is_file_name(const char *name)
{
    return *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* By input: is it read by an option, as --version-script=FILE? */
static bool *find_option_files(const struct carry_link *link)
{
    bool *found = ZALLOC(bool, link->inputs.count + 1);
    for (size_t i = 0; i < link->words.count; i++) {
        const struct carry_word *word = &link->words.items[i];
        if (word->kind == CARRY_WORD_INPUT && word->text[0] == '-' && strcmp(word->text, "-l") != 0 &&
            strcmp(word->text, CARRY_WORD_NEEDED) != 0)
            found[word->input] = true;
    }
    return found;
}

/* What else linkers take for an object is obeyed. */
static bool is_script(const struct carry_input *input)
{
    enum object_kind kind = object_kind_of(input->bytes, input->length);
    return kind != OBJECT_RELOCATABLE && kind != OBJECT_SHARED && kind != OBJECT_BITCODE;
}

static void check_inputs(const struct carrying_program *p, struct words *lines)
{
    bool *option_files = find_option_files(&p->link);
    struct hash_map seen = {0};
    for (size_t i = 0; i < p->link.inputs.count; i++) {
        const struct carry_input *input = &p->link.inputs.items[i];
        if (input->kind == CARRY_INPUT_NAMED)
            check_named(input, &seen, lines);
        else if (!is_file_name(input->name))
            add_line(lines, "'%s' is no name of a file%s", input->name, "");
        else if (input->kind == CARRY_INPUT_WHOLE && !option_files[i] && is_script(input))
            add_line(lines, "'%s', which is carried, is no object%s: linker scripts are not obeyed",
                     input->name, "");
        for (size_t u = 0; u < input->id_count; u++)
            if (!find_unit(p, input->ids[u]))
                add_line(lines, "the unit that '%s' was made of is missing%s", input->name, "");
    }
    free(option_files);
    hash_map_release(&seen);
}

/* The file that a linker finds in a directory for lib NAME. */
static bool find_in(const char *directory, const char *name, bool archives, char *resolved)
{
    struct buffer path = {0};
    bool found = false;
    for (int archive = archives; archive < 2 && !found; archive++) {
        path.length = 0;
        if (*name == ':')
            buffer_addf(&path, "%s/%s", directory, name + 1);
        else
            buffer_addf(&path, "%s/lib%s.%s", directory, name, archive ? "a" : "so");
        found = realpath(buffer_text(&path), resolved) != NULL;
    }
    buffer_release(&path);
    return found;
}

/* The directories where the linker looks, each once. */
static void find_directories(const struct words *texts, struct words *directories)
{
    struct hash_map seen = {0};
    for (size_t i = 0; i < texts->count;) {
        struct linker_word read = linker_word_read(texts, i);
        bool added = false;
        if (read.kind == LINKER_DIRECTORY && read.value)
            hash_map_put(&seen, hash_text(read.value), &added);
        if (added)
            words_add(directories, read.value);
        i += read.count;
    }
    hash_map_release(&seen);
}

/* -lNAME is found in a directory of the system, as the file that the record names. */
static bool is_library_word(const struct carrying_program *p, const struct carry_word *word,
                            const struct words *directories, bool archives)
{
    const struct carry_input *input = &p->link.inputs.items[word->input];
    char found[PATH_MAX], named[PATH_MAX];
    if (!text_starts_with(word->text, "-l") || !word->text[2] || strchr(word->text, '/') ||
        input->kind != CARRY_INPUT_NAMED || !realpath(input->name, named))
        return false;
    for (size_t i = 0; i < directories->count; i++)
        if (find_in(directories->items[i], word->text + 2, archives, found))
            return !strcmp(found, named);
    return false;
}

/* Linkers take memory for these as the number says. */
static bool is_number_in_range(const char *word, const struct linker_word *read)
{
    static const char *const options[] = {"hash-size", "spare-dynamic-tags", "thread-count", "lto-partitions",
                                          "thinlto-jobs"};
    enum { LARGEST = 1 << 20 };
    const char *name = word + strspn(word, "-");
    char *end;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (read->name_length == strlen(options[i]) && text_starts_with(name, options[i])) {
            unsigned long long number = strtoull(read->value, &end, 0);
            return number <= LARGEST && !*end && *read->value != '-';
        }
    return true;
}

static const char *refuse_text(const char *word, const struct linker_word *read)
{
    if (*word == '@' || (read->value && *read->value == '@'))
        return "asks for a file of words";
    if (read->count == 2 && (!*read->value || !strcmp(read->value, CARRYING_NOT_TEXT) ||
                             (!read->name_length && *read->value == '-')))
        return "has no value";
    switch (read->kind) {
    case LINKER_SHAPES:
        return is_number_in_range(word, read) ? NULL : "asks for more than any program needs";
    case LINKER_DIRECTORY:
        return is_of_system(read->value) ? NULL : "names a directory that is not the system's";
    case LINKER_PLUGIN: /* two words: weave puts the path of its own before the second */
        return read->count == 2 && !strcmp(word, "-plugin") && !strcmp(read->value, "LLVMgold.so")
                   ? NULL
                   : "loads code into the linker";
    case LINKER_TO_PLUGIN:
        return linker_plugin_word_shapes(read->value) ? NULL : "is not one that shapes a program";
    case LINKER_INPUT:
        return "names a file that the program does not carry";
    default:
        return "is not one that shapes a program and does nothing else";
    }
}

void carrying_program_texts(const struct carrying_program *p, struct words *texts)
{
    for (size_t i = 0; i < p->link.words.count; i++) {
        const struct carry_word *word = &p->link.words.items[i];
        words_add(texts, word->kind == CARRY_WORD_TEXT ? word->text : CARRYING_NOT_TEXT);
    }
}

/* An option that reads a carried file: the word ends where the path will stand. */
static bool is_option_of_file(const char *text)
{
    struct words option = {0};
    words_add(&option, text);
    struct linker_word read = linker_word_read(&option, 0);
    bool ok = read.kind == LINKER_FILE && read.value && !*read.value;
    words_release(&option);
    return ok || !strcmp(text, CARRY_WORD_NEEDED);
}

static void use_name(void *context, const char *name)
{
    (void)name;
    *(bool *)context = true;
}

/* A program names a library that has no name of its own by the path of its link, which is another one
 * when it is woven. */
static bool is_known_by_path(const struct carrying_program *p, const struct carry_word *word)
{
    const struct carry_input *input = &p->link.inputs.items[word->input];
    bool named = false;
    if (*word->text || input->kind != CARRY_INPUT_WHOLE ||
        object_kind_of(input->bytes, input->length) != OBJECT_SHARED)
        return false;
    object_dynamic_texts(input->bytes, input->length, DT_SONAME, use_name, &named);
    return !named;
}

/* Checks the words in their order, as the linker will read them: an option and its value may be two. */
static void check_words(const struct carrying_program *p, struct words *lines)
{
    struct words texts = {0}, directories = {0};
    struct library_kind kind = {0};
    size_t outputs = 0;
    carrying_program_texts(p, &texts);
    find_directories(&texts, &directories);
    for (size_t i = 0; i < p->link.words.count; i++) {
        const struct carry_word *word = &p->link.words.items[i];
        outputs += word->kind == CARRY_WORD_OUTPUT;
        if (word->kind == CARRY_WORD_OUTPUT && *word->text && !is_file_name(word->text))
            add_line(lines, "the program has its own path in it, '%s' (%s), and is not made there again",
                     word->text, "a version script without -soname");
        library_kind_follow(&kind, texts.items[i]);
        if (word->kind == CARRY_WORD_LIBRARY && !is_library_word(p, word, &directories, kind.archives))
            add_line(lines, "the linker's word '%s' names no library of the system%s", word->text, "");
        if (word->kind == CARRY_WORD_INPUT && is_known_by_path(p, word))
            add_line(lines, "the library '%s' has no name of its own (%s), and was linked by its path",
                     p->link.inputs.items[word->input].name, "DT_SONAME");
        if (word->kind == CARRY_WORD_INPUT && *word->text && strcmp(word->text, "-l") != 0 &&
            !is_option_of_file(word->text))
            add_line(lines, "the linker's word '%s' is not one that reads a list of symbols%s", word->text,
                     "");
    }
    if (!outputs) /* linkers have an output of their own: a.out, where the user is */
        add_line(lines, "the record of the link names no output%s%s", "", "");
    for (size_t i = 0; i < texts.count;) {
        struct linker_word read = linker_word_read(&texts, i);
        const char *why =
            p->link.words.items[i].kind == CARRY_WORD_TEXT ? refuse_text(texts.items[i], &read) : NULL;
        if (why)
            add_line(lines, "the linker's word '%s' %s", texts.items[i], why);
        i += read.count;
    }
    words_release(&texts);
    words_release(&directories);
}

void carrying_program_missing(const struct carrying_program *p, const struct weave_tools *tools,
                              bool any_compiler, struct words *lines)
{
    if (!tools->linker)
        add_line(lines, "the linker '%s' (%s) is not here", p->link.linker, p->link.version);
    else if (!*tools->linker_version)
        add_line(lines, "the linker '%s' does not run%s", tools->linker, "");
    else if (!any_compiler && strcmp(p->link.version, tools->linker_version) != 0)
        add_line(lines,
                 "the program was linked by '%s', and here is '%s' (--any-compiler weaves all the same)",
                 p->link.version, tools->linker_version);
    check_units(p, tools, any_compiler, lines);
    check_inputs(p, lines);
    check_words(p, lines);
}

static bool is_start_file(const char *name)
{
    static const char *const names[] = {"*crt1.o",   "crti.o",          "crtn.o",       "crtbegin*.o",
                                        "crtend*.o", "clang_rt.crt*.o", "crtfastmath.o"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (text_matches(names[i], name))
            return true;
    return false;
}

void carrying_program_without_ir(const struct carrying_program *p, struct words *names)
{
    for (size_t i = 0; i < p->link.inputs.count; i++) {
        const struct carry_input *input = &p->link.inputs.items[i];
        enum object_kind kind =
            input->kind == CARRY_INPUT_WHOLE ? object_kind_of(input->bytes, input->length) : OBJECT_UNKNOWN;
        if ((kind == OBJECT_RELOCATABLE || kind == OBJECT_BITCODE) && !is_start_file(input->name))
            words_add(names, input->name);
    }
}

/* ---- The list ---- */

static void put(const char *text)
{
    char *printable = memory_string(text);
    text_make_printable(printable);
    fputs(printable, stdout);
    free(printable);
}

static void list_words(const struct words *words)
{
    for (size_t i = 0; i < words->count; i++) {
        putchar(' ');
        put(words->items[i]);
    }
    putchar('\n');
}

static const char *kind_text(const struct carry_input *input)
{
    return input->kind == CARRY_INPUT_UNITS     ? "units"
           : input->kind == CARRY_INPUT_WHOLE   ? "whole"
           : input->kind == CARRY_INPUT_ARCHIVE ? "archive"
                                                : "named";
}

void carrying_program_list(const struct carrying_program *p)
{
    printf("program\t%s\n", p->build_id);
    fputs("origin\t", stdout), put(*p->link.origin ? p->link.origin : p->build_id), putchar('\n');
    fputs("linker\t", stdout), put(p->link.version), putchar('\n');
    for (size_t i = 0; i < p->units.count; i++) {
        const struct carry_unit *unit = &p->units.items[i];
        fputs("unit\t", stdout), put(unit->name);
        printf("\t%zu\t", unit->bitcode_length), put(unit->compiler), putchar('\t');
        list_words(&unit->words);
    }
    for (size_t i = 0; i < p->link.inputs.count; i++) {
        const struct carry_input *input = &p->link.inputs.items[i];
        printf("%s\t%s\t", input->is_member ? "member" : "input", kind_text(input));
        put(input->name);
        printf("\t%llu\n", (unsigned long long)input->size);
    }
}
