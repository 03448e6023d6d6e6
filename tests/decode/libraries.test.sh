#!/usr/bin/env bash
# Programs with instrumented libraries, libraries under plain programs, and programs whose map was stripped.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
expect() { [ "$2" = "$3" ] || die "$1: got $2, wanted $3"; }

echo 'int twice(int n) { return n ? 2 * n : 0; }' >lib.c
cat >prog.c <<'C'
int twice(int);
int main(void) { int s = 0; for (int i = 0; i < 7; i++) s += twice(i); return s != 42; }
C
cotree cc -O2 -fPIC -shared lib.c -o libtwice.so
cotree cc -O2 prog.c -L. -ltwice -Wl,-rpath,"$PWD" -o prog
./prog
cotree report --format=json prog prog.*.cotree >json
expect "both modules" "$(jq -c '[.exact, (.modules | length)]' json)" "[true,2]"
expect "the library's count" "$(jq '.functions[] | select(.name == "twice") | .entries' json)" 7
cotree merge -q prog prog.*.cotree -o prog.merged

# The library was built anew: its counts are left out, the program's stay.
cp libtwice.so old.so
echo 'int twice(int n) { return n ? n + n : 0; } int more(void) { return 1; }' >lib.c
cotree cc -O2 -fPIC -shared lib.c -o libtwice.so
cotree report --format=json prog prog.*.cotree >json
expect "exact without the library" "$(jq .exact json)" false
has "$(jq -r '.why_not_exact[]' json)" libtwice.so "left out" \
    "$(cotree report --format=json prog.merged | jq -r '.modules[1].build_id')"
expect "main stays" "$(jq '.functions[] | select(.name == "main") | .entries' json)" 1
expect "the merged file does not care" \
    "$(cotree report --format=json prog.merged | jq '.functions[] | select(.name == "twice") | .entries')" 7
mv old.so libtwice.so

# A plain program: the library's counts are there, but nobody knows whether main returned.
rm -f ./*.cotree
"$clang" prog.c -L. -ltwice -Wl,-rpath,"$PWD" -o plain
./plain
for name in plain libtwice.so; do
    cotree report --format=json $name ./*.cotree >json
    expect "$name: count" "$(jq '.functions[] | select(.name == "twice") | .entries' json)" 7
    has "$(jq -r '.why_not_exact[]' json)" "main carries no counters"
done

# Stripped: GNU strip keeps the map; llvm-strip does not, and then a copy of the same build is found.
rm -f ./*.cotree
echo 'int main(void) { return 0; }' >one.c
cotree cc -O2 one.c -o one
cp one whole
strip one
./one
expect "after strip" "$(cotree report --format=json one one.*.cotree | jq .exact)" true
llvm-strip-"$llvm" one
status=0; cotree report --no-pager one one.*.cotree >out 2>err || status=$?
expect "after llvm-strip" $status 2
has "$(cat err)" "no map" stripped "$(readelf -n whole | sed -n 's/.*Build ID: //p')"
expect "--debug-path=FILE" "$(cotree report --debug-path=whole --format=json one one.*.cotree | jq .exact)" \
    true
mkdir store; cp whole store/one
expect "--debug-path=DIRECTORY" \
    "$(cotree report --debug-path=store --format=json one one.*.cotree | jq .exact)" true
cp whole one.debug
expect "PROG.debug" "$(cotree report --format=json one one.*.cotree | jq .exact)" true
cotree cc -O1 -DOTHER one.c -o one.debug && strip -R .note.none one.debug
echo 'int main(void) { return 1 - 1; }  int more;' >two.c
cotree cc -O0 two.c -o one.debug
status=0; cotree report --no-pager one one.*.cotree >out 2>err || status=$?
expect "a copy of another build" $status 2

# Without build ids the map is the identity.
cotree cc -O2 -Wl,--build-id=none one.c -o anonymous
./anonymous
expect "no build id" "$(cotree report --format=json anonymous anonymous.*.cotree |
    jq -c '[.exact, .build_id[:4]]')" '[true,"map:"]'
cotree cc -O2 -Wl,--build-id=none two.c -o anonymous
status=0; cotree report --no-pager anonymous anonymous.*.cotree >out 2>err || status=$?
expect "another program without build id" $status 2
has "$(cat err)" "does not belong"
