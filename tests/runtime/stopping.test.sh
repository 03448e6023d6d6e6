#!/usr/bin/env bash
# Threads that live when the process ends are stopped and recorded, however it ends and whatever
# they do; nothing is changed for whoever waits for the process, and nothing hangs.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
"$CLANG" $CFLAGS_TEST "$HERE/wait_status.c" -o wait_status
"$CLANG" $CFLAGS_TEST -g -DPLAIN "$HERE/stopping.c" -o plain
build_exec dynamic -g "$HERE/stopping.c"
build_static static -g "$HERE/stopping.c"
build_exec pic -g -DHANDMADE_PIC "$HERE/stopping.c"
ulimit -c 0

run() { timeout 600 ./wait_status "$@" 2>/dev/null; }
# as_plain KIND NUMBER END: what the plain program's parent sees, in $plain; each is run once.
declare -A seen=()
as_plain() {
    if [ -z "${seen[$*]+there}" ]; then seen[$*]=$(run ./plain "$@") || :; fi
    plain=${seen[$*]}
}
check() { # program kind number end; other frames than main's and t_end's
    rm -f ./*.cotree
    as_plain "$2" "$3" "$4"
    expect "$*: what its parent sees" "$(run "./$1" "$2" "$3" "$4")" "$plain"
    local at_end="CUT main 1; CUT t_end 1; "
    case $4 in
    null) at_end="CUT main 1; CUT_AT t_end 1; " ;;
    return) at_end= ;;
    esac
    expect "$*: frames" "$(events "./$1" "$1".*.cotree)" "$(sorted "$at_end$5")"
    expect "$*: frames lost" "$(field frames_lost "$1".*.cotree)" 0
    case $(states "$1".*.cotree) in *USED*) fail "$*: $(states "$1".*.cotree)" ;; esac
}

blocked="CUT t_thread 8; CUT t_worker 8"
for program in dynamic static pic; do
    for end in return exit _exit quick_exit abort null term; do
        check $program blocked 8 $end "$blocked"
        check $program busy 8 $end "CUT t_thread 8; CUT_AT t_worker 8"
        check $program mixed 16 $end "CUT t_thread 16; CUT t_worker 8; CUT_AT t_worker 8"
        check $program masked 8 $end "$blocked"
        check $program stdout 1 $end "CUT t_thread 1; CUT t_worker 1"
    done
    check $program blocked 500 exit "CUT t_thread 500; CUT t_worker 500"
done

# Threads that make threads, or change who they are (which the C library does by the signal that
# stops them), while the process ends.
for program in dynamic static pic; do
    for end in exit _exit term; do
        for kind in churn identity; do
            for i in 1 2 3 4 5; do
                rm -f ./*.cotree
                as_plain $kind 4 $end
                expect "$program $kind $end" "$(run ./$program $kind 4 $end)" "$plain"
                expect "$program $kind $end: frames" \
                    "$(events ./$program $program.*.cotree |
                    sed 's/; CUT\(_AT\)* t_nothing.*//; s/; CUT_AT t_worker.*//')" \
                    "CUT main 1; CUT t_end 1; CUT t_thread 4; CUT t_worker 4"
                case $(states $program.*.cotree) in
                *USED*) fail "$program $kind $end: $(states $program.*.cotree)" ;;
                esac
            done
        done
    done
done

# All at once.
for program in dynamic static pic; do
    for end in _exit abort null term; do
        for i in 1 2 3; do
            rm -f ./*.cotree
            as_plain same 8 $end
            expect "$program same $end" "$(run ./$program same 8 $end)" "$plain"
            expect "$program same $end: lost" \
                "$(field frames_lost $program.*.cotree) $(states $program.*.cotree | grep -c USED)" "0 0"
            expect "$program same $end: frames" \
                "$(events ./$program $program.*.cotree | tr ';' '\n' |
                awk '{ n[$2] += $3 } END { print n["t_thread"], n["t_worker"] }')" "8 8"
        done
    done
done

# A parked thread has what the end needs: it goes on, and the file says so.
for program in dynamic static pic; do
    for kind in mutex streams; do
        rm -f ./*.cotree
        as_plain $kind 1 exit
        expect "$program $kind" "$(run ./$program $kind 1 exit)" "$plain"
        for file in $program.*.cotree; do # not the reader's
            if [ "$(field clean $file)" = 1 ]; then break; fi
        done
        expect "$program $kind: flag" "$(flag 16384 $file && echo lost)" lost
        expect "$program $kind: states" "$(states $file)" "CLEAN=1 USED=1"
        expect "$program $kind: frames" "$(events ./$program $file)" "CUT main 1; CUT t_end 1"
    done
    # What waits then goes on waiting.
    as_plain waits 1 exit
    expect "$program waits" "$(run ./$program waits 1 exit)" "$plain"
    # This one cannot be stopped.
    rm -f ./*.cotree
    as_plain unstoppable 1 exit
    expect "$program unstoppable" "$(run ./$program unstoppable 1 exit)" "$plain"
    expect "$program unstoppable: states" \
        "$(states $program.*.cotree) $(field frames_lost $program.*.cotree)" "CLEAN=1 USED=1 1"
done
