#!/usr/bin/env bash
# Counting goes on when a program changes directory or root, drops privileges, closes every
# descriptor or forbids open(2); a full disk, a file size limit or a read-only directory never kill
# it. What is lost is said.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
build_exec prog "$HERE/hostile.c"
build_exec large -DCOUNTERS_N=100000 "$HERE/hostile.c"
build_exec simple "$HERE/simple.c"

LOST=2

run() { rm -f ./*.cotree; "$@" || fail "$*: status $?"; }

for kind in none chdir closeall seccomp; do
    run ./prog $kind
    expect "$kind" "$(sum 5001 ./*.cotree)" "1 400"
    expect "$kind: flags" "$(field flags ./*.cotree)" 0
done
rm -f ./*.cotree
CHILDREN=3 ./prog chdir 2
expect "fork after chdir" "$(sum 5001 ./*.cotree) $(ls ./*.cotree | wc -l)" "1 500 4"
mkdir jail
if [ "$(id -u)" = 0 ]; then
    for kind in chroot setuid; do
        run ./prog $kind
        expect "$kind" "$(sum 5001 ./*.cotree)" "1 400"
    done
else
    echo "skipped: chroot and setuid need root"
fi
# More threads than spare blocks: what has no block is flagged, and nothing else is wrong.
run ./large seccomp 32
flag $LOST ./*.cotree || fail "threads without a block are not flagged"
[ "$(field lost ./*.cotree)" -gt 0 ] || fail "threads without a block are not counted"
run ./large none 32
expect "many large blocks" "$(sum 5001 ./*.cotree) $(field flags ./*.cotree)" "1 3200 0"

# The file goes away, or another one takes its name: nobody else's file is written.
rm -f ./*.cotree
COTREE_FILE=gone.cotree ./large unlink 32 gone.cotree || fail "unlinked: status $?"
[ ! -e gone.cotree ] || fail "the file is back"
echo other >other
COTREE_FILE=here.cotree ./large rename 32 other here.cotree || fail "renamed: status $?"
expect "another file of that name" "$(cat here.cotree)" other
rm -f ./*.cotree

# Limits. Too small for anything: no file. Enough for the first block: the rest is said to be lost.
(ulimit -f 4; ./simple 5) || fail "ulimit -f 4: status $?"
expect "no room at all" "$(ls ./*.cotree 2>/dev/null)" ""
(ulimit -f 1600; ./large none 8) || fail "ulimit -f 1600: status $?"
expect "room for one" "$(sum 5001 ./*.cotree | cut -d' ' -f1)" 1
flag $LOST ./*.cotree || fail "ulimit: not flagged"
rm -f ./*.cotree
(ulimit -v 100000; ./simple 5) || fail "ulimit -v: status $?"
expect "little address space" "$(sum 1001 ./*.cotree)" "1 5 1"
rm -f ./*.cotree

if [ "$(id -u)" = 0 ]; then
    # A directory that may not be written, by somebody who is not root.
    mkdir readonly && chmod 555 readonly && chmod 755 . && cp simple readonly/
    cd readonly
    setpriv --reuid=65534 --regid=65534 --clear-groups ./simple 5 || fail "read-only directory: status $?"
    expect "read-only directory" "$(ls)" simple
    cd ..
    # setuid: nothing is written and the environment is not read.
    mkdir open && chmod 777 open && cp simple setuid && chmod 4755 setuid
    case $(findmnt -no OPTIONS -T setuid) in
    *nosuid*) echo "skipped: setuid, the file system has nosuid" ;;
    *)
        (cd open &&
            COTREE=verbose setpriv --reuid=65534 --regid=65534 --clear-groups ../setuid 5 2>message) ||
            fail "setuid: status $?"
        expect "setuid writes nothing" "$(ls open)$(cat open/message)" "message" ;;
    esac
    # A full disk.
    if mkdir disk && mount -t tmpfs -o size=1m tmpfs disk 2>/dev/null; then
        trap 'umount "$PWD/disk"' EXIT
        (cd disk && ../simple 5 && ../simple 5) || fail "small disk: status $?"
        expect "small disk" "$(sum 1001 disk/*.cotree)" "2 10 2"
        rm disk/*.cotree
        dd if=/dev/zero of=disk/fill bs=4096 count=$((256 - 5)) status=none
        (cd disk && ../prog none 16) || fail "nearly full disk: status $?"
        expect "nearly full disk: first block" "$(sum 5001 disk/*.cotree | cut -d' ' -f1)" 1
        flag $LOST disk/*.cotree || fail "nearly full disk: not flagged"
        rm disk/*.cotree
        dd if=/dev/zero of=disk/fill bs=4096 count=1000 status=none 2>/dev/null || :
        (cd disk && ../simple 5 && ../large none 8) || fail "full disk: status $?"
        expect "full disk" "$(ls disk)" fill
    else
        echo "skipped: full disk, cannot mount tmpfs"
    fi
else
    echo "skipped: read-only directory, setuid and full disk need root"
fi
