#include "decode/model/moved.h"
#include "decode/model/error_bounds.h"

static struct moved_counts *counts_of(struct decode_function *f)
{
    if (!f->moved) {
        f->moved = ALLOC(struct moved_counts, 1);
        *f->moved = (struct moved_counts){.most = ZALLOC(int64_t, f->counters),
                                          .of_loop = ZALLOC(int64_t, f->counters),
                                          .unsure = ZALLOC(int64_t, f->counters),
                                          .resumed = ZALLOC(int64_t, f->counters)};
    }
    return f->moved;
}

void moved_release(struct moved_counts *moved)
{
    if (!moved)
        return;
    free(moved->most);
    free(moved->of_loop);
    free(moved->unsure);
    free(moved->resumed);
    free(moved);
}

int64_t moved_bound(const struct place_moved *moved)
{
    return moved->most && moved->most < INT64_MAX ? (int64_t)moved->most : MAX_ERROR_UNKNOWN;
}

/* The sums over a loop and those around it, whose counts may all be ahead at once. */
static void find_in_loop(struct decode_module *m, const struct place_code *code,
                         const struct place_loop *loop)
{
    enum { BEGIN, ADD, COMPARE, STEPS };
    for (int step = BEGIN; step < STEPS; step++)
        for (uint32_t i = loop->first; i < loop->first + loop->count; i++) {
            const struct place_moved *moved = &code->moved[i];
            struct decode_function *f = decode_module_find(m, code->keys[moved->key]);
            if (!f || moved->counter >= f->counters)
                continue;
            int64_t *sum = &counts_of(f)->of_loop[moved->counter], *most = &f->moved->most[moved->counter];
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
    return f->moved && f->moved->most[counter] ? f->moved->most[counter] : MAX_ERROR_UNKNOWN;
}

void moved_doubt(struct decode_function *f, uint32_t counter, bool cut, int64_t count, int64_t most)
{
    struct moved_counts *moved = counts_of(f);
    int64_t *sum = cut ? &moved->unsure[counter] : &moved->resumed[counter];
    *sum = error_plus(*sum, error_times(most, count));
}

/* What the counter holds bounds what frames that were cut can have left too much in it. */
static int64_t bounded(const struct decode_function *f, uint32_t counter, int64_t unsure)
{
    int64_t held = f->touched && f->file[counter] > 0 ? f->file[counter] : 0;
    return unsure == MAX_ERROR_UNKNOWN || unsure > held ? held : unsure;
}

int64_t moved_error(const struct decode_function *f)
{
    int64_t error = 0;
    for (uint32_t i = 0; f->moved && i < f->counters; i++)
        error = error_plus(error_plus(error, bounded(f, i, f->moved->unsure[i])), f->moved->resumed[i]);
    return error;
}

int64_t moved_error_anywhere(const struct decode_function *f, int64_t frames)
{
    int64_t error = 0;
    for (uint32_t i = 0; frames && f->moved && i < f->counters; i++)
        error = error_plus(error, bounded(f, i, error_times(f->moved->most[i], frames)));
    return error;
}

void moved_clear(struct decode_function *f)
{
    if (!f->moved)
        return;
    memset(f->moved->unsure, 0, f->counters * sizeof *f->moved->unsure);
    memset(f->moved->resumed, 0, f->counters * sizeof *f->moved->resumed);
}
