/*
 * A merged file with any content. The input is cut into the chunks; the container and the checksums around
 * them are right, or no damage would ever reach the readers behind them. What can be read is reported in
 * every format, and nothing a terminal would obey may come out.
 */
#include "base/hash.h"
#include "decode/decode.h"
#include "format/data_layout.h"
#include "report/diff.h"
#include "report/report.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHUNKS = 4 };

static void assemble(struct buffer *out, const uint8_t *data, size_t size)
{
    size_t first = size > 0 ? data[0] : 0, second = size > 1 ? data[1] : 0;
    const uint8_t *at = data + (size < 2 ? size : 2);
    size_t left = size < 2 ? 0 : size - 2;
    size_t ways = second & 0x80 && left ? at[--left] : 0; /* a fourth chunk: as long as the last byte says */
    second &= 0x7f;
    ways = ways < left ? ways : left;
    left -= ways;
    first = first < left ? first : left;
    second = second < left - first ? second : left - first;
    const size_t lengths[CHUNKS] = {first, second, left - first - second, ways};
    static const uint32_t types[CHUNKS] = {1, 2, 3, 5};
    uint32_t count = ways ? CHUNKS : CHUNKS - 1;
    struct buffer table = {0};
    uint64_t head = 64 + 16 + count * 32, offset = head;
    buffer_add_u32(&table, count);
    buffer_add_u32(&table, 0);
    for (uint32_t i = 0; i < count; i++) {
        buffer_add_u32(&table, types[i]);
        buffer_add_u32(&table, 0);
        buffer_add_u64(&table, offset);
        buffer_add_u64(&table, lengths[i]);
        buffer_add_u64(&table, hash_bytes(at + (offset - head), lengths[i]));
        offset += lengths[i];
    }
    buffer_add(out, DATA_MAGIC, 8);
    buffer_add_u32(out, DATA_VERSION);
    buffer_add_u32(out, DATA_KIND_MERGED);
    buffer_add_u32(out, 64);
    buffer_add_u32(out, 0);
    buffer_add_u64(out, offset);
    buffer_add_u64(out, 64);
    for (int i = 0; i < 3; i++)
        buffer_add_u64(out, 0);
    buffer_add_u64(out, hash_bytes(table.data, table.length));
    buffer_add(out, table.data, table.length);
    buffer_add(out, at, left + ways);
    buffer_release(&table);
}

static void show(const struct profile *p)
{
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    struct report_options options = {.branches = true, .paths = true, .neighbours = true};
    for (const struct report_format *f = report_formats; f->name; f++) {
        struct report r;
        report_init(&r, p, &options, f->for_people);
        f->write(&r, out);
        report_release(&r);
    }
    struct report all, none;
    struct diff d;
    struct report_options nothing = {.function = "no such function"};
    report_init(&all, p, &options, false);
    report_init(&none, p, &nothing, false);
    for (int way = 0; way < 3; way++) {
        diff_init(&d, way == 1 ? &none : &all, way == 2 ? &none : &all);
        diff_add_paths(&d);
        diff_write_text(&d, 0, out);
        diff_write_json(&d, 0, out);
        diff_write_html(&d, 0, out);
        diff_release(&d);
    }
    report_write_paths(&all, out);
    report_release(&all);
    report_release(&none);
    for (size_t i = 0; i < p->functions.count; i++) {
        struct graph_view v = {p, &p->functions.items[i], p->functions.items[i].map.name, true, false,
                               0, &options.source_maps};
        graph_view_text(&v, out);
        graph_view_dot(&v, out);
    }
    fclose(out);
    for (size_t i = 0; i < length; i++)
        if ((text[i] >= 0 && text[i] < ' ' && text[i] != '\n') || text[i] == 0x7f)
            abort();
    free(text);
}

static void use(const struct buffer *file)
{
    static int fd;
    static char path[64];
    if (!fd) {
        fd = memfd_create("merged", 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    }
    if (ftruncate(fd, 0) || pwrite(fd, file->data, file->length, 0) != (ssize_t)file->length)
        abort();
    struct profile p;
    struct error error;
    if (profile_read(&p, path, &error))
        profile_release(&p);
    struct decode_totals totals;
    const char *const inputs[] = {path};
    if (decode(&p, NULL, inputs, 1, NULL, &totals, &error)) {
        show(&p);
        profile_release(&p);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buffer file = {0};
    assemble(&file, data, size);
    use(&file);
    file.length = 0;
    buffer_add(&file, data, size);
    use(&file);
    buffer_release(&file);
    return 0;
}
