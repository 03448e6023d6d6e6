# What failures() of the recipes is written with. Each command below runs one program to a bad end
# and leaves how it ended in fail.NAME.status, and what it said in fail.NAME.out and fail.NAME.err;
# NAME is also in the name of its data file, with `at-work` behind it where the signal came between
# two instructions that nobody chose. Other signals come at moments that do not depend on the
# machine's speed wherever the outputs could.
#   fails NAME COMMAND...                it must end with a status other than 0; standard input is
#                                        the caller's
#   fails_full NAME COMMAND...           the same, and every write to standard output fails
#   ends, ends_full                      as these, with any status: for programs that go on after an error
#   cut_off NAME COMMAND...              the reader of its output goes away after ten bytes; a pipe
#                                        must not hold all of it (64 KiB)
#   killed_reading NAME SIGNAL INPUT COMMAND...   gets the signal when it has read the text INPUT
#                                                 from a pipe and waits for more
#   killed_busy NAME SIGNAL COMMAND...   gets the signal somewhere in its work, after a tenth of a
#                                        second of it; its output is not kept
#   damage FILE OFFSET                   one byte of the file becomes another one
ulimit -c 0
case_file=${COTREE_FILE-}
mkfifo fail.alive fail.feed

# start NAME COMMAND...: sets `started`. The program is a child in the background, because for
# others the shell itself reports the signal; the signals which that ignores are set back.
# Descriptor 7 stays open as long as any process of the program lives.
start() {
    local name=$1
    shift
    [ -z "$case_file" ] || export COTREE_FILE="${case_file%.cotree}.$name${at_work-}.cotree"
    env --default-signal=INT,QUIT,PIPE "$@" <&0 2>"fail.$name.err" 7>fail.alive &
    started=$!
    exec 6<fail.alive
}
finish() { # NAME: sets `status`, when the last process of the program has ended
    status=0
    { wait "$started"; } 2>/dev/null || status=$?
    cat <&6
    exec 6<&-
    echo "$status" >"fail.$1.status"
}
must_fail() { [ "$status" != 0 ] || { echo "$1 does not fail" >&2 && return 1; }; }

ends() {
    start "$@" >"fail.$1.out"
    finish "$1"
}
fails() {
    ends "$@"
    must_fail "$1"
}
ends_full() {
    start "$@" >/dev/full
    finish "$1"
}
fails_full() {
    ends_full "$@"
    must_fail "$1"
}
cut_off() {
    local name=$1 reader
    exec 8> >(head -c 10 >"fail.$name.out")
    reader=$!
    start "$@" >&8 8>&-
    exec 8>&-
    finish "$name"
    wait "$reader"
    must_fail "$name"
}
killed_reading() {
    local name=$1 signal=$2
    exec 9<>fail.feed
    printf '%s' "$3" >&9
    shift 3
    start "$name" "$@" <fail.feed >"fail.$name.out" 9>&-
    await "$name" waits_for_input
    kill -s "$signal" "$started"
    exec 9>&-
    finish "$name"
    must_fail "$name"
}
killed_busy() {
    local name=$1 signal=$2 at_work=.at-work
    shift 2
    start "$name" "$@" >/dev/null
    await "$name" has_worked
    kill -s "$signal" "$started"
    finish "$name"
    must_fail "$name"
}
damage() {
    local byte
    byte=$(od -An -tu1 -j "$2" -N 1 "$1")
    printf '%b' "\\0$(printf '%o' $((byte ^ 90)))" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

await() { # NAME CONDITION: until it holds for the program; a minute at most
    local tries
    for ((tries = 0; tries < 6000; tries++)); do
        "$2" && return
        sleep 0.01
    done
    echo "$1: waited a minute for $2" >&2
    return 1
}
waits_for_input() { # in read(0, ...) or poll(...)
    local call argument
    read -r call argument _ 2>/dev/null <"/proc/$started/syscall" && [[ "$call $argument" = '0 0x0' ||
        $call = 7 ]]
}
has_worked() { # ten ticks of a hundred a second
    local -a stat
    read -r -a stat 2>/dev/null <"/proc/$started/stat" && [ $((stat[13] + stat[14])) -ge 10 ]
}
