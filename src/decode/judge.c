/*
 * When is a profile exact? Counters are exact at every moment; what is derived from them assumes that every
 * activation ran from its entry to its exit. So the question is whether each activation ended by returning
 * (or never began). A run is called exact when
 *
 *  1. its process ended by itself, exit handlers run (state CLEAN), and
 *  2. every activation of main ended: main carries a counter for activations begun and one for ended, which
 * no other count is derived from. exit() below main, and a longjmp or an exception out of main, leave it
 * unbalanced; and
 *  3. no other thread was alive at the end (its block would still be USED), or none that counts: one that had
 * not counted yet is looked at again, since it may have begun while the process ended. Threads that ended
 * gave their blocks back; and
 *  4. nothing ran that drops frames while the process goes on: longjmp, throw, a landing pad, a call that
 * ends the thread or process, a call that never returned (hazards of the map, and virtual edges); and
 *  5. no flag of the file says that something was lost, inherited (fork) or cut (reset, dump).
 *
 * Why derived counts can be trusted in 4, although a cut frame makes them wrong. An activation that is cut at
 * block v adds one unit along the tree path from v to the root (algorithms section 1). A block from which
 * nothing but its virtual edge leads on (a call that does not return) is a leaf whose only way out goes
 * straight to EXIT; since EXIT - root is a tree edge too, no tree path passes it backwards. Its derived count
 * is never below the true one, so a longjmp, a throw or an exit made by counted code is never missed. The
 * way out of a landing pad weighs nothing in the plan, so in edge profiles it carries a counter of its own
 * (instrument.c), and the landing pad's count is not derived at all. An exception that code without counters
 * both throws and catches, with frames of counted code in between, is seen by the runtime alone.
 *
 * setjmp alone is harmless; a second return is not. longjmp in counted code is seen by itself; wherever else
 * it is called, the runtime of an executable sees it (flag WATCHED says that it would have, JUMPED that it
 * did). Where nobody watched, a setjmp that ran makes the run inexact. vfork always returns twice.
 *
 * exit called in main itself leaves no frame behind but main's, whose block ends in a virtual edge and whose
 * end is counted just before the call: exact. Calls that end the process or the thread anywhere else are not.
 */
#include "decode/judge.h"
#include "decode/solve.h"

struct processes {
    uint64_t alive, gone, unknown; /* with a block in use */
};

/* Distinct processes that own blocks in use. */
static struct processes count_owners(const struct data_file *d)
{
    struct processes p = {0};
    struct hash_map seen = {0};
    for (size_t i = 0; i < d->slots.count; i++) {
        const struct data_slot *slot = &d->slots.items[i];
        if (DATA_OWNER_STATE(slot->owner) != DATA_USED)
            continue;
        const uint64_t name[3] = {DATA_OWNER_PID(slot->owner), slot->start_time, slot->pid_namespace};
        bool added;
        hash_map_put(&seen, hash_bytes(name, sizeof name), &added);
        if (!added)
            continue;
        switch (data_owner_judge(slot)) {
        case DATA_OWNER_ALIVE:
            p.alive++;
            break;
        case DATA_OWNER_GONE:
            p.gone++;
            break;
        case DATA_OWNER_UNKNOWN:
            p.unknown++;
            break;
        }
    }
    hash_map_release(&seen);
    return p;
}

