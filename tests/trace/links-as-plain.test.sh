#!/usr/bin/env bash
# What plain clang links is linked with a trace or counters, too: calls that optimisation found to
# be dead need no function, and under -fsanitize=dataflow, which gives functions other names, the
# runtime keeps its own. A program may have a start of its own.
set -eu
export COTREE_FOLLOWER=off
: "${LLVM:=19}"
cotree=$COTREE_BUILD/cotree
fail() { echo "$*" >&2; exit 1; }

cat >dead.c <<'END'
extern int link_error(int), link_error_of_two(int);
static int zero(int x) { return x & 0; }
static int never(int x) { return link_error_of_two(x) + 1; }
int main(void) { return zero(3) ? link_error(1) + never(2) : 0; }
END
cat >flow.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int other(int);
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
__attribute__((noinline)) static int f(int x) { return x % 3 ? x + 1 : x - 1; }
int main(void)
{
    int sum = 0, some[3] = {3, 1, 2};
    for (int i = 0; i < 10; i++)
        sum += f(i) + other(i);
    qsort(some, 3, sizeof *some, compare);
    printf("%d %d\n", sum, some[0]);
    return 0;
}
END
echo 'int other(int x) { return x & 1 ? 2 * x : x; }' >other.c

check() { # WHAT FLAG-AND-SOURCE...
    local what=$1
    shift
    "clang-$LLVM" "$@" -o plain || fail "$what: plain clang does not link it"
    ./plain >plain.out
    for kind in -fcotree=edges '-fcotree=edges -fPIC' -fcotree=paths -fcotree=trace \
        '-fcotree=trace -fcotree-trace=addresses'; do
        rm -f ./*.cotree*
        # shellcheck disable=SC2086
        "$cotree" cc $kind "$@" -o prog || fail "$what, $kind: it does not link"
        ./prog >out || fail "$what, $kind: it fails"
        cmp plain.out out || fail "$what, $kind: another output"
        "$cotree" report --format=json prog prog.*.cotree |
            jq -e '.exact and (.functions | any(.name == "main" and .entries == 1))' >/dev/null ||
            fail "$what, $kind: not exact, or main did not run"
    done
}
for level in 1 2; do check "dead calls, -O$level" -O$level dead.c; done
for level in 0 2; do check "data flow, -O$level" -O$level -fsanitize=dataflow flow.c other.c; done

cat >start.c <<'END'
#include <stdio.h>
#include <unistd.h>
int __libc_start_main(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
static int count(int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += i % 3;
    return sum;
}
int main(int argc, char **argv)
{
    (void)argv;
    printf("%d\n", count(20 * argc));
    return 0;
}
__attribute__((used, no_profile_instrument_function)) void begin(long *stack)
{
    __libc_start_main((int (*)(int, char **, char **))main, (int)stack[0], (char **)(stack + 1), 0, 0, 0, 0);
}
__asm__(".globl _start\n_start: .cfi_startproc\n.cfi_undefined rip\nmov %rsp, %rdi\nand $-16, %rsp\ncall begin\nhlt\n.cfi_endproc\n");
END
check 'a start of its own' -O1 -w -nostartfiles start.c
