/* What recursion costs has no bound by guessed weights: it is cut where it makes no difference any
 * more. */
#include "plan/parts/switch_points.h"

enum { ROUNDS = 40 };
#define COST_MOST 1e9

void parts_choose_switch_points(struct parts_cost *functions, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        functions[i].all = functions[i].own;
    for (unsigned round = 0; round < ROUNDS; round++)
        for (uint32_t i = 0; i < count; i++) {
            struct parts_cost *f = &functions[i];
            double all = f->own;
            for (size_t k = 0; k < f->calls.count; k++)
                all += f->calls.items[k].times * functions[f->calls.items[k].callee].all;
            f->all = all < COST_MOST ? all : COST_MOST;
        }
    for (uint32_t i = 0; i < count; i++)
        functions[i].switches = !functions[i].never && functions[i].all >= PARTS_SWITCH_POINT_COST;
}
