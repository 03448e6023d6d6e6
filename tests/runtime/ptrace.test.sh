#!/usr/bin/env bash
# Threads of a process that dies of a signal are stopped by another process, for its core file
# (tests/frames/invisible compares these). Nobody sees that
# process: not who waits, not who inherits orphans. Where it cannot be made or may not trace,
# threads are parked. Frames are exact in any case.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
"$CLANG" $CFLAGS_TEST "$HERE/reaper.c" -o reaper
"$CLANG" $CFLAGS_TEST "$HERE/deny.c" -o deny
"$CLANG" $CFLAGS_TEST -g -DPLAIN "$HERE/stopping.c" -o plain
build_exec dynamic -g "$HERE/stopping.c"
build_static static -g "$HERE/stopping.c"
build_exec pic -g -DHANDMADE_PIC "$HERE/stopping.c"

frames() { # program; at the end; number
    expect "$1 ${how-}: frames" "$(events "./$1" "$1".*.cotree)" \
        "$(sorted "CUT main 1; $2; CUT t_thread $3; CUT t_worker $(($3 / 2)); CUT_AT t_worker $(($3 / 2))")"
    expect "$1 ${how-}: lost" "$(field frames_lost "$1".*.cotree) $(states "$1".*.cotree | grep -c USED)" \
        "0 0"
}

# as_plain KIND NUMBER END: what is seen of the plain program, in $plain; each is run once.
declare -A seen=()
as_plain() {
    local what="$(ulimit -S -c) $*"
    if [ -z "${seen[$what]+there}" ]; then seen[$what]=$(timeout 600 ./reaper ./plain "$@" 2>&1) || :; fi
    plain=${seen[$what]}
}

# With and without a core file.
for limit in 0 unlimited; do
    ulimit -S -c $limit 2>nothing ||
        { echo "skipped: core files of size $limit are not allowed here"; continue; }
    for program in dynamic static pic; do
        for end in null abort term; do
            for i in 1 2 3; do
                rm -f ./*.cotree
                as_plain mixed 16 $end
                expect "$program $end $limit: what is seen" \
                    "$(timeout 600 ./reaper ./$program mixed 16 $end 2>&1)" "$plain"
                case $end in
                null) frames $program "CUT_AT t_end 1" 16 ;;
                *) frames $program "CUT t_end 1" 16 ;;
                esac
            done
        done
    done
done
rm -f core core.*
ulimit -S -c 0

# Where threads are parked instead.
parked() { # how; command...
    how=$1
    shift
    for program in dynamic pic; do
        rm -f ./*.cotree
        { timeout 600 "$@" ./$program mixed 8 null >out 2>&1 </dev/null || [ $? != 124 ] ||
            fail "$program $how: hangs"; } 2>nothing
        frames $program "CUT_AT t_end 1" 8
    done
}
if command -v strace >nothing; then
    parked strace strace -f -o traced
    # Its tracer would see the other one.
    expect "under strace: processes" "$(grep -cE '(fork|clone)\(' traced)" 0
else
    echo "skipped: no strace"
fi
if command -v gdb >nothing; then
    parked gdb gdb -nx -batch -ex run -ex continue -ex continue --args
else
    echo "skipped: no gdb"
fi
parked "no ptrace" ./deny 101=1 --
parked "no processes" ./deny 56=11 --
if unshare --mount true 2>nothing; then
    rm -f ./*.cotree
    { timeout 600 unshare --mount sh -c 'umount -l /proc && exec ./dynamic busy 4 null' >out 2>&1 ||
        [ $? = 139 ]; } 2>nothing
    expect "no /proc" "$(events ./dynamic dynamic.*.cotree) $(field frames_lost dynamic.*.cotree)" \
        "CUT main 1; CUT t_thread 4; CUT_AT t_end 1; CUT_AT t_worker 4 0"
else
    echo "skipped: no /proc, needs a mount namespace"
fi
# Users whose processes are as many as they may have, and programs that nobody may read, so that
# nobody may trace them.
if [ "$(id -u)" = 0 ] && command -v setpriv >nothing && command -v prlimit >nothing; then
    somebody="setpriv --reuid=64123 --regid=64123 --clear-groups"
    open=$(mktemp -d)
    trap 'rm -rf "$open"' EXIT
    chmod 777 "$open"
    cp plain dynamic reaper "$open"
    for case in 10,755 30,711; do
        chmod "${case#*,}" "$open/dynamic" "$open/plain"
        rm -f "$open"/*.cotree
        for program in plain dynamic; do
            (cd "$open" &&
                COTREE_FILE="$open/%e.%p.cotree" timeout 600 $somebody ./reaper "$(command -v prlimit)" \
                --nproc="${case%,*}" ./$program mixed 8 null) >$program.out 2>&1 || fail "$case: $program"
        done
        expect "$case: what is seen" "$(cat dynamic.out)" "$(cat plain.out)"
        rm -f ./*.cotree
        cp "$open"/*.cotree .
        how="user, $case" frames dynamic "CUT_AT t_end 1" 8
    done
else
    echo "skipped: users with few processes and programs that nobody may read, which need root, setpriv and prlimit"
fi
# A thousand; none but the first.
for number in 1000 0; do
    rm -f ./*.cotree
    expect "$number threads" "$(timeout 600 ./reaper ./dynamic blocked $number abort 2>&1)" \
        "$(timeout 600 ./reaper ./plain blocked $number abort 2>&1)"
    expect "$number threads: lost" \
        "$(field frames_lost dynamic.*.cotree) $(states dynamic.*.cotree | grep -c USED)" "0 0"
done
expect "no threads" "$(events ./dynamic dynamic.*.cotree)" "CUT main 1; CUT t_end 1"

# One that cannot be stopped: declared. Threads that are made, and end, meanwhile; all die at once.
for program in dynamic static pic; do
    rm -f ./*.cotree
    as_plain unstoppable 1 null
    expect "$program unstoppable" "$(timeout 600 ./reaper ./$program unstoppable 1 null 2>&1)" "$plain"
    expect "$program unstoppable: states" \
        "$(states $program.*.cotree) $(field frames_lost $program.*.cotree)" "SIGNALLED=1 USED=1 1"
    for end in null term; do
        for kind in churn identity same; do
            rm -f ./*.cotree
            as_plain $kind 4 $end
            expect "$program $kind $end" "$(timeout 600 ./reaper ./$program $kind 4 $end 2>&1)" "$plain"
            expect "$program $kind $end: lost" \
                "$(field frames_lost $program.*.cotree) $(states $program.*.cotree | grep -c USED)" "0 0"
            expect "$program $kind $end: frames" \
                "$(events ./$program $program.*.cotree | tr ';' '\n' |
                awk '{ n[$2] += $3 } END { print n["t_thread"], n["t_worker"] }')" "4 4"
        done
    done
done
