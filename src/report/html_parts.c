/* Islands and escapes: what pages are made of. */
#include "report/html.h"
#include "base/text.h"
#include "report/deflate.h"

/* Adds two digits for each twelve bits. */
static void add_base64(struct buffer *b, const uint8_t *data, size_t length)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static char pairs[4096][2];
    for (uint32_t i = 0; i < 4096 && !pairs[4095][0]; i++) {
        pairs[i][0] = digits[i >> 6];
        pairs[i][1] = digits[i & 63];
    }
    char *to = (char *)buffer_room(b, length / 3 * 4 + 4);
    size_t at = 0;
    for (; at + 3 <= length; at += 3, to += 4) {
        uint32_t bits = (uint32_t)data[at] << 16 | (uint32_t)data[at + 1] << 8 | data[at + 2];
        memcpy(to, pairs[bits >> 12], 2);
        memcpy(to + 2, pairs[bits & 4095], 2);
    }
    if (at < length) {
        uint32_t bits = (uint32_t)data[at] << 16 | (length - at > 1 ? (uint32_t)data[at + 1] << 8 : 0);
        memcpy(to, pairs[bits >> 12], 2);
        to[2] = length - at > 1 ? digits[bits >> 6 & 63] : '=';
        to[3] = '=';
    }
    b->length += (length + 2) / 3 * 4;
}

/* An element of the page, its data in parts. */
static void begin_element(struct buffer *to, uint32_t number)
{
    buffer_addf(to, "<script type=\"application/octet-stream\" id=\"i%u\">", number);
}

static void add_to_element(struct islands *all, struct buffer *to, const void *data, size_t length, bool last)
{
    if (!all->deflater)
        all->deflater = deflater_new();
    deflate_add(all->deflater, &all->packed, data, length, last);
    size_t whole = last ? all->packed.length : all->packed.length / 3 * 3; /* three bytes are four digits */
    add_base64(to, all->packed.data, whole);
    all->packed.length -= whole;
    memmove(all->packed.data, all->packed.data + whole, all->packed.length);
    if (last)
        buffer_add_text(to, "</script>\n");
}

uint32_t islands_add(struct islands *all, const void *data, size_t length)
{
    begin_element(&all->text, all->count);
    add_to_element(all, &all->text, data, length, true);
    return all->count++;
}

static uint32_t add_source(struct islands *all, struct source *source)
{
    size_t length;
    begin_element(&all->text, all->count);
    for (const char *part; (part = source_part(source, &length));)
        add_to_element(all, &all->text, part, length, false);
    add_to_element(all, &all->text, "", 0, true);
    return all->count++;
}

void islands_release(struct islands *all)
{
    buffer_release(&all->text);
    buffer_release(&all->packed);
    deflater_free(all->deflater);
    *all = (struct islands){0};
}

void html_put_text(FILE *out, const char *text)
{
    for (const char *s = text; *s;) {
        size_t length = text_character(s);
        if (length == 0 || text_is_control(s))
            fputs("\xef\xbf\xbd", out); /* U+FFFD */
        else if (strchr("&<>\"'", *s))
            fprintf(out, "&#%d;", *s);
        else
            fwrite(s, 1, length, out);
        s += length ? length : 1;
    }
}

void html_add_number(struct buffer *b, int64_t number)
{
    enum { ROOM = 24 };
    uint8_t digits[ROOM], *to = buffer_room(b, ROOM);
    size_t at = ROOM;
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
    do
        digits[--at] = (uint8_t)('0' + rest % 10);
    while (rest /= 10);
    if (number < 0)
        digits[--at] = '-';
    for (size_t i = at; i < ROOM; i++) /* few: a call would cost more */
        *to++ = digits[i];
    b->length += ROOM - at;
}

void html_add_count(struct buffer *b, int64_t count)
{
    if (count < 0) {
        buffer_add_text(b, "null");
    } else if (count >> 53) {
        buffer_addf(b, "\"%lld\"", (long long)count);
    } else {
        html_add_number(b, count);
    }
}

void html_add_text(struct buffer *b, const char *text)
{
    if (!text) {
        buffer_add_text(b, "null");
        return;
    }
    buffer_add_text(b, "\"");
    for (const char *s = text; *s;) {
        size_t length = text_character(s);
        if (length == 0) {
            buffer_add_text(b, "\\ufffd");
            s++;
            continue;
        }
        if (text_is_control(s)) {
            uint32_t code = text_code_point(s);
            buffer_addf(b, "\\u%04x", text_changes_direction(code) ? 0xfffd : code);
        } else {
            if (*s == '"' || *s == '\\')
                buffer_add_text(b, "\\");
            buffer_add(b, s, length);
        }
        s += length;
    }
    buffer_add_text(b, "\"");
}

struct html_source_island html_add_file(struct islands *all, const char *path, const char *program)
{
    struct html_source_island result = {.state = HTML_SOURCE_MISSING, .path = source_short_path(path)};
    struct source source;
    if (source_open(&source, path, &result.reason)) {
        result.state = source_newer(path, program) ? HTML_SOURCE_NEWER : HTML_SOURCE_FOUND;
        result.island = add_source(all, &source);
        source_close(&source);
    }
    return result;
}

