/*
 * Rules of every kind that frame information can hold, in functions written by hand: each calls `visit`,
 * whose walk is compared with libgcc's, and must be able to return. Expressions are worth 0 if every
 * operation does what it should, and are added to the CFA.
 */
#include "unwind_oracle.h"

void rules_visit(void);
void rules_visit(void)
{
    oracle_check("rules");
}

#define FUNCTION(name, body)                                                                                 \
    void name(void);                                                                                         \
    __asm__(".text\n.type " #name ", @function\n" #name ":\n.cfi_startproc\n" body                           \
            "ret\n.cfi_endproc\n.size " #name ", . - " #name "\n");

#define PUSH_RBX "push %rbx\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset rbx, 0\n"
#define POP_RBX "pop %rbx\n.cfi_adjust_cfa_offset -8\n.cfi_restore rbx\n"

/* rbx is kept in r12, which is on the stack */
FUNCTION(in_register, "push %r12\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset r12, 0\n"
                      "mov %rbx, %r12\n.cfi_register rbx, r12\n mov $77, %ebx\n call rules_visit\n mov %r12, "
                      "%rbx\n.cfi_restore rbx\n"
                      "pop %r12\n.cfi_adjust_cfa_offset -8\n.cfi_restore r12\n")
/* rbp of the caller is the CFA, or 32 bytes from it: it was set so */
FUNCTION(is_offset_inner, ".cfi_escape 0x14, 6, 0\n" /* val_offset */
                          "push %rbp\n.cfi_adjust_cfa_offset 8\n mov $1, %ebp\n call rules_visit\n pop "
                          "%rbp\n.cfi_adjust_cfa_offset -8\n")
FUNCTION(is_offset_signed_inner, ".cfi_escape 0x15, 6, 0x7c\n" /* val_offset_sf: -4 * -8 */
                                 "push %rbp\n.cfi_adjust_cfa_offset 8\n mov $1, %ebp\n call rules_visit\n "
                                 "pop %rbp\n.cfi_adjust_cfa_offset -8\n")
FUNCTION(is_offset,
         "push %rbp\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset rbp, 0\n"
         "lea 0(%rsp), %rbp\n call is_offset_inner\n lea 32(%rsp), %rbp\n call is_offset_signed_inner\n"
         "pop %rbp\n.cfi_adjust_cfa_offset -8\n.cfi_restore rbp\n")
/* r13 is what it was, plus 5 */
FUNCTION(is_expression, "sub $8, %rsp\n.cfi_adjust_cfa_offset 8\n add $5, %r13\n.cfi_escape 0x16, 13, 2, "
                        "0x7d, 0x7b\n call rules_visit\n"
                        "sub $5, %r13\n.cfi_restore r13\n add $8, %rsp\n.cfi_adjust_cfa_offset -8\n")
/* rbx lies at CFA - 16, by an expression that begins with the CFA on the stack */
FUNCTION(at_expression, "push %rbx\n.cfi_adjust_cfa_offset 8\n.cfi_escape 0x10, 3, 2, 0x40, 0x1c\n mov $9, "
                        "%ebx\n call rules_visit\n" POP_RBX)
/* the same places, in other words: offset_extended, offset_extended_sf, restore_extended */
FUNCTION(
    offsets,
    "push %rbx\n.cfi_adjust_cfa_offset 8\n.cfi_escape 5, 3, 2\n mov $9, %ebx\n call rules_visit\n"
    ".cfi_escape 0x11, 3, 2\n call rules_visit\n"
    "push %r14\n push %r14\n.cfi_adjust_cfa_offset 16\n.cfi_escape 0x11, 14, 3\n mov $9, %r14d\n call "
    "rules_visit\n"
    "pop %r14\n pop %r14\n.cfi_adjust_cfa_offset -16\n.cfi_escape 6, 14\n pop %rbx\n.cfi_adjust_cfa_offset "
    "-8\n.cfi_escape 6, 3\n"
    "sub $8, %rsp\n.cfi_adjust_cfa_offset 8\n call rules_visit\n add $8, %rsp\n.cfi_adjust_cfa_offset -8\n")
/* def_cfa_sf, def_cfa_offset_sf; GNU_args_size in between */
FUNCTION(cfa_signed, "sub $24, %rsp\n.cfi_escape 0x12, 7, 0x7c\n call rules_visit\n.cfi_escape 0x2e, 16\n "
                     "sub $16, %rsp\n.cfi_escape 0x13, 0x7a\n"
                     "call rules_visit\n add $40, %rsp\n.cfi_def_cfa rsp, 8\n")
/* states within states */
FUNCTION(states,
         PUSH_RBX "mov $3, %ebx\n.cfi_remember_state\n push %r15\n push %r15\n.cfi_adjust_cfa_offset "
                  "16\n.cfi_rel_offset r15, 0\n mov $4, %r15d\n"
                  ".cfi_remember_state\n sub $32, %rsp\n.cfi_adjust_cfa_offset 32\n call rules_visit\n add "
                  "$32, %rsp\n.cfi_restore_state\n"
                  "call rules_visit\n pop %r15\n pop %r15\n.cfi_restore_state\n call rules_visit\n" POP_RBX)
/* far from the beginning: advance_loc of 1, 2 and 4 bytes */
FUNCTION(far,
         PUSH_RBX "mov $3, %ebx\n call rules_visit\n jmp 1f\n.skip 200\n 1: sub $16, "
                  "%rsp\n.cfi_adjust_cfa_offset 16\n call rules_visit\n"
                  "jmp 1f\n.skip 3000\n 1: sub $16, %rsp\n.cfi_adjust_cfa_offset 16\n call rules_visit\n"
                  "jmp 1f\n.skip 70000\n 1: sub $16, %rsp\n.cfi_adjust_cfa_offset 16\n call rules_visit\n"
                  "add $48, %rsp\n.cfi_adjust_cfa_offset -48\n" POP_RBX)
/* nothing is said of rbx (which is not touched), and that is said in so many words */
FUNCTION(same, "sub $8, %rsp\n.cfi_adjust_cfa_offset 8\n.cfi_same_value rbx\n.cfi_same_value r12\n call "
               "rules_visit\n add $8, %rsp\n.cfi_adjust_cfa_offset -8\n")
/* the frame pointer may be any register that calls keep */
#define BASE(name, reg)                                                                                      \
    FUNCTION(name, "push %" #reg "\n.cfi_adjust_cfa_offset 8\n.cfi_rel_offset " #reg                         \
                   ", 0\n mov %rsp, %" #reg "\n.cfi_def_cfa_register " #reg                                  \
                   "\n sub $64, %rsp\n and $-64, %rsp\n call rules_visit\n mov %" #reg                       \
                   ", %rsp\n.cfi_def_cfa_register rsp\n pop %" #reg                                          \
                   "\n.cfi_adjust_cfa_offset -8\n.cfi_restore " #reg "\n")
BASE(base_rbx, rbx)
BASE(base_rbp, rbp)
BASE(base_r12, r12)
BASE(base_r13, r13)
BASE(base_r14, r14)
BASE(base_r15, r15)

/* CFA = rsp + 16 + EXPRESSION, which is 0 */
#define EXPRESSION(name, length, bytes)                                                                      \
    FUNCTION(name, "sub $8, %rsp\n.cfi_escape 0x0f, 3 + " #length ", 0x77, 16, " bytes                       \
                   ", 0x22\n call rules_visit\n add $8, %rsp\n.cfi_def_cfa rsp, 8\n")
#define LIT(n) "0x30 + " #n
EXPRESSION(constants, 39,
           "0x08, 100, 0x09, 0x9c, 0x22, 0x0a, 0, 1, 0x22, 0x0b, 0, 0xff, 0x22, 0x0c, 0, 0, 0, 1, 0x22, "
           "0x0d, 0, 0, 0, 0xff, 0x22,"
           "0x10, 0x80, 1, 0x22, 0x11, 0x80, 0x7f, 0x22, 0x08, 0, 0x22, 0x23, 0, 0x96")
/* addr 2^40, const8u 5, const8s -5 - 2^40 */
EXPRESSION(long_constants, 29,
           "0x03, 0, 0, 0, 0, 0, 1, 0, 0, 0x0e, 5, 0, 0, 0, 0, 0, 0, 0, 0x22,"
           "0x0f, 0xfb, 0xff, 0xff, 0xff, 0xff, 0xfe, 0xff, 0xff, 0x22")
/* 1 2 3: rot, swap, over, pick, dup, drop: 3 1 2 -> 3 2 1 -> over 2 -> pick(3) 3 ... */
EXPRESSION(stack, 17,
           LIT(1) "," LIT(2) "," LIT(
               3) ", 0x17, 0x16, 0x14, 0x15, 3, 0x12, 0x13, 0x1c, 0x22, 0x22, 0x1c," LIT(1) ", 0x1c, 0x96")
/* -20 / 6 = -3, 20 mod 6 = 2, 3 * 5 = 15: abs(-3) + neg(2) - 15 + 14 */
EXPRESSION(arithmetic, 19,
           "0x09, 0xec," LIT(6) ", 0x1b, 0x19," LIT(20) "," LIT(6) ", 0x1d, 0x1f, 0x22," LIT(3) "," LIT(
               5) ", 0x1e, 0x1c," LIT(14) ", 0x22, 0x96, 0x96, 0x96")
/* (12 & 10) | 1 ^ 9 = 0; ~0 >> 60 = 15; -16 >> 2 (with sign) = -4; 1 << 3 = 8: 0 + 15 - 4 - 8 - 3 */
EXPRESSION(
    bits, 24,
    LIT(12) "," LIT(10) ", 0x1a," LIT(1) ", 0x21," LIT(9) ", 0x27," LIT(
        0) ", 0x20, 0x08, 60, 0x25, 0x22, 0x09, 0xf0," LIT(2) ", 0x26, 0x22," LIT(1) "," LIT(3) ", 0x24, "
                                                                                                "0x1c," LIT(
                                                                                                    3) ", "
                                                                                                       "0x1c")
/* comparisons are signed: (-1 < 1) + (1 > -1) + (1 >= 1) + (-1 <= -1) + (2 == 2) + (2 != 3) - 6 + (1 < -1) +
 * (1 == 2) */
EXPRESSION(comparisons, 39,
           "0x09, 0xff," LIT(1) ", 0x2d," LIT(1) ", 0x09, 0xff, 0x2b, 0x22," LIT(1) "," LIT(
               1) ", 0x2a, 0x22, 0x09, 0xff, 0x09, 0xff,"
                  "0x2c, 0x22," LIT(2) "," LIT(2) ", 0x29, 0x22," LIT(2) "," LIT(3) ", 0x2e, 0x22," LIT(
                      6) ", 0x1c," LIT(1) ", 0x09, 0xff, 0x2d, 0x22," LIT(1) "," LIT(2) ", 0x29, 0x22, 0x96")
/* skip over a wrong constant; a loop that counts 5 down to 0 */
EXPRESSION(
    jumps, 16,
    "0x2f, 1, 0," LIT(9) "," LIT(5) "," LIT(1) ", 0x1c, 0x12, 0x28, 0xfa, 0xff, 0x96, 0x96, 0x96, 0x96, 0x96")
/* bregx; deref of the return address, twice, minus itself; one byte of it */
EXPRESSION(memory, 18,
           "0x92, 7, 8, 0x06, 0x77, 8, 0x06, 0x1c, 0x77, 8, 0x94, 1, 0x77, 8, 0x94, 1, 0x1c, 0x22")

int main(void)
{
    void (*const all[])(void) = {
        in_register,    is_offset, is_expression, at_expression, offsets,     cfa_signed, states,   far,
        same,           base_rbx,  base_rbp,      base_r12,      base_r13,    base_r14,   base_r15, constants,
        long_constants, stack,     arithmetic,    bits,          comparisons, jumps,      memory};
    oracle_stays();
    for (int round = 0; round < 3; round++) /* read, remembered, remembered */
        for (unsigned i = 0; i < sizeof all / sizeof *all; i++)
            all[i]();
    printf("%lu stacks\n", oracle_compared);
    return oracle_compared != 3 * 33;
}
