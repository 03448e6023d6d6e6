#include "decode/crash/scheme.h"
#include "base/buffer.h"
#include "decode/elf/file.h"
#include "format/slots/tunable.h"

const char *scheme_read(const struct core *core, const struct core_module *module, const char *build_id)
{
    struct elf_file file;
    struct error error;
    uint64_t address = 0, size = 0;
    uint8_t word[sizeof(uint64_t)];
    if (!elf_file_open(&file, module->path, &error))
        return NULL;
    bool found = elf_file_is_build(&file, build_id) &&
                 elf_file_loaded_section(&file, SCHEME_SECTION, &address, &size) && size >= sizeof word;
    elf_file_close(&file);
    if (!found)
        return NULL;
    if (!core_read(core, address + module->bias, word, sizeof word))
        return "the core does not say which functions were off (cotree tune)";
    struct cursor c = cursor_over(word, sizeof word);
    return cursor_u64(&c) ? "functions were off (cotree tune)" : NULL;
}
