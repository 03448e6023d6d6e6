/*
 * Functions that cannot be written in C. Macros give the bodies of naked functions, or define whole
 * functions where a name ends in _ENTRY; entries.c has those that need no name from outside.
 */
#ifndef COTREE_RUNTIME_ARCH_X86_64_ENTRIES_H
#define COTREE_RUNTIME_ARCH_X86_64_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>
#include "runtime/arch/x86_64/registers.h"

#define COTREE_TEXT(text) #text
#define COTREE_EXPANDED(text) COTREE_TEXT(text)

/* References of the runtime to functions that the compiler calls by itself lead to the runtime's
 * own (compiled_calls.c). In every unit. */
__asm__("memcpy = cotree_memcpy\n"
        "memmove = cotree_memmove\n"
        "memset = cotree_memset\n"
        "memcmp = cotree_memcmp\n");

/* ---- frames ---- */

/*
 * COTREE_RECORDED(name, body): defines a function `name` with up to three arguments, which calls
 *     body(first, second, third, struct cotree_recording *)
 * (static, used) with the caller's frame in the recording. Walks that meet this call know what was
 * counted.
 */
#define COTREE_RECORDED(name, body)                                                                          \
    __asm__(".text\n.p2align 4\n.globl " #name "\n.hidden " #name "\n.type " #name ", @function\n" #name     \
            ":\n.cfi_startproc\n" COTREE_RECORDED_TEXT(body) ".cfi_endproc\n.size " #name ", . - " #name     \
                                                             "\n")
#define COTREE_RECORDED_TEXT(body) "lea " #body "(%rip), %rax\n\tjmp cotree_recorded_call\n"
/* The same as the body of a function that is naked. */
#define COTREE_RECORDED_BODY(body) __asm__(COTREE_RECORDED_TEXT(body))

/* The struct cotree_recording (frames/frames.h) that the assembly makes: its size, and where `from`
 * is. */
#define COTREE_RECORDING_SIZE 104
#define COTREE_RECORDING_FROM 64
static_assert(COTREE_RECORDING_SIZE % 16 == 8, "the stack is aligned");
static_assert(sizeof(struct cotree_caller) == COTREE_RECORDING_FROM, "the caller comes first");
/* What a body returns to, with its recording at the stack pointer. */
extern const char cotree_recorded_return[] __attribute__((visibility("hidden")));

/*
 * Adds BY to a count and to a note, so that walks which interrupt it know what was done. The same
 * for N counts, by 1 each: END is after the pointers to them, MINUS_N is -N.
 */
void cotree_add_both(uint64_t *count, uint64_t by, uint64_t *note);
void cotree_add_all(uint64_t *const *end, int64_t minus_n, uint64_t *note, uint64_t n);

/* Was the frame interrupted between the count and the note of one of these? Then *note is the note,
 * and *by what is missing there. */
static inline bool cotree_interrupted_adding(const struct cotree_cursor *at, uint64_t **note, uint64_t *by)
{
    extern const char cotree_half_added[] __attribute__((visibility("hidden")));
    extern const char cotree_one_more_added[] __attribute__((visibility("hidden")));
    extern const char cotree_all_added[] __attribute__((visibility("hidden")));
    const uint64_t *registers = at->scratch, pc = at->pc;
    uint64_t begin = (uint64_t)(uintptr_t)cotree_add_all, end = (uint64_t)(uintptr_t)cotree_all_added;
    if (pc == (uint64_t)(uintptr_t)cotree_half_added)
        *by = registers[COTREE_SCRATCH_RSI];
    else if (pc - begin < end - begin)
        *by = registers[COTREE_SCRATCH_RCX] + registers[COTREE_SCRATCH_RSI] +
              (pc == (uint64_t)(uintptr_t)cotree_one_more_added);
    else
        return false;
    *note = (uint64_t *)(uintptr_t)registers[COTREE_SCRATCH_RDX];
    return true;
}

/* The body of cotree_cursor_here(cursor): puts down the registers of the caller as they are when it
 * returns, and goes on to STEP_OUT with the same argument. */
