#!/usr/bin/env bash
# After kill -9 nothing that ran is said to have never run, also where the counts of inlined
# functions follow from those of the function that they are part of, which is still active.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
cat >prog.cpp <<'C'
#include <fcntl.h>
#include <sys/mman.h>
static volatile int sink;
static volatile char *ready;
struct Guard {
    int n;
    Guard(int m) : n(m)
    {
        if (m == 7777)
            throw m;
        sink = n; // ran
    }
    ~Guard() { sink = sink + n; } // ran
};
static inline int small(int x) { return x + sink; } // ran
static inline int pick(int x)
{
    if (x > 2)
        return small(x) * 2; // ran
    return small(x);         // ran
}
__attribute__((noinline)) static int serve(int rounds)
{
    int s = 0;
    for (int i = 0; i < rounds; i++) {
        Guard guard(i);
        s += pick(i);
    }
    {
        Guard last(s);
        if (s & 1)
            s += pick(s);
        else
            s -= pick(1);
    }
    *ready = 1; // ran
    for (;;)
        sink = s; // ran
}
int main(int argc, char **argv)
{
    ready = (volatile char *)mmap(0, 1, PROT_READ | PROT_WRITE, MAP_SHARED, open(argv[1], O_RDWR), 0);
    return serve(argc + 5);
}
C
for level in -O0 -O1 -O2 -O3; do
    cotree c++ $level prog.cpp -o prog
    rm -f run.cotree
    printf '\0' >ready
    COTREE_FILE=run.cotree ./prog ready &
    pid=$!
    until cmp -s ready <(printf '\1'); do sleep 0.05; done
    kill -9 $pid
    wait $pid 2>/dev/null || :
    cotree report --format=json prog run.cotree >report.json
    [ "$(jq .exact report.json)" = false ] || die "$level: it is called exact"
    for line in $(grep -n '// ran' prog.cpp | cut -d: -f1); do
        jq -e --arg line "$line" '.files[] | select(.file | endswith("/prog.cpp")) | .lines[] |
            select(.line == ($line | tonumber)) | .count != 0 or .may_have_run == true' report.json >/dev/null ||
            die "$level: line $line never ran: $(jq -c '.files[].lines[]' report.json)"
    done
done
