#include "decode/moved.h"
#include "decode/error_bounds.h"

static struct moved_counts *counts_of(struct decode_function *f)
{
    if (!f->moved) {
        f->moved = ALLOC(struct moved_counts, 1);
        *f->moved = (struct moved_counts){.most = ZALLOC(int64_t, f->counters),
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
    free(moved->unsure);
    free(moved->resumed);
    free(moved);
}

void moved_find(struct decode_module *m)
{
    for (size_t i = 0; i < m->places.count; i++) {
        const struct place_code *code = &m->places.items[i];
        for (uint32_t k = 0; k < code->moved_count; k++) {
            const struct place_moved *moved = &code->moved[k];
            struct decode_function *f = decode_module_find(m, code->keys[moved->key]);
            if (!f || moved->counter >= f->counters)
                continue;
            int64_t most = moved->most && moved->most < INT64_MAX ? (int64_t)moved->most : MAX_ERROR_UNKNOWN;
            int64_t *known = &counts_of(f)->most[moved->counter];
            if (*known != MAX_ERROR_UNKNOWN && (most == MAX_ERROR_UNKNOWN || most > *known))
                *known = most;
        }
    }
}

void moved_doubt(struct decode_function *f, uint32_t counter, bool cut, int64_t count)
{
    struct moved_counts *moved = counts_of(f);
    int64_t *sum = cut ? &moved->unsure[counter] : &moved->resumed[counter];
    int64_t most = moved->most[counter] ? moved->most[counter] : MAX_ERROR_UNKNOWN;
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
