/*
 * A merged file with any content. The input is cut into chunks, of every type; the container and
 * the checksums around them are made right; otherwise no damage would ever reach the readers of
 * chunks. A file that can be read is reported in every format, and nothing that a terminal would
 * obey may come out.
 */
#include "base/hash.h"
#include "decode/decode.h"
#include "format/data/layout.h"
#include "report/diff.h"
#include "report/report.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 64, CHUNKS_MAX = 8 }; /* of seven types, and one that is there twice */

struct chunk {
    uint32_t type;
    size_t length;
    const uint8_t *bytes;
};

/* Cuts an input that is a merged file, as seeds are, by its table. */
static uint32_t cut_by_table(struct chunk chunks[CHUNKS_MAX], const uint8_t *data, size_t size)
{
    struct {
        uint32_t type, zero;
        uint64_t offset, length, hash;
    } entry;
    uint32_t count = 0, most = 0;
    if (size >= HEAD + 16)
        memcpy(&most, data + HEAD + 8, sizeof most);
    most = most < CHUNKS_MAX ? most : CHUNKS_MAX;
    for (size_t at = HEAD + 16; count < most && at + sizeof entry <= size; at += sizeof entry) {
        memcpy(&entry, data + at, sizeof entry);
        if (entry.zero || entry.offset > size || entry.length > size - entry.offset)
            break;
        chunks[count++] =
            (struct chunk){.type = entry.type, .length = entry.length, .bytes = data + entry.offset};
    }
    return count;
}

/* Cuts any other input. Each chunk is its type, two bytes with its length, and its bytes. */
static uint32_t cut(struct chunk chunks[CHUNKS_MAX], const uint8_t *data, size_t size)
{
    uint32_t count = 0;
    if (size > HEAD && !memcmp(data, DATA_MAGIC, 8))
        return cut_by_table(chunks, data, size);
    while (size >= 3 && count < CHUNKS_MAX) {
        size_t length = data[1] | (size_t)data[2] << 8;
        length = length < size - 3 ? length : size - 3;
        chunks[count++] = (struct chunk){.type = data[0], .length = length, .bytes = data + 3};
        data += 3 + length;
        size -= 3 + length;
    }
    return count;
}

static void assemble(struct buffer *out, const uint8_t *data, size_t size)
{
    struct chunk chunks[CHUNKS_MAX];
    struct buffer table = {0}, bytes = {0};
    uint32_t count = cut(chunks, data, size);
    uint64_t head = HEAD + 16 + count * 32;
    buffer_add_u32(&table, count);
    buffer_add_u32(&table, 0);
    for (uint32_t i = 0; i < count; i++) {
        buffer_add_u32(&table, chunks[i].type);
        buffer_add_u32(&table, 0);
        buffer_add_u64(&table, head + bytes.length);
        buffer_add_u64(&table, chunks[i].length);
        buffer_add_u64(&table, hash_bytes(chunks[i].bytes, chunks[i].length));
        buffer_add(&bytes, chunks[i].bytes, chunks[i].length);
    }
    buffer_add(out, DATA_MAGIC, 8);
    buffer_add_u32(out, DATA_VERSION);
    buffer_add_u32(out, DATA_KIND_MERGED);
    buffer_add_u32(out, HEAD);
    buffer_add_u32(out, 0);
    buffer_add_u64(out, head + bytes.length);
    buffer_add_u64(out, HEAD);
    for (int i = 0; i < 3; i++)
        buffer_add_u64(out, 0);
    buffer_add_u64(out, hash_bytes(table.data, table.length));
    buffer_add(out, table.data, table.length);
    buffer_add(out, bytes.data, bytes.length);
    buffer_release(&table);
    buffer_release(&bytes);
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
    struct report_options nothing = {
        .filter.functions = {.items = (const char *[]){"no such function"}, .count = 1}};
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

/* Could it be read? */
static bool use(const struct buffer *file)
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
    bool read = decode(&p, NULL, inputs, 1, NULL, &totals, &error);
    if (read) {
        show(&p);
        profile_release(&p);
    }
    return read;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buffer file = {0};
    assemble(&file, data, size);
    if (!use(&file) && getenv("FUZZ_SEEDS"))
        __builtin_trap(); /* a seed that reaches nothing any more */
    file.length = 0;
    buffer_add(&file, data, size);
    use(&file);
    buffer_release(&file);
    return 0;
}
