#!/usr/bin/env bash
# --changed-since and --diff leave only changed lines in every format, sums and thresholds; markers in the
# source leave lines out. What changed is judged by what the edits below did, and by diff(1).
set -eu
. "$COTREE_TOP/tests/lib/report.sh"
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b
export GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b GIT_CEILING_DIRECTORIES=$PWD
git() { command git -C "$work" "$@"; }
work=$PWD/tree
mkdir -p "$work/src/sub dir" && git init -q -b main
cat >"$work/src/a.c" <<'C'
int first(int n)
{
    return n + 1;
}
int second(int n)
{
    return n > 5 ? 1 : 2;
}
int same(int n)
{
    return n;
}
C
cat >"$work/src/sub dir/old.c" <<'C'
int first(int), second(int), same(int);
int main(int argc, char **argv)
{
    (void)argv;
    return first(argc) + second(argc) + same(argc) == 5 ? 0 : 1;
}
C
git add . && git commit -qm one
git checkout -qb topic
git mv "src/sub dir/old.c" "src/sub dir/né\"w.c"
# Lines 6 to 9 are new, and so is what stands in line 16; two of the four run.
sed -i -e '6a\    if (n > 100)\n        n = 3;\n    n++;\n    n--;' -e 's/    return n;/    return n - 0;/' \
    "$work/src/a.c"
sed -i 's/(void)argv;/(void)argv, (void)argc;/' "$work/src/sub dir/né\"w.c"
git add . && git commit -qm two
# The branch that it is compared with goes on, too: what was done there is no change of this one.
git checkout -q main
sed -i 's/n + 1/1 + n/' "$work/src/a.c" && git commit -qam three
git checkout -q topic
cd "$work" && mkdir -p build && cd build
"$cotree" cc -fcotree=edges -O0 ../src/a.c "../src/sub dir/né\"w.c" -o prog
COTREE_FILE=run.cotree ./prog

# lines OPTION...: FILE:LINE=COUNT of all files.
lines() {
    "$cotree" report --format=json ./prog run.cotree "$@" >json || die "status $? of: $*"
    jq -r '[.files[] | (.file | split("/")[-1]) as $f | .lines[] | "\($f):\(.line)=\(.count)"] |
        join(" ")' json
}
expected='a.c:7=1 a.c:8=0 a.c:9=1 a.c:10=1 a.c:15=1 né"w.c:4=1'
is() { [ "$2" = "$1" ] || die "expected '$1', is '$2'"; }
is "$expected" "$(lines --changed-since=main)"
is "second same main" "$(jq -r '[.functions[].name] | join(" ")' json)"
[ "$(jq -c .lines_left_out.unchanged json)" = true ] || die "JSON does not say that lines are left out"
# The same from a file, whatever the user's git shows, and from diff(1), which writes other heads.
git -c diff.noprefix=true diff --merge-base main >noprefix.diff
git -c diff.mnemonicPrefix=true -c color.diff=never diff -U20 main...topic >wide.diff
is "$expected" "$(lines --diff=noprefix.diff)"
is "$expected" "$(lines --diff=wide.diff)"
is "$expected" "$(lines --diff=- <wide.diff)"
git show main~1:src/a.c >old.c
(cd .. && diff -u build/old.c src/a.c) >plain.diff || [ $? = 1 ]
is "a.c:7=1 a.c:8=0 a.c:9=1 a.c:10=1 a.c:15=1" "$(lines --diff=plain.diff)"
# What is not committed is changed as well; user settings do not matter.
sed -i 's/n + 1/n + 1 + 0/' ../src/a.c
git config diff.external false && git config color.ui always && git config diff.context 9
is "a.c:3=1 $expected" "$(lines --changed-since=main)"
git config --unset diff.external

# Every format with lines has these, and no other.
"$cotree" report --changed-since=main --format=lcov ./prog run.cotree | grep -c ^DA: >count
"$cotree" report --changed-since=main --format=cobertura ./prog run.cotree |
    sed -n '/<\/methods>/,/<\/class>/p' | grep -c '<line ' >>count
is "7 7" "$(xargs <count)"
"$cotree" report --changed-since=main ./prog run.cotree >text
grep -q 'lines *85.7%  6 of 7 ran' text || die "text: $(head -12 text)"
grep -q '^only lines that were changed$' text || die "the text does not say that lines are left out"
grep -q '#####   *8 |' text && ! grep -q '^ *[0-9#]* *12 |.*return' text || die "text shows other counts"

