#include "decode/model/moved.h"
#include "decode/model/error_bounds.h"

static struct moved_counts *counts_of(struct decode_function *f)
{
    if (!f->code.moved) {
        f->code.moved = ALLOC(struct moved_counts, 1);
        *f->code.moved = (struct moved_counts){.most = ZALLOC(int64_t, f->counter_count),
                                               .of_loop = ZALLOC(int64_t, f->counter_count)};
    }
    return f->code.moved;
}

void moved_release(struct moved_counts *moved)
{
    if (!moved)
        return;
    free(moved->most);
    free(moved->of_loop);
    free(moved);
}

int64_t moved_bound(const struct place_moved *moved)
{
    return moved->most && moved->most < INT64_MAX ? (int64_t)moved->most : MAX_ERROR_UNKNOWN;
}

/* Finds the sums over a loop and the loops around it, whose counts may all be ahead at once. */
static void find_in_loop(struct decode_module *m, const struct place_code *code,
                         const struct place_loop *loop)
{
    enum { BEGIN, ADD, COMPARE, STEPS };
    for (int step = BEGIN; step < STEPS; step++)
        for (uint32_t i = loop->first; i < loop->first + loop->count; i++) {
            const struct place_moved *moved = &code->moved[i];
            struct decode_function *f = decode_module_find(m, code->keys[moved->key]);
            if (!f || moved->counter >= f->counter_count)
                continue;
            int64_t *sum = &counts_of(f)->of_loop[moved->counter],
                    *most = &f->code.moved->most[moved->counter];
            if (step == BEGIN)
                *sum = 0;
            else if (step == ADD)
                *sum = error_plus(*sum, moved_bound(moved));
            else if (*most != MAX_ERROR_UNKNOWN && (*sum == MAX_ERROR_UNKNOWN || *sum > *most))
                *most = *sum;
        }
}

void moved_find(struct decode_module *m)
{
    for (size_t i = 0; i < m->places.count; i++)
        for (uint32_t k = 0; k < m->places.items[i].loop_count; k++)
            find_in_loop(m, &m->places.items[i], &m->places.items[i].loops[k]);
}

int64_t moved_most(const struct decode_function *f, uint32_t counter)
{
    return f->code.moved && f->code.moved->most[counter] ? f->code.moved->most[counter] : MAX_ERROR_UNKNOWN;
}

void moved_doubt(struct decode_function *f, uint32_t counter, bool cut, int64_t count, int64_t most)
{
    int64_t **sums = cut ? &f->file.moved_cut : &f->file.moved_resumed;
    counts_of(f);
    if (!*sums)
        *sums = ZALLOC(int64_t, (size_t)f->counter_count + 1);
    (*sums)[counter] = error_plus((*sums)[counter], error_times(most, count));
}

/* Frames that were cut can have left no more too much in a counter than it holds. */
static int64_t bounded(const struct decode_function *f, uint32_t counter, int64_t unsure)
{
    int64_t held = f->file.touched && f->file.counters[counter] > 0 ? f->file.counters[counter] : 0;
    return unsure == MAX_ERROR_UNKNOWN || unsure > held ? held : unsure;
}

int64_t moved_error(const struct decode_function *f)
{
    const int64_t *cut = f->file.moved_cut, *resumed = f->file.moved_resumed;
    int64_t error = 0;
    for (uint32_t i = 0; cut && i < f->counter_count; i++)
        error = error_plus(error, bounded(f, i, cut[i]));
    for (uint32_t i = 0; resumed && i < f->counter_count; i++)
        error = error_plus(error, resumed[i]);
    return error;
}

int64_t moved_error_anywhere(const struct decode_function *f, int64_t frames)
{
    int64_t error = 0;
    for (uint32_t i = 0; frames && f->code.moved && i < f->counter_count; i++)
        error = error_plus(error, bounded(f, i, error_times(f->code.moved->most[i], frames)));
    return error;
}
