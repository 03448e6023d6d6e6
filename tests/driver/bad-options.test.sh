#!/usr/bin/env bash
# A wrong option of ours ends with one clear line and status 64, before anything is compiled.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"
write_sources

refuses 64 "no such counter set: 'egdes'" cotree cc -fcotree=egdes -c a.c
refuses 64 "no such counter set: ''" cotree cc -fcotree= -c a.c
refuses 64 "no such counter set: ''" cotree cc -fcotree=edges, -c a.c
refuses 64 "'edges' is named twice" cotree cc -fcotree=edges,blocks,edges -c a.c
refuses 64 "no such placement" cotree cc -fcotree-placement=best -c a.c
refuses 64 "no such placement" cotree cc -fcotree-placement=balance -c a.c
refuses 64 "name of a file is missing" cotree cc -fcotree-use= -c a.c
refuses 64 "cannot read 'no-such-file'" cotree cc -fcotree-use=no-such-file -c a.c
refuses 64 "cannot read 'no-such-list'" cotree cc -fcotree-files=@no-such-list -c a.c
refuses 64 "a pattern is missing" cotree cc -fcotree-exclude-functions= -c a.c
refuses 64 "unknown option '-fcotree-usage' (did you mean '-fcotree-use='?)" cotree cc -fcotree-usage=x -c a.c
refuses 64 "(did you mean '-fcotree-exclude-files='?)" cotree cc -fcotree-exclude-file=x -c a.c
refuses 64 "option '-fcotree-durable' takes no value" cotree cc -fcotree-durable=3 -c a.c
refuses 64 "option '-fcotree-carry' takes no value" cotree cc -fcotree-carry=yes -c a.c
refuses 64 "option '-fcotree-use' needs a value" cotree cc -fcotree-use -c a.c
refuses 64 "unknown option '-fcotreeedges'" cotree-c++ -fcotreeedges -c a.c
refuses 64 "unknown option '-fcotree-?[31m'" cotree cc $'-fcotree-\e[31m' -c a.c
[ ! -e a.o ]

refuses 64 "no such command: 'ccc'" cotree ccc
refuses 64 "no such command: 'reprot' (did you mean 'report'?)" cotree reprot
status=0; cotree 2>usage || status=$?
[ $status -eq 64 ] && grep -q '^usage: cotree' usage
cotree help >help && cmp help usage
cotree --help | cmp - help
[ "$(cotree --version)" = "$(cotree version)" ]
cotree --version | grep -qE "^cotree [0-9.]+ \(LLVM $llvm\)$"
