#include "format/carry/link.h"
#include "base/memory.h"
#include "format/carry/record.h"
#include "format/packed.h"

static const struct carry_record record = {"cotreeLK", CARRY_LINK_SECTION, CARRY_LINK_VERSION};

/* ---- Writing ---- */

static void add_input(struct buffer *out, const struct carry_input *input)
{
    buffer_add_varint(out, input->kind);
    buffer_add_string(out, input->name);
    buffer_add_u64(out, input->size);
    buffer_add_u64(out, input->hash);
    if (input->kind == CARRY_INPUT_UNITS) {
        buffer_add_varint(out, input->id_count);
        for (size_t i = 0; i < input->id_count; i++)
            buffer_add_u64(out, input->ids[i]);
    } else if (input->kind == CARRY_INPUT_WHOLE) {
        buffer_add_varint(out, input->length);
    } else if (input->kind == CARRY_INPUT_ARCHIVE) {
        buffer_add_varint(out, input->member_count);
    }
}

static void add_body(struct buffer *out, const struct carry_link *link)
{
    struct buffer whole = {0}, packed = {0};
    buffer_add_string(out, link->linker);
    buffer_add_string(out, link->version);
    buffer_add_string(out, link->origin);
    buffer_add_string(out, link->driver);
    buffer_add_varint(out, link->inputs.count);
    for (size_t i = 0; i < link->inputs.count; i++) {
        const struct carry_input *input = &link->inputs.items[i];
        add_input(out, input);
        if (input->kind == CARRY_INPUT_WHOLE)
            buffer_add(&whole, input->bytes, input->length);
    }
    buffer_add_varint(out, link->words.count);
    for (size_t i = 0; i < link->words.count; i++) {
        const struct carry_word *word = &link->words.items[i];
        buffer_add_varint(out, word->kind);
        buffer_add_string(out, word->text);
        buffer_add_varint(out, word->input == CARRY_NO_INPUT ? 0 : word->input + 1);
    }
    packed_add(&packed, whole.data, whole.length);
    buffer_add_varint(out, whole.length);
    buffer_add_varint(out, packed.length);
    buffer_add(out, packed.data, packed.length);
    buffer_release(&whole);
    buffer_release(&packed);
}

void carry_link_write(struct buffer *out, const struct carry_link *link)
{
    struct buffer body = {0};
    add_body(&body, link);
    carry_record_add(out, &record, &body);
    buffer_release(&body);
}

/* ---- Reading ---- */

static bool read_input(struct carry_link *link, struct cursor *c)
{
    struct carry_input *input = ARRAY_ADD(&link->inputs);
    uint64_t kind = cursor_varint(c);
    *input = (struct carry_input){.kind = (enum carry_input_kind)kind, .name = cursor_string(c)};
    input->size = cursor_u64(c);
    input->hash = cursor_u64(c);
    if (kind == CARRY_INPUT_UNITS) {
        input->id_count = cursor_count(c, sizeof *input->ids);
        input->ids = ALLOC(uint64_t, input->id_count);
        for (size_t i = 0; i < input->id_count; i++)
            input->ids[i] = cursor_u64(c);
        if (!input->id_count)
            return false;
    } else if (kind == CARRY_INPUT_WHOLE) {
        input->length = (size_t)cursor_varint(c);
        link->unpacked_length += input->length;
        if (input->length > SIZE_MAX / 4 || link->unpacked_length > SIZE_MAX / 4)
            return false;
    } else if (kind == CARRY_INPUT_ARCHIVE) {
        input->member_count = (size_t)cursor_varint(c);
    }
    return !c->failed && kind >= CARRY_INPUT_UNITS && kind <= CARRY_INPUT_LAST;
}

/* Invariant 1. */
static bool mark_members(const struct carry_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++) {
        size_t members = inputs->items[i].member_count;
        if (members > inputs->count - i - 1)
            return false;
        for (; members; members--) {
            inputs->items[++i].is_member = true;
            if (inputs->items[i].kind == CARRY_INPUT_ARCHIVE)
                return false;
        }
    }
    return true;
}

