#!/usr/bin/env bash
# tests/run: a line for each test; beneath it what a passing one skipped, or what a failing one said; the sum; and a status that says whether all passed.
set -eu
die() { echo "$*"; cat out; exit 1; }
mkdir -p build/unit
stand_in() { cat >"build/unit/$1"; chmod +x "build/unit/$1"; }
run() { status=0; COTREE_BUILD=$PWD/build "$COTREE_TOP/tests/run" -j 1 "$PWD/build/unit/" >out 2>&1 || status=$?; sed -i 's/([0-9.]* s)/(TIME)/' out; }
is() { diff - out || die "tests/run says something else"; }

stand_in quiet <<'END'
#!/bin/sh
echo "nothing to see, skipped: not at the start of the line"
END
stand_in skips <<'END'
#!/bin/sh
echo said
echo "skipped: the moon" >&2
echo "skipped: the sun"
END
run
is <<'END'
ok      unit/quiet (TIME)
ok      unit/skips (TIME)
        skipped: the moon
        skipped: the sun
2 passed, 0 failed
END
[ $status -eq 0 ] || die "status $status"

stand_in fails <<'END'
#!/bin/sh
echo why
exit 5
END
run
is <<'END'
FAILED  unit/fails (status 5)
        why
ok      unit/quiet (TIME)
ok      unit/skips (TIME)
        skipped: the moon
        skipped: the sun
2 passed, 1 failed
END
[ $status -eq 1 ] || die "status $status"

rm build/unit/*
run
[ $status -eq 1 ] || die "no tests, and status $status"
