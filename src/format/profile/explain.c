/*
 * From causes to sentences. Causes are what files hold and what is added up; the sentences are made
 * once, at the end, so that they count all runs and read the same whatever the order of the files
 * was.
 */
#include "format/profile/profile.h"

#include <stdio.h>

static int compare_causes(const struct profile_cause_entry *a, enum profile_cause cause, const char *where)
{
    if (a->cause != cause)
        return a->cause < cause ? -1 : 1;
    return strcmp(a->where, where);
}

void profile_add_cause(struct profile *p, enum profile_cause cause, uint64_t runs, const char *where)
{
    where = where ? where : "";
    size_t at = FIRST_WITHOUT(p->causes.count, i, compare_causes(&p->causes.items[i], cause, where) < 0);
    if (at < p->causes.count && !compare_causes(&p->causes.items[at], cause, where)) {
        p->causes.items[at].runs += runs;
        return;
    }
    (void)ARRAY_ADD(&p->causes);
    memmove(&p->causes.items[at + 1], &p->causes.items[at],
            (p->causes.count - 1 - at) * sizeof *p->causes.items);
    p->causes.items[at] =
        (struct profile_cause_entry){.cause = cause, .runs = runs, .where = memory_string(where)};
}

/* "2 of 5 runs were", "the run was" */
static void add_runs(struct buffer *b, uint64_t runs, uint64_t all, const char *one, const char *many)
{
    if (all == 1)
        buffer_addf(b, "the run %s", one);
    else
        buffer_addf(b, "%llu of %llu runs %s", (unsigned long long)runs, (unsigned long long)all,
                    runs == 1 ? one : many);
}

/* "f (a.c:12), g (b.c:3) and 4 other places" for all entries of the cause, which start at *i; sets
 * *i to the entry after them. */
static void add_places(struct buffer *b, const struct profile_causes *causes, size_t *i)
{
    size_t first = *i, shown = 0;
    enum profile_cause cause = causes->items[first].cause;
    while (*i < causes->count && causes->items[*i].cause == cause)
        ++*i;
    size_t count = *i - first;
    for (; shown < count && (shown < 3 || count <= 4); shown++)
        buffer_addf(b, "%s%s",
                    shown == 0           ? ""
                    : shown + 1 == count ? " and "
                                         : ", ",
                    causes->items[first + shown].where);
    if (shown < count)
        buffer_addf(b, " and %zu other places", count - shown);
}

/* Are unfinished activations of all functions counted, so that the bounds are small? Also true if
 * nothing is counted, so that they cannot be. */
static bool is_durable(const struct profile *p)
{
    if (p->mode && !strcmp(p->mode, "trace"))
        return true;
    for (size_t i = 0; i < p->functions.count; i++) {
        const struct map_function *f = &p->functions.items[i].map;
        for (uint32_t k = 0; k < f->plan_count && !(f->flags & MAP_FUNCTION_MAIN); k++)
            if (f->plans[k].placement == PLACEMENT_BALANCE)
                return true;
    }
    return false;
}

