#!/usr/bin/env bash
# What `cotree merge --unite` takes for the same: builds in different folders are paired, functions
# that only folders tell apart are not mixed up, and other programs are refused. A sum over inputs
# has only the paths that all parts watched; functions stay in their modules; a killed run is
# counted once.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"

# counts MERGED: entries and edges of each function with the last N components of its file's path
# (COMPONENTS), and each path
counts() {
    "$cotree" report --format=json "$1" |
        jq -r --argjson n "${COMPONENTS:-1}" \
        '.functions[] | . as $f | (.file | split("/") | .[-$n:] | join("/")) as $file |
        "\($file) \(.name) entries \(.entries)", (.edges[] | "\($file) \($f.name) edge \(.id) \(.count)"),
        "\($file) \(.name) watched \(.paths_watched) of \(.path_total)",
            (.paths[] | "\($file) \($f.name) path \(.id) \(.count)")' | sort
}
is_exact() { "$cotree" report --format=json "$1" | jq .exact; }
# same EXPECTED FOUND WHAT: the same counts, both exact
same() {
    diff <(counts "$1") <(counts "$2") >differences || die "$3: $(head -n 5 differences)"
    [ "$(is_exact "$2")" = true ] || die "$3: not exact"
}

mkdir -p one/a one/b two/a two/b three/c three/d
cat >one/many.c <<'C'
#define TWO(x) if (bits & (1u << (x))) sum += x; else sum ^= x;
unsigned many(unsigned bits)
{
    unsigned sum = 0;
    TWO(0) TWO(1) TWO(2) TWO(3) TWO(4) TWO(5) TWO(6) TWO(7)
    return sum;
}
C
cat >one/prog.c <<'C'
#include <signal.h>
#include <stdlib.h>
unsigned many(unsigned), a(unsigned), b(unsigned);
int main(int argc, char **argv)
{
    unsigned sum = 0, n = (unsigned)atoi(argv[1]);
    for (unsigned i = 0; i < n; i++)
        sum += many(i * 0x9E3779B9u >> 24) + a(i);
    for (unsigned i = 0; i < 3 * n; i++)
        sum += b(i);
    if (argc > 2)
        raise(SIGKILL);
    return sum == 1;
}
C
for f in a b; do
    cat >one/$f/helper.c <<C
static __attribute__((noinline)) unsigned helper(unsigned i)
{
    return i % 3 ? i * 5 : i / 7;
}
unsigned $f(unsigned i) { return helper(i) + helper(i + 1); }
C
done
for folder in two three; do cp one/prog.c one/many.c $folder/; done
cp one/a/helper.c two/a/ && cp one/b/helper.c two/b/
cp one/a/helper.c three/c/ && cp one/b/helper.c three/d/

