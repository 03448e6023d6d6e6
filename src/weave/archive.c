/*
 * The format: "!<arch>\n", then members: a header of 60 characters (name 16, time 12, owner 6,
 * group 6, mode 8, size 10, "`\n"), the bytes, a newline if their number is odd. The member "/" is
 * the index: a big-endian number of symbols, the offset of a member for each, then their names. The
 * member "//" holds long names, each ended by "/\n"; "/12" is the name at offset 12 there.
 */
#include "weave/archive.h"
#include "base/memory.h"
#include "weave/object.h"

#include <stdio.h>

enum { HEADER_SIZE = 60, NAME_SIZE = 16, SIZE_AT = 48, SIZE_SIZE = 10, MAGIC_SIZE = 8 };

static uint64_t read_number(const char *text, size_t length)
{
    uint64_t value = 0;
    for (size_t i = 0; i < length && text[i] >= '0' && text[i] <= '9'; i++)
        value = value * 10 + (uint64_t)(text[i] - '0');
    return value;
}

/* The name in the header, or the long one that it refers to. */
static char *member_name(const char *header, const char *long_names, size_t long_length)
{
    if (header[0] == '/') {
        uint64_t at = read_number(header + 1, NAME_SIZE - 1);
        size_t end = at < long_length ? (size_t)at : long_length;
        while (end < long_length && long_names[end] != '\n')
            end++;
        size_t begin = at < end ? (size_t)at : end;
        if (end > begin && long_names[end - 1] == '/')
            end--;
        return memory_substring(long_names + begin, end - begin);
    }
    size_t length = 0;
    while (length < NAME_SIZE && header[length] != '/')
        length++;
    while (length && header[length - 1] == ' ')
        length--;
    return memory_substring(header, length);
}

bool archive_read(struct archive *archive, const uint8_t *bytes, size_t length, struct error *error)
{
    bool thin = object_kind_of(bytes, length) == OBJECT_THIN_ARCHIVE;
    const char *long_names = "";
    size_t long_length = 0;
    *archive = (struct archive){0};
    for (size_t at = MAGIC_SIZE; at < length;) {
        const char *header = (const char *)bytes + at;
        if (length - at < HEADER_SIZE || header[HEADER_SIZE - 2] != '`') {
            archive_release(archive);
            return error_set(error, "a damaged archive");
        }
        uint64_t size = read_number(header + SIZE_AT, SIZE_SIZE);
        bool index = !memcmp(header, "/ ", 2) || !memcmp(header, "/SYM64/", 7),
             names = !memcmp(header, "//", 2);
        bool inside = !thin || index || names;
        at += HEADER_SIZE;
        if (inside && size > length - at) {
            archive_release(archive);
            return error_set(error, "an archive that is cut short");
        }
        if (names) {
            long_names = (const char *)bytes + at;
            long_length = (size_t)size;
        } else if (!index) {
            ARRAY_PUSH(archive, ((struct archive_member){member_name(header, long_names, long_length),
                                                         inside ? bytes + at : NULL, (size_t)size}));
        }
        at += inside ? (size_t)(size + size % 2) : 0;
    }
    return true;
}

void archive_release(struct archive *archive)
{
    for (size_t i = 0; i < archive->count; i++)
        free(archive->items[i].name);
    ARRAY_RELEASE(archive);
}

/* ---- Writing ---- */

struct symbol_index {
    struct buffer names;
    struct indexed ARRAY_OF(size_t) members; /* for each symbol */
    size_t member;
};

static void add_symbol(void *context, const char *name)
{
    struct symbol_index *index = context;
    buffer_add(&index->names, name, strlen(name) + 1);
    ARRAY_PUSH(&index->members, index->member);
}

static void add_header(struct buffer *out, const char *name, size_t size)
{
    buffer_addf(out, "%-16s%-12d%-6d%-6d%-8o%-10zu`\n", name, 0, 0, 0, 0644u, size);
}

static void add_big_endian(struct buffer *out, uint32_t value)
{
    uint8_t bytes[] = {(uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value};
    buffer_add(out, bytes, sizeof bytes);
}

static void make_even(struct buffer *out)
{
    if (out->length % 2)
        buffer_add_text(out, "\n");
}

void archive_write(struct buffer *out, const struct archive *archive)
{
    struct symbol_index index = {0};
    struct buffer long_names = {0};
    size_t *name_at = ALLOC(size_t, archive->count), *offset = ALLOC(size_t, archive->count);
    for (index.member = 0; index.member < archive->count; index.member++) {
        const struct archive_member *member = &archive->items[index.member];
        object_defined_symbols(member->bytes, member->length, add_symbol, &index);
        name_at[index.member] = long_names.length;
        buffer_addf(&long_names, "%s/\n", member->name);
    }
    make_even(&long_names);
    if (index.names.length % 2)
        buffer_add(&index.names, "", 1);
    size_t index_size = 4 + 4 * index.members.count + index.names.length;
    size_t at = MAGIC_SIZE + HEADER_SIZE + index_size + HEADER_SIZE + long_names.length;
    for (size_t i = 0; i < archive->count; i++) {
        offset[i] = at;
        at += HEADER_SIZE + archive->items[i].length + archive->items[i].length % 2;
    }
    buffer_add_text(out, "!<arch>\n");
    add_header(out, "/", index_size);
    add_big_endian(out, (uint32_t)index.members.count);
    for (size_t i = 0; i < index.members.count; i++)
        add_big_endian(out, (uint32_t)offset[index.members.items[i]]);
    buffer_add(out, index.names.data, index.names.length);
    add_header(out, "//", long_names.length);
    buffer_add(out, long_names.data, long_names.length);
    for (size_t i = 0; i < archive->count; i++) {
        char name[32];
        snprintf(name, sizeof name, "/%zu", name_at[i]);
        add_header(out, name, archive->items[i].length);
        buffer_add(out, archive->items[i].bytes, archive->items[i].length);
        make_even(out);
    }
    free(name_at);
    free(offset);
    buffer_release(&index.names);
    buffer_release(&long_names);
    ARRAY_RELEASE(&index.members);
}
