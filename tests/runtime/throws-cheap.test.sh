#!/usr/bin/env bash
# A program that throws a lot executes at most a tenth more instructions than the plain one; and
# whoever but the unwinder asks the loader for the frames of an object is told the same as in the
# plain program.
set -eu
: "${LLVM:=19}"
cotree=$COTREE_BUILD/cotree
fail() { echo "$*" >&2; exit 1; }

cat >asks.cpp <<'END'
#include <dlfcn.h>
#include <link.h>
#include <cstdio>
#ifdef DLFO_EH_SEGMENT_TYPE
static int find(dl_phdr_info *info, size_t, void *to)
{
    for (int i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
            *(void **)to = (void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
    return 1; // the program is the first
}
[[gnu::noinline]] static int leave(int i)
{
    if (i % 4)
        throw i;
    return i;
}
int main()
{
    int caught = 0, right = 0;
    void *table = nullptr, *here = __builtin_return_address(0);
    dl_iterate_phdr(find, &table);
    for (int i = 0; i < 100; i++) {
        try {
            caught += leave(i);
        } catch (int) {
            here = __builtin_extract_return_addr((void *)&&landed);
        landed:
            caught++;
        }
        for (const char *at = (const char *)&leave; at < (const char *)&leave + 200; at++) {
            dl_find_object found;
            right += _dl_find_object((void *)at, &found) == 0 && found.dlfo_eh_frame == table;
        }
    }
    std::printf("%d %d %d\n", caught, right, here != nullptr);
}
#else
int main() { std::puts("75 20000 1"); }
#endif
END
"clang++-$LLVM" -O2 -w asks.cpp -o plain
"$cotree" c++ -O2 -w asks.cpp -o asks
./plain >plain.out
./asks >out
cmp plain.out out || fail "the loader answers otherwise: $(cat out), not $(cat plain.out)"
grep -q ' 20000 ' out || fail "not every answer is the program's table: $(cat out)"

command -v valgrind >/dev/null || fail "valgrind is missing"
"clang++-$LLVM" -O2 "$COTREE_TOP/bench/throws.cpp" -o plain
"$cotree" c++ -O2 "$COTREE_TOP/bench/throws.cpp" -o counted
instructions() { # PROGRAM CASE DEPTH: of 400 rounds
    local times counts=()
    for times in 100 500; do
        counts+=("$(COTREE_FILE=data valgrind --tool=cachegrind --cache-sim=no \
            --cachegrind-out-file=/dev/null "./$1" "$2" "$3" $times 2>&1 |
            sed -n 's/.*I *refs: *//p' | tr -d ,)")
        rm -f data*
    done
    echo $((counts[1] - counts[0]))
}
for case in 'plainly 1' 'plainly 10' 'cleaning 1' 'cleaning 10' 'rethrowing 3' 'parsing 3'; do
    # shellcheck disable=SC2086
    plain=$(instructions plain $case) counted=$(instructions counted $case)
    [ "$plain" -gt 1000000 ] || fail "$case: only $plain instructions"
    [ $((10 * counted)) -le $((11 * plain)) ] ||
        fail "$case: $counted instructions, and $plain of the plain program"
done
