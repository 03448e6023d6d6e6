#!/usr/bin/env bash
# Block counts at -O0 and -O2 are those of SanitizerCoverage, which shares nothing with cotree:
# programs that drop activations.
set -eu
. "$COTREE_TOP/tests/lib/judge_sancov.sh"
judge_sancov_group cut
