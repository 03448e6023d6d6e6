/* Any bytes as a table of places: what the reader hands out is in range, and chains of positions end. */
#include "format/places_index.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct place_index index = {0};
    struct error error;
    place_index_add(&index, data, size, &error);
    place_index_sort(&index);
    for (size_t i = 0; i < index.count; i++) {
        const struct place_code *code = &index.items[i];
        if (place_index_find(&index, code->address) != code)
            __builtin_trap();
        for (uint32_t r = place_first_row(code, 0); r < code->row_count; r++) {
            const struct place_row *row = &code->rows[r];
            if (row->kind == PLACE_INCREMENT) {
                if (row->value >= code->key_count)
                    __builtin_trap();
                continue;
            }
            for (uint32_t at = row->value; at; at = code->positions[at - 1].outer)
                if (code->positions[at - 1].outer >= at || code->positions[at - 1].key >= code->key_count)
                    __builtin_trap();
        }
    }
    place_index_release(&index);
    return 0;
}
