#!/usr/bin/env bash
# An exception that leaves a function through the clean-up of one that was inlined into it: lines after
# the call did not run, and the function was entered as often as it was. With debug information and
# without, and whatever became of the function's own landing pads.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
cat >clean-up.cc <<'C'
volatile int sink;
struct guard {
    ~guard() { sink = 1; }
};
__attribute__((noinline)) void thrower(int x)
{
    if (x & 1)
        throw 1;
}
static inline void inner(int x)
{
    guard g;
    thrower(x);
}
__attribute__((noinline)) int outer(int x)
{
    sink = 2; // count: 1000
    inner(x); // count: 1000
    sink = 3; // count: 500
    return x; // count: 500
}
int main()
{
    for (int i = 0; i < 1000; i++)
        try {
            outer(i);
        } catch (...) {
            sink = 4; // count: 500
        }
}
C
# The same where the caller has a landing pad of its own, which the optimiser removes.
cat >own-pad.cc <<'C'
struct empty {
    ~empty() {}
};
struct last {
    ~last() {}
};
__attribute__((noinline)) int thrower(int x)
{
    if (x & 1)
        throw 1;
    return 3;
}
inline int inner(int x)
{
    empty e;
    return thrower(x);
}
inline int same(int x)
{
    return x;
}
__attribute__((noinline)) int outer(int x)
{
    int r = inner(x); // count: 1000
    last l;
    return same(r);   // count: 500
}
int main()
{
    int n = 0;
    for (int i = 0; i < 1000; i++)
        try {
            outer(i);
        } catch (int) {
            n++; // count: 500
        }
    return n != 500;
}
C
# A function without debug information may be declared.
sed 's/static inline void inner/__attribute__((nodebug)) &/' clean-up.cc >no-debug.cc
sed 's/guard g;/try { thrower(x); } catch (long) { sink = 5; }/
    s/^    thrower(x);$/    sink = 6;/' clean-up.cc >refusing.cc
for program in clean-up own-pad no-debug refusing; do
    for options in -O0 "-O0 -g" -O1 "-O1 -g" -O2 "-O2 -g" "-O2 -g1" "-O2 -gline-tables-only" \
        "-O3 -g -fPIC" "-Os -g -flto" "-O2 -g -fcotree=paths" "-O2 -g -fcotree=edges,every-edge"; do
        # shellcheck disable=SC2086
        cotree c++ $options "$program.cc" -o prog 2>log || die "$program $options: $(head -n 2 log)"
        rm -f data
        COTREE_FILE=data ./prog
        check=
        case $options in *every-edge) check=--check-sets ;; esac
        cotree report $check --format=json prog data >json 2>log || die "$program $options: $(head -n 1 log)"
        jq -r --arg file "/$program.cc" '"exact \(.exact)", (.files[] |
            select(.file | endswith($file)) | .lines[] | "line \(.line) \(.count)")' json >words
        awk -v name="$program $options" '
            FNR == NR { if (match($0, /count: [0-9]+/)) want[FNR] = substr($0, RSTART + 7); next }
            $1 == "exact" { exact = $2 }
            $1 == "line" { count[$2] = $3 }
            END {
                for (l in want) if (count[l] != want[l] && (exact == "true" || name !~ /^no-debug/)) {
                    print name ": line " l " ran " want[l] " times, not " count[l]
                    bad = 1
                }
                if (exact != "true" && name !~ /^no-debug/) { print name ": not exact"; bad = 1 }
                exit bad
            }' "$program.cc" words
    done
done
