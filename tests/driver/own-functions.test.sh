#!/usr/bin/env bash
# A program may define functions that the runtime stands in front of: it links, and its own are called.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
cat >own.c <<'SOURCE'
typedef int thrd_t;
int thrd_create(thrd_t *t, int (*f)(void *), void *a) { *t = 1; return f(a); }
int setcontext(const void *c) { return c == 0 ? 6 : 7; }
static int body(void *a) { return a ? 1 : 3; }
int main(void)
{
    thrd_t t;
    return thrd_create(&t, body, 0) == 3 && setcontext(0) == 6 ? 0 : 1;
}
SOURCE
for kind in -O0 -O2 "-O2 -fPIC" "-O2 -static" "-O2 -fuse-ld=lld"; do
    rm -f ./*.cotree
    cotree cc -w $kind own.c -o own || die "$kind: does not link"
    ./own || die "$kind: not its own functions"
    [ "$(cotree report --format=json own ./own.*.cotree | jq -r .exact)" = true ] || die "$kind: not exact"
done

# A sanitizer has a word on how a process ends.
cat >race.c <<'SOURCE'
#include <pthread.h>
#include <unistd.h>
static int shared;
static void *body(void *a) { shared++; return a; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, body, 0);
    shared++;
    pthread_join(t, 0);
    _exit(0);
}
SOURCE
status_of() { local status=0; "$@" 2>report || status=$?; echo $status; }
$clang -fsanitize=thread -pthread race.c -o plain
cotree cc -fsanitize=thread -pthread race.c -o race
plain=$(status_of setarch -R ./plain)
[ "$plain" != 0 ] || die "the race is not found by the plain program: status $plain"
[ "$(status_of setarch -R ./race)" = "$plain" ] || die "_exit under the thread sanitizer: $(cat report)"
[ "$(COTREE=off status_of setarch -R ./race)" = "$plain" ] ||
    die "_exit under the thread sanitizer, nothing counted: $(cat report)"
