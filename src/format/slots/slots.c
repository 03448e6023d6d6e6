#include "format/slots/slots.h"
#include "base/hash.h"
#include "format/packed.h"
#include "format/records.h"

enum {
    LEAST_FUNCTION = 10,
    LEAST_MARK = 2,
    LEAST_CODE = 3,
    LEAST_PLACE = 4,
    LEAST_SET = 1,
    LEAST_CLAIM = 3,
    LEAST_ROW = 2,
};

void slots_code_release(struct slots_code *code)
{
    for (size_t i = 0; i < code->sets.count; i++)
        ARRAY_RELEASE(&code->sets.items[i]);
    ARRAY_RELEASE(&code->places);
    ARRAY_RELEASE(&code->sets);
    ARRAY_RELEASE(&code->rows);
}

void slots_unit_release(struct slots_unit *unit)
{
    for (size_t i = 0; i < unit->functions.count; i++)
        ARRAY_RELEASE(&unit->functions.items[i].marks);
    for (size_t i = 0; i < unit->codes.count; i++)
        slots_code_release(&unit->codes.items[i]);
    ARRAY_RELEASE(&unit->functions);
    ARRAY_RELEASE(&unit->codes);
}

void slots_index_release(struct slots_index *index)
{
    for (size_t i = 0; i < index->units.count; i++)
        slots_unit_release(&index->units.items[i]);
    ARRAY_RELEASE(&index->units);
}

/* ---- Writing ---- */

static void write_function(struct buffer *out, const struct slots_function *f)
{
    buffer_add_u64(out, f->key);
    buffer_add_varint(out, f->state);
    buffer_add_varint(out, f->marks.count);
    uint32_t next = 0;
    for (size_t i = 0; i < f->marks.count; i++) {
        const struct slots_mark *mark = &f->marks.items[i];
        buffer_add_varint(out, mark->edge - next);
        buffer_add_varint(out, 2 * (uint64_t)mark->value + mark->adds);
        next = mark->edge + 1;
    }
}

static void write_code(struct buffer *out, const struct slots_code *code)
{
    buffer_add_varint(out, code->places.count);
    for (size_t i = 0; i < code->places.count; i++) {
        buffer_add_varint(out, code->places.items[i].base);
        buffer_add_signed(out, code->places.items[i].offset);
        buffer_add_varint(out, code->places.items[i].bytes);
        buffer_add_varint(out, code->places.items[i].ring);
    }
    buffer_add_varint(out, code->sets.count);
    for (size_t i = 0; i < code->sets.count; i++) {
        const struct slots_set *set = &code->sets.items[i];
        buffer_add_varint(out, set->count);
        for (size_t k = 0; k < set->count; k++) {
            const struct slots_claim *claim = &set->items[k];
            buffer_add_varint(out, claim->depth);
            buffer_add_varint(out, 2 * (uint64_t)claim->region + claim->rounds);
            buffer_add_varint(out, claim->slot == SLOTS_NONE ? 0 : (uint64_t)claim->slot + 1);
        }
    }
    buffer_add_varint(out, code->rows.count);
    uint32_t next = 0;
    for (size_t i = 0; i < code->rows.count; i++) {
        buffer_add_varint(out, code->rows.items[i].row - next);
        buffer_add_varint(out, code->rows.items[i].set);
        next = code->rows.items[i].row + 1;
    }
}

static uint64_t hash_of(uint32_t tag, const void *bytes, size_t length)
{
    const uint64_t parts[2] = {tag, hash_bytes(bytes, length)};
    return hash_bytes(parts, sizeof parts);
}

void slots_unit_write(struct buffer *out, const struct slots_unit *unit)
{
    struct buffer payload = {0}, hashed = {0};
    buffer_add_varint(&payload, unit->functions.count);
    for (size_t i = 0; i < unit->functions.count; i++)
        write_function(&payload, &unit->functions.items[i]);
    buffer_add_varint(&payload, unit->codes.count);
    for (size_t i = 0; i < unit->codes.count; i++)
        write_code(&payload, &unit->codes.items[i]);
    buffer_add_u32(&hashed, (uint32_t)payload.length);
    packed_add(&hashed, payload.data, payload.length);
    buffer_add_u64(out, hash_of(unit->tag, hashed.data, hashed.length));
    buffer_add(out, hashed.data, hashed.length);
    buffer_release(&payload);
    buffer_release(&hashed);
}

/* ---- Reading ---- */

static uint32_t read_below(struct cursor *c, uint64_t limit)
{
    uint64_t value = cursor_varint(c);
    if (value >= limit)
        c->failed = true;
    return c->failed ? 0 : (uint32_t)value;
}

/* A number that is given as its distance from 1 more than the last one. */
static uint32_t read_rising(struct cursor *c, uint64_t *next)
{
    uint64_t value = *next + read_below(c, UINT32_MAX);
    if (value >= UINT32_MAX)
        c->failed = true;
    *next = value + 1;
    return c->failed ? 0 : (uint32_t)value;
}

static void read_function(struct cursor *c, struct slots_function *f)
{
    *f = (struct slots_function){.key = cursor_u64(c)};
    f->state = (enum slots_state)read_below(c, SLOTS_STATES);
    uint64_t next = 0;
    for (size_t left = cursor_count(c, LEAST_MARK); left-- && !c->failed;) {
        struct slots_mark mark = {.edge = read_rising(c, &next)};
        uint64_t value = cursor_varint(c);
        mark.value = (uint32_t)(value / 2);
        mark.adds = value % 2;
        if (value / 2 > UINT32_MAX)
            c->failed = true;
        ARRAY_PUSH(&f->marks, mark);
    }
}

