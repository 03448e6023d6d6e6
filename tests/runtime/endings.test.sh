#!/usr/bin/env bash
# Counts survive every ending, and the file says which one it was; exec is noted and taken back when it fails.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
build_exec dynamic -fPIE -pie "$HERE/simple.c"
build_static static "$HERE/simple.c"
build_exec pic -fPIE -pie -DHANDMADE_PIC "$HERE/simple.c"
build_exec processes -fPIE -pie "$HERE/processes.c"
build_static processes-static "$HERE/processes.c"
ulimit -c 0

for program in dynamic static pic; do
    while read -r end state runs other; do
        rm -f ./*.cotree
        { ./$program 100 "$end" || :; } 2>/dev/null
        expect "$program $end" "$(sum 1001 ./*.cotree)" "1 100 1"
        expect "$program $end: others" "$(sum 1002 ./*.cotree)" "$other"
        got=$(states ./*.cotree)
        expect "$program $end: state" "$got" "$state=1"
        expect "$program $end: runs" "$(field "$runs" ./*.cotree)" 1
    done <<'TABLE'
return      CLEAN   clean   1 1 1 0
exit        CLEAN   clean   1 1 1 0
_exit       EXITED  exited  1 0 0 0
_Exit       EXITED  exited  1 0 0 0
quick_exit  EXITED  exited  1 0 0 0
abort       SIGNALLED signalled  1 0 0 0
kill        USED    runs    1 0 0 0
segv        SIGNALLED signalled  1 0 0 0
syscall     EXITED  exited  1 0 0 0
raw         USED    runs    1 0 0 0
assert      SIGNALLED signalled  1 0 0 0
TABLE
done

for program in processes processes-static; do
    for kind in execve execv execvp execvpe execl execle execlp fexecve; do
        rm -f ./*.cotree
        ./$program $kind || fail "$program $kind: the new program failed"
        expect "$program $kind" "$(sum 3001 ./*.cotree)" "10 0 0 0 0 0"
        expect "$program $kind: state" "$(states ./*.cotree) $(field exec ./*.cotree)" "EXEC=1 1"
    done
    rm -f ./*.cotree
    ./$program execfail 2>message
    grep -q 'No such file' message || fail "$program: errno of a failed exec: $(cat message)"
    expect "$program: exec failed" \
        "$(sum 3001 ./*.cotree) $(states ./*.cotree) $(field exec ./*.cotree) $(field clean ./*.cotree)" \
        "10 1 0 0 0 1 CLEAN=1 0 1"
    rm -f ./*.cotree
    ./$program self
    expect "$program: executes itself" "$(sum 3001 ./*.cotree)" "20 0 0 0 0 1"
    expect "$program: executes itself, files" "$(ls ./*.cotree | wc -l) $(states ./*.cotree)" \
        "2 CLEAN=1 EXEC=1"
done
