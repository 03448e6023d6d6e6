#!/usr/bin/env bash
# Counts are exact, edge for edge, whatever happens: C++ exceptions.
set -u
. "$COTREE_TOP/tests/frames/matrix.sh"
matrix_group throws
