/*
 * The languages of call frame information: the table of functions, the instructions that make up
 * the rules for one address, and the expressions in rules. After the Linux Standard Base (exception
 * frames) and DWARF 5, section 6.4, as compilers, assemblers and linkers write them for x86-64.
 */
#include "runtime/frames/call_frames.h"
#include "runtime/system_calls.h"

#define REMEMBERED_MAX 6   /* states on the stack of DW_CFA_remember_state; compilers use one */
#define VALUES_MAX 32      /* on the stack of an expression */
#define OPERATIONS_MAX 512 /* executed by one expression: it may loop */

/* ---- bytes ---- */

/* After a read over the end everything read is 0 and `bad` is set: checked once, at the end of
 * something. */
struct reader {
    const uint8_t *at, *end;
    bool bad;
};

static bool has(struct reader *r, uint64_t size)
{
    if ((uint64_t)(r->end - r->at) >= size)
        return true;
    r->bad = true;
    r->at = r->end;
    return false;
}

#define READ_FIXED(name, type)                                                                               \
    static type name(struct reader *r)                                                                       \
    {                                                                                                        \
        type value = 0;                                                                                      \
        if (has(r, sizeof value)) {                                                                          \
            __builtin_memcpy(&value, r->at, sizeof value);                                                   \
            r->at += sizeof value;                                                                           \
        }                                                                                                    \
        return value;                                                                                        \
    }
READ_FIXED(read_u8, uint8_t)
READ_FIXED(read_u16, uint16_t)
READ_FIXED(read_u32, uint32_t)
READ_FIXED(read_u64, uint64_t)

