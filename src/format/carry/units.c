#include "format/carry/units.h"
#include "base/hash.h"
#include "base/memory.h"
#include "format/carry/record.h"
#include "format/carry/seal.h"
#include "format/packed.h"

#include <zstd.h>

static const struct carry_record kind = {CARRY_UNITS_MAGIC, CARRY_UNITS_SECTION, CARRY_UNITS_VERSION};

enum { ALIGNMENT = 8 };

/* A unit is packed once by each compilation, a program once by each link. */
enum { LEVEL_OF_UNIT = 3, LEVEL_OF_PROGRAM = 9, WINDOW_OF_PROGRAM = 27 };

/* ---- Writing ---- */

void carry_unit_identify(struct carry_unit *unit)
{
    struct buffer all = {0};
    buffer_add_string(&all, unit->name);
    buffer_add_string(&all, unit->compiler);
    buffer_add_varint(&all, unit->flags);
    for (size_t i = 0; i < unit->words.count; i++)
        buffer_add_string(&all, unit->words.items[i]);
    buffer_add_u64(&all, hash_bytes(unit->bitcode, unit->bitcode_length));
    unit->id = hash_bytes(all.data, all.length);
    buffer_release(&all);
}

void carry_unit_release(struct carry_unit *unit)
{
    free(unit->name);
    free(unit->compiler);
    words_release(&unit->words);
}

static void add_fields(struct buffer *out, const struct carry_unit *unit)
{
    buffer_add_string(out, unit->name);
    buffer_add_string(out, unit->compiler);
    buffer_add_varint(out, unit->flags);
    buffer_add_varint(out, unit->words.count);
    for (size_t i = 0; i < unit->words.count; i++)
        buffer_add_string(out, unit->words.items[i]);
    buffer_add_u64(out, unit->id);
    buffer_add_varint(out, unit->bitcode_length);
}

/* Appends the length of the pack, then the pack. What packs too well, or not at all, is left as it
 * is (format/packed.h). */
static void add_pack(struct buffer *out, const struct buffer *all, bool small)
{
    size_t room = ZSTD_compressBound(all->length);
    uint8_t *packed = ALLOC(uint8_t, room);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, small ? LEVEL_OF_PROGRAM : LEVEL_OF_UNIT);
    if (small) {
        ZSTD_CCtx_setParameter(context, ZSTD_c_enableLongDistanceMatching, 1);
        ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, WINDOW_OF_PROGRAM);
    }
    size_t size = ZSTD_compress2(context, packed, room, all->data, all->length);
    ZSTD_freeCCtx(context);
    bool smaller = !ZSTD_isError(size) && size < all->length && all->length / PACKED_MOST_TIMES < size;
    buffer_add_varint(out, smaller ? size : all->length);
    buffer_add(out, smaller ? packed : all->data, smaller ? size : all->length);
    free(packed);
}

void carry_units_write(struct buffer *out, const struct carry_unit *units, size_t count, bool small)
{
    struct buffer body = {0}, all = {0};
    buffer_add_varint(&body, count);
    for (size_t i = 0; i < count; i++) {
        add_fields(&body, &units[i]);
        buffer_add(&all, units[i].bitcode, units[i].bitcode_length);
    }
    add_pack(&body, &all, small);
    while (body.length % ALIGNMENT)
        buffer_add(&body, "", 1);
    carry_record_add(out, &kind, &body);
    buffer_release(&body);
    buffer_release(&all);
}

/* ---- Reading ---- */

static bool read_fields(struct cursor *c, struct carry_unit *unit)
{
    *unit = (struct carry_unit){.name = cursor_string(c)};
    unit->compiler = cursor_string(c);
    unit->flags = (uint32_t)cursor_varint(c);
    for (size_t left = cursor_count(c, 1); left-- && !c->failed;)
        ARRAY_PUSH(&unit->words, cursor_string(c));
    unit->id = cursor_u64(c);
    uint64_t length = cursor_varint(c);
    unit->bitcode_length = (size_t)length;
    return !c->failed && length <= SIZE_MAX / 2;
}

