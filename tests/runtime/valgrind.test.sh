#!/usr/bin/env bash
# Under valgrind, which does not know all forms of mremap, counts are as exact as without it.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
command -v valgrind >/dev/null || { echo "skipped: no valgrind"; exit 77; }
build_exec simple -gdwarf-4 "$HERE/simple.c"
build_exec threads -gdwarf-4 "$HERE/threads.c"
build_exec processes -gdwarf-4 "$HERE/processes.c"
valgrind -q --error-exitcode=7 ./simple 1000 || fail "simple: status $?"
expect "one thread" "$(sum 1001 ./simple*.cotree) $(field flags ./simple*.cotree)" "1 1000 1 0"
valgrind -q --error-exitcode=7 ./threads pthread 4 100 || fail "threads: status $?"
expect "threads" "$(sum 2001 ./threads*.cotree) $(field flags ./threads*.cotree)" "4 400 4 0 0"
valgrind -q --error-exitcode=7 ./processes fork 2 || fail "fork: status $?"
expect "fork" "$(sum 3001 ./processes*.cotree)" "10 2 200 0 0 3"
