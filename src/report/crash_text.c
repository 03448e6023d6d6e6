/* Histories as text: the signal first, then frames as debuggers number them. */
#include "base/buffer.h"
#include "decode/lines/demangle.h"
#include "report/crash.h"
#include "report/source.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>

/* What the kernel says of a fault: what comes before the address, and after it. */
static const struct fault {
    int signal, code;
    const char *before, *after;
} faults[] = {
    {SIGSEGV, SEGV_MAPERR, "address ", " is not mapped"},
    {SIGSEGV, SEGV_ACCERR, "address ", " may not be accessed so"},
    {SIGBUS, BUS_ADRALN, "address ", " is not aligned"},
    {SIGBUS, BUS_ADRERR, "address ", " has no memory behind it"},
    {SIGFPE, FPE_INTDIV, "division by zero at ", ""},
    {SIGILL, ILL_ILLOPN, "no instruction, or a trap, at ", ""},
};

static const char *const meanings[] = {
    [CORE_NULL_POINTER] = "a null pointer was dereferenced",
    [CORE_NULL_FUNCTION] = "a null function pointer was called",
    [CORE_NO_CODE] = "control went where there is no code",
    [CORE_STACK_OVERFLOW] = "the stack overflowed",
    [CORE_TRAP] = "the program trapped, as __builtin_trap does and code that cannot be reached",
    [CORE_NO_ADDRESS] = "an address that no program can have was accessed (not canonical)",
};

char *crash_meaning(const struct core *c)
{
    struct buffer text = {0};
    if (c->exception)
        buffer_addf(&text, "nobody caught an exception of type %s%s%s", c->exception, c->what ? ": " : "",
                    c->what ? c->what : "");
    else if (c->message)
        buffer_add_text(&text, c->message);
    else if (c->meaning == CORE_SENT)
        buffer_addf(&text, "sent by process %" PRIu32, c->sender);
    else if (c->meaning == CORE_NO_ADDRESS || c->meaning == CORE_TRAP)
        buffer_add_text(&text, meanings[c->meaning]);
    else if (c->meaning != CORE_NO_MEANING)
        buffer_addf(&text, "%s (address %#" PRIx64 ")", meanings[c->meaning], c->address);
    for (size_t i = 0; i < sizeof faults / sizeof *faults && c->has_details && !text.length; i++)
        if (faults[i].signal == c->signal && faults[i].code == c->code)
            buffer_addf(&text, "%s%#" PRIx64 "%s", faults[i].before, c->address, faults[i].after);
    for (size_t i = 0; i < text.length; i++) /* the program's words: nothing that a terminal would obey */
        if ((unsigned char)text.data[i] < ' ' || text.data[i] == 0x7f)
            text.data[i] = ' ';
    char *result = text.length ? memory_string(buffer_text(&text)) : NULL;
    buffer_release(&text);
    return result;
}

char *crash_signal_text(const struct core *c)
{
    struct buffer text = {0};
    const char *name = c->signal ? sigabbrev_np(c->signal) : NULL;
    char *meaning = crash_meaning(c);
    if (!c->signal)
        buffer_add_text(&text, "no signal: the process was alive");
    else if (name)
        buffer_addf(&text, "SIG%s", name);
    else
        buffer_addf(&text, "signal %d", c->signal);
    if (meaning)
        buffer_addf(&text, ": %s", meaning);
    free(meaning);
    char *result = memory_string(buffer_text(&text));
    buffer_release(&text);
    return result;
}

const struct history *crash_failing(const struct crash *c)
{
    if (!c->threads.count)
        return NULL;
    const struct thread_history *t = &c->threads.items[0];
    for (size_t i = 0; i < t->frames.count; i++)
        for (size_t k = 0; k < t->frames.items[i].activations.count; k++)
            if (history_line(&t->frames.items[i].activations.items[k]))
                return &t->frames.items[i].activations.items[k];
    return NULL;
}

char *crash_function_name(const struct history *h, bool linkage_names)
{
    const char *name = h->f ? h->f->map.name : h->symbol;
    if (!name)
        return memory_string("??");
    return linkage_names ? memory_string(name) : demangle(name);
}

/* ---- Ways ---- */

struct printer {
    const struct history *h;
    struct buffer text;
    const char *file; /* that was named last */
    uint32_t line;
    size_t column;
};

enum { WIDTH = 96, INDENT = 8, ROUND_LINES_MOST = 20 };

static void put_word(struct printer *p, const char *word)
{
    size_t length = strlen(word);
    if (p->column + length + 1 > WIDTH) {
        buffer_addf(&p->text, "\n%*s", INDENT + 2, "");
        p->column = INDENT + 2;
    } else if (p->column > INDENT) {
        buffer_add_text(&p->text, " ");
        p->column++;
    }
    buffer_add_text(&p->text, word);
    p->column += length;
}

