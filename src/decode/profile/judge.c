/*
 * When is a profile exact? Counters are exact at every moment. What is derived from them assumes
 * that every activation ran from its entry to its exit, or that it is known where it was cut or
 * resumed. That is certain in two cases.
 *
 * WHERE FRAMES ARE RECORDED (flag FRAMES of the file: an executable with its own runtime) every
 * activation that was cut or resumed has a frame count with its place, and solving takes it into
 * account (decode/frames/frames.c). Unknown is only
 *  1. what threads did that were killed: slots still USED while their process is gone. Each such
 *     thread has at most one unfinished activation of a function that can never be active twice in
 *     a thread, that is, lies on no cycle of calls (decode/model/call_cycles.c); and
 *  2. what flags of the file say was lost, shared or cut (FRAMES_LOST, reset, dump, ...); and
 *  3. frame counts whose place cannot be told, or lies in a loop whose counts were made ahead; they
 *     are doubted one by one, before this. What threads that were killed had counted ahead is not
 *     known: all that such counters hold may be.
 *
 * More is known of functions that count their unfinished activations (decode/frames/unfinished.c),
 * also where frames were left unrecorded, as long as none was resumed.
 *
 * main's own balance (below) is still asked: it shares nothing with the frame counts, and must
 * agree with them.
 *
 * WHERE FRAMES ARE NOT RECORDED a run is called exact when
 *  1. its process ended by itself, exit handlers run (state CLEAN), and
 *  2. every activation of main ended: main carries a counter for activations begun and one for
 *     ended, which no other count is derived from. exit() below main, and a longjmp or an exception
 *     out of main, leave it unbalanced; and
 *  3. no other thread was alive at the end (its slot would still be USED), or none that counts: one
 *     that had not counted yet is looked at again, since it may have begun while the process ended.
 *     Threads that ended gave their slots back; and
 *  4. nothing ran that drops frames while the process goes on: longjmp, throw, a landing pad, a
 *     call that ends the thread or process, a call that never returned (hazards of the map, and
 *     virtual edges); and
 *  5. no flag of the file says that something was lost, inherited (fork) or cut (reset, dump).
 *
 * Why derived counts can be trusted in 4, although a cut frame makes them wrong. An activation that
 * is cut at block v adds one unit along the tree path from v to the root (algorithms section 1). A
 * block from which nothing but its virtual edge leads on (a call that does not return) is a leaf
 * whose only way out goes straight to EXIT; since EXIT - root is a tree edge too, no tree path
 * passes it backwards. Its derived count is never below the true one, so a longjmp, a throw or an
 * exit made by counted code is never missed. The way out of a landing pad weighs nothing in the
 * plan, so in edge profiles it carries a counter of its own (instrument/unit.c), and the landing
 * pad's count is not derived at all. An exception that code without counters both throws and
 * catches, with frames of counted code in between, is seen by the runtime alone.
 *
 * A function whose entries follow from its calls has them wrong when a caller was cut, and EXIT -
 * root is no edge of its tree: so every virtual edge and every way out of a block with a hazard
 * carries a counter there (instrument/count/derived.c).
 *
 * setjmp alone is harmless; a second return is not. longjmp in counted code is seen by itself;
 * wherever else it is called, the runtime of an executable sees it (flag WATCHED says that it would
 * have, JUMPED that it did). Where the runtime did not watch, a setjmp that ran makes the run
 * inexact. vfork always returns twice.
 *
 * A call of exit in main itself cuts no frame but main's, whose block ends in a virtual edge and
 * whose end is counted just before the call: exact. Calls that end the process or the thread
 * anywhere else are not.
 */
#include "decode/profile/judge.h"
#include "decode/model/call_cycles.h"
#include "decode/profile/derived.h"
#include "decode/model/error_bounds.h"
#include "decode/model/moved.h"
#include "decode/model/solve.h"
#include "decode/frames/unfinished.h"

struct processes {
    uint64_t alive, gone, unknown; /* processes with a slot in use */
};

/* Counts the distinct processes that own slots in use. */
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

struct judging {
    const struct judge_file *file;
    struct profile *verdict;
    /* Frames are recorded. */
    bool recorded;
    /* A cause was found that touches any count, by an unknown amount. */
    bool unbounded;
    /* Threads were stopped at unknown places. */
    bool threads_cut;
    /* An unknown number of frames was left by calls that do not come back. */
    bool left;
    /* Activations that stayed in a call although no frame count says so. */
    int64_t unseen;
    /* Runs whose main may not have ended. */
    uint64_t open;
};

