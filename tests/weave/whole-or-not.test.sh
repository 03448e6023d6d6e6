#!/usr/bin/env bash
# An output appears under its name when it is whole, or not at all: killed, on a full disk, in a
# folder that cannot be written; two at once do not meet; the program itself is never touched.
set -eu
. "$COTREE_TOP/tests/lib/weave.sh"
for i in 1 2 3 4; do
    echo "int f$i(int x) { int s = 0; for (int i = 0; i < x; i++) s += i % $i ? i : f$i(i / 2); return s; }" \
        >f$i.c
done
echo 'int f1(int); int main(int argc, char **argv) { (void)argv; return f1(argc) & 1; }' >main.c
cotree cc -O2 -fcotree-carry main.c f1.c f2.c f3.c f4.c -o prog
cp prog before
mkdir out tmp
export TMPDIR=$PWD/tmp

# Killed at many moments: by a signal that it sees, nothing is left; by one that it does not, nothing
# under the output's name.
for after in 0.01 0.03 0.06 0.1 0.15 0.2 0.3; do
    for signal in TERM KILL; do
        timeout -s $signal $after cotree weave prog -fcotree=trace -o out/woven 2>message || :
        if [ -e out/woven ]; then
            COTREE=off ./out/woven && cotree weave out/woven --list >list ||
                die "killed after $after s: half a program"
            rm out/woven
        elif [ $signal = TERM ]; then
            [ -z "$(ls -A out)" ] || die "killed after $after s: left $(ls -A out)"
        fi
        rm -rf out/.woven*
    done
done
rm -rf tmp/*
# What is not to hear of a hangup does not end by it, and nothing has to be open.
cat >waits <<'END'
#!/bin/sh
while [ "$1" = -cc1 ] && [ ! -e "$TMPDIR/go" ]; do sleep 0.02; done
END
echo "exec clang-${LLVM:-19} \"\$@\"" >>waits && chmod +x waits
(
    trap "" HUP
    COTREE_CLANG=$PWD/waits exec cotree weave prog -fcotree=edges -o out/woven <&- >&- 2>&-
) &
weave=$!
until ls tmp/cotree-weave.*/said/unit* || ! kill -0 $weave; do sleep 0.05; done >/dev/null 2>&1
rooms=(tmp/cotree-weave.*)
kill -HUP $weave && : >go && mv go "${rooms[0]}"/work || die "it has ended"
wait $weave && same_program out/woven prog || die "hung up, without standard input and output"
rm out/woven*
# An old output stays when a new one cannot be made.
echo old >out/woven
! cotree weave prog -fcotree=trace -fcotree-use=nowhere -o out/woven 2>message
[ "$(cat out/woven)" = old ]
# Files may not grow: as on a full disk.
for blocks in 1 40 150; do
    ! (ulimit -f $blocks; trap '' XFSZ; cotree weave prog -fcotree=edges -o out/woven) 2>message ||
        die "woven in $blocks blocks"
    [ "$(cat out/woven)" = old ] && [ "$(ls -A out)" = woven ] || die "$blocks blocks: left $(ls -A out)"
    [ -z "$(ls -A tmp)" ] || die "$blocks blocks: left $(ls -A tmp) in TMPDIR"
    [ -s message ] || die "$blocks blocks: no message"
done
# A disk that is full, and one that cannot be written.
mkdir disk
trap 'umount -l "$PWD/disk" 2>/dev/null || :' EXIT
if mount -t tmpfs -o size=64k tmpfs disk 2>/dev/null; then
    echo old >disk/woven
    for full in out-of-it TMPDIR; do
        if [ $full = TMPDIR ]; then name=out/woven place=$PWD/disk; else name=disk/woven place=$TMPDIR; fi
        ! TMPDIR=$place cotree weave prog -fcotree=edges -o $name 2>message || die "woven on a full disk"
        [ -s message ] && [ "$(cat $name)" = old ] && [ "$(ls -A disk)" = woven ] || die "full $full: left $(ls -A disk)"
    done
    umount -l disk && mount -t tmpfs -o ro tmpfs disk
    ! cotree weave prog -o disk/woven 2>message && grep -q 'Read-only' message || die "read-only: $(cat message)"
    umount -l disk
else
    echo "skipped: full and read-only disks, which need a mount"
fi
! cotree weave prog -o nowhere/woven 2>message && [ -s message ] || die "no message without a folder"
! TMPDIR=$PWD/nowhere cotree weave prog -o out/woven 2>message && grep -q nowhere message
! cotree weave prog -o /proc/woven 2>message && [ -s message ] || die "no message in a read-only folder"
! cotree weave prog -o /dev/null 2>message && grep -q 'no file' message && [ -c /dev/null ] || die "a device: $(cat message)"
! cotree weave prog -o out 2>message && grep -q 'Is a directory' message || die "a folder: $(cat message)"
# Whoever puts something beside the output does not get it written to; a link that is named stays.
echo victim >victim
(
    for i in 0 1 2; do ln -s "$PWD/victim" out/.woven.weaving-$BASHPID-$i; done
    exec cotree weave prog -fcotree=edges -o out/woven
)
[ "$(cat victim)" = victim ] && same_program out/woven prog || die "written through a link"
rm out/.woven.*
ln -s woven out/link && echo old >out/woven
cotree weave prog -fcotree=edges -o out/link
[ -L out/link ] && same_program out/woven prog || die "a link that is named"
rm out/link out/woven.bare
mkdir out/there && ln -s there/late out/first && ln -s first out/link
cotree weave prog -fcotree=edges -o out/link
same_program out/there/late prog && [ -L out/link ] && [ -L out/first ] ||
    die "a link that names nothing yet"
rm -r out/link out/first out/there
ln -s loop out/loop
! cotree weave prog -o out/loop 2>message && [ -L out/loop ] && [ -s message ] || die "a link to itself"
rm out/loop
! cotree weave prog -o '' 2>message && grep -q 'no output' message || die "no name: $(cat message)"
# A name as long as names may be.
long=$(printf 'n%.0s' {1..255})
cotree weave prog -fcotree=edges -o "out/$long" && mv "out/$long" out/long && same_program out/long prog ||
    die "a long name"
rm out/long*
# Two at once, to one name.
cotree weave prog -fcotree=edges -o out/woven & first=$!
cotree weave prog -fcotree=edges -o out/woven & second=$!
wait $first && wait $second
same_program out/woven prog || die "two at once: another program"
[ -z "$(ls -A tmp)" ] && [ "$(ls out/woven* | wc -l)" -eq 2 ] || die "left $(ls -A tmp out)"
chmod a-w prog && cotree weave prog -fcotree=none -o out/plain
cmp prog before || die "the program was changed"

# Several variants at once; units that do not differ are compiled once, and each is what it would be
# alone.
cotree weave prog -k 3 -fcotree=paths -fcotree-paths=group:%d/3 -o out/group.%d
# Variants that are alike in all are compiled once, and the first is what the second would be.
cotree weave prog -k 2 -fcotree=edges -o out/alike.%d
same_program out/alike.1 prog && same_program out/alike.2 prog || die "alike: another program"
for i in 1 2 3; do
    cotree weave prog -fcotree=paths -fcotree-paths=group:$i/3 -o out/alone
    same_program out/group.$i out/alone || die "group $i: another program than alone"
done
cotree weave prog -k 1 -fcotree=paths -fcotree-paths=group:%d/3 -o out/one.%d
same_program out/one.1 out/group.1 || die "one variant has another number"
! cotree weave prog -k 3 -o out/same 2>message && grep -q '%d' message
