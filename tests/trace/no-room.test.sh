#!/usr/bin/env bash
# Where there is no room for a trace the program runs as ever, and nobody says that the trace is complete.
set -eu
cotree=$COTREE_BUILD/cotree
export COTREE_FOLLOWER=off
fail() { echo "$*" >&2; exit 1; }

cat >prog.c <<'C'
#include <stdio.h>
int main(void)
{
    unsigned x = 1;
    for (int i = 0; i < 4000000; i++)
        if (x & 1)
            x = x * 1664525 + 1013904223;
        else
            x = x >> 1 ^ 0x80200003;
    printf("%u\n", x);
    return 3;
}
C
"$cotree" cc -O2 -fcotree=none prog.c -o plain
./plain >plain.out || [ $? = 3 ]
"$cotree" cc -O2 -fcotree=trace prog.c -o prog

# runs HOW COMMAND...
runs() {
    local how=$1 status=0
    shift
    ("$@" && exec ./prog >out 2>messages) || status=$?
    [ $status = 3 ] || fail "$how: status $status: $(cat messages)"
    cmp out plain.out || fail "$how: another output"
}

# Files may not even have the size of the events file's list of streams: a signal tells who tries.
COTREE_FILE=files.cotree runs 'small files' ulimit -f 2000
[ ! -e files.cotree-events ] || fail 'small files: an events file'
COTREE_FILE=off.cotree COTREE=off runs 'small files, off' ulimit -f 2000

# Few addresses: the file is small, and used up.
COTREE_FILE=memory.cotree runs 'few addresses' ulimit -v 300000
for packed in '' yes; do
    status=0
    "$cotree" trace prog memory.cotree >summary || status=$?
    [ $status = 4 ] || fail "few addresses: status $status: $(cat summary)"
    grep -q 'lost: .*no room' summary || fail "few addresses: $(cat summary)"
    if grep -q complete summary; then fail "few addresses: $(cat summary)"; fi
    "$cotree" report prog memory.cotree >report
    grep -q '1 run, not exact' report || fail "few addresses: $(head -n 3 report)"
    grep -q 'a part of the trace is lost: there was no room for it' report ||
        fail "few addresses: $(head -n 5 report)"
    if grep -q killed report; then fail "few addresses: nobody killed it: $(head -n 5 report)"; fi
    for what in "--list --last=5" "--export=folded --last=5" --compare; do
        status=0 twice=
        [ "$what" != --compare ] || twice=memory.cotree
        "$cotree" trace --no-pager $what prog memory.cotree $twice >shown 2>messages || status=$?
        [ $status = 4 ] && grep -q 'is lost' messages ||
            fail "few addresses: $what: status $status: $(cat messages)"
    done
    [ -n "$packed" ] || "$cotree" trace --pack memory.cotree
done

# Hardly any: nobody can begin, and the run counts as one of which nothing is known.
COTREE_FILE=hardly.cotree runs 'hardly any addresses' ulimit -v 100000
"$cotree" report prog hardly.cotree >report
grep -q '1 run, not exact' report && grep -q 'lost: there was no room for it' report ||
    fail "hardly any addresses: $(head -n 3 report)"

# What is mapped so that stores find something leaves threads their stacks.
cat >threads.c <<'C'
#include <pthread.h>
#include <stdio.h>
static void *twice(void *n) { return (char *)n + (unsigned long)n; }
int main(void)
{
    pthread_t thread[8];
    void *result;
    unsigned long sum = 0;
    for (unsigned long i = 0; i < 8; i++)
        if (pthread_create(&thread[i], NULL, twice, (void *)i))
            return perror("thread"), 1;
    for (int i = 0; i < 8; i++)
        pthread_join(thread[i], &result), sum += (unsigned long)result;
    printf("%lu\n", sum);
    return 3;
}
C
mkdir threads && cd threads && "$cotree" cc -O2 -fcotree=none ../threads.c -o plain -pthread
./plain >plain.out || [ $? = 3 ]
"$cotree" cc -O2 -fcotree=trace ../threads.c -o prog -pthread
COTREE_FILE=threads.cotree runs 'few addresses, threads' ulimit -v 150000
cd ..

