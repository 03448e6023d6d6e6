#!/usr/bin/env bash
# What counting costs on top of link-time optimisation, over the same program without counters:
# -flto and -flto=thin, linked by lld, beside clang's own edge profile. `bench/lto.sh
# [PROGRAM,PROGRAM...]`; how it is measured is said in bench/run.
set -eu
top=$(cd "$(dirname "$0")/.." && pwd)
exec "$top/bench/run" --programs="${1:-bzip2,gzip,lua5.4,grep}" \
    --columns=lto-edges,lto-fair,thin-edges,thin-fair
