#!/bin/bash
# A program that is killed with SIGKILL at any of its steps: code that ran is never said not to have
# run, and what is said to have run at least so often did. Merging changes nothing of it. A frame
# that is known to be open is shown: main ran, although it never returned.
set -eu
. "$COTREE_TOP/tests/lib/report.sh"

# judge NAME REPORT: against the words of `truth`; the number of lines that may have run goes to the
# file `unknown`.
judge() {
    od -An -v -w8 -t d8 truth | awk '{ print "truth", NR - 1, $1 }' >words
    jq -r '.files[] | select(.file | endswith("killed.c")) | .lines[] |
        "line \(.line) \(.count) \(.at_least // .count)"' "$2" >>words
    grep -nE '[^A-Za-z_][TC];' "$COTREE_TOP/tests/decode/killed.c" | cut -d: -f1 | sed 's/^/steps /' >>words
    awk -v name="$1" '
        $1 == "truth" { truth[$2] = $3 }
        $1 == "line" { count[$2] = $3; least[$2] = $4 }
        $1 == "steps" {
            if (!($2 in count)) { print name ": line " $2 " is not listed"; bad = 1; next }
            judged++
            if (truth[$2] > 0 && count[$2] == "0") {
                print name ": line " $2 " ran " truth[$2] " times, and is said never to have run"
                bad = 1
            }
            if (least[$2] + 0 > truth[$2]) {
                print name ": line " $2 " ran " truth[$2] " times, and is said to have run at least " least[$2]
                bad = 1
            }
            if (count[$2] == "null") unknown++
            if (least[$2] > 0) certain++
        }
        END { print judged + 0, unknown + 0, certain + 0 >"sums"; exit bad || judged < 20 }' words || die "$1"
}

cp "$COTREE_TOP/tests/decode/killed.c" .
for flags in "-O0" "-O2" "-O0 -fcotree=paths" "-O2 -fcotree=paths" "-O2 -fcotree=edges,every-edge" \
    "-O2 -fcotree-durable"; do
    "$cotree" cc -g $flags killed.c -o killed
    steps=0 certain=0
    for n in 1 2 5 13 27 40 52 64; do
        rm -f ./*.cotree
        status=0; { ./killed $n >output || status=$?; } 2>/dev/null
        [ $status -eq 137 ] || die "$flags $n: status $status"
        [ ! -s output ] || die "$flags: it has fewer than $n steps"
        "$cotree" report --format=json ./killed ./*.cotree >json
        jq -e '(.exact | not) and
            (.functions[] | select(.name == "main") | .entries == 1 and
            .entries_at_least == 1)' json >/dev/null || die "$flags $n: main: $(jq -c '.functions[] |
                select(.name == "main") | [.entries, .entries_at_least]' json)"
        judge "$flags $n" json
        read -r judged unknown some <sums
        steps=$((steps + 1)) certain=$((certain + some))
    done
    [ "$certain" -gt $((steps * 5)) ] || die "$flags: of $steps runs only $certain lines are certain"
    "$cotree" merge ./killed ./*.cotree -o merged
    "$cotree" report --format=json merged >again
    judge "$flags, merged" again
    [ "$(jq -c .files json)" = "$(jq -c .files again)" ] || die "$flags: merging changes what is certain"
done

# Activations that were resumed pass only what stands behind the call they come back from: they
# prove nothing of the lines before.
cat >jumps.c <<'SOURCE'
#include <setjmp.h>
#include <signal.h>
static volatile int sink;
__attribute__((noinline)) static void jumps(int n)
{
    jmp_buf here;
    sink += n; /* 900 */
    if (setjmp(here) == 0) {
        sink++; /* 900 */
        if (n % 3)
            longjmp(here, 1); /* 600 */
        sink += 3; /* 300 */
    } else {
        sink += 2; /* 600 */
    }
    sink += 4; /* 900 */
}
int main(void)
{
    jmp_buf here;
    sink = 1; /* 1 */
    for (volatile int i = 0; i < 900; i++) {
        sink += 2; /* 900 */
        if (setjmp(here) == 0) {
            jumps(i);
            if (i % 3 == 2)
                longjmp(here, 1); /* 300 */
            sink++; /* 600 */
        }
    }
    raise(SIGKILL); /* 1 */
    return sink;
}
SOURCE
sed -n 's|.*/\* \([0-9]*\) \*/|\1|; t good; d; :good; =; p' jumps.c | paste -d ' ' - - >wanted
for flags in "-O0" "-O2" "-O2 -fcotree=paths" "-O2 -fcotree-durable" "-O2 -fcotree=trace"; do
    "$cotree" cc $flags jumps.c -o jumps
    rm -f ./*.cotree*
    bash -c './jumps; true' 2>/dev/null
    "$cotree" report --format=json ./jumps ./jumps.*.cotree >json
    jq -r '.files[].lines[] | "\(.line) \(.count)"' json |
        awk '
            NR == FNR {
                wanted[$1] = $2
                next
            }
            $1 in wanted && $2 == wanted[$1] { right++ } END { exit right != 11 }' wanted - ||
        die "$flags: killed after jumps: $(jq -c '[.files[].lines[] | [.line, .count]]' json)"
    jq -e '.functions[] | select(.name == "jumps") | .entries == 900' json >/dev/null &&
        jq -e '.functions[] | select(.name == "main") | .entries == 1' json >/dev/null ||
        die "$flags: entries after jumps"
done

# A main that calls itself: the C library called it, too, so its entries prove nothing of that call.
cat >again.c <<'SOURCE'
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int n;
int main(int c, char **v)
{
    if (c == 0)
        return 5;
    if (atoi(v[1]) == 1)
        kill(getpid(), SIGKILL);
    if (atoi(v[1]) == 2)
        n = main(0, v); /* never runs */
    return 0;
}
SOURCE
for flags in "-O0" "-O2" "-O2 -fcotree=paths" "-O2 -fcotree=every-edge" "-O2 -fcotree-durable"; do
    rm -f ./*.cotree
    "$cotree" cc -g $flags again.c -o again
    { ./again 1 || :; } 2>/dev/null
    "$cotree" report --format=json ./again ./*.cotree >json
    jq -e '(.functions[0] | .entries_at_least <= 1) and
        all(.files[].lines[] | select(.line == 12); (.at_least // .count // 0) == 0)' json >/dev/null ||
        die "$flags: main calls itself: $(jq \
        -c '.functions[0].entries_at_least, [.files[].lines[] | [.line, .count, .at_least]]' json)"
done
