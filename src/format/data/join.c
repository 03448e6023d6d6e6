#include "format/data/join.h"
#include "base/whole.h"
#include "base/buffer.h"
#include "base/hash.h"

#include <errno.h>
#include <unistd.h>

/* ---- do the parts belong together? ---- */

static bool same_module(const struct data_module *a, const struct data_module *b)
{
    return a->state == b->state &&
           (a->state != 2 ||
            (a->build_id_size == b->build_id_size && a->block_length == b->block_length &&
             a->counters_length == b->counters_length &&
             !memcmp(a->build_id, b->build_id, sizeof a->build_id) && !strcmp(a->path, b->path)));
}

static size_t used_modules(const struct data_file *f)
{
    size_t count = f->modules.count;
    while (count > 1 && f->modules.items[count - 1].state != 2)
        count--;
    return count;
}

static bool same_modules(const struct data_file *a, const struct data_file *b)
{
    size_t count = used_modules(a);
    if (count != used_modules(b))
        return false;
    for (size_t i = 0; i < count; i++)
        if (!same_module(&a->modules.items[i], &b->modules.items[i]))
            return false;
    return true;
}

/* What a file says that no part may say. */
static const char *reason_against(const struct data_file *f)
{
    static const struct {
        uint32_t flag;
        const char *why;
    } flags[] = {
        {DATA_FLAG_POOL, "it is a pool of several runs"},
        {DATA_FLAG_FORKED, "it is of a child of fork, which cannot be collected in parts"},
        {DATA_FLAG_DUMPED, "it is a copy that its program made while it ran"},
        {DATA_FLAG_RESET, "its program reset its counts"},
        {DATA_FLAG_RAW_FORK, "processes that were not made by fork() counted in it"},
        {DATA_FLAG_LOST_THREAD, "it lacks counts that could not be kept"},
        {DATA_FLAG_NO_THREAD_HOOKS, "its threads could not be told apart"},
        {DATA_FLAG_EARLY | DATA_FLAG_EARLY_KEPT,
         "code may have counted before the program started, as in static programs"},
        {DATA_FLAG_TRACED, "it holds a trace, which cannot be collected in parts"},
    };
    static const struct {
        uint32_t doubt;
        const char *why;
    } doubts[] = {
        {DATA_PARTS_HANDLER,
         "a signal handler of the program ran, and signals do not come alike to all copies"},
        {DATA_PARTS_THREAD, "the program had several threads, which do not run alike in all copies"},
        {DATA_PARTS_NOT_STARTED, "code counted before the program started"},
    };
    const struct data_header *h = &f->header;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (h->flags & flags[i].flag)
            return flags[i].why;
    for (size_t i = 0; i < sizeof doubts / sizeof *doubts; i++)
        if (h->parts_doubt & doubts[i].doubt)
            return doubts[i].why;
    if (h->parts_doubt)
        return "it doubts itself for a reason that this version does not know";
    if (h->runs_started != 1 || data_runs_open(h))
        return "its program was cut short, or still runs";
    for (size_t i = 0; i < f->slots.count; i++) {
        uint32_t state = DATA_OWNER_STATE(f->slots.items[i].owner);
        if (state == DATA_CLAIMED || state == DATA_USED)
            return "its program was cut short, or still runs";
    }
    for (size_t i = 1; i < f->modules.count; i++)
        if (f->modules.items[i].state == 2 && f->modules.items[i].block_length)
            return "a shared library counted in it, which cannot be collected in parts";
    return NULL;
}

static bool end_alike(const struct data_header *a, const struct data_header *b)
{
    return a->runs_clean == b->runs_clean && a->runs_exec == b->runs_exec &&
           a->runs_exited == b->runs_exited && a->runs_signalled == b->runs_signalled;
}

/* "2, 5 and 7" of the parts that are not there; and others of the list. */
static void name_missing(const bool *there, uint32_t parts, struct buffer *text)
{
    uint32_t missing = 0, left;
    for (uint32_t i = 1; i <= parts; i++)
        missing += !there[i];
    left = missing;
    for (uint32_t i = 1; i <= parts && left; i++)
        if (!there[i]) {
            buffer_addf(text, "%s%u", left == missing ? "" : left == 1 ? " and " : ", ", i);
            left--;
        }
}

