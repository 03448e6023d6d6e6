#!/usr/bin/env bash
# Of many files it is said which made the result inexact, whose they are and how these runs ended:
# in text, HTML and JSON, of pools, and of what was merged.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"

cat >prog.c <<'C'
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
volatile int n;
void work(int how)
{
    n++;
    if (how == 1)
        kill(getpid(), SIGKILL);
}
int main(int argc, char **argv)
{
    (void)argv;
    work(argc - 1);
    return 0;
}
C
cotree cc -O1 -g prog.c -o prog
killed() { bash -c './prog x; true' 2>/dev/null; }
for i in 1 2 3 4; do ./prog; done
before=$(ls ./*.cotree)
killed
bad=$(ls ./*.cotree | grep -vxF "$before")
pid=${bad#./prog.}; pid=${pid%.cotree}
cotree report --no-source ./prog ./*.cotree >text
grep -qxF "    $bad, process $pid: the run was killed" text || die "not named: $(head -6 text)"
[ "$(grep -c 'process ' text)" = 1 ] || die "more than one is named: $(head -9 text)"
cotree report --format=json ./prog ./*.cotree >json
[ "$(jq -c '[.inexact_file_count, .inexact_files]' json)" = \
    "[1,[{\"file\":\"$bad\",\"pid\":$pid,\"why\":\"the run was killed\"}]]" ] ||
    die "$(jq -c .inexact_files json)"
cotree report --format=html -o page.html ./prog ./*.cotree
grep -qF "<li>$bad, process $pid: the run was killed</li>" page.html || die "not on the page"
cotree merge ./prog ./*.cotree -o merged 2>/dev/null
cotree merge merged -o again 2>/dev/null
[ "$(cotree report --format=json again | jq -c .inexact_files)" = "$(jq -c .inexact_files json)" ] ||
    die "merging forgets it"
[ "$(cotree report --format=json ./prog $before | jq -c '[.exact, .inexact_file_count, .inexact_files]')" = \
    '[true,0,[]]' ] || die "exact files are named"

# More than fit on a screen are counted; the order of the files does not matter.
for i in 1 2 3 4 5 6; do killed; done
cotree report --no-source ./prog ./*.cotree >text
grep -qF "and 2 more files; --format=json lists them" text || die "not counted: $(head -9 text)"
[ "$(cotree report --format=json ./prog $(ls -r ./*.cotree) | jq -c .inexact_files)" = \
    "$(cotree report --format=json ./prog ./*.cotree | jq -c .inexact_files)" ] || die "the order matters"

# In a pool the process is named that was cut short.
rm -f ./*.cotree
export COTREE_FILE=pool.cotree%m
for i in 1 2; do ./prog; done
bash -c './prog x & echo $! >pid; wait $!; true' 2>/dev/null
for i in 1 2; do ./prog; done
cotree report --format=json ./prog pool* >json
[ "$(jq -c '[.runs, .inexact_files[].pid]' json)" = "[5,$(cat pid)]" ] ||
    die "pool: $(jq -c '[.runs, .inexact_files]' json), killed was $(cat pid)"
