/*
 * Folded stacks, as flamegraph.pl and its relatives read them: a line is FUNCTION;PATH COUNT, or,
 * where no paths were counted, FUNCTION;FILE:LINE COUNT (the line where the block is shown,
 * block_place.h). Counts are of block runs: what a function did, split into the paths it took. A
 * frame has no ';' and no character that a terminal would obey.
 */
#include "report/block_place.h"
#include "report/path_list.h"

#include <inttypes.h>

enum { LINES_SHOWN = 40 };

static char *frame_text(const char *text)
{
    char *frame = printable(text);
    for (char *s = frame; *s; s++)
        if (*s == ';')
            *s = ':';
    return frame;
}

static void put_lines(FILE *out, const struct map_function *f, const struct path_shown *path, int64_t runs)
{
    size_t count;
    struct map_line *lines = path_lines(f, path, &count);
    for (size_t i = 0; i < count && i < LINES_SHOWN; i++)
        fprintf(out, "%s%" PRIu32, i ? "," : " lines ", lines[i].line);
    fprintf(out, "%s %" PRIu64 "\n", count > LINES_SHOWN ? ",..." : "", (uint64_t)runs * path->block_count);
    free(lines);
}

static void put_paths(FILE *out, const struct profile_function *f, const char *name)
{
    struct paths paths;
    if (!paths_init(&paths, &f->map))
        return;
    for (uint64_t id = 0; id < paths.numbers.total; id++) {
        if (f->path_counts[id] <= 0)
            continue;
        struct path_shown path = paths_show(&paths, id);
        fprintf(out, "%s;#%" PRIu64, name, id);
        put_lines(out, &f->map, &path, f->path_counts[id]);
    }
    struct cut_paths cut;
    cut_paths_init(&cut, &paths, f);
    for (size_t i = 0; i < cut.ways.count; i++) {
        struct path_shown path = cut_path_show(&cut.ways.items[i]);
        fprintf(out, "%s;unfinished", name);
        put_lines(out, &f->map, &path, cut.ways.items[i].count);
    }
    cut_paths_release(&cut);
    paths_release(&paths);
}

static void put_blocks(FILE *out, const struct profile_function *f, const char *name)
{
    struct map_line *places = block_places(&f->map);
    for (uint32_t b = 0; b + 1 < f->map.graph.vertex_count; b++) {
        if (f->block_counts[b] <= 0)
            continue;
        if (places[b].line) {
            const char *file = f->map.files[places[b].file], *slash = strrchr(file, '/');
            char *frame = frame_text(slash ? slash + 1 : file);
            fprintf(out, "%s;%s:%" PRIu32 " %" PRId64 "\n", name, frame, places[b].line, f->block_counts[b]);
            free(frame);
        } else {
            fprintf(out, "%s;block %" PRIu32 " %" PRId64 "\n", name, b, f->block_counts[b]);
        }
    }
    free(places);
}

void report_write_folded(const struct report *r, FILE *out)
{
    for (size_t i = 0; i < r->view.functions.count && !ferror(out); i++) {
        const struct profile_function *f = &r->view.functions.items[i];
        char *name = frame_text(r->functions[i].name);
        if (f->path_counts)
            put_paths(out, f, name);
        else if (f->counted)
            put_blocks(out, f, name);
        free(name);
    }
}
