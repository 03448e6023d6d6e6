/*
 * Liveness, backwards: a point reads the keys that it claims, and a round that is noted in a ring the key
 * of its slot. SET, and an entry to the loop of a ring, end what came before them. A marker whose key is not
 * live after it is dead. Keys that are live where another one's marker stands cannot
 * share its slot; slots are given out greedily, bytes apart from words.
 */
#include "instrument/crash/live.h"
#include "instrument/crash/rings.h"

enum { BITS = 64, BYTE_CLASSES = 256 };

struct flow {
    const struct crash_final *f;
    struct crash_live *live;
    size_t words;     /* of a set of keys */
    uint64_t *before; /* per block: keys that are live where it begins */
    uint64_t *now;
    uint64_t *apart; /* per key: keys that cannot share its slot; NULL until that is looked for */
    bool *used;      /* per key: some marker of it is not dead */
    bool wishes;
};

static bool has(const uint64_t *set, size_t key)
{
    return set[key / BITS] >> key % BITS & 1;
}

static void put(uint64_t *set, size_t key)
{
    set[key / BITS] |= UINT64_C(1) << key % BITS;
}

static void take(uint64_t *set, size_t key)
{
    set[key / BITS] &= ~(UINT64_C(1) << key % BITS);
}

static void pass_wishes(struct flow *w, const struct crash_event *event)
{
    for (uint32_t k = 0; k < event->wishes; k++) {
        const struct crash_wish *wish = &w->f->wishes.items[event->first_wish + k];
        if (wish->key != SLOTS_NONE &&
            (w->wishes ? !event->between || w->f->keys.items[wish->key].f->for_faults : wish->granted))
            put(w->now, wish->key);
    }
}

/* Does the marker make what its slot or ring held before it useless? */
static bool ends_what_came(const struct crash_final *f, const struct crash_event *event)
{
    if (crash_event_is_ring(f, event))
        return !f->keys.items[event->key].f->rounds.span[event->edge];
    return crash_event_mark(f, event).op == CRASH_SET;
}

static void pass_marker(struct flow *w, const struct crash_event *event, size_t number)
{
    bool live = has(w->now, event->key);
    w->live->dead[number] = !live;
    if (!live)
        return;
    w->used[event->key] = true;
    for (size_t i = 0; w->apart && i < w->words; i++)
        w->apart[event->key * w->words + i] |= w->now[i];
    if (ends_what_came(w->f, event))
        take(w->now, event->key);
    pass_wishes(w, event);
}

static void pass_block(struct flow *w, const struct crash_block *b)
{
    memset(w->now, 0, w->words * sizeof *w->now);
    for (uint32_t i = 0; i < b->successor_count; i++)
        for (size_t k = 0; k < w->words; k++)
            w->now[k] |= w->before[w->f->successors.items[b->successors + i] * w->words + k];
    for (uint32_t i = b->end; i-- > b->first;) {
        const struct crash_event *event = &w->f->events.items[i];
        if (event->is_point)
            pass_wishes(w, event);
        else
            pass_marker(w, event, i);
    }
}

static uint32_t bytes_of(const struct crash_key *key)
{
    if (key->ring)
        return crash_ring_number_bytes(key);
    return key->f->most[key->region] <= BYTE_CLASSES ? 1 : 4;
}

/* The first slot of the right size that no key apart from this one has. */
static void give_slot(struct flow *w, size_t key)
{
    struct crash_live *l = w->live;
    const struct crash_key *k = &w->f->keys.items[key];
    uint32_t bytes = bytes_of(k), ring = k->ring ? k->f->ring : 0;
    bool *taken = ZALLOC(bool, (size_t)l->slot_count + 1);
    for (size_t i = 0; i < w->f->keys.count; i++)
        if (l->slot[i] != SLOTS_NONE &&
            (has(&w->apart[key * w->words], i) || has(&w->apart[i * w->words], key)))
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
    l->slot[key] = slot;
}

void crash_live_find(struct crash_live *l, const struct crash_final *f, bool wishes)
{
    size_t keys = f->keys.count, words = (keys + BITS - 1) / BITS;
    *l = (struct crash_live){.dead = ZALLOC(bool, f->events.count + 1), .slot = ALLOC(uint32_t, keys + 1)};
    struct flow w = {.f = f,
                     .live = l,
                     .words = words,
                     .before = ZALLOC(uint64_t, f->blocks.count *words + 1),
                     .now = ALLOC(uint64_t, words + 1),
                     .used = ZALLOC(bool, keys + 1),
                     .wishes = wishes};
    for (bool changed = keys; changed;) {
        changed = false;
        for (size_t b = f->blocks.count; b-- > 0;) {
            pass_block(&w, &f->blocks.items[b]);
            changed |= memcmp(&w.before[b * words], w.now, words * sizeof *w.now) != 0;
            memcpy(&w.before[b * words], w.now, words * sizeof *w.now);
        }
    }
    w.apart = ZALLOC(uint64_t, keys *words + 1);
    memset(w.used, 0, keys * sizeof *w.used);
    for (size_t b = 0; b < f->blocks.count; b++)
        pass_block(&w, &f->blocks.items[b]);
    for (size_t k = 0; k < keys; k++)
        l->slot[k] = SLOTS_NONE;
    for (size_t k = 0; k < keys; k++)
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
