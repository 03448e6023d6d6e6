#!/usr/bin/env bash
# What weaving runs reads the system and what weaving hands it, writes to directories of its own, has no
# network, and ends with the compiler. A compiler and a linker that try more stand for those that a program
# has taken over.
set -eu
. "$COTREE_TOP/tests/lib/weave.sh"
"$COTREE_BUILD/check/forge" confines || { echo "skipped: the kernel has no Landlock" && exit 77; }
echo 'int main(int argc, char **argv) { (void)argv; return argc > 3; }' >main.c
echo 'int more(int x) { return x > 3 ? 2 * x : x; }' >more.c # of two units, the compiler is loaded once
cotree cc -O1 -fcotree-carry main.c more.c -o prog
mkdir home compiler && echo secret >home/key
# As a word of the compiler's command: the place where it lies may be read, other folders may not.
cat >compiler/tries <<'END'
#!/bin/bash
if [ "$1" = -cc1 ]; then
    { read -r line <HOME/key; } 2>/dev/null && echo "could read: $line" >&2
    { : >HOME/new; } 2>/dev/null && echo "could write" >&2
    { : >compiler/new; } 2>/dev/null && echo "could write beside itself" >&2
    ln -s x HOME/link 2>/dev/null && echo "could link" >&2
    rm HOME/key 2>/dev/null && echo "could remove" >&2
    { : >/dev/udp/127.0.0.1/9; } 2>/dev/null && echo "could open a socket" >&2
    { : >/dev/tcp/127.0.0.1/PORT; } 2>/dev/null && echo "could connect" >&2
    { : >TMP/file; } 2>/dev/null && echo "could write to TMPDIR" >&2
    : >"$TMPDIR/own" && echo "wrote where it may" >&2
fi
exec CLANG "$@"
END
mkdir tmp
sed -i "s|HOME|$PWD/home|; s|TMP/|$PWD/tmp/|; s|CLANG|clang-${LLVM:-19}|; s|PORT|9|" compiler/tries
chmod +x compiler/tries
# It could do all of it by itself.
TMPDIR=$PWD/tmp compiler/tries -cc1 -version 2>&1 | grep '^could' >could || :
grep -q 'could read: secret' could && grep -q 'could write$' could && grep -q 'could open a socket' could ||
    die "a compiler that is not confined: $(cat could)"
rm -rf home tmp && mkdir home tmp && echo secret >home/key
TMPDIR=$PWD/tmp COTREE_CLANG=$PWD/compiler/tries cotree weave prog -o woven 2>said || die "$(cat said)"
! grep could said || die "the compiler is not confined"
grep -q 'wrote where it may' said || die "the compiler was not run: $(cat said)"
[ "$(ls home tmp | tr '\n' ' ')" = "home: key  tmp: " ] || die "left: $(ls home tmp)"
same_program woven prog

# What has no path, and what files are beside their content.
cat >calls.c <<'END'
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <unistd.h>
static void tell(const char *what, int failed) { if (!failed) fprintf(stderr, "could %s\n", what); }
static int reads(const char *path)
{
    char byte;
    int fd = open(path, O_RDONLY | O_NONBLOCK), n = fd < 0 ? -1 : (int)read(fd, &byte, 1);
    return n > 0 || (fd >= 0 && n < 0) ? 0 : -1;
}
int main(int argc, char **argv)
{
    struct stat st;
    struct timeval times[2] = {{5, 0}, {5, 0}};
    struct rlimit limit = {64, 64};
    cpu_set_t one;
    (void)argc;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    pid_t other = (pid_t)atoi(getenv("OTHER"));
    chmod(HOME "/key", 0777), chmod("/usr", 0755);
    tell("change a mode", stat(HOME "/key", &st) != 0 || (st.st_mode & 0777) == 0600);
    tell("change an owner", chown(HOME "/key", getuid(), getgid()));
    tell("change a time", utimes(HOME "/key", times));
    tell("set an attribute", setxattr(HOME "/key", "user.own", "x", 1, 0));
    tell("empty a file", truncate(HOME "/key", 0) != 0 && open(HOME "/key", O_RDONLY | O_TRUNC) < 0 ? -1 : 0);
    tell("limit another process", prlimit(other, RLIMIT_NOFILE, &limit, NULL));
    tell("slow another process", setpriority(PRIO_PROCESS, (id_t)other, 19));
    tell("move another process", sched_setaffinity(other, sizeof one, &one));
    int key = shmget(0x636f7472, 4096, IPC_CREAT | 0600);
    tell("make shared memory", key < 0 ? -1 : 0);
    if (key >= 0)
        shmctl(key, IPC_RMID, NULL);
    tell("signal another process", kill(other, 0));
    tell("signal another thread", (int)syscall(SYS_tkill, other, 0));
    tell("signal a process by its number", (int)syscall(SYS_tgkill, other, other, 0));
    tell("have another process signalled", fcntl(0, F_SETOWN, other));
    int made = (int)syscall(SYS_clone, CLONE_NEWUSER | CLONE_NEWNS | SIGCHLD, 0, 0, 0, 0);
    if (made == 0)
        _exit(0);
    tell("make a namespace", made < 0);
    /* Landlock of version 6 keeps signals from others; the filter, which older ones have, all that go by
     * number. Its own group it may signal. */
    tell("signal by number", kill(getpid(), 0));
    tell("not signal itself", kill(0, 0) == 0 ? -1 : 0);
    tell("leave its process group", setsid() < 0 && setpgid(0, 0) != 0 ? -1 : 0);
    tell("type at the terminal", ioctl(2, TIOCSTI, "x"));
    tell("read its standard input again", reads("/dev/stdin"));
    tell("read a device", reads("/dev/zero"));
    tell("read a pipe that was left open", reads("/proc/self/fd/7"));
    execvp(argv[1], argv + 1);
    return 1;
}
END
"clang-${LLVM:-19}" -D_GNU_SOURCE "-DHOME=\"$PWD/home\"" calls.c -o compiler/calls
chmod 600 home/key && sleep 600 & other=$!
trap 'kill $other 2>/dev/null' EXIT
mkfifo pipe && exec 7<>pipe && echo byte >&7
OTHER=$other compiler/calls true <<<text 2>could || :
for what in 'change a mode' 'change a time' 'limit another' 'slow another' 'shared memory' \
    'signal another process' 'signal another thread' 'signal a process' 'another process signalled' \
    'make a namespace' 'read its standard input' 'read a device' 'read a pipe'; do
    grep -q "could .*$what" could || die "unconfined, it cannot $what: $(cat could)"