static void put_line(struct printer *p, const struct map_line *line, const char *prefix)
{
    const char *file = p->h->f->map.files[line->file], *slash = strrchr(file, '/');
    struct buffer word = {0};
    if (p->file == file && p->line == line->line && !*prefix)
        return;
    if (p->file == file)
        buffer_addf(&word, "%s%u", prefix, line->line);
    else
        buffer_addf(&word, "%s%s:%u", prefix, slash ? slash + 1 : file, line->line);
    put_word(p, buffer_text(&word));
    p->file = file;
    p->line = line->line;
    buffer_release(&word);
}

/* The lines of a stop: of the last one, those that had begun. */
static void put_stop(struct printer *p, const struct history_stop *stop, bool stands)
{
    const struct map_block *b = &p->h->f->map.blocks[stop->block];
    if (stop->gap)
        put_word(p, "...");
    if (stop->is_loop && b->line_count) {
        put_line(p, &b->lines[0],
                 stop->around ? stands ? "into the loop around " : "loop around "
                 : stands     ? "into the loop at "
                              : "loop ");
        p->line = 0;
        return;
    }
    uint32_t count = stands ? p->h->lines : b->line_count;
    for (uint32_t i = 0; i < count && i < b->line_count; i++)
        put_line(p, &b->lines[i], "");
}

static void put_kind(struct printer *p, const struct history_part *part, size_t times)
{
    struct buffer kind = {0};
    buffer_add_text(&kind, crash_part_kind(part));
    if (times > 1)
        buffer_addf(&kind, " (%zu times)", times);
    buffer_add_text(&kind, ":");
    put_word(p, buffer_text(&kind));
    buffer_release(&kind);
}

/* times: so many rounds like this one followed each other. */
static void put_part(const struct history *h, const struct history_part *part, size_t times, FILE *out)
{
    struct printer p = {.h = h, .column = INDENT};
    put_kind(&p, part, times);
    for (size_t i = 0; i < part->stops.count; i++)
        put_stop(&p, &part->stops.items[i], !part->completed && i + 1 == part->stops.count);
    if (!part->candidates) {
        put_word(&p, "not known:");
        put_word(&p, part->why);
    } else if (part->candidates > 1) {
        struct buffer count = {0};
        buffer_addf(&count, "(one of %s%" PRIu64 " ways)", part->candidates == UINT64_MAX ? "more than " : "",
                    part->candidates);
        put_word(&p, buffer_text(&count));
        buffer_release(&count);
    }
    fprintf(out, "%*s%s\n", INDENT, "", buffer_text(&p.text));
    buffer_release(&p.text);
}

static bool same_round(const struct history_part *a, const struct history_part *b)
{
    bool same = a->completed && b->completed && a->region == b->region && a->candidates == b->candidates &&
                a->stops.count == b->stops.count;
    for (size_t i = 0; same && i < a->stops.count; i++)
        same = a->stops.items[i].block == b->stops.items[i].block &&
               a->stops.items[i].edge == b->stops.items[i].edge &&
               a->stops.items[i].gap == b->stops.items[i].gap;
    return same;
}

/* How many parts from this one on are the same completed round. */
static size_t times_of(const struct history *h, size_t part)
{
    size_t end = part + 1;
    while (end < h->parts.count && same_round(&h->parts.items[part], &h->parts.items[end]))
        end++;
    return end - part;
}

static bool is_first_of_region(const struct history *h, size_t part)
{
    return h->parts.items[part].region &&
           (!part || h->parts.items[part - 1].region != h->parts.items[part].region);
}

/* How many of the completed rounds from this part on are left out, since there are too many lines of them. */
static size_t left_out(const struct history *h, size_t part)
{
    size_t lines = 0, end = part;
    for (; end < h->parts.count && h->parts.items[end].completed &&
           h->parts.items[end].region == h->parts.items[part].region;
         lines++)
        end += times_of(h, end);
    size_t at = part;
    for (; lines > ROUND_LINES_MOST; lines--)
        at += times_of(h, at);
    return at - part;
}

static void put_history(const struct history *h, FILE *out)
{
    if (h->why && h->f)
        fprintf(out, "%*sway: not known: %s\n", INDENT, "", h->why);
    for (size_t i = 0, times; i < h->parts.count; i += times) {
        const struct history_part *part = &h->parts.items[i];
        times = is_first_of_region(h, i) ? left_out(h, i) : 0;
        if (is_first_of_region(h, i) && part->earlier && part->earlier != HISTORY_UNKNOWN)
            fprintf(out, "%*s%" PRIu64 " earlier %s not known\n", INDENT, "", part->earlier,
                    part->earlier == 1 ? "round is" : "rounds are");
        if (times) {
            fprintf(out, "%*s%zu more are not shown (--format=json has them)\n", INDENT, "", times);
            continue;
        }
        times = times_of(h, i);
        put_part(h, part, times, out);
    }
}

