#!/usr/bin/env bash
# A loop whose event is written before the last code of its block: wherever it is stopped, the trace
# has no round more than the counters, or says so.
set -eu
cotree=$COTREE_BUILD/cotree
fail() { echo "$*" >&2; exit 1; }
ulimit -c 0
cat >prog.c <<'C'
struct list { struct list *next, *other; int value; unsigned char flag; };
static struct list items[16];
__attribute__((noinline)) void mark(struct list *list)
{
    for (struct list *e = list; e; e = e->next) {
        if (e->other->value > 4)
            continue;
        e->flag |= 8;
    }
    for (struct list *e = list; e; e = e->next)
        e->flag |= 7;
}
int main(void)
{
    for (int i = 0; i < 16; i++)
        items[i] = (struct list){i < 15 ? &items[i + 1] : 0, &items[i * 5 & 15], i * 7 % 11, 0};
    mark(items);
    return 0;
}
C
"clang-$LLVM" -w -O1 "$COTREE_TOP/tests/frames/stopped/at.c" -o at
stops=0 early=0 declared=0
for level in -O2 -O3; do
    "$cotree" cc $level -no-pie -fcotree=trace,every-edge prog.c -o prog
    objdump -d --no-show-raw-insn --disassemble=mark.cotree.body prog |
        sed -n 's/^ *\([0-9a-f]*\):\t\(.*\)/\1 \2/p' >code
    # The event, more code, and the branch: otherwise there is nothing to try here.
    ! awk '/movb/ { event = NR } /test/ && NR > event + 1 && event { early = 1 } END { exit !early }' code ||
        early=$((early + 1))
    while read -r address _; do
        rm -f run.*
        COTREE_FOLLOWER=off COTREE_FILE=run.cotree ./at 15 "$address" 3 ./prog >/dev/null || continue
        stops=$((stops + 1))
        "$cotree" report --check-sets prog run.cotree >said 2>&1 || fail "$level at $address: $(cat said)"
        "$cotree" report --format=json prog run.cotree >/dev/null || fail "$level at $address: no report"
        ! grep -q 'declared difference' said || declared=$((declared + 1))
    done <code
done
[ $stops -gt 10 ] && [ $early -gt 0 ] || fail "$stops stops, $early loops with an event that comes early"
[ $declared -lt $((stops * 2 / 3)) ] || fail "$declared of $stops stops are declared"
