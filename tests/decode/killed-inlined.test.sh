#!/usr/bin/env bash
# After kill -9 nothing that ran is said to have never run, also where the counts of inlined
# functions follow from those of the function that they are part of, which was still active.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
cat >destructor.cpp <<'C'
#include <signal.h>
#include <unistd.h>
volatile int s;
struct Guard {
    int v;
    ~Guard()
    {
        s += v; // ran
    }
};
__attribute__((noinline)) static int work(int c)
{
    int r = 0;
    for (int i = 0; i < c; i++) { // ran
        if (s & 64) // ran
            return 4;
        {
            Guard guard{c};
            if (s & 32) // ran
                r++;
        }
        if (i == 0) // ran
            kill(getpid(), SIGKILL); // ran
        s++;
    }
    return r;
}
int main(int c, char **)
{
    s = work(c); // ran
    return 0;
}
C
cat >leaf.cpp <<'C'
#include <signal.h>
#include <unistd.h>
volatile int s;
static inline void leaf(int v)
{
    s += v; // ran
}
__attribute__((noinline)) static void work(int c)
{
    for (int i = 0; i < c; i++) { // ran
        leaf(c); // ran
        kill(getpid(), SIGKILL); // ran
    }
}
int main(int c, char **)
{
    work(c); // ran
    return 0;
}
C
for program in destructor leaf; do
    for flags in -O0 -O1 -O2 -O3 "-O2 -fcotree=paths" "-O2 -fcotree-durable" "-O2 -fPIC"; do
        # shellcheck disable=SC2086
        cotree c++ $flags $program.cpp -o $program
        rm -f run.cotree
        status=0
        { COTREE_FILE=run.cotree ./$program || status=$?; } 2>/dev/null
        [ $status = 137 ] || die "$program $flags: ends with $status"
        cotree report --format=json $program run.cotree >report.json
        [ "$(jq .exact report.json)" = false ] || die "$program $flags: it is called exact"
        for line in $(grep -n '// ran' $program.cpp | cut -d: -f1); do
            jq -e --arg line "$line" '.files[] | select(.file | endswith(".cpp")) | .lines[] |
                select(.line == ($line | tonumber)) | .count != 0 or .may_have_run == true' report.json \
                >/dev/null ||
                die "$program $flags: line $line never ran: $(jq -c '.files[].lines[]' report.json)"
        done
    done
done
