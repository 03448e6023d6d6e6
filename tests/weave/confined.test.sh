#!/usr/bin/env bash
# What weaving runs reads the system and what weaving hands it, writes to weave's own directory, and has
# no network. A compiler that tries all of it stands for one that a program has taken over.
set -eu
. "$COTREE_TOP/tests/lib/weave.sh"
"$COTREE_BUILD/check/forge" confines || { echo "skipped: the kernel has no Landlock" && exit 77; }
echo 'int main(int argc, char **argv) { (void)argv; return argc > 3; }' >main.c
cotree cc -O1 -fcotree-carry main.c -o prog
mkdir home compiler && echo secret >home/key
# As a word of the compiler's command: the place where it lies may be read, other folders may not.
cat >compiler/tries <<'END'
#!/bin/bash
if [ "$1" = -cc1 ]; then
    { read -r line <HOME/key; } 2>/dev/null && echo "could read: $line" >&2
    { : >HOME/new; } 2>/dev/null && echo "could write" >&2
    { : >compiler/new; } 2>/dev/null && echo "could write beside itself" >&2
    ln -s x HOME/link 2>/dev/null && echo "could link" >&2
    rm HOME/key 2>/dev/null && echo "could remove" >&2
    { : >/dev/udp/127.0.0.1/9; } 2>/dev/null && echo "could open a socket" >&2
    { : >/dev/tcp/127.0.0.1/PORT; } 2>/dev/null && echo "could connect" >&2
    { : >TMP/file; } 2>/dev/null && echo "could write to TMPDIR" >&2
    : >"$TMPDIR/own" && echo "wrote where it may" >&2
fi
exec CLANG "$@"
END
mkdir tmp
sed -i "s|HOME|$PWD/home|; s|TMP/|$PWD/tmp/|; s|CLANG|clang-${LLVM:-19}|; s|PORT|9|" compiler/tries
chmod +x compiler/tries
# It could do all of it by itself.
TMPDIR=$PWD/tmp compiler/tries -cc1 -version 2>&1 | grep '^could' >could || :
grep -q 'could read: secret' could && grep -q 'could write$' could && grep -q 'could open a socket' could ||
    die "a compiler that is not confined: $(cat could)"
rm -rf home tmp && mkdir home tmp && echo secret >home/key
TMPDIR=$PWD/tmp COTREE_CLANG=$PWD/compiler/tries cotree weave prog -o woven 2>said || die "$(cat said)"
! grep could said || die "the compiler is not confined"
grep -q 'wrote where it may' said || die "the compiler was not run: $(cat said)"
[ "$(ls home tmp | tr '\n' ' ')" = "home: key  tmp: " ] || die "left: $(ls home tmp)"
same_program woven prog
