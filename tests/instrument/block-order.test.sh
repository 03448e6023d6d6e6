#!/usr/bin/env bash
# A counter does not stand in a block of its own, between a branch and the way out, where another one
# costs no more. Such a block would pull the way out in front of a throw that plain code has before
# it; the unwinder would then read the frame information of the way out at each throw.
set -eu
order() { # COMPILER...: the throws and returns of building() in bench/throws.cpp, in their order
    "$@" -O2 -S -o - "$COTREE_TOP/bench/throws.cpp" |
        awk '/^_ZN.*building.*:/ { inside = 1 } /\.cfi_endproc/ { inside = 0 }
            inside && /callq.*__cxa_throw/ { print "throw" } inside && /retq/ { print "return" }'
}
order "clang++-$LLVM" >plain
order "$COTREE_BUILD/cotree" c++ -fcotree=edges >counted
printf 'throw\nreturn\n' | diff - plain
diff plain counted
