/*
 * Signals as the kernel sees them, and how handlers of ours are entered.
 */
#ifndef COTREE_RUNTIME_DEATH_SIGNALS_H
#define COTREE_RUNTIME_DEATH_SIGNALS_H

#include <signal.h>
#include <stdint.h>
#include <ucontext.h>
#include "runtime/runtime.h"

#define SIGNALS 64u              /* they are numbered from 1 */
#define RESTORER_FLAG 0x04000000 /* SA_RESTORER */
#define EVERY_SIGNAL (~UINT64_C(0))
#define SIGNAL_BIT(number) (UINT64_C(1) << ((number) - 1))

/* The argument of rt_sigaction. */
struct kernel_action {
    void (*handler)(int);
    uint64_t flags;
    void (*restorer)(void);
    uint64_t mask;
};

/* What the kernel puts on the stack of a handler: its stack pointer points here at first. */
struct kernel_context {
    uint64_t flags;
    void *link;
    stack_t stack;
    mcontext_t machine;
    uint64_t mask;
};
struct kernel_frame {
    void *restorer;
    struct kernel_context context;
    siginfo_t info;
};
_Static_assert(offsetof(struct kernel_frame, context) == 8, "as in cotree_user_entry");
_Static_assert(offsetof(struct kernel_frame, info) == 312, "as in cotree_user_entry");

static inline long cotree_signal_action(int number, const struct kernel_action *action,
                                        struct kernel_action *old)
{
    return COTREE_CALL(SYS_rt_sigaction, number, action, old, 8, 0, 0);
}

/* Returns from a handler; written as unwinders and debuggers expect it. */
void cotree_signal_return(void);

/*
 * A handler of ours, entered on whatever stack the kernel chose, and run on the thread's stack for signals
 * (signal_stacks.c) if there is one: an alternate stack of the program's own may be as small as the kernel
 * allows.
 */
#define COTREE_SIGNAL_STACK_SIZE 65536
#define COTREE_TEXT(text) #text
#define COTREE_EXPANDED(text) COTREE_TEXT(text)
#define HANDLER_ENTRY(entry, function)                                                                       \
    void entry(int);                                                                                         \
    __attribute__((used)) static void function(int, siginfo_t *, struct kernel_context *);                   \
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
            "cmpq $" COTREE_EXPANDED(                                                                        \
                COTREE_SIGNAL_STACK_SIZE) ", %rcx\n"                                                         \
                                          "jb 1f\n"                                                          \
                                          "leaq " COTREE_EXPANDED(                                           \
                                              COTREE_SIGNAL_STACK_SIZE) "(%rax), %rsp\n"                     \
                                                                        "1: andq $-16, %rsp\n"               \
                                                                        "call " #function "\n"               \
                                                                        "movq %rbp, %rsp\n"                  \
                                                                        "popq %rbp\n"                        \
                                                                        ".cfi_def_cfa %rsp, 8\n"             \
                                                                        "ret\n"                              \
                                                                        ".cfi_endproc\n"                     \
                                                                        ".size " #entry ", . - " #entry      \
                                                                        "\n")

#endif
