/*
 * Where blocks stand.
 *
 * Rows: a block stands below all blocks that lead to it, back edges aside; what a loop goes on to when it is
 * done stands below the whole loop. Columns: a block stands in the middle above the blocks that it
 * immediately dominates, which stand side by side where they share rows, and below each other, in its middle,
 * where they do not (the two arms of a condition, then what comes after it). Subtrees are packed by their
 * outlines, row by row.
 *
 * Edges: an edge leaves its block downwards, runs in the gap between two rows, then up or down in a column in
 * which no block is in its way, then in the gap above its target. Pieces that would lie on each other get
 * tracks of their own; columns and gaps are as wide as their tracks need.
 *
 * Nothing recurses, and the work is about the number of blocks times that of rows or columns.
 */
#include "report/layout.h"
#include "graph/analysis.h"

#include <limits.h>

enum {
    TRACK = 9,         /* between two pieces beside each other */
    COLUMN_MARGIN = 9, /* between a box and a piece beside it */
    GAP_ABOVE = 18,    /* from a box to the first track below it: room for a count */
    GAP_BELOW = 14,    /* from the last track to the box below it: room for the arrow's head */
    BORDER = 8,
    OUT_SPREAD = LAYOUT_BOX_WIDTH / 2,
    IN_SPREAD = 20,
};

/* The rows that a packed subtree takes: for each, how far it reaches to the left and right of its root. */
struct outline {
    int top, bottom; /* rows */
    int shift;       /* to be added to all entries */
    int *left, *right;
};
#define EMPTY_LEFT INT_MAX
#define EMPTY_RIGHT INT_MIN

struct drawing {
    const struct graph *g;
    struct adjacency a;
    struct depth_first d;
    uint32_t vertices;   /* those of the graph, and the entry */
    uint32_t entry;      /* its number */
    uint32_t *dominator; /* GRAPH_NONE at the root */
    int *row, *column;   /* of each vertex; columns are half a box wide */
    int rows, columns;
    uint32_t *by_column, *by_column_start; /* vertices by column, then row */
};

/* ---- Rows ---- */

/* Vertices beyond those of the graph stand for the ends of loops. */
struct order_edge {
    uint32_t from, to;
    int rows;
};
struct order_edges ARRAY_OF(struct order_edge);

/* The longest ways. False, with nothing changed, when the edges make a circle. */
static bool longest_ways(const struct order_edges *edges, uint32_t vertices, int *row)
{
    uint32_t *waits = ZALLOC(uint32_t, vertices + 1), *start = ZALLOC(uint32_t, vertices + 2);
    uint32_t *out = ALLOC(uint32_t, edges->count + 1), *ready = ALLOC(uint32_t, vertices + 1);
    int *found = ZALLOC(int, vertices + 1);
    for (size_t i = 0; i < edges->count; i++) {
        waits[edges->items[i].to]++;
        start[edges->items[i].from + 2]++;
    }
    for (uint32_t v = 2; v < vertices + 2; v++)
        start[v] += start[v - 1];
    for (size_t i = 0; i < edges->count; i++)
        out[start[edges->items[i].from + 1]++] = (uint32_t)i;
    uint32_t count = 0, next = 0;
    for (uint32_t v = 0; v < vertices; v++)
        if (!waits[v])
            ready[count++] = v;
    while (next < count) {
        uint32_t v = ready[next++];
        for (uint32_t i = start[v]; i < start[v + 1]; i++) {
            const struct order_edge *e = &edges->items[out[i]];
            if (found[v] + e->rows > found[e->to])
                found[e->to] = found[v] + e->rows;
            if (!--waits[e->to])
                ready[count++] = e->to;
        }
    }
    if (count == vertices)
        memcpy(row, found, vertices * sizeof *row);
    free(waits);
    free(start);
    free(out);
    free(ready);
    free(found);
    return count == vertices;
}