/* advice: also say what can be done about it. */
static void add_reason(struct buffer *b, const struct profile *p, size_t *i, bool advice)
{
    const struct profile_cause_entry *entry = &p->causes.items[*i];
    uint64_t runs = entry->runs, all = p->runs;
    switch (entry->cause) {
    case CAUSE_KILLED:
        add_runs(b, runs, all, "was killed", "were killed");
        if (advice)
            buffer_addf(b, ", and nobody saw where functions stood%s",
                        is_durable(p) ? "" : "; cotree cc -fcotree-durable counts that");
        break;
    case CAUSE_RUNNING:
        add_runs(b, runs, all, "is still going on", "are still going on");
        if (advice)
            buffer_addf(b, "; more is known when %s ended%s", runs == 1 ? "it has" : "they have",
                        is_durable(p) ? "" : ", after kill -9 only with cotree cc -fcotree-durable");
        break;
    case CAUSE_UNKNOWN_OWNER:
        add_runs(b, runs, all, "was killed or is still going on in another pid namespace",
                 "were killed or are still going on in another pid namespace");
        if (advice)
            buffer_add_text(b, "; report there, or when all have ended");
        break;
    case CAUSE_EXITED:
        add_runs(b, runs, all, "ended by _exit, quick_exit or abort", "ended by _exit, quick_exit or abort");
        break;
    case CAUSE_EXEC:
        add_runs(b, runs, all, "ended by exec", "ended by exec");
        break;
    case CAUSE_MAIN:
        add_runs(b, runs, all, "ended before main returned, by an exit or a jump that nobody saw",
                 "ended before main returned, by an exit or a jump that nobody saw");
        break;
    case CAUSE_THREADS:
        add_runs(b, runs, all, "ended while other threads were alive",
                 "ended while other threads were alive");
        if (advice)
            buffer_add_text(b, ", and nobody saw where these stood");
        break;
    case CAUSE_NO_MAIN:
        buffer_add_text(b, "main carries no counters, so nobody can tell whether it returned");
        if (advice)
            buffer_add_text(b, "; a program that cotree cc has linked records what does not return");
        break;
    case CAUSE_FORKED:
        add_runs(b, runs, all, "began as a child of fork, inside unfinished functions",
                 "began as children of fork, inside unfinished functions");
        break;
    case CAUSE_LOST:
        buffer_addf(b, "%llu thread%s or librar%s could not be given counters", (unsigned long long)runs,
                    runs == 1 ? "" : "s", runs == 1 ? "y" : "ies");
        if (advice)
            buffer_add_text(b, "; COTREE=verbose makes the program say why");
        break;
    case CAUSE_NO_THREAD_HOOKS:
        buffer_add_text(
            b, "the C library did not tell when threads began and ended, so their counts may be missing");
        break;
    case CAUSE_RAW_FORK:
        buffer_add_text(b, "a process made without fork() (by clone, or a system call of its own) counted "
                           "into its parent's counters");
        break;
    case CAUSE_RESET:
        buffer_add_text(
            b, "cotree_reset was called: counts begin there, in the middle of functions that were running");
        break;
    case CAUSE_DUMPED:
        buffer_add_text(b, "the data is a copy that cotree_dump made while the program was running");
        break;
    case CAUSE_EARLY:
        if (entry->where && *entry->where)
            buffer_addf(
                b,
                "%s was run before the runtime started, by an ifunc resolver or the C library, and what "
                "it and others did then could not be kept",
                entry->where);
        else
            buffer_add_text(b, "code was run by an ifunc resolver before the runtime started, and its counts "
                               "could not be kept");
        break;
    case CAUSE_CANCELLED:
        buffer_add_text(b, "pthread_cancel was called, which ends a thread inside unfinished functions");
        break;
    case CAUSE_LONGJMP:
        buffer_add_text(b, "longjmp ran in ");
        break;
    case CAUSE_THROW:
        buffer_add_text(b, "an exception was thrown in ");
        break;
    case CAUSE_LANDED:
        buffer_add_text(b, "an exception landed in ");
        break;
    case CAUSE_SETJMP:
        buffer_add_text(
            b, "a second return, which nobody would have seen, cannot be excluded from setjmp or vfork in ");
        break;
    case CAUSE_ENDED:
        buffer_add_text(b, "the process or a thread was ended in ");
        break;
    case CAUSE_STAYED:
        buffer_add_text(b, "a call that does not return, or an endless loop, ran in ");
        break;
    case CAUSE_LEFT_OUT:
        buffer_add_text(b, "counts are left out of ");
        break;
    case CAUSE_MAP:
        buffer_add_text(b, "what some counters mean cannot be read, since the map is damaged, of ");
        break;
    case CAUSE_UNSOLVED:
        buffer_add_text(b, "there are too few counters to know the counts, since the map is damaged, of ");
        break;
    case CAUSE_IMPOSSIBLE:
        buffer_add_text(b, "the counts do not add up (what comes into a block does not go out of it) in ");
        break;
    case CAUSE_SETS:
        buffer_add_text(b, "the counts of several counter sets, or of the trace, are not the same in ");
        break;
    case CAUSE_PLACE:
        buffer_add_text(b, "a function was left for ever at a place that is not known exactly, in ");
        break;
    case CAUSE_FRAMES_LOST:
        buffer_add_text(b, "functions were left for ever, and not all of them could be recorded");
        break;
    case CAUSE_LOOP:
        buffer_addf(b, "a function was left for ever inside a loop that is counted before it runs%s, in ",
                    advice && !is_durable(p) ? " (not so with cotree cc -fcotree-durable)" : "");
        break;
    case CAUSE_TRACE:
        buffer_add_text(b, "a part of the trace is lost: ");
        break;
    case CAUSE_PLAIN_BODY:
        buffer_add_text(
            b, "the linker kept a body from a unit without counters, in which calls are not counted, of ");
        break;
    case CAUSE_COPY:
        buffer_add_text(b,
                        "code of a library ran before the library was initialized, and it is not known which "
                        "module's copy it was, of ");
        break;
    case CAUSE_NONE:
        break;
    }
    if (entry->cause >= CAUSE_LONGJMP && entry->cause != CAUSE_FRAMES_LOST)
        add_places(b, &p->causes, i);
    else
        ++*i;
}