static void add_unbounded(struct judging *j, enum profile_cause cause, uint64_t runs, const char *where)
{
    if (!runs)
        return;
    profile_add_cause(j->verdict, cause, runs, where);
    j->unbounded = true;
}

static void add_left(struct judging *j, enum profile_cause cause, uint64_t runs, const char *where)
{
    if (!runs)
        return;
    profile_add_cause(j->verdict, cause, runs, where);
    j->left = true;
}

static void add_cut_threads(struct judging *j, enum profile_cause cause, uint64_t runs)
{
    if (!runs)
        return;
    profile_add_cause(j->verdict, cause, runs, NULL);
    j->threads_cut = true;
}

/* Adds how runs ended, and what flags say. */
static void judge_endings(struct judging *j)
{
    const struct data_header *h = &j->file->data->header;
    uint64_t open = minus(h->runs_started, h->runs_clean);
    uint64_t exec = smaller(h->runs_exec, open), exited = smaller(h->runs_exited, open - exec);
    uint64_t signalled = smaller(h->runs_signalled, open - exec - exited);
    uint64_t rest = open - exec - exited - signalled;
    struct processes owners = count_owners(j->file->data);
    uint64_t running = smaller(owners.alive, rest), unknown = smaller(owners.unknown, rest - running);
    uint64_t killed = rest - running - unknown;
    /* What was going on when a copy was made goes on: nothing was killed. */
    bool copied = h->flags & DATA_FLAG_DUMPED;
    j->open = j->recorded ? rest : open;
    if (copied)
        killed = running = unknown = 0;
    add_cut_threads(j, CAUSE_KILLED, killed + (j->recorded ? 0 : signalled));
    add_unbounded(j, CAUSE_RUNNING, running, NULL);
    add_unbounded(j, CAUSE_UNKNOWN_OWNER, unknown, NULL);
    add_left(j, CAUSE_EXITED, j->recorded ? 0 : exited, NULL);
    add_left(j, CAUSE_EXEC, j->recorded ? 0 : exec, NULL);
    /* More processes left slots in use than were cut short: they ended, their threads did not. */
    if (!copied)
        add_cut_threads(j, CAUSE_THREADS, minus(owners.alive + owners.gone + owners.unknown, rest));
    add_unbounded(j, CAUSE_THREADS, j->file->late_threads, NULL);
    add_unbounded(j, CAUSE_LOST,
                  h->threads_lost ? h->threads_lost : (h->flags & DATA_FLAG_LOST_THREAD ? 1 : 0), NULL);
    static const struct {
        uint32_t flag;
        enum profile_cause cause;
        bool recorded; /* no cause where frames are recorded */
    } flags[] = {{DATA_FLAG_NO_THREAD_HOOKS, CAUSE_NO_THREAD_HOOKS, false},
                 {DATA_FLAG_RAW_FORK, CAUSE_RAW_FORK, false},
                 {DATA_FLAG_RESET, CAUSE_RESET, false},
                 {DATA_FLAG_DUMPED, CAUSE_DUMPED, false},
                 {DATA_FLAG_FORKED, CAUSE_FORKED, true},
                 {DATA_FLAG_EARLY, CAUSE_EARLY, false},
                 {DATA_FLAG_CANCELLED, CAUSE_CANCELLED, true}};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        add_unbounded(j, flags[i].cause, h->flags & flags[i].flag && !(j->recorded && flags[i].recorded),
                      NULL);
    /* A child of fork may have been one of those whose frames were not recorded. */
    if (h->flags & DATA_FLAG_FRAMES_LOST)
        (h->flags & DATA_FLAG_FORKED ? add_unbounded : add_left)(j, CAUSE_FRAMES_LOST, 1, NULL);
}

/* Adds to a sum and takes from it. False when the sum is no number any more: files may hold any. */
static bool adds(int64_t *sum, int64_t more, int64_t less)
{
    return !__builtin_add_overflow(*sum, more, sum) && !__builtin_sub_overflow(*sum, less, sum);
}

