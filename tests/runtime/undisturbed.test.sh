#!/usr/bin/env bash
# A program does what it does without counters: one that allows itself hardly a system call ends
# well, mlockall finds the room it found before, and fork does not hang in the handlers of others.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
PATH=$COTREE_BUILD:$PATH
cat >library.c <<'SOURCE'
int library(int x) { return x & 1 ? x : 0; }
SOURCE
cat >sandbox.c <<'SOURCE'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#define ALLOW(number) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)
int library(int x);
int main(void)
{
    struct sock_filter program[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)), ALLOW(SYS_write),
                                    ALLOW(SYS_exit_group), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)};
    struct sock_fprog filter = {sizeof program / sizeof *program, program};
    static char buffer[64];
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    printf("%d ", library(3));
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        return 9;
    printf("%d inside\n", library(5));
    return 7;
}
SOURCE
cotree cc -fPIC -shared library.c -o liblibrary.so
for kind in "library.c" "-O2 library.c" "-O2 -fPIC library.c" "-static library.c" \
    "-static-pie -O2 library.c" "-L. -Wl,-rpath,$PWD -llibrary"; do
    rm -f ./*.cotree
    cotree cc sandbox.c $kind -o sandbox
    status=0
    ./sandbox >out || status=$?
    expect "$kind: what it prints, and its status" "$(cat out) $status" "3 5 inside 7"
    expect "$kind: how it ended" "$(field clean ./sandbox.*.cotree)" 1
done

# Not even the superuser's: others have a limit.
cat >lock.c <<'SOURCE'
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
int main(void)
{
    struct rlimit limit = {8 << 20, 8 << 20};
    if (setrlimit(RLIMIT_MEMLOCK, &limit) != 0 || (getuid() == 0 && setuid(65534) != 0))
        return 2;
    return mlockall(MCL_CURRENT) != 0;
}
SOURCE
"$CLANG" lock.c -o plain
cotree cc lock.c -o lock
if ./plain; then
    ./lock || fail "mlockall fails"
else
    echo "skipped: mlockall fails anyway"
fi

# The library's runtime is the only one, and its handlers are called before those that were there already.
cat >host.c <<'SOURCE'
#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
static int (*function)(int);
static void before_fork(void)
{
    function(3);
}
static void *body(void *unused)
{
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_atfork(before_fork, NULL, NULL);
    void *library = dlopen("./liblibrary.so", RTLD_NOW);
    function = library != NULL ? (int (*)(int))dlsym(library, "library") : NULL;
    return function == NULL || pthread_create(&thread, NULL, body, NULL) != 0 || pthread_join(thread, NULL) != 0;
}
SOURCE
"$CLANG" -pthread host.c -o host
timeout 600 ./host || fail "fork in a thread that has not counted yet: status $?"
