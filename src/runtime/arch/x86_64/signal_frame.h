/*
 * What the kernel puts on the stack of a signal handler, and the registers in it.
 */
#ifndef COTREE_RUNTIME_ARCH_X86_64_SIGNAL_FRAME_H
#define COTREE_RUNTIME_ARCH_X86_64_SIGNAL_FRAME_H

#include <errno.h>
#include <signal.h>
#include <sys/user.h>
#include <sys/ucontext.h>
#include "runtime/arch/x86_64/code.h"
#include "runtime/arch/x86_64/instructions.h"
#include "runtime/arch/x86_64/registers.h"

/* A ucontext_t as the kernel writes it: its mask is shorter. */
struct kernel_context {
    uint64_t flags;
    void *link;
    stack_t stack;
    mcontext_t machine;
    uint64_t mask;
};
/* At first the stack pointer of a handler points here. */
struct kernel_frame {
    void *restorer;
    struct kernel_context context;
    siginfo_t info;
};
#define COTREE_FRAME_CONTEXT 8
#define COTREE_FRAME_INFO 312
static_assert(offsetof(struct kernel_frame, context) == COTREE_FRAME_CONTEXT, "as in entries.c");
static_assert(offsetof(struct kernel_frame, info) == COTREE_FRAME_INFO, "as in entries.c");

/* The bytes of the longest instruction. */
enum { COTREE_LONGEST_INSTRUCTION = 15 };

/* Where the interrupted code goes on. */
static inline uint64_t cotree_context_pc(const struct kernel_context *context)
{
    return (uint64_t)context->machine.gregs[REG_RIP];
}

static inline void cotree_context_set_pc(struct kernel_context *context, uint64_t pc)
{
    context->machine.gregs[REG_RIP] = (greg_t)pc;
}

/* Its stack pointer. */
static inline uint64_t cotree_context_sp(const struct kernel_context *context)
{
    return (uint64_t)context->machine.gregs[REG_RSP];
}

/* The register with this number in instructions. */
static inline uint64_t *cotree_context_register(struct kernel_context *context, unsigned number)
{
    static const uint8_t places[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                       REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                       REG_R12, REG_R13, REG_R14, REG_R15};
    return (uint64_t *)&context->machine.gregs[places[number & 15]];
}

/* The registers in a ucontext_t: how many words they are, and how far from its start. */
typedef greg_t cotree_context_word;
enum { COTREE_CONTEXT_WORDS = NGREG, COTREE_CONTEXT_OFFSET = offsetof(ucontext_t, uc_mcontext.gregs) };

static inline uint64_t cotree_context_word_sp(const cotree_context_word *words)
{
    return (uint64_t)words[REG_RSP];
}

/* Where control stood: a breakpoint of the program's own is reported when control has passed it,
 * and the next instruction may belong to something else. */
static inline uint64_t cotree_interrupted_at(const cotree_context_word *from)
{
    enum { BREAKPOINT_TRAP = 3, PAGE_SIZE_LEAST = 4096 };
    uint64_t pc = (uint64_t)from[REG_RIP];
    bool trapped = from[REG_TRAPNO] == BREAKPOINT_TRAP && pc % PAGE_SIZE_LEAST != 0;
    return trapped && cotree_is_after_breakpoint(pc) ? pc - 1 : pc;
}

/* The registers of the interrupted frame, from a ucontext_t into a cursor. */
static inline void cotree_cursor_take(struct cotree_cursor *cursor, const cotree_context_word *from)
{
    static const uint8_t scratch[COTREE_SCRATCH_COUNT] = {REG_RAX, REG_RDX, REG_RCX, REG_RSI, REG_RDI,
                                                          REG_R8,  REG_R9,  REG_R10, REG_R11};
    cursor->pc = cotree_interrupted_at(from);
    cursor->sp = (uint64_t)from[REG_RSP];
    cursor->rbx = (uint64_t)from[REG_RBX];
    cursor->rbp = (uint64_t)from[REG_RBP];
    cursor->r12 = (uint64_t)from[REG_R12];
    cursor->r13 = (uint64_t)from[REG_R13];
    cursor->r14 = (uint64_t)from[REG_R14];
    cursor->r15 = (uint64_t)from[REG_R15];
    cursor->interrupted = true;
    for (unsigned i = 0; i < COTREE_SCRATCH_COUNT; i++)
        cursor->scratch[i] = (uint64_t)from[scratch[i]];
}