/* Sums up cuts and resumes of main as its counter of ends should see them: an activation that is
 * cut at the last call of a dead end has counted as ended, and so may have one that a signal
 * stopped at its return. False if they are too many. */
static bool expect_unfinished(const struct decode_function *f, int64_t *least, int64_t *most)
{
    bool fits = true;
    const struct graph *g = &f->map.graph;
    for (size_t i = 0; i < f->file.frames.count; i++) {
        const struct profile_frame *frame = &f->file.frames.items[i];
        bool ended =
            profile_is_dead_end(g, frame->block) && frame->call == f->map.blocks[frame->block].call_count;
        bool returning = false;
        for (uint32_t e = 0; frame->between && e < g->edge_count; e++)
            returning |= g->edges[e].from == frame->block && g->edges[e].kind == EDGE_EXIT;
        fits &= adds(least, ended || returning ? 0 : frame->cuts, frame->resumes) &&
                adds(most, ended ? 0 : frame->cuts, frame->resumes);
    }
    return fits && adds(most, f->file.cut_anywhere, 0);
}

/* Did main end as often as it began? Returns the number of its activations that did not, as far as
 * it is not known where. */
static int64_t judge_main(struct judging *j)
{
    const struct judge_file *file = j->file;
    bool counted = false, fits = true;
    int64_t begun = 0, ended = 0, least = 0, most = 0, unfinished, unknown;
    for (size_t m = 0; m < file->module_count; m++)
        for (size_t i = 0; i < file->modules[m]->functions.count; i++) {
            const struct map_function *map = &file->modules[m]->functions.items[i]->map;
            for (uint32_t k = 0; map->flags & MAP_FUNCTION_MAIN && k < map->plan_count; k++)
                counted |= map->plans[k].placement == PLACEMENT_BALANCE;
        }
    for (size_t i = 0; i < file->touched_count; i++) {
        int64_t one_begun, one_ended;
        const struct decode_function *f = file->touched[i];
        if (f->map.flags & MAP_FUNCTION_MAIN &&
            solve_balance(&f->map, f->file.counters, &one_begun, &one_ended)) {
            fits &= adds(&begun, one_begun, 0) && adds(&ended, one_ended, 0);
            if (j->recorded)
                fits &= expect_unfinished(f, &least, &most);
        }
    }
    const struct data_header *h = &file->data->header;
    if (!fits || __builtin_sub_overflow(begun, ended, &unfinished) ||
        __builtin_sub_overflow(unfinished, most, &unknown) ||
        __builtin_sub_overflow(unknown, j->open, &unknown) ||
        __builtin_sub_overflow(unfinished, least, &unfinished)) {
        add_unbounded(j, CAUSE_MAIN, 1, NULL);
        return MAX_ERROR_UNKNOWN;
    }
    if (!counted)
        add_left(j, CAUSE_NO_MAIN, j->recorded ? 0 : h->runs_started, NULL);
    else if (unknown > 0)
        add_left(j, CAUSE_MAIN, (uint64_t)unknown, NULL);
    else if (unfinished < 0) /* after cotree_reset its beginning is forgotten, and that is said */
        add_unbounded(j, CAUSE_MAIN, h->flags & DATA_FLAG_RESET ? 0 : -(uint64_t)unfinished, NULL);
    else if (!j->recorded && ended < (int64_t)h->runs_clean)
        /* exit in a constructor, or a child of fork that called exit */
        add_left(j, CAUSE_MAIN, h->runs_clean - (uint64_t)ended, NULL);
    if (!counted && j->recorded)
        return MAX_ERROR_UNKNOWN;
    return unfinished == INT64_MIN ? MAX_ERROR_UNKNOWN : unfinished < 0 ? -unfinished : unfinished;
}

/* Does an ifunc resolver of this file's modules call what may count? In a dynamic program its
 * counts are overwritten when the loader fills thread-local storage, and leave no trace. */
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

static void add_place(struct judging *j, enum profile_cause cause, const struct map_function *f,
                      uint32_t block)
{
    char *where = place_name(f, block);
    add_left(j, cause, 1, where);
    free(where);
}

