/* Histories as text: the signal first, then frames as debuggers number them. */
#include "base/buffer.h"
#include "decode/lines/demangle.h"
#include "report/crash.h"

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

static void add_fault(struct buffer *text, const struct core *c)
{
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (faults[i].signal == c->signal && faults[i].code == c->code)
            buffer_addf(text, ": %s%#" PRIx64 "%s", faults[i].before, c->address, faults[i].after);
    if (c->signal == SIGSEGV && c->code == SI_KERNEL)
        buffer_add_text(text, ": an address that no program can have");
}

char *crash_signal_text(const struct core *c)
{
    struct buffer text = {0};
    const char *name = c->signal ? sigabbrev_np(c->signal) : NULL;
    if (!c->signal)
        buffer_add_text(&text, "no signal: the process was alive");
    else if (name)
        buffer_addf(&text, "SIG%s", name);
    else
        buffer_addf(&text, "signal %d", c->signal);
    if (c->has_details)
        add_fault(&text, c);
    char *result = memory_string(buffer_text(&text));
    buffer_release(&text);
    return result;
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

enum { WIDTH = 96, INDENT = 8 };

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
        put_line(p, &b->lines[0], stands ? "into the loop at " : "loop ");
        p->line = 0;
        return;
    }
    uint32_t count = stands ? p->h->lines : b->line_count;
    for (uint32_t i = 0; i < count && i < b->line_count; i++)
        put_line(p, &b->lines[i], "");
}

static void put_part(const struct history *h, const struct history_part *part, FILE *out)
{
    struct printer p = {.h = h, .column = INDENT};
    put_word(&p, part->region ? "last round:" : "way:");
    for (size_t i = 0; i < part->stops.count; i++)
        put_stop(&p, &part->stops.items[i], i + 1 == part->stops.count);
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

static void put_history(const struct history *h, FILE *out)
{
    if (h->why && h->f)
        fprintf(out, "%*sway: not known: %s\n", INDENT, "", h->why);
    for (size_t i = 0; i < h->parts.count; i++)
        put_part(h, &h->parts.items[i], out);
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
            fprintf(out, " at %s:%u", h->f->map.files[line->file], line->line);
        fputs(i + 1 < f->activations.count ? " (inlined)\n" : "\n", out);
        put_history(h, out);
        free(name);
    }
}

void report_crash_text(const struct crash *c, const struct crash_view *view, FILE *out)
{
    char *signal = crash_signal_text(&c->core);
    fprintf(out, "%s\n", signal);
    free(signal);
    for (size_t i = 0; i < c->threads.count && (!i || view->all_threads); i++) {
        const struct thread_history *t = &c->threads.items[i];
        size_t number = 0;
        fprintf(out, "\nthread %u%s\n", t->thread->id, i || !c->core.signal ? "" : " (it died)");
        for (size_t k = 0; k < t->frames.count; k++)
            put_frame(&t->frames.items[k], &number, view, out);
        if (t->thread->problem)
            fprintf(out, "the walk of the stack ends here: %s\n", t->thread->problem);
    }
    if (c->threads.count > 1 && !view->all_threads)
        fprintf(out, "\n%zu more threads: --all shows them\n", c->threads.count - 1);
}
