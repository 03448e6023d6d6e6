/*
 * Which activations stand at an address of the code? A chain lists them: the function whose
 * instruction is at the address, and those that it was inlined into, innermost first, each with its
 * block, the calls of that block that were made, and how many of its lines had begun. Pure: the
 * answer depends only on the table of places and on the map.
 *
 * The address of a frame that is in a call is its return address, and one row of the table says
 * where it is:
 *
 *     struct chain chain = {0};
 *     const struct place_code *code = place_index_find(&m->places, address - 1);
 *     const struct place_row *row = code ? chain_call_row(code, address) : NULL;
 *     if (row && chain_read(&chain, m, code, row->value))
 *         for (size_t i = 0; i < chain.count; i++)
 *             printf("%s: block %u\n", chain.items[i].f->map.name, chain.items[i].block);
 *     ARRAY_RELEASE(&chain);
 *
 * A frame that a signal interrupted may be at any instruction, and not every instruction has a row.
 * The code is then followed to the *anchor*, the next call or branch; the rows on the way are where
 * the frame may stand, before them, the first one most likely:
 *
 *     struct code_ahead ahead = {.module = m, .code = place_index_find(&m->places, address)};
 *     if (ahead.code)
 *         code_ahead_follow(&ahead, (uint32_t)(address - ahead.code->address), NULL);
 *     if (ahead.points.count && chain_read_before(&chain, m, ahead.code, ahead.points.items[0].row))
 *         ...
 *     code_ahead_release(&ahead);
 *
 * decode/frames/resolve.h finds out which of them fits what was counted.
 */
#ifndef COTREE_DECODE_FRAMES_CHAIN_H
#define COTREE_DECODE_FRAMES_CHAIN_H

#include "decode/model/module.h"

/* How much one row may count, and how many counts one stretch may have: a table that says more is
 * damaged. */
enum { BY_MOST = 1 << 20, COUNTS_MOST = 1 << 12 };

struct activation {
    struct decode_function *f;
    uint32_t block;
    /* Calls of the block that were made; the activation may stand in the last of them. */
    uint32_t call;
    /* Lines of the block that have begun. */
    uint32_t lines;
};

/* Innermost first. */
struct chain ARRAY_OF(struct activation);

/* The activations of a position; false when it is unknown, or is not what the map says. */
bool chain_read(struct chain *chain, const struct decode_module *m, const struct place_code *code,
                uint32_t position);
/* The activations of a row's position before the row: a call is not made yet. False as above, and
 * if row is NULL. */
bool chain_read_before(struct chain *chain, const struct decode_module *m, const struct place_code *code,
                       const struct place_row *row);
/* Code of one function alone, which has no positions (clang made it, and gave it no locations): if
 * that is one block, there is only one place to be. False: it is other code. */
bool chain_read_only_block(struct chain *chain, const struct decode_module *m, const struct place_code *code);

/* Is an activation of the function in it? */
bool chain_has(const struct chain *chain, const struct decode_function *f);

/* The row of the call with this return address, when all counts before it were made; NULL: there is
 * none. */
const struct place_row *chain_call_row(const struct place_code *code, uint64_t address);
/* The row of a call that the compiler made (memcpy), for which counts may wait; NULL: there is
 * none. */
const struct place_row *chain_made_call_row(const struct place_code *code, uint64_t address);

/* A row with a known position on the way to the anchor, after so many counts, and events of a
 * trace. */
struct way_point {
    const struct place_row *row;
    size_t counts, events;
};

/* A count that the code makes on the way. */
struct count_ahead {
    uint32_t key; /* index into place_code.keys */
    uint32_t counter;
    uint64_t by;      /* 0: not known */
    uint32_t stretch; /* that it is made for; 0: not known */
    bool shared;      /* an edge of the final graph is counted instead */
};

/* A counter of the final function that the code counts on the way, for all shared counts of the
 * stretch; counts[first] is the first of them. */
struct shared_ahead {
    uint32_t stretch;
    size_t first;
};

/* What the code passes from an address on, up to its anchor. */
struct code_ahead {
    const struct decode_module *module;
    const struct place_code *code;
    /* The next call or branch, or NULL: the code ends before, in a trap. */
    const struct place_row *anchor;
    struct ARRAY_OF(struct way_point) points;
    struct ARRAY_OF(struct count_ahead) counts;
    struct ARRAY_OF(struct shared_ahead) shared;
    /* The final function of the code, or NULL. */
    struct decode_final *final;
    /* What is written to a trace (place_row.event). */
    struct ARRAY_OF(uint32_t) events;
    /* The first instruction that others can see, but whose position is not known, if there is one;
     * points[lost_at] comes after it. */
    bool lost;
    size_t lost_at;
    /* The table of places names counters that are not there. */
    bool damaged;
};

/* Begins with module and code; the address is at the offset in it. call: the call that the compiler
 * made and that the frame is in, which is then the first point; or NULL. */
void code_ahead_follow(struct code_ahead *ahead, uint32_t offset, const struct place_row *call);
void code_ahead_release(struct code_ahead *ahead);
/* The code ahead begins in a thunk of a trace that has not recorded yet that its function is entered:
 * nothing of the function has begun, and nothing is counted. */
bool code_ahead_is_before_entry(const struct code_ahead *ahead, uint32_t offset);

#endif