/* What a loop goes on to from its head or from a block that leads back to the head comes below the loop. */
static void order_loops(const struct drawing *w, const struct loops *loops, struct order_edges *edges)
{
    const struct graph *g = w->g;
    uint32_t *inside = ALLOC(uint32_t, g->vertex_count);
    memset(inside, 0xff, g->vertex_count * sizeof *inside);
    for (uint32_t l = 0; l < loops->count; l++) {
        for (uint32_t i = loops->body_start[l]; i < loops->body_end[l]; i++) {
            inside[loops->body[i]] = l;
            ARRAY_PUSH(edges, ((struct order_edge){loops->body[i], g->vertex_count + l, 0}));
        }
        for (uint32_t i = loops->body_start[l]; i < loops->body_end[l]; i++) {
            uint32_t v = loops->body[i];
            bool leads_back = v == loops->head[l];
            for (uint32_t k = w->a.out_start[v]; k < w->a.out_start[v + 1]; k++)
                leads_back |= g->edges[w->a.out[k]].to == loops->head[l];
            for (uint32_t k = w->a.out_start[v]; leads_back && k < w->a.out_start[v + 1]; k++) {
                uint32_t to = g->edges[w->a.out[k]].to;
                if (to != graph_exit(g) && inside[to] != l && !w->d.retreating[w->a.out[k]])
                    ARRAY_PUSH(edges, ((struct order_edge){g->vertex_count + l, to, 1}));
            }
        }
        for (uint32_t i = loops->body_start[l]; i < loops->body_end[l]; i++)
            inside[loops->body[i]] = GRAPH_NONE;
    }
    free(inside);
}

static void set_rows(struct drawing *w)
{
    const struct graph *g = w->g;
    uint32_t exit = graph_exit(g);
    struct loops loops;
    struct order_edges edges = {0};
    loops_init(&loops, g, &w->a, &w->d);
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->edges[e].from != exit && !w->d.retreating[e])
            ARRAY_PUSH(&edges, ((struct order_edge){g->edges[e].from, g->edges[e].to, 1}));
    size_t plain = edges.count;
    order_loops(w, &loops, &edges);
    int *row = ZALLOC(int, g->vertex_count + loops.count + 1);
    if (!longest_ways(&edges, g->vertex_count + loops.count,
                      row)) { /* loops with several entries may do so */
        edges.count = plain;
        longest_ways(&edges, g->vertex_count, row);
    }
    w->rows = 0;
    for (uint32_t v = 0; v < exit; v++) {
        w->row[v] = row[v] + 1; /* the entry comes first */
        w->rows = w->row[v] >= w->rows ? w->row[v] + 1 : w->rows;
    }
    w->row[w->entry] = 0;
    w->row[exit] = w->rows++;
    free(row);
    ARRAY_RELEASE(&edges);
    loops_release(&loops);
}

/* ---- Columns ---- */

static void outline_release(struct outline *o)
{
    free(o->left);
    free(o->right);
    *o = (struct outline){0};
}

static struct outline outline_new(int top, int bottom)
{
    size_t rows = (size_t)(bottom - top + 1);
    struct outline o = {.top = top, .bottom = bottom, .left = ALLOC(int, rows), .right = ALLOC(int, rows)};
    for (size_t i = 0; i < rows; i++) {
        o.left[i] = EMPTY_LEFT;
        o.right[i] = EMPTY_RIGHT;
    }
    return o;
}

/* How far `right` has to stand from `left` at least: boxes are two columns wide. */
static int distance(const struct outline *left, const struct outline *right)
{
    int least = INT_MIN;
    int from = left->top > right->top ? left->top : right->top;
    int to = left->bottom < right->bottom ? left->bottom : right->bottom;
    for (int r = from; r <= to; r++) {
        int a = left->right[r - left->top], b = right->left[r - right->top];
        if (a == EMPTY_RIGHT || b == EMPTY_LEFT)
            continue;
        int needed = a + left->shift - b - right->shift + 2;
        least = needed > least ? needed : least;
    }
    return least; /* INT_MIN: nothing of both is in one row */
}

static void outline_join(struct outline *into, const struct outline *o, int by)
{
    for (int r = o->top; r <= o->bottom; r++) {
        int i = r - into->top, k = r - o->top;
        if (o->left[k] == EMPTY_LEFT)
            continue;
        int left = o->left[k] + o->shift + by - into->shift,
            right = o->right[k] + o->shift + by - into->shift;
        into->left[i] = left < into->left[i] ? left : into->left[i];
        into->right[i] = right > into->right[i] ? right : into->right[i];
    }
}

/* Whether children lie beside each other: those that v leads to, in the next row. */
static bool is_arm(const struct drawing *w, uint32_t v, uint32_t child)
{
    return w->row[child] == w->row[v] + 1;
}

