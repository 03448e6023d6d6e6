#!/usr/bin/env bash
# What the plugin leaves in an object: the same bytes every time, a map that is not loaded,
# attributes that are true, counters once however often the unit is seen, and, where nothing is
# counted, exactly the code of a plain compile.
set -eu
. "$COTREE_TOP/tests/lib/instrument.sh"
source=$COTREE_TOP/tests/instrument/control_flow.c

plugin_cc 'sets=edges,every-edge;lines=1' -O2 -c "$source" -o first.o
plugin_cc 'sets=edges,every-edge;lines=1' -O2 -c "$source" -o second.o
cmp first.o second.o || fail "two compilations differ"
readelf -SW first.o | grep -qE '\.cotree\.map +PROGBITS +0+ [0-9a-f]+ [0-9a-f]+ 00 +0 ' ||
    fail "the map is loaded"

# No definition may claim that it leaves memory alone: it counts.
plugin_cc 'sets=edges' -O2 -S -emit-llvm "$source" -o after.ll
grep -E '^define' after.ll | grep -oE '#[0-9]+' | sort -u | while read -r group; do
    ! grep -E "^attributes $group = " after.ll | grep -E 'memory\(|speculatable' ||
        fail "a false attribute survives"
done
! grep -q 'llvm.var.annotation' <(grep -E '^ +(tail |musttail )?call' after.ll) ||
    fail "a marker was not lowered"

# Bitcode that goes through the passes again is not counted twice.
for kind in lto bitcode; do
    plugin_cc "sets=edges;$kind=1" -O2 -c -emit-llvm "$source" -o once.bc
    plugin_cc 'sets=edges' -O2 -c once.bc -o twice.o
    plugin_cc 'sets=edges' -O2 -c "$source" -o once.o
    cmp <(map_of once.o) <(map_of twice.o) || fail "bitcode was instrumented twice"
    # Every counter that counts without it counts with it, once or, where code was copied, more often.
    counted() { # OBJECT: the counters of functions that it counts, in their own arrays or in those of final functions
        map_of "$1" >functions
        {
            objdump -dr --no-show-raw-insn "$1" | sed -n 's/.*R_X86_64_TPOFF32\t__cotree\.//p' |
                grep -v '^final\.' |
                sed 's/\.[0-9a-f]\{16\}//' |
                while IFS=+ read -r name at; do echo "$name $(((at - 16) / 8))"; done
            map_of -f "$1" |
                awk 'NR == FNR { if ($1 == "function") name = $2; else if ($(NF - 1) == "key") of[$NF] = name;
                    next }
                { print of[$1], $2 }' functions -
        } | sort -u
    }
    [ -n "$(counted twice.o)" ] || fail "nothing is counted"
    cmp <(counted once.o) <(counted twice.o) || { diff <(counted once.o) <(counted twice.o) |
        head -5; fail "counters differ after bitcode ($kind)"; }
done
# A code generator that does not know the plugin stops rather than drop markers.
plugin_cc 'sets=edges;lto=1' -O2 -c -emit-llvm "$source" -o once.bc
if LLVM_DISABLE_SYMBOLIZATION=1 "$clang" -fno-crash-diagnostics -O2 -c once.bc -o plain.o 2>messages; then
    fail "markers were dropped silently"
fi
grep -q 'unsupported GC: cotree: link with' messages || fail "said instead: $(head -n 3 messages)"

# Lines are asked for with -Rpass=^$, which marks loops with locations; that must not change the code.
plain_code() { objdump -d --no-show-raw-insn "$1" | grep -E '^ +[0-9a-f]+:' | sed 's/^ *[0-9a-f]*://'; }
for level in $levels; do
    plugin_cc 'sets=edges;lines=1;allow-function=none' "$level" -c "$source" -o ours.o
    "$clang" "$level" -c "$source" -o plain.o
    cmp <(plain_code ours.o) <(plain_code plain.o) || fail "asking for lines changes the code at $level"
done

# Source lines need no -g, add no debug sections, and prefix maps apply.
readelf -SW first.o | grep -q debug_ && fail "debug sections appear without -g"
map_of -l first.o | grep -qE "block 0 .*$source:[0-9]+" || fail "blocks have no lines"
plugin_cc 'sets=edges' -O2 -ffile-prefix-map="$COTREE_TOP"=/moved -c "$source" -o moved.o
map_of moved.o | grep -q "file /moved/tests/instrument/control_flow.c" ||
    fail "-ffile-prefix-map is not honoured"
plugin_cc "sets=edges;prefix-map=$COTREE_TOP=/away" -O2 -c "$source" -o moved.o
map_of moved.o | grep -q "file /away/tests/instrument/control_flow.c" || fail "prefix-map is not honoured"

# Other targets are refused in one line.
if plugin_cc 'sets=edges' --target=aarch64-linux-gnu -ffreestanding -c -x c - -o other.o \
    <<<'int f(int x) { return x; }' 2>messages; then
    fail "another target was accepted"
fi
grep -q "is not supported: only x86-64 Linux is" messages || fail "said instead: $(cat messages)"
