#include "format/trace/words.h"
#include "format/data/data.h"

#include <errno.h>
#include <unistd.h>
#include <zstd.h>

enum { LEVEL = 1, PIECE = 1 << 13 };

/* ---- In an events file ---- */

static void look(struct trace_word_source *s)
{
    if (!data_read_at(s->file->fd, &s->region, sizeof s->region,
                      TRACE_ADDRESSES_OFFSET + (uint64_t)s->number * sizeof s->region))
        s->region = (struct trace_address_stream){0};
    uint64_t begin = s->region.begin > s->region.address ? s->region.begin - s->region.address : 0;
    uint64_t least = s->region.taken > begin ? s->region.taken : begin;
    if (s->at < least)
        s->at = least;
}

static bool enter_next(struct trace_word_source *s)
{
    const struct trace_stream *e = &s->file->streams[s->number];
    if (!e->next || e->next - 1 >= TRACE_STREAMS_MOST || s->steps >= TRACE_STREAMS_MOST ||
        s->file->streams[e->next - 1].state < 2)
        return false;
    s->steps++;
    s->number = (uint32_t)e->next - 1;
    s->at = 0;
    look(s);
    return true;
}

void trace_words_begin(struct trace_word_source *s, const struct trace_events *t, uint32_t first)
{
    *s = (struct trace_word_source){.file = t, .number = first};
    look(s);
}

void trace_words_skip(struct trace_word_source *s, uint64_t address)
{
    struct trace_word_source from = *s;
    do {
        if (s->region.length && address - s->region.address <= s->region.length) {
            if (address - s->region.address > s->at)
                s->at = address - s->region.address;
            return;
        }
    } while (enter_next(s));
    *s = from;
}

uint64_t trace_words_address(struct trace_word_source *s)
{
    if (!s->region.length)
        look(s);
    return s->region.length ? s->region.address + s->at : 0;
}

static size_t read_some(int fd, uint64_t *to, size_t count, uint64_t offset)
{
    ssize_t got;
    if (offset > INT64_MAX - count * sizeof *to)
        return 0;
    do
        got = pread(fd, to, count * sizeof *to, (off_t)offset);
    while (got < 0 && errno == EINTR);
    return got > 0 ? (size_t)got / sizeof *to : 0;
}

size_t trace_words_read(struct trace_word_source *s, uint64_t *to, size_t most)
{
    size_t done = 0;
    if (!s->region.length)
        look(s);
    while (done < most) {
        uint64_t left = s->at < s->region.length ? (s->region.length - s->at) / sizeof *to : 0;
        size_t want = most - done < PIECE ? most - done : PIECE, used = 0;
        if (want > left)
            want = (size_t)left;
        size_t got = want ? read_some(s->file->fd, to + done, want, s->region.offset + s->at) : 0;
        while (used < got && to[done + used])
            used++;
        done += used;
        s->at += used * sizeof *to;
        if (used < PIECE && (done || !enter_next(s)))
            break;
    }
    return done;
}

bool trace_words_lag(const struct trace_word_source *s, uint64_t words)
{
    uint64_t word, ahead = words * sizeof word;
    return s->at < s->region.length && ahead < s->region.length - s->at &&
           read_some(s->file->fd, &word, 1, s->region.offset + s->at + ahead) == 1 && word;
}

/* ---- What is expected ---- */

void trace_word_model_init(struct trace_word_model *m, size_t slots)
{
    *m = (struct trace_word_model){.slots = slots, .chunk = 1};
}

static void model_release(struct trace_word_model *m)
{
    free(m->expected);
    *m = (struct trace_word_model){0};
}

static void model_restart(struct trace_word_model *m)
{
    m->chunk++;
    m->previous = 0;
}

static struct trace_word_expected *expect(struct trace_word_model *m, size_t slot, uint64_t *address)
{
    if (!m->expected) /* most streams have no words */
        m->expected = ZALLOC(struct trace_word_expected, m->slots + 1);
    struct trace_word_expected *e = &m->expected[slot < m->slots ? slot : m->slots];
    *address = e->chunk == m->chunk ? e->last + (uint64_t)e->step : m->previous;
    return e;
}

static void learn(struct trace_word_model *m, struct trace_word_expected *e, uint64_t address)
{
    e->step = e->chunk == m->chunk ? (int64_t)(address - e->last) : 0;
    e->last = m->previous = address;
    e->chunk = m->chunk;
}

/* ---- Packing ---- */

void trace_word_writer_add(struct trace_word_writer *w, size_t slot, uint64_t address)
{
    uint64_t expected;
    struct trace_word_expected *e = expect(&w->model, slot, &expected);
    buffer_add_signed(&w->deltas, (int64_t)(address - expected));
    learn(&w->model, e, address);
    w->count++;
    w->since_mark++;
}

void trace_word_writer_mark(struct trace_word_writer *w, enum trace_mark mark)
{
    buffer_add_varint(&w->marks, w->since_mark);
    buffer_add_varint(&w->marks, mark);
    w->since_mark = 0;
    w->mark_count++;
}

