#!/usr/bin/env bash
# Frames that never return are counted where they stood, once: at every ending, and at one inside another.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
ulimit -c 0
build_exec plain -O0 -fPIE -pie "$HERE/frames.c"
build_exec dynamic -O2 -fPIE -pie "$HERE/frames.c"
build_exec fixed -O0 -no-pie "$HERE/frames.c"
build_exec lld -O3 -fuse-ld=lld -fPIE -pie "$HERE/frames.c"
build_exec pic -Os -fPIE -pie -DHANDMADE_PIC "$HERE/frames.c"
build_static static -O2 "$HERE/frames.c"
build_static static-pie -O1 -static-pie "$HERE/frames.c"

below="CUT main 1; CUT t_deep 10; CUT t_middle 1"
for program in plain dynamic fixed lld pic static static-pie; do
    while IFS='|' read -r arguments state wanted; do
        set -- $arguments
        rm -f ./*.cotree
        { ./$program "$@" || :; } 2>/dev/null
        expect "$program $*" "$(events $program ./*.cotree)" "${wanted# }"
        expect "$program $*: state and flags" \
            "$(states ./*.cotree) $(($(field flags ./*.cotree) & ~512)) $(field frames_lost ./*.cotree)" \
            "${state// /}=1 0 0"
    done <<TABLE
return           | CLEAN  |
exit             | CLEAN  | $below
exit 1000        | CLEAN  | CUT main 1; CUT t_deep 1000; CUT t_middle 1
_exit            | EXITED | $below
_Exit            | EXITED | $below
quick_exit       | EXITED | $below
abort            | SIGNALLED | $below
handler          | EXITED | CUT t_handler 1
again            | CLEAN  | CUT t_handler 1
below            | EXITED | CUT main 1; CUT t_deep 10; CUT t_handler 1; CUT t_middle 1
quick_below      | EXITED | CUT main 1; CUT t_deep 10; CUT t_handler 1; CUT t_middle 1
abort_below      | EXITED | CUT main 1; CUT t_deep 10; CUT t_handler 1; CUT t_middle 1
exec             | EXEC   | $below
exec_fails 1000  | CLEAN  |
exec_fails_exit  | CLEAN  | $below
many 1000        | EXITED | CUT main 1; CUT t_sled 1001
longjmp 100000   | CLEAN  | CUT t_catch 100000; CUT t_deep 1000000; CUT t_middle 100000; RESUME t_catch 100000
_longjmp 1       | CLEAN  | CUT t_catch 1; CUT t_deep 10; CUT t_middle 1; RESUME t_catch 1
siglongjmp 1000  | CLEAN  | CUT t_catch 1000; CUT t_deep 10000; CUT t_middle 1000; RESUME t_catch 1000
longjmp_exit 5   | CLEAN  | CUT main 1; CUT t_catch 6; CUT t_deep 50; CUT t_middle 5; RESUME t_catch 5
inside 1000      | CLEAN  | CUT t_catch 1000; RESUME t_catch 1000
handler_jump 100 | CLEAN  | CUT t_catch 100; CUT t_deep 1000; CUT t_middle 100; CUT t_on_signal 100; RESUME t_catch 100
stack_jump 100   | CLEAN  | CUT t_catch 100; CUT t_deep 1000; CUT t_middle 100; CUT t_on_signal 100; RESUME t_catch 100
handler_inside 9 | CLEAN  | CUT t_on_signal 9; RESUME t_on_signal 9
abort_jump 100   | CLEAN  | CUT t_catch 100; CUT t_deep 1000; CUT t_middle 100; CUT t_on_signal 100; RESUME t_catch 100
exit_syscall     | EXITED | $below
exec_syscall 100 | CLEAN  |
vfork_exit 100   | CLEAN  | CUT t_child 100; CUT t_vfork 100; RESUME t_vfork 100
vfork_exec 10    | CLEAN  | CUT t_child 10; CUT t_vfork 10; RESUME t_vfork 10
vfork_fails 10   | CLEAN  | CUT t_child 10; CUT t_vfork 10; RESUME t_vfork 10
vfork_nested 1   | CLEAN  | CUT t_child 4; CUT t_vfork 4; RESUME t_vfork 4
exec_jump 100    | CLEAN  | CUT t_catch 100; CUT t_deep 1000; CUT t_middle 100; RESUME t_catch 100
TABLE
done

# Children have files of their own, unless in a pool.
inherited="RESUME main 1; RESUME t_deep 10; RESUME t_middle 1"
for program in plain pic static; do
    while IFS='|' read -r kind state wanted; do
        kind=${kind// /} state=${state// /} wanted=${wanted# }
        rm -f ./*.cotree
        ./$program "$kind" || fail "$program $kind: status $?"
        children= parent=
        for file in ./*.cotree; do if flag 64 "$file"; then children+=" $file"; else parent=$file; fi; done
        expect "$program $kind: parent" "$(events $program $parent)" ""
        expect "$program $kind: child" "$(events $program $children)" "$wanted"
        [ $state = any ] || expect "$program $kind: states" "$(states ./*.cotree)" "CLEAN=$state"
        rm -f ./*.cotree
        COTREE_FILE=%m ./$program "$kind" || fail "$program $kind in a pool: status $?"
        expect "$program $kind: pool" "$(events $program ./*.cotree)" "$wanted"
    done <<TABLE
fork         | 2 | $inherited
_Fork        | 2 | $inherited
fork_syscall | 2 | $inherited
fork_clone   | 2 | $inherited
fork_clone3  | 2 | $inherited
fork_exit    | 2 | CUT main 1; CUT t_deep 10; CUT t_middle 1; $inherited
fork_nested  | 4 | RESUME main 3; RESUME t_deep 30; RESUME t_middle 3
fork_handler | 2 | RESUME main 1; RESUME t_on_trap 1; RESUME_AT t_trap 1
fork_thread  | any | RESUME t_thread 1
TABLE
    rm -f ./*.cotree
    ./$program vfork_killed 1 || fail "$program vfork_killed: status $?"
    expect "$program: a child of vfork that was killed" "$(field frames_lost ./*.cotree)" 1
done

# Places, not frames: the pages do not grow with the depth, and a second run of a pool adds to the
# same entries.
places() { dump "$@" | grep -c '^event'; }
pages() { dump "$@" | sed -n 's/^file .* event_pages=\([0-9]*\).*/\1/p'; }
rm -f ./*.cotree
./dynamic coroutine 10
expect "jumps to another stack are declared" \
    "$(events dynamic ./*.cotree) $(field flags ./*.cotree) $(field frames_lost ./*.cotree)" \
    " $((512 + 16384)) 21"
rm -f ./*.cotree
./dynamic exit 1000 || :
[ "$(places ./*.cotree)" -lt 20 ] || fail "$(places ./*.cotree) entries for five places"
expect "one page" "$(pages ./*.cotree)" 1
rm -f ./*.cotree
./dynamic many 1000 || :
[ "$(pages ./*.cotree)" -ge 4 ] || fail "1000 places in $(pages ./*.cotree) pages"
# In a sandbox no page is added: what does not fit is a loss that is said, and the program ends as it would.
rm -f ./*.cotree
status=0; ./dynamic many_sandbox 1000 || status=$?
expect "sandbox: status, pages" "$status $(pages ./*.cotree)" "3 1"
[ "$(field frames_lost ./*.cotree)" -gt 700 ] || fail "sandbox: $(field frames_lost ./*.cotree) frames lost"
for program in dynamic static; do
    rm -f ./*.cotree
    for run in 1 2 3; do COTREE_FILE=%m ./$program many 1000 || COTREE_FILE=%m ./$program exit || :; done
    expect "$program: pool" "$(events $program ./*.cotree) $(field runs ./*.cotree)" \
        "CUT main 6; CUT t_deep 30; CUT t_middle 3; CUT t_sled 3003 6"
    [ "$(places ./*.cotree)" -lt 1100 ] || fail "$(places ./*.cotree) entries after three runs"
done
