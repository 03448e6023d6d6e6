#!/usr/bin/env bash
# A program that cannot write its data says nothing and ends as ever; COTREE=verbose says why, and
# commands that find nothing say where they looked, which of these places cannot be written to, and
# how to ask the program.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
cat >prog.c <<'C'
#include <stdio.h>
int main(void)
{
    puts("output");
    return 3;
}
C
# refused TEXT...: COTREE_FILE is set; the program is silent unless asked, and then each text is in
# its one line.
refused() {
    local status=0 text
    ./prog >out 2>err || status=$?
    [ "$status $(cat out)" = "3 output" ] && [ ! -s err ] ||
        die "COTREE_FILE=$COTREE_FILE: disturbed: $status, $(cat out err)"
    status=0; COTREE=verbose ./prog >out 2>err || status=$?
    [ "$status $(cat out)" = "3 output" ] && [ "$(wc -l <err)" = 1 ] ||
        die "COTREE_FILE=$COTREE_FILE: $(cat out err)"
    for text in "$@"; do
        grep -qF -- "$text" err || die "COTREE_FILE=$COTREE_FILE: no '$text' in: $(cat err)"
    done
    [ -z "$(ls ./*.cotree* 2>/dev/null)" ] || die "COTREE_FILE=$COTREE_FILE: $(ls)"
}
# finds_nothing TEXT COMMAND...: status 2, and the last line has the text.
finds_nothing() {
    local text=$1 status=0
    shift
    "$@" >out 2>err || status=$?
    [ $status = 2 ] && [ ! -s out ] || die "status $status of: $* ($(cat err))"
    tail -1 err | grep -qF -- "$text" || die "no '$text' of: $* in: $(cat err)"
    tail -1 err | grep -qF -- "run 'COTREE=verbose ./prog'" || die "no advice of: $*: $(cat err)"
}

cotree cc -O1 prog.c -o prog
export COTREE_FILE
COTREE_FILE=$PWD/nowhere/%p.cotree
refused "no profile: cannot create '$PWD/nowhere/" "no such file or directory"
finds_nothing "in '.' or '$PWD/nowhere' (which is not there)" cotree report ./prog 'prog.*.cotree'
finds_nothing "in '.' or '$PWD/nowhere' (which is not there)" cotree report ./prog .
finds_nothing "in '$PWD/nowhere' (which is not there)" cotree merge prog "$PWD/nowhere/*.cotree" -o merged
finds_nothing "in '.' or '$PWD/nowhere' (which is not there)" cotree trace ./prog .
mkfifo fifo
COTREE_FILE=fifo
refused "no profile: cannot create '$PWD/fifo': it is no regular file"
finds_nothing "in '.' or 'fifo' (which is no regular file)" cotree report ./prog .
COTREE_FILE=/proc/self/%e.cotree
refused "no profile: cannot create '/proc/self/prog.cotree'"
finds_nothing "in '.' or '/proc/self' (which is not writable)" cotree report ./prog .
COTREE_FILE=prog.c/%e.cotree
refused "no profile: cannot create '$PWD/prog.c/prog.cotree': not a directory"
finds_nothing "in '.' or 'prog.c' (which is a file)" cotree report ./prog .
COTREE_FILE=
finds_nothing "no data of './prog' was found in '.'; run" cotree report ./prog .

# Counters cannot be where thread-local storage is emulated: the compiler says so, and the program
# still links, and runs.
for flags in "" "-fPIC" "-fcotree=trace" "-fcotree=paths"; do
    cotree cc -O1 $flags -femulated-tls prog.c -o prog 2>err
    grep -qF -- "-femulated-tls: compiled without counters" err || die "$flags: not said: $(cat err)"
    refused "the program itself has no counters" "-femulated-tls"
done
cotree cc -O1 -femulated-tls -fno-emulated-tls prog.c -o prog 2>err
[ ! -s err ] || die "said of -fno-emulated-tls: $(cat err)"
status=0; ./prog >out || status=$?
[ $status -eq 3 ] || die "-fno-emulated-tls: status $status"
[ "$(cotree report --format=json prog prog.*.cotree | jq -c '[.exact, .runs]')" = '[true,1]' ] ||
    die "-fno-emulated-tls does not count"

# A name that is not there is no program.
status=0; cotree report '*.nothing' >out 2>err || status=$?
[ "$status $(cat err)" = "1 cotree report: '*.nothing': cannot open: No such file or directory" ] ||
    die "$status $(cat err)"
