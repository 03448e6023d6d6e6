#!/usr/bin/env bash
# tests/frames, group signals, with paths.
set -u
. "$COTREE_TOP/tests/paths/frames.sh"
frames_group signals
