#!/usr/bin/env bash
# Where it is not known which calls were made, callees are bounded or not believed: after SIGKILL,
# and where nobody records frames.
set -eu
. "$COTREE_TOP/tests/lib/corpus.sh"
cat >killed.c <<'END'
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static volatile int sink;
static void leaf(int x) { sink += x; }
static void fork_in_road(int x) { if (x & 1) leaf(x); else sink--; leaf(2); }
static void deep(int x)
{
    leaf(1);
    if (x == 1000)
        kill(getpid(), SIGKILL);
    leaf(2);
    fork_in_road(x);
}
int main(void)
{
    puts("begins");
    for (int i = 0; i < 2000; i++)
        deep(i);
    return 0;
}
END
for level in -O0 -O1 -O2 -O3; do
    status=0
    "$cotree" cc $level -fcotree=edges,every-edge killed.c -o killed
    rm -f killed.cotree
    { COTREE_FILE=$PWD/killed.cotree ./killed >out || status=$?; } 2>/dev/null
    [ $status -eq 137 ] || failed "$level: status $status"
    "$cotree" report --check-sets --format=json -o killed.json killed killed.cotree 2>log ||
        failed "$level: $(head -n 3 log)"
    ! grep -v '^cotree report: declared difference: ' log ||
        failed "$level: a count is further off than it says"
    for name in leaf fork_in_road deep main; do
        error=$(jq --arg f $name '.functions[] | select(.name == $f) | .max_error' killed.json)
        [ "$error" != null ] && [ "$error" -gt 0 ] && [ "$error" -le 100 ] ||
            failed "$level: $name: error $error"
    done
    entries=$(jq '.functions[] | select(.name == "leaf") | .entries' killed.json)
    [ "$entries" -ge 3000 ] || failed "$level: leaf has $entries entries"
done
# Functions without counters must not be folded into one by the linker: in whose frame the program
# ended would not be known.
cat >folded.c <<'END'
#include <stdlib.h>
static __attribute__((noinline)) void one(int x) { if (x > 100) return; exit(x); }
static __attribute__((noinline)) void first(int x) { one(x); }
static __attribute__((noinline)) void second(int x) { one(x); }
int main(int argc, char **argv) { first(argc + 200); second(argc - 1); return 1; }
END
for icf in none all; do
    "$cotree" cc -O1 -fno-optimize-sibling-calls -ffunction-sections -fuse-ld=lld -Wl,--icf=$icf folded.c \
        -o folded
    rm -f folded.cotree
    COTREE_FILE=$PWD/folded.cotree ./folded || failed "folded: status $?"
    "$cotree" report --format=json -o folded.json folded folded.cotree
    exact=$(jq .exact folded.json)
    places=$(nm folded | awk '/ (first|second)$/ { print $1 }' | sort -u | wc -l)
    [ "$places" = 2 ] || failed "icf $icf: $places functions are left of two"
    [ "$exact" = true ] || failed "icf $icf: exact is $exact"
    [ "$(jq -c '[.functions[] | select(.name == "first") | .edges[] | .count]' folded.json)" = "[1,1]" ] ||
        failed "icf $icf: first"
done
# A library in a plain program: frames are left by longjmp and exit in functions without a counter
# for entries, below callers that were cut, and nobody records it. It must be seen, whatever the
# callers' counts say.
cat >library.c <<'END'
#include <setjmp.h>
#include <stdlib.h>
jmp_buf home;
static void jump(int x) { if (x == 1) longjmp(home, 1); }
static void leave(int x) { if (x == 2) exit(0); }
static int middle(int x)
{
    int s = 0;
    if (x & 1)
        s++;
    jump(x);
    if (s)
        s--;
    leave(x);
    return s;
}
static int outer(int x) { while (x > 5) x -= 3; if (x < 0) return 0; return middle(x); }
int work(int x) { return outer(x) + outer(0); }
END
cat >plain.c <<'END'
#include <setjmp.h>
#include <stdlib.h>
extern jmp_buf home;
int work(int);
int main(int argc, char **argv)
{
    if (!setjmp(home))
        work(atoi(argv[1]));
    return 0;
}
END
for level in -O0 -O2; do
    "$cotree" cc $level -fPIC -shared library.c -o libwork.so
    "clang-${LLVM:-19}" plain.c -L. -lwork -Wl,-rpath,"$PWD" -o plain
    for x in 1 2 3; do
        COTREE_FILE=$PWD/plain$level.$x.cotree ./plain $x
        "$cotree" report --format=json -o plain.json libwork.so "plain$level.$x.cotree"
        [ "$(jq .exact plain.json)" = false ] || failed "plain $level $x: exact, though nobody knows"
        why=$(jq -r '.why_not_exact[]' plain.json)
        case $x in
        1) grep -q "longjmp" <<<"$why" || failed "$level: longjmp was not seen: $why" ;;
        2) grep -q "leave" <<<"$why" || failed "$level: exit was not seen: $why" ;;
        3) ! grep -q "jump\|leave" <<<"$why" || failed "$level: what did not happen was seen: $why" ;;
        esac
    done
done
finish
