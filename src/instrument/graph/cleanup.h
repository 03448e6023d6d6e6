/*
 * Which of a function's IR blocks are not blocks of its graph, and where a branch into them really leads.
 * cleanup.c says why there are such blocks.
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
 * Where the branch from block number `from` to `to` arrives, blocks of the graph only. After ir_blocks_init
 * this is always known: a pass block that some branch cannot be followed through was made an ordinary one.
 */
uint32_t ir_resolve(const struct ir_blocks *blocks, uint32_t from, uint32_t to);

/*
 * The switches of pass blocks that the branch from block number `from` to `to` goes through on that way, and
 * where it leaves them: `visit` is called with the number of each and of the block behind it.
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
 * Where a block goes that switches on the slot, by increasing number, as far as the numbers that may be in
 * the slot are known; the switch itself also has a default that is never taken, or stands for several. False
 * for other blocks.
 */
bool ir_slot_successors(const struct ir_blocks *blocks, uint32_t number, struct ir_successors *successors);

/* An ordinary block that holds nothing at -O0 and ends its scope by falling out of it (0 in the slot). */
bool ir_is_empty_end(const struct ir_blocks *blocks, uint32_t number);

/* A call that only marks where a variable's storage begins or ends. */
bool ir_is_lifetime_marker(LLVMValueRef instruction);
/* A store of a constant to the slot. */
bool ir_is_slot_store(const struct ir_blocks *blocks, LLVMValueRef instruction);

#endif
