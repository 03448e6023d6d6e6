/*
 * The registers of a frame, as walks of stacks keep them.
 */
#ifndef COTREE_RUNTIME_ARCH_X86_64_REGISTERS_H
#define COTREE_RUNTIME_ARCH_X86_64_REGISTERS_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers that functions keep: X(name) for each, in the order that all structures have them
 * in. */
#define COTREE_KEPT_COUNT 6
#define COTREE_FOR_KEPT(X) X(rbx) X(rbp) X(r12) X(r13) X(r14) X(r15)

/* Registers that functions may change: their places in cotree_cursor.scratch. */
enum {
    COTREE_SCRATCH_RAX,
    COTREE_SCRATCH_RDX,
    COTREE_SCRATCH_RCX,
    COTREE_SCRATCH_RSI,
    COTREE_SCRATCH_RDI,
    COTREE_SCRATCH_R8,
    COTREE_SCRATCH_R9,
    COTREE_SCRATCH_R10,
    COTREE_SCRATCH_R11,
    COTREE_SCRATCH_COUNT
};

/* Registers as DWARF numbers them. */
enum {
    REGISTER_RAX = 0,
    REGISTER_RDX = 1,
    REGISTER_RCX = 2,
    REGISTER_RBX = 3,
    REGISTER_RSI = 4,
    REGISTER_RDI = 5,
    REGISTER_RBP = 6,
    REGISTER_RSP = 7,
    REGISTER_R8 = 8,
    REGISTER_R11 = 11,
    REGISTER_R12 = 12,
    REGISTER_R15 = 15,
    REGISTER_RETURN = 16, /* the return address; rip of the frame itself in expressions */
    REGISTERS
};

/*
 * A frame, seen at an instruction of it. The frame reaches from sp up to, not including, the sp of
 * its caller (its CFA), where the caller's frame begins: the return address is its highest word.
 *
 * A cursor made by hand has the fields up to `interrupted` set and the others zero; unless it is
 * interrupted, sp is that of a frame which is there.
 */
struct cotree_cursor {
    uint64_t pc; /* return address, or where the frame was interrupted */
    uint64_t sp; /* of the frame at pc */
    uint64_t rbx, rbp, r12, r13, r14, r15;
    bool interrupted; /* by a signal: pc is the next instruction, not a return address */
    /* The rest is for the functions that walk (frames/unwind.c). */
    uint64_t scratch[COTREE_SCRATCH_COUNT]; /* known in interrupted frames */
    uint64_t readable_from, readable_end;   /* stack that is known to be mapped */
    uint64_t jumps, jumped_to;              /* other stacks entered; where one of them was: ends circles */
};

/* The first fields of a cursor: the registers of a function's caller, as they are when the function
 * returns. */
struct cotree_caller {
    uint64_t pc, sp, rbx, rbp, r12, r13, r14, r15;
};

static inline void cotree_cursor_at(struct cotree_cursor *cursor, const struct cotree_caller *caller)
{
    static_assert(offsetof(struct cotree_cursor, r15) == offsetof(struct cotree_caller, r15), "");
    __builtin_memcpy(cursor, caller, sizeof *caller);
    cursor->interrupted = false;
}

/* A register of an interrupted frame, by the number it has in instructions. */
static inline uint64_t cotree_cursor_register(const struct cotree_cursor *c, unsigned number)
{
#define SCRATCH(name) c->scratch[COTREE_SCRATCH_##name]
    const uint64_t all[16] = {
        SCRATCH(RAX), SCRATCH(RCX), SCRATCH(RDX), c->rbx,       c->sp,  c->rbp, SCRATCH(RSI), SCRATCH(RDI),
        SCRATCH(R8),  SCRATCH(R9),  SCRATCH(R10), SCRATCH(R11), c->r12, c->r13, c->r14,       c->r15};
#undef SCRATCH
    return all[number & 15];
}

#endif
