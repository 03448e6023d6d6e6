#include "instrument/carry/record.h"
#include "base/memory.h"
#include "format/carry/compiler_words.h"
#include "format/carry/units.h"

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
    carry_unit_release(&unit);
    words_release(&all);
}
