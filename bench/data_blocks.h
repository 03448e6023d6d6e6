/*
 * The counters of a data file, array by array, by nothing but the layout of blocks (format/data/layout.h,
 * format/counters.h): it shares no code with the decoder, and needs no map.
 */
#ifndef COTREE_BENCH_DATA_BLOCKS_H
#define COTREE_BENCH_DATA_BLOCKS_H

#include "format/counters.h"
#include "format/data/layout.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One function's counters in one thread. */
typedef void data_blocks_visitor(void *context, uint64_t key, const uint64_t *counters, uint64_t count);

static unsigned char *data_blocks_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return NULL;
    long length = ftell(file);
    rewind(file);
    unsigned char *bytes = length > 0 ? malloc((size_t)length) : NULL;
    if (bytes && fread(bytes, 1, (size_t)length, file) != (size_t)length) {
        free(bytes);
        bytes = NULL;
    }
    fclose(file);
    *size = (size_t)length;
    return bytes;
}

/* Arrays of {key, n, counters} with zero words between them. Returns 0 when the walk leaves the block. */
static int data_blocks_walk(const uint64_t *words, size_t count, data_blocks_visitor *visit, void *context)
{
    for (size_t at = 0; at < count;) {
        if (words[at] == 0) {
            at++;
            continue;
        }
        if (at + COUNTERS_HEADER_WORDS > count || words[at + 1] > count - at - COUNTERS_HEADER_WORDS)
            return 0;
        visit(context, words[at], words + at + COUNTERS_HEADER_WORDS, words[at + 1]);
        at += COUNTERS_HEADER_WORDS + words[at + 1];
    }
    return 1;
}

/* Returns 0, with a line on stderr, when the file is none or damaged. */
static int data_blocks_visit(const char *path, data_blocks_visitor *visit, void *context)
{
    size_t size;
    unsigned char *bytes = data_blocks_read(path, &size);
    if (!bytes || size < 2 * DATA_PAGE || memcmp(bytes, DATA_MAGIC, 8) != 0) {
        fprintf(stderr, "'%s' is no data file\n", path);
        free(bytes);
        return 0;
    }
    const struct data_header *header = (const void *)bytes;
    int good = 1;
    for (uint64_t offset = header->table, steps = 0; offset && good; steps++) {
        if (offset > size - sizeof(struct data_table) || offset % DATA_PAGE || steps > size / DATA_PAGE) {
            good = 0;
            break;
        }
        const struct data_table *table = (const void *)(bytes + offset);
        for (int i = 0; i < 63 && good; i++) {
            const struct data_slot *slot = &table->slots[i];
            if (!slot->length)
                continue;
            if (slot->offset > size || slot->length > size - slot->offset || slot->offset % 8)
                good = 0;
            else
                good =
                    data_blocks_walk((const void *)(bytes + slot->offset), slot->length / 8, visit, context);
        }
        offset = table->next;
    }
    if (!good)
        fprintf(stderr, "'%s' is damaged\n", path);
    free(bytes);
    return good;
}

#endif
