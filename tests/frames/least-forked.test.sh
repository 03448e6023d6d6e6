#!/usr/bin/env bash
# A child of fork begins in frames that its parent made. Where they could not be recorded, since
# frames cannot be walked or the stack is the program's own, its counts do not prove that it came to
# the fork: no lower bound is above the truth. What comes behind the fork ran twice for certain.
set -eu
cotree=$COTREE_BUILD/cotree
fail() { echo "$*" >&2; exit 1; }
cat >prog.c <<'C'
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>
volatile int sink;
__attribute__((noinline)) static int f(int n)
{
    if (n > 3) {
        sink = 1; /* 1 */
        if (n == 9) {
            sink = 2; /* 1 */
            if (fork())
                wait(0); /* 1 */
            sink = 3; /* 2 */
        }
        sink = 4; /* 2 */
    }
    return n;
}
#ifdef OWN_STACK
static ucontext_t back, other;
static char stack[65536];
static void on_own_stack(void) { sink = f(9); }
__attribute__((noinline)) static int outer(int n)
{
    if (n > 3) {
        sink = 11; /* 1 */
        if (n == 9) {
            sink = 12; /* 1 */
            if (swapcontext(&back, &other) == 0)
                sink = 13; /* 2 */
        }
        sink = 14; /* 2 */
    }
    return n;
}
#endif
int main(int argc, char **argv)
{
#ifdef OWN_STACK
    getcontext(&other);
    other.uc_stack.ss_sp = stack;
    other.uc_stack.ss_size = sizeof stack;
    other.uc_link = &back;
    makecontext(&other, on_own_stack, 0);
    sink = outer(argc + 8); /* 2 */
#else
    sink = f(argc + 8); /* 2 */
#endif
    sink = 5; /* 2 */
    return 0;
}
C
check() { # WHAT: and `sink = 3` ran twice for certain
    "$cotree" report --format=json prog ./*.cotree >report.json || fail "$1: no report"
    jq -r '.files[].lines[] | "\(.line) \(.at_least // .count)"' report.json >least
    awk -v what="$1" 'NR == FNR { least[$1] = $2; next }
        match($0, /\/\* [0-9]+ \*\//) && (FNR in least) {
            true_count = substr($0, RSTART + 3) + 0
            looked++
            if (least[FNR] > true_count) {
                print what ": line " FNR ": at least " least[FNR] ", though " true_count
                wrong = 1
            }
            if ($0 ~ /sink = 3/) proven += least[FNR] == 2
        }
        END { if (looked < 6) print what ": " looked + 0 " lines"; exit wrong || looked < 6 || !proven }' \
        least prog.c >said || fail "$1: $(cat said)"
    rm -f ./*.cotree
}
for set in every-edge blocks 'every-edge -fcotree-durable'; do
    # shellcheck disable=SC2086
    for link in -static ''; do
        "$cotree" cc -w -fcotree=$set -O1 $link -Wl,--no-eh-frame-hdr prog.c -o prog
        ./prog
        check "$set $link"
    done
    # shellcheck disable=SC2086
    "$cotree" cc -w -fcotree=$set -O1 -DOWN_STACK prog.c -o prog
    ./prog
    check "$set, a stack of its own"
done
