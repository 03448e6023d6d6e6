/*
 * Any bytes as call frame information and language-specific data: four bytes that choose an
 * address, then a segment that begins with .eh_frame_hdr. Memory is made up. Nothing is read
 * outside of the segment, and everything ends.
 */
#include <stdlib.h>
#include <string.h>
#include "runtime/frames/call_frames.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool read_memory(void *context, uint64_t address, uint64_t *value)
{
    (void)context;
    *value = address * UINT64_C(0x9E3779B97F4A7C15) >> 7;
    return address % 11 != 0;
}

static void use_entry(const struct frame_table *table, const struct frame_entry *entry, uint64_t pc)
{
    struct frame_row row;
    struct frame_registers registers = {.known = 0x1f0f8};
    uint64_t result, cfa = 4096;
    for (unsigned i = 0; i < REGISTERS; i++)
        registers.value[i] = i * 1000;
    if (cotree_frame_row_at(table, entry, pc, &row)) {
        if (row.cfa_expression != NULL)
            cotree_frame_evaluate(table, row.cfa_expression, &registers, NULL, read_memory, NULL, &result);
        for (unsigned i = 0; i < REGISTERS; i++)
            if (row.how[i] == FRAME_AT_EXPRESSION || row.how[i] == FRAME_IS_EXPRESSION)
                cotree_frame_evaluate(table, (const uint8_t *)(uintptr_t)row.value[i], &registers, &cfa,
                                      read_memory, NULL, &result);
    }
    cotree_frame_has_landing_pad(entry, table->low, table->high, pc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int32_t distance = 0;
    if (size < sizeof distance)
        return 0;
    memcpy(&distance, data, sizeof distance);
    size -= sizeof distance;
    uint8_t *segment = malloc(size + 1); /* of its own, so that every read outside is seen */
    memcpy(segment, data + sizeof distance, size);
    struct frame_table table = {segment, segment, segment + size};
    uint64_t pc = (uint64_t)(uintptr_t)segment + (uint64_t)(int64_t)distance;
    struct frame_entry entry;
    if (cotree_frame_find(&table, pc, &entry))
        use_entry(&table, &entry, pc);
    /* Without going through the table: any entry, any row of it, any expression, any
     * language-specific data. */
    for (size_t at = 0; at < size && at < 256; at += 4) {
        if (cotree_frame_entry_at(&table, segment + at, &entry)) {
            use_entry(&table, &entry, entry.function);
            use_entry(&table, &entry, entry.function + entry.function_length / 2);
            use_entry(&table, &entry, UINT64_MAX - 1);
        }
    }
    struct frame_registers registers = {.known = 0x1ffff};
    uint64_t result;
    if (size != 0)
        cotree_frame_evaluate(&table, segment, &registers, NULL, read_memory, NULL, &result);
    entry = (struct frame_entry){.language_data = (uint64_t)(uintptr_t)segment};
    cotree_frame_has_landing_pad(&entry, segment, segment + size, (uint64_t)(uint32_t)distance);
    free(segment);
    return 0;
}