done
rm -f home/key && echo secret >home/key && chmod 600 home/key && echo byte >&7
printf '#!/bin/sh\nOTHER=%s\nexport OTHER\n[ "$3" = -cc1 ] || shift\nexec "$@"\n' $other >compiler/other
chmod +x compiler/other
COTREE_CLANG="$PWD/compiler/other $PWD/compiler/calls clang-${LLVM:-19}" cotree weave prog -o woven <<<text \
    2>said || die "$(cat said)"
! grep could said || die "the compiler is not confined"
[ "$(cat home/key)" = secret ] && [ "$(stat -c %a home/key)" = 600 ] || die "the file was changed"
same_program woven prog
exec 7>&-

# A linker whose output is a link to something else; names that it makes where weave may write next.
mkdir linker && echo victim >victim && linker=$(command -v ld)
cat >linker/ld <<'END'
#!/bin/bash
[ "$1" != --version ] || exec LINKER --version
LINKER "$@"
status=$?
if [ $status -eq 0 ] && [ -f program ]; then
    mv program other && ln -s WHERE/victim program
fi
exit $status
END
sed -i "s|LINKER|$linker|; s|WHERE|$PWD|" linker/ld && chmod +x linker/ld
! PATH=$PWD/linker:$PATH cotree weave prog -o linked 2>said || die "a link became a program"
grep -q 'the linker made no program' said && [ ! -e linked ] && [ "$(cat victim)" = victim ] ||
    die "a linker that makes a link: $(cat said victim)"
cat >compiler/names <<'END'
#!/bin/bash
if [ "$1" = -cc1 ]; then
    cd "$TMPDIR"
    for name in 0.{0..9} program program0; do ln -s WHERE/home $name; done
    for name in made said linked; do rm -rf ../$name; ln -s WHERE/home ../$name; mv ../$name gone; done
fi 2>/dev/null
exec CLANG "$@"
END
sed -i "s|WHERE|$PWD|; s|CLANG|clang-${LLVM:-19}|" compiler/names && chmod +x compiler/names
COTREE_CLANG=$PWD/compiler/names cotree weave prog -o woven 2>said || die "$(cat said)"
[ "$(ls home)" = key ] && same_program woven prog || die "written through a link: $(ls home)"
# What the compiler starts does not outlive it.
printf '#!/bin/bash\n[ "$1" != -cc1 ] || (trap "" TERM HUP; sleep 31.%s) &\nexec %s "$@"\n' \
    $$ "clang-${LLVM:-19}" >compiler/leaves && chmod +x compiler/leaves
COTREE_CLANG=$PWD/compiler/leaves timeout 25 cotree weave prog -o woven || die "waits for what was left"
! grep -lz "^31.$$\$" /proc/[0-9]*/cmdline 2>/dev/null || die "a process was left behind"

# What it prints cannot talk to the terminal, on either stream.
cat >compiler/talks <<'END'
#!/bin/sh
if [ "$1" = -cc1 ]; then
    printf '\033]0;out\007'
    printf '\033]0;err\007\n' >&2
fi
exec CLANG "$@"
END
sed -i "s|CLANG|clang-${LLVM:-19}|" compiler/talks && chmod +x compiler/talks
COTREE_CLANG=$PWD/compiler/talks cotree weave prog -o woven >printed 2>said || die "$(cat said)"
grep -q '?]0;out' said && grep -q '?]0;err' said && ! grep -q $'\e' printed said ||
    die "the terminal is told: $(cat -v printed said)"

# Limits that weaving was started with are the compiler's, and what they end is named.
printf '#!/bin/bash\nwhile [ "$1" = -cc1 ]; do :; done\nexec %s "$@"\n' "clang-${LLVM:-19}" >compiler/turns
chmod +x compiler/turns
! (ulimit -S -t 1; COTREE_CLANG=$PWD/compiler/turns cotree weave prog -o turned) 2>said ||
    die "no limit of time"
grep -q "the compiler failed on unit '[a-z]*.c': CPU time limit exceeded" said && [ ! -e turned ] ||
    die "a limit of time: $(cat said)"
