#include "format/slots/tunable.h"
#include "base/buffer.h"
#include "base/hash.h"
#include "format/records.h"

enum { CHECK_BYTES = TUNABLE_BYTES - 3 };

/* The last bytes of the record of a function that is off. */
static void put_check(uint8_t bytes[TUNABLE_BYTES], bool off)
{
    uint64_t hash = off ? hash_bytes(bytes, CHECK_BYTES) : 0;
    for (int i = CHECK_BYTES; i < TUNABLE_BYTES; i++, hash >>= 8)
        bytes[i] = (uint8_t)hash;
}

static bool read_record(void *to, uint32_t magic, uint64_t offset, const uint8_t *record, size_t length)
{
    enum { MAGIC_AND_LENGTH = 8 };
    struct cursor c = cursor_over(record, length);
    struct tunable t = {.key = cursor_u64(&c), .entry = cursor_u64(&c), .plain = cursor_u64(&c)};
    t.size = cursor_u32(&c);
    uint32_t off = cursor_u32(&c);
    (void)magic;
    if (length != TUNABLE_BYTES || off > 1)
        return false;
    t.off = off;
    t.offset = offset + MAGIC_AND_LENGTH;
    memcpy(t.saved, record + CHECK_BYTES - TUNABLE_SAVED, TUNABLE_SAVED);
    uint8_t written[TUNABLE_BYTES];
    tunable_write(&t, written);
    if (memcmp(written, record, TUNABLE_BYTES) != 0)
        return false;
    ARRAY_PUSH((struct tunables *)to, t);
    return true;
}

bool tunables_read(struct tunables *to, const void *data, size_t length, struct error *error)
{
    static const struct record_kind kind = {"functions that can be turned off", TUNABLE_MAGIC, TUNABLE_MAGIC,
                                            read_record};
    return records_read(&kind, to, data, length, error);
}

void tunable_write(const struct tunable *t, uint8_t bytes[TUNABLE_BYTES])
{
    struct buffer out = {0};
    buffer_add_u64(&out, t->key);
    buffer_add_u64(&out, t->entry);
    buffer_add_u64(&out, t->plain);
    buffer_add_u32(&out, t->size);
    buffer_add_u32(&out, t->off);
    buffer_add(&out, t->saved, TUNABLE_SAVED);
    memcpy(bytes, out.data, CHECK_BYTES);
    put_check(bytes, t->off);
    buffer_release(&out);
}

uint64_t tunables_scheme(const struct tunables *t)
{
    uint64_t scheme = 0;
    for (size_t i = 0; i < t->count; i++)
        if (t->items[i].off) {
            const uint64_t parts[] = {scheme, t->items[i].entry};
            scheme = hash_bytes(parts, sizeof parts);
            scheme += !scheme;
        }
    return scheme;
}
