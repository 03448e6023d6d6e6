#!/usr/bin/env bash
# Hundreds of files are added up in memory that does not grow with their number; a pool of killed
# and finished runs is told apart.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
expect() { [ "$2" = "$3" ] || die "$1: got $2, wanted $3"; }

cat >prog.c <<'C'
#include <signal.h>
int main(int argc, char **argv)
{
    volatile int n = 0;
    for (int i = 0; i < 100; i++)
        n++;
    if (argc > 1)
        raise(SIGKILL);
    return 0;
}
C
cotree cc -O2 prog.c -o prog
mkdir runs
(cd runs && ../prog)
first=$(ls runs/*.cotree)
for i in $(seq 2 300); do cp "$first" runs/copy.$i.cotree; done
memory() { # COMMAND...: the largest resident size in KB
    /usr/bin/time -f %M -o memory "$@" && cat memory
}
small=$(memory cotree merge -q prog "$first" -o one.merged)
large=$(memory cotree merge -q prog runs -o all.merged)
expect "runs" "$(cotree report --format=json all.merged | jq -c '[.exact, .runs]')" "[true,300]"
expect "entries" "$(cotree report --format=json all.merged |
    jq '.functions[] | select(.name == "main") | .entries')" 300
[ "$large" -lt $((small + 4000)) ] || die "memory grew from $small KB to $large KB"

mkdir pool
for i in $(seq 1 20); do
    if [ $((i % 4)) -eq 0 ]; then
        bash -c 'COTREE_FILE=pool/%m ./prog x; :' 2>killed
    else
        COTREE_FILE=pool/%m ./prog
    fi
done
cotree report --format=json prog pool/* >json
expect "pool" "$(jq -c '[.exact, .runs]' json)" "[false,20]"
# Each of the five may have been in main once, and have counted as much less than it ran as one
# piece of its code counts: the loop is unrolled.
most=$(objdump -d --no-show-raw-insn --disassemble=main prog |
    awk '/\t(j|call|ret)/ { n = 0 } /\tincl/ { if (++n > most) most = n } END { print most + 0 }')
[ "$most" -gt 1 ] || die "main counts $most at once: its loop is not unrolled"
expect "main" "$(jq -c '.functions[] | select(.name == "main") | [.entries, .max_error]' json)" \
    "[20,$((5 * (1 + most)))]"
has "$(jq -r '.why_not_exact[]' json)" "5 of 20 runs were killed"
