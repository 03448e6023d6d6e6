#!/usr/bin/env bash
# Older kernels, other file systems and sandboxes: without fallocate, mremap, MADV_POPULATE_WRITE,
# kcmp or /proc everything is still exact; without mmap of files there is no profile, and the
# program runs.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
"$CLANG" $CFLAGS_TEST "$HERE/deny.c" -o deny
build_exec threads "$HERE/threads.c"
build_exec pic -DHANDMADE_PIC "$HERE/threads.c"
build_exec processes "$HERE/processes.c"
build_exec pool "$HERE/pool.c"
build_exec simple "$HERE/simple.c"
fallocate=285=95 mremap=25=1 madvise=28=22 kcmp=312=1 openat=257=13 ftruncate=77=1

check() { # denied...
    rm -f ./*.cotree
    ./deny "$@" -- ./threads pthread 20 100 || fail "$*: threads failed"
    expect "$*: threads" "$(sum 2001 threads.*.cotree) $(field flags threads.*.cotree)" "20 2000 20 0 0"
    ./deny "$@" -- ./pic pthread 20 100 || fail "$*: -fPIC failed"
    expect "$*: -fPIC" "$(sum 2001 pic.*.cotree) $(field flags pic.*.cotree)" "20 2000 20 0 0"
    ./deny "$@" -- ./processes fork 5 || fail "$*: fork failed"
    expect "$*: fork" "$(sum 3001 processes.*.cotree)" "10 5 500 0 0 6"
    for i in 1 2 3; do COTREE_FILE=%m ./deny "$@" -- ./pool 1 3; done
    expect "$*: pool" "$(sum 6001 pool.*.cotree)" "3000 9"
}
check $ftruncate
check $fallocate
check $mremap
check $madvise
check $kcmp
check $fallocate $mremap $madvise $kcmp $ftruncate

# Without fallocate and MADV_POPULATE_WRITE the blocks are written: no holes that a full disk could
# turn into SIGBUS.
rm -f ./*.cotree
./deny $fallocate $madvise -- ./simple 5
expect "no holes in front" "$(sum 1001 simple.*.cotree)" "1 5 1"

# vfork without kcmp is not taken for a raw fork.
rm -f ./*.cotree
./deny $kcmp -- ./processes vfork
expect "vfork without kcmp" "$(sum 3001 processes.*.cotree) $(field flags processes.*.cotree)" \
    "10 1 0 0 2 1 0"

# No openat at all (dynamic programs cannot even start): a static one runs and writes nothing.
build_static static "$HERE/simple.c"
./deny $openat -- ./static 5 || fail "static without open: status $?"
expect "static without open" "$(ls static.*.cotree 2>/dev/null)" ""

# No /proc.
if unshare --mount true 2>/dev/null; then
    rm -f ./*.cotree
    unshare --mount sh -c 'umount -l /proc && ./simple 5 && ./processes fork 2 && COTREE_FILE=%m ./pool 1 && COTREE_FILE=%m ./pool 1'
    expect "no /proc" "$(sum 1001 simple.*.cotree) $(field program simple.*.cotree)" "1 5 1 simple"
    expect "no /proc: fork" "$(sum 3001 processes.*.cotree)" "10 2 200 0 0 3"
    expect "no /proc: pool" "$(sum 6001 pool.*.cotree)" "2000 0"
else
    echo "skipped: no /proc, needs a mount namespace"
fi
