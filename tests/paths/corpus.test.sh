#!/usr/bin/env bash
# Path counts imply the counts of a counter on every edge, in the same binary, on every program of
# the corpus; output is as without cotree. Paths that did not end may be missing, and no others.
set -eu
. "$COTREE_TOP/tests/lib/corpus.sh"
. "$COTREE_TOP/tests/lib/judge.sh"

# judge_paths NAME FLAG...
judge_paths() {
    local name=$1 program status=0
    shift
    program=$name${*// /}
    cotree_build "$name" "$program" -fcotree=every-edge,paths "$@" || return 0
    cotree_run "$program"
    same "$name $*: output and exit status" plain.out "$program.out" || :
    "$cotree" report --format=json --check-sets -o "$program.json" "./$program" "$program.data" \
        2>"$program.log" || status=$?
    if [ $status -ne 0 ]; then
        failed "$name $*: $(head -n 3 "$program.log")"
        return
    fi
    case $name in
    cut-*) grep -v '^cotree report: declared difference: ' "$program.log" >others || : ;;
    *) cp "$program.log" others ;;
    esac
    [ ! -s others ] || failed "$name $*: $(head -n 3 others)"
    # every counted function that ran has paths, and their number is the number of activations that
    # ended and of edges that end paths
    jq -r '([.functions[].paths[]?.count] | "counted \(add // 0)"), (.functions[] |
        select(.entries != null and .entries > 0) | select(.path_total == null or (.paths | length == 0)) |
        "\(.linkage_name) has no paths")' "$program.json" |
        awk 'BEGIN { printf "" >"without" } $1 == "counted" { print $2; next } { print >"without" }' \
        >>paths-counted
    case $name in cut-*) ;; *) [ ! -s without ] || failed "$name $*: $(head -n 3 without)" ;; esac
    rm -rf "${program:?}.data" "$program" "$program.json"
}

for name in $(corpus_names); do
    case $name in many-blocks | many-lines) continue ;; esac # clang needs seconds for each
    corpus_plain "$name" plain
    corpus_run ./plain plain.out
    odd=$((1 - ${odd:-0}))
    judge_paths "$name" -O2
    # And one of these two, unless all are wanted.
    if [ "${COTREE_LEVELS-}" = all ] || [ $odd = 1 ]; then judge_paths "$name" -O0; fi
    if [ "${COTREE_LEVELS-}" != all ] && [ $odd = 1 ]; then continue; fi
    case $name in
    [a-m]*) judge_paths "$name" -O1 -fPIC -fcotree-path-ends=loops ;;
    *) judge_paths "$name" -O3 -fcotree-path-ends=mixed ;;
    esac
done
[ "$(awk '{ sum += $1 } END { print (sum > 100000) }' paths-counted)" = 1 ] ||
    failed "hardly any path was counted"
finish
