/*
 * Any bytes as what a program carries: as a whole section, as the body of a record whose header and
 * checksum are right, as an archive and as an ELF file. What the readers accept must be written and
 * read again as the same bytes.
 */
#include "base/hash.h"
#include "base/memory.h"
#include "format/carry/compiler_words.h"
#include "format/carry/link.h"
#include "format/carry/seal.h"
#include "format/carry/units.h"
#include "weave/archive.h"
#include "weave/linker_words.h"
#include "weave/object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void add_record(struct buffer *out, const char *magic, const uint8_t *body, size_t length)
{
    buffer_add_text(out, magic);
    buffer_add_u32(out, 1);
    buffer_add_u32(out, 0);
    buffer_add_u64(out, length);
    buffer_add_u64(out, hash_bytes(body, length));
    buffer_add(out, body, length);
}

static void use_units(const uint8_t *data, size_t size)
{
    struct error error;
    struct carry_units units = {0}, again = {0};
    if (carry_units_read(&units, data, size, &error) && carry_units_unpack(&units, &error)) {
        struct buffer first = {0}, second = {0};
        for (size_t i = 0; i < units.count; i++)
            compiler_words_check(&units.items[i].words, &error);
        carry_units_write(&first, units.items, units.count, false);
        if (!carry_units_read(&again, first.data, first.length, &error) ||
            !carry_units_unpack(&again, &error))
            __builtin_trap();
        carry_units_write(&second, again.items, again.count, false);
        if (first.length != second.length || memcmp(first.data, second.data, first.length) != 0)
            __builtin_trap();
        buffer_release(&first);
        buffer_release(&second);
    }
    carry_units_release(&units);
    carry_units_release(&again);
}

static void use_link(const uint8_t *data, size_t size)
{
    struct error error;
    struct carry_link link, again;
    if (!carry_link_read(&link, data, size, &error))
        return;
    if (carry_link_unpack(&link, &error)) {
        struct buffer first = {0}, second = {0};
        struct words words = {0};
        for (size_t i = 0; i < link.words.count; i++)
            words_add(&words, link.words.items[i].text);
        for (size_t i = 0; i < words.count;)
            i += linker_word_read(&words, i).count;
        words_release(&words);
        carry_link_write(&first, &link);
        if (!carry_link_read(&again, first.data, first.length, &error) || !carry_link_unpack(&again, &error))
            __builtin_trap();
        carry_link_write(&second, &again);
        if (first.length != second.length || memcmp(first.data, second.data, first.length) != 0)
            __builtin_trap();
        buffer_release(&first);
        buffer_release(&second);
        carry_link_release(&again);
    }
    carry_link_release(&link);
}

static bool keep_none(const char *places)
{
    return !*places;
}

static void use_objects(const uint8_t *data, size_t size)
{
    struct error error;
    struct archive archive;
    struct mapped_file section;
    struct buffer text = {0}, out = {0};
    object_section(data, size, CARRY_UNITS_SECTION, &section);
    object_source_files(data, size);
    object_build_id(data, size, &text);
    text.length = 0;
    object_interface(data, size, &text);
    object_cut_places(text.data, text.length, keep_none);
    if (archive_read(&archive, data, size, &error)) {
        bool whole = true;
        for (size_t i = 0; i < archive.count; i++)
            whole &= archive.items[i].bytes != NULL;
        if (whole)
            archive_write(&out, &archive);
        archive_release(&archive);
    }
    buffer_release(&text);
    buffer_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buffer units = {0}, link = {0};
    struct carry_units found = {0};
    struct error error;
    bool is_there;
    add_record(&units, CARRY_UNITS_MAGIC, data, size);
    add_record(&link, "cotreeLK", data, size);
    use_units(data, size);
    use_units(units.data, units.length);
    use_link(data, size);
    use_link(link.data, link.length);
    use_objects(data, size);
    carry_units_find(&found, data, size, &is_there, &error);
    carry_seals_hold(data, size, found.seals.items, found.seals.count);
    carry_units_release(&found);
    buffer_release(&units);
    buffer_release(&link);
    return 0;
}
