#!/usr/bin/env bash
# What code without counters does to frames of code with counters is said: threads it ends,
# exceptions it throws over them, vfork.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
cat >plain.cpp <<'SOURCE'
#include <pthread.h>
extern "C" void guarded(void (*callback)()) { try { callback(); } catch (int) { } }
extern "C" void thrower(int n) { if (n == 3) throw 1; }
extern "C" void leave() { pthread_exit(nullptr); }
SOURCE
cat >counted.c <<'SOURCE'
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
void guarded(void (*callback)(void));
void thrower(int n);
void leave(void);
int library(int x);
static int odd;
static void callback(void)
{
    for (int i = 0; i < 10; i++) {
        thrower(i);
        if (i & 1)
            odd++;
    }
}
static void *body(void *unused)
{
    for (int i = 0; i < 10; i++)
        if (i == 5)
            leave();
    return unused;
}
__attribute__((no_profile_instrument_function, noinline)) static void spawn(void)
{
    pid_t child = vfork();
    if (child == 0) {
        library(1);
        _exit(0);
    }
    waitpid(child, NULL, 0);
}
int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    pthread_t thread;
    if (!strcmp(how, "throw"))
        guarded(callback);
    if (!strcmp(how, "vfork"))
        spawn();
    if (!strcmp(how, "thread") && pthread_create(&thread, NULL, body, NULL) == 0)
        pthread_join(thread, NULL);
    int sum = 0;
    for (int i = 0; i < 10; i++)
        sum += library(i);
    if (!strcmp(how, "main thread"))
        leave();
    if (!strcmp(how, "main"))
        pthread_exit(NULL);
    return sum - 25;
}
SOURCE
cat >library.c <<'SOURCE'
int library(int x) { return x & 1 ? x : 0; }
SOURCE
clang++-$llvm -O1 -fPIC -c plain.cpp
clang++-$llvm -shared plain.o -o libplain.so
cotree cc -fPIC -shared library.c -o libcounted.so
here="-L. -Wl,-rpath,$PWD"

# runs HOW TEXT: TEXT is the reason, or the run is exact when there is none.
runs() {
    rm -f ./*.cotree
    ./prog "$1" || die "$kind, $1: status $?"
    cotree report --format=json prog ./prog.*.cotree >json
    local reasons
    reasons=$(jq -r '.why_not_exact[]' json)
    if [ -z "$2" ]; then
        [ "$(jq -r .exact json)" = true ] || die "$kind, $1: not exact: $reasons"
    else
        has "$reasons" "$2"
    fi
}
for kind in dynamic libgcc lld static; do
    case $kind in
    dynamic) cotree cc -O2 counted.c $here -lplain -lcounted -o prog ;;
    libgcc)
        cotree c++ -O2 -x c counted.c -x none -static-libgcc -static-libstdc++ plain.o $here -lcounted -o prog
        ;;
    lld) cotree cc -O2 -fuse-ld=lld counted.c $here -lplain -lcounted -o prog ;;
    static) cotree c++ -O2 -static -x c counted.c library.c -x none plain.o -o prog ;;
    esac
    runs return ""
    runs main ""
    runs throw ""
    runs thread ""
    runs "main thread" ""
    if [ $kind != static ]; then
        runs vfork "made without fork()"
        runs return ""
        [ "$(jq '.functions[] | select(.name == "library") | .entries' json)" = 10 ] ||
            die "$kind: the library's counts"
    fi
done
# The counts of the parent survive its vfork child.
kind=vfork
cotree cc -O2 counted.c $here -lplain -lcounted -o prog
runs vfork "made without fork()"
[ "$(jq '.functions[] | select(.name == "library") | .entries' json)" = 10 ] ||
    die "the library's counts after vfork"

# A program in C may load the unwinder later, where only libraries see it.
cat >host.c <<'SOURCE'
#include <dlfcn.h>
int main(void)
{
    void *plug = dlopen("./libplug.so", RTLD_NOW | RTLD_LOCAL);
    int (*call)(void) = plug ? (int (*)(void))dlsym(plug, "plug") : 0;
    return call ? call() : 1;
}
SOURCE
echo 'extern "C" int plug() { try { throw 3; } catch (int x) { return x - 3; } }' >plug.cpp
clang++-$llvm -shared -fPIC plug.cpp -o libplug.so
cotree cc host.c -o host
./host || die "an exception in a library that was loaded later"

# A process that clone makes is like one of fork; if it shares memory and runs beside its parent it
# counts in the same blocks, whatever becomes of it.
cat >clone.c <<'SOURCE'
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
static char stack[65536];
static int child(void *unused) { return unused != 0; }
int main(int argc, char **argv)
{
    int status = 1, process = clone(child, stack + sizeof stack, SIGCHLD | (argv[argc - 1][0] == 's' ? CLONE_VM : 0), 0);
    return waitpid(process, &status, 0) != process || status != 0;
}
SOURCE
for kind in -O2 "-O2 -static"; do
    rm -f ./*.cotree
    cotree cc -D_GNU_SOURCE $kind clone.c -o prog
    runs copies ""
    [ "$(jq -c '[.runs, (.functions[] | select(.name == "child") | .entries)]' json)" = "[2,1]" ] ||
        die "$kind: a child of clone"
    runs shares "made without fork()"
done
