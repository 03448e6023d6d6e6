#!/usr/bin/env bash
# An answer that could not be written is an error, in one line, and leaves no half file behind; one
# that could is whole.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"
made m.cotree
mkdir w

status 0 "$cotree" report m.cotree --format=json -o w/a.json
[ ! -s out ] && [ "$(ls w)" = a.json ]
"$cotree" report m.cotree --format=json | cmp - w/a.json

# An old file stays as it is until the new one is complete, and is replaced through a link.
echo old >w/old; ln -s old w/link; chmod 640 w/old
status 0 "$cotree" report m.cotree --format=json -o w/link
[ -L w/link ] && cmp w/old w/a.json && [ "$(stat -c %a w/old)" = 640 ]
echo old >w/old
( ulimit -f 1; refuses 1 "cannot write" "$cotree" report m.cotree --format=json -o w/old )
[ "$(cat w/old)" = old ] && [ "$(ls w | tr '\n' ' ')" = "a.json link old " ]

refuses 1 "No such file or directory" "$cotree" report m.cotree -o no/such/directory
refuses 1 "Is a directory" "$cotree" report m.cotree -o w
status 0 "$cotree" report m.cotree -o /dev/null
[ -c /dev/null ]

# A full disk.
for format in text json lcov; do
    s=0; "$cotree" report m.cotree --format=$format >/dev/full 2>err || s=$?
    [ $s -eq 1 ] && [ "$(grep -vc "not exact" err)" -eq 1 ] && grep -q 'No space left on device' err ||
        die "$format: status $s: $(cat err)"
done
refuses 1 "No space left" "$cotree" report m.cotree -o /dev/full
refuses 1 "No space left" "$cotree" graph m.cotree --function=main -o /dev/full
# A pipe that nobody reads any more.
mkfifo pipe
: <pipe & exec 3>pipe; wait
for format in text json lcov; do
    s=0; "$cotree" report m.cotree --format=$format >&3 2>err || s=$?
    [ $s -eq 1 ] && [ "$(grep -vc "not exact" err)" -eq 1 ] && grep -q 'Broken pipe' err ||
        die "$format: status $s: $(cat err)"
done
# Standard output closed altogether.
s=0; "$cotree" report m.cotree >&- 2>err || s=$?
[ $s -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] || die "closed: status $s: $(cat err)"