/* Rule 4 for one function. */
static void judge_hazards(struct judging *j, const struct decode_function *f, const struct solved *s,
                          bool jumps_known)
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
        uint32_t found = f->map.blocks[b].hazards & MAP_HAZARDS;
        if (!found || !s->block_counts[b])
            continue;
        if (jumps_known && !(found & MAP_HAZARD_FORK)) /* vfork is both */
            found &= ~(uint32_t)MAP_HAZARD_SETJMP;
        if (is_main && profile_is_dead_end(g, b))
            found &= ~(uint32_t)MAP_HAZARD_EXIT;
        for (size_t i = 0; i < sizeof hazards / sizeof *hazards; i++)
            if (found & hazards[i].hazard)
                add_place(j, hazards[i].cause, &f->map, b);
    }
    for (uint32_t e = 0; e < g->edge_count; e++) {
        uint32_t from = g->edges[e].from;
        if (g->edges[e].kind != EDGE_VIRTUAL || f->map.blocks[from].hazards & MAP_HAZARDS ||
            (is_main && profile_is_dead_end(g, from)))
            continue;
        /* Without edge counts the block stands for its virtual edge: right for dead ends, and never
         * too few. */
        if (s->has_edges ? s->edge_counts[e] : s->block_counts[from])
            add_place(j, CAUSE_STAYED, &f->map, from);
    }
}

static bool all_zero(const struct decode_function *f)
{
    for (uint32_t i = 0; f->file.counters && i < f->counter_count; i++)
        if (f->file.counters[i])
            return false;
    return true;
}

int64_t judge_interrupted(const struct data_file *d)
{
    int64_t sum = 0;
    for (size_t i = 0; i < d->frame_counts.count; i++) {
        uint32_t kind = DATA_FRAME_KIND(d->frame_counts.items[i].kind_and_address);
        int64_t count = (int64_t)d->frame_counts.items[i].count;
        if (kind == DATA_FRAME_CUT_AT || kind == DATA_FRAME_RESUME_AT)
            sum = error_plus(sum, count == INT64_MIN ? MAX_ERROR_UNKNOWN : count < 0 ? -count : count);
    }
    return sum;
}

/*
 * Where frames are recorded, no activation stays for ever at a dead end, in a call that does not
 * come back, but those that are recorded there. Counts share nothing with records, so this finds a
 * jump that the runtime did not see.
 */
static void judge_records(struct judging *j, const struct decode_function *f, const struct solved *s)
{
    const struct graph *g = &f->map.graph;
    int64_t *stayed = ZALLOC(int64_t, g->vertex_count);
    bool *goes_on = ZALLOC(bool, g->vertex_count);
    for (uint32_t e = 0; e < g->edge_count; e++) {
        goes_on[g->edges[e].from] |= g->edges[e].kind != EDGE_VIRTUAL;
        if (s->has_edges && g->edges[e].kind == EDGE_VIRTUAL)
            stayed[g->edges[e].from] = s->edge_counts[e];
    }
    for (uint32_t b = 0; b < graph_exit(g) && !s->has_edges; b++)
        stayed[b] = s->block_counts[b];
    for (size_t i = 0; i < f->file.frames.count; i++) {
        const struct profile_frame *frame = &f->file.frames.items[i];
        uint64_t known = (uint64_t)frame->cuts - (s->has_edges ? 0 : (uint64_t)frame->resumes);
        stayed[frame->block] = (int64_t)((uint64_t)stayed[frame->block] - known);
    }
    for (uint32_t b = 0; b < graph_exit(g); b++)
        if (!goes_on[b])
            j->unseen = error_plus(j->unseen, stayed[b]);
    free(stayed);
    free(goes_on);
}

/* main is entered as often as it begins. */
static void judge_entries(struct judging *j, const struct decode_function *f, const struct solved *s)
{
    int64_t begun, ended;
    if (!judge_interrupted(j->file->data) && solve_balance(&f->map, f->file.counters, &begun, &ended) &&
        begun != s->entries)
        j->unseen = MAX_ERROR_UNKNOWN;
}

/* Are the counts wrong by no more than was said already? A frame whose place is not known is missing
 * where it was cut: less flows out of a block than into it, or a count comes out below zero. */
