#!/usr/bin/env bash
# What a profile says of itself agrees at all levels: exact as a whole means exact in every function
# and line; bounds, reasons and "at least" are where something is not; a merged file, a comparison,
# the text and the page say what the report says. Of programs that end well and badly, of files that
# are damaged, and of functions that have no counters.
set -eu
. "$COTREE_TOP/tests/lib/corpus.sh"
. "$COTREE_TOP/tests/lib/judge.sh"
export COTREE_FOLLOWER=off

# levels JSON: `true` or `false`, what it is as a whole, and what contradicts itself.
levels() { jq -r '.exact, ('"$(<"$COTREE_TOP/tests/lib/levels.jq")"$'\n'')' "$1" | head -n 4; }

# agrees WHAT PROGRAM DATA...: leaves in $exact what the report is.
agrees() {
    local what=$1 program=$2 said
    shift 2
    "$cotree" report --format=json -o "$program.json" "./$program" "$@" 2>log ||
        { failed "$what: $(head -n 1 log)"; return 0; }
    said=$(levels "$program.json")
    exact=${said%%$'\n'*}
    [ "$said" = "$exact" ] || failed "$what: $said"
    checked=$((checked + 1))
    if [ "$exact" = false ]; then inexact=$((inexact + 1)); fi
}
# The same of the other ways to look at it.
agrees_everywhere() {
    local what=$1 program=$2 text exact=
    shift 2
    agrees "$what" "$program" "$@"
    text=$("$cotree" report --no-source "./$program" "$@" | head -n 1)
    case $exact,$text in
    false,*', not exact' | true,*' run, exact' | true,*' runs, exact') ;;
    *) failed "$what: the text says: $text" ;;
    esac
    "$cotree" merge "./$program" "$@" -o merged.cotree
    "$cotree" report --format=json -o merged.json merged.cotree
    "$cotree" diff --format=json merged.cotree merged.cotree >diff.json
    jq -r --slurpfile report "$program.json" --slurpfile diff diff.json '
        def own: del(.inexact_files[].file);
        . as $r |
        if ($report[0] | own) == own then empty else "merged, it is another report" end,
        if $diff[0] | [.old, .new] | all(.exact == $r.exact and .why_not_exact == $r.why_not_exact)
        then "compared" else "the comparison says otherwise" end' merged.json >said
    [ "$(<said)" = compared ] || failed "$what: $(<said)"
}

checked=0 inexact=0
for case in coroutine:edges coroutine:trace threads:edges,paths cut-abort:trace cut-threads-alive:trace \
    cut-threads-alive:edges cut-fork:trace \
    cut-killed:edges cut-killed:trace cut-killed:paths cut-setjmp:paths timer-signals:trace \
    signal-handlers:edges cut-static-calls:edges; do
    name=${case%:*} program=$name
    cotree_build "$name" "$program" -O1 -fcotree="${case#*:}" || continue
    rm -rf "$program.data"
    cotree_run "$program"
    agrees_everywhere "$case" "$program" "$program.data"
done
[ "$(jq -c '[.exact, .why_not_exact]' coroutine.json)" != '[true,[]]' ] ||
    failed "a coroutine is not counted, and the profile is exact"

# A byte is another one: the file is refused, or what is said of it agrees.
cotree_build cut-killed damaged -O1 -fcotree=edges
rm -rf damaged.data
cotree_run damaged
file=$(find damaged.data -name '*.cotree' | head -n 1)
size=$(stat -c %s "$file") accepted=0
for ((i = 0; i < 25; i++)); do
    cp "$file" flipped.cotree
    printf '\x01' |
        dd of=flipped.cotree bs=1 seek=$((i < 15 ? 4 * i + 64 : size / 25 * i)) conv=notrunc status=none
    "$cotree" report --format=json -o flipped.json ./damaged flipped.cotree 2>log || continue
    said=$(levels flipped.json)
    case $said in true | false) ;; *) failed "damage $i: $said" ;; esac
    accepted=$((accepted + 1))
done
[ "$checked" -ge 14 ] && [ "$inexact" -ge 4 ] && [ "$accepted" -ge 2 ] ||
    failed "only $checked checked, $inexact of them inexact; $accepted of 25 damaged files read"
finish
