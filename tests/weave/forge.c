/*
 * Makes a program that carries something else: `forge IN OUT WHAT VALUE...`, where IN carries and
 * OUT is a copy of it without its sections.
 *
 *   unit WORD...    adds words of the compiler to the first unit
 *   link WORD...    adds words to the link; an empty one is a reference to the first input
 *   begin WORD      adds a word before those of the link
 *   named PATH      adds a file of the system that the link reads
 *   many NUMBER PATH  adds a file of the system so many times, and -lc as often
 *   whole FILE      adds an object that is carried whole: the content of the file
 *   option WORD FILE  adds an option that reads a carried file
 *   library WORD PATH  adds a library of the system, which is said to be this file
 *   bitcode FILE    is the bitcode of the first unit
 *   changed         claims that the first file of the system was another one
 *   linker NAME, compiler TEXT, driver TEXT, origin TEXT, name NAME (of the first input), lost (a unit)
 *   no-output       names no output
 *   output NAME     is called so inside
 *   bomb            claims that the units unpack to much more than they are
 *
 * `forge confines` tells whether this machine can confine compilers (weave/confine.h).
 */
#include "base/hash.h"
#include "base/memory.h"
#include "format/carry/link.h"
#include "format/carry/units.h"
#include "weave/confine.h"
#include "weave/object.h"

#include <stdio.h>

static void add_text(struct carry_link *link, enum carry_word_kind kind, const char *text, size_t input)
{
    ARRAY_PUSH(&link->words, ((struct carry_word){kind, memory_string(text), input}));
}

static void replace(char **text, const char *by)
{
    free(*text);
    *text = memory_string(by);
}

static size_t add_input(struct carry_link *link, enum carry_input_kind kind, const char *name,
                        const struct mapped_file *file)
{
    ARRAY_PUSH(&link->inputs, ((struct carry_input){.kind = kind,
                                                    .name = memory_string(name),
                                                    .size = file->length,
                                                    .hash = hash_bytes(file->bytes, file->length),
                                                    .bytes = file->bytes,
                                                    .length = file->length}));
    return link->inputs.count - 1;
}

static void forge(struct carry_link *link, struct carry_units *units, int argc, char **argv)
{
    struct error error;
    const char *what = argv[3], *value = argc > 4 ? argv[4] : "";
    struct mapped_file file = {(const uint8_t *)"", 0};
    if (argc > 4)
        mapped_file_open(&file, argv[argc - 1], &error); /* where it is one */
    for (int i = 4; i < argc && !strcmp(what, "unit"); i++)
        words_add(&units->items[0].words, argv[i]);
    for (int i = 4; i < argc && !strcmp(what, "link"); i++)
        add_text(link, *argv[i] ? CARRY_WORD_TEXT : CARRY_WORD_INPUT, argv[i], *argv[i] ? CARRY_NO_INPUT : 0);
    if (!strcmp(what, "begin")) {
        add_text(link, CARRY_WORD_TEXT, value, CARRY_NO_INPUT);
        struct carry_word first = link->words.items[link->words.count - 1];
        memmove(link->words.items + 1, link->words.items, (link->words.count - 1) * sizeof first);
        link->words.items[0] = first;
    }
    for (size_t i = 0; i < link->words.count && !strcmp(what, "no-output"); i++)
        if (link->words.items[i].kind == CARRY_WORD_OUTPUT) {
            link->words.items[i].kind = CARRY_WORD_TEXT;
            replace(&link->words.items[i].text, "--no-demangle");
        }
    for (size_t i = 0; i < link->words.count && !strcmp(what, "output"); i++)
        if (link->words.items[i].kind == CARRY_WORD_OUTPUT)
            replace(&link->words.items[i].text, value);
    if (!strcmp(what, "named"))
        add_text(link, CARRY_WORD_INPUT, "", add_input(link, CARRY_INPUT_NAMED, value, &file));
    for (unsigned long left = strcmp(what, "many") ? 0 : strtoul(value, NULL, 10); left; left--)
        add_text(link, CARRY_WORD_LIBRARY, "-lc", add_input(link, CARRY_INPUT_NAMED, argv[5], &file));
    if (!strcmp(what, "whole"))
        add_text(link, CARRY_WORD_INPUT, "", add_input(link, CARRY_INPUT_WHOLE, "file", &file));
    if (!strcmp(what, "option"))
        add_text(link, CARRY_WORD_INPUT, value, add_input(link, CARRY_INPUT_WHOLE, "file", &file));
    if (!strcmp(what, "library"))
        add_text(link, CARRY_WORD_LIBRARY, value, add_input(link, CARRY_INPUT_NAMED, argv[argc - 1], &file));
    if (!strcmp(what, "bitcode"))
        units->items[0].bitcode = file.bytes, units->items[0].bitcode_length = file.length;
    if (!strcmp(what, "origin"))
        replace(&link->origin, value);
    if (!strcmp(what, "linker"))
        replace(&link->linker, value);
    if (!strcmp(what, "driver"))
        replace(&link->driver, value);
    if (!strcmp(what, "compiler"))
        replace(&units->items[0].compiler, value);
    if (!strcmp(what, "name"))
        replace(&link->inputs.items[0].name, value);
    for (size_t i = 0; i < link->inputs.count && !strcmp(what, "changed"); i++)
        if (link->inputs.items[i].kind == CARRY_INPUT_NAMED) {
            link->inputs.items[i].hash++;
            break;
        }
    if (!strcmp(what, "lost"))
        units->items[0].id++;
}