char *profile_causes_text(const struct profile *p)
{
    struct buffer b = {0};
    for (size_t i = 0; i < p->causes.count;) {
        buffer_add_text(&b, i ? "; " : "");
        add_reason(&b, p, &i, false);
    }
    char *text = memory_string(buffer_text(&b));
    buffer_release(&b);
    return text;
}

static const char *own_reason(enum profile_cause cause)
{
    return cause == CAUSE_SETS         ? "the counts of its counter sets, or of its trace, are not the same"
           : cause == CAUSE_IMPOSSIBLE ? "its counts do not add up"
           : cause == CAUSE_PLAIN_BODY ? "its body in the program is that of a unit without counters"
           : cause == CAUSE_UNSOLVED   ? "it has too few counters, since its map is damaged"
                                       : NULL;
}

/* Names functions that have no counters though others do: their counts are missing. */
static void add_uncounted(struct profile *p)
{
    enum { SHOWN = 3 };
    const char *names[SHOWN];
    size_t count = 0;
    for (size_t i = 0; i < p->functions.count; i++)
        if (!p->functions.items[i].counted) {
            if (count < SHOWN)
                names[count] = p->functions.items[i].map.name;
            count++;
        }
    if (!count)
        return;
    struct buffer b = {0};
    for (size_t i = 0; i < count && i < SHOWN; i++)
        buffer_addf(&b, "%s%s", i == 0 ? "" : i + 1 == count ? " and " : ", ", names[i]);
    if (count > SHOWN)
        buffer_addf(&b, " and %zu other function%s", count - SHOWN, count - SHOWN == 1 ? "" : "s");
    buffer_add_text(&b, count == 1 ? " is not counted" : " are not counted");
    ARRAY_PUSH(&p->reasons, memory_string(buffer_text(&b)));
    buffer_release(&b);
}

void profile_explain(struct profile *p)
{
    for (size_t i = 0; i < p->reasons.count; i++)
        free(p->reasons.items[i]);
    p->reasons.count = 0;
    for (size_t i = 0; i < p->causes.count;) {
        struct buffer b = {0};
        add_reason(&b, p, &i, true);
        ARRAY_PUSH(&p->reasons, memory_string(buffer_text(&b)));
        buffer_release(&b);
    }
    add_uncounted(p);
    p->exact = p->reasons.count == 0;
    struct buffer first = {0};
    if (p->causes.count)
        add_reason(&first, p, &(size_t){0}, false);
    for (size_t i = 0; i < p->functions.count; i++) {
        struct profile_function *f = &p->functions.items[i];
        free(f->why);
        f->why = NULL;
        if (f->exact)
            continue;
        const char *own = own_reason(f->cause);
        f->why = memory_string(own ? own : p->causes.count ? buffer_text(&first) : "it carries no counters");
        if (!f->counted)
            f->why = (free(f->why),
                      memory_string(f->map.why_uncounted ? f->map.why_uncounted : "it carries no counters"));
    }
    buffer_release(&first);
}