static struct slots_claim read_claim(struct cursor *c, const struct slots_code *code)
{
    struct slots_claim claim = {.depth = read_below(c, UINT32_MAX)};
    uint32_t about = read_below(c, UINT32_MAX), slot = read_below(c, code->places.count + 1);
    claim.region = about / 2;
    claim.rounds = about % 2;
    claim.slot = slot ? slot - 1 : SLOTS_NONE;
    if (slot && (code->places.items[claim.slot].ring != 0) != claim.rounds)
        c->failed = true;
    return claim;
}

static void read_sets(struct cursor *c, struct slots_code *code)
{
    for (size_t left = cursor_count(c, LEAST_SET); left-- && !c->failed;) {
        struct slots_set set = {0};
        for (size_t claims = cursor_count(c, LEAST_CLAIM); claims-- && !c->failed;) {
            ARRAY_PUSH(&set, read_claim(c, code));
        }
        ARRAY_PUSH(&code->sets, set);
    }
}

static void read_code(struct cursor *c, struct slots_code *code)
{
    *code = (struct slots_code){0};
    for (size_t left = cursor_count(c, LEAST_PLACE); left-- && !c->failed;) {
        struct slots_place place = {.base = (enum slots_base)read_below(c, SLOTS_BASES)};
        place.offset = cursor_signed(c);
        place.bytes = read_below(c, 5);
        place.ring = read_below(c, RING_MOST + 1);
        if ((place.bytes != 1 && place.bytes != 4) || (place.ring & (place.ring - 1)) || place.ring == 1)
            c->failed = true;
        ARRAY_PUSH(&code->places, place);
    }
    read_sets(c, code);
    uint64_t next = 0;
    for (size_t left = cursor_count(c, LEAST_ROW); left-- && !c->failed;) {
        struct slots_row row = {.row = read_rising(c, &next)};
        row.set = read_below(c, code->sets.count);
        ARRAY_PUSH(&code->rows, row);
    }
}

static bool read_payload(struct slots_unit *unit, const uint8_t *bytes, size_t length)
{
    struct cursor c = cursor_over(bytes, length);
    for (size_t left = cursor_count(&c, LEAST_FUNCTION); left-- && !c.failed;)
        read_function(&c, ARRAY_ADD(&unit->functions));
    for (size_t left = cursor_count(&c, LEAST_CODE); left-- && !c.failed;)
        read_code(&c, ARRAY_ADD(&unit->codes));
    return !c.failed && !cursor_left(&c);
}

/* Reads a record after its length. */
static bool read_unit(struct slots_unit *unit, const uint8_t *record, size_t length)
{
    struct cursor c = cursor_over(record, length);
    *unit = (struct slots_unit){.offset = cursor_u32(&c)};
    unit->tag = cursor_u32(&c);
    uint64_t hash = cursor_u64(&c);
    if (c.failed || hash != hash_of(unit->tag, c.at, cursor_left(&c)))
        return false;
    uint32_t unpacked = cursor_u32(&c);
    uint8_t *payload = c.failed ? NULL : packed_read(c.at, cursor_left(&c), unpacked);
    bool ok = payload && read_payload(unit, payload, unpacked);
    free(payload);
    if (!ok)
        slots_unit_release(unit);
    return ok;
}

static int by_offset(const void *left, const void *right)
{
    const struct slots_unit *a = left, *b = right;
    return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* No record of positions has two of slots: where a damaged file says so, both are left out. */
static bool drop_doubles(struct slots_index *index)
{
    struct slots_units *units = &index->units;
    size_t kept = 0;
    for (size_t i = 0; i < units->count; i++) {
        uint32_t offset = units->items[i].offset;
        bool doubled = (i && units->items[i - 1].offset == offset) ||
                       (i + 1 < units->count && units->items[i + 1].offset == offset);
        if (doubled) {
            slots_unit_release(&units->items[i]);
            continue;
        }
        units->items[kept++] = units->items[i];
    }
    bool none = kept == units->count;
    units->count = kept;
    return none;
}

static bool read_record(void *to, uint32_t magic, uint64_t offset, const uint8_t *record, size_t length)
{
    struct slots_index *index = to;
    struct slots_unit unit;
    (void)magic, (void)offset;
    if (!read_unit(&unit, record, length))
        return false;
    ARRAY_PUSH(&index->units, unit);
    return true;
}

bool slots_index_read(struct slots_index *index, const void *data, size_t length, struct error *error)
{
    static const struct record_kind kind = {"slots", SLOTS_MAGIC, SLOTS_MAGIC, read_record};
    bool ok = records_read(&kind, index, data, length, error);
    if (index->units.count)
        qsort(index->units.items, index->units.count, sizeof *index->units.items, by_offset);
    if (!drop_doubles(index))
        ok = error_set(ok ? error : NULL, "two records of slots are for one record of positions");
    return ok;
}

const struct slots_unit *slots_index_find(const struct slots_index *index, uint64_t offset)
{
    size_t at = FIRST_WITHOUT(index->units.count, i, index->units.items[i].offset < offset);
    return at < index->units.count && index->units.items[at].offset == offset ? &index->units.items[at]
                                                                              : NULL;
}

const struct slots_function *slots_unit_function(const struct slots_unit *unit, uint64_t key)
{
    for (size_t i = 0; i < unit->functions.count; i++)
        if (unit->functions.items[i].key == key)
            return &unit->functions.items[i];
    return NULL;
}

const struct slots_set *slots_code_set(const struct slots_code *code, uint32_t row)
{
    size_t at = FIRST_WITHOUT(code->rows.count, i, code->rows.items[i].row < row);
    return at < code->rows.count && code->rows.items[at].row == row
               ? &code->sets.items[code->rows.items[at].set]
               : NULL;
}
