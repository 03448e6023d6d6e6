#!/usr/bin/env bash
# Instrumented shared libraries: linked or loaded, under instrumented and plain programs: one file a
# process, exact.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
for linker in bfd lld gold; do build_shared lib-$linker.so -fuse-ld=$linker "$HERE/library.c"; done
cp lib-bfd.so one.so
build_shared two.so -DKEY=0x4002 -fuse-ld=lld "$HERE/library.c"
echo '{ global: library_*; local: *; };' >names
build_shared three.so -DKEY=0x4003 "$HERE/library.c" -Wl,--version-script=names
"$CLANG" $CFLAGS_TEST "$HERE/host.c" -o plain
build_exec counted -DCOUNTED -fPIE -pie "$HERE/host.c"
build_exec uncounted "$HERE/host.c"

start() { rm -f ./*.cotree; "$@" || fail "$* failed"; }
one_file() { # what
    expect "$1: files" "$(ls ./*.cotree | wc -l)" 1
    expect "$1: flags" "$(field flags ./*.cotree)" 0
    expect "$1: runs" "$(field runs ./*.cotree) $(field clean ./*.cotree)" "1 1"
    case $(states ./*.cotree) in *USED* | *CLAIMED*) fail "$1: $(dump ./*.cotree)" ;; esac
}

# Linked with: by every linker, under plain and counted programs.
for linker in bfd lld gold; do
    "$CLANG" $CFLAGS_TEST -DLINKED "$HERE/host.c" lib-$linker.so -Wl,-rpath,. -o plain-$linker
    start ./plain-$linker
    expect "$linker: plain program" "$(sum 4001 ./*.cotree)" "1 7 1 800"
    one_file "$linker: plain program"
    build_exec counted-$linker -DLINKED -DCOUNTED "$HERE/host.c" ./lib-$linker.so -Wl,-rpath,.
    start ./counted-$linker
    expect "$linker: counted program" "$(sum 4001 ./*.cotree)" "1 7 1 800"
    expect "$linker: counted program, its own" "$(sum 4100 ./*.cotree)" "1"
    one_file "$linker: counted program"
    expect "$linker: modules" "$(dump ./*.cotree | grep -c ^module)" 2
    dump ./*.cotree | grep -q "^module .*path=$PWD/lib-$linker.so" || fail "$linker: no path of the library"
done

# A library that only another library needs stands after the C library.
echo 'int between(void) { return 3; }' >between.c
"$CLANG" $CFLAGS_TEST -shared -fPIC between.c -Wl,--no-as-needed ./one.so -Wl,-rpath,. -o between.so
"$CLANG" $CFLAGS_TEST "$HERE/host.c" -Wl,--no-as-needed ./between.so -Wl,-rpath,. -o plain-deep
start ./plain-deep dlopen 1 ./one.so
expect "deep: plain program" "$(sum 4001 ./*.cotree)" "1 10 1 400"
one_file "deep: plain program"

# Loaded and closed fifty times, one or several libraries.
for host in plain counted uncounted; do
    start ./$host dlopen 50 ./one.so
    expect "$host: 50 times" "$(sum 4001 ./*.cotree)" "50 500 50 20000"
    one_file "$host: 50 times"
    blocks=$(dump ./*.cotree | grep '^slot' | wc -l)
    [ "$blocks" -le 10 ] || fail "$host: $blocks blocks"
    start ./$host dlopen 20 ./one.so ./two.so ./three.so
    for key in 4001 4002 4003; do
        expect "$host: three libraries, $key" "$(sum $key ./*.cotree)" "20 200 20 8000"
    done
    one_file "$host: three libraries"

    start ./$host threads ./one.so ./two.so ./three.so
    for key in 4001 4002 4003; do
        expect "$host: threads, $key" "$(sum $key ./*.cotree)" "1 16000 1 0"
    done
    one_file "$host: threads"

    start ./$host fork ./one.so ./two.so ./three.so
    expect "$host: fork, files" "$(ls ./*.cotree | wc -l)" 2
    for key in 4001 4002 4003; do
        expect "$host: fork, $key" "$(sum $key ./*.cotree)" "1 3000 2 0"
    done
    for f in ./*.cotree; do
        want=2000; if flag 64 "$f"; then want=1000; fi
        expect "$host: fork, $f" "$(sum 4001 "$f" | cut -d' ' -f2)" $want
    done

    rm -f ./*.cotree
    { ./$host kill ./one.so ./two.so; } 2>/dev/null && fail "not killed"
    expect "$host: killed" "$(sum 4001 ./*.cotree)" "1 1000 0 0"
    expect "$host: killed" "$(sum 4002 ./*.cotree)" "1 1000 0 0"

    start ./$host _exit ./one.so
    expect "$host: _exit" "$(sum 4001 ./*.cotree)" "1 1000 0 0"
    # Only executables stand in front of _exit.
    state=EXITED; [ $host = plain ] && state=USED
    case $(states ./*.cotree) in *$state=*) ;; *) fail "$host: _exit: $(states ./*.cotree)" ;; esac

    start ./$host alive ./one.so
    expect "$host: a thread alive at the end" "$(sum 4001 ./*.cotree)" "1 1000 1 0"
    # Only executables stop it.
    state=$(states ./*.cotree | grep -o USED || :)
    case $host-$state in
    plain-USED | counted- | uncounted-) ;;
    *) fail "$host: the sleeping thread: $(states ./*.cotree)" ;;
    esac
done
start ./counted dlopen 50 ./one.so
expect "counted: its own" "$(sum 4100 ./*.cotree)" "50"

# A hundred libraries at once: a library that is loaded late has room for little thread-local data.
copies=()
for i in $(seq 100); do cp one.so copy-$i.so; copies+=(./copy-$i.so); done
"$CLANG" $CFLAGS_TEST -DWORKS=128 "$HERE/host.c" -o plain-many
build_exec counted-many -DCOUNTED -DWORKS=128 "$HERE/host.c"
for host in plain-many counted-many; do
    start ./$host threads "${copies[@]}"
    expect "$host: a hundred libraries" "$(sum 4001 ./*.cotree)" "100 1600000 100 0"
done

# A library without counters leaves nothing behind.
echo 'int nothing(void) { return 0; }' >nothing.c
build_shared nothing.so nothing.c
"$CLANG" $CFLAGS_TEST "$HERE/host.c" -o plain2 -Wl,--no-as-needed ./nothing.so -Wl,-rpath,.
build_exec uncounted2 "$HERE/host.c" -Wl,--no-as-needed ./nothing.so -Wl,-rpath,.
rm -f ./*.cotree
./plain2
./uncounted2
[ -z "$(ls ./*.cotree 2>/dev/null)" ] || fail "a library without counters wrote a file"
