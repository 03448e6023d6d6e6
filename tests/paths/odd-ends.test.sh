#!/usr/bin/env bash
# Paths that never end: what they ran is in the edge counts, which stay exact; paths that did end
# keep their counts. Threads, kill -9, tail calls, functions with 2^70 paths.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"

cat >prog.c <<'C'
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static jmp_buf back;
static volatile int always = 1;
__attribute__((noinline)) int leave(int how, int i)
{
    if (i % 2)
        return i;
    if (how == 1)
        longjmp(back, 1);
    if (how == 2)
        exit(3);
    if (how == 3)
        raise(SIGKILL);
    return i + always;
}
__attribute__((noinline)) int jumps(void)
{
    volatile int i = 0, caught = 0;
    if (setjmp(back))
        caught++;
    while (i < 1000) {
        i++;
        leave(1, i);
    }
    return caught;
}
/* deep: tail calls, or the stack overflows */
int even(unsigned n);
__attribute__((noinline)) int step(unsigned n)
{
    return even(n - 1);
}
__attribute__((noinline)) int odd(unsigned n)
{
    if (n == 0)
        return 0;
    if (n % 3 == always + 5)
        return 7;
    return step(n);
}
__attribute__((noinline)) int even(unsigned n)
{
    if (n == 0)
        return 1;
    return odd(n - 1);
}
#define TWO(x) if (bits & (1ull << (x))) sum += x; else sum ^= x;
#define TEN(x) TWO(x) TWO(x + 1) TWO(x + 2) TWO(x + 3) TWO(x + 4) TWO(x + 5) TWO(x + 6) TWO(x + 7) TWO(x + 8) TWO(x + 9)
__attribute__((noinline)) unsigned many(unsigned long long bits)
{
    unsigned sum = 0;
    TEN(0) TEN(10) TEN(20) TEN(30) TEN(40) TEN(50) TEN(0)
    return sum;
}
void *work(void *unused)
{
    for (int i = 0; i < 20000; i++)
        leave(0, i);
    return unused;
}
int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    unsigned sum = 0;
    if (!strcmp(what, "jump"))
        printf("%d\n", jumps());
    if (!strcmp(what, "exit"))
        for (int i = 1;; i++)
            leave(i < 100 ? 0 : 2, i);
    if (!strcmp(what, "kill"))
        for (int i = 1;; i++)
            leave(i < 100 ? 0 : 3, i);
    if (!strcmp(what, "tail"))
        printf("%d\n", even(10000000));
    if (!strcmp(what, "many")) {
        for (unsigned long long i = 0; i < 500; i++)
            sum += many(i * 0x9E3779B97F4A7C15u);
        printf("%u\n", sum);
    }
    if (!strcmp(what, "threads")) {
        pthread_t t[8];
        for (int i = 0; i < 8; i++)
            pthread_create(&t[i], 0, work, 0);
        for (int i = 0; i < 8; i++)
            pthread_join(t[i], 0);
    }
    return 0;
}
C
# run WHAT: ./prog WHAT, then json of what it left; the sets must agree but for what is declared
run() {
    rm -rf data && mkdir data
    bash -c "COTREE_FILE='$PWD/data/%p.cotree' ./prog $1 >out; :" 2>/dev/null
    cotree report --format=json --check-sets prog data >json 2>err ||
        { cat err; die "$flags, $1: the sets differ"; }
}
ended() {
    jq --arg f "$1" '[.functions[] | select(.name == $f) | .paths[] | select(.finished).count] | add // 0' \
        json
}
entries() { jq --arg f "$1" '.functions[] | select(.name == $f).entries' json; }
is() { [ "$2" = "$3" ] || die "$flags: $1 is $2, not $3"; }

for flags in -O0 -O2 "-O2 -fPIC"; do
    cotree cc $flags -w -pthread -fcotree=paths,every-edge prog.c -o prog
    run jump
    is "longjmps" "$(cat out)" 500
    is "exact after longjmp" "$(jq .exact json)" true
    is "activations of leave" "$(entries leave)" 1000
    # a path that jumps ends at its dead end, before the call
    is "paths of leave" "$(ended leave)" 1000
    # setjmp returns 501 times, each time a path begins; 500 of them count what was caught
    is "paths of jumps from setjmp" \
        "$(jq '[.functions[] | select(.name == "jumps") | .paths[] |
            select(.finished and .from_entry).count] | add' json)" 501
    caught=$(grep -n 'caught++' prog.c | cut -d: -f1)
    is "paths of jumps with a catch" \
        "$(jq "[.functions[] | select(.name == \"jumps\") | .paths[] | select(.finished and .from_entry and any(.lines[]; . == $caught)).count] | add" json)" 500
    run exit
    is "exact after exit" "$(jq .exact json)" true
    is "activations of leave before exit" "$(entries leave)" 100
    is "paths of leave before exit" "$(ended leave)" 100
    run kill
    is "activations of leave before SIGKILL" \
        "$(jq '.functions[] | select(.name == "leave").entries >= 99' json)" true
    is "paths of leave before SIGKILL" "$(ended leave)" 99
    run threads
    is "paths of leave in eight threads" "$(ended leave)" 160000
    is "exact with threads" "$(jq .exact json)" true
    run many
    is "exact with 2^70 paths" "$(jq .exact json)" true
    is "further edges cut in many" \
        "$(jq '.functions[] | select(.name == "many") | (.paths_cut_at | length) > 0 and
            .path_total <= 4096' json)" true
    is "activations of many" "$(entries many)" 500
    is "paths of many that start with it" \
        "$(jq '[.functions[] | select(.name == "many") | .paths[] |
            select(.finished and .from_entry).count] | add' json)" 500
    case $flags in -O0) continue ;; esac
    run tail
    is "result of ten million tail calls" "$(cat out)" 1
    is "paths of odd" "$(ended odd)" 5000000
done
