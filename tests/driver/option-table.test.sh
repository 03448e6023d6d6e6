#!/usr/bin/env bash
# An option's argument is never mistaken for an option or a file: the driver's table of options
# agrees with clang's own.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
touch x.c

# Options that clang's help shows with an argument of their own, and all that the table has.
{
    $clang --help-hidden | sed -nE 's/^ +(-[-A-Za-z0-9_+]+) <.*/\1/p'
    sed -n '/with_argument\[\] = {/,/^};/p' "$COTREE_TOP/src/cli/driver_table.c" | grep -oE '"-[^"]+"' |
        tr -d '"'
    printf '%s\n' -Xarch_x86_64 -Xopenmp-target=x86 -Xoffload-linker-x86 -c -S -static -Wall -nostdlib \
        -pthread
} | sort -u >options
[ "$(wc -l <options)" -gt 150 ]

check() {
    ours=no clangs=no
    # If the option takes an argument, -fcotree=wrong is one; if not, it is an error of ours.
    COTREE_CLANG=true "$COTREE_BUILD/cotree" cc "$1" -fcotree=wrong x.c >"out.$$" 2>&1 || [ $? -ne 64 ] ||
        ours=wrong
    [ $ours = wrong ] && ours=no || ours=yes
    $clang -### "$1" 2>&1 | grep -qF "argument to '$1' is missing (expected 1 value)" && clangs=yes
    [ $ours = $clangs ] || echo "$1: clang takes an argument: $clangs, cotree: $ours"
}
export -f check; export clang COTREE_BUILD
xargs -P 2 -I{} bash -c 'check {}' <options >differences
cat differences
[ ! -s differences ]
