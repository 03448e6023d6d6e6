/*
 * unit POSITIONS PLACES: the first records of a program's two sections of places, as an input of
 * fuzz/places_section.c: the columns unpacked, with the keys that the target knows, and what is
 * between the tag and the check of the record of distances.
 */
#include "base/memory.h"
#include "format/packed.h"
#include "format/places/places.h"

#include <stdio.h>

static size_t read_all(const char *path, uint8_t *bytes, size_t most)
{
    FILE *file = fopen(path, "rb");
    size_t length = file ? fread(bytes, 1, most, file) : 0;
    if (file)
        fclose(file);
    return length;
}

int main(int argc, char **argv)
{
    enum { MOST = 1 << 16 };
    static uint8_t positions[MOST], places[MOST];
    if (argc != 3 || !read_all(argv[1], positions, MOST) || !read_all(argv[2], places, MOST))
        return 1;
    struct cursor unit = cursor_over(positions, MOST), record = cursor_over(places, MOST);
    uint32_t magic = cursor_u32(&unit), length = cursor_u32(&unit);
    cursor_u64(&unit);
    uint32_t unpacked = cursor_u32(&unit);
    uint8_t *columns = packed_read(unit.at, length - 12, unpacked);
    if (magic != POSITIONS_MAGIC || cursor_u32(&record) != PLACES_MAGIC || !columns)
        return 1;
    struct cursor c = cursor_over(columns, unpacked);
    cursor_varint(&c);
    uint64_t key_bytes = cursor_varint(&c);
    for (int i = 1; i < PLACE_COLUMNS; i++)
        cursor_varint(&c);
    for (uint64_t i = 0; i < key_bytes / 8; i++) {
        const uint64_t key = i % 2 ? 222 : 111;
        memcpy(columns + (c.at - columns) + i * 8, &key, 8);
    }
    struct buffer seed = {0};
    uint32_t left = cursor_u32(&record) - 24;
    buffer_add(&seed, (const uint8_t[]){'u', (uint8_t)unpacked, (uint8_t)(unpacked >> 8)}, 3);
    buffer_add(&seed, columns, unpacked);
    buffer_add_u64(&seed, cursor_u64(&record));
    cursor_u64(&record);
    buffer_add(&seed, record.at, left);
    fwrite(seed.data, 1, seed.length, stdout);
    buffer_release(&seed);
    free(columns);
    return 0;
}
