/* Histories as JSON: docs/cotree-crash.1.scd describes it. */
#include "report/crash.h"
#include "report/json_parts.h"

#include <inttypes.h>
#include <string.h>

static void put_line(FILE *out, const struct history *h, const struct map_line *line, const char *more,
                     bool *any)
{
    json_put_member(out, *any ? ",{\"file\":" : "{\"file\":", h->f->map.files[line->file]);
    fprintf(out, ",\"line\":%u%s}", line->line, more);
    *any = true;
}

static void put_lines(FILE *out, const struct history *h, const struct history_part *part)
{
    bool any = false;
    for (size_t i = 0; i < part->stops.count; i++) {
        const struct history_stop *stop = &part->stops.items[i];
        const struct map_block *b = &h->f->map.blocks[stop->block];
        uint32_t count = b->line_count;
        if (stop->is_loop && count)
            count = 1;
        else if (i + 1 == part->stops.count && !part->completed && h->lines < count)
            count = h->lines;
        for (uint32_t k = 0; k < count; k++)
            put_line(out, h, &b->lines[k],
                     stop->is_loop     ? stop->gap ? ",\"loop\":true,\"gap\":true" : ",\"loop\":true"
                     : stop->gap && !k ? ",\"gap\":true"
                                       : "",
                     &any);
    }
}

/* Blocks and edges are those of `cotree graph`. */
static void put_stops(FILE *out, const struct history_part *part)
{
    for (size_t i = 0; i < part->stops.count; i++) {
        const struct history_stop *stop = &part->stops.items[i];
        fprintf(out, "%s{\"block\":%u,\"loop\":%s,\"gap\":%s%s}", i ? "," : "", stop->block,
                json_truth(stop->is_loop), json_truth(stop->gap), stop->around ? ",\"around\":true" : "");
    }
}

static void put_part(FILE *out, const struct history *h, const struct history_part *part)
{
    fprintf(out, "{\"region\":%u,\"kind\":\"%s\",\"complete\":%s,\"candidates\":", part->region,
            crash_part_kind(part), json_truth(part->candidates == 1));
    json_put_count(out, part->candidates, (int64_t)(part->candidates & INT64_MAX));
    if (!part->candidates)
        json_put_member(out, ",\"why\":", part->why);
    fputs(",\"earlier_rounds\":", out);
    json_put_count(out, part->earlier != HISTORY_UNKNOWN, (int64_t)(part->earlier & INT64_MAX));
    fputs(",\"lines\":[", out);
    put_lines(out, h, part);
    fputs("],\"blocks\":[", out);
    put_stops(out, part);
    fputs("]}", out);
}

static void put_active(FILE *out, const struct history *h, enum active wanted, const char *blocks,
                       const char *lines)
{
    struct active_lines all = {0};
    const char *between = "";
    fprintf(out, "\"%s\":[", blocks);
    for (uint32_t b = 0; b < graph_exit(&h->f->map.graph); b++)
        if (h->active[b] == wanted) {
            fprintf(out, "%s%u", between, b);
            between = ",";
        }
    fprintf(out, "],\"%s\":[", lines);
    active_lines(&all, &h->f->map, h->active, h->block, h->before ? 0 : h->lines);
    bool any = false;
    for (size_t i = 0; i < all.count; i++)
        if (all.items[i].active == wanted) {
            const struct map_line line = {.file = all.items[i].file, .line = all.items[i].line};
            put_line(out, h, &line, "", &any);
        }
    fputs("]", out);
    ARRAY_RELEASE(&all);
}

