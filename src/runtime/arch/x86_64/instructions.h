/*
 * Single instructions as functions.
 */
#ifndef COTREE_RUNTIME_ARCH_X86_64_INSTRUCTIONS_H
#define COTREE_RUNTIME_ARCH_X86_64_INSTRUCTIONS_H

#include <asm/prctl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

/* A system call. The result is the kernel's: -4095 to -1 are errors. */
static inline long cotree_call6(long number, long a, long b, long c, long d, long e, long f)
{
    register long r10 __asm__("r10") = d;
    register long r8 __asm__("r8") = e;
    register long r9 __asm__("r9") = f;
    long result;
    __asm__ volatile("syscall"
                     : "=a"(result)
                     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                     : "rcx", "r11", "memory");
    return result;
}

/* clone(2) into a process that calls FUNCTION, which must not return, on the stack that ends at
 * STACK_END. */
static inline long cotree_call_clone(uint64_t flags, char *stack_end, uint32_t *parent_id, uint32_t *child_id,
                                     void (*function)(void))
{
    register uint32_t *cleared __asm__("r10") = child_id;
    register long new_thread __asm__("r8") = 0;
    long result;
    __asm__ volatile("syscall\n\t"
                     "testq %%rax, %%rax\n\t"
                     "jnz 1f\n\t"
                     "xorl %%ebp, %%ebp\n\t"
                     "callq *%[function]\n\t"
                     "hlt\n"
                     "1:"
                     : "=a"(result)
                     : "a"(SYS_clone), "D"(flags), "S"(stack_end), "d"(parent_id), "r"(cleared),
                       "r"(new_thread), [function] "r"(function)
                     : "rcx", "r11", "memory");
    return result;
}

/* Copying and clearing as instructions: the compiler must not turn them into calls of memcpy or
 * memset, which may be the program's own. Copies go forwards: the ranges may overlap if TO is below
 * FROM. Words go in eight times fewer steps than bytes. */
static inline void cotree_copy_words(void *to, const void *from, size_t words)
{
    __asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(words) : : "memory");
}

static inline void cotree_copy_bytes(void *to, const void *from, size_t size)
{
    __asm__ volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(size) : : "memory");
}

static inline void cotree_fill_words(void *at, uint64_t value, size_t words)
{
    __asm__ volatile("rep stosq" : "+D"(at), "+c"(words) : "a"(value) : "memory");
}

static inline void cotree_fill_bytes(void *at, int value, size_t size)
{
    __asm__ volatile("rep stosb" : "+D"(at), "+c"(size) : "a"(value) : "memory");
}

static inline __attribute__((always_inline)) void cotree_copy(void *to, const void *from, size_t size)
{
    if (__builtin_constant_p(size) && size % 8 == 0)
        cotree_copy_words(to, from, size / 8);
    else
        cotree_copy_bytes(to, from, size);
}

static inline __attribute__((always_inline)) void cotree_clear(void *at, size_t size)
{
    if (__builtin_constant_p(size) && size % 8 == 0)
        cotree_fill_words(at, 0, size / 8);
    else
        cotree_fill_bytes(at, 0, size);
}

static inline bool cotree_same_words(const void *one, const void *other, size_t words)
{
    bool same;
    __asm__ volatile("cmpq %%rcx, %%rcx\n\t" /* without words they are the same */
                     "repe cmpsq"
                     : "=@cce"(same), "+D"(one), "+S"(other), "+c"(words)
                     :
                     : "memory");
    return same;
}

/* Makes THREAD the calling thread's control block (__builtin_thread_pointer). Returns 0 or an
 * error. */
static inline long cotree_set_thread_pointer(const void *thread)
{
    return cotree_call6(SYS_arch_prctl, ARCH_SET_FS, (long)thread, 0, 0, 0, 0);
}

/* What the C library's setjmp keeps: rbx, rbp, r12 to r15, the stack pointer and the return
 * address; the last two and rbp are mangled, with a word of the thread's control block. */
enum { COTREE_KEPT_STACK = 6, COTREE_KEPT_RETURN = 7 };
static inline uint64_t cotree_unmangled(uint64_t word)
{
    uint64_t guard;
    __asm__("mov %%fs:0x30, %0" : "=r"(guard));
    return (word >> 17 | word << 47) ^ guard;
}

/* Calls FUNCTION with ARGUMENT on the stack that ends at STACK, a multiple of 16. */
static inline void cotree_call_on_stack(uintptr_t stack, void (*function)(void *), void *argument)
{
    register uintptr_t before __asm__("rbx");
    __asm__ volatile("movq %%rsp, %%rbx\n\t"
                     "movq %[stack], %%rsp\n\t"
                     "callq *%[function]\n\t"
                     "movq %%rbx, %%rsp"
                     : "=&r"(before), "+D"(argument)
                     : [stack] "r"(stack), [function] "r"(function)
                     : "rax", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory", "cc");
}

/* Valgrind knows these instructions, which do nothing elsewhere. */
static inline bool cotree_runs_on_valgrind(void)
{
    uint64_t request[6] = {0x1001}; /* how many valgrinds is this running on? */
    uint64_t answer = 0;
    __asm__ volatile("rolq $3, %%rdi; rolq $13, %%rdi\n"
                     "rolq $61, %%rdi; rolq $51, %%rdi\n"
                     "xchgq %%rbx, %%rbx\n"
                     : "+d"(answer)
                     : "a"(request)
                     : "cc", "memory");
    return answer != 0;
}

#endif
