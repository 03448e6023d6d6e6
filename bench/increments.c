/*
 * increments DATA...: the sum of all counters in the given data files: how many increments the programs executed. It reads nothing but the
 * layout of blocks (format/data_layout.h, format/counters.h) and no map, so it shares no code with the decoder.
 */
#include "format/counters.h"
#include "format/data_layout.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char *read_all(const char *path, size_t *size)
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
static int sum_block(const uint64_t *words, size_t count, uint64_t *sum)
{
    for (size_t at = 0; at < count;) {
        if (words[at] == 0) {
            at++;
            continue;
        }
        if (at + COUNTERS_HEADER_WORDS > count || words[at + 1] > count - at - COUNTERS_HEADER_WORDS)
            return 0;
        uint64_t n = words[at + 1];
        at += COUNTERS_HEADER_WORDS;
        for (uint64_t i = 0; i < n; i++)
            *sum += words[at + i];
        at += n;
    }
    return 1;
}

static int sum_file(const char *path, uint64_t *sum)
{
    size_t size;
    unsigned char *bytes = read_all(path, &size);
    if (!bytes || size < 2 * DATA_PAGE || memcmp(bytes, DATA_MAGIC, 8) != 0) {
        fprintf(stderr, "increments: '%s' is no data file\n", path);
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
                good = sum_block((const void *)(bytes + slot->offset), slot->length / 8, sum);
        }
        offset = table->next;
    }
    if (!good)
        fprintf(stderr, "increments: '%s' is damaged\n", path);
    free(bytes);
    return good;
}

int main(int argc, char **argv)
{
    uint64_t sum = 0;
    for (int i = 1; i < argc; i++) {
        if (!sum_file(argv[i], &sum))
            return 1;
    }
    printf("%" PRIu64 "\n", sum);
    return 0;
}
