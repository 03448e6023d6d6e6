#include "decode/crash/coverage.h"
#include "base/buffer.h"
#include "decode/elf/file.h"
#include "format/slots/slots.h"

#include <string.h>

enum { HEADER = 16, BLOCK_BYTES = 2, ALIGNMENT = 8, SECTION_MOST = 1 << 28 };

/* Linkers align the records and put zeros between them. */
static void read_records(struct coverage *c)
{
    for (size_t at = 0; c->length - at >= HEADER;) {
        struct cursor cursor = cursor_over(c->bytes + at, c->length - at);
        uint64_t key = cursor_u64(&cursor), count = cursor_u32(&cursor);
        if (!key) {
            at += ALIGNMENT;
            continue;
        }
        size_t size = HEADER + (size_t)count * (BLOCK_BYTES + 1);
        if (size > c->length - at)
            return;
        bool added;
        uint64_t *offset = hash_map_put(&c->records, key, &added);
        *offset = added ? at + 1 : 0;
        at += (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
        if (at > c->length)
            return;
    }
}

void coverage_read(struct coverage *c, const struct core *core, const struct core_module *module,
                   const char *build_id)
{
    struct elf_file file;
    struct error error;
    uint64_t address = 0, size = 0;
    *c = (struct coverage){0};
    if (!elf_file_open(&file, module->path, &error))
        return;
    bool found = elf_file_is_build(&file, build_id) &&
                 elf_file_loaded_section(&file, COVERAGE_SECTION, &address, &size) && size <= SECTION_MOST;
    elf_file_close(&file);
    if (!found)
        return;
    c->bytes = ALLOC(uint8_t, (size_t)size);
    if (core_read(core, address + module->bias, c->bytes, (size_t)size)) {
        c->length = (size_t)size;
        read_records(c);
    }
}

void coverage_release(struct coverage *c)
{
    free(c->bytes);
    hash_map_release(&c->records);
}

bool *coverage_never_ran(const struct coverage *c, uint64_t key, const struct graph *g)
{
    const uint64_t *offset = hash_map_get(&c->records, key);
    if (!offset || !*offset)
        return NULL;
    const uint8_t *record = c->bytes + *offset - 1;
    struct cursor cursor = cursor_over(record, HEADER);
    cursor_u64(&cursor);
    uint32_t count = cursor_u32(&cursor);
    bool *never = ZALLOC(bool, g->vertex_count);
    for (uint32_t i = 0; i < count; i++) {
        const uint8_t *number = record + HEADER + (size_t)i * BLOCK_BYTES;
        uint32_t block = (uint32_t)number[0] | (uint32_t)number[1] << 8;
        if (block < graph_exit(g))
            never[block] = !record[HEADER + (size_t)count * BLOCK_BYTES + i];
    }
    return never;
}
