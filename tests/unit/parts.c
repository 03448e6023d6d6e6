/*
 * Slices (plan/parts/slices.h) by brute force: random programs run once as they are, and then as k
 * copies, each of which knows nothing but its own state. What the copies count together must be what
 * the one run counts. And each rule is broken in turn: then it must not be, or the programs would
 * not be able to tell.
 *
 * The rules
 *   1  copies count switch points whether they count paths or not
 *   2  slices are so many switch points long: not so many paths of the copy's own
 *   3  switch points stand where a path starts only
 *   4  the path that ends at a switch point is counted before the switch
 *   5  an activation goes on as it began when a call returns, or lands, in it
 *   6  threads and signal handlers have states of their own
 *   7  code that is entered from elsewhere asks the state, not what counting code left behind
 *
 * `parts CASES` tries so many programs (default: what takes seconds).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

/* So that turns are often cut into pieces. */
#define PARTS_TURN_MOST 9
#include "plan/parts/slices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- random numbers: another generator than that of slices ---- */

static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *state = x;
    return x * UINT64_C(2685821657736338717);
}

static unsigned below(uint64_t *state, unsigned n)
{
    return (unsigned)((next_random(state) >> 33) % n);
}

static uint64_t seed_of(uint64_t a, uint64_t b)
{
    uint64_t state =
        a * UINT64_C(6364136223846793005) + b * UINT64_C(1442695040888963407) + 88172645463325252u;
    for (int i = 0; i < 8; i++)
        next_random(&state);
    return state | 1;
}

/* ---- programs ---- */

enum { FUNCTIONS = 4, OPERATIONS = 8, DEEPEST = 24 };
enum operation_kind { STEP, CUT, CALL, UNKNOWN, SETJMP, LONGJMP, THROW };

struct operation {
    enum operation_kind kind;
    unsigned callee;
    bool switches; /* of a cut: a switch point */
};

struct function {
    unsigned count;
    struct operation operations[OPERATIONS];
    bool switches_at_entry, catches, from_outside;
};

struct program {
    struct function functions[FUNCTIONS];
};

static void make_program(struct program *p, uint64_t *r, bool switch_anywhere)
{
    memset(p, 0, sizeof *p);
    for (unsigned i = 0; i < FUNCTIONS; i++) {
        struct function *f = &p->functions[i];
        f->count = 1 + below(r, OPERATIONS);
        f->switches_at_entry = below(r, 3) == 0;
        f->catches = below(r, 3) == 0;
        f->from_outside = i == 1 || below(r, 2);
        for (unsigned k = 0; k < f->count; k++) {
            static const enum operation_kind kinds[] = {STEP, STEP, CUT,     CUT,    CUT,     CALL,
                                                        CALL, CALL, UNKNOWN, SETJMP, LONGJMP, THROW};
            struct operation *o = &f->operations[k];
            o->kind = kinds[below(r, sizeof kinds / sizeof *kinds)];
            o->callee = below(r, FUNCTIONS);
            o->switches = (o->kind == CUT || (o->kind == STEP && switch_anywhere)) && below(r, 2);
        }
    }
}

/* ---- running them ---- */

struct thread {
    struct parts_state state;
    uint64_t decisions;
    bool left_behind; /* rule 7: what counting code says of itself */
    unsigned steps, own_paths, depth;
    unsigned jump_depth; /* of the activation that setjmp was called in; 0: none */
    uint64_t jump_activation, activations;
};

struct run {
    const struct program *program;
    bool whole;      /* no copy: all is counted, and there are no slices */
    unsigned broken; /* a rule, or 0 */
    uint32_t copy, parts;
    uint64_t sum, number;
    struct thread main, other;
    uint64_t moments; /* when the other thread (or a handler) runs: not the same in two copies */
    unsigned others_left;
};

enum outcome { RETURNED, ENDED, JUMPED, THROWN };

struct activation {
    bool counts;
    uint64_t path, id;
};

/* Silent code does not know where on a path it is. */
static void start_path(struct activation *a, uint64_t where)
{
    a->path = a->counts ? where * UINT64_C(0x100000001b3) + 99 : 0;
}