static uint64_t minus(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void add_if(struct profile *verdict, enum profile_cause cause, uint64_t runs)
{
    if (runs)
        profile_add_cause(verdict, cause, runs, NULL);
}

/* Rules 1, 3 and 5. Returns the number of runs that did not end clean. */
static uint64_t judge_endings(const struct data_file *d, struct profile *verdict)
{
    const struct data_header *h = &d->header;
    uint64_t open = minus(h->runs_started, h->runs_clean);
    uint64_t exec = smaller(h->runs_exec, open), exited = smaller(h->runs_exited, open - exec);
    uint64_t rest = open - exec - exited;
    struct processes owners = count_owners(d);
    uint64_t running = smaller(owners.alive, rest), unknown = smaller(owners.unknown, rest - running);
    uint64_t killed = rest - running - unknown;
    add_if(verdict, CAUSE_KILLED, killed);
    add_if(verdict, CAUSE_RUNNING, running);
    add_if(verdict, CAUSE_UNKNOWN_OWNER, unknown);
    add_if(verdict, CAUSE_EXITED, exited);
    add_if(verdict, CAUSE_EXEC, exec);
    /* More processes left blocks in use than were cut short: they ended, their threads did not. */
    add_if(verdict, CAUSE_THREADS, minus(owners.alive + owners.gone + owners.unknown, rest));
    add_if(verdict, CAUSE_LOST,
           h->threads_lost ? h->threads_lost : (h->flags & DATA_FLAG_LOST_THREAD ? 1 : 0));
    static const struct {
        uint32_t flag;
        enum profile_cause cause;
    } flags[] = {{DATA_FLAG_NO_THREAD_HOOKS, CAUSE_NO_THREAD_HOOKS},
                 {DATA_FLAG_RAW_FORK, CAUSE_RAW_FORK},
                 {DATA_FLAG_RESET, CAUSE_RESET},
                 {DATA_FLAG_DUMPED, CAUSE_DUMPED},
                 {DATA_FLAG_FORKED, CAUSE_FORKED},
                 {DATA_FLAG_EARLY, CAUSE_EARLY},
                 {DATA_FLAG_CANCELLED, CAUSE_CANCELLED}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        add_if(verdict, flags[i].cause, h->flags & flags[i].flag ? 1 : 0);
    return open;
}

/* Rule 2. Returns the number of activations of main that did not end. */
static int64_t judge_main(const struct judge_file *file, uint64_t open, struct profile *verdict)
{
    bool counted = false;
    int64_t begun = 0, ended = 0;
    for (size_t m = 0; m < file->module_count; m++)
        for (size_t i = 0; i < file->modules[m]->functions.count; i++) {
            const struct map_function *map = &file->modules[m]->functions.items[i]->map;
            for (uint32_t k = 0; map->flags & MAP_FUNCTION_MAIN && k < map->plan_count; k++)
                counted |= map->plans[k].placement == PLACEMENT_BALANCE;
        }
    for (size_t i = 0; i < file->touched_count; i++) {
        int64_t one_begun, one_ended;
        if (file->touched[i]->map.flags & MAP_FUNCTION_MAIN &&
            solve_balance(&file->touched[i]->map, file->touched[i]->file, &one_begun, &one_ended)) {
            begun += one_begun;
            ended += one_ended;
        }
    }
    const struct data_header *h = &file->data->header;
    int64_t unfinished = begun - ended;
    if (!counted)
        profile_add_cause(verdict, CAUSE_NO_MAIN, h->runs_started, NULL);
    else if (unfinished > (int64_t)open)
        profile_add_cause(verdict, CAUSE_MAIN, (uint64_t)unfinished - open, NULL);
    else if (unfinished < 0)
        profile_add_cause(verdict, CAUSE_MAIN, (uint64_t)-unfinished, NULL);
    else if (ended < (int64_t)h->runs_clean) /* exit in a constructor, or a child of fork that called exit */
        profile_add_cause(verdict, CAUSE_MAIN, h->runs_clean - (uint64_t)ended, NULL);
    return unfinished < 0 ? -unfinished : unfinished;
}

/* Does an ifunc resolver of this file's modules call what may count? In a dynamic program that is overwritten
 * when the loader fills thread-local storage, and leaves no trace. */
static bool may_have_counted_early(const struct judge_file *file)
{
    for (size_t m = 0; m < file->module_count; m++)
        for (size_t i = 0; i < file->modules[m]->functions.count; i++) {
            const struct map_function *f = &file->modules[m]->functions.items[i]->map;
            for (uint32_t b = 0; f->flags & MAP_FUNCTION_UNCOUNTED && b < graph_exit(&f->graph); b++)
                if (f->blocks[b].hazards & MAP_HAZARD_EARLY)
                    return true;
        }
    return false;
}

/* "f (a.c:12)": the last line of the block, where the call that matters stands. */
static char *place_name(const struct map_function *f, uint32_t block)
{
    struct buffer b = {0};
    buffer_add_text(&b, f->name);
    const struct map_block *at = &f->blocks[block];
    if (at->line_count) {
        const struct map_line *line = &at->lines[at->line_count - 1];
        const char *file = f->files[line->file], *slash = strrchr(file, '/');
        buffer_addf(&b, " (%s:%u)", slash ? slash + 1 : file, line->line);
    }
    char *text = memory_string(buffer_text(&b));
    buffer_release(&b);
    return text;
}

static void add_place(struct profile *verdict, enum profile_cause cause, const struct map_function *f,
                      uint32_t block)
{
    char *where = place_name(f, block);
    profile_add_cause(verdict, cause, 1, where);
    free(where);
}

/* Does nothing but its virtual edge lead on? */
static bool is_dead_end(const struct graph *g, uint32_t block)
{
    for (uint32_t e = 0; e < g->edge_count; e++)
        if (g->edges[e].from == block && g->edges[e].kind != EDGE_VIRTUAL)
            return false;
    return true;
}

/* Rule 4 for one function. */
static void judge_hazards(const struct decode_function *f, const struct solved *s, bool jumps_known,
                          struct profile *verdict)
{
    static const struct {
        uint32_t hazard;
        enum profile_cause cause;
    } hazards[] = {{MAP_HAZARD_LONGJMP, CAUSE_LONGJMP},
                   {MAP_HAZARD_THROW, CAUSE_THROW},
                   {MAP_HAZARD_LANDING_PAD, CAUSE_LANDED},
                   {MAP_HAZARD_SETJMP, CAUSE_SETJMP},
                   {MAP_HAZARD_EXIT, CAUSE_ENDED}};
    const struct graph *g = &f->map.graph;
    bool is_main = f->map.flags & MAP_FUNCTION_MAIN;
    for (uint32_t b = 0; b < graph_exit(g); b++) {
        uint32_t found = f->map.blocks[b].hazards;
        if (!found || !s->block_counts[b])
            continue;
        if (jumps_known && !(found & MAP_HAZARD_FORK)) /* vfork is both */
            found &= ~(uint32_t)MAP_HAZARD_SETJMP;
        if (is_main && is_dead_end(g, b))
            found &= ~(uint32_t)MAP_HAZARD_EXIT;
        for (size_t i = 0; i < sizeof hazards / sizeof *hazards; i++)
            if (found & hazards[i].hazard)
                add_place(verdict, hazards[i].cause, &f->map, b);
    }
    for (uint32_t e = 0; e < g->edge_count; e++) {
        uint32_t from = g->edges[e].from;
        if (g->edges[e].kind != EDGE_VIRTUAL || f->map.blocks[from].hazards ||
            (is_main && is_dead_end(g, from)))
            continue;
        /* Without edge counts the block stands for its virtual edge: right for dead ends, and never too few.
         */
        if (s->has_edges ? s->edge_counts[e] : s->block_counts[from])
            add_place(verdict, CAUSE_STAYED, &f->map, from);
    }
}

static bool all_zero(const struct decode_function *f)
{
    for (uint32_t i = 0; i < f->counters; i++)
        if (f->file[i])
            return false;
    return true;
}

bool judge(const struct judge_file *file, struct profile *verdict, int64_t *main_error, struct error *error)
{
    uint64_t open = judge_endings(file->data, verdict);
    add_if(verdict, CAUSE_THREADS, file->late_threads);
    if (!(file->data->header.flags & (DATA_FLAG_EARLY | DATA_FLAG_EARLY_KEPT)) &&
        may_have_counted_early(file))
        profile_add_cause(verdict, CAUSE_EARLY, 1, NULL);
    int64_t unfinished = judge_main(file, open, verdict);
    uint32_t flags = file->data->header.flags;
    bool jumps_known = flags & DATA_FLAG_WATCHED && !(flags & DATA_FLAG_JUMPED), possible = true,
         jumped = false, thrown = false, ended = false;
    verdict->runs += file->data->header.runs_started;
    for (size_t i = 0; i < file->touched_count; i++) {
        struct decode_function *f = file->touched[i];
        if (f->set == SET_NONE || all_zero(f))
            continue;
        struct solved s = solver_solve(&f->solver, file->room, &f->map, f->set, f->file);
        if (possible && (s.result == FLOW_NEGATIVE || s.result == FLOW_CONTRADICTION)) {
            possible = false;
            error_set(error, "is damaged: the counters of function '%s' contradict each other", f->map.name);
        }
        if (f->solvable_blocks)
            judge_hazards(f, &s, jumps_known, verdict);
    }
    for (size_t i = 0; i < verdict->causes.count; i++) {
        enum profile_cause cause = verdict->causes.items[i].cause;
        jumped |= cause == CAUSE_LONGJMP;
        thrown |= cause == CAUSE_THROW || cause == CAUSE_LANDED;
        ended |= cause == CAUSE_ENDED;
    }
    if (flags & DATA_FLAG_JUMPED && !jumped)
        profile_add_cause(verdict, CAUSE_LONGJMP, 1, "code without counters");
    if (flags & DATA_FLAG_THROWN && !thrown)
        profile_add_cause(verdict, CAUSE_THROW, 1, "code without counters");
    if (flags & DATA_FLAG_THREAD_EXIT && !ended)
        profile_add_cause(verdict, CAUSE_ENDED, 1, "code without counters");
    /* The bound for main holds when frames were only cut, not resumed: one unit for each activation that did
     * not end. */
    *main_error = unfinished;
    for (size_t i = 0; i < verdict->causes.count; i++) {
        enum profile_cause cause = verdict->causes.items[i].cause;
        if (cause > CAUSE_THREADS && cause != CAUSE_ENDED && cause != CAUSE_STAYED)
            *main_error = MAX_ERROR_UNKNOWN;
    }
    return possible ||
           verdict->causes.count; /* where frames were cut, counts below zero are to be expected */
}
