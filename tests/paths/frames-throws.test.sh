#!/usr/bin/env bash
# tests/frames, group throws, with paths.
set -u
. "$COTREE_TOP/tests/paths/frames.sh"
frames_group throws
