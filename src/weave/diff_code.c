/*
 * Code refers to other places by distances or addresses of four bytes. Where two functions of one
 * size differ in a byte, the four bytes around it are taken for such a reference if they lead, in
 * both programs, to the same symbol and the same distance from it, or to data outside of symbols
 * whose first bytes are equal.
 */
#include "weave/diff_code.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "weave/object.h"

#include <elf.h>
#include <inttypes.h>

struct symbol {
    uint64_t address, size;
    const char *name;
    bool function;
};

struct code {
    struct mapped_file file;
    struct symbols ARRAY_OF(struct symbol) symbols; /* by address */
    struct segments ARRAY_OF(Elf64_Phdr) segments;
    struct hash_map by_name; /* hash of a function's name -> number + 1 */
};

static void add_symbol(void *context, const struct object_symbol *symbol)
{
    struct code *code = context;
    if (symbol->defined && *symbol->name)
        ARRAY_PUSH(&code->symbols, ((struct symbol){symbol->value, symbol->size, symbol->name,
                                                    symbol->function && symbol->size}));
}

static int compare_symbols(const void *first, const void *second)
{
    const struct symbol *a = first, *b = second;
    return a->address != b->address     ? (a->address < b->address ? -1 : 1)
           : a->function != b->function ? (a->function ? -1 : 1)
                                        : strcmp(a->name, b->name);
}

static bool code_open(struct code *code, const char *path, struct error *error)
{
    *code = (struct code){0};
    if (!mapped_file_open(&code->file, path, error))
        return false;
    Elf64_Ehdr header;
    if (object_kind_of(code->file.bytes, code->file.length) != OBJECT_SHARED)
        return error_set(error, "'%s' is no program", path);
    object_symbols(code->file.bytes, code->file.length, add_symbol, code);
    if (!code->symbols.count)
        return error_set(error, "'%s' has no symbols: it was stripped", path);
    qsort(code->symbols.items, code->symbols.count, sizeof *code->symbols.items, compare_symbols);
    memcpy(&header, code->file.bytes, sizeof header);
    for (size_t i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        uint64_t at = header.e_phoff + i * sizeof segment;
        if (at > code->file.length || code->file.length - at < sizeof segment)
            break;
        memcpy(&segment, code->file.bytes + at, sizeof segment);
        if (segment.p_type == PT_LOAD && segment.p_offset <= code->file.length &&
            segment.p_filesz <= code->file.length - segment.p_offset)
            ARRAY_PUSH(&code->segments, segment);
    }
    for (size_t i = 0; i < code->symbols.count; i++)
        if (code->symbols.items[i].function)
            *hash_map_put(&code->by_name, hash_text(code->symbols.items[i].name), NULL) = i + 1;
    return true;
}

static void code_close(struct code *code)
{
    mapped_file_close(&code->file);
    ARRAY_RELEASE(&code->symbols);
    ARRAY_RELEASE(&code->segments);
    hash_map_release(&code->by_name);
}

/* The bytes at an address; NULL if there are fewer. */
static const uint8_t *bytes_at(const struct code *code, uint64_t address, uint64_t size)
{
    for (size_t i = 0; i < code->segments.count; i++) {
        const Elf64_Phdr *s = &code->segments.items[i];
        if (address >= s->p_vaddr && address - s->p_vaddr <= s->p_filesz &&
            size <= s->p_filesz - (address - s->p_vaddr))
            return code->file.bytes + s->p_offset + (address - s->p_vaddr);
    }
    return NULL;
}

static bool is_mapped(const struct code *code, uint64_t address)
{
    for (size_t i = 0; i < code->segments.count; i++)
        if (address >= code->segments.items[i].p_vaddr &&
            address - code->segments.items[i].p_vaddr < code->segments.items[i].p_memsz)
            return true;
    return false;
}

/* The symbol that the address lies in, or NULL. */
static const struct symbol *symbol_at(const struct code *code, uint64_t address)
{
    size_t after = FIRST_WITHOUT(code->symbols.count, i, code->symbols.items[i].address <= address);
    for (enum {ALIASES = 8} tried = 0; after && tried < ALIASES; tried++, after--) {
        const struct symbol *s = &code->symbols.items[after - 1];
        if (address - s->address < (s->size ? s->size : 1))
            return s;
    }
    return NULL;
}

static bool lead_to_same(const struct code *a, uint64_t to_a, const struct code *b, uint64_t to_b)
{
    enum { COMPARED = 8 };
    const struct symbol *in_a = symbol_at(a, to_a), *in_b = symbol_at(b, to_b);
    if (in_a && in_b)
        return to_a - in_a->address == to_b - in_b->address && !strcmp(in_a->name, in_b->name);
    const uint8_t *data_a = bytes_at(a, to_a, COMPARED), *data_b = bytes_at(b, to_b, COMPARED);
    if (in_a || in_b || !is_mapped(a, to_a) || !is_mapped(b, to_b))
        return false;
    return data_a && data_b ? !memcmp(data_a, data_b, COMPARED) : !data_a && !data_b;
}

