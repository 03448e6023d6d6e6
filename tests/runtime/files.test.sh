#!/usr/bin/env bash
# The data file: its name, its place, its permissions; what is never overwritten; when there is none.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
build_exec prog "$HERE/simple.c"
build_static static "$HERE/simple.c"
build=$(readelf -n prog | sed -n 's/.*Build ID: //p')
one() { ls -A "$1"; }
want() { expect "$1" "$(sum 1001 "$2")" "1 5 1"; }

# Default name, in the directory where it starts.
mkdir a; (cd a && exec ../prog 5) & pid=$!; wait $pid
expect "default name" "$(ls a)" "prog.$pid.cotree"
want "default name" a/prog.*.cotree
expect "build id" "$(dump a/*.cotree | sed -n 's/^module .* build=\([^ ]*\) path=\(.*\)/\1 \2/p')" \
    "$build $PWD/prog"
expect "program" "$(field program a/*.cotree)" prog

# Patterns.
mkdir b
COTREE_FILE="b/%e-%b-100%%-%q.data" ./prog 5
expect "pattern" "$(one b)" "prog-$build-100%-%q.data"
want "pattern" b/*
COTREE_FILE=$PWD/b/absolute.cotree ./prog 5
want "absolute" b/absolute.cotree
mkdir 'odd % %e dir' && (cd 'odd % %e dir' && ../prog 5)
want "a directory with per cent signs" 'odd % %e dir'/prog.*.cotree
COTREE_RUN=run-7 COTREE_FILE=b/run.cotree ./prog 5
expect "COTREE_RUN" "$(field run b/run.cotree)" run-7
COTREE_FILE= ./prog 5
want "an empty COTREE_FILE is none" prog.*.cotree
rm prog.*.cotree

# Never overwrites, never follows links.
mkdir c
for i in 1 2 3; do COTREE_FILE=c/x.cotree ./prog 5; done
expect "numbered" "$(ls c | tr '\n' ' ')" "x.1.cotree x.2.cotree x.cotree "
echo precious >c/precious && ln -s precious c/y.cotree && ln -s nowhere c/z.cotree
COTREE_FILE=c/y.cotree ./prog 5
COTREE_FILE=c/z.cotree ./prog 5
expect "behind a link" "$(cat c/precious)" precious
want "beside a link" c/y.1.cotree
[ ! -e c/nowhere ] || fail "followed a dangling link"
want "beside a dangling link" c/z.1.cotree
echo other >c/w && COTREE_FILE=c/w ./prog 5
expect "a file of another kind" "$(cat c/w)" other
want "beside it" c/w.1

# What is no file is left alone; a directory is one when it ends with a slash.
mkdir c/dir
COTREE=verbose COTREE_FILE=c/dir ./prog 5 2>message
expect "a directory" "$(ls c/dir; cat message)" \
    "cotree: no profile: cannot create '$PWD/c/dir': it is a directory"
COTREE_FILE=/dev/null ./prog 5
expect "a device" "$(ls /dev/null* | wc -l)" 1
COTREE_FILE=c/dir/ ./prog 5
want "a directory with a slash" c/dir/prog.*.cotree
mkfifo c/fifo
COTREE_FILE=c/fifo ./prog 5
[ ! -e c/fifo.1 ] || fail "a file beside a pipe"

# Permissions follow the umask.
mkdir d
(umask 027; COTREE_FILE=d/mode.cotree ./prog 5)
expect "mode" "$(stat -c %a d/mode.cotree)" 640
(umask 0; COTREE_FILE=d/mode0.cotree ./prog 5)
expect "mode" "$(stat -c %a d/mode0.cotree)" 666

# Off, and verbose.
mkdir e && cd e
COTREE=off ../prog 5 2>../message
expect "off" "$(one .)$(cat ../message)" ""
COTREE=verbose ../prog 5 2>../message
expect "verbose" "$(cat ../message)" "cotree: counting into $PWD/$(ls)"
rm ./*
COTREE=verbose COTREE_FILE=/no/such/dir/x ../prog 5 2>../message || fail "no file: the program failed"
expect "verbose, no directory" "$(cat ../message)" \
    "cotree: no profile: cannot create '/no/such/dir/x': no such file or directory"
COTREE_FILE=/no/such/dir/x ../prog 5 2>../message
expect "silent otherwise" "$(cat ../message)$(one .)" ""
long=$(printf '%05000d' 0)
COTREE_FILE=$long ../prog 5 || fail "a long name"
expect "a long name" "$(one .)" ""
cd ..

# Small: a program with few counters takes a few pages.
mkdir f && (cd f && ../prog 5)
blocks=$(stat -c %b f/*.cotree)
[ $((blocks * 512)) -le 32768 ] || fail "$((blocks * 512)) bytes on disk"
[ "$(stat -c %s f/*.cotree)" -le 262144 ] || fail "file of $(stat -c %s f/*.cotree) bytes"

# A directory that is gone.
here=$PWD; mkdir gone
(cd gone && rmdir "$here/gone" && "$here/prog" 5) || fail "no directory: status $?"
