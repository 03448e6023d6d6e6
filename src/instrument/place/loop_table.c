#include "instrument/place/loop_table.h"
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
    struct moved_loop *l = &loops.items[loop - 1];
    for (size_t i = 0; i < l->counters.count; i++) {
        struct moved_counter *known = &l->counters.items[i];
        if (known->key != counter.key || known->counter != counter.counter)
            continue;
        if (!known->most || !counter.most || __builtin_add_overflow(known->most, counter.most, &known->most))
            known->most = 0;
        return;
    }
    ARRAY_PUSH(&l->counters, counter);
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
