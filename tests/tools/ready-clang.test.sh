#!/usr/bin/env bash
# The clang that tests/run keeps ready for a test does what clang does: what it writes, says and ends
# with is the same, in whatever directory, environment and limits, and it goes when the test goes.
set -eu
made=$COTREE_BUILD/check/clang clang=clang-${LLVM:-19}
[ -x "$made/serve" ] || { echo "no $made/serve: run make check"; exit 1; }

cat >commands.sh <<'C'
set -u
served=$1 clang=$2
try() { # NAME COMMAND...: what it says, and how it ends
    local name=$1 status=0
    shift
    { "$@" || status=$?; } >said 2>&1
    { echo "$name: $status"; cat said; } >>"$served.said"
}
printf '#include "h.h"\nint main(void) { return WHAT - 3; }\n' >p.c
mkdir -p below && echo '#define WHAT 3' >below/h.h
echo '#pragma clang __debug crash' >crash.c
printf 'int many[1 << 20][64] = {{1}};\n' >large.c
try object "$clang" -Ibelow -O2 -g -c p.c -o "$served.o"
try program "$clang" -Ibelow -O2 p.c -o program
try runs ./program
try error "$clang" -c p.c -o error.o
try environment env CPATH=below "$clang" -c p.c -o "$served.environment.o"
try directory env -C below "$clang" -I. -c ../p.c -o "../$served.directory.o"
try standard-input bash -c "echo '#warning read' | $clang -x c -fsyntax-only -"
try standard-output "$clang" -Ibelow -S -O2 p.c -o -
try closed-output bash -c "$clang -Ibelow -E p.c >&-"
try preloaded env LD_DEBUG=unused "$clang" -Ibelow -fsyntax-only p.c
try mask bash -c "umask 077; $clang -Ibelow -c p.c -o masked.o; stat -c %a masked.o; rm masked.o"
try crash bash -c "ulimit -c 0; { $clang -cc1 -emit-llvm-bc crash.c -o crash.bc; } 2>/dev/null"
try limit bash -c "ulimit -f 100; { $clang -c large.c -o large.o; } 2>/dev/null"
try cxx "${clang/clang/clang++}" -Ibelow -x c++ p.c -o program
try two "$clang" -Ibelow -DWHAT=0 p.c -Werror -o program
C
bash commands.sh plain "$clang"
# Both make objects of the name that is in them, in the same directory.
"$made/serve" "$PWD/clang" "$made/client" "$made/server.so" "$clang" "${clang/clang/clang++}" -- \
    bash -c 'command -v "$1" >path; bash commands.sh served "$1"' bash "$clang"
[ "$(cat path)" = "$PWD/clang/$clang" ] || { echo "not served: $(cat path)"; exit 1; }
diff plain.said served.said
for object in o environment.o directory.o; do cmp "plain.$object" "served.$object"; done
for ends in "error: [1-9]" "crash: 1[0-9]" "limit: [1-9]"; do
    grep -q "^$ends" plain.said || { cat plain.said; exit 1; }
done

# It ends as what it runs ends, and its processes go with it; a command goes with its client.
status=0
"$made/serve" "$PWD/other" "$made/client" "$made/server.so" "$clang" -- bash -c '
    mkdir gone && mkfifo gone/never
    (cd gone && exec timeout -s KILL 1 "$1" -E -x c never)
    echo $? >killed
    for ((i = 0; i < 600; i++)); do
        stat -L -c %i /proc/[0-9]*/cwd 2>/dev/null | grep -qx "$(stat -c %i gone)" || exit 7
        sleep 0.1
    done' bash "$clang" >printed || status=$?
[ $status = 7 ] && [ "$(cat killed)" = 137 ] ||
    { echo "status $status, killed $(cat killed)"; cat printed; exit 1; }
if grep -ls "CLANG_SERVER=$PWD/other" /proc/[0-9]*/environ; then echo "the server is left"; exit 1; fi
