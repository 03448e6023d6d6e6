#include "format/places/index.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "format/places/unit.h"
#include "format/records.h"

enum {
    LEAST_LENGTH = 16, /* address, size, no functions, no loops, no stretches, no positions */
    LEAST_LOOP = 1,
    LEAST_MOVED = 3,
    LEAST_STRETCH = 1,
    LEAST_COUNT = 3,
    LEAST_POSITION = 7,
    LEAST_ROW = 5,
    CHECK_LENGTH = 8, /* at the end */
};

void place_code_release(struct place_code *code)
{
    free(code->keys);
    free(code->loops);
    free(code->moved);
    free(code->stretches);
    free(code->counts);
    free(code->edges);
    free(code->positions);
    free(code->rows);
    *code = (struct place_code){0};
}

static void release_units(struct place_index *index)
{
    for (size_t i = 0; i < index->units.count; i++)
        place_unit_release(&index->units.items[i]);
    ARRAY_RELEASE(&index->units);
}

void place_index_release(struct place_index *index)
{
    for (size_t i = 0; i < index->count; i++)
        place_code_release(&index->items[i]);
    release_units(index);
    ARRAY_RELEASE(index);
}

static uint32_t read_below(struct cursor *c, uint64_t limit)
{
    uint64_t value = cursor_varint(c);
    if (value >= limit)
        c->failed = true;
    return c->failed ? 0 : (uint32_t)value;
}

static void read_loops(struct cursor *c, struct place_code *code)
{
    size_t loops = cursor_count(c, LEAST_LOOP), room = cursor_left(c) / LEAST_MOVED;
    if (loops > UINT32_MAX / 16 || room > UINT32_MAX / 16)
        c->failed = true;
    if (c->failed || !loops)
        return;
    code->loops = ALLOC(struct place_loop, loops);
    code->moved = ALLOC(struct place_moved, room);
    for (; code->loop_count < loops && !c->failed; code->loop_count++) {
        size_t count = cursor_count(c, LEAST_MOVED);
        struct place_loop *loop = &code->loops[code->loop_count];
        *loop = (struct place_loop){.first = code->moved_count};
        for (; loop->count < count && !c->failed; loop->count++) {
            struct place_moved *moved = &code->moved[code->moved_count++];
            moved->key = read_below(c, code->key_count);
            moved->counter = read_below(c, UINT32_MAX);
            moved->most = cursor_varint(c);
        }
    }
    if (code->moved_count)
        RESIZE(code->moved, code->moved_count);
}

static void read_stretches(struct cursor *c, struct place_code *code)
{
    size_t count = cursor_count(c, LEAST_STRETCH), counts = 0, room = cursor_left(c) / LEAST_COUNT;
    if (count >= UINT32_MAX / 16)
        c->failed = true;
    code->stretches = ZALLOC(uint32_t, c->failed ? 1 : count + 1);
    code->counts = ALLOC(struct place_count, count && !c->failed ? room : 0);
    for (; code->stretch_count < count && !c->failed; code->stretch_count++) {
        size_t length = cursor_count(c, LEAST_COUNT);
        for (size_t i = 0; i < length && !c->failed; i++) {
            struct place_count *one = &code->counts[counts++];
            one->shared = false;
            one->key = read_below(c, code->key_count);
            one->counter = read_below(c, UINT32_MAX);
            one->by = cursor_varint(c);
        }
        code->stretches[code->stretch_count + 1] = (uint32_t)counts;
    }
    if (counts)
        RESIZE(code->counts, counts);
}

static void read_positions(struct cursor *c, struct place_code *code)
{
    size_t count = cursor_count(c, LEAST_POSITION);
    if (count > UINT32_MAX / 16)
        c->failed = true;
    if (c->failed)
        return;
    code->positions = ALLOC(struct place_position, count);
    for (; code->position_count < count && !c->failed; code->position_count++) {
        struct place_position *p = &code->positions[code->position_count];
        p->outer = read_below(c, (uint64_t)code->position_count + 1);
        p->key = read_below(c, code->key_count);
        p->block = read_below(c, UINT32_MAX);
        p->call = read_below(c, UINT32_MAX);
        p->lines = read_below(c, UINT32_MAX);
        p->loop = read_below(c, (uint64_t)code->loop_count + 1);
        p->stretch = read_below(c, (uint64_t)code->stretch_count + 1);
        p->passed = p->point = 0;
        if (p->stretch)
            p->passed =
                read_below(c, (uint64_t)code->stretches[p->stretch] - code->stretches[p->stretch - 1] + 1);
    }
}