#define COTREE_CURSOR_HERE_BODY(step)                                                                        \
    __asm__("movq (%%rsp), %%rax\n\t"                                                                        \
            "movq %%rax, %c[pc](%%rdi)\n\t"                                                                  \
            "leaq 8(%%rsp), %%rax\n\t"                                                                       \
            "movq %%rax, %c[sp](%%rdi)\n\t"                                                                  \
            "movq %%rbx, %c[rbx](%%rdi)\n\t"                                                                 \
            "movq %%rbp, %c[rbp](%%rdi)\n\t"                                                                 \
            "movq %%r12, %c[r12](%%rdi)\n\t"                                                                 \
            "movq %%r13, %c[r13](%%rdi)\n\t"                                                                 \
            "movq %%r14, %c[r14](%%rdi)\n\t"                                                                 \
            "movq %%r15, %c[r15](%%rdi)\n\t"                                                                 \
            "movb $0, %c[interrupted](%%rdi)\n\t"                                                            \
            "movq $0, %c[readable_from](%%rdi)\n\t"                                                          \
            "movq $0, %c[readable_end](%%rdi)\n\t"                                                           \
            "movq $0, %c[jumps](%%rdi)\n\t"                                                                  \
            "jmp %P[step_out]" ::[pc] "i"(offsetof(struct cotree_cursor, pc)),                               \
            [sp] "i"(offsetof(struct cotree_cursor, sp)), [rbx] "i"(offsetof(struct cotree_cursor, rbx)),    \
            [rbp] "i"(offsetof(struct cotree_cursor, rbp)), [r12] "i"(offsetof(struct cotree_cursor, r12)),  \
            [r13] "i"(offsetof(struct cotree_cursor, r13)), [r14] "i"(offsetof(struct cotree_cursor, r14)),  \
            [r15] "i"(offsetof(struct cotree_cursor, r15)),                                                  \
            [interrupted] "i"(offsetof(struct cotree_cursor, interrupted)),                                  \
            [readable_from] "i"(offsetof(struct cotree_cursor, readable_from)),                              \
            [readable_end] "i"(offsetof(struct cotree_cursor, readable_end)),                                \
            [jumps] "i"(offsetof(struct cotree_cursor, jumps)), [step_out] "i"(step))

/* Puts the registers of the caller into CALLER, a thread-local struct cotree_caller, and goes on to
 * FUNCTION with the same arguments. */
