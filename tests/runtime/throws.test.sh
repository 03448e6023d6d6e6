#!/usr/bin/env bash
# Every frame that an exception, pthread_exit or cancellation leaves is counted once, in whatever
# way the program is linked; the program does what it does without us, and backtraces show it as it
# is.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
CLANG=${CLANG/clang/clang++}
flags="-g -pthread -std=c++17"
ulimit -c 0

# Libraries: one with counters, one that gcc compiled without.
build_shared libcounted.so $flags -DPREFIX=t_library "$HERE/throws_library.cpp"
g++ -O1 -g -shared -fPIC -DPREFIX=t_plain -DPLAIN "$HERE/throws_library.cpp" -o libplain.so
libraries="./libcounted.so ./libplain.so -Wl,-rpath,."
build_exec dynamic $flags -DLIBRARIES "$HERE/throws.cpp" $libraries
"$CLANG" $CFLAGS_TEST $flags -DPLAIN -DLIBRARIES "$HERE/throws.cpp" $libraries -o plain
# Without libraries, for most ways to link.
"$CLANG" $CFLAGS_TEST $flags -c "$HERE/throws.cpp" -o throws.o
build_static static -pthread throws.o

run() { # PROGRAM WORD...: output in PROGRAM.out, ending in $status
    rm -f ./*.cotree
    status=0
    { timeout 600 "./$1" "${@:2}" >"$1.out" 2>"$1.err" || status=$?; } 2>/dev/null
}
# situation | frames left in the program | in the library with counters
cat >situations <<'TABLE'
plain 1 | UNWIND t_deep 1; UNWIND t_scene 1; UNWIND t_throw 1 |
plain 2 | UNWIND t_deep 2; UNWIND t_scene 1; UNWIND t_throw 1 |
plain 10 | UNWIND t_deep 10; UNWIND t_scene 1; UNWIND t_throw 1 |
clean 1 | UNWIND t_deep_clean 1; UNWIND t_scene 1; UNWIND t_throw 1 |
clean 10 | UNWIND t_deep_clean 10; UNWIND t_scene 1; UNWIND t_throw 1 |
mixed 4 | UNWIND t_deep_clean 3; UNWIND t_mixed 4; UNWIND t_scene 1; UNWIND t_throw 1 |
rethrow 2 | UNWIND t_deep 2; UNWIND t_rethrow 2; UNWIND t_scene 1; UNWIND t_throw 1 |
other-type 2 | UNWIND t_deep 2; UNWIND t_other_type 1; UNWIND t_scene 1; UNWIND t_throw 1 |
translate 2 | UNWIND t_deep 2; UNWIND t_scene 1; UNWIND t_throw 1; UNWIND t_translate 2 |
nested 1 | UNWIND t_inside 1; UNWIND t_nested 1; UNWIND t_scene 1; UNWIND t_throw 1 |
nested 12 | UNWIND t_inside 12; UNWIND t_nested 12; UNWIND t_scene 12; UNWIND t_throw 12 |
construct | UNWIND t_construct 1; UNWIND t_scene 1; UNWIND t_throw 1 |
keep | UNWIND t_deep 1; UNWIND t_keep 2; UNWIND t_scene 1; UNWIND t_throw 1 |
foreign | UNWIND t_catch_all 1; UNWIND t_foreign 1; UNWIND t_raise 1 |
signal | UNWIND t_scene 1; UNWIND t_signalled 1; UNWIND t_throw 1 |
thread 2 | UNWIND t_deep_clean 3; UNWIND t_mixed 2; UNWIND t_scene 1; UNWIND t_throw 1 |
async | UNWIND main 1; UNWIND t_deep 1; UNWIND t_throw 1 |
once | UNWIND main 2; UNWIND t_deep 2; UNWIND t_throw 2 |
uncaught | CUT main 1; CUT t_deep_clean 1; CUT t_throw 1 |
terminate | CUT main 1; CUT t_deep_clean 1; CUT t_throw 1 |
noexcept | CUT main 1; CUT t_never 1; UNWIND t_deep 1; UNWIND t_never 1; UNWIND t_throw 1 |
exit | UNWIND t_thread 1; UNWIND t_wait 1; UNWIND t_wait_all 1; UNWIND t_wait_caught 2; UNWIND t_wait_clean 1; UNWIND t_wait_plain 1 |
cancel | UNWIND t_thread 1; UNWIND t_wait 1; UNWIND t_wait_all 1; UNWIND t_wait_caught 2; UNWIND t_wait_clean 1; UNWIND t_wait_plain 1 |
cancel-at-once | CUT_AT t_wait 1; UNWIND t_thread 1; UNWIND t_wait_all 1; UNWIND t_wait_caught 2; UNWIND t_wait_clean 1; UNWIND t_wait_plain 1 |
exit-plain | UNWIND t_thread 1; UNWIND t_wait 1; UNWIND t_wait_plain 1 |
cancel-plain | UNWIND t_thread 1; UNWIND t_wait 1; UNWIND t_wait_plain 1 |
from-library | UNWIND t_from_library 1; UNWIND t_scene 1 | UNWIND t_library_throw 1
from-plain | UNWIND t_from_plain 1; UNWIND t_scene 1 |
over-library | UNWIND t_deep 1; UNWIND t_over_library 1; UNWIND t_scene 1; UNWIND t_throw 1 | UNWIND t_library_pass 1
over-plain | UNWIND t_deep_clean 1; UNWIND t_over_plain 1; UNWIND t_scene 1; UNWIND t_throw 1 |
into-library | UNWIND t_deep 1; UNWIND t_throw 1 | UNWIND t_library_catch 1
into-plain | UNWIND t_deep_clean 1; UNWIND t_throw 1 |
never | CUT main 1; UNWIND t_deep_clean 1; UNWIND t_throw 1 |
TABLE
trim() { sed 's/^ *//; s/ *$//'; }
# names FILE PROGRAM: backtraces as names, where the program's functions are concerned.
names() {
    sed -n "s/^frame //p" "$1" | while read -r module address; do
        if [ "$module" = "$2" ]; then
            addr2line -f -e "$2" "$(printf '%x' $((0x$address - 1)))" | sed 1q
        else
            echo "$module"
        fi
    done
    grep -v '^frame ' "$1" || :
}
judge() { # PROGRAM SITUATION FRAMES LIBRARY
    # shellcheck disable=SC2086
    run "$1" $2
    expect "$1 $2: frames" "$(events "$1" ./*.cotree)" "$3"
    expect "$1 $2: lost" "$(field frames_lost ./*.cotree)" 0
    if [ "$1" = dynamic ]; then
        local ours=$status
        expect "$1 $2: frames of the library" "$(events libcounted.so ./*.cotree)" "$4"
        # shellcheck disable=SC2086
        COTREE=off run plain $2
        expect "$1 $2: status" "$ours" "$status"
        expect "$1 $2: output" "$(names dynamic.out dynamic)" "$(names plain.out plain)"
    fi
}
while IFS='|' read -r situation frames library; do
    situation=$(echo "$situation" | trim) frames=$(echo "$frames" | trim) library=$(echo "$library" | trim)
    judge dynamic "$situation" "$frames" "$library"
    case $situation in
    *-library | *-plain\ * | from-plain | over-plain | into-plain | never) ;;
    *) judge static "$situation" "$frames" "" ;;
    esac
