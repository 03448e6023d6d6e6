#!/usr/bin/env bash
# Programs of the corpus that are collected in parts: what copies count together is what an ordinary
# build of the same program counts, of every path, edge, block and function.
set -u
. "$COTREE_TOP/tests/lib/corpus.sh"
ulimit -c 0

# What was counted, of all functions, a line each; then, of the one in parts, whether it is exact and
# anything ran. What counters stand for in the two builds is not compared.
counts='"\(input_filename) \({exact, functions: [.functions[] |
        {name, line, exact, entries, unfinished, resumed, paths,
            blocks: [.blocks[]? | .count], edges: [.edges[]? | .count]}]} | .exact, .functions[])",
    "judged \(input_filename) \(.exact and ([.functions[].entries] | add) > 0)"'

copies=2
for name in budgets comdat cut-_exit cut-abort cut-exceptions cut-exit-nested duffs-device interpreter recursion \
    tail-calls templates varargs virtual-calls vla-alloca weak; do
    for how in '-O0 -fcotree=paths' '-O2 -fcotree=paths' '-O2 -fcotree=edges'; do
        # shellcheck disable=SC2046
        for build in whole parts; do
            build_once prog.$build $(corpus_cotree "$name") $(corpus_flags "$name") $how \
                $([ $build = whole ] || echo -fcotree-parts) $(corpus_units "$name") $corpus_libraries ||
                exit 1
        done
        rm -f whole.cotree
        status=0 expected=0
        { COTREE_FILE=$PWD/whole.cotree setarch -R ./prog.whole >expected 2>expected.err </dev/null ||
            expected=$?; } 2>log
        "$cotree" run -k $copies -o united -- ./prog.parts >output 2>said </dev/null || status=$?
        if [ $status != $expected ]; then
            echo "$name $how: ends with $status, not $expected: $(tail -n 1 said)"; failures=1
            continue
        fi
        cmp -s expected output || { echo "$name $how: prints something else"; failures=1; }
        "$cotree" report --format=json -o whole.json prog.whole whole.cotree &&
            "$cotree" report --format=json -o united.json united || failures=1
        jq -r "$counts" whole.json united.json >counted || failures=1
        sed -n 's/^whole.json //p' counted >whole.counts
        sed -n 's/^united.json //p' counted >united.counts
        [ -s whole.counts ] && cmp -s whole.counts united.counts || {
            echo "$name $how: $copies copies count something else:"
            diff whole.counts united.counts | head -n 10
            failures=1
        }
        grep -qx 'judged united.json true' counted || { echo "$name $how: not exact"; failures=1; }
        copies=$((copies % 5 + 2))
    done
done
exit $failures
