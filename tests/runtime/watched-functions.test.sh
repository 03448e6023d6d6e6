#!/usr/bin/env bash
# The list of watched functions (src/runtime/watched_functions.h) is what the runtime interposes, in every
# kind of executable, and what the driver links for: nothing is missing, nothing is left over, and each
# function is where the list says.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
LIB=$COTREE_BUILD/lib/cotree

"$CLANG" -I"$COTREE_TOP/src" "$HERE/print_watched.c" -o print_watched
./print_watched > all.txt
grep -v '^all ' all.txt > lists.txt
[ "$(wc -l < lists.txt)" -gt 70 ] || fail "the list is short"

# of LIST...: the names in these lists.
of() { awk -v lists=" $* " 'index(lists, " " $1 " ") { print $2 }' lists.txt | sort; }
# defined OBJECT: the symbols it gives programs; those of its own begin with cotree_.
defined() { nm -g --defined-only "$1" | awk 'NF == 3 && $3 !~ /^cotree_/ { print $3 }' | sort; }
# same WHAT FILE FILE
same() { diff -u "$2" "$3" > difference || { cat difference; fail "$1"; }; }

sort -u -k2,2 lists.txt | awk '{ print $2 }' | sort > once
awk '{ print $2 }' lists.txt | sort > names
same "a function is listed twice" once names
awk '$1 == "all" { print $2 }' all.txt | sort > together
same "WATCHED_FUNCTIONS is not all lists" names together

of everywhere dynamic if-possible lookups aliases > listed
defined "$LIB/runtime-exec.o" > found
same "dynamic executables: listed (-), interposed (+)" listed found
of everywhere if-possible static start > listed
defined "$LIB/runtime-static.o" | sed -n 's/^__wrap_//p' | sort > found
same "static executables: listed (-), interposed (+)" listed found
defined "$LIB/runtime-static.o" | grep -v '^__wrap_' && fail "a symbol is not wrapped"
defined "$LIB/runtime-shared.o" | grep . && fail "libraries interpose nothing"
of traced > listed
defined "$LIB/trace-exec.a" > found
same "executables that record a trace: listed (-), interposed (+)" listed found
defined "$LIB/trace-static.a" | comm -13 listed - | grep . &&
    fail "a static program that records a trace interposes what is not listed"

# What the driver links for.
of everywhere dynamic if-possible lookups aliases > listed
./flags.bin exec | sed -n 's/^-Wl,--export-dynamic-symbol=//p' | grep -v '^cotree_' | sort > found
same "exported: listed (-), by the driver (+)" listed found
of everywhere if-possible static start > listed
./flags.bin static | sed -n 's/^-Wl,--wrap=//p' | sort > found
same "wrapped: listed (-), by the driver (+)" listed found

# Each is where the list says.
while read -r list name where effect hazard; do
    if [ "$list" = by-compiler ]; then
        [ "$where" = - ] || fail "$name: interposed by nothing, but in $where"
        continue
    fi
    grep -qE "(INTERPOSED(_WEAKLY|_ALIAS)?\(.*, |__wrap_|[ *])$name(,| ?\()" \
        "$COTREE_TOP/src/runtime/$where" ||
        fail "$name is not in $where"
done < lists.txt

# Functions that traced code takes for plain (nothing happens in a call) are none of these.
sed -n 's/^    "\([a-z_0-9A-Z]*\)",$/\1/p' "$COTREE_TOP/src/instrument/trace/names.c" | sort > plain
[ "$(wc -l < plain)" -gt 100 ] || fail "the list of plain functions was not read"
comm -12 names plain | grep . && fail "plain, and watched"
exit 0