static uint64_t read_leb(struct reader *r, bool is_signed)
{
    uint64_t value = 0;
    unsigned shift = 0;
    uint8_t byte;
    do {
        byte = read_u8(r);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    if (is_signed && shift < 64 && (byte & 0x40))
        value |= ~UINT64_C(0) << shift;
    return value;
}

static uint64_t read_uleb(struct reader *r)
{
    return read_leb(r, false);
}

static int64_t read_sleb(struct reader *r)
{
    return (int64_t)read_leb(r, true);
}

static void skip(struct reader *r, uint64_t size)
{
    if (has(r, size))
        r->at += size;
}

/* ---- pointers ---- */

enum {
    POINTER_OMITTED = 0xff,
    POINTER_FORM = 0x0f,
    POINTER_BASE = 0x70,
    POINTER_BASE_HERE = 0x10,
    POINTER_BASE_DATA = 0x30,
    POINTER_BASE_FUNCTION = 0x40,
    POINTER_INDIRECT = 0x80
};

static uint64_t read_number(struct reader *r, uint8_t encoding)
{
    switch (encoding & POINTER_FORM) {
    case 0x00:
    case 0x04:
    case 0x0c:
        return read_u64(r);
    case 0x01:
        return read_uleb(r);
    case 0x02:
        return read_u16(r);
    case 0x03:
        return read_u32(r);
    case 0x09:
        return (uint64_t)read_sleb(r);
    case 0x0a:
        return (uint64_t)(int16_t)read_u16(r);
    case 0x0b:
        return (uint64_t)(int32_t)read_u32(r);
    default:
        r->bad = true;
        return 0;
    }
}

/* A pointer of whatever encoding; 0 stays 0. What an indirect one points to is not read: only
 * personalities are such. */
static uint64_t read_pointer(struct reader *r, uint8_t encoding, uint64_t data_base, uint64_t function)
{
    uint64_t here = (uint64_t)(uintptr_t)r->at;
    uint64_t value = read_number(r, encoding);
    if (value == 0)
        return 0;
    switch (encoding & POINTER_BASE) {
    case 0:
        return value;
    case POINTER_BASE_HERE:
        return value + here;
    case POINTER_BASE_DATA:
        return value + data_base;
    case POINTER_BASE_FUNCTION:
        return value + function;
    default:
        r->bad = true;
        return 0;
    }
}

static const uint8_t *pointer_within(const struct frame_table *table, uint64_t address)
{
    uint64_t low = (uint64_t)(uintptr_t)table->low, high = (uint64_t)(uintptr_t)table->high;
    return address >= low && address < high ? table->low + (address - low) : NULL;
}

/* ---- entries ---- */

struct cie {
    uint8_t pointer_encoding, language_encoding;
    bool has_sizes; /* 'z': augmentation data begin with their length */
};

/* Sets END to the end of the entry whose length stands at the reader and leaves the reader after
 * it. False: the end of all entries, or damage. */
static bool read_length(struct reader *r, const uint8_t **end)
{
    uint64_t length = read_u32(r);
    if (length == UINT32_MAX)
        length = read_u64(r);
    if (length < 4 || !has(r, length))
        return false;
    *end = r->at + length;
    return true;
}

static bool read_cie(const struct frame_table *table, struct frame_entry *entry, struct cie *cie)
{
    struct reader r = {entry->cie, table->high, false};
    if (!read_length(&r, &entry->cie_end))
        return false;
    r.end = entry->cie_end;
    if (read_u32(&r) != 0)
        return false;
    uint8_t version = read_u8(&r);
    if (version != 1 && version != 3 && version != 4)
        return false;
    struct reader augmentation = r;
    while (read_u8(&r) != 0)
        ;
    if (version == 4 && (read_u8(&r) != 8 || read_u8(&r) != 0)) /* sizes of addresses and segments */
        return false;
    entry->code_factor = read_uleb(&r);
    entry->data_factor = read_sleb(&r);
    entry->return_column = version == 1 ? read_u8(&r) : read_uleb(&r);
    entry->signal_frame = false;
    *cie = (struct cie){.pointer_encoding = 0, .language_encoding = POINTER_OMITTED};
    for (bool first = true;; first = false) {
        uint8_t letter = read_u8(&augmentation);
        if (letter == 0)
            break;
        if (first && letter != 'z')
            return false; /* of unknown length */
        switch (letter) {
        case 'z': {
            uint64_t size = read_uleb(&r);
            if (!has(&r, size))
                return false;
            entry->first_instructions = r.at + size;
            cie->has_sizes = true;
            break;
        }
        case 'R':
            cie->pointer_encoding = read_u8(&r);
            break;
        case 'L':
            cie->language_encoding = read_u8(&r);
            break;
        case 'P': {
            uint8_t encoding = read_u8(&r);
            if ((encoding & POINTER_BASE) == 0x50) /* aligned */
                return false;
            read_number(&r, encoding);
            break;
        }
        case 'S':
            entry->signal_frame = true;
            break;
        default:
            return false; /* the letters after it may matter, and cannot be read */
        }
    }
    if (!cie->has_sizes)
        entry->first_instructions = r.at;
    return !r.bad && !augmentation.bad;
}

bool cotree_frame_entry_at(const struct frame_table *table, const uint8_t *fde, struct frame_entry *entry)
{
    struct reader r = {fde, table->high, false};
    entry->fde = fde;
    entry->index = FRAME_NO_INDEX;
    if (!read_length(&r, &entry->fde_end))
        return false;
    r.end = entry->fde_end;
    uint64_t here = (uint64_t)(uintptr_t)r.at;
    uint32_t distance = read_u32(&r);
    if (distance == 0)
        return false; /* a CIE */
    entry->cie = pointer_within(table, here - distance);
    struct cie cie;
    if (entry->cie == NULL || !read_cie(table, entry, &cie))
        return false;
    entry->function = read_pointer(&r, cie.pointer_encoding, (uint64_t)(uintptr_t)table->header, 0);
    entry->function_length = read_number(&r, cie.pointer_encoding);
    entry->language_data = 0;
    entry->instructions = r.at;
    if (cie.has_sizes) {
        uint64_t size = read_uleb(&r);
        if (!has(&r, size))
            return false;
        entry->instructions = r.at + size;
        if (cie.language_encoding != POINTER_OMITTED && size != 0) {
            if (cie.language_encoding & POINTER_INDIRECT)
                return false;
            r.end = entry->instructions;
            entry->language_data =
                read_pointer(&r, cie.language_encoding, (uint64_t)(uintptr_t)table->header, entry->function);
        }
    }
    return !r.bad;
}

static bool covers(const struct frame_entry *entry, uint64_t pc)
{
    return pc - entry->function < entry->function_length;
}

/* Where the linker made no sorted table: one entry after the other. */
static bool find_one_by_one(const struct frame_table *table, const uint8_t *first, uint64_t pc,
                            struct frame_entry *entry)
{
    struct reader r = {first, table->high, false};
    for (;;) {
        const uint8_t *here = r.at, *end;
        if (!read_length(&r, &end))
            return false;
        r.at = end;
        if (cotree_frame_entry_at(table, here, entry) && covers(entry, pc))
            return true;
    }
}

bool cotree_frame_find(const struct frame_table *table, uint64_t pc, struct frame_entry *entry)
{
    if (table->header < table->low || table->header >= table->high)
        return false;
    uint64_t base = (uint64_t)(uintptr_t)table->header;
    struct reader r = {table->header, table->high, false};
    uint8_t version = read_u8(&r), frames_encoding = read_u8(&r);
    uint8_t count_encoding = read_u8(&r), table_encoding = read_u8(&r);
    if (version != 1 || frames_encoding == POINTER_OMITTED || (frames_encoding & POINTER_INDIRECT))
        return false;
    const uint8_t *frames = pointer_within(table, read_pointer(&r, frames_encoding, base, 0));
    if (r.bad)
        return false;
    if (count_encoding == POINTER_OMITTED || table_encoding != 0x3b) /* pairs of 4 bytes, from the header */
        return frames != NULL && find_one_by_one(table, frames, pc, entry);
    uint64_t count = read_pointer(&r, count_encoding, base, 0);
    if (r.bad || count > (uint64_t)(r.end - r.at) / 8 || count >= FRAME_NO_INDEX)
        return false;
    /* The last row that begins at or before pc. */
    uint64_t before = 0, after = count;
    while (before < after) {
        uint64_t middle = before + (after - before) / 2;
        int32_t begin;
        __builtin_memcpy(&begin, r.at + 8 * middle, 4);
        if (base + (uint64_t)(int64_t)begin <= pc)
            before = middle + 1;
        else
            after = middle;
    }
    if (before == 0)
        return false;
    int32_t distance;
    __builtin_memcpy(&distance, r.at + 8 * (before - 1) + 4, 4);
    const uint8_t *fde = pointer_within(table, base + (uint64_t)(int64_t)distance);
    if (fde == NULL || !cotree_frame_entry_at(table, fde, entry) || !covers(entry, pc))
        return false;
    entry->index = (uint32_t)(before - 1);
    return true;
}

/* ---- instructions ---- */

static void set(struct frame_row *row, uint64_t column, enum frame_how how, uint64_t value)
{
    if (column >= REGISTERS)
        return; /* vectors and the like: callers do not rely on them */
    row->how[column] = (uint8_t)how;
    row->value[column] = (int64_t)value;
}

/* An expression stays where it is; the rule holds its address. */
static uint64_t take_expression(struct reader *r)
{
    uint64_t address = (uint64_t)(uintptr_t)r->at;
    skip(r, read_uleb(r));
    return address;
}

/* Executes instructions until they are for addresses after PC. FIRST is what DW_CFA_restore goes
 * back to. */
static bool execute(struct frame_row *row, const struct frame_entry *entry, const struct frame_row *first,
                    const uint8_t *from, const uint8_t *to, uint64_t pc)
{
    struct reader r = {from, to, false};
    struct frame_row remembered[REMEMBERED_MAX];
    unsigned depth = 0;
    uint64_t location = entry->function, column;
    uint64_t factor = (uint64_t)entry->data_factor;
    while (r.at < r.end && location <= pc && !r.bad) {
        uint8_t code = read_u8(&r);
        switch (code & 0xc0) {
        case 0x40: /* advance_loc */
            location += (code & 0x3fu) * entry->code_factor;
            continue;
        case 0x80: /* offset */
            set(row, code & 0x3f, FRAME_AT_OFFSET, read_uleb(&r) * factor);
            continue;
        case 0xc0: /* restore */
            column = code & 0x3f;
            if (column < REGISTERS)
                set(row, column, first->how[column], (uint64_t)first->value[column]);
            continue;
        }
        switch (code) {
        case 0x00: /* nop */
            break;
        case 0x01: /* set_loc: written nowhere on this machine */
            return false;
        case 0x02:
            location += read_u8(&r) * entry->code_factor;
            break;
        case 0x03:
            location += read_u16(&r) * entry->code_factor;
            break;
        case 0x04:
            location += read_u32(&r) * entry->code_factor;
            break;
        case 0x05: /* offset_extended */
            column = read_uleb(&r);
            set(row, column, FRAME_AT_OFFSET, read_uleb(&r) * factor);
            break;
        case 0x06: /* restore_extended */
            column = read_uleb(&r);
            if (column < REGISTERS)
                set(row, column, first->how[column], (uint64_t)first->value[column]);
            break;
        case 0x07:
            set(row, read_uleb(&r), FRAME_UNDEFINED, 0);
            break;
        case 0x08:
            set(row, read_uleb(&r), FRAME_SAME, 0);
            break;
        case 0x09: /* register */
            column = read_uleb(&r);
            set(row, column, FRAME_REGISTER, read_uleb(&r));
            break;
        case 0x0a: /* remember_state */
            if (depth == REMEMBERED_MAX)
                return false;
            cotree_copy(&remembered[depth++], row, sizeof *row);
            break;
        case 0x0b: /* restore_state */
            if (depth == 0)
                return false;
            cotree_copy(row, &remembered[--depth], sizeof *row);
            break;
        case 0x0c: /* def_cfa */
            row->cfa_register = read_uleb(&r);
            row->cfa_offset = (int64_t)read_uleb(&r);
            row->cfa_expression = NULL;
            break;
        case 0x0d: /* def_cfa_register */
            row->cfa_register = read_uleb(&r);
            row->cfa_expression = NULL;
            break;
        case 0x0e: /* def_cfa_offset */
            row->cfa_offset = (int64_t)read_uleb(&r);
            break;
        case 0x0f: /* def_cfa_expression */
            row->cfa_expression = r.at;
            skip(&r, read_uleb(&r));
            break;
        case 0x10: /* expression */
            column = read_uleb(&r);
            set(row, column, FRAME_AT_EXPRESSION, take_expression(&r));
            break;
        case 0x11: /* offset_extended_sf */
            column = read_uleb(&r);
            set(row, column, FRAME_AT_OFFSET, (uint64_t)read_sleb(&r) * factor);
            break;
        case 0x12: /* def_cfa_sf */
            row->cfa_register = read_uleb(&r);
            row->cfa_offset = (int64_t)((uint64_t)read_sleb(&r) * factor);
            row->cfa_expression = NULL;
            break;
        case 0x13: /* def_cfa_offset_sf */
            row->cfa_offset = (int64_t)((uint64_t)read_sleb(&r) * factor);
            break;
        case 0x14: /* val_offset */
            column = read_uleb(&r);
            set(row, column, FRAME_IS_OFFSET, read_uleb(&r) * factor);
            break;
        case 0x15: /* val_offset_sf */
            column = read_uleb(&r);
            set(row, column, FRAME_IS_OFFSET, (uint64_t)read_sleb(&r) * factor);
            break;
        case 0x16: /* val_expression */
            column = read_uleb(&r);
            set(row, column, FRAME_IS_EXPRESSION, take_expression(&r));
            break;
        case 0x2e: /* GNU_args_size: of interest to landing pads only */
            read_uleb(&r);
            break;
        case 0x2f: /* GNU_negative_offset_extended */
            column = read_uleb(&r);
            set(row, column, FRAME_AT_OFFSET, -(read_uleb(&r) * factor));
            break;
        default:
            return false;
        }
    }
    return !r.bad;
}

bool cotree_frame_row_at(const struct frame_table *table, const struct frame_entry *entry, uint64_t pc,
                         struct frame_row *row)
{
    (void)table;
    if (entry->return_column != REGISTER_RETURN)
        return false;
    cotree_clear(row, sizeof *row);
    row->cfa_register = REGISTERS; /* none yet */
    if (!execute(row, entry, row, entry->first_instructions, entry->cie_end, UINT64_MAX))
        return false;
    struct frame_row first;
    cotree_copy(&first, row, sizeof first);
    return execute(row, entry, &first, entry->instructions, entry->fde_end, pc);
}

/* ---- expressions ---- */

/* FIRST, where given, is on the stack at the beginning: the CFA, in rules of registers. */
bool cotree_frame_evaluate(const struct frame_table *table, const uint8_t *expression,
                           const struct frame_registers *registers, const uint64_t *first, frame_read *read,
                           void *context, uint64_t *result)
{
    struct reader r = {expression, table->high, false};
    uint64_t length = read_uleb(&r);
    if (!has(&r, length))
        return false;
    const uint8_t *begin = r.at;
    r.end = r.at + length;
    uint64_t values[VALUES_MAX];
    unsigned depth = 0;
    if (first != NULL)
        values[depth++] = *first;
    for (unsigned steps = 0; r.at < r.end; steps++) {
        if (steps == OPERATIONS_MAX)
            return false;
        uint8_t code = read_u8(&r);
        uint64_t pushed = 0;
        bool pushes = true;
        if (code >= 0x30 && code <= 0x4f) { /* lit0.. */
            pushed = code - 0x30u;
        } else if ((code >= 0x70 && code <= 0x8f) || code == 0x92) { /* breg0.., bregx */
            uint64_t column = code == 0x92 ? read_uleb(&r) : code - 0x70u;
            uint64_t offset = (uint64_t)read_sleb(&r);
            if (column >= REGISTERS || !(registers->known >> column & 1))
                return false;
            pushed = registers->value[column] + offset;
        } else {
            switch (code) {
            case 0x03: /* addr */
            case 0x0e: /* const8u */
            case 0x0f: /* const8s */
                pushed = read_u64(&r);
                break;
            case 0x08:
                pushed = read_u8(&r);
                break;
            case 0x09:
                pushed = (uint64_t)(int8_t)read_u8(&r);
                break;
            case 0x0a:
                pushed = read_u16(&r);
                break;
            case 0x0b:
                pushed = (uint64_t)(int16_t)read_u16(&r);
                break;
            case 0x0c:
                pushed = read_u32(&r);
                break;
            case 0x0d:
                pushed = (uint64_t)(int32_t)read_u32(&r);
                break;
            case 0x10:
                pushed = read_uleb(&r);
                break;
            case 0x11:
                pushed = (uint64_t)read_sleb(&r);
                break;
            case 0x12: /* dup */
            case 0x14: /* over */
            case 0x15: /* pick */
            {
                unsigned index = code == 0x12 ? 0 : code == 0x14 ? 1 : read_u8(&r);
                if (index >= depth)
                    return false;
                pushed = values[depth - 1 - index];
                break;
            }
            default:
                pushes = false;
            }
        }
        if (r.bad)
            return false;
        if (pushes) {
            if (depth == VALUES_MAX)
                return false;
            values[depth++] = pushed;
            continue;
        }
        if (code == 0x96) /* nop */
            continue;
        if (code == 0x2f || code == 0x28) { /* skip, bra */
            int64_t distance = (int16_t)read_u16(&r);
            if (code == 0x28) {
                if (depth == 0)
                    return false;
                if (values[--depth] == 0)
                    continue;
            }
            if (r.bad || distance < begin - r.at || distance > r.end - r.at)
                return false;
            r.at += distance;
            continue;
        }
        if (depth == 0)
            return false;
        uint64_t top = values[depth - 1];
        switch (code) { /* those that take one value */
        case 0x06:      /* deref */
        case 0x94:      /* deref_size */
        {
            unsigned size = code == 0x94 ? read_u8(&r) : 8;
            if ((size != 1 && size != 2 && size != 4 && size != 8) || !read(context, top, &values[depth - 1]))
                return false;
            if (size < 8)
                values[depth - 1] &= (UINT64_C(1) << 8 * size) - 1;
            continue;
        }
        case 0x13: /* drop */
            depth--;
            continue;
        case 0x19: /* abs */
            values[depth - 1] = (int64_t)top < 0 ? -top : top;
            continue;
        case 0x1f: /* neg */
            values[depth - 1] = -top;
            continue;
        case 0x20: /* not */
            values[depth - 1] = ~top;
            continue;
        case 0x23: /* plus_uconst */
            values[depth - 1] = top + read_uleb(&r);
            continue;
        }
        if (depth < 2)
            return false;
        uint64_t second = values[depth - 2], value;
        switch (code) { /* those that take two */
        case 0x16:      /* swap */
            values[depth - 1] = second;
            values[depth - 2] = top;
            continue;
        case 0x17: /* rot */
            if (depth < 3)
                return false;
            values[depth - 1] = second;
            values[depth - 2] = values[depth - 3];
            values[depth - 3] = top;
            continue;
        case 0x1a:
            value = second & top;
            break;
        case 0x1b: /* div */
            if (top == 0)
                return false;
            value = top == UINT64_MAX ? -second : (uint64_t)((int64_t)second / (int64_t)top);
            break;
        case 0x1c:
            value = second - top;
            break;
        case 0x1d: /* mod */
            if (top == 0)
                return false;
            value = second % top;
            break;
        case 0x1e:
            value = second * top;
            break;
        case 0x21:
            value = second | top;
            break;
        case 0x22:
            value = second + top;
            break;
        case 0x24: /* shl */
            value = top < 64 ? second << top : 0;
            break;
        case 0x25: /* shr */
            value = top < 64 ? second >> top : 0;
            break;
        case 0x26: /* shra */
            value = (uint64_t)((int64_t)second >> (top < 63 ? top : 63));
            break;
        case 0x27:
            value = second ^ top;
            break;
        case 0x29:
            value = second == top;
            break;
        case 0x2a:
            value = (int64_t)second >= (int64_t)top;
            break;
        case 0x2b:
            value = (int64_t)second > (int64_t)top;
            break;
        case 0x2c:
            value = (int64_t)second <= (int64_t)top;
            break;
        case 0x2d:
            value = (int64_t)second < (int64_t)top;
            break;
        case 0x2e:
            value = second != top;
            break;
        default:
            return false;
        }
        values[--depth - 1] = value;
    }
    if (r.bad || depth == 0)
        return false;
    *result = values[depth - 1];
    return true;
}

/* ---- language-specific data ---- */

bool cotree_frame_has_landing_pad(const struct frame_entry *entry, const uint8_t *low, const uint8_t *high,
                                  uint64_t pc)
{
    struct frame_table range = {.low = low, .high = high};
    const uint8_t *data = pointer_within(&range, entry->language_data);
    if (entry->language_data == 0 || data == NULL)
        return false;
    struct reader r = {data, high, false};
    uint8_t pads_encoding = read_u8(&r);
    if (pads_encoding != POINTER_OMITTED)
        read_number(&r, pads_encoding);
    uint8_t types_encoding = read_u8(&r);
    if (types_encoding != POINTER_OMITTED)
        read_uleb(&r);
    uint8_t encoding = read_u8(&r);
    uint64_t size = read_uleb(&r);
    if (!has(&r, size))
        return false;
    r.end = r.at + size;
    uint64_t offset = pc - entry->function;
    while (r.at < r.end && !r.bad) {
        uint64_t begin = read_number(&r, encoding), length = read_number(&r, encoding);
        uint64_t pad = read_number(&r, encoding);
        read_uleb(&r); /* action */
        if (!r.bad && offset >= begin && offset - begin < length)
            return pad != 0;
    }
    return false;
}