/* " at FILE:LINE", where the file is now. */
static void put_position(const struct history *h, const struct map_line *line, const struct crash_view *view,
                         FILE *out)
{
    char *path = source_maps_apply(view->source_maps, h->f->map.files[line->file]);
    fprintf(out, " at %s:%u", path, line->line);
    free(path);
}

static void put_frame(const struct frame_history *f, size_t *number, const struct crash_view *view, FILE *out)
{
    for (size_t i = 0; i < f->activations.count; i++, ++*number) {
        if (view->one_frame && view->frame != *number)
            continue;
        const struct history *h = &f->activations.items[i];
        char *name = crash_function_name(h, view->linkage_names);
        const struct map_line *line = history_line(h);
        fprintf(out, "#%-3zu ", *number);
        if (i + 1 == f->activations.count)
            fprintf(out, "%#018" PRIx64 " in ", f->frame->pc);
        fputs(name, out);
        if (line)
            put_position(h, line, view, out);
        fputs(i + 1 < f->activations.count ? " (inlined)\n" : "\n", out);
        put_history(h, out);
        if (view->source)
            crash_put_source(h, view, out);
        free(name);
    }
}

/* The line of the source, if its file is there. */
static void put_source(const char *path, uint32_t line, FILE *out)
{
    struct source source;
    const char *reason, *text = NULL;
    if (!source_open(&source, path, &reason))
        return;
    for (uint32_t i = 0; i < line; i++)
        if (!(text = source_next(&source)))
            break;
    if (text)
        fprintf(out, "%6" PRIu32 " | %s\n", line, text);
    source_close(&source);
}

static void put_headline(const struct crash *c, const struct crash_view *view, FILE *out)
{
    char *signal = crash_signal_text(&c->core);
    const struct history *h = crash_failing(c);
    fprintf(out, "%s\n", signal);
    free(signal);
    if (!h)
        return;
    const struct map_line *line = history_line(h);
    char *name = crash_function_name(h, view->linkage_names);
    fprintf(out, "in %s", name);
    put_position(h, line, view, out);
    putc('\n', out);
    char *path = source_maps_apply(view->source_maps, h->f->map.files[line->file]);
    put_source(path, line->line, out);
    free(path);
    free(name);
}

static bool is_wanted(const struct crash *c, const struct crash_view *view, size_t thread)
{
    if (view->one_thread)
        return view->thread == thread + 1 || view->thread == c->threads.items[thread].thread->id;
    return view->all_threads || !thread;
}

static void put_frames(const struct thread_history *t, const struct crash_view *view, FILE *out)
{
    size_t number = 0, count = t->frames.count, hidden = crash_hidden_frames(t);
    bool folds = !view->all_frames && !view->one_frame && hidden;
    for (size_t i = 0; i < count; i++) {
        if (folds && i == CRASH_INNERMOST)
            fprintf(out, "%zu frames are not shown: --top=%zu shows all, --frame=N one\n", hidden, count);
        if (folds && i >= CRASH_INNERMOST && i < CRASH_INNERMOST + hidden)
            number += t->frames.items[i].activations.count;
        else
            put_frame(&t->frames.items[i], &number, view, out);
    }
}

bool report_crash_has(const struct crash *c, const struct crash_view *view, struct error *error)
{
    size_t threads = 0, most = 0;
    for (size_t i = 0; i < c->threads.count; i++) {
        size_t activations = 0;
        if (!is_wanted(c, view, i))
            continue;
        threads++;
        for (size_t k = 0; k < c->threads.items[i].frames.count; k++)
            activations += c->threads.items[i].frames.items[k].activations.count;
        most = activations > most ? activations : most;
    }
    if (view->one_thread && !threads)
        return error_set(error, "there is no thread %zu", view->thread);
    return !view->one_frame || view->frame < most ||
           error_set(error, "there is no frame #%zu, of %zu", view->frame, most);
}

void report_crash_text(const struct crash *c, const struct crash_view *view, FILE *out)
{
    put_headline(c, view, out);
    for (size_t i = 0; i < c->threads.count; i++) {
        const struct thread_history *t = &c->threads.items[i];
        if (!is_wanted(c, view, i))
            continue;
        fprintf(out, "\nthread %zu (%u)%s\n", i + 1, t->thread->id,
                i || !c->core.signal ? "" : ", which died");
        put_frames(t, view, out);
        if (t->frames.count < t->thread->frames.count)
            fprintf(out, "and %zu frames more\n", t->thread->frames.count - t->frames.count);
        if (t->thread->problem)
            fprintf(out, "the walk of the stack ends here: %s\n", t->thread->problem);
    }
    if (c->threads.count > 1 && !view->all_threads && !view->one_thread)
        fprintf(out, "\n%zu more threads: --all shows them\n", c->threads.count - 1);
}
