#!/usr/bin/env bash
# Where events do not fit the program, nothing that they seemed to say is certain: handlers nested
# deeper than there are streams for, and a handler that goes on at another place of a loop whose rounds
# were written in front of it.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
cat >deep.c <<'C'
#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
static sigjmp_buf back;
static volatile int depth, after;
static void fault(int zero)
{
    if (zero == 0)
        *(volatile int *)8 = 1;
    after++; // never
}
static void on_fault(int number)
{
    siglongjmp(back, number);
}
static void nest(int number)
{
    if (sigsetjmp(back, 1) == 0)
        fault(after);
    if (++depth < 12)
        raise(number);
}
int main(void)
{
    struct sigaction action = {.sa_handler = on_fault};
    sigaction(SIGSEGV, &action, 0);
    action.sa_handler = nest;
    action.sa_flags = SA_NODEFER;
    sigaction(SIGUSR1, &action, 0);
    raise(SIGUSR1);
    return after;
}
C
cat >rounds.c <<'C'
#define _GNU_SOURCE
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
extern char recover[];
static void on_fault(int number, siginfo_t *info, void *context)
{
    ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] = (long)recover;
}
__attribute__((noinline)) static int fill(int *p, long n)
{
    for (long i = 0; i < n; i++)
        p[i] = 7; // began 1025 times
    __asm__ volatile(".globl recover\nrecover:" ::: "memory");
    return 0;
}
int main(void)
{
    int *p = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect((char *)p + 4096, 4096, PROT_NONE);
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
    sigaction(SIGSEGV, &action, 0);
    return fill(p, 2000);
}
C
for level in -O0 -O1 -O2; do
    for program in deep rounds; do
        cotree cc -w $level -fcotree=trace $program.c -o prog
        rm -f data*
        COTREE_FILE=data ./prog
        cotree report --format=json prog data >json
        line=$(grep -nE 'never|began 1025' $program.c | cut -d: -f1)
        most=$(sed -n "${line}s/.*never.*/0/p; ${line}s/.*began 1025.*/1025/p" $program.c)
        jq -e --argjson line "$line" --argjson most "$most" \
            '.files[].lines[] | select(.line == $line) |
                (.exact | not) and (.at_least // 0) <= $most' json >/dev/null ||
            die "$program $level: line $line is exact, or said to have run more than $most times"
    done
done