static void read_row(struct cursor *c, const struct place_code *code, struct place_row *row)
{
    *row = (struct place_row){.offset = cursor_u32(c)};
    uint64_t coded = cursor_varint(c), value = coded >> 3, limit = 1;
    row->kind = (enum place_kind)(coded & 7);
    row->ended = row->kind == PLACE_ENDED_CALL;
    if (row->ended)
        row->kind = PLACE_CALL;
    switch (row->kind) {
    case PLACE_CALL:
    case PLACE_BRANCH:
    case PLACE_ACCESS:
    case PLACE_LIBCALL:
    case PLACE_SETTLED:
        limit = (uint64_t)code->position_count + 1;
        break;
    case PLACE_INCREMENT:
        limit = code->key_count;
        row->counter = read_below(c, UINT32_MAX);
        row->by = cursor_varint(c);
        row->stretch = read_below(c, (uint64_t)code->stretch_count + 1);
        break;
    case PLACE_GOTO:
        limit = (uint64_t)code->position_count + 1;
        row->target = cursor_u32(c);
        break;
    default:
        c->failed = true;
    }
    if (value >= limit || row->offset > code->size || row->target > code->size)
        c->failed = true;
    row->value = c->failed ? 0 : (uint32_t)value;
}

static bool read_code(struct place_code *code, const uint8_t *data, size_t length)
{
    struct cursor c = cursor_over(data, length);
    *code = (struct place_code){.address = cursor_u64(&c), .unit = PLACE_NO_UNIT};
    code->size = cursor_u32(&c);
    size_t keys = cursor_count(&c, 8);
    if (code->address + code->size < code->address || keys >= UINT32_MAX)
        c.failed = true;
    code->keys = ALLOC(uint64_t, c.failed ? 0 : keys);
    for (; !c.failed && code->key_count < keys; code->key_count++)
        code->keys[code->key_count] = cursor_u64(&c);
    read_loops(&c, code);
    read_stretches(&c, code);
    read_positions(&c, code);
    size_t room = cursor_left(&c) / LEAST_ROW;
    code->rows = ALLOC(struct place_row, room);
    while (!c.failed && cursor_left(&c) && code->row_count < room) {
        struct place_row *row = &code->rows[code->row_count];
        read_row(&c, code, row);
        if (code->row_count && row->offset < row[-1].offset)
            c.failed = true;
        code->row_count++;
    }
    if (c.failed || cursor_left(&c)) {
        place_code_release(code);
        return false;
    }
    if (code->row_count)
        RESIZE(code->rows, code->row_count);
    return true;
}

static struct place_unit *find_unit(struct place_index *index, uint64_t offset)
{
    size_t at = FIRST_WITHOUT(index->units.count, i, index->units.items[i].offset < offset);
    return at < index->units.count && index->units.items[at].offset == offset ? &index->units.items[at]
                                                                              : NULL;
}

/* Rows of calls and counts stand after their instruction, so code that goes on with it starts
 * before them. */
static uint32_t start_of(const struct place_code *code, uint32_t row)
{
    if (row >= code->row_count)
        return code->size;
    const struct place_row *at = &code->rows[row];
    bool behind = at->kind != PLACE_BRANCH && at->kind != PLACE_ACCESS && at->kind != PLACE_GOTO;
    return behind && at->offset ? at->offset - 1 : at->offset;
}

static bool place_code_at(struct cursor *c, struct place_code *code, uint64_t address)
{
    uint64_t offset = 0;
    for (uint32_t i = 0; i < code->row_count && !c->failed; i++) {
        offset += read_below(c, UINT32_MAX);
        code->rows[i].offset = (uint32_t)offset;
        if (offset > UINT32_MAX)
            c->failed = true;
    }
    offset += read_below(c, UINT32_MAX);
    if (offset > UINT32_MAX || address + offset < address)
        c->failed = true;
    code->address = address;
    code->size = (uint32_t)offset;
    for (uint32_t i = 0; i < code->row_count; i++)
        if (code->rows[i].kind == PLACE_GOTO)
            code->rows[i].target = start_of(code, code->rows[i].target);
    return !c->failed;
}

/* The sum that the numbers of a record add to its check. */
static uint64_t check_sum(uint32_t tag, struct cursor c)
{
    uint64_t sum = tag * place_check_weight(0);
    for (uint64_t number = 1; cursor_left(&c) && !c.failed; number++)
        sum += cursor_varint(&c) * place_check_weight(number);
    return sum;
}