/* Packs the children of v, whose outlines are there, and makes v's outline. offset: of each child to v. */
static void pack(struct drawing *w, uint32_t v, const uint32_t *children, uint32_t count,
                 struct outline *outlines, int *offset)
{
    int bottom = w->row[v];
    for (uint32_t i = 0; i < count; i++)
        bottom = outlines[children[i]].bottom > bottom ? outlines[children[i]].bottom : bottom;
    struct outline all = outline_new(w->row[v], bottom);
    uint32_t arms = 0;
    int first = 0, last = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct outline *o = &outlines[children[i]];
        if (!is_arm(w, v, children[i]))
            continue;
        int at = arms ? distance(&all, o) : 0;
        if (arms && at < last + 2)
            at = last + 2;
        offset[children[i]] = at;
        outline_join(&all, o, at);
        if (!arms++)
            first = at;
        last = at;
    }
    int middle = (first + last) / 2;
    all.shift = -middle;
    for (uint32_t i = 0; i < count; i++)
        if (is_arm(w, v, children[i]))
            offset[children[i]] -= middle;
    for (uint32_t i = 0; i < count;
         i++) { /* what comes after the arms: in the middle, or at the nearer side */
        struct outline *o = &outlines[children[i]];
        if (is_arm(w, v, children[i]))
            continue;
        int right = distance(&all, o), left = distance(o, &all), at = 0;
        if (right != INT_MIN && right > 0 && left > 0)
            at = right <= left ? right : -left;
        offset[children[i]] = at;
        outline_join(&all, o, at);
    }
    all.left[0] = all.right[0] = -all.shift; /* v itself */
    outlines[v] = all;
    for (uint32_t i = 0; i < count; i++)
        outline_release(&outlines[children[i]]);
}

static void set_columns(struct drawing *w)
{
    const struct graph *g = w->g;
    uint32_t n = g->vertex_count, *start = ZALLOC(uint32_t, n + 2), *children = ALLOC(uint32_t, n + 1);
    struct outline *outlines = ZALLOC(struct outline, n);
    int *offset = ZALLOC(int, n);
    for (uint32_t i = 0; i < w->d.reached; i++)
        if (w->dominator[w->d.reverse_postorder[i]] != GRAPH_NONE)
            start[w->dominator[w->d.reverse_postorder[i]] + 2]++;
    for (uint32_t v = 2; v < n + 2; v++)
        start[v] += start[v - 1];
    /* The search has left the first way out of a block last: in reverse postorder the last way comes first.
     */
    for (uint32_t i = w->d.reached; i-- > 0;)
        if (w->dominator[w->d.reverse_postorder[i]] != GRAPH_NONE)
            children[start[w->dominator[w->d.reverse_postorder[i]] + 1]++] = w->d.reverse_postorder[i];
    for (uint32_t i = w->d.reached; i-- > 0;) {
        uint32_t v = w->d.reverse_postorder[i];
        pack(w, v, &children[start[v]], start[v + 1] - start[v], outlines, offset);
    }
    int least = 0, most = 0;
    for (uint32_t i = 0; i < w->d.reached; i++) {
        uint32_t v = w->d.reverse_postorder[i];
        w->column[v] = w->dominator[v] == GRAPH_NONE ? 0 : w->column[w->dominator[v]] + offset[v];
        least = w->column[v] < least ? w->column[v] : least;
        most = w->column[v] > most ? w->column[v] : most;
    }
    for (uint32_t v = 0; v < n;
         v++) /* what nothing leads to stands at the side: complete graphs have no such block */
        if (w->d.preorder[v] == GRAPH_NONE)
            w->column[v] = most += 2;
    for (uint32_t v = 0; v < n; v++)
        w->column[v] += 1 - least; /* an edge may pass on either side */
    w->column[w->entry] = w->column[GRAPH_ROOT];
    w->columns = most - least + 3;
    for (uint32_t v = 0; v < n; v++)
        outline_release(&outlines[v]);
    free(start);
    free(children);
    free(outlines);
    free(offset);
}

/* ---- Edges ---- */

struct route {
    uint32_t from, to;
    int gap_from, gap_to; /* gap r is above row r */
    int column;           /* of the vertical piece between the gaps; -1 when both are one */
    int track;            /* there */
    int start_x, end_x;   /* at the boxes */
    int way_x;            /* of the vertical piece */
    int y[2];             /* of the horizontal pieces */
};