/* A system call that does not go on by itself after a handler has failed with EINTR, which the
 * program does not expect: lets the interrupted code make it again. */
static inline void cotree_context_call_again(struct kernel_context *context)
{
    greg_t *gregs = context->machine.gregs;
    if (gregs[REG_RAX] == -EINTR && cotree_is_after_numbered_call((uint64_t)gregs[REG_RIP]))
        gregs[REG_RIP] -= COTREE_NUMBERED_CALL_LENGTH;
}

/* A context with the registers of a thread that ptrace has stopped; nothing else of it is set. */
static inline void cotree_context_of_stopped(struct kernel_context *context,
                                             const struct user_regs_struct *from)
{
    greg_t *to = context->machine.gregs;
    to[REG_RIP] = (greg_t)from->rip, to[REG_RSP] = (greg_t)from->rsp, to[REG_RBP] = (greg_t)from->rbp;
    to[REG_RAX] = (greg_t)from->rax, to[REG_RBX] = (greg_t)from->rbx, to[REG_RCX] = (greg_t)from->rcx;
    to[REG_RDX] = (greg_t)from->rdx, to[REG_RSI] = (greg_t)from->rsi, to[REG_RDI] = (greg_t)from->rdi;
    to[REG_R8] = (greg_t)from->r8, to[REG_R9] = (greg_t)from->r9, to[REG_R10] = (greg_t)from->r10;
    to[REG_R11] = (greg_t)from->r11, to[REG_R12] = (greg_t)from->r12, to[REG_R13] = (greg_t)from->r13;
    to[REG_R14] = (greg_t)from->r14, to[REG_R15] = (greg_t)from->r15, to[REG_TRAPNO] = 0;
}

/* The control block of a thread that ptrace has stopped. */
static inline void *cotree_thread_of_stopped(const struct user_regs_struct *registers)
{
    return (void *)(uintptr_t)registers->fs_base;
}

/* Where the kernel would put a copy of a frame, and of the state of vectors that belongs to it, on
 * the stack that was interrupted. */
struct cotree_frame_copy {
    uintptr_t frame, vectors, end; /* the copy reaches from `frame` to `end` */
    const void *state;             /* of vectors, or NULL */
    uint64_t state_size;
};

static inline struct cotree_frame_copy cotree_frame_copy_below(const struct kernel_frame *frame)
{
    const uintptr_t red_zone = 128; /* below the stack pointer, and in use */
    const uint64_t general_state = 512;
    const uint32_t *words = (const uint32_t *)(const void *)frame->context.machine.fpregs;
    struct cotree_frame_copy copy;
    copy.state = words;
    copy.state_size = 0;
    if (words != NULL) /* struct _fpx_sw_bytes: magic number, size of all */
        copy.state_size = words[464 / 4] == 0x46505853 ? words[464 / 4 + 1] : general_state;
    copy.end = (uintptr_t)frame->context.machine.gregs[REG_RSP] - red_zone;
    copy.vectors = (copy.end - copy.state_size) & ~(uintptr_t)63;
    copy.frame = ((copy.vectors - sizeof *frame) & ~(uintptr_t)15) - 8;
    return copy;
}

static inline struct kernel_frame *cotree_frame_copy_make(const struct cotree_frame_copy *copy,
                                                          const struct kernel_frame *frame)
{
    struct kernel_frame *made = (struct kernel_frame *)copy->frame;
    cotree_copy(made, frame, sizeof *frame);
    if (copy->state != NULL) {
        cotree_copy((void *)copy->vectors, copy->state, copy->state_size);
        made->context.machine.fpregs = (fpregset_t)copy->vectors;
    }
    return made;
}

/* Returns from a handler; written as unwinders and debuggers expect it (entries.c). */
void cotree_signal_return(void);

#endif
