/*
 * References are looked for without disassembling. In code that is not counted any four bytes may
 * be the distance to a function; in counted code only those after a byte that addresses relative to
 * the program counter (calls and jumps do not, and the map knows them). In code that is not
 * position independent four bytes may be an absolute address. In data eight bytes may be an
 * address, and the addends of relocations may.
 */
#include "decode/elf/code.h"
#include "decode/elf/file.h"
#include "format/map/map.h"

bool elf_code_exports(const char *path, const char *build_id, struct hash_map *tags)
{
    struct elf_file o;
    if (!elf_file_open(&o, path, NULL))
        return false;
    size_t sections = 0;
    bool ok = elf_file_is_build(&o, build_id) && elf_getshdrnum(o.elf, &sections) == 0 && sections > 1;
    for (Elf_Scn *section = NULL; ok && (section = elf_nextscn(o.elf, section));) {
        GElf_Shdr header;
        Elf_Data *data;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM || !header.sh_entsize)
            continue;
        data = elf_getdata(section, NULL);
        for (size_t i = 0; data && i < header.sh_size / header.sh_entsize && i < INT32_MAX; i++) {
            GElf_Sym symbol;
            const char *name;
            if (gelf_getsym(data, (int)i, &symbol) && symbol.st_shndx != SHN_UNDEF &&
                (name = elf_strptr(o.elf, header.sh_link, symbol.st_name)))
                hash_map_put(tags, map_name_tag(name), NULL);
        }
    }
    elf_file_close(&o);
    return ok;
}

static void read_symbols(struct elf_symbols *symbols, const struct elf_file *o, const GElf_Shdr *header,
                         Elf_Data *data, const struct place_index *places)
{
    for (size_t i = 0; data && i < header->sh_size / header->sh_entsize && i < INT32_MAX; i++) {
        GElf_Sym symbol;
        const char *name;
        if (!gelf_getsym(data, (int)i, &symbol) ||
            !(name = elf_strptr(o->elf, header->sh_link, symbol.st_name)))
            continue;
        int type = GELF_ST_TYPE(symbol.st_info);
        bool defined = symbol.st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC);
        if (symbol.st_shndx == SHN_UNDEF || (defined && !place_index_find(places, symbol.st_value)))
            hash_map_put(&symbols->plain, map_name_tag(name), NULL);
    }
}

void elf_code_symbols(struct elf_symbols *symbols, const char *path, const char *build_id,
                      const struct place_index *places)
{
    struct elf_file o;
    if (!elf_file_open(&o, path, NULL))
        return;
    bool same = elf_file_is_build(&o, build_id);
    for (Elf_Scn *section = NULL; same && (section = elf_nextscn(o.elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB || !header.sh_entsize)
            continue;
        symbols->known = true;
        read_symbols(symbols, &o, &header, elf_getdata(section, NULL), places);
    }
    elf_file_close(&o);
}

void elf_symbols_release(struct elf_symbols *symbols)
{
    hash_map_release(&symbols->plain);
}

struct scan {
    const struct place_index *places;
    struct hash_map starts; /* address of a function -> its number */
    bool absolute;          /* code may hold addresses of four bytes */
    const struct elf_references *found;
};

static void look_up(const struct scan *s, uint64_t address)
{
    const uint64_t *number = hash_map_get(&s->starts, address);
    if (number)
        s->found->refer(s->found->context, &s->places->items[*number]);
}

/* How many bytes the call or jump has whose distance is at bytes[i]. */
static unsigned direct_length(const uint8_t *bytes, size_t i)
{
    bool conditional = i > 1 && bytes[i - 2] == 0x0f && (bytes[i - 1] & 0xf0) == 0x80;
    return conditional ? 6 : 5;
}

/* Four zero bytes before a function are mostly the end of a long nop; a distance that is 0 comes
 * after the opcode of a call or jump, or is relative to the program counter. */
static bool is_padding(const uint8_t *bytes, size_t i, bool relative)
{
    static const uint8_t zeros[4];
    if (relative || memcmp(bytes + i, zeros, 4) != 0)
        return false;
    bool direct = i > 0 && (bytes[i - 1] == 0xe8 || bytes[i - 1] == 0xe9);
    return !direct && !(i > 1 && bytes[i - 2] == 0x0f && (bytes[i - 1] & 0xf0) == 0x80);
}

static void scan_code(const struct scan *s, const uint8_t *bytes, size_t size, uint64_t address)
{
    for (size_t i = 0; i + 4 <= size; i++) {
        int32_t distance;
        uint32_t absolute;
        memcpy(&distance, bytes + i, 4);
        memcpy(&absolute, bytes + i, 4);
        uint64_t target = address + i + 4 + (uint64_t)(int64_t)distance;
        bool relative = i && (bytes[i - 1] & 0xc7) == 0x05; /* ModRM: (%rip) */
        const uint64_t *to = hash_map_get(&s->starts, target);
        const struct place_code *from = to && !relative ? place_index_find(s->places, address + i) : NULL;
        if (from)
            s->found->call(s->found->context, from, address + i + 4, direct_length(bytes, i),
                           &s->places->items[*to]);
        else if (to && !is_padding(bytes, i, relative))
            look_up(s, target);
        if (s->absolute)
            look_up(s, absolute);
    }
}

static void scan_data(const struct scan *s, const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i + 8 <= size; i += 8) {
        uint64_t word;
        memcpy(&word, bytes + i, 8);
        look_up(s, word);
    }
}

static void scan_relocations(const struct scan *s, Elf_Data *data, size_t count)
{
    for (size_t i = 0; i < count && i < INT32_MAX; i++) {
        GElf_Rela relocation;
        if (gelf_getrela(data, (int)i, &relocation))
            look_up(s, (uint64_t)relocation.r_addend);
    }
}

bool elf_code_references(const char *path, const char *build_id, const struct place_index *places,
                         const struct elf_references *found)
{
    struct elf_file o;
    GElf_Ehdr file;
    size_t sections = 0;
    if (!elf_file_open(&o, path, NULL))
        return false;
    bool ok = elf_file_is_build(&o, build_id) && gelf_getehdr(o.elf, &file) &&
              elf_getshdrnum(o.elf, &sections) == 0 && sections > 1;
    struct scan s = {.places = places, .absolute = ok && file.e_type == ET_EXEC, .found = found};
    for (size_t i = 0; i < places->count; i++)
        *hash_map_put(&s.starts, places->items[i].address, NULL) = i;
    for (Elf_Scn *section = NULL; ok && (section = elf_nextscn(o.elf, section));) {
        GElf_Shdr header;
        if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC) || header.sh_type == SHT_NOBITS)
            continue;
        bool relocations = header.sh_type == SHT_RELA && header.sh_entsize;
        Elf_Data *data = relocations ? elf_getdata(section, NULL) : elf_rawdata(section, NULL);
        if (!data || !data->d_buf)
            ok = header.sh_size == 0;
        else if (relocations)
            scan_relocations(&s, data, header.sh_size / header.sh_entsize);
        else if (header.sh_flags & SHF_EXECINSTR)
            scan_code(&s, data->d_buf, data->d_size, header.sh_addr);
        else
            scan_data(&s, data->d_buf, data->d_size);
    }
    hash_map_release(&s.starts);
    elf_file_close(&o);
    return ok;
}
