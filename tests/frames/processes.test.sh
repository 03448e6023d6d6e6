#!/usr/bin/env bash
# Counts are exact, edge for edge, whatever happens: fork, vfork, exec and posix_spawn.
set -u
. "$COTREE_TOP/tests/frames/matrix.sh"
matrix_group processes
