#!/usr/bin/env bash
# -fcotree-crash=WHAT:GLOB: cores tell more of the functions that are named, of no others, and nothing that
# is wrong.
set -eu
. "$COTREE_TOP/tests/crash/lib.sh"
[ "$(cat /proc/sys/kernel/core_pattern)" = core ] ||
    { echo "skipped: cores are not written beside the program"; exit 77; }
ulimit -c unlimited
# candidates FUNCTION: of its innermost frame in the core of ./prog, which is made anew.
candidates() {
    rm -f core
    { ./prog || :; } >/dev/null 2>&1
    [ -e core ] || fail "no core"
    "$cotree" crash --format=json ./prog core |
        jq --arg name "$1" '[.threads[].frames[] | select(.function == $name)][0].candidates |
            if . > 1e9 then 1000000000 else . end'
}
# A large function leaves ways out, unless it is named.
awk 'BEGIN {
    print "#include <signal.h>\n#include <stdlib.h>"
    for (f = 0; f < 2; f++) {
        printf "__attribute__((noinline)) static int %s", f ? "large" : "other"
        print "(int op, int n)\n{\n    int a = 0;"
        print "    for (int i = 0; i < n; i++) {"
        for (i = 0; i < 14; i++) printf "        if ((op >> %d ^ i) & 1) a ^= rand() + %d;\n", i % 8, i
        print "        switch (op + i) {"
        for (i = 0; i < 150; i++) printf "        case %d: a += rand() %% %d; break;\n", i, i + 2
        print "        }"
        print "        if (i == n - 1) raise(6);\n    }\n    return a;\n}"
    }
    print "int main(int argc, char **argv) { return argv[1] ? other(argc, 3) : large(argc, 3); }"
}' >large.c
for how in ":" "paths:large" "paths:other" "paths" "paths:nobody -fcotree-crash=paths:lar*"; do
    option=
    [ "$how" = : ] || option=-fcotree-crash=$how
    # shellcheck disable=SC2086
    "$cotree" cc -fcotree=crash -O2 $option large.c -o prog
    case $how in
        : | paths:other) [ "$(candidates large)" -gt 1000 ] || fail "'$option': $(candidates large) ways" ;;
        *) [ "$(candidates large)" = 1 ] || fail "$how: $(candidates large) ways" ;;
    esac
done
# The same after the program was built, by weaving.
"$cotree" cc -fcotree=crash -fcotree-carry -O2 large.c -o carried
"$cotree" weave ./carried -fcotree=crash -fcotree-crash=paths:large -o prog || fail "weave: $?"
[ "$(candidates large)" = 1 ] || fail "woven: $(candidates large) ways"
# The way to a load in a loop that calls nothing: what comes before the loop is cheap to tell.
cat >fault.c <<'C'
struct node { struct node *next; long v; };
volatile long noise;
__attribute__((noinline)) static long sum(const struct node *list, int n)
{
    long s = 0;
    if (n & 1)
        noise++;
    if (n & 2)
        noise--;
    for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
            for (const struct node *at = list; at; at = at->next) {
                if (at->v & 1)
                    noise = s;
                s += at->next->v;
            }
    return s;
}
int main(void)
{
    static struct node last = {(struct node *)16, 1}, first = {&last, 2};
    return (int)sum(&first, 3);
}
C
compile_faulty() { # OPTION...: how many ways there are, 1: way and last rounds
    "$cotree" cc -fcotree=crash -O2 "$@" fault.c -o prog
    [ "$(candidates sum)" -ge 1 ] || fail "$*: nothing is known"
}
compile_faulty
without=$(candidates sum)
compile_faulty -fcotree-crash=faults:other
[ "$(candidates sum)" = "$without" ] || fail "faults of others: $(candidates sum) ways, not $without"
for option in faults faults:sum; do
    compile_faulty -fcotree-crash=$option
    [ "$(candidates sum)" -lt "$without" ] || fail "$option: $(candidates sum) ways, $without without"
