#include "format/map/final.h"
#include "base/hash.h"
#include "base/memory.h"
#include "format/map/units.h"
#include "graph/tree.h"

enum { LEAST_EDGE = 3, LEAST_COUNT = 3 }; /* bytes */

void final_function_release(struct final_function *f)
{
    graph_release(&f->graph);
    free(f->counted);
    free(f->first);
    free(f->counts);
    *f = (struct final_function){0};
}

uint32_t final_function_counters(const struct final_function *f)
{
    uint32_t counters = 0;
    for (uint32_t e = 0; e < f->graph.edge_count; e++)
        counters += f->counted[e];
    return counters;
}

static uint64_t key_of(const void *record, size_t length)
{
    uint64_t key = hash_bytes(record, length);
    return key ? key : 1; /* 0 stands between counter arrays */
}

/* The indices of the keys that are counted for, in the order of their first counts. */
static void list_keys(const struct final_function *f, struct hash_map *index_of_key, struct buffer *keys)
{
    uint32_t count = f->graph.edge_count ? f->first[f->graph.edge_count] : 0;
    for (uint32_t i = 0; i < count; i++) {
        bool added;
        uint64_t *index = hash_map_put(index_of_key, f->counts[i].key, &added);
        if (!added)
            continue;
        *index = index_of_key->count - 1;
        buffer_add_u64(keys, f->counts[i].key);
    }
}

void final_function_write(struct buffer *payload, struct final_function *f)
{
    struct buffer record = {0}, keys = {0};
    struct hash_map index_of_key = {0};
    list_keys(f, &index_of_key, &keys);
    buffer_add_u64(&record, f->own);
    buffer_add_varint(&record, keys.length / 8);
    buffer_add(&record, keys.data, keys.length);
    buffer_add_varint(&record, f->graph.vertex_count);
    buffer_add_varint(&record, f->graph.edge_count);
    for (uint32_t e = 0; e < f->graph.edge_count; e++) {
        buffer_add_varint(&record, (uint64_t)f->graph.edges[e].from << 1 | f->counted[e]);
        buffer_add_varint(&record, f->graph.edges[e].to);
        buffer_add_varint(&record, f->first[e + 1] - f->first[e]);
        for (uint32_t i = f->first[e]; i < f->first[e + 1]; i++) {
            buffer_add_varint(&record, *hash_map_get(&index_of_key, f->counts[i].key));
            buffer_add_varint(&record, f->counts[i].counter);
            buffer_add_varint(&record, f->counts[i].by);
        }
    }
    f->key = key_of(record.data, record.length);
    unit_add_record(payload, &record);
    buffer_release(&record);
    buffer_release(&keys);
    hash_map_release(&index_of_key);
}

void final_write_unit(struct buffer *out, const struct buffer *payload)
{
    unit_write(out, MAP_MAGIC_FINAL, MAP_FINAL_VERSION, payload);
}

static uint32_t read_below(struct cursor *c, uint64_t limit)
{
    uint64_t value = cursor_varint(c);
    if (value >= limit)
        c->failed = true;
    return c->failed ? 0 : (uint32_t)value;
}

static void read_counts(struct cursor *c, struct final_function *f, uint32_t edge, const uint8_t *keys,
                        uint64_t key_count)
{
    size_t count = cursor_count(c, LEAST_COUNT);
    uint32_t first = f->first[edge];
    if (c->failed || count > UINT32_MAX / 2 - first) {
        c->failed = true;
        return;
    }
    RESIZE(f->counts, first + count + 1);
    for (size_t i = 0; i < count; i++) {
        struct cursor key = cursor_over(keys, 8 * key_count);
        cursor_bytes(&key, 8 * (size_t)read_below(c, key_count));
        struct final_count *one = &f->counts[first + i];
        *one = (struct final_count){.key = cursor_u64(&key)};
        one->counter = read_below(c, UINT32_MAX);
        one->by = cursor_varint(c);
        if (!one->by)
            c->failed = true;
    }
    f->first[edge + 1] = first + (uint32_t)count;
}

static void read_edges(struct cursor *c, struct final_function *f, const uint8_t *keys, uint64_t key_count)
{
    uint64_t points = cursor_varint(c);
    size_t count = cursor_count(c, LEAST_EDGE);
    /* Every point but EXIT is an end of an edge. */
    if (!points || points > 2 * (uint64_t)count + 1 || count >= UINT32_MAX / 4)
        c->failed = true;
    if (c->failed)
        return;
    graph_init(&f->graph, (uint32_t)points - 1);
    f->counted = ZALLOC(bool, count + 1);
    f->first = ZALLOC(uint32_t, count + 1);
    for (uint32_t e = 0; e < count && !c->failed; e++) {
        uint32_t from = read_below(c, 2 * points), to = read_below(c, points);
        f->counted[e] = from & 1;
        graph_add_edge(&f->graph, from >> 1, to, EDGE_FLOW);
        read_counts(c, f, e, keys, key_count);
    }
}

/* Do the counted edges determine the others? Those form no cycle then. */
static bool is_determined(const struct final_function *f)
{
    struct union_find together;
    union_find_init(&together, f->graph.vertex_count);
    bool determined = true;
    for (uint32_t e = 0; e < f->graph.edge_count; e++)
        if (!f->counted[e])
            determined &= union_find_join(&together, f->graph.edges[e].from, f->graph.edges[e].to);
    union_find_release(&together);
    return determined;
}

struct visiting {
    final_visitor *visit;
    void *context;
};

static bool take_record(void *context, const uint8_t *record, size_t length, struct error *error)
{
    const struct visiting *v = context;
    struct final_function f = {.key = key_of(record, length)};
    struct cursor c = cursor_over(record, length);
    f.own = cursor_u64(&c);
    size_t key_count = cursor_count(&c, 8);
    const uint8_t *keys = cursor_bytes(&c, 8 * key_count);
    if (keys)
        read_edges(&c, &f, keys, key_count);
    if (!keys || c.failed || cursor_left(&c) || !is_determined(&f)) {
        final_function_release(&f);
        return error_set(error, "map record of a final function is damaged");
    }
    v->visit(v->context, &f);
    return true;
}

bool final_read_section(const void *data, size_t length, final_visitor *visit, void *context,
                        struct error *error)
{
    struct visiting v = {visit, context};
    const struct unit_kind finals = {.magic = MAP_MAGIC_FINAL,
                                     .oldest = MAP_FINAL_VERSION,
                                     .newest = MAP_FINAL_VERSION,
                                     .take = take_record,
                                     .context = &v};
    return units_read(&finals, data, length, error);
}
