#!/usr/bin/env bash
# What it costs to add up many run files: `bench/merge.sh [FILES [FUNCTIONS]]`, 10,000 files of a
# program of 150 functions unless told. The program is made on the spot: functions of some twenty
# blocks, all of which run. Prints seconds, files a second and peak memory for one file and for all.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
files=${1:-10000} functions=${2:-150}
PATH=$top/build:$PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/cotree-merge.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
unset COTREE COTREE_FILE COTREE_RUN

awk -v n="$functions" 'BEGIN {
    for (f = 0; f < n; f++) {
        printf "__attribute__((noinline)) int f%d(int x)\n{\n    int s = x;\n", f
        for (b = 0; b < 4; b++)
            printf "    if (s %% %d == %d)\n        s += %d;\n    else\n        s ^= %d;\n    for (int i = 0; i < s %% 5; i++)\n        s += i;\n", b + 2, f % 2, f, b
        print "    return s;\n}"
    }
    print "int main(int argc, char **argv)\n{\n    volatile int s = argc;\n    for (int i = 0; i < 50; i++) {"
    for (f = 0; f < n; f++)
        printf "        s += f%d(i);\n", f
    print "    }\n    return 0;\n}"
}' >prog.c
cotree cc -O1 prog.c -o prog
mkdir runs
(cd runs && ../prog && mv prog.*.cotree 1.cotree)
(cd runs && for i in $(seq 2 "$files"); do cp 1.cotree "$i.cotree"; done)

measure() { /usr/bin/time -f '%e %M' -o measured "$@" 2>/dev/null; cat measured; }
read -r one_seconds one_memory <<<"$(measure cotree merge -q prog runs/1.cotree -o one.merged)"
read -r all_seconds all_memory <<<"$(measure cotree merge -q prog runs -o all.merged)"
read -r again_seconds again_memory <<<"$(measure cotree merge -q prog runs -o again.merged)"
cmp all.merged again.merged
printf 'program: %d functions, run file %d KB, merged file %d KB\n' "$functions" \
    $(($(stat -c %s runs/1.cotree) / 1024)) \
    $(($(stat -c %s all.merged) / 1024))
printf '%8s %10s %12s %10s\n' files seconds 'files/s' 'peak MB'
awk -v n=1 -v s="$one_seconds" -v m="$one_memory" \
    'BEGIN { printf "%8d %10.2f %12s %10.1f\n", n, s, "", m / 1024 }'
awk -v n="$files" -v s="$again_seconds" -v m="$again_memory" \
    'BEGIN { printf "%8d %10.2f %12.0f %10.1f\n", n, s, n / (s + 0.001), m / 1024 }'
