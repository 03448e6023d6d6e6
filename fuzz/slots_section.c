/* Any bytes as a table of slots: as a whole section, and as a payload whose hash is right. What is
 * accepted can be written and read again, and its marks are numbered on a graph, or refused. */
#include "base/hash.h"
#include "format/packed.h"
#include "format/slots/slots.h"
#include "format/slots/tunable.h"
#include "plan/crash/rounds.h"
#include "plan/crash/ways.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* 0 asks, 1 and 2 meet in 3, which loops over 4 and 5. */
static void make_graph(struct graph *g)
{
    static const uint32_t edges[][2] = {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4},
                                        {3, 5}, {4, 3}, {5, 3}, {4, 5}};
    graph_init(g, 6);
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++)
        graph_add_edge(g, edges[i][0], edges[i][1], EDGE_FLOW);
    graph_add_edge(g, 5, graph_exit(g), EDGE_EXIT);
    graph_complete(g);
}

static void use_round(const struct crash_regions *r, const struct crash_rounds *rounds, uint32_t number)
{
    uint32_t slot = 0;
    bool known;
    for (uint32_t region = 1; region < r->count; region++) {
        uint32_t edge = crash_round_find(rounds, r, region, number, &slot, &known);
        if ((edge == GRAPH_NONE) != (number >= rounds->count[region]))
            __builtin_trap();
    }
}

static void use_function(const struct slots_function *f)
{
    struct graph g;
    struct crash_regions r;
    struct crash_numbering n;
    make_graph(&g);
    crash_regions_init(&r, &g);
    struct crash_mark *marks = ZALLOC(struct crash_mark, g.edge_count);
    for (size_t i = 0; i < f->marks.count; i++)
        if (f->marks.items[i].edge < g.edge_count)
            marks[f->marks.items[i].edge] =
                (struct crash_mark){f->marks.items[i].adds ? CRASH_ADD : CRASH_SET, f->marks.items[i].value};
    if (crash_numbering_from(&n, &r, marks)) {
        struct crash_ways ways = {0};
        struct crash_rounds rounds;
        crash_rounds_init(&rounds, &r, &n);
        for (uint32_t number = 0; number < 8; number++)
            use_round(&r, &rounds, number);
        crash_rounds_release(&rounds);
        for (uint32_t node = 0; node < r.node_count; node++)
            for (uint32_t slot = 0; slot < 4; slot++)
                if (crash_ways_find(&ways, &r, &n, node, &slot, NULL) && !ways.count)
                    __builtin_trap();
        crash_ways_release(&ways);
        crash_numbering_release(&n);
    }
    crash_regions_release(&r);
    graph_release(&g);
}

/* What is read of functions that can be turned off is what is written. */
static void use_tunables(const uint8_t *data, size_t size)
{
    struct tunables t = {0};
    struct error error;
    tunables_read(&t, data, size, &error);
    for (size_t i = 0; i < t.count; i++) {
        uint8_t bytes[TUNABLE_BYTES];
        tunable_write(&t.items[i], bytes);
        if (t.items[i].offset + TUNABLE_BYTES > size ||
            memcmp(bytes, data + t.items[i].offset, TUNABLE_BYTES) != 0)
            __builtin_trap();
    }
    tunables_scheme(&t);
    ARRAY_RELEASE(&t);
}

static void use_section(const void *data, size_t size)
{
    use_tunables(data, size);
    struct slots_index index = {0}, again = {0};
    struct error error;
    slots_index_read(&index, data, size, &error);
    for (size_t i = 0; i < index.units.count; i++) {
        const struct slots_unit *unit = &index.units.items[i];
        struct buffer body = {0}, record = {0};
        slots_unit_write(&body, unit);
        buffer_add_u32(&record, SLOTS_MAGIC);
        buffer_add_u32(&record, (uint32_t)body.length + 8);
        buffer_add_u32(&record, unit->offset);
        buffer_add_u32(&record, unit->tag);
        buffer_add(&record, body.data, body.length);
        if (!slots_index_read(&again, record.data, record.length, &error) || again.units.count != 1)
            __builtin_trap();
        slots_index_release(&again);
        for (size_t k = 0; k < unit->functions.count && k < 10; k++)
            use_function(&unit->functions.items[k]);
        for (size_t k = 0; k < unit->codes.count; k++)
            slots_code_set(&unit->codes.items[k], 3);
        if (slots_index_find(&index, unit->offset) != unit)
            __builtin_trap();
        buffer_release(&body);
        buffer_release(&record);
    }
    slots_index_release(&index);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    use_section(data, size);
    struct buffer hashed = {0}, record = {0};
    buffer_add_u32(&hashed, (uint32_t)size);
    packed_add(&hashed, data, size);
    const uint64_t parts[2] = {7, hash_bytes(hashed.data, hashed.length)};
    buffer_add_u32(&record, SLOTS_MAGIC);
    buffer_add_u32(&record, (uint32_t)hashed.length + 16);
    buffer_add_u32(&record, 0);
    buffer_add_u32(&record, 7);
    buffer_add_u64(&record, hash_bytes(parts, sizeof parts));
    buffer_add(&record, hashed.data, hashed.length);
    use_section(record.data, record.length);
    buffer_release(&hashed);
    buffer_release(&record);
    return 0;
}