# Thresholds.
status=0
"$cotree" report --changed-since=main --fail-under-changed=86 ./prog run.cotree >/dev/null 2>said || status=$?
is "3 cotree report: 85.71% of the changed lines ran, 86% were asked for" "$status $(cat said)"
"$cotree" report --changed-since=main --fail-under-changed=85 ./prog run.cotree >/dev/null ||
    die "85 % are there"
# Nothing was changed: nothing is missing.
git commit -qam four
"$cotree" report --changed-since=HEAD --fail-under-changed=100 ./prog run.cotree >text ||
    die "nothing changed: $?"
grep -q '^no function has a line that is wanted$' text || die "nothing changed: $(cat text)"

# Wrong words, and what is no diff.
fails() { # STATUS MESSAGE OPTION...
    local status=0 wanted=$1 message=$2
    shift 2
    "$cotree" report "$@" ./prog run.cotree >out 2>said || status=$?
    [ $status = "$wanted" ] && grep -qF -- "$message" said || die "$*: $status: $(cat said)"
}
fails 64 "--fail-under-changed goes with --changed-since or --diff" --fail-under-changed=3
fails 64 "exclude each other" --changed-since=main --diff=x
fails 1 "git does not say what was changed since 'nowhere'" --changed-since=nowhere
fails 1 "takes a revision of git, not '--output=x'" --changed-since=--output=x
fails 1 "'absent': No such file" --diff=absent
fails 1 "'json' is no unified diff" --diff=json
head -c 300 wide.diff >short.diff
fails 1 "the diff is cut short or damaged" --diff=short.diff
printf '%s\n' '--- a/a.c' '+++ b/src/a.c' '@@ -1 +9 @@' '+x' '-y' '@@ -3 +4 @@' '+x' '-y' >back.diff
fails 1 "are not in order" --diff=back.diff
status=0
(cd / && "$cotree" report --changed-since=main "$work/build/prog" "$work/build/run.cotree") \
    >/dev/null 2>said ||
    status=$?
is "1 cotree report: the current directory is in no work tree of git" "$status $(cat said)"
# What --exclude-file leaves out is said.
lines >/dev/null
of_a=$(jq '[.files[] | select(.file | endswith("a.c")) | .lines[]] | length' json)
lines --exclude-file=a.c >/dev/null
is "{\"unchanged\":false,\"by_markers\":0,\"by_exclude_file\":$of_a}" "$(jq -c .lines_left_out json)"

# Markers.
cd "$work" && mkdir marks && cd marks
cat >m.c <<'C'
int left_out(int n) // LCOV_EXCL_START
{
    return n;
} // LCOV_EXCL_STOP
int main(int argc, char **argv)
{
    int n = argc; (void)argv;
    if (n > 7) /* GCOVR_EXCL_BR_LINE */
        return 1;
    if (n > 8)
        return 2; /* cotree: ignore, since it never runs */
    if (n > 9)
        return 3; // GCOV_EXCL_LINE
    const char *none = "XLCOV_EXCL_LINE LCOV_EXCL_LINES cotree: ignored";
    return none[0] == 'Y';
}
C
"$cotree" cc -O0 m.c -o prog && COTREE_FILE=run.cotree ./prog
is "m.c:5=1 m.c:7=1 m.c:8=1 m.c:9=0 m.c:10=1 m.c:12=1 m.c:14=1 m.c:15=1 m.c:16=1" "$(lines)"
is '{"unchanged":false,"by_markers":4,"by_exclude_file":0}' "$(jq -c .lines_left_out json)"
is "10 12" "$(jq '[.files[0].branches[].line] | join(" ")' -r json)"
"$cotree" report ./prog run.cotree | grep -q '^4 lines left out by markers in the source$' ||
    die "text does not say it"
all="m.c:1=0 m.c:3=0 m.c:5=1 m.c:7=1 m.c:8=1 m.c:9=0 m.c:10=1 m.c:11=0 m.c:12=1 m.c:13=0 m.c:14=1 m.c:15=1"
is "$all m.c:16=1" "$(lines --no-markers)"
sed -i 's/LCOV_EXCL_STOP/gone/' m.c
"$cotree" report --format=json ./prog run.cotree 2>said >/dev/null || die "an unended marker: $?"
grep -q "m.c', line 1: no STOP ends this marker" said || die "said: $(cat said)"
exit 0
