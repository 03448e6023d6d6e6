/*
 * Any bytes as a unified diff, and as a source with markers. Lines come out in order, each once, and
 * everything ends.
 */
#include "report/changes.h"
#include "report/markers.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_through(const struct line_ranges *ranges)
{
    for (size_t i = 0; i < ranges->count; i++) {
        const struct line_range *range = &ranges->items[i];
        if (range->first > range->last || (i && range->first <= range[-1].last + 1))
            abort();
        if (!line_ranges_hold(ranges, range->first) || !line_ranges_hold(ranges, range->last) ||
            line_ranges_hold(ranges, range->last + 1))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct changes changes = {0};
    struct marked_lines marked;
    struct error error;
    char path[64];
    int file = memfd_create("input", MFD_CLOEXEC);
    FILE *diff = file < 0 || write(file, data, size) != (ssize_t)size ? NULL : fdopen(file, "r");
    if (!diff)
        abort();
    rewind(diff);
    changes_read(&changes, diff, "input", "/nowhere", &error);
    for (size_t i = 0; i < changes.files.count; i++)
        look_through(&changes.files.items[i].lines);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    markers_read(path, &marked);
    look_through(&marked.lines);
    look_through(&marked.branches);
    marked_lines_release(&marked);
    changes_release(&changes);
    fclose(diff);
    return 0;
}