int main(int argc, char **argv)
{
    struct error error;
    struct mapped_file in, units_section, link_section;
    struct carry_units units = {0};
    struct carry_link link;
    if (argc == 2 && !strcmp(argv[1], "confines"))
        return confine_make(&(struct words){0}, &(struct words){0}) < 0;
    if (argc < 4 || !mapped_file_open(&in, argv[1], &error) ||
        !object_section(in.bytes, in.length, CARRY_UNITS_SECTION, &units_section) ||
        !object_section(in.bytes, in.length, CARRY_LINK_SECTION, &link_section) ||
        !carry_units_read(&units, units_section.bytes, units_section.length, &error) ||
        !carry_units_unpack(&units, &error) ||
        !carry_link_read(&link, link_section.bytes, link_section.length, &error) ||
        !carry_link_unpack(&link, &error)) {
        fprintf(stderr, "forge: '%s' cannot be read\n", argv[1]);
        return 1;
    }
    struct buffer new_units = {0}, new_link = {0};
    forge(&link, &units, argc, argv);
    if (!strcmp(argv[3], "bomb")) {
        /* Terabytes of zeros, as a record says that is right in all else. */
        struct carry_unit unit = units.items[0];
        unit.bitcode = (const uint8_t *)"";
        unit.bitcode_length = 0;
        carry_units_write(&new_units, &unit, 1, false);
        new_units.length = 0;
        struct buffer body = {0};
        buffer_add_varint(&body, 1);
        buffer_add_string(&body, unit.name);
        buffer_add_string(&body, unit.compiler);
        buffer_add_varint(&body, unit.flags);
        buffer_add_varint(&body, 0);
        buffer_add_u64(&body, unit.id);
        buffer_add_varint(&body, 1ull << 42);
        buffer_add_varint(&body, 16);
        buffer_add(&body, "(\265/\375zzzzzzzzzzzz", 16);
        buffer_add_text(&new_units, CARRY_UNITS_MAGIC);
        buffer_add_u32(&new_units, CARRY_UNITS_VERSION);
        buffer_add_u32(&new_units, 0);
        buffer_add_u64(&new_units, body.length);
        buffer_add_u64(&new_units, hash_bytes(body.data, body.length));
        buffer_add(&new_units, body.data, body.length);
    } else {
        carry_units_write(&new_units, units.items, units.count, true);
    }
    carry_link_write(&new_link, &link);
    const struct new_section sections[] = {{CARRY_UNITS_SECTION, &new_units},
                                           {CARRY_LINK_SECTION, &new_link}};
    if (object_append(argv[2], sections, 2, &error))
        return 0;
    fprintf(stderr, "forge: %s\n", error.text);
    return 1;
}