static bool is_within_bound(const struct decode_function *f, const struct solved *s, const int64_t *gains)
{
    const struct graph *g = &f->map.graph;
    int64_t error = f->file.error, *excess = ZALLOC(int64_t, g->vertex_count);
    bool within = error > 0 && s->entries >= -error;
    for (uint32_t b = 0; b < graph_exit(g); b++)
        within = within && s->block_counts[b] >= -error;
    for (uint32_t e = 0; s->has_edges && e < g->edge_count && within; e++) {
        const struct edge *edge = &g->edges[e];
        within = s->edge_counts[e] >= -error && adds(&excess[edge->to], s->edge_counts[e], 0) &&
                 adds(&excess[edge->from], 0, s->edge_counts[e]);
    }
    for (uint32_t v = 0; s->has_edges && v < g->vertex_count && within; v++)
        within = adds(&excess[v], gains[v], 0) && excess[v] >= -error && excess[v] <= error;
    free(excess);
    return within;
}

/* Solves one function, looks for hazards in it and hands on its calls; false when its counts cannot
 * be true. */
static bool judge_function(struct judging *j, struct decode_function *f, bool jumps_known)
{
    const struct judge_file *file = j->file;
    int64_t *gains = NULL;
    if (f->file.frames.count) {
        gains = ALLOC(int64_t, f->map.graph.vertex_count);
        profile_frames_gains(&f->file.frames, &f->map.graph, gains);
    }
    file_counts_allocate(f); /* it may have no counters here, but was called */
    struct solved s = solver_solve(&f->solver, file->room, &f->map, f->set, f->file.counters, f->file.entries,
                                   &f->file.frames, gains);
    bool wrong = s.result == FLOW_NEGATIVE || s.result == FLOW_CONTRADICTION;
    /* A count that was made ahead is missing where it should flow on: its bound is declared. */
    bool ahead =
        s.result == FLOW_NEGATIVE &&
        (moved_error(f) != 0 || (f->map.plans[f->set].placement == PLACEMENT_REST && f->file.unsure));
    if (wrong && f->file.frames.count && !ahead && !is_within_bound(f, &s, gains)) {
        /* In the other cases that is to be expected. */
        if (!j->threads_cut && !j->left && !j->unbounded)
            profile_add_cause(j->verdict, CAUSE_IMPOSSIBLE, 0, f->map.name);
        file->doubt(file->context, f, MAX_ERROR_UNKNOWN);
        f->file.unsure = true;
    }
    free(gains);
    wrong = wrong && !f->file.unsure; /* counts that are doubted may come out below zero */
    if (f->shows_cuts && !j->recorded)
        judge_hazards(j, f, &s, jumps_known);
    if (f->shows_cuts && j->recorded && !f->file.unsure)
        judge_records(j, f, &s);
    if (f->map.flags & MAP_FUNCTION_MAIN && !f->file.unsure)
        judge_entries(j, f, &s);
    derived_hand_on(f, s.block_counts, &f->file.frames, DERIVED_FILE);
    return !wrong;
}

/*
 * Solves every function that ran, callers first: this finds counts that cannot be true. Where
 * frames were placed in a function that contradicts itself, only this function and those that it
 * hands entries are not relied on. Where frames are not recorded, hazards are looked for.
 */
static bool judge_functions(struct judging *j, struct error *error)
{
    const struct judge_file *file = j->file;
    uint32_t flags = file->data->header.flags;
    bool jumps_known = flags & DATA_FLAG_WATCHED && !(flags & DATA_FLAG_JUMPED), possible = true;
    for (size_t m = 0; m < file->module_count; m++) {
        struct decode_module *module = file->modules[m];
        derived_link(module);
        for (size_t i = 0; i < module->functions.count; i++) {
            module->functions.items[i]->file.entries = 0;
            module->functions.items[i]->file.unsure = module->functions.items[i]->file.error != 0;
        }
        for (size_t i = 0; i < module->functions.count; i++) {
            struct decode_function *f = module->order[i];
            if (f->set == SET_NONE)
                continue;
            bool ran = f->file.frames.count || f->file.entries || !all_zero(f);
            if (ran && !judge_function(j, f, jumps_known) && possible) {
                possible = false;
                error_set(error, "is damaged: the counters of function '%s' contradict each other",
                          f->map.name);
            }
            for (uint32_t k = 0; f->file.unsure && k < f->derived.site_count; k++)
                f->derived.sites[k].callee->file.unsure = true;
        }
    }
    return possible;
}

