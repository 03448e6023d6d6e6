/*
 * Finds the IR blocks of a function that are not blocks of its graph, and where a branch into them
 * really leads. cleanup.c says why there are such blocks.
 */
#ifndef COTREE_INSTRUMENT_GRAPH_CLEANUP_H
#define COTREE_INSTRUMENT_GRAPH_CLEANUP_H

#include "base/hash.h"

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stdint.h>

enum pass_kind {
    PASS_NONE,   /* an ordinary block */
    PASS_BRANCH, /* markers (and a constant for the slot), then one way on */
    PASS_SWITCH, /* markers, then a switch on the slot */
};

struct ir_block {
    LLVMBasicBlockRef block;
    enum pass_kind pass;
    bool continuation; /* may be merely what goes on in the block before it, if there is only one (cleanup.c)
                        */
};

/* A function's blocks in clang's order, by number. */
struct ir_blocks {
    struct ir_block *items;
    uint32_t count;
    struct hash_map numbers; /* LLVMBasicBlockRef -> number */
    LLVMValueRef slot;       /* clang's cleanup.dest.slot, or NULL */
};

#define IR_NONE UINT32_MAX

void ir_blocks_init(struct ir_blocks *blocks, LLVMValueRef function);
void ir_blocks_release(struct ir_blocks *blocks);
uint32_t ir_block_number(const struct ir_blocks *blocks, LLVMBasicBlockRef block);

/*
 * The block of the graph that the branch from block number `from` to `to` leads to. After
 * ir_blocks_init this is always known: a pass block that some branch cannot be followed through was
 * made an ordinary one.
 */
uint32_t ir_resolve(const struct ir_blocks *blocks, uint32_t from, uint32_t to);

/*
 * Visits the pass blocks with switches that the branch from block number `from` to `to` goes
 * through: `visit` is called with the number of each and of the block after it.
 */
typedef void ir_pass_visitor(void *context, uint32_t pass, uint32_t next);
void ir_visit_passes(const struct ir_blocks *blocks, uint32_t from, uint32_t to, ir_pass_visitor *visit,
                     void *context);

enum { SLOT_VALUES_MAX = 16 };
struct ir_successors {
    LLVMBasicBlockRef items[SLOT_VALUES_MAX];
    unsigned count;
};

/*
 * The successors of a block that switches on the slot, by increasing number in the slot; only
 * numbers that may be in the slot count (the switch itself also has a default that is never taken,
 * or stands for several). False for other blocks, and where the numbers are not known.
 */
bool ir_slot_successors(const struct ir_blocks *blocks, uint32_t number, struct ir_successors *successors);

/* Is it an ordinary block that holds nothing at -O0 and ends its scope by falling out of it (0 in
 * the slot)? */
bool ir_is_empty_end(const struct ir_blocks *blocks, uint32_t number);

/* Is it a call that only marks where a variable's storage begins or ends? */
bool ir_is_lifetime_marker(LLVMValueRef instruction);
/* Is it a store of a constant to the slot? */
bool ir_is_slot_store(const struct ir_blocks *blocks, LLVMValueRef instruction);

#endif