struct piece { /* to be given a track: an interval on a line */
    int line, from, to;
    uint32_t route;
    int which;
    int track;
};

static int compare_pieces(const void *left, const void *right)
{
    const struct piece *a = left, *b = right;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    if (a->from != b->from)
        return a->from < b->from ? -1 : 1;
    if (a->to != b->to)
        return a->to > b->to ? -1 : 1;
    return a->route < b->route ? -1 : a->route > b->route;
}

/* Pieces of one line that meet get different tracks, the lowest that is free. tracks: how many each line has.
 */
static void give_tracks(struct piece *pieces, size_t count, int *tracks)
{
    struct ARRAY_OF(int) ends = {0};
    if (count)
        qsort(pieces, count, sizeof *pieces, compare_pieces);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || pieces[i].line != pieces[i - 1].line)
            ends.count = 0;
        size_t track = 0;
        while (track < ends.count && ends.items[track] >= pieces[i].from)
            track++;
        if (track == ends.count)
            ARRAY_PUSH(&ends, 0);
        ends.items[track] = pieces[i].to;
        pieces[i].track = (int)track;
        if ((int)track + 1 > tracks[pieces[i].line])
            tracks[pieces[i].line] = (int)track + 1;
    }
    ARRAY_RELEASE(&ends);
}

static bool column_is_free(const struct drawing *w, int column, int top, int bottom)
{
    uint32_t low = w->by_column_start[column], high = w->by_column_start[column + 1], end = high;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (w->row[w->by_column[middle]] < top)
            low = middle + 1;
        else
            high = middle;
    }
    return low == end || w->row[w->by_column[low]] > bottom;
}

/* The free column that makes the shortest way between two others; straight down into the target if possible.
 */
static int choose_column(const struct drawing *w, int from, int to, int top, int bottom)
{
    int best = -1, cost = INT_MAX;
    for (int c = 0; c < w->columns; c++) {
        int sum = abs(c - from) + abs(c - to) + (c != to);
        if (sum < cost && column_is_free(w, c, top, bottom)) {
            best = c;
            cost = sum;
        }
    }
    return best;
}

static int compare_places(const void *left, const void *right, void *drawing)
{
    const struct drawing *w = drawing;
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    if (w->column[a] != w->column[b])
        return w->column[a] < w->column[b] ? -1 : 1;
    return w->row[a] != w->row[b] ? (w->row[a] < w->row[b] ? -1 : 1) : (a > b) - (a < b);
}

static void sort_by_column(struct drawing *w)
{
    w->by_column = ALLOC(uint32_t, w->vertices);
    w->by_column_start = ZALLOC(uint32_t, (size_t)w->columns + 1);
    for (uint32_t v = 0; v < w->vertices; v++) {
        w->by_column[v] = v;
        w->by_column_start[w->column[v] + 1]++;
    }
    qsort_r(w->by_column, w->vertices, sizeof *w->by_column, compare_places, w);
    for (int c = 0; c < w->columns; c++)
        w->by_column_start[c + 1] += w->by_column_start[c];
}

static void set_routes(const struct drawing *w, struct route *routes)
{
    for (uint32_t e = 0; e < w->g->edge_count; e++) {
        const struct edge *edge = &w->g->edges[e];
        struct route *r = &routes[e];
        *r = (struct route){
            .from = edge->kind == EDGE_ENTRY ? w->entry : edge->from, .to = edge->to, .column = -1};
        r->gap_from = w->row[r->from] + 1;
        r->gap_to = w->row[r->to];
        if (r->gap_to > r->gap_from)
            r->column = choose_column(w, w->column[r->from], w->column[r->to], r->gap_from, r->gap_to - 1);
        else if (r->gap_to < r->gap_from)
            r->column = choose_column(w, w->column[r->from], w->column[r->to], r->gap_to, r->gap_from - 1);
    }
}

