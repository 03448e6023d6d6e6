#!/usr/bin/env bash
# At -O0 and at another level (lib/judge.sh): output as without cotree, all counter
# sets agree, the same counts. C++ programs.
set -eu
. "$COTREE_TOP/tests/lib/corpus.sh"
. "$COTREE_TOP/tests/lib/judge.sh"
for name in $(corpus_names); do
    case $name in cut-*) continue ;; esac
    if corpus_is_cxx "$name"; then judge_levels "$name"; fi
done
finish
