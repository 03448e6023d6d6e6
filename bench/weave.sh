#!/usr/bin/env bash
# What weaving costs, on Debian programs at -O2: `bench/weave.sh [NAME...]`, by default gperf, lua5.4,
# sqlite3. Prints four tables:
#
#   size     of the program with -fcotree-carry over without (edges are counted)
#   compile  instructions of clang -cc1 with -fcotree-carry over without, on the recipe's unit
#   weave    seconds of processor time: counting edges, woven over compiled from source (compiling and
#            linking alone, with the tree configured and what is generated there)
#   eight    the same for eight groups of paths, woven at once, over eight times one of them
#
# Times are the least of COTREE_ROUNDS (3), user and system of all processes; they depend on the
# machine. COTREE_TABLES="size weave" chooses tables. Of sqlite3 the unit is shell.c.
set -u
. "$(cd "$(dirname "$0")" && pwd)/../tests/programs/lib.sh"
cotree=$COTREE_BUILD/cotree
work=$(mktemp -d "${TMPDIR:-/tmp}/cotree-bench-weave.XXXXXX")
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- gperf lua5.4 sqlite3
tables=" ${COTREE_TABLES:-size compile weave eight} "
wants() { case $tables in *" $1 "*) ;; *) return 1 ;; esac }

# fresh: a copy of the configured tree; compile NAME OPTIONS compiles it.
fresh() { rm -rf "$work/tree" && cp -a "$work/configured" "$work/tree"; }
compile() {
    (cd "$work/tree" && CC="$cotree cc $2" CXX="$cotree c++ $2" CFLAGS=-O2 CXXFLAGS=-O2 \
        MAKEFLAGS="CC=$(make_word "$cotree cc $2") CXX=$(make_word "$cotree c++ $2")" in_recipe "$1" compile) >"$work/log" 2>&1 </dev/null
}
least() { # COMMAND...: the least processor time of some rounds, after `fresh`
    local round best='' now
    for ((round = 0; round < ${COTREE_ROUNDS:-3}; round++)); do
        fresh
        now=$({ TIMEFORMAT='%U %S' && time "$@" >"$work/out" 2>&1; } 2>&1 | awk '{ print $1 + $2 }')
        best=$(printf '%s\n' $best "$now" | sort -g | head -1)
    done
    echo "$best"
}
row() { awk -v what="$1" -v name="$2" -v a="$3" -v b="$4" 'BEGIN { printf "%-8s %-10s %14s %14s %7.3f\n", what, name, a, b, a / b }'; }

irefs() { # NAME UNIT OPTIONS: instructions of clang -cc1 on the unit
    fresh
    (cd "$work/tree" && rm -f "$work/unit" && compiler="$PROGRAMS_TOP/bench/record $work/unit $2 $cotree" &&
        CC="$compiler cc $3" CXX="$compiler c++ $3" CFLAGS=-O2 CXXFLAGS=-O2 \
            MAKEFLAGS="CC=$(make_word "$compiler cc $3") CXX=$(make_word "$compiler c++ $3")" in_recipe "$1" compile) >"$work/log" 2>&1 </dev/null
    (
        command=$(cat "$work/unit")
        eval "${command%% && *}" || exit 1
        eval "${command#* && } -###" 2>&1 | grep -F '"-cc1" ' | head -n 1 |
            sed "s|\"-o\" \"[^\"]*\"|\"-o\" \"/dev/null\"|; s|$COTREE_BUILD/lib/cotree/plugin.so|$work/cotree/plugin.so|g" >"$work/cc1"
        eval "valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null $(cat "$work/cc1")" 2>&1
    ) | sed -n 's/.*I *refs: *//p' | tr -d ,
}
# valgrind does not read the plugin's debug information.
mkdir "$work/cotree" && objcopy -g "$COTREE_BUILD/lib/cotree/plugin.so" "$work/cotree/plugin.so"

printf '%-8s %-10s %14s %14s %7s\n' '' '' carried without ratio
for name; do
    "$PROGRAMS_TOP/tests/programs/fetch" "$name" >/dev/null && program_configure "$name" "$work/configured" "$CLANG" "clang++-$LLVM" ||
        { echo "bench/weave.sh: $name cannot be configured" >&2 && continue; }
    program=$(program_files "$name" | cut -d' ' -f1)
    if wants size || wants weave || wants eight; then
        fresh && compile "$name" -fcotree-carry && cp "$work/tree/$program" "$work/carrying" || { cat "$work/log" >&2 && continue; }
    fi
    if wants size; then
        objcopy -R .cotree.ir -R .cotree.link "$work/carrying" "$work/without"
        row size "$name" "$(stat -c %s "$work/carrying")" "$(stat -c %s "$work/without")"
    fi
    if wants compile; then
        unit=$(. "$RECIPES/$name.sh" && echo "${unit:-}")
        [ "$name" != sqlite3 ] || unit=shell.c
        row compile "$name" "$(irefs "$name" "$unit" -fcotree-carry)" "$(irefs "$name" "$unit" '')"
    fi
    wants weave && row weave "$name" "$(least "$cotree" weave "$work/carrying" -fcotree=edges -o "$work/woven")" "$(least compile "$name" '')"
    if wants eight; then
        source=$(least compile "$name" '-fcotree=paths -fcotree-paths=group:1/8')
        row eight "$name" "$(least "$cotree" weave "$work/carrying" -k 8 -fcotree=paths -fcotree-paths=group:%d/8 -o "$work/woven.%d")" \
            "$(awk -v s="$source" 'BEGIN { print 8 * s }')"
    fi
done
