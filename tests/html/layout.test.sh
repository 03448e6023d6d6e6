#!/usr/bin/env bash
# Drawings of flow graphs (src/report/html/layout.js): boxes do not overlap, edges lead from box to
# box and through none, in many graphs.
set -eu
node "$COTREE_TOP/tests/html/layout.js" "$COTREE_TOP/src/report/html/layout.js"