/* Where the middle of each column is. */
static int *set_column_places(const struct drawing *w, struct route *routes, int *width)
{
    uint32_t edges = w->g->edge_count;
    struct piece *pieces = ALLOC(struct piece, edges + 1);
    int *tracks = ZALLOC(int, (size_t)w->columns), *x = ALLOC(int, (size_t)w->columns);
    size_t count = 0;
    for (uint32_t e = 0; e < edges; e++) {
        const struct route *r = &routes[e];
        if (r->column >= 0)
            pieces[count++] = (struct piece){.line = r->column,
                                             .from = r->gap_from < r->gap_to ? r->gap_from : r->gap_to,
                                             .to = r->gap_from < r->gap_to ? r->gap_to : r->gap_from,
                                             .route = e};
    }
    give_tracks(pieces, count, tracks);
    for (size_t i = 0; i < count; i++)
        routes[pieces[i].route].track = pieces[i].track;
    int at = BORDER + (tracks[0] / 2 + 1) * TRACK;
    for (int c = 0; c < w->columns; c++) {
        bool box = w->by_column_start[c] < w->by_column_start[c + 1];
        bool box_before = c && w->by_column_start[c - 1] < w->by_column_start[c];
        if (c)
            at += (tracks[c - 1] / 2 + tracks[c] / 2) * TRACK + COLUMN_MARGIN +
                  (box || box_before ? LAYOUT_BOX_WIDTH / 2 : 0);
        x[c] = at;
    }
    *width = at + (tracks[w->columns - 1] / 2 + 1) * TRACK + BORDER;
    /* Tracks from the middle outwards: 0, 1 to the right, 1 to the left, ... */
    for (uint32_t e = 0; e < edges; e++)
        if (routes[e].column >= 0)
            routes[e].way_x =
                x[routes[e].column] + (routes[e].track + 1) / 2 * (routes[e].track % 2 ? TRACK : -TRACK);
    free(pieces);
    free(tracks);
    return x;
}

/* Where edges leave and reach their boxes: in the order of where they come from and go to. */
struct port {
    uint32_t vertex, route;
    int towards;
};

static int compare_ports(const void *left, const void *right)
{
    const struct port *a = left, *b = right;
    if (a->vertex != b->vertex)
        return a->vertex < b->vertex ? -1 : 1;
    if (a->towards != b->towards)
        return a->towards < b->towards ? -1 : 1;
    return a->route < b->route ? -1 : a->route > b->route;
}

static void set_ports(const struct drawing *w, struct route *routes, const int *x, bool out)
{
    uint32_t edges = w->g->edge_count;
    struct port *ports = ALLOC(struct port, edges + 1);
    for (uint32_t e = 0; e < edges; e++) {
        const struct route *r = &routes[e];
        uint32_t here = out ? r->from : r->to, there = out ? r->to : r->from;
        ports[e] = (struct port){here, e, r->column >= 0 ? r->way_x : x[w->column[there]]};
    }
    qsort(ports, edges, sizeof *ports, compare_ports);
    for (uint32_t i = 0; i < edges;) {
        uint32_t end = i;
        while (end < edges && ports[end].vertex == ports[i].vertex)
            end++;
        bool small = ports[i].vertex >= w->vertices - 2; /* entry and exit */
        int room = (small ? LAYOUT_END_WIDTH : LAYOUT_BOX_WIDTH) - 20, count = (int)(end - i);
        int spread = out ? OUT_SPREAD : IN_SPREAD;
        if (count > 1 && spread * (count - 1) > room)
            spread = room / (count - 1);
        for (int k = 0; k < count; k++) {
            int at = x[w->column[ports[i].vertex]] + (2 * k - count + 1) * spread / 2;
            if (out)
                routes[ports[i + (uint32_t)k].route].start_x = at;
            else
                routes[ports[i + (uint32_t)k].route].end_x = at;
        }
        i = end;
    }
    free(ports);
}

static struct piece level(int gap, int a, int b, uint32_t route, int which)
{
    return (struct piece){
        .line = gap, .from = a < b ? a : b, .to = a < b ? b : a, .route = route, .which = which};
}

