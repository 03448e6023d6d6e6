#!/usr/bin/env bash
# Every process counts for itself: fork in all its forms, with threads; what a raw fork system call
# spoils is flagged.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
build_exec dynamic -fPIE -pie "$HERE/processes.c"
build_static static "$HERE/processes.c"
build_exec pic -fPIE -pie -DHANDMADE_PIC "$HERE/processes.c"
FORKED=64 RAW=8

files() { ls ./*.cotree | wc -l; }
start() { rm -f ./*.cotree; "$@" || fail "$* failed"; }
child_files() { for f in ./*.cotree; do if flag $FORKED "$f"; then echo "$f"; fi; done; }

for program in dynamic static pic; do
    start ./$program fork 50
    expect "$program: a file a process" "$(files)" 51
    expect "$program: fork" "$(sum 3001 ./*.cotree)" "10 50 5000 0 0 51"
    expect "$program: all end clean" "$(states ./*.cotree)" "CLEAN=51"
    expect "$program: all files are watched" "$(dump ./*.cotree | grep -c "^file .* watched=1 ")" 51
    expect "$program: the children's files say so" "$(child_files | wc -l)" 50
    expect "$program: a child counts its own only" "$(sum 3001 "$(child_files | head -1)")" "0 0 100 0 0 1"

    start ./$program _Fork
    expect "$program: _Fork" "$(sum 3001 ./*.cotree)" "10 1 1 0 0 1"
    expect "$program: _Fork, ends" "$(states ./*.cotree)" "CLEAN=1 EXITED=1"

    start ./$program forkkill
    expect "$program: a killed child" "$(sum 3001 ./*.cotree)" "10 1 77 0 0 1"
    expect "$program: a killed child is cut short" "$(states ./*.cotree)" "CLEAN=1 USED=1"

    start ./$program nested
    expect "$program: ten deep" "$(sum 3001 ./*.cotree)" "10 10 10 0 0 11"

    start ./$program forkpthread
    expect "$program: fork in a thread" "$(sum 3001 ./*.cotree)" "10 1 1 0 0 2"

    start ./$program forkthreads 20
    set -- $(sum 3001 $(child_files))
    expect "$program: threads of children" "$*" "0 0 20 160000 0 20"
    children=$(child_files)
    parent=$(ls ./*.cotree | grep -vxF "$children")
    set -- $(sum 3001 "$parent")
    [ "$4" -gt 0 ] || fail "$program: the parent's threads counted nothing"
    expect "$program: the parent beside its threads" "$1 $2 $3 $5 $6" "10 1 0 0 1"

    for kind in vfork spawn system popen; do
        start ./$program $kind
        vforked=0; [ $kind = vfork ] && vforked=2
        expect "$program: $kind" "$(sum 3001 ./*.cotree)" "10 1 0 0 $vforked 1"
        expect "$program: $kind leaves one clean file" \
            "$(files) $(states ./*.cotree) $(field flags ./*.cotree)" "1 CLEAN=1 0"
    done

    for kind in raw raw_exit; do
        start ./$program $kind
        flag $RAW ./*.cotree || fail "$program: $kind is not flagged"
    done
done

# A pattern without %p: children do not overwrite.
rm -f ./*.cotree
COTREE_FILE=same.cotree ./dynamic fork 3
expect "numbered files" "$(ls ./*.cotree | tr '\n' ' ')" \
    "./same.1.cotree ./same.2.cotree ./same.3.cotree ./same.cotree "
expect "numbered files: counts" "$(sum 3001 ./*.cotree)" "10 3 300 0 0 4"
