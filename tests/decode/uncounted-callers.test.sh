#!/usr/bin/env bash
# Functions without counters that were inlined throw, let exceptions pass, and call what counted
# functions call, too. The program counts its lines itself: what is said to have run at least so
# often has, and what is not exact is within its bound.
set -eu
cotree=$COTREE_BUILD/cotree

cat >prog.cc <<'C'
#include "truth.h"
#include <exception>
#include <string>
#define LIBRARY __attribute__((no_profile_instrument_function, always_inline)) static inline
static unsigned total = 1, seed;
LIBRARY unsigned next() { return (seed = seed * 1664525u + 1013904223u) >> 16; }
struct guard {
    unsigned by;
    ~guard() { total += by; }
};
void deep(int depth);
LIBRARY void calls_deep(int depth, unsigned times)
{
    for (unsigned i = 0; i < times % 7; i++) {
        total += i * total;
        if (depth > 0 && next() % 3 == 0)
            deep(depth - 1);
    }
}
LIBRARY void looks_up(unsigned at)
{
    std::string text(at % 40, 'c');
    if (text.at(at % 34) == 'c')
        total++;
    total += text.substr(at % 3).size();
}
__attribute__((noinline)) void deep(int depth)
{
    T;
    if (depth == 77)
        throw 1;
}
__attribute__((noinline)) static void chooses(int depth)
{
    T;
    switch (next() / 4 % 5) {
    case 0: {
        T;
        {
            guard one{total};
            total += std::stoi(next() % 4 ? "12" : "x");
        }
        guard two{6};
        try {
            T;
            if (depth > 0)
                deep(depth - 1);
            T;
        } catch (std::string &) {
            T;
        }
        break;
    }
    case 3:
        T;
        calls_deep(depth, next());
        [[fallthrough]];
    case 2:
        try {
            T;
            if (depth & 1)
                looks_up(8);
            T;
        } catch (guard &) {
            T;
        }
        break;
    default:
        T;
    }
    T;
}
int main(int, char **words)
{
    seed = (unsigned)atoi(words[1]);
    for (int i = 0; i < 30; i++) {
        try {
            chooses(i);
            T;
        } catch (std::exception &) {
            T;
        }
    }
}
C
for options in -O1 -O2 "-O3 -fcotree=edges,every-edge" "-O2 -fPIC" "-Os -fcotree-durable" \
    "-O2 -fcotree=paths"; do
    # shellcheck disable=SC2086
    "$cotree" c++ -std=c++17 -w $options -DTRUTH -I"$COTREE_TOP/tests/trace/programs" prog.cc -o prog
    rm -f truth data.*
    for run in 5 6 7 8; do TRUTH_FILE=truth COTREE_FILE=data.$run ./prog $run; done
    "$cotree" report --format=json prog data.* >json
    {
        od -An -v -td8 -w8 truth | awk '$1 { print "truth", NR - 1, $1 }'
        jq -r '(.files[] | select(.file | endswith("/prog.cc")) | .lines[]
                | "line \(.line) \(.count) \(.exact) \(.at_least // (if .exact then .count else 0 end))"),
            (.functions[] | (.max_error // "-") as $e | [.blocks[].lines[].line] | unique[] |
                "error \(.) \($e)")' json
    } >words
    awk -v name="$options" '$1 == "truth" { truth[$2] = $3; lines++ }
        $1 == "line" { count[$2] = $3; exact[$2] = $4; least[$2] = $5 }
        $1 == "error" {
            if ($3 == "-" || error[$2] == "-") error[$2] = "-"; else if ($3 > error[$2]) error[$2] = $3
        }
        function wrong(line, what) { print name ": line " line " ran " truth[line] " times: " what; bad = 1 }
        END {
            for (l in truth) {
                if (!(l in count)) { wrong(l, "it is not there"); continue }
                if (least[l] > truth[l]) wrong(l, "at least " least[l])
                off = count[l] > truth[l] ? count[l] - truth[l] : truth[l] - count[l]
                if (off && (exact[l] == "true" || (error[l] != "-" && off > error[l])))
                    wrong(l, count[l] " (exact: " exact[l] ", error " error[l] ")")
            }
            if (lines < 10) { print name ": only " lines " lines are counted"; bad = 1 }
            exit bad
        }' words
done
