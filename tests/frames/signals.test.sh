#!/usr/bin/env bash
# Counts are exact, edge for edge, whatever happens: signals, caught and not, in the middle of everything.
set -u
. "$COTREE_TOP/tests/frames/matrix.sh"
matrix_group signals
