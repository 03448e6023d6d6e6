#!/usr/bin/env bash
# cotree merge: many files become one, whatever their order; what cannot be used is named and costs
# only itself.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"

cat >prog.c <<'C'
#include <stdlib.h>
int square(int n) { return n * n; }
int main(int argc, char **argv)
{
    int sum = 0;
    for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 0); i++)
        if (i % 3)
            sum += square(i);
    return sum < 0;
}
C
cotree cc -O1 prog.c -o prog
mkdir runs more
for i in 10 20 30 40; do (cd runs && ../prog "$i"); done
(cd more && ../prog 5)

# times FILE...: how often square ran
times() { cotree report --format=json "$@" | jq '.functions[] | select(.name == "square") | .entries'; }
expect() { [ "$2" = "$3" ] || die "$1: got $2, wanted $3"; }

cotree merge -q prog runs/*.cotree -o all.merged
expect "a merged file stands alone" "$(times all.merged)" 65
expect "it is exact" "$(cotree report --format=json all.merged | jq -c '[.exact, .runs]')" "[true,4]"
cotree merge -q prog $(ls -r runs/*.cotree) -o reversed.merged
cmp all.merged reversed.merged
cotree merge -q prog runs -o directory.merged
cmp all.merged directory.merged
cotree merge -q prog runs runs/*.cotree ./runs -o once.merged
cmp all.merged once.merged
cotree merge -q prog more -o more.merged
cotree merge -q all.merged more.merged -o both.merged
cotree merge -q prog more runs -o direct.merged
cotree merge -q more.merged all.merged -o swapped.merged
cmp both.merged swapped.merged
cmp both.merged direct.merged
expect "merged files add up" "$(times both.merged)" 68
expect "merged files and run files add up" "$(times prog all.merged more)" 68
cotree merge -q prog all.merged more -o all.merged
cmp both.merged all.merged
cp all.merged runs/all.cotree # a directory stands for its run files
expect "a directory's merged files are left alone" "$(times prog runs)" 65
rm runs/all.cotree

# Another build is refused, and both are named.
sed 's/% 3/% 5/' prog.c >other.c
cotree cc -O1 other.c -o other
(cd more && ../other 5)
id() { cotree report --format=json "$1" more/"$1".*.cotree 2>/dev/null | jq -r .build_id; }
status=0; cotree merge -q prog more/other.*.cotree -o never 2>err || status=$?
expect "another build" $status 2
has "$(cat err)" "$(id prog)" "$(id other)" "another build"
status=0; cotree merge -q prog runs more -o mixed.merged 2>err || status=$?
expect "another build among good ones" $status 4
expect "one line for it" "$(wc -l <err)" 1
expect "the good ones" "$(times mixed.merged)" 68
status=0; cotree merge -q all.merged -o never 2>err &&
    cotree merge -q prog more/other.*.cotree all.merged -o one.merged 2>err || status=$?
expect "a merged file among refused ones" $status 4
rm -f never
cotree merge -q other more/other.*.cotree -o other.merged
for order in "all.merged other.merged" "other.merged all.merged"; do
    status=0; cotree merge -q $order -o never 2>err || status=$?
    expect "merged files of two builds" $status 1
    has "$(cat err)" "several builds"
done

# Bad inputs: status 2 alone, 4 beside a good one, one line each.
good=$(ls runs/*.cotree | head -1)
bad() { # NAME REASON
    local status=0
    cotree merge -q prog "$1" -o never 2>err || status=$?
    expect "$1 alone" $status 2
    has "$(cat err)" "$1" "$2"
    status=0; cotree merge -q prog "$1" "$good" -o beside.merged 2>err || status=$?
    expect "$1 beside a good one" $status 4
    expect "$1: lines" "$(wc -l <err)" 1
    expect "$1 costs only itself" "$(times beside.merged)" "$(times prog "$good")"
    [ ! -e never ] || die "$1: output without input"
}
size=$(stat -c %s "$good")
: >empty; bad empty "is empty"
echo hello >text; bad text "not a file of cotree"
head -c 100 "$good" >cut-100; bad cut-100 "cut short"
head -c 5000 "$good" >cut-5000; bad cut-5000 "cut short"
head -c $((8192 + 100)) "$good" >cut-block; bad cut-block "cut short"
head -c $(($(stat -c %s all.merged) / 2)) all.merged >cut-merged; bad cut-merged "cut short"
{ head -c 300 all.merged; printf "\377"; tail -c +302 all.merged; } >flipped; bad flipped "checksum"
mkfifo fifo; bad fifo "not a regular file"
bad /dev/null "not a regular file"
bad absent "cannot open"
truncate -s 4T absurd; bad absurd "not a file of cotree"
cp "$good" sparse; truncate -s 4T sparse
expect "a file with room behind it" "$(times prog sparse)" "$(times prog "$good")"
printf 'x' >$'odd\n\033[31mname'; status=0; cotree merge -q prog $'odd\n\033[31mname' -o never 2>err ||
    status=$?
expect "a name with escapes: lines" "$(wc -l <err)" 2
! grep -q $'\033' err || die "an escape reached the terminal"

# Usage, programs that are none, output that cannot be written.
fails() {
    local want=$1 text=$2 status=0; shift 2; text_got=$("$@" 2>&1) ||
        status=$?; expect "$*" $status "$want"; has "$text_got" "$text"
}
fails 64 "-o FILE" cotree merge prog runs
fails 64 "no data" cotree merge prog -o never
fails 64 "unknown option '--no-such-option'" cotree merge --no-such-option
fails 64 "option '-o' needs a value" cotree merge prog runs -o
fails 64 "unknown option '-x'" cotree merge -xq prog runs
fails 64 "unknown option '-x'" cotree merge --quiet -qxo never prog runs
fails 64 "option '-o' needs a value" cotree merge prog runs -qo
fails 64 "option '--help' takes no value" cotree merge --help=yes
mkdir nothing_here
fails 2 "no run file" cotree trace --pack nothing_here
fails 1 "absent" cotree merge absent-program runs -o never
fails 2 "no map" cotree merge /bin/true runs -o never
fails 2 "no data of 'prog' was found in 'none'" cotree merge prog "$(mkdir -p none && echo none)" -o never
fails 1 "cannot write" cotree merge -q prog runs -o none/such/file
fails 1 "cannot write" cotree merge -q prog runs -o /dev/full
cp all.merged kept.merged
fails 1 "cannot write" bash -c 'trap "" XFSZ; ulimit -f 0; exec cotree merge -q prog runs -o kept.merged'
cmp all.merged kept.merged
[ -z "$(ls kept.merged?* 2>/dev/null)" ] || die "a temporary file was left"
ln -s kept.merged link.merged
cotree merge -q prog more/prog.*.cotree -o link.merged
[ -L link.merged ] && cmp more.merged kept.merged
