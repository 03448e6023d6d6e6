#!/usr/bin/env bash
# Random programs, each with counters of its own on every line: reports have those counts, or say by
# how much they may differ. Always the same programs; `make stress KIND=programs` tries others.
JOBS=1 TRIES=20 exec "$COTREE_TOP/tests/stress/programs.sh" 40 1
