#!/usr/bin/env bash
# Words are told apart by what the files hold: a program, data, a merged file or a directory, in any order.
# What is none of these, and a program too many, gets one line.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"

cat >prog.c <<'C'
int main(int argc, char **argv)
{
    (void)argv;
    return argc - 1;
}
C
"$cotree" cc -O1 -fcotree=edges,trace prog.c -o prog
cp prog other
mkdir runs
COTREE_FILE=one.cotree ./prog
COTREE_FILE=runs/two.cotree ./prog
"$cotree" merge -q ./prog one.cotree -o merged
"$cotree" merge -q one.cotree ./prog -o turned
cmp merged turned || die "merge: the order matters"

same() {
    local command=$1; shift
    for words in "$@"; do
        # shellcheck disable=SC2086
        "$cotree" $command $words >answer 2>err || die "status $? of $command $words: $(cat err)"
        [ -s answer ] || die "no answer of $command $words"
        [ "$words" != "$1" ] || cp answer first
        cmp answer first || die "$command $words: not as $1"
    done
}
same "report --format=json" "./prog one.cotree runs" "one.cotree runs ./prog" "runs ./prog one.cotree"
same "report --format=lcov" "./prog one.cotree" "one.cotree ./prog" "merged" "merged ./prog"
same "graph --function=main" "./prog one.cotree" "one.cotree ./prog"
same "trace --list" "./prog one.cotree" "one.cotree ./prog"
same "trace --compare" "./prog one.cotree runs" "one.cotree runs ./prog" "one.cotree ./prog runs"

two="'./prog' and './other' are programs, and one is wanted"
refuses 64 "$two" "$cotree" report ./prog one.cotree ./other
refuses 64 "$two" "$cotree" merge ./prog ./other one.cotree -o no
refuses 64 "$two" "$cotree" trace one.cotree ./prog ./other
refuses 64 "no data for './prog'" "$cotree" report ./prog
refuses 64 "no program and no data" "$cotree" merge -o no
refuses 2 "'prog.c' is no program, and is not a file of cotree" "$cotree" report prog.c
refuses 2 "'prog.c' is no program, and is not a file of cotree" "$cotree" merge prog.c /dev/null -o no
refuses 1 "'./porg': cannot open: No such file or directory" "$cotree" report ./porg one.cotree
>empty
refuses 2 "'empty' is no program, and is empty" "$cotree" report empty
[ ! -e no ]
# Beside data that can be used it is skipped, with a line; so is an object file, which is no program.
"$cotree" cc -c prog.c -o prog.o
status 4 "$cotree" report prog.c one.cotree ./prog prog.o
[ "$(grep -c "^cotree report: skipped 'prog\.[co]': " err)" = 2 ] || die "$(cat err)"