/* A caller whose counts may be wrong may have called that much more or less. */
static void hand_on_doubts(struct judging *j)
{
    const struct judge_file *file = j->file;
    for (size_t m = 0; m < file->module_count; m++)
        for (size_t i = 0; i < file->modules[m]->functions.count; i++) {
            const struct decode_function *f = file->modules[m]->order[i];
            for (uint32_t k = 0; f->file.error && k < f->derived.site_count; k++)
                file->doubt(file->context, f->derived.sites[k].callee, derived_error(f->file.error));
        }
}

/* Adds what code without counters did, and the runtime has seen, while frames were not recorded. */
static void judge_seen(struct judging *j)
{
    uint32_t flags = j->file->data->header.flags;
    bool jumped = false, thrown = false, ended = false;
    for (size_t i = 0; i < j->verdict->causes.count; i++) {
        enum profile_cause cause = j->verdict->causes.items[i].cause;
        jumped |= cause == CAUSE_LONGJMP;
        thrown |= cause == CAUSE_THROW || cause == CAUSE_LANDED;
        ended |= cause == CAUSE_ENDED;
    }
    add_left(j, CAUSE_LONGJMP, flags & DATA_FLAG_JUMPED && !jumped, "code without counters");
    add_left(j, CAUSE_THROW, flags & DATA_FLAG_THROWN && !thrown, "code without counters");
    add_left(j, CAUSE_ENDED, flags & DATA_FLAG_THREAD_EXIT && !ended, "code without counters");
}

/* Threads of the module that were stopped inside, at unknown places. */
static int64_t cut_threads(const struct judge_file *file, const struct decode_module *m)
{
    int64_t threads = 0;
    for (size_t i = 0; i < file->data->slots.count; i++) {
        const struct data_slot *slot = &file->data->slots.items[i];
        threads += DATA_OWNER_STATE(slot->owner) == DATA_USED && file->module_of[slot->module] == m;
    }
    return threads;
}

/* How many handlers may interrupt a thread, and one another: each signal does so once at a time. */
static int64_t count_handlers(const struct judging *j, const struct decode_module *m)
{
    enum { SIGNALS = 64 };
    return j->recorded ? __builtin_popcountll(j->file->data->header.handled) : m->handlers ? SIGNALS : 0;
}

/* Frames that may have been interrupted anywhere, as far as it was not recorded where; and those
 * recorded. */
static int64_t interrupted_frames(const struct judging *j, const struct decode_module *m)
{
    const struct data_file *d = j->file->data;
    const struct data_header *h = &d->header;
    int64_t threads = cut_threads(j->file, m);
    if (j->left) { /* endings that were not recorded leave other threads where they were */
        for (size_t i = 0; i < d->slots.count; i++)
            threads += DATA_OWNER_STATE(d->slots.items[i].owner) > DATA_CLEAN;
        const uint64_t endings[] = {h->runs_exited, h->runs_exec, h->runs_signalled, h->frames_lost};
        for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
            threads = error_plus(threads, (int64_t)endings[i]); /* more than fit: unknown */
    }
    int64_t anywhere = error_times(threads, 1 + count_handlers(j, m));
    return error_plus(anywhere, j->recorded ? judge_interrupted(d) : 0);
}

/* Can counted ends bound what happened? Handlers that jump out cut frames that stood in no call. */
static bool are_ends_enough(const struct judging *j, const struct decode_module *m)
{
    return !count_handlers(j, m) ||
           (j->recorded && !j->left && !(j->file->data->header.flags & DATA_FLAG_NESTED));
}

static int64_t smaller_error(int64_t a, int64_t b)
{
    return a == MAX_ERROR_UNKNOWN || (b != MAX_ERROR_UNKNOWN && b < a) ? b : a;
}

/*
 * The bound where threads were cut and all else was recorded. Every such thread has at most one
 * unfinished activation of a function that lies on no cycle of calls; those of main are counted.
 * Each adds at most one unit along a path of the tree, and lacks what was done since the last count
 * that reached memory: a branch or call is taken at most as often as one stretch of code counts it.
 */
static int64_t cut_threads_error(const struct decode_function *f, int64_t threads, int64_t unfinished_mains)
{
    int64_t error;
    bool is_main = f->map.flags & MAP_FUNCTION_MAIN && unfinished_mains >= 0;
    if ((f->code.on_cycle && !is_main) ||
        __builtin_mul_overflow(is_main ? unfinished_mains : threads, 1 + f->code.most_pending, &error))
        return MAX_ERROR_UNKNOWN;
    return error;
}