static bool check_numbers(const struct data_file *parts, const char *const *names, size_t count,
                          struct error *error)
{
    uint32_t of = parts[0].header.parts <= DATA_PARTS_MOST ? parts[0].header.parts : 0;
    bool *there = ZALLOC(bool, (size_t)of + 1), ok = true;
    for (size_t i = 0; i < count && ok; i++) {
        const struct data_header *h = &parts[i].header;
        if (!h->part || h->part > h->parts || h->parts > DATA_PARTS_MOST)
            ok = error_set(error,
                           "'%s' is no part of a run: it was not counted with COTREE_PART, or its "
                           "program was not built with -fcotree-parts",
                           names[i]);
        else if (h->parts != of)
            ok =
                error_set(error, "'%s' is one of %u parts, '%s' one of %u", names[i], h->parts, names[0], of);
        else if (there[h->part])
            ok = error_set(error, "'%s' is part %u of the run, which is there twice", names[i], h->part);
        else
            there[h->part] = true;
    }
    if (ok && count < of) {
        struct buffer missing = {0};
        name_missing(there, of, &missing);
        ok = error_set(error, "part%s %s of %u %s missing", of - count > 1 ? "s" : "", buffer_text(&missing),
                       of, of - count > 1 ? "are" : "is");
        buffer_release(&missing);
    }
    free(there);
    return ok;
}

static bool check_alike(const struct data_file *parts, const char *const *names, size_t count,
                        struct error *error)
{
    const struct data_header *first = &parts[0].header;
    uint64_t handed_on = 0, taken_over = 0;
    for (size_t i = 0; i < count; i++) {
        const struct data_header *h = &parts[i].header;
        const char *why = reason_against(&parts[i]);
        handed_on += h->handed_on;
        taken_over += h->taken_over;
        if (why)
            return error_set(error, "'%s' cannot be united: %s", names[i], why);
        if (!same_modules(&parts[0], &parts[i]))
            return error_set(error, "'%s' and '%s' are of different builds, or loaded different libraries",
                             names[0], names[i]);
        if (!*h->run && count > 1)
            return error_set(error, "'%s' does not say which run it is a part of: COTREE_RUN was not set",
                             names[i]);
        if (strcmp(first->run, h->run))
            return error_set(error, "'%s' and '%s' are of different runs (COTREE_RUN: '%s' and '%s')",
                             names[0], names[i], first->run, h->run);
        if (!end_alike(first, h))
            return error_set(error, "the copies parted ways: '%s' and '%s' ended in different ways", names[0],
                             names[i]);
        if (first->switch_points != h->switch_points)
            return error_set(error,
                             "the copies parted ways: '%s' passed %llu switch points, '%s' %llu: the program "
                             "did not do the same each time",
                             names[0], (unsigned long long)first->switch_points, names[i],
                             (unsigned long long)h->switch_points);
    }
    return handed_on == taken_over ||
           error_set(error,
                     "the copies parted ways: they did not hand on to each other at the same places: the "
                     "program did not do the same each time");
}

/* ---- writing ---- */

struct writer {
    int fd;
    uint64_t end;
    bool sealed;
    bool failed;
};

static void write_at(struct writer *w, const void *bytes, size_t length, uint64_t offset)
{
    w->failed = w->failed || !write_whole_at(w->fd, bytes, length, offset);
}

/* Copies a block, but for its pages of zeros; the result is the hash of its pages. */
static uint64_t copy_block(struct writer *w, const struct data_file *from, const struct data_slot *slot,
                           uint64_t to, bool *read)
{
    uint64_t page[DATA_PAGE_WORDS], hash = DATA_SEAL_BEGIN;
    for (uint64_t at = 0; at < slot->length; at += DATA_PAGE) {
        uint64_t any = 0;
        off_t data = lseek(from->fd, (off_t)(slot->offset + at), SEEK_DATA);
        if (data < 0 && errno == ENXIO)
            break;
        if (data > 0 && (uint64_t)data > slot->offset + at) /* over a hole; pages of zeros change no hash */
            at = ((uint64_t)data - slot->offset) & ~(uint64_t)(DATA_PAGE - 1);
        if (at >= slot->length)
            break;
        *read &= data_read_at(from->fd, page, sizeof page, slot->offset + at);
        for (size_t i = 0; i < DATA_PAGE_WORDS; i++)
            any |= page[i];
        if (any)
            write_at(w, page, sizeof page, to + at);
        hash = data_seal_page(hash, at / DATA_PAGE, page);
    }
    return hash;
}

static uint64_t write_modules(struct writer *w, const struct data_file *f, uint64_t *hash)
{
    enum { A_PAGE = sizeof((struct data_module_page *)0)->modules / sizeof(struct data_module) };
    size_t count = used_modules(f);
    uint64_t first = count > 1 ? w->end : 0;
    for (size_t i = 1; i < count; i += A_PAGE) {
        struct data_module_page page = {0};
        for (size_t k = 0; k < A_PAGE && i + k < count; k++)
            page.modules[k] = f->modules.items[i + k];
        page.next = i + A_PAGE < count ? w->end + DATA_PAGE : 0;
        *hash = data_seal_modules(*hash, &page);
        write_at(w, &page, sizeof page, w->end);
        w->end += DATA_PAGE;
    }
    return first;
}

