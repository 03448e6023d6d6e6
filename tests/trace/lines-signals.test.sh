#!/usr/bin/env bash
set -u
. "$COTREE_TOP/tests/trace/lines-of-frames.sh"
lines_of_frames signals
