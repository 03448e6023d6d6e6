#!/usr/bin/env bash
# An increment is one instruction, at every level and in functions that are never optimised: a
# signal handler that counts on the same counter loses nothing. In -fPIC code the counter's address
# is computed first, and then it is one instruction too.
set -eu
. "$COTREE_TOP/tests/lib/instrument.sh"
for source in control_flow.c exceptions.cpp; do
    for level in $levels; do
        plugin_cc 'sets=edges,every-edge' "$level" -fPIE -c "$COTREE_TOP/tests/instrument/$source" -o pie.o
        objdump -dr --no-show-raw-insn pie.o | awk -v what="$source $level" '
            /^ +[0-9a-f]+:\t/ { code = $0 }
            /[ \t]__cotree\./ { n++; if (code !~ /(incq|addq +\$0x[0-9a-f]+,|add +%r[a-z0-9]+,) *%fs:0x0$/)
                { print what ": " code; bad = 1 } }
            END { if (n < 100) { print what ": only " n + 0 " increments"; bad = 1 } exit bad }'
        plugin_cc 'sets=edges,every-edge' "$level" -fPIC -S "$COTREE_TOP/tests/instrument/$source" -o pic.s
        # A counter is named where its address is taken, or incremented at once; nothing loads or stores one.
        awk -v what="$source $level -fPIC" '
            /^\t\.|^ *#/ { next }
            /__cotree\./ && !/:$/ && $1 !~ /^(leaq|incq|addq)$/ &&
                $0 !~ /^"?__cotree/ { print what ": " $0; bad = 1 }
            ($1 == "incq" || $1 == "addq" && $2 ~ /^\$/) && /\(/ { n++ }
            END { if (n < 100) { print what ": only " n + 0 " increments"; bad = 1 } exit bad }' pic.s
    done
done

# Sanitizers check loads and stores, and would take increments apart.
for sanitizer in address thread memory; do
    for kind in -fPIE -fPIC; do
        plugin_cc 'sets=edges,every-edge' -O2 $kind -fsanitize=$sanitizer \
            -S "$COTREE_TOP/tests/instrument/control_flow.c" -o made.s
        awk -v what="control_flow.c $kind -fsanitize=$sanitizer" '
            /^\t\.|^ *#/ { next }
            /__cotree\./ && !/:$/ && $1 !~ /^(leaq|incq|addq|movabsq|xorq)$/ &&
                $0 !~ /^"?__cotree/ { print what ": " $0; bad = 1 }
            ($1 == "incq" || $1 == "addq" && $2 ~ /^\$/) && /\(|%fs:/ { n++ }
            END { if (n < 100) { print what ": only " n + 0 " increments"; bad = 1 } exit bad }' made.s
    done
done
