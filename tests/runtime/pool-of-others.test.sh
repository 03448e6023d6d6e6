#!/usr/bin/env bash
# Root counts in no pool that another user made, who could cut it short: it has one beside. Others may share.
set -eu
. "$COTREE_TOP/tests/lib/runtime.sh"
[ "$(id -u)" -eq 0 ] || { echo "skipped: needs root"; exit 77; }
build_exec prog "$HERE/pool.c"
shared=$(mktemp -d) # where all users may go, unlike here
trap 'rm -rf "$shared"' EXIT
mkdir "$shared/pools"; chmod 755 "$shared"; chmod 1777 "$shared/pools"; mv prog "$shared"
export COTREE_FILE=$shared/pools/prog.%m.cotree
as_other() { setpriv --reuid="$1" --clear-groups "${@:2}"; }
(umask 0; as_other 65534 "$shared/prog" 1)
ls "$shared"/pools/*.pool.cotree >/dev/null || fail "no pool"
[ "$(find "$shared/pools" -type f | wc -l)" -eq 1 ] || fail "more than one pool"
"$shared/prog" 1; "$shared/prog" 1
expect "the other's pool" "$(field runs "$(ls "$shared"/pools/*.pool.cotree)")" 1
expect "root's own" "$(field runs "$(ls "$shared"/pools/*.pool.1.cotree)")" 2
as_other 65533 "$shared/prog" 1
expect "shared by others" "$(field runs "$(ls "$shared"/pools/*.pool.cotree)")" 2
# What root made is root's.
rm -f "$shared"/pools/*
"$shared/prog" 1; "$shared/prog" 1
[ "$(find "$shared/pools" -type f | wc -l)" -eq 1 ] || fail "root does not share its own pool"
