/*
 * Functions in assembly that need no name from outside (entries.h says what they do).
 */
#include "runtime/arch/x86_64/entries.h"
#include "runtime/arch/x86_64/signal_frame.h"

/*
 * cotree_recorded_call: where entries of COTREE_RECORDED jump, with the function to call in rax.
 * Its frame is a struct cotree_recording (COTREE_RECORDING_SIZE bytes), which goes to the function
 * as fourth argument, with the caller's registers in it.
 *
 * cotree_add_both, cotree_add_all: the note and what was counted are in registers that a walk
 * knows.
 */
__asm__(".text\n"
        ".p2align 4\n"
        ".globl cotree_recorded_call\n"
        ".hidden cotree_recorded_call\n"
        ".type cotree_recorded_call, @function\n"
        "cotree_recorded_call:\n"
        ".cfi_startproc\n"
        "sub $104, %rsp\n"
        ".cfi_adjust_cfa_offset 104\n"
        "mov 104(%rsp), %rcx\n"
        "mov %rcx, 0(%rsp)\n"
        "lea 112(%rsp), %rcx\n"
        "mov %rcx, 8(%rsp)\n"
        "mov %rbx, 16(%rsp)\n"
        "mov %rbp, 24(%rsp)\n"
        "mov %r12, 32(%rsp)\n"
        "mov %r13, 40(%rsp)\n"
        "mov %r14, 48(%rsp)\n"
        "mov %r15, 56(%rsp)\n"
        "xor %ecx, %ecx\n"
        "mov %rcx, 64(%rsp)\n"
        "mov %rcx, 72(%rsp)\n"
        "mov %rcx, 80(%rsp)\n"
        "mov %rcx, 88(%rsp)\n"
        "mov %rcx, 96(%rsp)\n"
        "mov %rsp, %rcx\n"
        "call *%rax\n"
        ".hidden cotree_recorded_return\n"
        ".globl cotree_recorded_return\n"
        "cotree_recorded_return:\n"
        "add $104, %rsp\n"
        ".cfi_adjust_cfa_offset -104\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size cotree_recorded_call, . - cotree_recorded_call\n"

        ".p2align 4\n"
        ".globl cotree_add_both\n"
        ".hidden cotree_add_both\n"
        ".type cotree_add_both, @function\n"
        "cotree_add_both:\n"
        ".cfi_startproc\n"
        "lock addq %rsi, (%rdi)\n"
        ".globl cotree_half_added\n"
        ".hidden cotree_half_added\n"
        "cotree_half_added:\n"
        "addq %rsi, (%rdx)\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size cotree_add_both, . - cotree_add_both\n"

        ".p2align 4\n"
        ".globl cotree_add_all\n"
        ".hidden cotree_add_all\n"
        ".type cotree_add_all, @function\n"
        "cotree_add_all:\n"
        ".cfi_startproc\n"
        "movq (%rdi,%rsi,8), %rax\n"
        "lock incq (%rax)\n"
        ".globl cotree_one_more_added\n"
        ".hidden cotree_one_more_added\n"
        "cotree_one_more_added:\n"
        "incq %rsi\n"
        "jne cotree_add_all\n"
        "addq %rcx, (%rdx)\n"
        ".globl cotree_all_added\n"
        ".hidden cotree_all_added\n"
        "cotree_all_added:\n"
        "ret\n"
        ".cfi_endproc\n"
        ".size cotree_add_all, . - cotree_add_all\n");

#ifndef COTREE_RUNTIME_SHARED

/* What unwinders and debuggers know it by: its bytes, and where registers are, in a struct
 * kernel_context at the stack pointer. */