static size_t add_packed(struct buffer *out, const struct buffer *from)
{
    size_t room = ZSTD_compressBound(from->length);
    uint8_t *packed = ALLOC(uint8_t, room + 1);
    size_t size = from->length ? ZSTD_compress(packed, room, from->data, from->length, LEVEL) : 0;
    bool smaller = !ZSTD_isError(size) && size < from->length;
    buffer_add(out, smaller ? packed : from->data, smaller ? size : from->length);
    free(packed);
    return smaller ? size : from->length;
}

void trace_word_writer_drop(struct trace_word_writer *w)
{
    w->marks.length = w->deltas.length = 0;
    w->mark_count = w->count = w->since_mark = 0;
    model_restart(&w->model);
}

void trace_word_writer_pack(struct trace_word_writer *w, struct buffer *out)
{
    struct buffer marks = {0}, deltas = {0};
    size_t marks_packed = add_packed(&marks, &w->marks), deltas_packed = add_packed(&deltas, &w->deltas);
    const uint64_t sizes[] = {w->mark_count, w->marks.length,  marks_packed,
                              w->count,      w->deltas.length, deltas_packed};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        buffer_add_varint(out, sizes[i]);
    buffer_add(out, marks.data, marks.length);
    buffer_add(out, deltas.data, deltas.length);
    buffer_release(&marks);
    buffer_release(&deltas);
    trace_word_writer_drop(w);
}

void trace_word_writer_release(struct trace_word_writer *w)
{
    model_release(&w->model);
    buffer_release(&w->marks);
    buffer_release(&w->deltas);
}

/* ---- Unpacking ---- */

static bool read_packed(struct cursor *c, uint64_t packed, uint64_t unpacked, struct buffer *to)
{
    to->length = 0;
    if (packed > unpacked || packed > cursor_left(c))
        return false;
    const uint8_t *bytes = cursor_bytes(c, (size_t)packed);
    if (!unpacked)
        return true;
    uint8_t *room = buffer_room(to, (size_t)unpacked);
    if (packed == unpacked)
        memcpy(room, bytes, (size_t)unpacked);
    else if (ZSTD_decompress(room, (size_t)unpacked, bytes, (size_t)packed) != unpacked)
        return false;
    to->length = (size_t)unpacked;
    return true;
}

static void read_mark(struct trace_word_reader *r)
{
    if (!r->marks_left)
        return;
    r->before_mark = cursor_varint(&r->marks);
    uint64_t mark = cursor_varint(&r->marks);
    if (!mark || mark >= TRACE_MARKS || r->before_mark > r->left)
        r->marks.failed = true;
    r->mark = (enum trace_mark)(mark % TRACE_MARKS);
}

static struct cursor over(const struct buffer *b)
{
    return cursor_over(b->length ? b->data : (const uint8_t *)"", b->length);
}

bool trace_word_reader_begin(struct trace_word_reader *r, const void *bytes, size_t length)
{
    struct cursor c = cursor_over(length ? bytes : "", length);
    uint64_t sizes[6];
    model_restart(&r->model);
    r->left = r->marks_left = 0;
    for (size_t i = 0; i < 6; i++)
        sizes[i] = cursor_varint(&c);
    if (c.failed || sizes[0] > TRACE_CHUNK_WORDS || sizes[1] > 20ull * TRACE_CHUNK_WORDS ||
        sizes[3] > TRACE_CHUNK_WORDS || sizes[4] > 10ull * TRACE_CHUNK_WORDS || sizes[0] > sizes[1] ||
        sizes[3] > sizes[4] || !read_packed(&c, sizes[2], sizes[1], &r->mark_bytes) ||
        !read_packed(&c, sizes[5], sizes[4], &r->delta_bytes) || cursor_left(&c))
        return false;
    r->marks = over(&r->mark_bytes);
    r->deltas = over(&r->delta_bytes);
    r->marks_left = sizes[0];
    r->left = sizes[3];
    read_mark(r);
    return !r->marks.failed;
}

int trace_word_reader_next(const struct trace_word_reader *r)
{
    if (r->marks.failed || r->deltas.failed)
        return -2;
    if (r->marks_left && !r->before_mark)
        return (int)r->mark;
    return r->left ? 0 : -1;
}

bool trace_word_reader_take(struct trace_word_reader *r, size_t slot, uint64_t *address)
{
    uint64_t expected;
    if (trace_word_reader_next(r) != 0)
        return false;
    struct trace_word_expected *e = expect(&r->model, slot, &expected);
    *address = expected + (uint64_t)cursor_signed(&r->deltas);
    learn(&r->model, e, *address);
    r->left--;
    r->before_mark -= r->marks_left > 0;
    return !r->deltas.failed;
}

bool trace_word_reader_take_mark(struct trace_word_reader *r)
{
    if (trace_word_reader_next(r) <= 0)
        return false;
    r->marks_left--;
    read_mark(r);
    return !r->marks.failed;
}

void trace_word_reader_release(struct trace_word_reader *r)
{
    model_release(&r->model);
    buffer_release(&r->mark_bytes);
    buffer_release(&r->delta_bytes);
}