/* Where nothing tells of frames that were left unrecorded, all activations but the recorded ones
 * must have ended. If not, something left them unseen, and may have come back unseen, wherever a
 * call was made. */
static void judge_unseen(struct judging *j)
{
    const struct judge_file *file = j->file;
    if (j->threads_cut && !j->left)
        j->unseen = 0; /* threads that were cut explain it, and have a bound of their own */
    if (j->left || j->threads_cut || j->unbounded)
        return;
    for (size_t i = 0; i < file->touched_count && !judge_interrupted(file->data); i++)
        if (file->touched[i]->set != SET_NONE)
            j->unseen = error_plus(j->unseen, unfinished_count(file->touched[i]));
    add_left(j, CAUSE_FRAMES_LOST, j->unseen != 0, NULL);
}

/* How many frames of the final function may stand at unknown points. */
static int64_t frames_of(const struct decode_module *m, const struct decode_final *final, int64_t threads,
                         int64_t mains)
{
    const struct decode_function *own = decode_module_find(m, final->map.own);
    if (!own)
        return MAX_ERROR_UNKNOWN;
    if (own->map.flags & MAP_FUNCTION_MAIN && mains >= 0)
        return mains;
    return own->code.on_cycle ? MAX_ERROR_UNKNOWN : threads;
}

/*
 * Finds by how much counts may be wrong that follow from flow in final functions. A frame that
 * stands at an unknown point changes them wherever it stands, also those of functions that are not
 * active in it. errors: key -> bound.
 */
static void find_flow_errors(const struct decode_module *m, int64_t threads, int64_t mains,
                             struct hash_map *errors)
{
    for (size_t i = 0; i < m->finals.count; i++) {
        size_t count;
        const struct final_unsure *unsure = decode_final_unsure(m->finals.items[i], &count);
        int64_t frames = count ? frames_of(m, m->finals.items[i], threads, mains) : 0;
        for (size_t k = 0; k < count; k++) {
            uint64_t *error = hash_map_put(errors, unsure[k].key, NULL);
            *error = (uint64_t)error_plus((int64_t)*error, error_times(frames, unsure[k].error));
        }
    }
}

static bool calls_something(const struct map_function *f)
{
    for (uint32_t b = 0; b < graph_exit(&f->graph); b++)
        if (f->blocks[b].call_count)
            return true;
    return false;
}

static void doubt_functions(struct judging *j, int64_t unfinished_mains, int64_t main_error)
{
    const struct judge_file *file = j->file;
    bool known = call_cycles_find(file->modules, file->module_count, file->debug_paths);
    bool only_threads = j->recorded && !j->left;
    for (size_t m = 0; m < file->module_count; m++) {
        struct decode_module *module = file->modules[m];
        int64_t threads = cut_threads(file, module), interrupted = interrupted_frames(j, module);
        bool ends = known && are_ends_enough(j, module);
        struct hash_map flow_errors = {0};
        find_flow_errors(module, known && only_threads ? threads : MAX_ERROR_UNKNOWN,
                         only_threads ? unfinished_mains : main_error, &flow_errors);
        for (size_t i = 0; (threads || !only_threads) && i < module->functions.count; i++) {
            struct decode_function *f = module->functions.items[i];
            int64_t error = MAX_ERROR_UNKNOWN;
            if (f->set == SET_NONE)
                continue;
            if (known && only_threads)
                error = cut_threads_error(f, threads, unfinished_mains);
            else if (f->map.flags & MAP_FUNCTION_MAIN)
                error = main_error;
            if (ends && unfinished_are_counted(f) && (only_threads || !unfinished_may_resume(f)))
                error = smaller_error(error, unfinished_error(f, interrupted));
            if (j->unseen && calls_something(&f->map))
                error = error_plus(error, j->unseen);
            if (error) /* an activation of it may have been cut */
                error = error_plus(error, moved_error_anywhere(f, interrupted));
            const uint64_t *flow = hash_map_get(&flow_errors, f->map.key);
            error = error_plus(error, flow ? (int64_t)*flow : 0);
            if (error)
                file->doubt(file->context, f, error);
        }
        hash_map_release(&flow_errors);
    }
}