static void walk(struct activation *a, uint64_t what)
{
    if (a->counts)
        a->path = (a->path ^ what) * UINT64_C(0x100000001b3);
}

static void end_path(struct run *r, struct thread *t, const struct activation *a)
{
    if (!a->counts)
        return;
    r->sum += a->path ^ a->path >> 29;
    r->number++;
    t->own_paths++;
}

static struct parts_state *state_of(struct run *r, struct thread *t)
{
    return r->broken == 6 ? &r->main.state : &t->state;
}

static bool pass_switch_point(struct run *r, struct thread *t, bool counts)
{
    struct parts_state *s = state_of(r, t);
    if (r->whole)
        return true;
    if (r->broken == 1 && !counts && s->x >= 0)
        return false;
    if (r->broken == 2 && counts && s->x < 0) {
        if (t->own_paths < 3)
            return true;
        t->own_paths = 0;
        return parts_begin_turn(s, r->copy, r->parts);
    }
    return parts_switch(s, counts, r->copy, r->parts);
}

static enum outcome enter(struct run *r, struct thread *t, unsigned number, bool counts, bool from_outside);

static void run_others(struct run *r)
{
    r->others_left--;
    r->other.steps = 60;
    r->other.depth = 0;
    r->other.jump_depth = 0;
    r->other.decisions = seed_of(r->others_left, 77 + r->other.activations % 3);
    (void)enter(r, &r->other, 1, false, true);
}

static enum outcome call_unknown(struct run *r, struct thread *t, const struct activation *a)
{
    if (r->broken == 7 && a->counts)
        t->left_behind = true;
    for (unsigned i = 0; i < 2 && below(&t->decisions, 5) < 2; i++) {
        unsigned callee;
        do
            callee = below(&t->decisions, FUNCTIONS);
        while (!r->program->functions[callee].from_outside);
        enum outcome outcome = enter(r, t, callee, false, true);
        if (outcome != RETURNED)
            return outcome;
    }
    return RETURNED;
}

static enum outcome operate(struct run *r, struct thread *t, struct activation *a, const struct operation *o,
                            uint64_t where)
{
    switch (o->kind) {
    case STEP:
        walk(a, where << 2 | below(&t->decisions, 3));
        if (o->switches)
            a->counts = pass_switch_point(r, t, a->counts);
        return RETURNED;
    case CUT:
        walk(a, where << 2 | 3);
        if (r->broken != 4)
            end_path(r, t, a);
        if (o->switches)
            a->counts = pass_switch_point(r, t, a->counts);
        if (r->broken == 4)
            end_path(r, t, a);
        start_path(a, where);
        return RETURNED;
    case CALL:
        return enter(r, t, o->callee, a->counts, false);
    case UNKNOWN:
        return call_unknown(r, t, a);
    case SETJMP:
        t->jump_depth = t->depth;
        t->jump_activation = a->id;
        return RETURNED;
    case LONGJMP:
        return t->jump_depth && below(&t->decisions, 2) ? JUMPED : RETURNED;
    case THROW:
        return below(&t->decisions, 3) ? RETURNED : THROWN;
    }
    return RETURNED;
}

static enum outcome perform(struct run *r, struct thread *t, unsigned number, struct activation *a)
{
    const struct function *f = &r->program->functions[number];
    for (unsigned k = 0; k < f->count;) {
        if (t->steps-- == 0) {
            t->steps = 0;
            return ENDED;
        }
        if (t == &r->main && r->others_left && below(&r->moments, 6) == 0)
            run_others(r);
        uint64_t where = number * OPERATIONS + k + 1;
        enum outcome outcome = operate(r, t, a, &f->operations[k], where);
        bool jumped_here = outcome == JUMPED && t->jump_depth == t->depth && t->jump_activation == a->id;
        bool caught_here = outcome == THROWN && f->catches && f->operations[k].kind != THROW;
        if (jumped_here || caught_here)
            start_path(a, 1000 + where);
        else if (outcome != RETURNED)
            return outcome;
        if (r->broken == 5 && f->operations[k].kind == CALL && !r->whole)
            a->counts = state_of(r, t)->x < 0;
        k = below(&t->decisions, 5) == 0 ? below(&t->decisions, f->count) : k + 1;
    }
    walk(a, 5000 + number);
    end_path(r, t, a);
    return RETURNED;
}