/* The functions of one section of code. */
static bool read_section(struct place_index *index, const uint8_t *data, size_t length)
{
    if (length < CHECK_LENGTH)
        return false;
    struct cursor c = cursor_over(data, length - CHECK_LENGTH),
                  last = cursor_over(data + length - CHECK_LENGTH, CHECK_LENGTH);
    uint64_t address = cursor_u64(&c), check = cursor_u64(&last);
    struct place_unit *unit = find_unit(index, cursor_u32(&c));
    uint32_t tag = cursor_u32(&c);
    uint64_t sum = check_sum(tag, c);
    if (c.failed || (check != address + sum && (address || check)))
        return false;
    if (!address) /* the linker dropped this code */
        return true;
    uint64_t first = cursor_varint(&c), count = cursor_varint(&c);
    if (c.failed || !unit || unit->tag != tag || first > unit->count || count > unit->count - first)
        return false;
    for (uint64_t i = first; i < first + count; i++) {
        struct place_code code = unit->codes[i];
        uint64_t gap = cursor_varint(&c);
        if (!code.keys || address + gap < address) /* another record has it */
            return false;
        address += gap;
        unit->codes[i] = (struct place_code){0};
        code.unit = unit->offset;
        code.tag = tag;
        code.number = (uint32_t)i;
        if (!place_code_at(&c, &code, address)) {
            place_code_release(&code);
            return false;
        }
        address += code.size;
        if (code.size)
            ARRAY_PUSH(index, code);
        else
            place_code_release(&code);
    }
    return !cursor_left(&c);
}

static bool read_whole(struct place_index *index, const uint8_t *data, size_t length)
{
    struct place_code code;
    if (length < LEAST_LENGTH + CHECK_LENGTH)
        return false;
    length -= CHECK_LENGTH;
    struct cursor hash = cursor_over(data + length, CHECK_LENGTH);
    if (cursor_u64(&hash) != hash_bytes(data, length) || !read_code(&code, data, length))
        return false;
    if (!code.address || !code.size) /* the linker dropped this code */
        place_code_release(&code);
    else
        ARRAY_PUSH(index, code);
    return true;
}

static bool read_places(void *to, uint32_t magic, uint64_t offset, const uint8_t *data, size_t length)
{
    struct place_index *index = to;
    (void)offset;
    return magic == PLACES_MAGIC ? read_section(index, data, length) : read_whole(index, data, length);
}

static bool read_positions_record(void *to, uint32_t magic, uint64_t offset, const uint8_t *data,
                                  size_t length)
{
    struct place_index *index = to;
    (void)magic;
    struct place_unit unit = {.offset = offset};
    if (!place_unit_read(&unit, data, length))
        return false;
    ARRAY_PUSH(&index->units, unit);
    return true;
}

bool place_index_add_positions(struct place_index *index, const void *data, size_t length,
                               struct error *error)
{
    static const struct record_kind kind = {"places", POSITIONS_MAGIC, POSITIONS_MAGIC,
                                            read_positions_record};
    if (index->units.count)
        return error_set(error, "positions come in two sections");
    return records_read(&kind, index, data, length, error);
}

bool place_index_add(struct place_index *index, const void *data, size_t length, struct error *error)
{
    static const struct record_kind kind = {"places", PLACES_MAGIC, PLACES_MAGIC_WHOLE, read_places};
    return records_read(&kind, index, data, length, error);
}

static int by_address(const void *left, const void *right)
{
    const struct place_code *a = left, *b = right;
    if (a->address != b->address)
        return a->address < b->address ? -1 : 1;
    return a->size < b->size ? -1 : a->size > b->size;
}

void place_index_sort(struct place_index *index)
{
    release_units(index);
    if (!index->count)
        return;
    qsort(index->items, index->count, sizeof *index->items, by_address);
    size_t kept = 1;
    for (size_t i = 1; i < index->count; i++) {
        const struct place_code *last = &index->items[kept - 1];
        if (index->items[i].address - last->address < last->size)
            place_code_release(&index->items[i]);
        else
            index->items[kept++] = index->items[i];
    }
    index->count = kept;
}

const struct place_code *place_index_find(const struct place_index *index, uint64_t address)
{
    size_t after = FIRST_WITHOUT(index->count, i, index->items[i].address <= address);
    const struct place_code *code = after ? &index->items[after - 1] : NULL;
    return code && address - code->address < code->size ? code : NULL;
}

uint32_t place_first_row(const struct place_code *code, uint32_t offset)
{
    return (uint32_t)FIRST_WITHOUT(code->row_count, i, code->rows[i].offset < offset);
}
