#!/usr/bin/env bash
# Counts are exact, edge for edge, whatever happens: exit and its relatives, anywhere.
set -u
. "$COTREE_TOP/tests/frames/matrix.sh"
matrix_group exits
