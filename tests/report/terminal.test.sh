#!/usr/bin/env bash
# Colour and a pager on a terminal, and only there; NO_COLOR and --no-pager are obeyed; no name
# reaches the terminal with an escape in it.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"
made m.cotree
export TERM=xterm

on_terminal() { script -qec "$*" /dev/null >out 2>&1 </dev/null; }
escapes() { grep -q $'\033' "$1"; }

COTREE_PAGER='cat >paged' status 0 "$cotree" report m.cotree
[ ! -e paged ] || die "a pager ran without a terminal"
escapes out && die "colour without a terminal"
COTREE_PAGER='cat >paged' on_terminal "$cotree" report m.cotree
[ -s paged ] && escapes paged || die "no pager or no colour on a terminal"
[ ! -s out ] || die "the pager's text is on the terminal as well"
rm paged; PAGER='cat >paged' on_terminal "$cotree" report m.cotree
[ -s paged ] || die "PAGER is not used"
rm paged; COTREE_PAGER='cat >paged' on_terminal "$cotree" report --no-pager m.cotree
[ ! -e paged ] && escapes out || die "--no-pager"
NO_COLOR=1 COTREE_PAGER= on_terminal "$cotree" report m.cotree
escapes out && die "NO_COLOR is ignored"
TERM=dumb on_terminal "$cotree" report m.cotree
escapes out && die "colour on a dumb terminal"
COTREE_PAGER= on_terminal "$cotree" report --color=never m.cotree
escapes out && die "--color=never"
status 0 "$cotree" report --color=always m.cotree
escapes out || die "--color=always"
# Leaving the pager early is no error.
COTREE_PAGER='head -1 >paged' on_terminal "$cotree report m.cotree; echo status=\$?"
grep -q 'status=0' out || die "leaving the pager: $(cat out)"
# With colour on, the only escapes are ours: take them away and none is left.
status 0 "$cotree" report --color=always --branches m.cotree
sed 's/\x1b\[[0-9;]*m//g' out >stripped
escapes stripped && die "an escape from a name"
"$cotree" report --branches m.cotree | cmp - stripped
# A page goes to a file or a pipe.
on_terminal "$cotree report --format=html m.cotree; echo status=\$?"
grep -q 'a page is not for a terminal' out && grep -q 'status=64' out || die "$(head -c 300 out)"
"$cotree" report --format=html m.cotree | head -1 | grep -qi '^<!doctype html>'
