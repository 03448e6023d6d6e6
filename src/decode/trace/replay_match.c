#include "decode/trace/replay_match.h"

bool match_same_place(const struct replay_frame *a, const struct replay_frame *b)
{
    return a->function == b->function && a->block == b->block && a->call == b->call;
}

/* What became of the call of frame f. number: of the frame that it is, or has left. */
static enum replay_made made_of(const struct match *m, const struct replay_frame *f, size_t number)
{
    bool is_known = m->standing->made && f->call && !m->lenient;
    const void *code = number < m->count ? m->frames[number].code : NULL;
    return is_known ? m->standing->made(m->standing->context, f, code) : REPLAY_MADE_UNKNOWN;
}

/* Does the map allow that its last call became a jump? */
static bool may_be_gone(const struct match *m, const struct replay_frame *f)
{
    return f->call && f->call == replay_block_calls(&m->r->program->bodies[f->function], f->block);
}

/*
 * The call of an activation became a jump: finds the activation whose frame the callee takes. A
 * jump out of the frame takes the frame of the oldest activation that shares it; a loop takes that
 * of the function that is called again.
 */
static size_t find_replaced(const struct match *m, size_t index)
{
    const struct replay *r = m->r;
    uint32_t callee = index + 1 < r->depth ? replay_frame(r, index + 1).function : UINT32_MAX;
    while (index && replay_frame(r, index).function != callee && !r->stack[index].called) {
        struct replay_frame below = replay_frame(r, index - 1);
        if (made_of(m, &below, m->numbers.items[index - 1]) != REPLAY_MADE_INLINED)
            break;
        index--;
    }
    return index;
}

/* The number of the activation after this one, which stands in a call. */
static size_t number_behind(const struct match *m, size_t index)
{
    size_t number = m->numbers.items[index];
    if (number == MATCH_NONE)
        return MATCH_NONE;
    struct replay_frame f = replay_frame(m->r, index);
    enum replay_made made = made_of(m, &f, number);
    if (made == REPLAY_MADE_JUMP)
        return m->numbers.items[find_replaced(m, index)];
    if (number >= m->callers)
        return made == REPLAY_MADE_CALL ? MATCH_NONE : number;
    if (match_same_place(&f, &m->frames[number]))
        return number + 1;
    bool gone = made ? made & REPLAY_MADE_JUMP && !(made & REPLAY_MADE_CALL) : may_be_gone(m, &f);
    return gone ? number : MATCH_NONE;
}

size_t match_number(struct match *m, size_t index)
{
    if (!m->numbers.count)
        ARRAY_PUSH(&m->numbers, 0);
    while (m->numbers.count <= index)
        ARRAY_PUSH(&m->numbers, number_behind(m, m->numbers.count - 1));
    return m->numbers.items[index];
}

void match_forget(struct match *m, size_t depth)
{
    if (m->numbers.count > depth)
        m->numbers.count = depth;
}

void match_release(struct match *m)
{
    ARRAY_RELEASE(&m->numbers);
}