/* Does any function but main count its unfinished activations? */
static bool are_ends_counted(const struct judge_file *file)
{
    for (size_t m = 0; m < file->module_count; m++)
        for (size_t i = 0; i < file->modules[m]->functions.count; i++) {
            const struct map_function *f = &file->modules[m]->functions.items[i]->map;
            for (uint32_t p = 0; p < f->plan_count && !(f->flags & MAP_FUNCTION_MAIN); p++)
                if (f->plans[p].placement == PLACEMENT_BALANCE)
                    return true;
        }
    return false;
}

/* What unfinished activations of main may have counted ahead, and what flow tells of main if it is
 * not known where they stand. */
static int64_t main_counted_ahead(const struct judge_file *file, int64_t unfinished)
{
    int64_t error = 0;
    for (size_t m = 0; unfinished > 0 && m < file->module_count; m++) {
        decode_module_places(file->modules[m], file->debug_paths);
        if (file->modules[m]->places_damaged)
            return MAX_ERROR_UNKNOWN;
        struct hash_map flow_errors = {0};
        find_flow_errors(file->modules[m], MAX_ERROR_UNKNOWN, unfinished, &flow_errors);
        for (size_t i = 0; i < file->modules[m]->functions.count; i++)
            if (file->modules[m]->functions.items[i]->map.flags & MAP_FUNCTION_MAIN) {
                const struct decode_function *f = file->modules[m]->functions.items[i];
                const uint64_t *flow = hash_map_get(&flow_errors, f->map.key);
                error = error_plus(error, moved_error_anywhere(f, unfinished));
                error = error_plus(error, flow ? (int64_t)*flow : 0);
            }
        hash_map_release(&flow_errors);
    }
    return error;
}

/* Do counts of the file follow from flow in final functions? That needs all frames, whatever main's
 * balance says. */
static bool relies_on_flow(const struct judge_file *file)
{
    for (size_t m = 0; m < file->module_count; m++)
        for (size_t i = 0; i < file->modules[m]->finals.count; i++) {
            const struct decode_final *final = file->modules[m]->finals.items[i];
            if (final->counters && final->map.graph.vertex_count > 1)
                return true;
        }
    return false;
}

bool judge(const struct judge_file *file, struct profile *verdict, struct judgement *judgement,
           struct error *error)
{
    uint32_t flags = file->data->header.flags;
    struct judging j = {.file = file,
                        .verdict = verdict,
                        .recorded = flags & DATA_FLAG_FRAMES,
                        .unbounded = judgement->unbounded};
    judge_endings(&j);
    if (!(flags & (DATA_FLAG_EARLY | DATA_FLAG_EARLY_KEPT)))
        add_unbounded(&j, CAUSE_EARLY, may_have_counted_early(file), NULL);
    int64_t unfinished = judge_main(&j);
    /* In a run that was cut short main may have begun, and not have counted that yet. */
    if (unfinished != MAX_ERROR_UNKNOWN && j.open < INT64_MAX && (int64_t)j.open > unfinished)
        unfinished = (int64_t)j.open;
    bool possible = judge_functions(&j, error);
    add_unbounded(&j, CAUSE_FRAMES_LOST, !j.recorded && relies_on_flow(file), NULL);
    verdict->runs += file->data->header.runs_started;
    if (!j.recorded)
        judge_seen(&j);
    judge_unseen(&j);
    bool doubts = j.left || j.threads_cut;
    if ((j.left || !j.recorded) && !are_ends_counted(file))
        j.unbounded |= doubts;
    judgement->unbounded = j.unbounded;
    /* The bound for main holds when frames were only cut, not resumed: one unit for each activation
     * that did not end. */
    judgement->main_error = unfinished;
    for (size_t i = 0; i < verdict->causes.count; i++) {
        enum profile_cause cause = verdict->causes.items[i].cause;
        if (cause > CAUSE_THREADS && cause != CAUSE_ENDED && cause != CAUSE_STAYED)
            judgement->main_error = MAX_ERROR_UNKNOWN;
    }
    if (j.unbounded)
        judgement->main_error =
            error_plus(judgement->main_error, main_counted_ahead(file, judgement->main_error));
    if (doubts && !j.unbounded)
        doubt_functions(&j, unfinished, judgement->main_error);
    if (!j.unbounded)
        hand_on_doubts(&j);
    /* Where frames were cut, counts below zero are to be expected. */
    return possible || verdict->causes.count;
}
