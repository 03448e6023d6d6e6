/*
 * Any bytes as a map: as a whole section, as the payload of a unit whose header and checksum are
 * right, packed and not packed, as the bytes that are unpacked there, and as one function record. A
 * function that the reader accepts must survive solving, writing and reading again; so must a final
 * function.
 */
#include "base/hash.h"
#include "base/memory.h"
#include "decode/lines/lines.h"
#include "decode/model/solve.h"
#include "decode/model/module.h"
#include "format/map/final.h"
#include "format/map/map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(void *context, struct map_function *f)
{
    (void)context;
    uint32_t count = map_function_counters(f);
    if (count < 100000 && f->graph.vertex_count < 100000) {
        int64_t *counters = ZALLOC(int64_t, count + 1);
        for (uint32_t i = 0; i < count; i++)
            counters[i] = (int64_t)i * 7 - 3;
        for (uint32_t set = 0; set < f->plan_count; set++) {
            struct solved s;
            solve_set(&s, f, set, counters, 1, NULL, NULL);
            solved_release(&s);
        }
        uint32_t first = solve_first_set(f);
        struct profile p = {0};
        if (first != SET_NONE) { /* lines, whatever the counts are */
            struct solved s;
            solve_set(&s, f, first, counters, 1, NULL, NULL);
            struct profile_function *to = ARRAY_ADD(&p.functions);
            *to = (struct profile_function){
                .map = *f, .counted = true, .has_edges = s.has_edges, .entries = s.entries};
            to->block_counts = s.block_counts;
            to->edge_counts = s.edge_counts;
            profile_clamp(&p);
            struct file_lines_list lines;
            lines_count(&p, &lines);
            lines_release(&lines);
            to->map = (struct map_function){0};
        }
        profile_release(&p);
        free(counters);
        struct buffer again = {0};
        struct map_function copy;
        map_write_function(&again, f);
        struct cursor c = cursor_over(again.data, again.length);
        size_t length = cursor_count(&c, 1);
        if (!map_read_function(&copy, c.at, length, NULL) || copy.key != f->key ||
            copy.graph_hash != f->graph_hash)
            __builtin_trap();
        map_function_release(&copy);
        buffer_release(&again);
    }
    map_function_release(f);
}

static void count_again(void *context, struct final_function *f)
{
    ++*(int *)context;
    final_function_release(f);
}

static void touch(void *context, struct decode_function *f)
{
    (void)context, (void)f;
}

static void use_final(void *context, struct final_function *f)
{
    (void)context;
    struct buffer again = {0}, unit = {0};
    uint64_t key = f->key;
    int seen = 0;
    final_function_write(&again, f);
    final_write_unit(&unit, &again);
    if (!final_read_section(unit.data, unit.length, count_again, &seen, NULL) || seen != 1 || f->key != key)
        __builtin_trap();
    buffer_release(&again);
    buffer_release(&unit);
    struct decode_module m = {0};
    decode_module_add_final(&m, f);
    struct decode_final *final = decode_module_final(&m, key);
    size_t unsure;
    decode_final_touch(final);
    for (uint32_t i = 0; i < final->counter_count; i++)
        final->counters[i] = (int64_t)i * 7 - 3;
    final->gains[0] = -1;
    finals_spread(&m, touch, NULL);
    finals_suppose(&m);
    decode_final_unsure(final, &unsure);
    decode_module_release(&m);
}

static void read_unit(uint32_t version, uint32_t unpacked, const uint8_t *data, size_t size)
{
    struct buffer unit = {0};
    struct error error;
    buffer_add_u32(&unit, MAP_MAGIC);
    buffer_add_u32(&unit, (uint32_t)size + 16);
    buffer_add_u32(&unit, version);
    buffer_add_u32(&unit, unpacked);
    buffer_add_u64(&unit, hash_bytes(data, size));
    buffer_add(&unit, data, size);
    map_read_section(unit.data, unit.length, use, NULL, &error);
    buffer_release(&unit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error;
    map_read_section(data, size, use, NULL, &error);
    final_read_section(data, size, use_final, NULL, &error);
    struct buffer unit = {0}, payload = {0};
    buffer_add(&payload, data, size);
    map_write_unit(&unit, &payload);
    map_read_section(unit.data, unit.length, use, NULL, &error);
    unit.length = 0;
    final_write_unit(&unit, &payload);
    final_read_section(unit.data, unit.length, use_final, NULL, &error);
    buffer_release(&payload);
    buffer_release(&unit);
    read_unit(MAP_VERSION_NOT_PACKED, 0, data, size);
    if (size > 4) {
        uint32_t unpacked;
        memcpy(&unpacked, data, 4);
        read_unit(MAP_VERSION, unpacked, data + 4, size - 4);
    }
    struct map_function f;
    if (map_read_function(&f, data, size, &error))
        use(NULL, &f);
    return 0;
}