#define COTREE_SAVE_CALLER_BODY(caller, function)                                                            \
    __asm__("movq (%rsp), %rax\n\t"                                                                          \
            "movq %rax, %fs:" #caller "@tpoff\n\t"                                                           \
            "leaq 8(%rsp), %rax\n\t"                                                                         \
            "movq %rax, %fs:" #caller "@tpoff+8\n\t"                                                         \
            "movq %rbx, %fs:" #caller "@tpoff+16\n\t"                                                        \
            "movq %rbp, %fs:" #caller "@tpoff+24\n\t"                                                        \
            "movq %r12, %fs:" #caller "@tpoff+32\n\t"                                                        \
            "movq %r13, %fs:" #caller "@tpoff+40\n\t"                                                        \
            "movq %r14, %fs:" #caller "@tpoff+48\n\t"                                                        \
            "movq %r15, %fs:" #caller "@tpoff+56\n\t"                                                        \
            "jmp " #function)

/* ---- functions of the C library ---- */

/* vfork: NOTE is given the stack pointer after the return and the return address, and returns the
 * function to go on to. No frame may be on the stack while that returns twice. */
#define COTREE_VFORK_BODY(note)                                                                              \
    __asm__("lea 8(%rsp), %rdi\n\t"                                                                          \
            "mov (%rsp), %rsi\n\t"                                                                           \
            "sub $8, %rsp\n\t"                                                                               \
            ".cfi_adjust_cfa_offset 8\n\t"                                                                   \
            "call " #note "\n\t"                                                                             \
            "add $8, %rsp\n\t"                                                                               \
            ".cfi_adjust_cfa_offset -8\n\t"                                                                  \
            "jmp *%rax")

/* dlsym, dlvsym: ANSWER is given the first two arguments and the return address; where it returns
 * NULL, the function at *REAL is gone on to, which then finds its caller on the stack. */
#define COTREE_LOOKUP_BODY(answer, real)                                                                     \
    __asm__("push %rdi\n\t"                                                                                  \
            ".cfi_adjust_cfa_offset 8\n\t"                                                                   \
            "push %rsi\n\t"                                                                                  \
            ".cfi_adjust_cfa_offset 8\n\t"                                                                   \
            "push %rdx\n\t"                                                                                  \
            ".cfi_adjust_cfa_offset 8\n\t"                                                                   \
            "mov 24(%rsp), %rdx\n\t"                                                                         \
            "call " #answer "\n\t"                                                                           \
            "pop %rdx\n\t"                                                                                   \
            ".cfi_adjust_cfa_offset -8\n\t"                                                                  \
            "pop %rsi\n\t"                                                                                   \
            ".cfi_adjust_cfa_offset -8\n\t"                                                                  \
            "pop %rdi\n\t"                                                                                   \
            ".cfi_adjust_cfa_offset -8\n\t"                                                                  \
            "test %rax, %rax\n\t"                                                                            \
            "je 1f\n\t"                                                                                      \
            "ret\n"                                                                                          \
            "1: jmp *" #real "(%rip)")

/* syscall: the numbers for which COTREE_CALL_IS_PICKED is true go to PICKED; others to the function
 * at *NEXT, unless that is NULL, or, with _WRAPPED, to NEXT itself. */
#define COTREE_CALL_IS_PICKED(number)                                                                        \
    (((number) >= 56 && (number) <= 60) || (number) == 231 || (number) == 157 || (number) == 317 ||          \
     (number) == 322 || (number) == 435)
#define COTREE_SYSCALL_BODY(picked, next)                                                                    \
    COTREE_SYSCALL_TEXT(picked, "mov " #next "(%rip), %rax\n\t"                                              \
                                "test %rax, %rax\n\t"                                                        \
                                "je 1f\n\t"                                                                  \
                                "jmp *%rax\n")
#define COTREE_SYSCALL_BODY_WRAPPED(picked, next) COTREE_SYSCALL_TEXT(picked, "jmp " #next "\n")
#define COTREE_SYSCALL_TEXT(picked, go_on)                                                                   \
    __asm__("lea -56(%rdi), %rax\n\t"                                                                        \
            "cmp $4, %rax\n\t"                                                                               \
            "jbe 1f\n\t"                                                                                     \
            "cmp $231, %rdi\n\t"                                                                             \
            "je 1f\n\t"                                                                                      \
            "cmp $157, %rdi\n\t"                                                                             \
            "je 1f\n\t"                                                                                      \
            "cmp $317, %rdi\n\t"                                                                             \
            "je 1f\n\t"                                                                                      \
            "cmp $322, %rdi\n\t"                                                                             \
            "je 1f\n\t"                                                                                      \
            "cmp $435, %rdi\n\t"                                                                             \
            "je 1f\n\t" go_on "1:\n\t"                                                                       \
            "jmp " #picked)

/* ---- signals ---- */

/* Calls function(argument) on the stack that ends there. */
void cotree_call_on(char *stack_end, void (*function)(void *), void *argument);

/*
 * COTREE_HANDLER_ENTRY(entry, function): defines a handler of the runtime, which is entered on
 * whatever stack the kernel chose and calls
 *     function(int, siginfo_t *, struct kernel_context *)
 * on the thread's stack for signals (death/signal_stacks.c) if there is one: an alternate stack of
 * the program's own may be as small as the kernel allows.
 */
#define COTREE_SIGNAL_STACK_SIZE 65536
/* clang-format off */
#define COTREE_HANDLER_ENTRY(entry, function)                                                                \
    void entry(int);                                                                                         \
    __asm__(".text\n"                                                                                        \
            ".type " #entry ", @function\n"                                                                  \
            ".globl " #entry "\n"                                                                            \
            ".hidden " #entry "\n" #entry ":\n"                                                              \
            ".cfi_startproc\n"                                                                               \
            "endbr64\n"                                                                                      \
            "pushq %rbp\n"                                                                                   \
            ".cfi_def_cfa_offset 16\n"                                                                       \
            ".cfi_offset %rbp, -16\n"                                                                        \
            "movq %rsp, %rbp\n"                                                                              \
            ".cfi_def_cfa_register %rbp\n"                                                                   \
            "movq %fs:cotree_signal_stack@tpoff, %rax\n"                                                     \
            "testq %rax, %rax\n"                                                                             \
            "je 1f\n"                                                                                        \
            "movq %rsp, %rcx\n"                                                                              \
            "subq %rax, %rcx\n"                                                                              \
            "cmpq $" COTREE_EXPANDED(COTREE_SIGNAL_STACK_SIZE) ", %rcx\n"                                    \
            "jb 1f\n"                                                                                        \
            "leaq " COTREE_EXPANDED(COTREE_SIGNAL_STACK_SIZE) "(%rax), %rsp\n"                               \
            "1: andq $-16, %rsp\n"                                                                           \
            "call " #function "\n"                                                                           \
            "movq %rbp, %rsp\n"                                                                              \
            "popq %rbp\n"                                                                                    \
            ".cfi_def_cfa %rsp, 8\n"                                                                         \
            "ret\n"                                                                                          \
            ".cfi_endproc\n"                                                                                 \
            ".size " #entry ", . - " #entry "\n")
/* clang-format on */

/*
 * Entered by the kernel in place of a handler of the program's, with a struct kernel_frame on the
 * stack. They call cotree_enter_handler, which says what to go on to and leaves nothing of the
 * runtime behind: number and frame are what the handler gets. It is given a pointer to the
 * signal's number, which it may change, and after which the frame lies.
 *
 * cotree_traced_entry is for programs that record their trace: the handler returns there. It calls
 * cotree_traced_handler_begins(number, frame) before the handler, and cotree_traced_handler_ends
 * with what that returned after it.
 */
void cotree_user_entry(int);
void cotree_traced_entry(int);
struct kernel_frame;
struct cotree_continuation {
    void (*handler)(int);
    struct kernel_frame *frame;
};
struct cotree_continuation cotree_enter_handler(uint64_t *entered) __attribute__((used));
uint32_t cotree_traced_handler_begins(int number, struct kernel_frame *frame) __attribute__((used));
void cotree_traced_handler_ends(uint32_t depth) __attribute__((used));

/* Where a trap is caused once more that the program's own instruction would not cause again. */
void cotree_breakpoint(void);

/* ---- programs without a C library ---- */

/* COTREE_START_ENTRY(begin): the program begins with begin(words), words being what the kernel put
 * on the stack: the number of arguments, the arguments. */
#define COTREE_START_ENTRY(begin)                                                                            \
    __asm__(".globl _start\n"                                                                                \
            "_start:\n\t"                                                                                    \
            "xorl %ebp, %ebp\n\t"                                                                            \
            "movq %rsp, %rdi\n\t"                                                                            \
            "andq $-16, %rsp\n\t"                                                                            \
            "call " #begin "\n\t"                                                                            \
            "hlt\n")

#endif
