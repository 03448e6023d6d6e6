#include "decode/paths/early_ends.h"

#include "base/memory.h"

/* Frames left in the last call of one block. */
struct early {
    uint32_t block, edge; /* its only way out */
    int64_t cuts;
    uint32_t lines; /* lines that had begun in all of them */
};

static uint32_t way_out(const struct graph *g, uint32_t block)
{
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->edges[e].from == block && g->edges[e].kind != EDGE_VIRTUAL)
            return e;
    return GRAPH_NONE;
}

static bool read_frames(struct early *early, const struct profile_function *f, uint32_t block)
{
    *early = (struct early){.block = block, .lines = UINT32_MAX};
    for (size_t i = 0; i < f->frames.count; i++) {
        const struct profile_frame *frame = &f->frames.items[i];
        if (frame->block != block || !frame->cuts || !paths_ended_early(&f->map, frame))
            continue;
        early->cuts += frame->cuts;
        early->lines = frame->lines < early->lines ? frame->lines : early->lines;
    }
    early->edge = early->cuts > 0 ? way_out(&f->map.graph, block) : GRAPH_NONE;
    return early->edge != GRAPH_NONE;
}

/* Adds what is certain of one path, which passes the edge; returns how many that is. */
static int64_t add_way(struct profile_ways *ways, int64_t *not_ended, struct paths *p,
                       const struct profile_function *f, const struct early *early, uint64_t id)
{
    int64_t least = f->path_counts[id] - f->edge_counts[early->edge];
    if (least <= 0)
        return 0;
    least = least < early->cuts ? least : early->cuts;
    struct path_shown path = paths_show(p, id);
    uint32_t length = path.block_count;
    while (length && path.blocks[length - 1] != early->block)
        length--;
    if (!length)
        return 0;
    profile_ways_add(ways, &(struct profile_way){.blocks = p->blocks,
                                                 .block_count = length,
                                                 .lines = early->lines,
                                                 .from_entry = path.from_entry,
                                                 .count = least});
    not_ended[id] += least;
    return least;
}

static void find_in(struct profile_ways *ways, int64_t *not_ended, struct paths *p,
                    const struct profile_function *f, const struct early *early)
{
    uint32_t arc = p->graph.edge_arc[early->edge];
    int64_t unknown = early->cuts;
    for (uint64_t id = 0; id < p->numbers.total; id++) {
        uint32_t count = f->path_counts[id] ? path_decode(&p->graph, &p->numbers, id, p->arcs) : 0;
        bool passes = false;
        for (uint32_t i = 0; i < count; i++)
            passes |= p->arcs[i] == arc;
        if (passes)
            unknown -= add_way(ways, not_ended, p, f, early, id);
    }
    if (unknown > 0) {
        uint32_t block = early->block;
        profile_ways_add(ways, &(struct profile_way){
                                   .blocks = &block, .block_count = 1, .unknown = true, .count = unknown});
    }
}

void early_ends_find(struct profile_ways *ways, int64_t *not_ended, struct paths *p,
                     const struct profile_function *f)
{
    struct early early;
    for (size_t i = 0; i < f->frames.count; i++)
        if (f->frames.items[i].between && (f->frames.items[i].cuts || f->frames.items[i].resumes))
            return; /* the frame may have counted a path, or not */
    for (uint32_t b = 0; f->exact && f->has_edges && b < graph_exit(&f->map.graph); b++)
        if (f->map.blocks[b].hazards & MAP_PATH_ENDS_EARLY && read_frames(&early, f, b))
            find_in(ways, not_ended, p, f, &early);
}
