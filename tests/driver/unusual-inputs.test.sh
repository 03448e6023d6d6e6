#!/usr/bin/env bash
# Inputs other than sources: precompiled headers, C++20 modules, preprocessed text, assembly and IR
# that cotree itself made (never instrumented twice), and the flags that change the road:
# -fno-integrated-as, -fmodules, -save-temps, -gsplit-dwarf, -pg.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
write_sources
right() {
    leaves "$@"; [ "$(cat output)" = $'0\n2\n4\n6' ] ||
        die "wrong output of $*"; [ "$(jq .exact report.json)" = true ] || die "$*: not exact"
}
entries() { jq -r '.functions[] | select(.name == "twice") | .entries' report.json; }

printf '#include <stdio.h>\nint twice(int);\n' >h.h
for flags in -O0 '-O2 -g'; do
    cotree cc $flags -x c-header h.h -o h.pch
    cotree cc $flags -include-pch h.pch a.c b.c -o pch && right ./pch
done
printf 'export module m;\nexport int twice(int n) { return n > 1 ? 2 * n : n + n; }\n' >m.cppm
printf 'import m;\nint main() { return twice(2) != 4; }\n' >u.cpp
cotree c++ -std=c++20 --precompile m.cppm -o m.pcm && cotree c++ -std=c++20 -c m.pcm -o m.o && counts m.o
cotree c++ -std=c++20 -fmodule-file=m=m.pcm u.cpp m.o -o module && leaves ./module

cotree cc -E b.c -o b.i && cotree cc a.c b.i -o from-text && right ./from-text && [ "$(entries)" = 4 ]
cotree cc -O2 -S b.c -o b2.s && cotree cc a.c b2.s -o from-assembly && right ./from-assembly &&
    [ "$(entries)" = 4 ]
cotree cc -O1 -S -emit-llvm b.c -o b.ll && cotree cc -O2 a.c b.ll -o from-ir && right ./from-ir &&
    [ "$(entries)" = 4 ]
cotree cc -O1 -c -emit-llvm b.c -o b.bc && cotree cc -O2 a.c b.bc -o from-bitcode && right ./from-bitcode &&
    [ "$(entries)" = 4 ]
$clang -S -emit-llvm -O0 -Xclang -disable-O0-optnone b.c -o plain.ll &&
    cotree cc a.c plain.ll -o from-plain-ir && right ./from-plain-ir

for flags in -fno-integrated-as -fmodules '-save-temps=obj' '-g -gsplit-dwarf' -pg -mcmodel=large \
    '-fpie -Wl,-z,now,--as-needed' '-Wl,-s'; do
    cotree cc -O1 $flags a.c b.c -o prog && right ./prog && [ "$(entries)" = 4 ] || die "$flags"
done

# Names of the driver with something before them.
ln -s "$COTREE_BUILD/cotree" x86_64-cotree-cc
./x86_64-cotree-cc a.c b.c -o named && right ./named
