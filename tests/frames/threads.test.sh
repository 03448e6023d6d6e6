#!/usr/bin/env bash
# Counts are exact, edge for edge, whatever happens: threads that end early, are cancelled, or die.
set -u
. "$COTREE_TOP/tests/frames/matrix.sh"
matrix_group threads
