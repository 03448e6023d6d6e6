#include "weave/object.h"
#include "base/whole.h"
#include "base/memory.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

bool mapped_file_open(struct mapped_file *file, const char *path, struct error *error)
{
    *file = (struct mapped_file){0};
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 || fstat(fd, &st) != 0) {
        error_set(error, "'%s': cannot open: %s", path, strerror(errno));
    } else if (!S_ISREG(st.st_mode)) {
        error_set(error, "'%s' is no regular file", path);
    } else {
        file->length = (size_t)st.st_size;
        void *at = file->length ? mmap(NULL, file->length, PROT_READ, MAP_PRIVATE, fd, 0) : (void *)"";
        if (at != MAP_FAILED) {
            file->bytes = at;
            close(fd);
            return true;
        }
        error_set(error, "'%s': cannot read: %s", path, strerror(errno));
    }
    if (fd >= 0)
        close(fd);
    return false;
}

void mapped_file_close(struct mapped_file *file)
{
    if (file->length)
        munmap((void *)(uintptr_t)file->bytes, file->length);
    *file = (struct mapped_file){0};
}

/* ---- ELF ---- */

/* The file's header and its list of sections; copied, since files need not be aligned. */
struct sections {
    Elf64_Ehdr header;
    Elf64_Shdr *items;
    size_t count;
    const char *names;
    size_t names_length;
};

static bool is_elf(const uint8_t *bytes, size_t length)
{
    return length >= sizeof(Elf64_Ehdr) && !memcmp(bytes, ELFMAG, SELFMAG) && bytes[EI_CLASS] == ELFCLASS64 &&
           bytes[EI_DATA] == ELFDATA2LSB;
}

static bool lies_within(uint64_t offset, uint64_t size, size_t length)
{
    return offset <= length && size <= length - offset;
}

static bool sections_read(struct sections *s, const uint8_t *bytes, size_t length)
{
    *s = (struct sections){0};
    if (!is_elf(bytes, length))
        return false;
    memcpy(&s->header, bytes, sizeof s->header);
    size_t count = s->header.e_shnum, names = s->header.e_shstrndx;
    if (s->header.e_machine != EM_X86_64 || s->header.e_shentsize != sizeof(Elf64_Shdr) || !count ||
        names >= count || !lies_within(s->header.e_shoff, count * sizeof(Elf64_Shdr), length))
        return false;
    s->items = ALLOC(Elf64_Shdr, count);
    s->count = count;
    memcpy(s->items, bytes + s->header.e_shoff, count * sizeof(Elf64_Shdr));
    if (lies_within(s->items[names].sh_offset, s->items[names].sh_size, length)) {
        s->names = (const char *)bytes + s->items[names].sh_offset;
        s->names_length = (size_t)s->items[names].sh_size;
    }
    return true;
}

static void sections_release(struct sections *s)
{
    free(s->items);
}

static bool section_is_named(const struct sections *s, size_t i, const char *name)
{
    size_t at = s->items[i].sh_name, length = strlen(name) + 1;
    return at < s->names_length && length <= s->names_length - at && !memcmp(s->names + at, name, length);
}

enum object_kind object_kind_of(const uint8_t *bytes, size_t length)
{
    static const uint8_t bitcode[] = {'B', 'C', 0xc0, 0xde}, wrapped[] = {0xde, 0xc0, 0x17, 0x0b};
    if (length >= 8 && !memcmp(bytes, "!<arch>\n", 8))
        return OBJECT_ARCHIVE;
    if (length >= 8 && !memcmp(bytes, "!<thin>\n", 8))
        return OBJECT_THIN_ARCHIVE;
    if (length >= 4 && (!memcmp(bytes, bitcode, 4) || !memcmp(bytes, wrapped, 4)))
        return OBJECT_BITCODE;
    if (!is_elf(bytes, length))
        return OBJECT_UNKNOWN;
    Elf64_Ehdr header;
    memcpy(&header, bytes, sizeof header);
    return header.e_type == ET_REL                               ? OBJECT_RELOCATABLE
           : header.e_type == ET_DYN || header.e_type == ET_EXEC ? OBJECT_SHARED
                                                                 : OBJECT_UNKNOWN;
}

