#!/usr/bin/env bash
# Words that `cotree weave` does not know are named whole, with status 64; so are values that no machine
# has memory for. What cannot be printed or cannot run is said.
set -eu
. "$COTREE_TOP/tests/lib/weave.sh"
echo 'int main(void) { return 0; }' >main.c
cotree cc -O1 -fcotree-carry main.c -o prog
status() { # STATUS PATTERN WORD...
    local wanted=$1 pattern=$2 got=0
    shift 2
    cotree weave "$@" >/dev/null 2>said || got=$?
    [ $got -eq "$wanted" ] && grep -q -- "$pattern" said && [ "$(wc -l <said)" -eq 1 ] && [ ! -e woven ] ||
        die "$*: status $got: $(cat said)"
}
status 64 "unknown option '-fplugin'" prog -fplugin=evil.so -o woven
status 64 "unknown option '-f'" prog -f -o woven
status 64 "unknown option '-fcotree-nonsense'" prog -fcotree-nonsense -o woven
status 64 "did you mean '-fcotree-durable'" prog -fcotree-durabel -o woven
status 64 "option '-fcotree-durable' takes no value" prog -fcotree-durable=3 -o woven
status 64 "option '-fcotree-carry' takes no value" prog --list -fcotree-carry=yes
status 64 "option '-fcotree-use' needs a value" prog -fcotree-use -o woven
status 64 "from 1 to 4096, not '4097'" prog -k 4097 -fcotree=paths -o woven%d
status 64 "from 1 to 4096, not '999999999999'" prog -k 999999999999 -o woven%d
status 64 "compares two programs, not 1" --diff-code prog
# Options may follow other words, whatever the environment asks of getopt.
POSIXLY_CORRECT=1 cotree weave prog -o woven && rm woven || die "POSIXLY_CORRECT"
# A list that cannot be written.
got=0
cotree weave prog --list >/dev/full 2>said || got=$?
[ $got -eq 1 ] && grep -q 'cannot write' said || die "--list to a full disk: $got, $(cat said)"
# Records that hold the compiler's command: a woven one would not hold its own.
for option in -grecord-command-line -frecord-command-line; do
    cotree cc -O1 -g $option -fcotree-carry main.c -o recorded
    status 1 "unit 'main.c': it holds the command that compiled it ($option)" recorded -o woven
done
# A compiler that cannot run is no other version.
printf '#!/bin/sh\nexit 1\n' >broken && chmod +x broken
COTREE_CLANG=$PWD/broken status 1 "the compiler '.*/broken' does not run" prog -o woven
# Damage names the file, as everything does.
cp prog bare && objcopy -R .cotree.ir -R .cotree.link bare
"$COTREE_BUILD/check/forge" prog bare driver nonsense=1
status 1 "'bare': the record of the link is damaged" bare -o woven
# One file of the system that is named 20,000 times is looked at once.
libc=$(cotree weave prog --list | sed -n 's/^input\tnamed\t\(.*\/libc.so\.6\)\t.*/\1/p')
cp prog many && objcopy -R .cotree.ir -R .cotree.link many
"$COTREE_BUILD/check/forge" prog many many 20000 "$libc"
timeout 60 cotree weave many --list >list 2>said || [ $? -eq 1 ] || die "many: $(tail -n 1 said)"
[ "$(grep -c "^input	named	$libc" list)" -gt 20000 ] || die "many: not listed"
