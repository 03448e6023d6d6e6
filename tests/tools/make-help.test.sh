#!/usr/bin/env bash
# `make help` names every target a user may call.
set -eu
cd "$COTREE_TOP"
help=$(make --no-print-directory help)
for target in $(sed -n 's/^\.PHONY://p' Makefile); do
    case $target in all | help) continue ;; esac
    echo "$help" | grep -qE "(make|/) $target( |$)" || { echo "make help does not mention $target"; exit 1; }
done
