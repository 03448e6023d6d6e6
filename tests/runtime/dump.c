/*
 * Prints data files as format/data/layout.h describes them: an oracle for the runtime that shares nothing
 * else with it. Sums are over all files.
 *
 *   file NAME flags=F watched=W runs=N clean=N exec=N exited=N signalled=N lost=N ended=N
 *        frames_lost=N event_pages=N program=P run=R
 *   module NAME I length=L build=HEX path=P
 *   slot NAME I STATE pid=P module=M thread=T uses=N
 *   event NAME KIND MODULE ADDRESS COUNT     (ADDRESS in hexadecimal)
 *   sum KEY COUNTER...          (KEY in hexadecimal)
 *
 * WATCHED and FRAMES, which all executables have, are left out of the flags.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "format/data/layout.h"

struct function {
    uint64_t key, n, *sums;
};
static struct function *functions;
static size_t function_count;
static const char *name;
static char *bytes;
static uint64_t size;

static _Noreturn void bad(const char *what)
{
    fprintf(stderr, "dump: %s: %s\n", name, what);
    exit(2);
}

static void *at(uint64_t offset, uint64_t length)
{
    if (offset > size || length > size - offset)
        bad("reaches beyond the end");
    return bytes + offset;
}

static void add(uint64_t key, uint64_t n, const uint64_t *counters)
{
    size_t i = 0;
    while (i < function_count && functions[i].key != key)
        i++;
    if (i == function_count) {
        functions = realloc(functions, ++function_count * sizeof *functions);
        functions[i] = (struct function){key, n, calloc(n + 1, 8)};
    }
    if (functions[i].n != n)
        bad("one key, two lengths");
    for (uint64_t c = 0; c < n; c++)
        functions[i].sums[c] += counters[c];
}

static void walk(const struct data_slot *slot)
{
    const uint64_t *words = at(slot->offset, slot->length);
    for (uint64_t i = 0, end = slot->length / 8; i + 2 <= end;) {
        if (words[i] == 0) {
            i++;
            continue;
        }
        if (words[i + 1] > end - i - 2)
            bad("an array is longer than its block");
        add(words[i], words[i + 1], words + i + 2);
        i += 2 + words[i + 1];
    }
}

static void print_module(uint32_t index, const struct data_module *module)
{
    if (module->state != 2)
        return;
    printf("module %s %u length=%" PRIu64 " build=", name, index, module->block_length);
    for (uint32_t i = 0; i < module->build_id_size; i++)
        printf("%02x", module->build_id[i]);
    printf(" path=%s\n", module->path);
}

static unsigned event_pages(const struct data_header *header)
{
    unsigned count = 0;
    for (uint64_t offset = header->frame_counts; offset != 0; count++)
        offset = ((const struct data_frame_count_page *)at(offset, DATA_PAGE))->next;
    return count;
}

static void print_event(uint64_t place, uint64_t count)
{
    static const char *const kinds[] = {"0", "CUT", "CUT_AT", "RESUME", "RESUME_AT", "5", "6", "7", "UNWIND"};
    uint64_t kind = place >> 56;
    printf("event %s %s %" PRIu64 " %" PRIx64 " %" PRId64 "\n", name, kind <= 8 ? kinds[kind] : "UNWIND+",
           place >> 40 & 0xffff, place & UINT64_C(0xffffffffff), (int64_t)count);
}

static void dump(void)
{
    static const char *const states[] = {"FREE", "CLAIMED", "USED", "CLEAN", "EXEC", "EXITED", "SIGNALLED"};
    const struct data_header *header = at(0, DATA_PAGE);
    if (memcmp(header->magic, DATA_MAGIC, 8) != 0 || header->version != DATA_VERSION ||
        header->kind != DATA_KIND_RUN)
        bad("not a data file");
    printf("file %s flags=%u watched=%d runs=%" PRIu64 " clean=%" PRIu64 " exec=%" PRIu64 " exited=%" PRIu64
           " signalled=%" PRIu64 " lost=%" PRIu64 " ended=%" PRIu64 " frames_lost=%" PRIu64
           " event_pages=%u program=%s run=%s\n",
           name, header->flags & ~(uint32_t)(DATA_FLAG_WATCHED | DATA_FLAG_EARLY_KEPT | DATA_FLAG_FRAMES),
           (header->flags & DATA_FLAG_WATCHED) != 0, header->runs_started, header->runs_clean,
           header->runs_exec, header->runs_exited, header->runs_signalled, header->threads_lost,
           header->threads_ended, header->frames_lost, event_pages(header), header->program, header->run);
    print_module(0, (const struct data_module *)at(DATA_MODULE_OFFSET, sizeof(struct data_module)));
    uint32_t index = 1;
    for (uint64_t offset = header->modules; offset != 0;) {
        const struct data_module_page *page = at(offset, DATA_PAGE);
        for (unsigned i = 0; i < 7; i++)
            print_module(index++, &page->modules[i]);
        offset = page->next;
    }
    unsigned number = 0;
    for (uint64_t offset = header->table; offset != 0;) {
        const struct data_table *table = at(offset, DATA_PAGE);
        for (unsigned i = 0; i < 63; i++, number++) {
            const struct data_slot *slot = &table->slots[i];
            uint32_t state = DATA_OWNER_STATE(slot->owner);
            if (state > DATA_SIGNALLED)
                bad("a slot in no state");
            if (slot->offset == 0 && state == DATA_FREE)
                continue;
            printf("slot %s %u %s pid=%u module=%u thread=%u uses=%" PRIu64 "\n", name, number, states[state],
                   DATA_OWNER_PID(slot->owner), slot->module, slot->thread, (uint64_t)slot->uses);
            if (state != DATA_CLAIMED)
                walk(slot);
        }
        offset = table->next;
    }
    for (uint64_t offset = header->frame_counts; offset != 0;) {
        const struct data_frame_count_page *page = at(offset, DATA_PAGE);
        for (unsigned i = 0; i < DATA_FRAME_COUNTS_A_PAGE; i++)
            if (page->counts[i].kind_and_address != 0)
                print_event(page->counts[i].kind_and_address, page->counts[i].count);
        offset = page->next;
    }
}

static int by_key(const void *a, const void *b)
{
    uint64_t x = ((const struct function *)a)->key, y = ((const struct function *)b)->key;
    return x < y ? -1 : x > y;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        name = argv[i];
        int descriptor = open(name, O_RDONLY);
        struct stat status;
        if (descriptor < 0 || fstat(descriptor, &status) != 0)
            bad("cannot open");
        size = (uint64_t)status.st_size;
        bytes = malloc(size + 1);
        for (uint64_t done = 0; done < size;) {
            ssize_t got = pread(descriptor, bytes + done, size - done, (off_t)done);
            if (got <= 0)
                bad("cannot read");
            done += (uint64_t)got;
        }
        close(descriptor);
        dump();
        free(bytes);
    }
    if (function_count > 0)
        qsort(functions, function_count, sizeof *functions, by_key);
    for (size_t i = 0; i < function_count; i++) {
        printf("sum %" PRIx64, functions[i].key);
        for (uint64_t c = 0; c < functions[i].n; c++)
            printf(" %" PRIu64, functions[i].sums[c]);
        printf("\n");
    }
    return 0;
}