/* Are the four bytes at this offset of both functions a reference to the same place? The distance
 * counts from the next instruction, which may begin some bytes later. */
static bool is_same_reference(const struct code *a, const struct symbol *fa, const struct code *b,
                              const struct symbol *fb, const uint8_t *in_a, const uint8_t *in_b, uint64_t at)
{
    static const unsigned next[] = {4, 5, 6, 8};
    int32_t value_a, value_b;
    memcpy(&value_a, in_a + at, sizeof value_a);
    memcpy(&value_b, in_b + at, sizeof value_b);
    for (size_t i = 0; i < sizeof next / sizeof *next; i++)
        if (lead_to_same(a, fa->address + at + next[i] + (uint64_t)(int64_t)value_a, b,
                         fb->address + at + next[i] + (uint64_t)(int64_t)value_b))
            return true;
    return lead_to_same(a, (uint32_t)value_a, b, (uint32_t)value_b);
}

static bool is_same_code(const struct code *a, const struct symbol *fa, const struct code *b,
                         const struct symbol *fb)
{
    const uint8_t *in_a = bytes_at(a, fa->address, fa->size), *in_b = bytes_at(b, fb->address, fb->size);
    if (fa->size != fb->size || !in_a || !in_b)
        return fa->size == fb->size && !in_a && !in_b;
    for (uint64_t at = 0, passed = 0; at < fa->size; at++) {
        if (in_a[at] == in_b[at] || at < passed)
            continue;
        bool found = false;
        for (uint64_t begin = at >= passed + 3 ? at - 3 : passed; begin <= at && !found; begin++)
            if (begin + 4 <= fa->size && is_same_reference(a, fa, b, fb, in_a, in_b, begin)) {
                found = true;
                passed = begin + 4;
            }
        if (!found)
            return false;
    }
    return true;
}

struct difference {
    uint64_t first, second; /* sizes; 0: the function is not there */
    const char *name;
};
struct differences ARRAY_OF(struct difference);

static int64_t growth(const struct difference *d)
{
    return (int64_t)d->second - (int64_t)d->first;
}

static int compare_differences(const void *first, const void *second)
{
    const struct difference *a = first, *b = second;
    int64_t by_a = growth(a) < 0 ? -growth(a) : growth(a), by_b = growth(b) < 0 ? -growth(b) : growth(b);
    return by_a != by_b ? (by_a < by_b ? 1 : -1) : strcmp(a->name, b->name);
}

static const struct symbol *same_function(const struct code *code, const char *name)
{
    const uint64_t *number = hash_map_get(&code->by_name, hash_text(name));
    return number ? &code->symbols.items[*number - 1] : NULL;
}

/* Is the symbol the one of its name that is compared? Static functions of one name are compared
 * once. */
static bool is_compared(const struct code *code, size_t number)
{
    const struct symbol *s = &code->symbols.items[number];
    return s->function && same_function(code, s->name) == s;
}

static void find_differences(const struct code *a, const struct code *b, struct differences *found,
                             size_t *compared)
{
    for (size_t i = 0; i < a->symbols.count; i++) {
        const struct symbol *s = &a->symbols.items[i], *other;
        if (!is_compared(a, i))
            continue;
        other = same_function(b, s->name);
        ++*compared;
        if (!other || !is_same_code(a, s, b, other))
            ARRAY_PUSH(found, ((struct difference){s->size, other ? other->size : 0, s->name}));
    }
    for (size_t i = 0; i < b->symbols.count; i++)
        if (is_compared(b, i) && !same_function(a, b->symbols.items[i].name)) {
            ++*compared;
            ARRAY_PUSH(found, ((struct difference){0, b->symbols.items[i].size, b->symbols.items[i].name}));
        }
}

bool diff_code(const char *first, const char *second, FILE *out, bool *differ, struct error *error)
{
    struct code a = {0}, b = {0};
    struct differences found = {0};
    size_t compared = 0;
    bool ok = code_open(&a, first, error) && code_open(&b, second, error);
    if (ok) {
        find_differences(&a, &b, &found, &compared);
        if (found.count)
            qsort(found.items, found.count, sizeof *found.items, compare_differences);
        for (size_t i = 0; i < found.count; i++) {
            const struct difference *d = &found.items[i];
            char *name = memory_string(d->name);
            text_make_printable(name);
            fprintf(out, "%" PRIu64 "\t%" PRIu64 "\t%+" PRId64 "\t%s\n", d->first, d->second, growth(d),
                    name);
            free(name);
        }
        fprintf(out, "%zu of %zu functions differ\n", found.count, compared);
        *differ = found.count > 0;
    }
    ARRAY_RELEASE(&found);
    code_close(&a);
    code_close(&b);
    return ok;
}