bool object_section(const uint8_t *bytes, size_t length, const char *name, struct mapped_file *section)
{
    struct sections s;
    bool found = false;
    if (!sections_read(&s, bytes, length))
        return false;
    for (size_t i = 1; i < s.count && !found; i++) {
        const Elf64_Shdr *at = &s.items[i];
        found = at->sh_type == SHT_PROGBITS && !(at->sh_flags & (SHF_ALLOC | SHF_COMPRESSED)) &&
                section_is_named(&s, i, name) && lies_within(at->sh_offset, at->sh_size, length);
        if (found)
            *section = (struct mapped_file){bytes + at->sh_offset, (size_t)at->sh_size};
    }
    sections_release(&s);
    return found;
}

/* Calls `use` for each symbol of a relocatable object; name is "" if it lies outside. */
static void each_symbol(const uint8_t *bytes, size_t length,
                        void (*use)(void *context, const Elf64_Sym *symbol, const char *name), void *context)
{
    struct sections s;
    if (!sections_read(&s, bytes, length))
        return;
    for (size_t i = 1; i < s.count; i++) {
        const Elf64_Shdr *table = &s.items[i], *text;
        if (table->sh_type != SHT_SYMTAB || table->sh_link >= s.count ||
            !lies_within(table->sh_offset, table->sh_size, length))
            continue;
        text = &s.items[table->sh_link];
        if (!lies_within(text->sh_offset, text->sh_size, length))
            continue;
        for (size_t at = sizeof(Elf64_Sym); at + sizeof(Elf64_Sym) <= table->sh_size;
             at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol;
            memcpy(&symbol, bytes + table->sh_offset + at, sizeof symbol);
            const char *name = (const char *)bytes + text->sh_offset + symbol.st_name;
            bool whole = symbol.st_name < text->sh_size &&
                         memchr(name, 0, (size_t)text->sh_size - symbol.st_name) != NULL;
            use(context, &symbol, whole ? name : "");
        }
    }
    sections_release(&s);
}

/* LLVM's first section is the table of strings; linkers write it last. */
bool object_is_of_llvm(const uint8_t *bytes, size_t length)
{
    struct sections s;
    if (!sections_read(&s, bytes, length))
        return false;
    bool result = s.count > 1 && s.items[1].sh_type == SHT_STRTAB;
    sections_release(&s);
    return result;
}

static void count_source_file(void *context, const Elf64_Sym *symbol, const char *name)
{
    (void)name;
    *(size_t *)context += ELF64_ST_TYPE(symbol->st_info) == STT_FILE;
}

size_t object_source_files(const uint8_t *bytes, size_t length)
{
    size_t count = 0;
    each_symbol(bytes, length, count_source_file, &count);
    return count;
}

struct symbol_user {
    object_symbol_user *use;
    void *context;
};

static void use_defined(void *context, const Elf64_Sym *symbol, const char *name)
{
    const struct symbol_user *user = context;
    unsigned binding = ELF64_ST_BIND(symbol->st_info);
    if (*name && symbol->st_shndx != SHN_UNDEF &&
        (binding == STB_GLOBAL || binding == STB_WEAK || binding == STB_GNU_UNIQUE))
        user->use(user->context, name);
}

void object_defined_symbols(const uint8_t *bytes, size_t length, object_symbol_user *use, void *context)
{
    struct symbol_user user = {use, context};
    each_symbol(bytes, length, use_defined, &user);
}

struct any_symbol_user {
    void (*use)(void *context, const struct object_symbol *symbol);
    void *context;
};

static void use_any(void *context, const Elf64_Sym *symbol, const char *name)
{
    const struct any_symbol_user *user = context;
    unsigned type = ELF64_ST_TYPE(symbol->st_info);
    struct object_symbol seen = {name, symbol->st_value, symbol->st_size,
                                 symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < SHN_LORESERVE &&
                                     type != STT_TLS && type != STT_SECTION,
                                 type == STT_FUNC || type == STT_GNU_IFUNC};
    user->use(user->context, &seen);
}

