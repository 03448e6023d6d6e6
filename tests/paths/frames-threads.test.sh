#!/usr/bin/env bash
# tests/frames, group threads, with paths.
set -u
. "$COTREE_TOP/tests/paths/frames.sh"
frames_group threads
