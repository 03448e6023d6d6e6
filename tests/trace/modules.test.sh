#!/usr/bin/env bash
# Several modules hold the same function: an inline one of a header, virtual or not, or a static one
# of a source that several plug-ins are made of. Each module has the counts of its own copy, whether
# known calls lead there, pointers, or code that is not traced; and counters of the same program agree.
set -eu
cotree=$COTREE_BUILD/cotree
fail() { echo "$*" >&2; exit 1; }
cat >shared.hpp <<'CPP'
extern __attribute__((visibility("default"))) volatile int sink;
typedef int comparison(const void *, const void *);
inline void work(int x) { sink += x; if (x & 1) sink += 2; }
struct shape {
    virtual int area(int x) { work(x); return x; }
    virtual ~shape() {}
};
template <class T> struct square : shape {
    int area(int x) override { if (x & 1) throw x; work(x); return 2; }
};
static int compare(const void *a, const void *b) { work(2); return *(const int *)a - *(const int *)b; }
CPP
cat >plugin.cpp <<'CPP'
#include "shared.hpp"
#pragma GCC visibility push(default)
extern "C" {
int run(int n) { for (int i = 0; i < n; i++) work(i); return n * NUMBER; }
shape *made() { return new square<int>; }
comparison *comparer() { return compare; }
}
CPP
cat >host.cpp <<'CPP'
#include "shared.hpp"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
volatile int sink;
template <class F> F *find(void *library, const char *name) { return (F *)dlsym(library, name); }
int main(int argc, char **argv)
{
    int numbers[] = {3, 1, 2}, sum = 0;
    for (int round = 0; round < 2; round++)
        for (int i = 2; i < argc; i++) {
            void *library = dlopen(argv[i], atoi(argv[1]) | RTLD_NOW);
            sum += find<int(int)>(library, "run")(i);
            qsort(numbers, 3, sizeof *numbers, find<comparison *()>(library, "comparer")());
            shape *theirs = find<shape *()>(library, "made")();
            for (int k = 0; k < i; k++) {
                try { sum += theirs->area(k); } catch (int x) { work(x); }
            }
            delete theirs;
            dlclose(library);
        }
    for (int i = 0; i < 5; i++) work(i);
    printf("%d\n", sum);
    return 0;
}
CPP

# build LEVEL [OPTION...]
build() {
    for number in 1 2 3; do
        "$cotree" c++ -w "$@" -fPIC -shared -DNUMBER=$number plugin.cpp -o plugin$number.so
    done
    "$cotree" c++ -w "$@" -rdynamic host.cpp -o host -ldl
}
entries() { # FUNCTION: in each module
    jq -r --arg f "$1" '.modules as $m | .functions[] | select(.name == $f) |
        "\($m[.module].path | sub(".*/"; "")) \(.entries) \(.exact)"' report.json | sort | tr '\n' ';'
}
check() {
    "$cotree" report --format=json host host.*.cotree >report.json || fail "$1: no report"
    [ "$(jq .exact report.json)" = true ] || fail "$1: not exact: $(jq -c .why_not_exact report.json)"
    rm -f host.*.cotree*
}

for scope in 1 256; do # RTLD_LAZY, RTLD_GLOBAL
    for options in '-O0' '-O2' '-O2 -fno-inline -fvisibility=hidden' '-O0 -fPIC'; do
        # shellcheck disable=SC2086
        build $options -fcotree=trace,edges
        COTREE_FOLLOWER=off ./host $scope ./plugin1.so ./plugin2.so ./plugin3.so >out
        "$cotree" report --check-sets host host.*.cotree >/dev/null ||
            fail "$options, scope $scope: counters have other counts"
        check "$options, scope $scope"
    done
done

# Known calls of a local function stay in their module: twice 2, 3 and 4 of `run`.
build -O0 -fcotree=trace
for follower in off ''; do
    COTREE_FOLLOWER=$follower ./host 1 ./plugin1.so ./plugin2.so ./plugin3.so >out
    [ -n "$follower" ] || "$cotree" trace --pack host.*.cotree >/dev/null
    check "follower '$follower'"
    got=$(entries 'compare(void const*, void const*)')
    [ "$got" = 'plugin1.so 5 true;plugin2.so 4 true;plugin3.so 4 true;' ] || fail "compare: $got"
    # run's, compare's and area's; then main's: of odd numbers that were thrown, and five.
    got=$(entries 'work(int)')
    [ "$got" = "host 13 true;plugin1.so 11 true;plugin2.so 14 true;plugin3.so 16 true;" ] ||
        fail "work: $got"
done

# What ran in a library before it was initialized may be any module's, and its counts are declared:
# one call of `area` and of `work` by a constructor. All the others are known.
cat >early.cpp <<'CPP'
#include "shared.hpp"
extern "C" shape *made();
__attribute__((constructor)) static void first() { made()->area(2); }
CPP
cat >late.cpp <<'CPP'
#include "shared.hpp"
volatile int sink;
extern "C" int run(int);
int main() { shape *own = new square<int>; return own->area(2) + run(3) != 5; }
CPP
"clang++-$LLVM" -w -fPIC -shared early.cpp -o early.so
"$cotree" c++ -w -fcotree=trace -fPIC -shared -fvisibility=hidden -DNUMBER=1 \
    plugin.cpp ./early.so -o plugin.so
"$cotree" c++ -w -fcotree=trace late.cpp ./plugin.so ./early.so -o late
./late
"$cotree" report --format=json late late.*.cotree >report.json
got=$(jq -c '.modules as $m | [.exact, (.functions[] | select(.name | test("^(work|square<int>::area)")) |
    [($m[.module].path | sub(".*/"; "")), .entries, .exact, .max_error])]' report.json)
wanted='[false,["late",2,false,1],["late",2,false,1],["plugin.so",3,false,1],["plugin.so",0,false,1]]'
[ "$got" = "$wanted" ] || fail "early: $got"
jq -r '.why_not_exact | tostring' report.json | grep -q "which module's copy" ||
    fail "early: $(jq -c .why_not_exact report.json)"

# A library whose functions are bound to itself writes where the program does, also beyond what its
# thread may write unasked, and in threads of its own.
cat >bound.c <<'C'
int run(int n) { return n > 3 ? n : 7; }
void *body(void *p) { run(1); return p; }
C
cat >binds.c <<'C'
#include <pthread.h>
int run(int);
void *body(void *);
int main(void)
{
    pthread_t thread;
    for (int i = 0; i < 500; i++) run(i);
    return pthread_create(&thread, 0, body, 0) || pthread_join(thread, 0);
}
C
for level in 0 2; do
    "$cotree" cc -O$level -fcotree=trace -fPIC -shared -Wl,-Bsymbolic-functions bound.c -o libbound.so
    "$cotree" cc -O$level -fcotree=trace binds.c ./libbound.so -pthread -o binds
    COTREE_FOLLOWER=off ./binds || fail "-Bsymbolic-functions: status $?"
    "$cotree" report --format=json binds binds.*.cotree >report.json
    got=$(jq -c '[.exact, (.functions[] | select(.name == "run") | .entries)]' report.json)
    [ "$got" = '[true,501]' ] || fail "-Bsymbolic-functions: $got"
    rm binds.*.cotree*
done