void object_symbols(const uint8_t *bytes, size_t length,
                    void (*use)(void *context, const struct object_symbol *symbol), void *context)
{
    struct any_symbol_user user = {use, context};
    each_symbol(bytes, length, use_any, &user);
}

void object_build_id(const uint8_t *bytes, size_t length, struct buffer *text)
{
    struct sections s;
    if (!sections_read(&s, bytes, length))
        return;
    for (size_t i = 1; i < s.count; i++) {
        const Elf64_Shdr *at = &s.items[i];
        Elf64_Nhdr note;
        if (at->sh_type != SHT_NOTE || !section_is_named(&s, i, ".note.gnu.build-id") ||
            !lies_within(at->sh_offset, at->sh_size, length) || at->sh_size < sizeof note + 4)
            continue;
        memcpy(&note, bytes + at->sh_offset, sizeof note);
        if (note.n_namesz != 4 || note.n_descsz > at->sh_size - sizeof note - 4 || note.n_descsz > 64)
            continue;
        for (size_t b = 0; b < note.n_descsz; b++)
            buffer_addf(text, "%02x", bytes[at->sh_offset + sizeof note + 4 + b]);
        break;
    }
    sections_release(&s);
}

void object_dynamic_texts(const uint8_t *bytes, size_t length, int64_t tag, object_symbol_user *use,
                          void *context)
{
    struct sections s;
    if (!sections_read(&s, bytes, length))
        return;
    for (size_t i = 1; i < s.count; i++) {
        const Elf64_Shdr *table = &s.items[i], *text;
        if (table->sh_type != SHT_DYNAMIC || table->sh_link >= s.count ||
            !lies_within(table->sh_offset, table->sh_size, length))
            continue;
        text = &s.items[table->sh_link];
        if (!lies_within(text->sh_offset, text->sh_size, length))
            continue;
        for (size_t at = 0; at + sizeof(Elf64_Dyn) <= table->sh_size; at += sizeof(Elf64_Dyn)) {
            Elf64_Dyn entry;
            memcpy(&entry, bytes + table->sh_offset + at, sizeof entry);
            const char *value = (const char *)bytes + text->sh_offset + entry.d_un.d_val;
            if (entry.d_tag == tag && entry.d_un.d_val < text->sh_size &&
                memchr(value, 0, (size_t)(text->sh_size - entry.d_un.d_val)))
                use(context, value);
        }
    }
    sections_release(&s);
}

void object_cut_places(uint8_t *bytes, size_t length, bool (*keep)(const char *places))
{
    struct sections s;
    if (!sections_read(&s, bytes, length))
        return;
    for (size_t i = 1; i < s.count; i++) {
        const Elf64_Shdr *table = &s.items[i];
        if (table->sh_type != SHT_DYNAMIC || table->sh_link >= s.count ||
            !lies_within(table->sh_offset, table->sh_size, length))
            continue;
        const Elf64_Shdr *text = &s.items[table->sh_link];
        bool readable = lies_within(text->sh_offset, text->sh_size, length);
        for (size_t at = 0; at + sizeof(Elf64_Dyn) <= table->sh_size; at += sizeof(Elf64_Dyn)) {
            Elf64_Dyn entry;
            memcpy(&entry, bytes + table->sh_offset + at, sizeof entry);
            if (entry.d_tag != DT_RPATH && entry.d_tag != DT_RUNPATH)
                continue;
            const char *value = (const char *)bytes + text->sh_offset + entry.d_un.d_val;
            bool whole = readable && entry.d_un.d_val < text->sh_size &&
                         memchr(value, 0, (size_t)(text->sh_size - entry.d_un.d_val));
            if (whole && keep(value))
                continue;
            entry = (Elf64_Dyn){.d_tag = DT_DEBUG}; /* says nothing to a linker */
            memcpy(bytes + table->sh_offset + at, &entry, sizeof entry);
        }
    }
    sections_release(&s);
}

