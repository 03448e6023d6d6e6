#include "instrument/place/loop_table.h"

uint32_t loop_table_add(struct loop_table *t)
{
    ARRAY_PUSH(t, ((struct moved_loop){0}));
    return (uint32_t)t->count;
}

void loop_table_add_counter(struct loop_table *t, uint32_t loop, struct moved_counter counter)
{
    struct moved_loop *l = &t->items[loop - 1];
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

void loop_table_nest(struct loop_table *t, uint32_t inner, uint32_t outer)
{
    while (inner != outer && t->items[inner - 1].outer)
        inner = t->items[inner - 1].outer;
    if (inner < outer) /* chains rise, so they end */
        t->items[inner - 1].outer = outer;
}

void loop_table_release(struct loop_table *t)
{
    for (size_t i = 0; i < t->count; i++)
        ARRAY_RELEASE(&t->items[i].counters);
    ARRAY_RELEASE(t);
}