static void put_frame(FILE *out, const struct frame_history *f, size_t depth, size_t skipped)
{
    const struct history *h = &f->activations.items[depth];
    char *name = crash_function_name(h, false);
    const struct map_line *line = history_line(h);
    json_put_member(out, "{\"function\":", name);
    json_put_member(out, ",\"linkage_name\":", h->f ? h->f->map.name : h->symbol);
    json_put_member(out, ",\"file\":", line ? h->f->map.files[line->file] : NULL);
    fputs(",\"line\":", out);
    json_put_count(out, line, line ? line->line : 0);
    fprintf(out, ",\"pc\":\"%#" PRIx64 "\",\"inlined\":%s,\"unique\":%s,\"candidates\":", f->frame->pc,
            json_truth(depth + 1 < f->activations.count), json_truth(history_is_unique(h)));
    uint64_t candidates = history_candidates(h);
    json_put_count(out, candidates, (int64_t)(candidates & INT64_MAX));
    if (h->f)
        fprintf(out, ",\"key\":\"%016" PRIx64 "\",\"block\":%u", h->f->map.key, h->block);
    if (h->why)
        json_put_member(out, ",\"why\":", h->why);
    if (h->active) {
        fputs(",\"active\":{", out);
        put_active(out, h, ACTIVE_CERTAIN, "certain_blocks", "certain");
        fputs(",", out);
        put_active(out, h, ACTIVE_NO, "ruled_out_blocks", "ruled_out");
        fputs("}", out);
    }
    if (skipped)
        fprintf(out, ",\"skipped\":%zu", skipped);
    fputs(",\"history\":[", out);
    for (size_t i = 0; i < h->parts.count; i++) {
        fputs(i ? "," : "", out);
        put_part(out, h, &h->parts.items[i]);
    }
    fputs("]}", out);
    free(name);
}

static void put_thread(FILE *out, const struct crash *c, size_t number, bool folded)
{
    const struct thread_history *t = &c->threads.items[number];
    size_t hidden = folded ? crash_hidden_frames(t) : 0, skipped = 0;
    bool any = false;
    fprintf(out, "%s\n{\"id\":%u,\"signal\":%d", number ? "," : "", t->thread->id,
            number ? 0 : c->core.signal);
    if (t->thread->problem)
        json_put_member(out, ",\"problem\":", t->thread->problem);
    fputs(",\"frames\":[", out);
    for (size_t i = 0; i < t->frames.count; i++) {
        size_t activations = t->frames.items[i].activations.count;
        if (i >= CRASH_INNERMOST && i < CRASH_INNERMOST + hidden) {
            skipped += activations;
            continue;
        }
        for (size_t k = 0; k < activations; k++, skipped = 0) {
            fputs(any ? ",\n" : "\n", out);
            put_frame(out, &t->frames.items[i], k, skipped);
            any = true;
        }
    }
    fputs("]}", out);
}

static void put_never_ran(FILE *out, const struct crash *c)
{
    struct crash_names names = {0};
    if (!crash_never_ran(c, &names)) {
        fputs("null", out);
        return;
    }
    fputs("[", out);
    for (size_t i = 0; i < names.count; i++)
        json_put_member(out, i ? "," : "", names.items[i]);
    fputs("]", out);
    ARRAY_RELEASE(&names);
}

static void put_crash(const struct crash *c, bool folded, FILE *out)
{
    char *signal = crash_signal_text(&c->core);
    json_put_member(out, "{\"cause\":", signal);
    free(signal);
    char *meaning = crash_meaning(&c->core);
    const struct history *h = crash_failing(c);
    const char *name = c->core.signal ? sigabbrev_np(c->core.signal) : NULL;
    json_put_member(out, ",\"signal\":", name);
    fprintf(out, ",\"number\":%d,\"address\":", c->core.signal);
    if (c->core.has_details && c->core.code > 0)
        fprintf(out, "\"%#" PRIx64 "\"", c->core.address);
    else
        fputs("null", out);
    json_put_member(out, ",\"meaning\":", meaning);
    json_put_member(out, ",\"message\":", c->core.message);
    json_put_member(out, ",\"exception\":", c->core.exception);
    json_put_member(out, ",\"what\":", c->core.what);
    free(meaning);
    fputs(",\"at\":", out);
    if (h) {
        char *function = crash_function_name(h, false);
        const struct map_line *line = history_line(h);
        json_put_member(out, "{\"function\":", function);
        json_put_member(out, ",\"file\":", h->f->map.files[line->file]);
        fprintf(out, ",\"line\":%u}", line->line);
        free(function);
    } else {
        fputs("null", out);
    }
    fputs(",\"problems\":[", out);
    for (size_t i = 0; i < c->core.problems.count; i++)
        json_put_member(out, i ? "," : "", c->core.problems.items[i]);
    fputs("],\"never_ran\":", out);
    put_never_ran(out, c);
    fputs(",\"threads\":[", out);
    for (size_t i = 0; i < c->threads.count; i++)
        put_thread(out, c, i, folded);
    fputs("]}\n", out);
}

void report_crash_json(const struct crash *c, FILE *out)
{
    put_crash(c, false, out);
}

void report_crash_json_folded(const struct crash *c, FILE *out)
{
    put_crash(c, true, out);
}