__asm__(".text\n"
        ".type cotree_signal_return, @function\n"
        ".globl cotree_signal_return\n"
        ".hidden cotree_signal_return\n"
        ".p2align 4\n"
        ".cfi_startproc\n"
        ".cfi_signal_frame\n"
        ".cfi_escape 0x0f, 4, 0x77, 0xa0, 1, 6\n" /* rsp, the CFA: offset 160 */
        ".cfi_escape 0x10, 8, 2, 0x77, 0x28\n"
        ".cfi_escape 0x10, 9, 2, 0x77, 0x30\n"
        ".cfi_escape 0x10, 10, 2, 0x77, 0x38\n"
        ".cfi_escape 0x10, 11, 3, 0x77, 0xc0, 0x0\n"
        ".cfi_escape 0x10, 12, 3, 0x77, 0xc8, 0x0\n"
        ".cfi_escape 0x10, 13, 3, 0x77, 0xd0, 0x0\n"
        ".cfi_escape 0x10, 14, 3, 0x77, 0xd8, 0x0\n"
        ".cfi_escape 0x10, 15, 3, 0x77, 0xe0, 0x0\n"
        ".cfi_escape 0x10, 5, 3, 0x77, 0xe8, 0x0\n"
        ".cfi_escape 0x10, 4, 3, 0x77, 0xf0, 0x0\n"
        ".cfi_escape 0x10, 6, 3, 0x77, 0xf8, 0x0\n"
        ".cfi_escape 0x10, 3, 3, 0x77, 0x80, 0x1\n"
        ".cfi_escape 0x10, 1, 3, 0x77, 0x88, 0x1\n"
        ".cfi_escape 0x10, 0, 3, 0x77, 0x90, 0x1\n"
        ".cfi_escape 0x10, 2, 3, 0x77, 0x98, 0x1\n"
        ".cfi_escape 0x10, 7, 3, 0x77, 0xa0, 0x1\n"
        ".cfi_escape 0x10, 16, 3, 0x77, 0xa8, 0x1\n"
        "nop\n" /* a return address is looked up one byte before it */
        "cotree_signal_return:\n"
        ".byte 0x48, 0xc7, 0xc0, 0x0f, 0x00, 0x00, 0x00\n" /* mov $15, %rax: rt_sigreturn */
        "syscall\n"
        ".cfi_endproc\n"
        ".size cotree_signal_return, . - cotree_signal_return\n");

__asm__(".text\n"
        ".type cotree_breakpoint, @function\n"
        ".globl cotree_breakpoint\n"
        ".hidden cotree_breakpoint\n"
        "cotree_breakpoint: int3\n"
        ".size cotree_breakpoint, . - cotree_breakpoint\n");

__asm__(".text\n"
        ".type cotree_user_entry, @function\n"
        ".globl cotree_user_entry\n"
        ".hidden cotree_user_entry\n"
        "cotree_user_entry:\n"
        ".cfi_startproc\n"
        "endbr64\n"
        "pushq %rdi\n"
        ".cfi_def_cfa_offset 16\n"
        "movq %rsp, %rdi\n"
        "call cotree_enter_handler\n"
        "popq %rdi\n"
        ".cfi_def_cfa_offset 8\n"
        "movq %rdx, %rsp\n"
        "leaq " COTREE_EXPANDED(
            COTREE_FRAME_INFO) "(%rsp), %rsi\n"
                               "leaq " COTREE_EXPANDED(
                                   COTREE_FRAME_CONTEXT) "(%rsp), %rdx\n"
                                                         "movq %rax, %r11\n"
                                                         "xorl %eax, %eax\n"
                                                         "jmp *%r11\n"
                                                         ".cfi_endproc\n"
                                                         ".size cotree_user_entry, . - cotree_user_entry\n");

/* Registers that functions keep are free here: those of the interrupted code are in the frame. */
__asm__(
    ".text\n"
    ".type cotree_traced_entry, @function\n"
    ".globl cotree_traced_entry\n"
    ".hidden cotree_traced_entry\n"
    "cotree_traced_entry:\n"
    ".cfi_startproc\n"
    "endbr64\n"
    "pushq %rdi\n"
    ".cfi_def_cfa_offset 16\n"
    "movq %rsp, %rdi\n"
    "call cotree_enter_handler\n"
    "popq %rdi\n"
    ".cfi_def_cfa_offset 8\n"
    "movq %rdx, %rsp\n"
    "subq $8, %rsp\n"
    ".cfi_def_cfa_offset 16\n"
    "movq %rdi, %rbx\n"
    "movq %rax, %r12\n"
    "movq %rdx, %rsi\n"
    "call cotree_traced_handler_begins\n"
    "movl %eax, %r13d\n"
    "movl %ebx, %edi\n"
    "leaq 8+" COTREE_EXPANDED(
        COTREE_FRAME_INFO) "(%rsp), %rsi\n"
                           "leaq 8+" COTREE_EXPANDED(
                               COTREE_FRAME_CONTEXT) "(%rsp), %rdx\n"
                                                     "xorl %eax, %eax\n"
                                                     "call *%r12\n"
                                                     "movl %r13d, %edi\n"
                                                     "call cotree_traced_handler_ends\n"
                                                     "addq $8, %rsp\n"
                                                     ".cfi_def_cfa_offset 8\n"
                                                     "ret\n"
                                                     ".cfi_endproc\n"
                                                     ".size cotree_traced_entry, . - cotree_traced_entry\n");

#endif
