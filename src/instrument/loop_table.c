#include "instrument/loop_table.h"
#include "base/memory.h"

struct moved_loop {
    uint32_t outer;
    struct ARRAY_OF(struct moved_counter) counters;
};

/* Of the unit this process compiles: loop i is items[i - 1]. */
static struct ARRAY_OF(struct moved_loop) loops;

uint32_t loop_table_add(void)
{
    ARRAY_PUSH(&loops, ((struct moved_loop){0}));
    return (uint32_t)loops.count;
}

void loop_table_add_counter(uint32_t loop, struct moved_counter counter)
{
    ARRAY_PUSH(&loops.items[loop - 1].counters, counter);
}

void loop_table_nest(uint32_t inner, uint32_t outer)
{
    while (inner != outer && loops.items[inner - 1].outer)
        inner = loops.items[inner - 1].outer;
    if (inner < outer) /* chains rise, so they end */
        loops.items[inner - 1].outer = outer;
}

const struct moved_counter *loop_table_counters(uint32_t loop, size_t *count, uint32_t *outer)
{
    const struct moved_loop *l = &loops.items[loop - 1];
    *count = l->counters.count;
    *outer = l->outer;
    return l->counters.items;
}