done
some=$(candidates sum)
compile_faulty -fcotree-crash=faults -fcotree-crash=paths
[ "$(candidates sum)" = 1 ] && [ "$some" -gt 1 ] || fail "faults and paths: $(candidates sum) ways, $some"
# What is told is what the programs did.
prepare_judge
judge_program "$here/programs/irreducible.c" "${STEP:-901}" -O2 -fcotree-crash=paths -fcotree-crash=faults
judge_program "$here/programs/exceptions.cpp" "${STEP:-901}" -O2 -fcotree-crash=paths -fcotree-crash=faults
export POINT_FAULTS=1
for source in "$here"/faults/*; do
    for scheme in "-fcotree-crash=faults" "-fcotree-crash=faults -fcotree-crash=paths"; do
        # shellcheck disable=SC2086
        judge_program "$source" "${STEP:-97}" -O2 $scheme
        echo "$(basename "$source") $scheme: $compared frames so far, $unique unique, $unknown not known"
    done
done
[ "$compared" -gt 100 ] && [ $((unique * 10)) -gt $((compared * 6)) ] || fail "too little was told"
# Words that are refused.
for words in paths: nonsense output:main =3 ""; do
    status=0
    "$cotree" cc -fcotree=crash "-fcotree-crash=$words" fault.c -o prog 2>said || status=$?
    [ "$status" = 64 ] && [ "$(wc -l <said)" = 1 ] || fail "-fcotree-crash=$words: $status, $(cat said)"
done
# Coverage bytes: code that never ran is ruled out, in earlier rounds of loops and on open ways, too.
cat >cover.c <<'C'
#include <signal.h>
#include <stdlib.h>
volatile int one = 1;
__attribute__((noinline)) void unused(int n) { one += n + rand(); }
__attribute__((noinline)) void used(int n) { one += n & rand() & 1; }
__attribute__((noinline)) int work(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        if (i % 3 == 1)
            used(i);
        if (i > 100)
            unused(i);
        if (i == n - 1)
            s += raise(SIGABRT);
    }
    return s;
}
int main(int argc, char **argv) { return work(one + 4) + (argc > 9 ? (unused(argc), argv == 0) : 0); }
C
# covered OPTION...: what is said of lines 11 (ran) and 13 (never did) of work, and which functions never ran.
covered() {
    "$cotree" cc -fcotree=crash "$@" cover.c -o prog
    rm -f core
    { ./prog || :; } 2>/dev/null
    "$cotree" crash --format=json ./prog core |
        jq -c '([.threads[0].frames[] | select(.function == "work")][0] |
        [11, 13] - ([11, 13] - [.active.ruled_out[].line])), .never_ran' | tr '\n' ' '
}
for level in -O0 -O2 "-O2 -flto" "-O2 -flto=thin -fuse-ld=lld" "-O2 -static"; do
    while read -r what wanted; do
        # shellcheck disable=SC2046,SC2086
        told=$(covered $level $([ "$what" = none ] || printf -- '-fcotree-crash=%s ' ${what//+/ }))
        [ "$told" = "$wanted " ] || fail "$level $what: $told, not $wanted"
    done <<'END2'
none [] null
functions [] ["unused"]
calls+paths [13] ["unused"]
blocks+paths:work [13] ["unused"]
blocks:unused+functions:used [] ["unused"]
END2
done
unset POINT_FAULTS
for scheme in "-fcotree-crash=blocks -fcotree-crash=paths" "-fcotree-crash=calls -fcotree-crash=functions"; do
    for source in inlined_three_times.c exceptions.cpp irreducible.c frames.c; do
        # shellcheck disable=SC2086
        judge_program "$here/programs/$source" "${STEP:-901}" -O2 $scheme
    done
    more_sources=$here/programs/pure_extern.c
    # shellcheck disable=SC2086
    judge_program "$here/programs/sunk_calls.c" "${STEP:-901}" -O2 $scheme
    # shellcheck disable=SC2086
    judge_program "$here/programs/pure_and_builtin.c" "${STEP:-901}" -O2 $scheme
    more_sources=
    export POINT_FAULTS=1
    # shellcheck disable=SC2086
    judge_program "$here/faults/objects.cpp" "${STEP:-197}" -O2 $scheme
    unset POINT_FAULTS
    echo "$scheme: $compared frames so far, $unique unique, $unknown not known"
done
