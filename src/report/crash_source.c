/* The source of the functions on a stack, with what each activation ran. */
#include "report/crash.h"
#include "report/source.h"
#include "report/text_parts.h"

#include <inttypes.h>

/* The lines of the file where the function is defined: first and last; false: there are none. */
static bool find_range(const struct active_lines *lines, uint32_t *first, uint32_t *last)
{
    bool any = false;
    for (size_t i = 0; i < lines->count; i++)
        if (!lines->items[i].file && lines->items[i].line) {
            *first = any ? *first : lines->items[i].line;
            *last = lines->items[i].line;
            any = true;
        }
    return any;
}

static const struct active_line *find_line(const struct active_lines *lines, uint32_t line)
{
    for (size_t i = 0; i < lines->count; i++)
        if (!lines->items[i].file && lines->items[i].line == line)
            return &lines->items[i];
    return NULL;
}

void crash_put_source(const struct history *h, const struct crash_view *view, FILE *out)
{
    static const char marks[] = {[ACTIVE_NO] = '-', [ACTIVE_MAYBE] = ' ', [ACTIVE_CERTAIN] = '+'};
    const struct palette *c = view->color ? &palette_colored : &palette_plain;
    struct active_lines lines = {0};
    struct source source;
    const char *reason, *text;
    uint32_t first = 0, last = 0;
    const struct map_line *stands = history_line(h);
    if (!h->active || !h->f->map.file_count)
        return;
    char *path = source_maps_apply(view->source_maps, h->f->map.files[0]);
    active_lines(&lines, &h->f->map, h->active, h->block, h->before ? 0 : h->lines);
    if (find_range(&lines, &first, &last) && source_open(&source, path, &reason)) {
        for (uint32_t line = 1; line <= last && (text = source_next(&source)); line++) {
            const struct active_line *at = find_line(&lines, line);
            bool here = stands && !stands->file && stands->line == line, no = at && at->active == ACTIVE_NO;
            if (line >= first)
                fprintf(out, "      %s%c %5" PRIu32 " | %s%s\n",
                        no     ? c->dim
                        : here ? c->bad
                               : "",
                        here ? '>'
                        : at ? marks[at->active]
                             : ' ',
                        line, text, no || here ? c->end : "");
        }
        source_close(&source);
    }
    ARRAY_RELEASE(&lines);
    free(path);
}
