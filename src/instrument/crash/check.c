/*
 * A forward analysis. The state of a slot is the tracked node whose marks it was last changed for, as
 * far as that is known. A step that adds 0 has no marker: a state also stands for those that lead to
 * it over such steps (crash_numbering.before), which form a list. Where two states meet, the one whose
 * list holds the other stays; else the slot is unknown. Of a ring the state is RING once control entered the
 * loop.
 */
#include "instrument/crash/check.h"

#define UNSEEN GRAPH_NONE        /* no way leads there yet */
#define UNKNOWN (GRAPH_NONE - 1) /* also: not set yet */
#define RING 0                   /* of a ring: it was begun */

struct check {
    struct crash_final *f;
    uint32_t *states; /* at the beginning of a block: states[block * subjects + subject] */
    uint32_t *now;
    size_t subjects;
};

/* Is the state in the list of the node? */
static bool is_before(const struct crash_subject *subject, uint32_t state, uint32_t node)
{
    while (node != GRAPH_NONE && node != state)
        node = subject->f->numbering.before[node];
    return node != GRAPH_NONE;
}

static uint32_t meet(const struct crash_subject *subject, uint32_t a, uint32_t b)
{
    if (a == b || b == UNSEEN)
        return a;
    if (a == UNSEEN)
        return b;
    if (a == UNKNOWN || b == UNKNOWN)
        return UNKNOWN;
    return is_before(subject, a, b) ? b : is_before(subject, b, a) ? a : UNKNOWN;
}

static void pass_ring(struct check *c, const struct crash_site *site)
{
    uint32_t *state = &c->now[site->subject];
    if (!c->f->subjects.items[site->subject].f->rounds.span[site->edge])
        *state = RING;
}

static void pass_marker(struct check *c, const struct crash_site *site)
{
    const struct crash_subject *subject = &c->f->subjects.items[site->subject];
    if (subject->ring) {
        pass_ring(c, site);
        return;
    }
    const struct crash_regions *r = &subject->f->regions;
    uint32_t expected = subject->f->numbering.last[r->from[site->edge]], *state = &c->now[site->subject];
    bool sets = crash_site_mark(c->f, site).op == CRASH_SET;
    if (!sets && *state == UNSEEN)
        return; /* blocks need not come in the order of control: what leads here is looked at later */
    bool fits = sets || (*state != UNKNOWN && is_before(subject, *state, expected));
    *state = fits ? r->to[site->edge] : UNKNOWN;
}

static void grant(struct check *c, const struct crash_site *site)
{
    for (uint32_t i = site->first_wish; i < site->first_wish + site->wishes; i++) {
        struct crash_wish *wish = &c->f->wishes.items[i];
        if (wish->subject == SLOTS_NONE || (site->is_stop && !site->placed))
            continue;
        const struct crash_subject *subject = &c->f->subjects.items[wish->subject];
        uint32_t state = c->now[wish->subject];
        wish->granted = state != UNKNOWN && state != UNSEEN &&
                        (wish->ring || is_before(subject, state, subject->f->numbering.last[wish->node]));
    }
}

static void pass_block(struct check *c, size_t block, bool granting)
{
    const struct crash_block *b = &c->f->blocks.items[block];
    memory_copy(c->now, &c->states[block * c->subjects], c->subjects * sizeof *c->now);
    for (uint32_t i = b->first; i < b->end; i++) {
        const struct crash_site *site = &c->f->sites.items[i];
        if (granting)
            grant(c, site);
        if (!site->is_stop)
            pass_marker(c, site);
    }
}

/* Hands the states after a block on; true if a block after it has learnt something. */
static bool hand_on(struct check *c, size_t block)
{
    const struct crash_block *b = &c->f->blocks.items[block];
    bool changed = false;
    for (uint32_t i = 0; i < b->successor_count; i++) {
        uint32_t *there = &c->states[c->f->successors.items[b->successors + i] * c->subjects];
        for (size_t k = 0; k < c->subjects; k++) {
            uint32_t state = meet(&c->f->subjects.items[k], there[k], c->now[k]);
            changed |= state != there[k];
            there[k] = state;
        }
    }
    return changed;
}

void crash_check(struct crash_final *f)
{
    struct check c = {.f = f, .subjects = f->subjects.count};
    c.states = ALLOC(uint32_t, f->blocks.count *c.subjects + 1);
    c.now = ALLOC(uint32_t, c.subjects + 1);
    for (size_t i = 0; i < f->blocks.count * c.subjects; i++)
        c.states[i] = i < c.subjects ? UNKNOWN : UNSEEN; /* the first block is the entry */
    for (bool changed = c.subjects; changed;) {
        changed = false;
        for (size_t b = 0; b < f->blocks.count; b++) {
            pass_block(&c, b, false);
            changed |= hand_on(&c, b);
        }
    }
    for (size_t b = 0; b < f->blocks.count; b++)
        pass_block(&c, b, true);
    free(c.states);
    free(c.now);
}