static uint64_t write_frame_counts(struct writer *w, const struct data_file *parts, size_t count,
                                   uint64_t *hash)
{
    struct data_frame_counts sums = {0};
    struct hash_map index = {0};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < parts[i].frame_counts.count; k++) {
            const struct data_frame_count *e = &parts[i].frame_counts.items[k];
            bool added;
            uint64_t *number = hash_map_put(&index, e->kind_and_address, &added);
            if (added) {
                *number = sums.count;
                ARRAY_PUSH(&sums, *e);
            } else {
                sums.items[*number].count += e->count;
            }
        }
    uint64_t first = w->end;
    size_t at = 0;
    do {
        struct data_frame_count_page page = {0};
        for (size_t i = 0; i < DATA_FRAME_COUNTS_A_PAGE && at < sums.count; i++)
            page.counts[i] = sums.items[at++];
        page.next = at < sums.count ? w->end + DATA_PAGE : 0;
        *hash = data_seal_frame_counts(*hash, &page);
        write_at(w, &page, sizeof page, w->end);
        w->end += DATA_PAGE;
    } while (at < sums.count);
    hash_map_release(&index);
    ARRAY_RELEASE(&sums);
    return first;
}

/* The blocks first, then the tables that name them. All belong to the process of the first part. */
static uint64_t write_blocks(struct writer *w, const struct data_file *parts, size_t count, uint64_t *hash,
                             bool *read)
{
    enum { A_TABLE = sizeof((struct data_table *)0)->slots / sizeof(struct data_slot) };
    struct data_slots slots = {0};
    const struct data_header *first = &parts[0].header;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < parts[i].slots.count; k++) {
            struct data_slot slot = parts[i].slots.items[k];
            uint64_t pages = copy_block(w, &parts[i], &slot, w->end, read);
            slot.owner = DATA_OWNER(first->pid, DATA_OWNER_STATE(slot.owner));
            slot.start_time = first->start_time;
            slot.pid_namespace = first->pid_namespace;
            slot.offset = w->end;
            slot.seal = w->sealed ? data_seal_of_slot(&slot, pages) : 0;
            w->end += slot.length;
            ARRAY_PUSH(&slots, slot);
        }
    uint64_t table_at = w->end;
    size_t at = 0;
    do {
        struct data_table table = {0};
        for (size_t i = 0; i < A_TABLE && at < slots.count; i++)
            table.slots[i] = slots.items[at++];
        table.next = at < slots.count ? w->end + DATA_PAGE : 0;
        *hash = data_seal_table(*hash, &table);
        write_at(w, &table, sizeof table, w->end);
        w->end += DATA_PAGE;
    } while (at < slots.count);
    ARRAY_RELEASE(&slots);
    return table_at;
}

/* What comes where is decided first by the header, whose hash comes first: so all is written twice,
 * once to learn the offsets. */
static bool write_file(int to, const struct data_file *parts, size_t count, bool sealed, struct error *error)
{
    struct data_header h = parts[0].header;
    h.header_size = sizeof h;
    h.part = 0;
    h.seal = 0;
    h.traces = 0;
    h.threads_ended = 0;
    for (size_t i = 1; i < count; i++) {
        const struct data_header *other = &parts[i].header;
        h.flags |= other->flags;
        h.handled |= other->handled;
        h.frames_lost += other->frames_lost;
    }
    uint64_t page[(DATA_MODULE_OFFSET + sizeof(struct data_module)) / 8] = {0};
    struct writer w = {.fd = to, .sealed = sealed};
    bool read = true;
    for (int round = 0; round < 2; round++) {
        memcpy(page, &h, sizeof h);
        memcpy(page + DATA_MODULE_OFFSET / 8, &parts[0].modules.items[0], sizeof(struct data_module));
        uint64_t hash = data_seal_first(DATA_SEAL_BEGIN, page, sizeof h);
        w.end = DATA_PAGE;
        h.modules = write_modules(&w, &parts[0], &hash);
        h.frame_counts = write_frame_counts(&w, parts, count, &hash);
        h.table = write_blocks(&w, parts, count, &hash, &read);
        h.end = w.end;
        h.seal = sealed && round ? hash | 1 : 0;
    }
    memcpy(page, &h, sizeof h);
    write_at(&w, page, sizeof page, 0);
    if (!read)
        return error_set(error, "a part was cut short while it was read");
    return (!w.failed && ftruncate(to, (off_t)w.end) == 0) ||
           error_set(error, "cannot write what the parts are united to: %s", strerror(errno));
}

bool data_join(int to, struct data_file *parts, const char *const *names, size_t count, struct error *error)
{
    bool sealed = true;
    if (!check_numbers(parts, names, count, error) || !check_alike(parts, names, count, error))
        return false;
    for (size_t i = 0; i < count; i++) {
        sealed &= data_is_sealed(parts[i].header.seal);
        for (size_t k = 0; k < parts[i].slots.count; k++)
            if (!data_check_block(&parts[i], &parts[i].slots.items[k], error))
                return error_prefix(error, "'%s'", names[i]);
    }
    return write_file(to, parts, count, sealed, error);
}