static bool read_body(struct carry_units *units, struct cursor *c, struct error *error)
{
    enum { FEWEST_BYTES = 13 }; /* of a unit */
    struct carry_pack pack = {.first_unit = units->count, .unit_count = cursor_count(c, FEWEST_BYTES)};
    for (size_t i = 0; i < pack.unit_count; i++) {
        struct carry_unit *unit = ARRAY_ADD(units);
        if (!read_fields(c, unit))
            return error_set(error, "a carried unit is damaged");
        pack.unpacked_length += unit->bitcode_length;
        if (pack.unpacked_length > SIZE_MAX / 2)
            return error_set(error, "carried units claim to be larger than any memory");
    }
    pack.length = cursor_count(c, 1);
    pack.packed = cursor_bytes(c, pack.length);
    if (c->failed)
        return error_set(error, "carried units are cut short");
    if (pack.unpacked_length < pack.length || pack.unpacked_length / PACKED_MOST_TIMES > pack.length)
        return error_set(error, "carried units claim to unpack to %zu bytes, from %zu", pack.unpacked_length,
                         pack.length);
    ARRAY_PUSH(&units->packs, pack);
    return true;
}

/* Reads one record; the cursor stands on its magic. */
static bool read_record(struct carry_units *units, struct cursor *c, struct error *error)
{
    struct cursor body;
    return carry_record_read(c, &kind, &body, error) && read_body(units, &body, error);
}

/* Takes a seal, if the cursor stands on one. */
static bool read_seal(struct carry_units *units, struct cursor *c)
{
    bool found = carry_seal_is(c->at, cursor_left(c));
    if (found)
        ARRAY_PUSH(&units->seals, cursor_bytes(c, CARRY_SEAL_LENGTH));
    return found;
}

bool carry_units_read(struct carry_units *units, const uint8_t *bytes, size_t length, struct error *error)
{
    struct cursor c = cursor_over(bytes, length);
    while (cursor_left(&c)) {
        if (!*c.at) /* linkers align what they put together */
            cursor_bytes(&c, 1);
        else if (!read_seal(units, &c) && !read_record(units, &c, error))
            return false;
    }
    return true;
}

bool carry_units_find(struct carry_units *units, const uint8_t *bytes, size_t length, bool *found,
                      struct error *error)
{
    const uint8_t *at = memmem(bytes, length, CARRY_UNITS_MAGIC, strlen(CARRY_UNITS_MAGIC));
    *found = at != NULL;
    if (!at)
        return true;
    struct cursor c = cursor_over(at, length - (size_t)(at - bytes));
    if (!read_record(units, &c, error))
        return false;
    read_seal(units, &c);
    return true;
}

void carry_units_drop(struct carry_units *units, size_t first)
{
    while (units->count > first)
        carry_unit_release(&units->items[--units->count]);
    while (units->packs.count && units->packs.items[units->packs.count - 1].first_unit >= first)
        free(units->packs.items[--units->packs.count].unpacked);
}

bool carry_units_unpack(struct carry_units *units, struct error *error)
{
    for (size_t i = 0; i < units->packs.count; i++) {
        struct carry_pack *pack = &units->packs.items[i];
        if (!pack->unpacked)
            pack->unpacked = packed_read(pack->packed, pack->length, pack->unpacked_length);
        if (!pack->unpacked)
            return error_set(error, "carried units cannot be unpacked: they are damaged");
        const uint8_t *at = pack->unpacked;
        for (size_t u = pack->first_unit; u < pack->first_unit + pack->unit_count; u++) {
            units->items[u].bitcode = at;
            at += units->items[u].bitcode_length;
        }
    }
    return true;
}

void carry_units_release(struct carry_units *units)
{
    for (size_t i = 0; i < units->count; i++)
        carry_unit_release(&units->items[i]);
    for (size_t i = 0; i < units->packs.count; i++)
        free(units->packs.items[i].unpacked);
    ARRAY_RELEASE(units);
    ARRAY_RELEASE(&units->packs);
    ARRAY_RELEASE(&units->seals);
}
