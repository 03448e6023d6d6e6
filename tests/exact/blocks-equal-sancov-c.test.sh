#!/usr/bin/env bash
# Block counts at -O0 and -O2 are those of SanitizerCoverage, which shares nothing with cotree: C programs.
set -eu
. "$COTREE_TOP/tests/lib/corpus.sh"
. "$COTREE_TOP/tests/lib/judge.sh"
. "$COTREE_TOP/tests/lib/sancov.sh"
. "$COTREE_TOP/tests/lib/judge_sancov.sh"
for name in $(corpus_names); do
    case $name in cut-*) group=cut ;; *) if corpus_is_cxx "$name"; then group=cxx; else group=c; fi ;; esac
    if [ $group = c ]; then judge_sancov "$name"; fi
done
finish