/* Where each row begins; the horizontal pieces get their places in the gaps. */
static int *set_row_places(const struct drawing *w, struct route *routes, int *height)
{
    uint32_t edges = w->g->edge_count;
    struct piece *pieces = ALLOC(struct piece, 2 * (size_t)edges + 1);
    int *tracks = ZALLOC(int, (size_t)w->rows + 1), *y = ALLOC(int, (size_t)w->rows);
    size_t count = 0;
    for (uint32_t e = 0; e < edges; e++) {
        const struct route *r = &routes[e];
        if (r->column < 0) {
            if (r->start_x != r->end_x)
                pieces[count++] = level(r->gap_from, r->start_x, r->end_x, e, 0);
            continue;
        }
        if (r->start_x != r->way_x)
            pieces[count++] = level(r->gap_from, r->start_x, r->way_x, e, 0);
        if (r->way_x != r->end_x)
            pieces[count++] = level(r->gap_to, r->way_x, r->end_x, e, 1);
    }
    give_tracks(pieces, count, tracks);
    int at = BORDER;
    for (int r = 0; r < w->rows; r++) {
        if (r)
            at += GAP_ABOVE + (tracks[r] ? tracks[r] - 1 : 0) * TRACK + GAP_BELOW;
        y[r] = at;
        at += r == 0 || r == w->rows - 1 ? LAYOUT_END_HEIGHT : LAYOUT_BOX_HEIGHT;
    }
    *height = at + BORDER;
    for (uint32_t e = 0; e < edges; e++) /* where there is no horizontal piece nothing bends */
        for (int i = 0; i < 2; i++)
            routes[e].y[i] = -1;
    for (size_t i = 0; i < count; i++) {
        int gap = pieces[i].line;
        int bottom = y[gap - 1] + (gap == 1 ? LAYOUT_END_HEIGHT : LAYOUT_BOX_HEIGHT);
        routes[pieces[i].route].y[pieces[i].which] = bottom + GAP_ABOVE + pieces[i].track * TRACK;
    }
    free(pieces);
    free(tracks);
    return y;
}

static int box_height(const struct drawing *w, uint32_t v)
{
    return v >= w->vertices - 2 ? LAYOUT_END_HEIGHT : LAYOUT_BOX_HEIGHT;
}

static void put_routes(const struct drawing *w, const struct route *routes, struct layout *l)
{
    for (uint32_t e = 0; e < w->g->edge_count; e++) {
        const struct route *r = &routes[e];
        l->start[e] = (uint32_t)l->points.count;
        int x = r->start_x;
        ARRAY_PUSH(&l->points, x);
        ARRAY_PUSH(&l->points, l->y[r->from] + box_height(w, r->from));
        int bends[2][2] = {{r->y[0], r->column < 0 ? r->end_x : r->way_x}, {r->y[1], r->end_x}};
        for (int i = 0; i < (r->column < 0 ? 1 : 2); i++)
            if (bends[i][0] >= 0) {
                ARRAY_PUSH(&l->points, bends[i][0]);
                ARRAY_PUSH(&l->points, bends[i][1]);
            }
        ARRAY_PUSH(&l->points, l->y[r->to]);
    }
    l->start[w->g->edge_count] = (uint32_t)l->points.count;
}

void layout_init(struct layout *l, const struct graph *g)
{
    struct drawing w = {.g = g, .vertices = g->vertex_count + 1, .entry = g->vertex_count};
    *l = (struct layout){.x = ALLOC(int, w.vertices),
                         .y = ALLOC(int, w.vertices),
                         .start = ALLOC(uint32_t, (size_t)g->edge_count + 1)};
    w.row = ZALLOC(int, w.vertices);
    w.column = ZALLOC(int, w.vertices);
    w.dominator = ALLOC(uint32_t, g->vertex_count);
    adjacency_init(&w.a, g);
    depth_first_init(&w.d, g, &w.a);
    graph_dominators(g, w.dominator);
    set_rows(&w);
    set_columns(&w);
    sort_by_column(&w);
    struct route *routes = ALLOC(struct route, (size_t)g->edge_count + 1);
    set_routes(&w, routes);
    int *x = set_column_places(&w, routes, &l->width);
    set_ports(&w, routes, x, true);
    set_ports(&w, routes, x, false);
    int *y = set_row_places(&w, routes, &l->height);
    for (uint32_t v = 0; v < w.vertices; v++) {
        l->x[v] = x[w.column[v]] - (v >= w.vertices - 2 ? LAYOUT_END_WIDTH : LAYOUT_BOX_WIDTH) / 2;
        l->y[v] = y[w.row[v]];
    }
    put_routes(&w, routes, l);
    free(x);
    free(y);
    free(routes);
    free(w.row);
    free(w.column);
    free(w.dominator);
    free(w.by_column);
    free(w.by_column_start);
    depth_first_release(&w.d);
    adjacency_release(&w.a);
}

void layout_release(struct layout *l)
{
    free(l->x);
    free(l->y);
    free(l->start);
    ARRAY_RELEASE(&l->points);
    *l = (struct layout){0};
}
