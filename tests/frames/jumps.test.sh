#!/usr/bin/env bash
# Counts are exact, edge for edge, whatever happens: longjmp and its relatives, over all kinds of frames.
set -u
. "$COTREE_TOP/tests/frames/matrix.sh"
matrix_group jumps
