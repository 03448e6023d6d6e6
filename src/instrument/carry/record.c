#include "instrument/carry/record.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "format/carry/compiler_words.h"
#include "format/carry/seal.h"
#include "format/carry/units.h"
#include "instrument/carry/seal.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static void split(struct words *words, const char *text, size_t length)
{
    for (const char *end = text + length; text < end; text += strnlen(text, (size_t)(end - text)) + 1)
        ARRAY_PUSH(words, memory_substring(text, strnlen(text, (size_t)(end - text))));
}

void carry_record_make(struct buffer *record, const struct carried_module *module,
                       const struct instrument_options *options)
{
    struct words all = {0};
    struct carry_unit unit = {
        .name = memory_string(module->name),
        .compiler = memory_string(module->compiler),
        .flags = (options->lines_only ? CARRY_UNIT_LINES : 0u) | (options->lto ? CARRY_UNIT_LTO : 0u),
        .bitcode = module->bitcode,
        .bitcode_length = module->bitcode_length,
    };
    split(&all, module->words, module->words_length);
    compiler_words_keep(&unit.words, &all);
    carry_unit_identify(&unit);
    carry_units_write(record, &unit, 1, false);
    carry_seal_add(record, unit.id);
    carry_seal_at_exit(unit.id);
    carry_unit_release(&unit);
    words_release(&all);
}

/* The options but for those that choose paths. */
static uint64_t hash_options(const char *options)
{
    struct buffer kept = {0};
    for (; *options; options += strcspn(options, ";"), options += *options == ';')
        if (!text_starts_with(options, "paths=") && !text_starts_with(options, "paths-hash="))
            buffer_add(&kept, options, strcspn(options, ";") + 1);
    uint64_t hash = hash_bytes(kept.data, kept.length);
    buffer_release(&kept);
    return hash;
}

/* Makes a file that must be new. False if it is there, or cannot be made. */
static bool make_file(const char *prefix, size_t length, const char *last, const char *content)
{
    struct buffer path = {0};
    buffer_add(&path, prefix, length);
    buffer_addf(&path, ".%s", last);
    int fd = open(buffer_text(&path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool ok = fd >= 0 && write(fd, content, strlen(content)) == (ssize_t)strlen(content);
    if (fd >= 0)
        close(fd);
    buffer_release(&path);
    return ok;
}

bool carry_is_claimed(const char *place, const char *options, const void *bitcode, size_t length)
{
    char digest[40], own[40];
    const char *number = strrchr(place, ':');
    snprintf(digest, sizeof digest, "%016" PRIx64 "%016" PRIx64, hash_bytes(bitcode, length),
             hash_options(options));
    snprintf(own, sizeof own, "%.20s.digest", number + 1);
    size_t prefix = (size_t)(number - place);
    /* A unit that cannot say what it is like is compiled. */
    return make_file(place, prefix, own, digest) && !make_file(place, prefix, digest, number + 1);
}
