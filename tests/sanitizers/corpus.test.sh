#!/usr/bin/env bash
# cotree's commands, built with ASan and UBSan, read the profiles of the corpus without an error,
# and say what the plain build says.
set -eu
. "$COTREE_TOP/tests/lib/corpus.sh"
. "$COTREE_TOP/tests/lib/judge.sh"
asan=$COTREE_BUILD/asan/cotree
[ -x "$asan" ] || { echo "no $asan: run make asan"; exit 1; }
export UBSAN_OPTIONS=print_stacktrace=1 ASAN_OPTIONS=strict_string_checks=1:detect_leaks=0

checked() { # NAME OUTPUT COMMAND...: the sanitized command says what the plain one says
    local name=$1 output=$2 plain=0 sanitized=0
    shift 2
    "$cotree" "$@" >plain.out 2>plain.err || plain=$?
    "$asan" "$@" >"$output" 2>"$output.err" || sanitized=$?
    if grep -q -e 'runtime error:' -e 'Sanitizer' "$output.err"; then
        failed "$name: $*: $(grep -m 3 -e 'error:' -e '#[0-4] ' "$output.err")"
    fi
    if [ $plain -ne $sanitized ]; then failed "$name: $*: status $plain, sanitized $sanitized"; fi
    same "$name: $*" plain.out "$output" || :
    same "$name: $*" plain.err "$output.err" || :
}
n=0
for name in $(corpus_names); do
    n=$((n + 1))
    # Builds that other tests of the corpus have made.
    case $((n % 2)) in 0) flags="-O2 -fcotree=edges" ;; *) flags="-O0 -fcotree=$every_set" ;; esac
    # shellcheck disable=SC2086
    cotree_build "$name" program $flags || continue
    cotree_run program
    checked "$name" out report --check-sets --format=json ./program program.data
    case $((n % 3)) in
    0) checked "$name" out report --format=lcov ./program program.data ;;
    1) checked "$name" out report --no-pager ./program program.data ;;
    *) checked "$name" out graph ./program program.data --function='*' ;;
    esac
    "$asan" merge ./program program.data -o sanitized 2>merge.err ||
        failed "$name: merge: $(head -n 3 merge.err)"
    "$cotree" merge ./program program.data -o plain 2>merge.err ||
        failed "$name: merge: $(head -n 3 merge.err)"
    same "$name: merge" plain sanitized || :
    rm -rf program* plain* sanitized out*
done
finish
