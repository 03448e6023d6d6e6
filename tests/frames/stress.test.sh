#!/usr/bin/env bash
# Programs that are interrupted at random instructions, by handlers that jump out or end the process
# and by signals from outside, are counted exactly or say that they are not: never silently wrong.
# `make stress` does it many thousand times.
set -eu
"$COTREE_TOP/tests/frames/stress/run" 60
