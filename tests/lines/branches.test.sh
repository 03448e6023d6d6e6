#!/usr/bin/env bash
# Branches: true before false, named, in the order of the source, whatever clang's order in the IR;
# cases from line to line; none where the condition is a constant; the same in every format. Their
# names are judged by `llvm-cov show --show-branches`, which takes them from the source.
set -eu
cotree=$COTREE_BUILD/cotree
programs=$COTREE_TOP/tests/lines/programs
. "$COTREE_TOP/tests/lib/llvm_cov.sh"
export LC_ALL=C
failures=0
failed() { echo "$*"; failures=$((failures + 1)); }

build_and_run() { # FILE FLAGS...
    local file=$1
    shift
    rm -rf data && mkdir data
    "$cotree" cc -w "$@" "$programs/$file" -o prog
    COTREE_FILE=data/%p.cotree ./prog >out 2>&1
}

# Text: ^ stands under what decides.
for how in -O0 -O2 "-O2 -g" "-O2 -fcotree=paths" "-O2 -fcotree=trace"; do
    # shellcheck disable=SC2086
    build_and_run branches.c $how
    "$cotree" report --branches ./prog data | grep '|' | sed 's/^[^|]*| //' >text
    cmp -s text - <<'END' || { failed "branches.c with $how:"; cat text; }
#include <stdio.h>
int main(int argc, char **argv) {
  int n = 0, i = 0;
  do {
    if (!(argc & 128)) n++;
          ^ True: 10, False: 0
    if (argc == 1) n++;
        ^ True: 10, False: 0
    if (argc != 1) n--;
        ^ True: 0, False: 10
    if (!argv) n--;
         ^ True: 0, False: 10
    if (++i > 9) break;
        ^ True: 1, False: 9
  } while (1);
  printf("%d\n", n);
  return 0;
}
END
    # The other formats name them, or keep their order.
    "$cotree" report --format=json -o json ./prog data
    [ "$(jq -c '[.files[].branches[] | [.line, .column, (.ways[] | .name, .count)]]' json)" = \
        '[[5,11,"True",10,"False",0],[6,9,"True",10,"False",0],[7,9,"True",0,"False",10],[8,10,"True",0,"False",10],[9,9,"True",1,"False",9]]' ] ||
        failed "JSON with $how: $(jq -c '.files[].branches' json)"
    [ "$("$cotree" report --format=lcov ./prog data | grep BRDA | tr '\n' ' ')" = \
        'BRDA:5,0,0,10 BRDA:5,0,1,0 BRDA:6,0,0,10 BRDA:6,0,1,0 BRDA:7,0,0,0 BRDA:7,0,1,10 BRDA:8,0,0,0 BRDA:8,0,1,10 BRDA:9,0,0,1 BRDA:9,0,1,9 ' ] || failed "lcov with $how"
    "$cotree" report --format=cobertura ./prog data >xml
    grep -q '<line number="5" hits="10" branch="true" condition-coverage="50% (1/2)"><conditions><condition number="0" type="jump" coverage="50%"/></conditions>' xml || failed "cobertura with $how"
    grep -q '<line number="10" hits="9" branch="false"/>' xml || failed "a branch at a constant, with $how"
done

# Every condition that is a branch of its own has llvm-cov's names and counts. It has more: of `x =
# a || b` the last operand is no branch in the code.
for file in branches.c negations.c wrapped-condition.c; do
    build_and_run "$file" -O0
    "$cotree" report --format=json -o json ./prog data
    jq -r '.files[].branches[] | select(.ways[0].name == "True") |
        "\(.line) \(.ways[0].count) \(.ways[1].count)"' json | sort >ours
    llvm_cov_build covered clang-${LLVM:-19} -w "$programs/$file"
    LLVM_PROFILE_FILE=raw ./covered >out 2>&1
    llvm_cov_info ./covered raw >info
    llvm-cov-${LLVM:-19} show --show-branches=count -instr-profile=covered.profdata covered |
        sed -n 's/.*Branch (\([0-9]*\):[0-9]*): \[True: \([0-9.k]*\), False: \([0-9.k]*\).*/\1 \2 \3/p' |
        sed 's/\([0-9]\)\.\([0-9][0-9]\)k/\1\20/g' | sort >theirs
    [ -s ours ] && [ -s theirs ] || failed "$file: nothing to compare"
    # Conditions of loops that are joined by && or || are one branch more here, the whole; 16 of negations.c.
    comm -23 ours theirs | grep -v '^16 15 7$' >wrong || :
    if [ -s wrong ]; then failed "$file: llvm-cov does not have $(tr '\n' ';' <wrong)"; fi
done

# Cases: from line to line, not in clang's order, which begins with the default; and their values.
build_and_run negations.c -O1
"$cotree" report --format=json -o json ./prog data
[ "$(jq -c '[.files[].branches[] | select(.line == 20) | .ways[] | [.name, .count]]' json)" = \
    '[["default",2],["case 3 and 1 more",3],["case -1",2],["case 7 and 2 more",0]]' ] ||
    failed "switch: $(jq -c '[.files[].branches[] | select(.line == 20)]' json)"
# Wide ranges of cases are asked for one after another, where the switch is.
build_and_run case-ranges.c -O2
"$cotree" report --format=json -o ranges ./prog data
[ "$(jq -c '[.files[].branches[] | select(.line == 23) | .ways[] | [.name, .count]]' ranges)" = \
    '[["case 30000 and 10000 more",0],["default",20]]' ] ||
    failed "wide cases: $(jq -c '[.files[].branches[] | select(.line == 23)]' ranges)"
build_and_run negations.c -O1
# A merged file knows them, too.
"$cotree" merge ./prog data -o merged
"$cotree" report --format=json -o json2 merged
[ "$(jq -c '[.files[].branches]' json)" = "$(jq -c '[.files[].branches]' json2)" ] ||
    failed "merging forgets branches"
[ $failures -eq 0 ] || { echo "$failures failures"; exit 1; }
