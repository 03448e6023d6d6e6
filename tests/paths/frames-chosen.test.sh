#!/usr/bin/env bash
# Programs of tests/frames that watch only some of their paths.
set -u
. "$COTREE_TOP/tests/paths/frames.sh"
frames_chosen switch-cut computed-goto-cut fork-exits exit-inlined longjmp-callback throw-nested \
    recursion-cut exit-in-thread setjmp-many-returns exit-tail-call
