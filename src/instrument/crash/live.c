/*
 * Liveness, backwards: a stop reads the subjects that it claims, and a round that is noted in a ring
 * the subject of its slot. SET, and an entry to the loop of a ring, end what came before them. A marker
 * whose subject is not live after it is dead. Subjects that are live where another one's marker stands
 * cannot share its slot; slots are given out greedily, bytes apart from words.
 */
#include "instrument/crash/live.h"
#include "instrument/crash/rings.h"

enum { BITS = 64, BYTE_CLASSES = 256 };

struct flow {
    const struct crash_final *f;
    struct crash_live *live;
    size_t words;     /* of a set of subjects */
    uint64_t *before; /* per block: subjects that are live where it begins */
    uint64_t *now;
    uint64_t *apart; /* per subject: subjects that cannot share its slot; NULL until that is looked for */
    bool *used;      /* per subject: some marker of it is not dead */
    bool wishes;
};

static bool has(const uint64_t *set, size_t subject)
{
    return set[subject / BITS] >> subject % BITS & 1;
}

static void put(uint64_t *set, size_t subject)
{
    set[subject / BITS] |= UINT64_C(1) << subject % BITS;
}

static void take(uint64_t *set, size_t subject)
{
    set[subject / BITS] &= ~(UINT64_C(1) << subject % BITS);
}

static void pass_wishes(struct flow *w, const struct crash_site *site)
{
    for (uint32_t k = 0; k < site->wishes; k++) {
        const struct crash_wish *wish = &w->f->wishes.items[site->first_wish + k];
        if (wish->subject != SLOTS_NONE &&
            (w->wishes ? !site->between || w->f->subjects.items[wish->subject].f->for_faults : wish->granted))
            put(w->now, wish->subject);
    }
}

/* Does the marker make what its slot or ring held before it useless? */
static bool ends_what_came(const struct crash_final *f, const struct crash_site *site)
{
    if (crash_site_is_ring(f, site))
        return !f->subjects.items[site->subject].f->rounds.span[site->edge];
    return crash_site_mark(f, site).op == CRASH_SET;
}

static void pass_marker(struct flow *w, const struct crash_site *site, size_t number)
{
    bool live = has(w->now, site->subject);
    w->live->dead[number] = !live;
    if (!live)
        return;
    w->used[site->subject] = true;
    for (size_t i = 0; w->apart && i < w->words; i++)
        w->apart[site->subject * w->words + i] |= w->now[i];
    if (ends_what_came(w->f, site))
        take(w->now, site->subject);
    pass_wishes(w, site);
}

static void pass_block(struct flow *w, const struct crash_block *b)
{
    memset(w->now, 0, w->words * sizeof *w->now);
    for (uint32_t i = 0; i < b->successor_count; i++)
        for (size_t k = 0; k < w->words; k++)
            w->now[k] |= w->before[w->f->successors.items[b->successors + i] * w->words + k];
    for (uint32_t i = b->end; i-- > b->first;) {
        const struct crash_site *site = &w->f->sites.items[i];
        if (site->is_stop)
            pass_wishes(w, site);
        else
            pass_marker(w, site, i);
    }
}

static uint32_t bytes_of(const struct crash_subject *subject)
{
    if (subject->ring)
        return crash_ring_number_bytes(subject);
    return subject->f->most[subject->region] <= BYTE_CLASSES ? 1 : 4;
}

/* The first slot of the right size that no subject apart from this one has. */
static void give_slot(struct flow *w, size_t subject)
{
    struct crash_live *l = w->live;
    const struct crash_subject *k = &w->f->subjects.items[subject];
    uint32_t bytes = bytes_of(k), ring = k->ring ? k->f->ring : 0;
    bool *taken = ZALLOC(bool, (size_t)l->slot_count + 1);
    for (size_t i = 0; i < w->f->subjects.count; i++)
        if (l->slot[i] != SLOTS_NONE &&
            (has(&w->apart[subject * w->words], i) || has(&w->apart[i * w->words], subject)))
            taken[l->slot[i]] = true;
    uint32_t slot = 0;
    while (slot < l->slot_count && (taken[slot] || l->bytes[slot] != bytes || l->ring[slot] != ring))
        slot++;
    free(taken);
    if (slot == l->slot_count) {
        RESIZE(l->bytes, (size_t)slot + 1);
        RESIZE(l->ring, (size_t)slot + 1);
        l->ring[slot] = ring;
        l->bytes[l->slot_count++] = bytes;
    }
    l->slot[subject] = slot;
}

void crash_live_find(struct crash_live *l, const struct crash_final *f, bool wishes)
{
    size_t subjects = f->subjects.count, words = (subjects + BITS - 1) / BITS;
    *l = (struct crash_live){.dead = ZALLOC(bool, f->sites.count + 1), .slot = ALLOC(uint32_t, subjects + 1)};
    struct flow w = {.f = f,
                     .live = l,
                     .words = words,
                     .before = ZALLOC(uint64_t, f->blocks.count *words + 1),
                     .now = ALLOC(uint64_t, words + 1),
                     .used = ZALLOC(bool, subjects + 1),
                     .wishes = wishes};
    for (bool changed = subjects; changed;) {
        changed = false;
        for (size_t b = f->blocks.count; b-- > 0;) {
            pass_block(&w, &f->blocks.items[b]);
            changed |= memcmp(&w.before[b * words], w.now, words * sizeof *w.now) != 0;
            memcpy(&w.before[b * words], w.now, words * sizeof *w.now);
        }
    }
    w.apart = ZALLOC(uint64_t, subjects *words + 1);
    memset(w.used, 0, subjects * sizeof *w.used);
    for (size_t b = 0; b < f->blocks.count; b++)
        pass_block(&w, &f->blocks.items[b]);
    for (size_t k = 0; k < subjects; k++)
        l->slot[k] = SLOTS_NONE;
    for (size_t k = 0; k < subjects; k++)
        if (w.used[k])
            give_slot(&w, k);
    free(w.before);
    free(w.now);
    free(w.apart);
    free(w.used);
}

void crash_live_release(struct crash_live *l)
{
    free(l->dead);
    free(l->slot);
    free(l->bytes);
    free(l->ring);
}
