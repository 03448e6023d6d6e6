#!/usr/bin/env bash
# tests/run: a line for each test, beneath it what a failing one said; the sum; and a status that says whether all passed. A test that cannot run fails,
# unless COTREE_SKIP names it: then it is counted apart.
set -eu
die() { echo "$*"; cat out; exit 1; }
mkdir -p build/unit
stand_in() { cat >"build/unit/$1"; chmod +x "build/unit/$1"; }
run() { status=0; COTREE_SKIP=${1-} COTREE_BUILD=$PWD/build "$COTREE_TOP/tests/run" -j 1 "$PWD/build/unit/" >out 2>&1 || status=$?; sed -i 's/([0-9.]* s, [0-9.]* s of CPU)/(TIME)/' out; }
is() { diff - out || die "tests/run says something else"; }

stand_in quiet <<'STAND'
#!/bin/sh
echo "nothing to see, skipped: not at the start of the line"
STAND
run
is <<'SAID'
ok      unit/quiet (TIME)
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
FAILED  unit/part (not all of it can run here)
        skipped: the moon
        skipped: the sun
        COTREE_SKIP would excuse it
ok      unit/quiet (TIME)
FAILED  unit/whole (not all of it can run here)
        skipped: no sky
        COTREE_SKIP would excuse it
1 passed, 2 failed
SAID
[ $status -eq 1 ] || die "status $status"
run whole,par
grep -q '^1 passed, 1 failed, 1 skipped (unit/whole)$' out && [ $status -eq 1 ] || die "a name is part of another one"

# What is named and runs has passed.
run unit/part,quiet,whole
is <<'SAID'
skipped unit/part (TIME)
        skipped: the moon
        skipped: the sun
ok      unit/quiet (TIME)
skipped unit/whole (TIME)
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
FAILED  unit/part (status 5)
        skipped: the moon
        why
ok      unit/quiet (TIME)
1 passed, 1 failed
SAID
[ $status -eq 1 ] || die "status $status"

# What hangs is ended.
stand_in part <<'STAND'
#!/bin/sh
exec sleep 1000
STAND
COTREE_TEST_TIMEOUT=0.2 run
grep -q '^FAILED  unit/part (status 124)$' out && [ $status -eq 1 ] || die "what hangs"

rm build/unit/*
run
[ $status -eq 1 ] || die "no tests, and status $status"
