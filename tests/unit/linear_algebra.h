/*
 * Which counts are determined, by linear algebra: exactly those whose row, added to Kirchhoff's equations and
 * the known counts, does not raise the rank. Ranks are taken modulo a prime. The oracle of the solver and
 * placement tests.
 */
#ifndef COTREE_TESTS_LINEAR_ALGEBRA_H
#define COTREE_TESTS_LINEAR_ALGEBRA_H

#include "graph_testing.h"

#define PRIME 2147483647u /* 2^31 - 1 */
#define WIDTH 24

static uint64_t inverse(uint64_t x)
{
    uint64_t result = 1;
    for (uint32_t power = PRIME - 2; power; power >>= 1, x = x * x % PRIME)
        if (power & 1)
            result = result * x % PRIME;
    return result;
}

struct rows {
    uint32_t rank, width;
    uint64_t row[WIDTH][WIDTH];
    uint32_t pivot[WIDTH];
};

/* Adds a row to a system in echelon form; false when it was implied already. */
static bool add_row(struct rows *r, const int *values)
{
    uint64_t x[WIDTH];
    for (uint32_t i = 0; i < r->width; i++)
        x[i] = (uint64_t)((int64_t)values[i] + (int64_t)PRIME) % PRIME;
    for (uint32_t k = 0; k < r->rank; k++) {
        uint64_t factor = x[r->pivot[k]];
        for (uint32_t i = 0; i < r->width; i++)
            x[i] = (x[i] + (PRIME - factor) * r->row[k][i]) % PRIME;
    }
    for (uint32_t p = 0; p < r->width; p++)
        if (x[p]) {
            uint64_t scale = inverse(x[p]);
            for (uint32_t i = 0; i < r->width; i++)
                r->row[r->rank][i] = x[i] * scale % PRIME;
            r->pivot[r->rank++] = p;
            return true;
        }
    return false;
}

static UNUSED void vertex_row(const struct graph *g, uint32_t v, int *row)
{
    memset(row, 0, WIDTH * sizeof *row);
    for (uint32_t e = 0; e < g->edge_count; e++)
        row[e] += g->edges[e].to == v;
}

static UNUSED struct rows kirchhoff(const struct graph *g)
{
    struct rows r = {.width = g->edge_count};
    for (uint32_t v = 0; v < g->vertex_count; v++) {
        int row[WIDTH] = {0};
        for (uint32_t e = 0; e < g->edge_count; e++)
            row[e] += (g->edges[e].to == v) - (g->edges[e].from == v);
        add_row(&r, row);
    }
    return r;
}

static UNUSED bool rows_determine_vertices(struct rows r, const struct graph *g)
{
    int row[WIDTH];
    for (uint32_t v = 0; v < g->vertex_count; v++) {
        vertex_row(g, v, row);
        if (add_row(&r, row))
            return false;
    }
    return true;
}

#endif
