#!/usr/bin/env bash
# Programs that drop activations behave as without cotree at every level, and their profiles say
# that they are not exact.
set -eu
. "$COTREE_TOP/tests/lib/corpus.sh"
. "$COTREE_TOP/tests/lib/judge.sh"
for name in $(corpus_names 'cut-*'); do judge_levels "$name"; done
finish
