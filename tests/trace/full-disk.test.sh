#!/usr/bin/env bash
# A disk that is full, whenever: no page that the runtime touches, by a load or a store, kills the
# program. Its output and status are those of a plain one at every size of the disk, and what is
# called exact is.
set -eu
cotree=$COTREE_BUILD/cotree
source=$COTREE_TOP/tests/trace/programs/full-disk.cpp
fail() { echo "$*" >&2; exit 1; }
mkdir disk
mount -t tmpfs -o size=1m tmpfs disk 2>/dev/null ||
    { echo "skipped: full disks, which need a mount"; exit 77; }
umount disk
trap 'umount -l "$PWD/disk" 2>/dev/null || :' EXIT
# Every size of a page up to 160k with COTREE_LEVELS=all, else every third: which ones depends on
# nothing but their number.
case ${COTREE_LEVELS-} in all) step=4 ;; *) step=12 ;; esac
sizes=$(seq 4 $step 160; seq 176 48 512)
"clang++-$LLVM" -O2 "$source" -o plain -lpthread
"$cotree" c++ -O2 -fcotree=trace "$source" -o trace -lpthread
"$cotree" c++ -O2 -fcotree=trace -fcotree-trace=addresses "$source" -o addresses -lpthread
"$cotree" c++ -O2 -fcotree=edges "$source" -o edges -lpthread

check() { # PROGRAM HOW SIZE
    local status=0 entries
    mount -t tmpfs -o size="$3k" tmpfs disk
    COTREE_FILE=$PWD/disk/%p.cotree COTREE_FOLLOWER=off "./$1" "$2" >said || status=$?
    cmp -s said wanted && [ $status = 5 ] ||
        fail "$1 $2 on a disk of $3 KiB: status $status, $(head -1 said), not $(head -1 wanted)"
    status=0
    "$cotree" report --format=json "$1" disk/*.cotree >"json.$3" 2>/dev/null || status=$?
    case $status in
    0) ;;
    2) rm "json.$3" ;;
    *) fail "$1 $2 on a disk of $3 KiB: report: status $status" ;;
    esac
    umount disk 2>/dev/null || umount -l disk
}
judge() { # WHAT JSON...: what is called exact is.
    [ -e "$2" ] || return 0
    jq -r '[.functions[] | select(.name == "th(int)")] |
        "\(input_filename) \(all(.[]; .exact)) \(map(.entries) | add)"' "${@:2}" >entries
    [ "$(wc -l <entries)" = $(($# - 1)) ] || fail "$1: $(wc -l <entries) reports are judged"
    awk -v what="$1" -v wanted="$(tail -1 wanted)" '
        $2 == "true" && $3 != wanted ||
            $2 !~ /^(true|false)$/ { print what ", " $1 ": " $2 " " $3 ", though " wanted; wrong = 1 }
        END { exit wrong }' entries || exit 1
}
for how in l t h m; do
    ./plain $how >wanted || [ $? = 5 ]
    for program in trace addresses edges; do
        rm -f json.*
        for size in $sizes; do
            check $program $how "$size"
        done
        judge "$program $how" json.*
    done
done
