#!/usr/bin/env bash
# A sample of `make stress KIND=flips`: files of every kind are damaged some hundred times each; no
# other report may be called exact.
set -eu
"$COTREE_TOP/tests/stress/flips.sh" 300 7