# build FOLDER NAME [OPTION]...: FOLDER/NAME, compiled there
build() {
    local folder=$1 name=$2; shift 2
    (cd "$folder" && "$cotree" cc -O2 -fcotree=paths "$@" prog.c many.c ./*/helper.c -o "$name")
}
# run PROGRAM INPUT: PROGRAM.INPUT is its profile
run() {
    COTREE_RUN=$2 COTREE_FILE="$PWD/$1.$2.cotree" "$1" "$2"
    "$cotree" merge -q "$1" "$1.$2.cotree" -o "$1.$2"
}
build one full
for g in 1 2; do
    build one g$g -fcotree-paths=group:$g/2
    build two g$g -fcotree-paths=group:$g/2
done
build three g2 -fcotree-paths=group:2/2
for program in one/full one/g1 one/g2 two/g1 two/g2 three/g2; do run $program 50; run $program 90; done
"$cotree" merge -q one/full one/full.50.cotree one/full.90.cotree -o both
for g in 1 2; do counts one/g$g.50 | grep -q ' many path ' || die "many is not divided"; done

# Different inputs: a path that one part does not watch has no sum. What is there is what the full
# profile has.
"$cotree" merge -q --unite one/g1.50 one/g2.90 -o united
[ "$(is_exact united)" = true ] || die "sums of different inputs are not exact"
counts united | grep -v ' watched ' | comm -23 - <(counts both) >wrong
[ ! -s wrong ] || die "sums that are too small: $(head -n 3 wrong)"
counts both | grep -v ' path \| watched ' |
    diff - <(counts united | grep -v ' path \| watched ') >differences ||
    die "edges: $(head -n 3 differences)"
"$cotree" merge -q --unite one/g1.50 one/g2.50 one/g1.90 -o united
"$cotree" merge -q one/g1 one/g1.50.cotree one/g1.90.cotree -o expected
same expected united "both groups of one input, one of another"

# Builds in different folders.
"$cotree" merge -q --unite one/g1.50 two/g2.50 -o united
COMPONENTS=2 counts united | sed 's,^two/,one/,' | diff <(COMPONENTS=2 counts one/full.50) - >differences ||
    die "folders: $(head -n 5 differences)"
[ "$(is_exact united)" = true ] || die "different folders are not exact"
"$cotree" merge -q --unite one/g1.50 two/g2.50 two/g1.90 one/g2.90 -o united
COMPONENTS=2 counts united | sed 's,^two/,one/,' | diff <(COMPONENTS=2 counts both) - >differences ||
    die "folders, summed: $(head -n 5 differences)"
# the two helpers are called differently often, and nobody knows which is which
refuses 1 "cannot tell which function of 'one/g1.50' is 'helper' of '$PWD/three/c/helper.c' in 'three/g2.50'" "$cotree" merge --unite one/g1.50 three/g2.50 -o united
# runs of one input, of which one unit was counted in another way: its function must not be there twice
(cd one && "$cotree" cc -O2 -c many.c -o many.o &&
    "$cotree" cc -O2 -fcotree=paths -fcotree-paths=group:1/2 prog.c many.o ./*/helper.c -o mixed)
run one/mixed 50
refuses 1 "'many' of '$PWD/one/many.c' is another function in 'one/g2.50' than in 'one/mixed.50'" "$cotree" \
    merge --unite one/mixed.50 one/g2.50 -o united
run one/mixed 90
"$cotree" merge -q --unite one/mixed.50 one/g2.90 -o united
[ "$("$cotree" report --format=json united |
    jq '[.functions[] | select(.name == "many") | .entries] | add')" = 140 ] ||
    die "many, counted in two ways"

# Another program, in C, and in C++ with the same functions of headers.
echo 'int main(void) { return 0; }' >other.c
"$cotree" cc -O2 -fcotree=paths other.c -o other
COTREE_FILE="$PWD/other.cotree" ./other
"$cotree" merge -q other other.cotree -o other.merged
refuses 1 "'other.merged' has no function in common with 'one/g1.50'" "$cotree" merge --unite one/g1.50 \
    one/g2.50 other.merged -o united
echo 'template <class T> __attribute__((noinline)) T shared(T x) { return x > 3 ? x : 3; }' >shared.h
printf '#include "shared.h"\nint main(int argc, char **) { return shared(argc) == 1; }\n' >cpp1.cpp
printf '#include "shared.h"\nint main(int argc, char **argv) { return shared(argc) == 2 && !*argv; }\n' \
    >cpp2.cpp
for p in 1 2; do
    "$cotree" c++ -O2 -fcotree=paths cpp$p.cpp -o cpp$p
    COTREE_FILE="$PWD/cpp$p.cotree" ./cpp$p
    "$cotree" merge -q cpp$p cpp$p.cotree -o cpp$p.merged
done
refuses 1 "'cpp2.merged' has no function in common with 'cpp1.merged'" "$cotree" merge --unite cpp1.merged \
    cpp2.merged -o united

# Libraries that one part did not load.
cat >load.c <<'C'
#include <dlfcn.h>
int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        void *library = dlopen(argv[i], RTLD_NOW);
        if (!library || ((int (*)(int))dlsym(library, "answer"))(i) < 0)
            return 1;
    }
    return 0;
}
C
"$cotree" cc -O2 -fcotree=paths load.c -o load -ldl
for l in p q r; do
    printf 'int answer(int i) { return i > 1 ? i : %d; }\n' 7 >lib$l.c
    "$cotree" cc -O2 -fcotree=paths -fPIC -shared lib$l.c -o lib$l.so
done
COTREE_RUN=p COTREE_FILE="$PWD/load.p.cotree" ./load ./libr.so ./libr.so
COTREE_RUN=q COTREE_FILE="$PWD/load.q.cotree" ./load ./libp.so ./libq.so ./libr.so
for part in p q; do "$cotree" merge -q load load.$part.cotree -o load.$part; done
"$cotree" merge -q load load.p.cotree load.q.cotree -o expected
for order in "load.p load.q" "load.q load.p"; do
    # shellcheck disable=SC2086
    "$cotree" merge -q --unite $order -o united
    for file in expected united; do
        "$cotree" report --format=json $file |
            jq -r '.modules as $modules | .functions[] |
                "\(.file | split("/") | .[-1]) \($modules[.module].path | split("/") | .[-1]) \(.name) \(.entries)"' | sort >$file.modules
    done
    [ "$(wc -l <expected.modules)" = 4 ] || die "functions of the modules: $(cat expected.modules)"
    diff expected.modules united.modules >differences || die "modules: $(cat differences)"
done

# A killed run, seen by two builds, is one killed run.
for g in 1 2; do
    ! { COTREE_RUN=killed COTREE_FILE="$PWD/killed$g.cotree" one/g$g 50 kill; } 2>/dev/null || die "it lives"
    "$cotree" merge -q one/g$g killed$g.cotree one/g$g.50.cotree one/g$g.90.cotree -o killed$g
done
"$cotree" report --format=json killed1 | jq -r '.why_not_exact[]' >expected
grep -q '^1 of 3 runs was killed' expected || die "$(cat expected)"
"$cotree" merge -q --unite killed1 killed2 -o united
"$cotree" report --format=json united | jq -r '.why_not_exact[]' | diff expected - >differences ||
    die "causes: $(cat differences)"
