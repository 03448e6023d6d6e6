#!/usr/bin/env bash
# -fcotree-use=FILE tells LLVM what the profile counted: entries of functions as clang's own profile
# has them, branch weights as the counts are. With -fcotree=none there are no counters. What has
# changed since is said, and guessed.
set -eu
. "$COTREE_TOP/tests/lib/instrument.sh"
cat >weights.c <<'END'
#include <stdio.h>
int small(int n) { if (n % 100 == 0) return n * 7; return n + 1; }
int many(int n)
{
    switch (n % 8) {
    case 0: case 1: return 3;
    case 5: return n * 2;
    case 6: return n * 3;
    default: return small(n);
    }
}
int never(int n) { if (n) return 1; return n * 9; }
static int recursive(int n) { return n ? recursive(n - 1) + 1 : 0; }
int changed(int n)
{
    if (n > 3)
        return n;
    return 3;
}
int main(int argc, char **argv)
{
    int s = 0;
    for (int i = 0; i < 1000; i++)
        s += many(i) + changed(i);
    if (argc > 7)
        s += never(argc) + (argv[0] != 0);
    printf("%d\n", s + recursive(20));
    return 0;
}
END
cotree cc -O2 weights.c -o counted
COTREE_FILE=run.cotree ./counted >out1
cotree merge -q counted run.cotree -o merged.cotree

# The numbers by hand: at -O0 clang's blocks are what they were.
cotree cc -O0 -fcotree=none -fcotree-use=merged.cotree -S -emit-llvm weights.c -o o0.ll 2>messages
[ ! -s messages ] || fail "everything matches, yet: $(cat messages)"
weights() { # FUNCTION: of its branches in order
    awk -v f="@$1(" '/^define/ { on = index($0, f) > 0 } on &&
        !/^define/ { while (match($0, /!prof ![0-9]+/))
        { print substr($0, RSTART + 6, RLENGTH - 6); $0 = substr($0, RSTART + RLENGTH) } }' o0.ll |
        while read -r node; do
            sed -n "s/^$node = !{!\"branch_weights\", \(.*\)}/\1/p" o0.ll | tr -d 'i,' | sed 's/32 //g'
        done
}
[ "$(weights small | tr '\n' ';')" = "5 495;" ] || fail "small: $(weights small)"
# 125 times each remainder; two cases share an edge, and get half of its 250 each. The default comes first.
[ "$(weights many | tr '\n' ';')" = "500 125 125 125 125;" ] || fail "many: $(weights many)"
[ "$(weights main | tr '\n' ';')" = "1000 1;0 1;" ] || fail "main: $(weights main)"
[ -z "$(weights never)" ] || fail "weights of what never ran: $(weights never)"
grep -q 'ProfileSummary' o0.ll || fail "no summary"
sed -n '/^define.*@never(/s/.*#\([0-9]*\) .*/\1/p' o0.ll >attributes
grep -q "^attributes #$(cat attributes) = .* cold " o0.ll ||
    grep -q "^attributes #$(cat attributes) = { cold" o0.ll || fail "what never ran is not cold"

# Entries, beside those of clang's own profile.
"$clang" -O1 -fno-inline -fprofile-generate weights.c -o generated
LLVM_PROFILE_FILE=own.profraw ./generated >out2
"llvm-profdata-$llvm" merge own.profraw -o own.profdata
"$clang" -O1 -fno-inline -fprofile-use=own.profdata -S -emit-llvm weights.c -o theirs.ll
cotree cc -O1 -fno-inline -fcotree=none -fcotree-use=merged.cotree -S -emit-llvm weights.c -o ours.ll
entries() {
    sed -nE 's/^define .*@([a-z]+)\(.*!prof (![0-9]+).*/\1 \2/p' "$1" | while read -r name node; do
        echo "$name $(sed -nE "s/^$node = !\{!\"function_entry_count\", i64 ([0-9]+).*/\1/p" "$1")"
    done | sort
}
entries theirs.ll >theirs; entries ours.ll >ours
[ "$(wc -l <ours)" -ge 5 ] || fail "few entries: $(cat ours)"
grep -qx 'recursive 21' ours || fail "recursive: $(grep recursive ours)" # clang 16 says 22
grep -v '^recursive ' theirs >theirs.others; grep -v '^recursive ' ours >ours.others
same theirs.others ours.others "entries are not those of clang's own profile"

# Without counters: nothing of cotree is in the program, and it does the same; with them the counts
# are the same.
cotree cc -O2 -fcotree=none -fcotree-use=merged.cotree weights.c -o plain
nm plain | grep -i cotree && fail "cotree is in a program without counters"
readelf -SW plain | grep -q '\.cotree' && fail "a program without counters has sections of cotree"
mkdir empty; (cd empty && ../plain) >out3
[ -z "$(ls empty)" ] || fail "it leaves files"
same out1 out3 "the program computes something else"
cotree cc -O2 -fcotree=edges,every-edge -fcotree-use=merged.cotree weights.c -o both
COTREE_FILE=both.cotree ./both >out4
same out1 out4 "the program computes something else"
counts() {
    cotree report --format=json "$@" |
        jq -c '.functions | sort_by(.name)[] | [.name, .entries, [.edges[] | .count]]'
}
cotree report --check-sets --format=json both both.cotree >/dev/null || fail "counter sets disagree"
counts both both.cotree >b; counts counted run.cotree >c
same c b "other counts"

# Stale: one line says how many; the function that changed has no weights, the others have.
sed -i 's/    if (n > 3)/    if (n < 0) return 1;\n    if (n > 3)/' weights.c
cotree cc -O0 -fcotree=none -fcotree-use=merged.cotree -S -emit-llvm weights.c -o o0.ll 2>messages
[ "$(wc -l <messages)" -eq 1 ] &&
    grep -q "weights of 5 functions from 'merged.cotree'; 1 have changed, 0 are not in it" messages ||
    fail "said: $(cat messages)"
[ -z "$(weights changed)" ] || fail "weights of a changed function: $(weights changed)"
[ "$(weights small | tr '\n' ';')" = "5 495;" ] || fail "small: $(weights small)"
grep '^define.*@changed(' o0.ll | grep -q '!prof' && fail "entries of a changed function"
exit 0