# However it ends that is what is said: only kill -9 kills.
cat >ends.c <<'C'
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>
static volatile unsigned x = 1;
int main(int argc, char **argv)
{
    for (int i = 0; i < 4000000; i++)
        if (x & 1)
            x = x * 1664525 + 1013904223;
        else
            x = x >> 1 ^ 0x80200003;
    switch (argc > 1 ? atoi(argv[1]) : 0) {
    case 1:
        _exit(0);
    case 2:
        abort();
    case 3:
        execl("/bin/true", "true", (char *)0);
    case 4:
        raise(SIGTERM);
    case 5:
        raise(SIGKILL);
    }
    return 0;
}
C
"$cotree" cc -O2 -fcotree=trace ends.c -o ends
statuses=(0 0 134 0 143 137)
for how in 0 1 2 3 4 5; do
    status=0
    { (ulimit -v 300000 -c 0 && COTREE_FILE=ends$how.cotree exec ./ends $how) || status=$?; } 2>/dev/null
    [ $status = ${statuses[how]} ] || fail "end $how: status $status"
    "$cotree" report ends ends$how.cotree >report
    grep -q 'lost: there was no room for it' report || fail "end $how: $(head -n 5 report)"
    said=no
    if grep -q 'was killed' report; then said=yes; fi
    [ "$said" = "$([ $how = 5 ] && echo yes || echo no)" ] ||
        fail "end $how: killed: $said: $(head -n 5 report)"
done

# Loops that write far more than there is room for, and pass nothing that could tell them: they
# never leave their part of the addresses.
cat >long.c <<'C'
#include <stdio.h>
static unsigned char bytes[4096];
__attribute__((noinline)) static unsigned counts(unsigned a, long times)
{
    for (long i = 0; i < times; i++)
        a += (unsigned)i ^ (a >> 3);
    return a;
}
__attribute__((noinline)) static unsigned compares(long times)
{
    unsigned a = 0;
    for (long i = 0; i < times; i++) {
        a = a * 31 + bytes[i & 4095];
        if (bytes[i & 4095] > 200)
            a ^= 5;
        else
            a++;
    }
    return a;
}
__attribute__((noinline)) static unsigned switches(unsigned a, long times)
{
    unsigned b = 1, c = 2, d = 3, e = 4, f = 5, g = 6, h = 7;
    for (long i = 0; i < times; i++) {
        switch (a & 7) {
        case 0: b += a; break;
        case 1: c ^= b; break;
        case 2: d += c; break;
        case 3: e ^= d; break;
        case 4: f += e; break;
        case 5: g ^= f; break;
        case 6: h += g; break;
        default: a ^= h;
        }
        a = a * 1103515245 + 12345 + (b ^ c ^ d ^ e ^ f ^ g ^ h);
    }
    return a + b + c + d + e + f + g + h;
}
int main(void)
{
    for (int i = 0; i < 4096; i++)
        bytes[i] = (unsigned char)(i * 37);
    printf("%u %u %u\n", counts(1, 12000000), compares(12000000), switches(1, 12000000));
    return 3;
}
C
"$cotree" cc -O2 -fcotree=none long.c -o plain
./plain >plain.out || [ $? = 3 ]
for level in 0 1 2 3; do
    "$cotree" cc -O$level -fcotree=trace long.c -o prog
    rm -f long.cotree*
    COTREE_FILE=long.cotree runs "few addresses, long loops, -O$level" ulimit -v 300000
    "$cotree" trace prog long.cotree | grep -q 'lost: .*no room' ||
        fail "long loops, -O$level: nothing is said"
    COTREE=off runs "few addresses, off, -O$level" ulimit -v 300000
done
echo "traces without room are declared"
