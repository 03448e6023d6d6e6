#!/usr/bin/env bash
# Each exit status of a command that its manual page lists is one that --help lists, and one that the
# command ends with; it ends with no other.
set -eu
export PATH="$COTREE_BUILD:$PATH"
die() { echo "$*"; exit 1; }
ulimit -c unlimited
cat >main.c <<'C'
#include <stdio.h>
#include <stdlib.h>
__attribute__((noinline)) int unused(int n) { return n * 3; }
int main(int argc, char **argv)
{
    puts(argc > 1 ? argv[1] : "nothing");
    if (argc > 2)
        abort();
    return argc > 9 ? unused(argc) : 0;
}
C
sed 's/n \* 3/n * 5 + 1/' main.c >other.c
cotree cc -O1 -fcotree=edges,trace main.c -o prog
COTREE_FILE=run.cotree ./prog >out
for run in old new; do COTREE_FILE=$run.cotree ./prog >out; done
COTREE_FILE=later.cotree ./prog 1 >out
echo damaged >damaged.cotree
cotree cc -O1 -fcotree=paths -fcotree-parts main.c -o parts
cotree cc -O1 -fcotree=edges -fcotree-carry main.c -o carried
cotree cc -O1 -fcotree=edges -fcotree-carry other.c -o differs
cotree cc -O1 -fcotree=crash -fcotree-crash=tunable main.c -o tunable
rm -f core && { ./tunable a b || :; } >out 2>&1
echo other >wanted

# ends COMMAND STATUS WORD...: so does `cotree COMMAND WORD...`.
ends() {
    local command=$1 wanted=$2 status=0
    shift 2
    { cotree "$command" "$@" >out 2>said || status=$?; } 2>/dev/null
    [ $status = "$wanted" ] || die "$command $*: $status, not $wanted: $(cat said)"
    echo $status >>"$command.seen"
}
for command in report graph; do
    ends $command 0 prog run.cotree
    ends $command 1 prog run.cotree --function=nobody
    ends $command 2 prog damaged.cotree
    ends $command 4 prog run.cotree damaged.cotree
done
ends report 3 prog run.cotree --fail-under-lines=100
ends merge 0 prog run.cotree -o merged
ends merge 1 prog run.cotree -o nowhere/merged
ends merge 2 prog damaged.cotree -o merged
ends merge 4 prog run.cotree damaged.cotree -o merged
ends diff 0 prog old.cotree new.cotree
ends diff 1 prog old.cotree new.cotree --function=nobody
ends diff 2 prog old.cotree damaged.cotree
ends diff 3 prog old.cotree -- prog old.cotree later.cotree --fail-above=0
ends diff 4 prog old.cotree -- prog new.cotree damaged.cotree
ends trace 0 --list prog old.cotree
ends trace 1 --list --from unused prog old.cotree
ends trace 2 --list prog damaged.cotree
ends trace 4 --list prog old.cotree damaged.cotree
ends weave 0 ./carried -o woven
ends weave 1 ./prog -o woven
ends weave 3 --diff-code carried differs
ends tune 0 ./tunable --off=main -o tuned
ends tune 1 ./prog --off=main -o tuned
ends crash 1 ./tunable damaged.cotree
# (Where cores are not written here, tests of crash say so.)
if [ -s core ]; then ends crash 0 ./tunable core; else echo 0 >>crash.seen; fi
ends run 125 -o united -- ./prog
ends run 134 --abort-at-output=wanted -- ./prog
ends run 137 --abort-at-output=wanted -- bash -c 'kill -9 $$'
ends cc 1 -m32 -c main.c -o object
ends cc 64 -fcotree=nonsense -c main.c -o object
for command in report graph merge diff trace weave tune crash run; do ends $command 64 --nonsense; done
sed -i 's/^137$/128/' run.seen # and the number of the signal

# numbers: those that are words of standard input.
numbers() { tr -c '[:alnum:]*_-' '\n' | grep -x '\**[0-9]\+\**' | tr -d '*' | sort -un; }
for page in "$COTREE_TOP"/docs/cotree-*.1.scd; do
    command=${page##*/cotree-} command=${command%.1.scd}
    awk '/^# / { on = /^# EXIT STATUS/; next } on' "$page" | numbers >listed
    [ -s listed ] || die "$page lists no exit status"
    cotree "$command" --help | awk '/^OVERVIEW/ { exit } /^Exit status/ { on = 1 } on' | numbers |
        diff listed - || die "$command: the page has <, --help has >"
    sort -un "$command.seen" | diff listed - || die "$command: the page has <, it ends with >"
done
status=0
cotree nonsense 2>said || status=$?
[ $status = 64 ] || die "cotree nonsense: $status"