struct html_source_island html_add_source(struct islands *all, const struct report *r, const char *file)
{
    char *mapped = source_maps_apply(&r->options->source_maps, file);
    struct html_source_island result;
    if (r->options->no_source)
        result =
            (struct html_source_island){.state = HTML_SOURCE_LEFT_OUT, .path = source_short_path(mapped)};
    else
        result = html_add_file(all, mapped, r->whole->program);
    free(mapped);
    return result;
}

/* ---- The page ---- */

/* The skeleton up to the next mark "{{NAME}}", whose name is left in *mark; "" at the end. */
static const char *put_until_mark(FILE *out, const char *skeleton, char mark[16])
{
    const char *open = strstr(skeleton, "{{"), *close = open ? strstr(open, "}}") : NULL;
    size_t length = close ? (size_t)(close - open) - 2 : 0;
    fwrite(skeleton, 1, close ? (size_t)(open - skeleton) : strlen(skeleton), out);
    memcpy(mark, close ? open + 2 : "", length < 15 ? length : 15);
    mark[length < 15 ? length : 15] = '\0';
    return close ? close + 2 : "";
}

void html_put_page(FILE *out, const struct html_page *page)
{
    char mark[16];
    struct buffer index = {0};
    begin_element(&index, 0);
    add_to_element(page->islands, &index, page->index->data, page->index->length, true);
    for (const char *rest = html_page_html; *rest;) {
        rest = put_until_mark(out, rest, mark);
        if (!strcmp(mark, "title"))
            html_put_text(out, page->title);
        else if (!strcmp(mark, "css-hash"))
            fputs(html_page_css_hash, out);
        else if (!strcmp(mark, "js-hash"))
            fputs(html_page_js_hash, out);
        else if (!strcmp(mark, "css"))
            fputs(html_page_css, out);
        else if (!strcmp(mark, "js"))
            fputs(html_page_js, out);
        else if (!strcmp(mark, "head"))
            page->put_head(out, page->context);
        else if (!strcmp(mark, "index"))
            fwrite(index.data, 1, index.length, out);
        else if (!strcmp(mark, "islands"))
            fwrite(page->islands->text.data, 1, page->islands->text.length, out);
    }
    buffer_release(&index);
}

/* Names the files that made the result inexact, if there are several files. */
static void put_inexact_files(FILE *out, const struct profile *p)
{
    enum { SHOWN = 20 };
    const struct profile_files *files = &p->inexact_files;
    if (!files->count || p->runs < 2)
        return;
    fprintf(out, "<details class=\"facts\"><summary>%llu file%s made it so</summary><ul>",
            (unsigned long long)files->all, files->all == 1 ? "" : "s");
    for (size_t i = 0; i < files->count && i < SHOWN; i++) {
        fputs("<li>", out);
        html_put_text(out, files->items[i].path);
        if (files->items[i].pid)
            fprintf(out, ", process %llu", (unsigned long long)files->items[i].pid);
        fputs(": ", out);
        html_put_text(out, files->items[i].why);
        fputs("</li>", out);
    }
    fputs(files->all > SHOWN ? "<li>…</li></ul></details>\n" : "</ul></details>\n", out);
}

void html_put_exactness(FILE *out, const struct report *r, const char *of)
{
    const struct profile *p = r->whole;
    char runs[COUNT_TEXT];
    fprintf(out, "<p class=\"exactness%s\"><b>%s</b> · ", p->exact ? "" : " bad",
            p->exact ? "✓ Exact" : "≈ Not exact");
    html_put_text(out, of);
    fprintf(out, "%s run%s", count_text(runs, (int64_t)p->runs), p->runs == 1 ? "" : "s");
    for (size_t i = 0; i < p->reasons.count; i++) {
        char *reason = report_reason(r, p->reasons.items[i]);
        fputs(i ? "; " : ": ", out);
        html_put_text(out, reason);
        free(reason);
    }
    fputs("</p>\n", out);
    put_inexact_files(out, p);
}

void html_put_build(FILE *out, const struct profile *p)
{
    char build[17] = "unknown"; /* so much of a build id is shown */
    if (p->build_id && *p->build_id)
        snprintf(build, sizeof build, "%s", p->build_id);
    fputs("build ", out);
    html_put_text(out, build);
}

void html_put_sum(FILE *out, const char *what, const char *verb, uint64_t part, uint64_t whole)
{
    char a[COUNT_TEXT], b[COUNT_TEXT], percent[COUNT_TEXT];
    if (!whole)
        return;
    fprintf(out,
            "<div class=\"sum\" data-sum=\"%s\"><h2>%s</h2><b>%s</b><progress max=\"%llu\" "
            "value=\"%llu\"></progress>"
            "<span>%s of %s %s</span></div>\n",
            what, what, percent_text(percent, part, whole), (unsigned long long)whole,
            (unsigned long long)part, count_text(a, (int64_t)part), count_text(b, (int64_t)whole), verb);
}
