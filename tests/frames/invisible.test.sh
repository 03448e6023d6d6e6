#!/usr/bin/env bash
# A program cannot tell that its frames are watched: what it asks about its signals, stacks and
# masks, what its handlers are told, how its system calls end, what its parent, its children, its
# debugger and its core files see is what it is with plain clang.
set -u
. "$COTREE_TOP/tests/frames/programs.sh"
here=$COTREE_TOP/tests/frames/invisible
flags="-w -std=gnu17 -pthread -rdynamic"
kinds=("-O0" "-O2" "-O2 -static")

# see PROGRAM OUTPUT WORD...: runs it as a shell would; what it writes, and how it ends. $ignored:
# signals that it finds ignored.
ignored=
see() {
    local program=$1 output=$2 status=0
    shift 2
    rm -rf data; mkdir data
    { COTREE_FILE="$PWD/data/%e.%p.cotree" timeout -k 1 600 sh \
        -c "${ignored:+trap '' $ignored; }exec \"\$0\" \"\$@\"" "$program" "$@" >"$output" 2>&1 </dev/null ||
        status=$?; } 2>/dev/null
    echo "status $status" >>"$output"
}
# same WHAT PLAIN OURS: not-yet.txt lists what differs still, as "invisible WHAT" with dashes for spaces.
same() {
    local listed
    listed=$(awk -v what="${1// /-}" '$1 == "invisible" && $2 == what' "$COTREE_TOP/tests/frames/not-yet.txt")
    if cmp -s "$2" "$3"; then
        if [ -n "$listed" ]; then failed "$1 is the same now: take it from not-yet.txt"; fi
    elif [ -z "$listed" ]; then
        failed "$1 is not what it is without cotree: $(diff "$2" "$3" |
            grep -c '^[<>]') lines (< plain, > cotree)"
        diff "$2" "$3" | head -n "${SAME_LINES:-6}" | cut -c 1-300
    fi
}
mkdir plain ours
for program in dispositions contexts backtraces endings inherited interrupted cores; do
    for kind in "${kinds[@]}"; do
        # dladdr and gdb's thread support need the shared libraries
        case $program$kind in backtraces*-static | cores*-static) continue ;; esac
        # shellcheck disable=SC2086
        clang-${LLVM:-19} $flags $kind "$here/$program.c" -o "plain/$program" 2>log &&
            "$cotree" cc $flags $kind "$here/$program.c" -o "ours/$program" 2>log ||
            { failed "$program $kind: $(head -n 2 log)"; continue; }
        case $program in
        cores) ;;
        endings)
            for word in "" "with cores"; do
                # shellcheck disable=SC2086
                see ./plain/$program plain.out $word
                # shellcheck disable=SC2086
                see ./ours/$program ours.out $word
                same "$program $kind $word" plain.out ours.out
            done
            ;;
        *)
            see ./plain/$program plain.out
            see ./ours/$program ours.out
            [ "$(wc -l <plain.out)" -gt 5 ] || failed "$program says nothing"
            same "$program $kind" plain.out ours.out
            ;;
        esac
        # Signals that are ignored from the start, as nohup and non-interactive shells do it, and
        # blocked ones.
        case $program in dispositions | inherited)
            ignored="HUP INT QUIT USR2"
            see ./plain/$program plain.out
            see ./ours/$program ours.out
            ignored=
            grep -q '1i\|1: 0 0 ignore' plain.out || failed "$program: SIGHUP is not ignored"
            same "$program $kind, signals ignored by its parent" plain.out ours.out
            ;;
        esac
    done
done

# Core files, if they are written here.
if [ "$(cat /proc/sys/kernel/core_pattern)" = core ] && command -v gdb >gdb.path; then
    # What is said of each core of $CORES, one after another: gdb starts slowly.
    cat >commands <<'COMMANDS'
set pagination off
set width 0
python
import gdb, os
def names_of(frame):
    names = []
    while frame is not None:
        names.append(frame.name() or "?")
        frame = frame.older()
    return " ".join(names)
def threads():
    for t in sorted(gdb.selected_inferior().threads(), key=lambda t: t.num):
        t.switch()
        words = names_of(gdb.newest_frame())
        gdb.newest_frame().select()
        if "waits" in words or "join" in words: # the number of its system call, and what that would return
            words += " call %d %d" % (int(gdb.parse_and_eval("$orig_rax")), int(gdb.parse_and_eval("(long)$rax")))
        yield words
def show():
    current = gdb.selected_thread()
    if gdb.newest_frame().name() == "fault":
        for name in ["rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "eflags"]:
            print(name, gdb.parse_and_eval("$" + name))
        print("xmm0", gdb.parse_and_eval("$xmm0.v2_int64"), "xmm15", gdb.parse_and_eval("$xmm15.v2_int64"))
        print(gdb.execute("x/i $pc", to_string=True).split("<")[1].split()[0])
    info = gdb.parse_and_eval("$_siginfo")
    print("signal", info["si_signo"], "code", info["si_code"], "errno", info["si_errno"])
    if int(info["si_code"]) <= 0:
        print("sent by itself", int(info["_sifields"]["_kill"]["si_pid"]) == gdb.selected_inferior().pid)
    current.switch()
    print("died in", names_of(gdb.newest_frame()))
    for line in sorted(threads()):
        print("thread in", line)
for core in os.environ["CORES"].split():
    gdb.execute("core-file " + core)
    print("core file", core, flush=True)
    show()
end
COMMANDS
    hows=(fault abort quit thread "crowd 1 blocked thread" "crowd 1 busy fault" "crowd 8 mixed abort"
        "crowd 8 blocked-masked raise" "crowd 8 busy-masked thread" "crowd 50 mixed fault" \
            "crowd 50 mixed-masked thread")
    for kind in -O0 -O2; do
        clang-${LLVM:-19} $flags $kind "$here/cores.c" -o plain/cores &&
            "$cotree" cc $flags $kind "$here/cores.c" -o ours/cores || failed "cores $kind"
        number=0
        for how in "${hows[@]}"; do
            number=$((number + 1))
            for which in plain ours; do
                rm -f core
                # shellcheck disable=SC2086
                { (ulimit -c unlimited; COTREE_FILE="$PWD/data/%p.cotree" exec ./$which/cores $how) >nothing \
                    2>&1; } 2>nothing
                if [ -e core ]; then mv core $which/core.$number; fi
                echo "no core" >$which/core.$number.out
            done
        done
        # A line "core file FILE" comes before what is said of it.
        for which in plain ours; do
            CORES=$(echo $which/core.*[0-9]) gdb -nx -batch -x commands ./$which/cores 2>&1 |
                grep -E '^(core file|r[a-z0-9]+|e[a-z]+|xmm|fault|signal|sent|died|thread) ?' |
                awk '/^core file / { to = $3 ".out"; printf "" >to; next } to { print >to }'
        done
        number=0
        for how in "${hows[@]}"; do
            number=$((number + 1))
            grep -q '^died in' plain/core.$number.out ||
                failed "gdb says nothing about the core file of $how: $(head -n 3 plain/core.$number.out)"
            same "core file of $how $kind" plain/core.$number.out ours/core.$number.out
        done
        rm -f plain/core.* ours/core.*
    done
    rm -f core
else
    echo "skipped: core files, which need gdb and a core_pattern that is core"
fi
finish
