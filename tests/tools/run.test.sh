#!/usr/bin/env bash
# tests/run: how many tests there are; a line for each test, beneath it what a failing one said; the
# sum; and a status that says whether all passed. A test that cannot run fails, unless COTREE_SKIP
# names it: then it is counted apart. Patterns are searched for in the names of tests.
set -eu
die() { echo "$*"; cat out; exit 1; }
mkdir -p build/unit
stand_in() { cat >"build/unit/$1"; chmod +x "build/unit/$1"; }
run() { # SKIP [PATTERN]
    status=0
    COTREE_SKIP=${1-} COTREE_BUILD=$PWD/build "$COTREE_TOP/tests/run" -j 1 "${2-^unit/}" >out 2>&1 ||
        status=$?
    sed -i 's/([0-9.]* s, [0-9.]* s of CPU)/(TIME)/' out
}
is() { diff - out || die "tests/run says something else"; }

stand_in quiet <<'STAND'
#!/bin/sh
echo "nothing to see, skipped: not at the start of the line"
STAND
run
is <<'SAID'
1 tests, 1 at a time
ok      [1/1] unit/quiet (TIME)
1 passed, 0 failed
SAID
[ $status -eq 0 ] || die "status $status"

stand_in part <<'STAND'
#!/bin/sh
echo said
echo "skipped: the moon" >&2
echo "skipped: the sun"
STAND
stand_in whole <<'STAND'
#!/bin/sh
echo "skipped: no sky"
exit 77
STAND
run
is <<'SAID'
3 tests, 1 at a time
FAILED  [1/3] unit/part (not all of it can run here)
        skipped: the moon
        skipped: the sun
        COTREE_SKIP would excuse it
ok      [2/3] unit/quiet (TIME)
FAILED  [3/3] unit/whole (not all of it can run here)
        skipped: no sky
        COTREE_SKIP would excuse it
1 passed, 2 failed
SAID
[ $status -eq 1 ] || die "status $status"
run whole,par
grep -q '^1 passed, 1 failed, 1 skipped (unit/whole)$' out && [ $status -eq 1 ] ||
    die "a name is part of another one"

# What is named and runs has passed.
run unit/part,quiet,whole
is <<'SAID'
3 tests, 1 at a time
skipped [1/3] unit/part (TIME)
        skipped: the moon
        skipped: the sun
ok      [2/3] unit/quiet (TIME)
skipped [3/3] unit/whole (TIME)
        skipped: no sky
1 passed, 0 failed, 2 skipped (unit/part unit/whole)
SAID
[ $status -eq 0 ] || die "status $status"

# What fails has failed, whether it is named or not.
rm build/unit/whole
stand_in part <<'STAND'
#!/bin/sh
echo "skipped: the moon"
echo why
exit 5
STAND
run part
is <<'SAID'
2 tests, 1 at a time
FAILED  [1/2] unit/part (status 5)
        skipped: the moon
        why
ok      [2/2] unit/quiet (TIME)
1 passed, 1 failed
SAID
[ $status -eq 1 ] || die "status $status"

# What hangs is ended.
stand_in part <<'STAND'
#!/bin/sh
exec sleep 1000
STAND
COTREE_TEST_TIMEOUT=0.2 run
grep -q '^FAILED  \[[12]/2] unit/part (status 124)$' out && [ $status -eq 1 ] || die "what hangs"

# A pattern is searched for in names, not in the path of the checkout (the folder's name alone could be
# a part of a test's name).
run '' "${COTREE_TOP##*/}/(tests|build)/"
grep -q '^0 tests' out && [ $status -eq 1 ] || die "a pattern matched the path"
run '' 'unit/qui|no such'
grep -q '^1 passed, 0 failed$' out && [ $status -eq 0 ] || die "a pattern that is part of a name"

rm build/unit/*
run
[ $status -eq 1 ] || die "no tests, and status $status"
