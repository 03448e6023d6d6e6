/* A setjmp of its own, as many libraries have it. */
#include <stdio.h>
#include "truth.h"

typedef unsigned long kept_registers[8];
int keep(kept_registers) __attribute__((returns_twice));
void go_back(kept_registers) __attribute__((noreturn));
__asm__(".text\n.type keep, @function\nkeep:\n"
        "mov %rbx, (%rdi)\nmov %rbp, 8(%rdi)\nmov %r12, 16(%rdi)\nmov %r13, 24(%rdi)\nmov %r14, "
        "32(%rdi)\nmov %r15, 40(%rdi)\n"
        "lea 8(%rsp), %rdx\nmov %rdx, 48(%rdi)\nmov (%rsp), %rdx\nmov %rdx, 56(%rdi)\nxor %eax, "
        "%eax\nret\n.size keep, . - keep\n"
        ".type go_back, @function\ngo_back:\nmov $1, %eax\n"
        "mov (%rdi), %rbx\nmov 8(%rdi), %rbp\nmov 16(%rdi), %r12\nmov 24(%rdi), %r13\nmov 32(%rdi), "
        "%r14\nmov 40(%rdi), %r15\n"
        "mov 48(%rdi), %rsp\njmp *56(%rdi)\n.size go_back, . - go_back\n");
static kept_registers kept;

__attribute__((noinline)) static void inner(int i)
{
    T;
    if (i % 3 == 0) {
        T;
        go_back(kept);
    }
    T;
}

__attribute__((noinline)) static void outer(int i)
{
    T;
    inner(i);
    T;
}

int main(void)
{
    volatile int i = 0, n = 0;
    for (i = 0; i < 30; i++) {
        T;
        if (keep(kept) == 0) {
            T;
            outer(i);
            T;
        } else {
            T;
            n++;
        }
        T;
    }
    printf("%d\n", n);
    return 0;
}