static enum outcome enter(struct run *r, struct thread *t, unsigned number, bool counts, bool from_outside)
{
    const struct function *f = &r->program->functions[number];
    if (t->depth >= DEEPEST)
        return RETURNED;
    struct activation a = {.counts = counts, .id = ++t->activations};
    if (from_outside)
        a.counts = r->broken == 7 ? t->left_behind : state_of(r, t)->x < 0;
    if (f->switches_at_entry)
        a.counts = pass_switch_point(r, t, a.counts);
    if (r->whole)
        a.counts = true;
    t->depth++;
    start_path(&a, number);
    enum outcome outcome = perform(r, t, number, &a);
    if (t->jump_depth == t->depth)
        t->jump_depth = 0;
    t->depth--;
    return outcome;
}

static void run_program(struct run *r, const struct program *p, uint64_t input, uint32_t copy, uint32_t parts)
{
    unsigned broken = r->broken;
    *r = (struct run){.program = p, .whole = !parts, .broken = broken, .copy = copy, .parts = parts};
    r->main.decisions = seed_of(input, 1);
    r->main.steps = 300;
    r->others_left = 6;
    r->moments = seed_of(input, 2 + copy);
    if (parts) {
        parts_begin(&r->main.state, 0, copy, parts);
        parts_begin(&r->other.state, parts_mix(1), copy, parts);
    }
    (void)enter(r, &r->main, 0, r->main.state.x < 0, false);
    while (r->others_left)
        run_others(r);
}

/* How many of the cases go wrong when this rule is broken (0: none is). */
static unsigned long count_wrong(unsigned broken, unsigned long cases)
{
    unsigned long wrong = 0;
    for (unsigned long i = 0; i < cases; i++) {
        uint64_t r = seed_of(i, 12345);
        struct program p;
        make_program(&p, &r, broken == 3);
        static struct run one, copy;
        uint32_t parts = 1 + below(&r, 8);
        uint64_t input = next_random(&r), sum = 0, number = 0;
        one.broken = 0;
        run_program(&one, &p, input, 0, 0);
        for (uint32_t k = 0; k < parts; k++) {
            copy.broken = broken;
            run_program(&copy, &p, input, k, parts);
            sum += copy.sum;
            number += copy.number;
        }
        wrong += sum != one.sum || number != one.number;
        if (!broken && (sum != one.sum || number != one.number)) {
            print_message("case %lu, %u parts: %llu paths, not %llu\n", i, parts, (unsigned long long)number,
                          (unsigned long long)one.number);
            break;
        }
    }
    return wrong;
}

static unsigned long cases = 20000;

static void copies_count_together_what_one_run_counts(void **state)
{
    (void)state;
    assert_int_equal(count_wrong(0, cases), 0);
}

static void every_rule_is_needed(void **state)
{
    (void)state;
    for (unsigned rule = 1; rule <= 7; rule++) {
        unsigned long wrong = count_wrong(rule, 2000);
        print_message("without rule %u: %lu of 2000 wrong\n", rule, wrong);
        assert_true(wrong > 20);
    }
}

/* Of each k slices every copy owns one, whatever the phase; and lengths are within their bounds. */
static void slices_are_dealt_evenly(void **state)
{
    (void)state;
    for (uint32_t parts = 1; parts <= 17; parts++)
        for (uint64_t phase = 0; phase < 5; phase++)
            for (uint64_t turn = 0; turn < 50; turn++) {
                uint64_t seen = 0;
                for (uint32_t i = 0; i < parts; i++) {
                    uint64_t slice = turn * parts + i;
                    uint32_t owner = parts_owner(phase * UINT64_C(0x123456789), slice, parts);
                    uint32_t length = parts_length(phase, slice);
                    assert_true(owner < parts && length >= 1 && length <= PARTS_LONGEST);
                    seen |= UINT64_C(1) << owner;
                }
                assert_int_equal(seen, (UINT64_C(1) << parts) - 1);
            }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_count_together_what_one_run_counts),
        cmocka_unit_test(every_rule_is_needed),
        cmocka_unit_test(slices_are_dealt_evenly),
    };
    if (argc > 1)
        cases = strtoul(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