done <situations

# The same by other linkers, with parts of the unwinder inside, and with a sanitizer that stands in
# front of it, too.
build_exec no-pie $flags -fno-pie -no-pie "$HERE/throws.cpp"
build_exec lld -pthread -fuse-ld=lld throws.o
build_exec gold -pthread -fuse-ld=gold throws.o
build_exec static-libgcc -pthread -static-libgcc throws.o
build_exec static-libstdc++ -pthread -static-libstdc++ throws.o
build_exec static-both -pthread -static-libgcc -static-libstdc++ throws.o
build_exec asan $flags -fsanitize=address "$HERE/throws.cpp"
build_static static-pie -pthread -static-pie throws.o
build_static static-lld -pthread -fuse-ld=lld throws.o
build_static static-gold -pthread -fuse-ld=gold throws.o
for program in no-pie lld gold static-libgcc static-libstdc++ static-both asan static-pie static-lld \
    static-gold; do
    for situation in 'mixed 4' 'rethrow 2' 'nested 12' once noexcept exit cancel; do
        # Two unwinders do not understand each other: such a program aborts without us, too.
        case $program,$situation in static-both,once | static-both,exit | static-both,cancel) continue ;; esac
        judge $program "$situation" "$(sed -n "s/^$situation | \(.*\) |.*/\1/p" situations)" ""
    done
done

# A hundred thousand exceptions need no more room than one.
run dynamic many 1
entries=$(dump ./*.cotree | grep -c '^event')
run dynamic many 100000
expect "many: frames" "$(events dynamic ./*.cotree)" \
    "UNWIND main 100000; UNWIND t_deep_clean 300000; UNWIND t_mixed 300000; UNWIND t_throw 100000"
expect "many: entries" "$(dump ./*.cotree | grep -c '^event')" "$entries"

# Clean-up handlers of C.
CLANG=${CLANG/++/}
build_exec c-dynamic -g -pthread "$HERE/cleanups.c"
build_static c-static -g -pthread "$HERE/cleanups.c"
for program in c-dynamic c-static; do
    run $program none
    expect "$program none" "$(events $program ./*.cotree) $(cat $program.out)" " clean inner
clean outer"
    for how in cancel exit; do
        run $program $how
        expect "$program $how: frames" "$(events $program ./*.cotree)" \
            "RESUME t_inner 1; RESUME t_outer 2; UNWIND t_between 1; \
UNWIND t_inner 2; UNWIND t_innermost 1; UNWIND t_outer 3; UNWIND t_plain 1; UNWIND t_thread 1"
        expect "$program $how: output" "$status $(cat $program.out)" "0 clean inner
clean outer too
clean outer"
        expect "$program $how: lost" "$(field frames_lost ./*.cotree)" 0
    done
done