static bool read_word(struct carry_link *link, struct cursor *c)
{
    uint64_t kind = cursor_varint(c);
    struct carry_word *word = ARRAY_ADD(&link->words);
    *word = (struct carry_word){.kind = (enum carry_word_kind)kind, .text = cursor_string(c)};
    uint64_t input = cursor_varint(c);
    word->input = input ? (size_t)input - 1 : CARRY_NO_INPUT;
    bool refers = kind == CARRY_WORD_INPUT || kind == CARRY_WORD_LIBRARY;
    return !c->failed && kind >= CARRY_WORD_TEXT && kind <= CARRY_WORD_LAST &&
           refers == (word->input != CARRY_NO_INPUT) &&
           (!refers || (word->input < link->inputs.count && !link->inputs.items[word->input].is_member));
}

static bool read_body(struct carry_link *link, struct cursor *c, struct error *error)
{
    enum { FEWEST_BYTES_OF_INPUT = 18, FEWEST_BYTES_OF_WORD = 3 };
    link->linker = cursor_string(c);
    link->version = cursor_string(c);
    link->origin = cursor_string(c);
    link->driver = cursor_string(c);
    for (size_t left = cursor_count(c, FEWEST_BYTES_OF_INPUT); left--;)
        if (!read_input(link, c))
            return error_set(error, "the record of the link is damaged: an input");
    if (!mark_members(&link->inputs))
        return error_set(error, "the record of the link is damaged: an archive");
    for (size_t left = cursor_count(c, FEWEST_BYTES_OF_WORD); left--;)
        if (!read_word(link, c))
            return error_set(error, "the record of the link is damaged: a word");
    uint64_t unpacked = cursor_varint(c);
    link->pack_length = cursor_count(c, 1);
    link->pack = cursor_bytes(c, link->pack_length);
    if (c->failed || cursor_left(c) || unpacked != link->unpacked_length)
        return error_set(error, "the record of the link is cut short");
    if (unpacked < link->pack_length || unpacked / PACKED_MOST_TIMES > link->pack_length)
        return error_set(error, "carried files claim to unpack to %llu bytes, from %zu",
                         (unsigned long long)unpacked, link->pack_length);
    return true;
}

bool carry_link_read(struct carry_link *link, const uint8_t *bytes, size_t length, struct error *error)
{
    *link = (struct carry_link){0};
    struct cursor c = cursor_over(bytes, length);
    struct cursor body;
    if (!carry_record_read(&c, &record, &body, error))
        return false;
    if (read_body(link, &body, error))
        return true;
    carry_link_release(link);
    return false;
}

bool carry_link_unpack(struct carry_link *link, struct error *error)
{
    if (!link->unpacked)
        link->unpacked = packed_read(link->pack, link->pack_length, link->unpacked_length);
    if (!link->unpacked)
        return error_set(error, "carried files cannot be unpacked: they are damaged");
    const uint8_t *at = link->unpacked;
    for (size_t i = 0; i < link->inputs.count; i++)
        if (link->inputs.items[i].kind == CARRY_INPUT_WHOLE) {
            link->inputs.items[i].bytes = at;
            at += link->inputs.items[i].length;
        }
    return true;
}

void carry_link_release(struct carry_link *link)
{
    free(link->linker);
    free(link->version);
    free(link->origin);
    free(link->driver);
    for (size_t i = 0; i < link->inputs.count; i++) {
        free(link->inputs.items[i].name);
        free(link->inputs.items[i].ids);
    }
    for (size_t i = 0; i < link->words.count; i++)
        free(link->words.items[i].text);
    ARRAY_RELEASE(&link->inputs);
    ARRAY_RELEASE(&link->words);
    free(link->unpacked);
    *link = (struct carry_link){0};
}
