#include "instrument/crash/carried.h"
#include "base/buffer.h"
#include "base/memory.h"

uint8_t *crash_carry(const struct crash_table *t, uint64_t key, size_t *length)
{
    const struct crash_function *f = crash_table_find(t, key);
    struct buffer out = {0};
    if (f)
        buffer_add_varint(&out, f->state);
    if (f && f->state == SLOTS_TRACKED) {
        buffer_add_varint(&out, f->ring);
        buffer_add_varint(&out, graph_exit(&f->graph));
        buffer_add_varint(&out, f->graph.edge_count);
        for (uint32_t e = 0; e < f->graph.edge_count; e++) {
            const struct edge *edge = &f->graph.edges[e];
            const struct crash_mark *mark = &f->numbering.marks[e];
            const uint32_t fields[] = {edge->from, edge->to, edge->kind, mark->op, mark->value};
            for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
                buffer_add_varint(&out, fields[i]);
        }
    }
    *length = out.length;
    return out.data;
}

/* Reads graph and marks; *marks is newly allocated. */
static bool read_graph(struct cursor *c, struct graph *g, struct crash_mark **marks)
{
    enum { EDGE_FIELDS = 5 };
    uint64_t blocks = cursor_varint(c), edges = cursor_count(c, EDGE_FIELDS);
    if (c->failed || !blocks || blocks > edges) /* an edge leaves each block, at least */
        return false;
    graph_init(g, (uint32_t)blocks);
    *marks = ZALLOC(struct crash_mark, (size_t)edges + 1);
    for (uint64_t e = 0; e < edges; e++) {
        uint64_t from = cursor_varint(c), to = cursor_varint(c), kind = cursor_varint(c);
        uint64_t op = cursor_varint(c), value = cursor_varint(c);
        if (c->failed || from > blocks || to > blocks || kind > EDGE_VIRTUAL || op > CRASH_ADD ||
            value > CRASH_CLASSES_MOST)
            return false;
        graph_add_edge(g, (uint32_t)from, (uint32_t)to, (enum edge_kind)kind);
        (*marks)[e] = (struct crash_mark){(enum crash_op)op, (uint32_t)value};
    }
    return true;
}

void crash_take(struct crash_table *t, uint64_t key, const uint8_t *bytes, size_t length)
{
    struct cursor c = cursor_over(bytes, length);
    if (!length || crash_table_find(t, key))
        return;
    uint64_t state = cursor_varint(&c);
    if (c.failed || state >= SLOTS_STATES)
        return;
    if (state != SLOTS_TRACKED) {
        crash_table_add(t, key, (enum slots_state)state);
        return;
    }
    struct graph g = {0};
    struct crash_mark *marks = NULL;
    uint64_t ring = cursor_varint(&c);
    if (ring > RING_MOST || (ring & (ring - 1)) || !read_graph(&c, &g, &marks)) {
        graph_release(&g);
        free(marks);
        return;
    }
    struct crash_function *f = crash_table_add(t, key, SLOTS_TRACKED);
    f->graph = g;
    f->ring = (uint32_t)ring;
    crash_regions_init(&f->regions, &f->graph);
    if (crash_numbering_from(&f->numbering, &f->regions, marks))
        crash_function_finish(f);
    else
        f->state = SLOTS_NOWHERE;
}