void object_interface(const uint8_t *bytes, size_t length, struct buffer *copy)
{
    static const char *const kept[] = {".interp", ".note.gnu.property", ".note.gnu.build-id"};
    struct sections s;
    size_t begin = copy->length;
    buffer_add(copy, bytes, length);
    if (!sections_read(&s, bytes, length))
        return;
    for (size_t i = 1; i < s.count; i++) {
        const Elf64_Shdr *at = &s.items[i];
        bool keep = at->sh_type != SHT_PROGBITS || i == s.header.e_shstrndx ||
                    !lies_within(at->sh_offset, at->sh_size, length);
        for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
            keep |= section_is_named(&s, i, kept[k]);
        /* The linker warns of uses of some symbols: sections .gnu.warning.SYMBOL. */
        if (at->sh_name < s.names_length && s.names_length - at->sh_name > strlen(".gnu.warning"))
            keep |= !memcmp(s.names + at->sh_name, ".gnu.warning", strlen(".gnu.warning"));
        if (!keep)
            memset(copy->data + begin + at->sh_offset, 0, (size_t)at->sh_size);
    }
    sections_release(&s);
}

/* ---- Appending ---- */

static void pad(struct buffer *out, size_t file_length)
{
    while ((file_length + out->length) % 8)
        buffer_add(out, "", 1);
}

/* What goes to the end of the file; *header is what the header becomes. */
static void add_new_end(struct buffer *end, Elf64_Ehdr *header, const struct sections *s, size_t length,
                        const struct new_section *added, size_t count)
{
    struct buffer names = {0};
    Elf64_Shdr *list = ALLOC(Elf64_Shdr, s->count + count);
    memcpy(list, s->items, s->count * sizeof *list);
    buffer_add(&names, s->names, s->names_length);
    for (size_t i = 0; i < count; i++) {
        pad(end, length);
        list[s->count + i] = (Elf64_Shdr){.sh_name = (Elf64_Word)names.length,
                                          .sh_type = SHT_PROGBITS,
                                          .sh_offset = length + end->length,
                                          .sh_size = added[i].bytes->length,
                                          .sh_addralign = 8};
        buffer_add(&names, added[i].name, strlen(added[i].name) + 1);
        buffer_add(end, added[i].bytes->data, added[i].bytes->length);
    }
    list[s->header.e_shstrndx].sh_offset = length + end->length;
    list[s->header.e_shstrndx].sh_size = names.length;
    buffer_add(end, names.data, names.length);
    pad(end, length);
    header->e_shoff = length + end->length;
    header->e_shnum = (Elf64_Half)(s->count + count);
    buffer_add(end, list, (s->count + count) * sizeof *list);
    buffer_release(&names);
    free(list);
}

bool object_append(const char *path, const struct new_section *sections, size_t count, struct error *error)
{
    struct mapped_file file;
    struct sections s;
    if (!mapped_file_open(&file, path, error))
        return false;
    size_t length = file.length;
    if (!sections_read(&s, file.bytes, file.length) || !s.names || s.count + count >= SHN_LORESERVE) {
        mapped_file_close(&file);
        return error_set(error, "'%s' is no ELF file that sections can be added to", path);
    }
    struct buffer end = {0};
    Elf64_Ehdr header = s.header;
    add_new_end(&end, &header, &s, length, sections, count);
    sections_release(&s);
    mapped_file_close(&file);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ok = fd >= 0 && write_whole_at(fd, end.data, end.length, length) &&
              write_whole_at(fd, &header, sizeof header, 0);
    int why = errno;
    if (!ok && fd >= 0 && ftruncate(fd, (off_t)length) != 0)
        why = errno;
    if (fd >= 0 && close(fd) != 0 && ok) {
        ok = false;
        why = errno;
    }
    buffer_release(&end);
    return ok || error_set(error, "cannot write '%s': %s", path, strerror(why));
}
