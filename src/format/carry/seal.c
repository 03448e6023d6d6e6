#include "format/carry/seal.h"
#include "base/hash.h"
#include "base/memory.h"

#include <elf.h>
#include <string.h>

#define MAGIC "cotreeSL"
enum { NUMBERS = 8, LENGTH_OF_NUMBERS = 16 };

static uint64_t number_at(const uint8_t *bytes)
{
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

void carry_seal_add(struct buffer *out, uint64_t unit)
{
    buffer_add_text(out, MAGIC);
    buffer_add_u64(out, 0);
    buffer_add_u64(out, unit);
}

bool carry_seal_is(const uint8_t *bytes, size_t length)
{
    return length >= CARRY_SEAL_LENGTH && !memcmp(bytes, MAGIC, NUMBERS);
}

/* Of the object without the numbers of the seal. 0 stands for no hash. */
static uint64_t hash_around(const uint8_t *object, size_t length, size_t at)
{
    size_t after = at + NUMBERS + LENGTH_OF_NUMBERS;
    uint64_t parts[] = {hash_bytes(object, at + NUMBERS), hash_bytes(object + after, length - after)};
    uint64_t hash = hash_bytes(parts, sizeof parts);
    return hash ? hash : 1;
}

static bool lies_within(uint64_t offset, uint64_t size, size_t length)
{
    return offset <= length && size <= length - offset;
}

static uint64_t sum_of_table(const uint8_t *object, const Elf64_Shdr *table, const Elf64_Shdr *text)
{
    uint64_t sum = 0;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table->sh_size; at += sizeof(Elf64_Sym)) {
        Elf64_Sym symbol;
        memcpy(&symbol, object + table->sh_offset + at, sizeof symbol);
        if (ELF64_ST_BIND(symbol.st_info) != STB_GLOBAL || symbol.st_shndx == SHN_UNDEF ||
            symbol.st_shndx == SHN_COMMON || symbol.st_name >= text->sh_size)
            continue;
        const uint8_t *name = object + text->sh_offset + symbol.st_name;
        uint64_t parts[] = {hash_bytes(name, strnlen((const char *)name, text->sh_size - symbol.st_name)),
                            symbol.st_info, symbol.st_other, symbol.st_size};
        sum += hash_bytes(parts, sizeof parts);
    }
    return sum;
}

/* Files need not be aligned: headers are copied. */
static uint64_t sum_of_names(const uint8_t *object, size_t length)
{
    Elf64_Ehdr header;
    Elf64_Shdr table, text;
    uint64_t sum = 0;
    if (length < sizeof header || memcmp(object, ELFMAG, SELFMAG) != 0)
        return 0;
    memcpy(&header, object, sizeof header);
    if (header.e_shentsize != sizeof table ||
        !lies_within(header.e_shoff, (uint64_t)header.e_shnum * sizeof table, length))
        return 0;
    for (size_t i = 0; i < header.e_shnum; i++) {
        memcpy(&table, object + header.e_shoff + i * sizeof table, sizeof table);
        if (table.sh_type != SHT_SYMTAB || table.sh_link >= header.e_shnum ||
            !lies_within(table.sh_offset, table.sh_size, length))
            continue;
        memcpy(&text, object + header.e_shoff + table.sh_link * sizeof text, sizeof text);
        if (lies_within(text.sh_offset, text.sh_size, length))
            sum += sum_of_table(object, &table, &text);
    }
    return sum;
}

bool carry_seal_make(const uint8_t *object, size_t length, uint64_t unit, size_t *at,
                     uint8_t seal[CARRY_SEAL_LENGTH])
{
    struct buffer unset = {0};
    carry_seal_add(&unset, unit);
    const uint8_t *found = memmem(object, length, unset.data, unset.length);
    buffer_release(&unset);
    if (!found)
        return false;
    *at = (size_t)(found - object);
    uint64_t numbers[] = {hash_around(object, length, *at), sum_of_names(object, length)};
    memcpy(seal, found, NUMBERS);
    memcpy(seal + NUMBERS, numbers, sizeof numbers);
    return true;
}

bool carry_seals_hold(const uint8_t *object, size_t length, const uint8_t *const *seals, size_t count)
{
    uint64_t sum = 0;
    if (count == 1)
        return number_at(seals[0] + NUMBERS) == hash_around(object, length, (size_t)(seals[0] - object));
    for (size_t i = 0; i < count; i++) {
        if (!number_at(seals[i] + NUMBERS))
            return false;
        sum += number_at(seals[i] + NUMBERS + sizeof sum);
    }
    return count && sum == sum_of_names(object, length);
}
