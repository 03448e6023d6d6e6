#!/usr/bin/env bash
# Rooms include only what ARCHITECTURE.md lets them: the arrows of the design point one way.
set -eu
cd "$COTREE_TOP"

# room: what it may include. Headers of its own are always allowed.
rules() {
    cat <<'END'
base
graph base
plan base graph
format base graph plan
instrument base graph plan format
runtime format/counters.h format/data_layout.h format/data_seal.h format/trace_layout.h
decode base graph plan format
report base graph format decode
cli base graph plan format decode report instrument/options.h runtime/link_flags.h
END
}

wrong=0
for directory in src/*/; do
    room=$(basename "$directory")
    rule=$(rules | awk -v room="$room" '$1 == room') || :
    [ -n "$rule" ] || { echo "src/$room: a room without a rule: add one here and in ARCHITECTURE.md"; wrong=1; continue; }
    while IFS=: read -r file line header; do
        case $room:$header in instrument:llvm/* | instrument:llvm-c/*) continue ;; esac
        case $header in */*) ;; *) echo "$file:$line: '$header' has no room: include files of ours by room/name.h"; wrong=1; continue ;; esac
        allowed=no
        for entry in $rule; do # the first one is the room itself
            case $header in "$entry" | "$entry"/*) allowed=yes ;; esac
        done
        [ $allowed = yes ] || { echo "$file:$line: $room may not include $header"; wrong=1; }
    done < <(grep -HnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"' "$directory"*.[ch]* | sed -E 's/#[^"]*"([^"]*)".*/\1/; s/:[[:space:]]*([^:]*)$/:\1/')
done

# The layout headers stand alone, since the runtime may include nothing else.
for header in src/format/counters.h src/format/data_layout.h src/format/trace_layout.h; do
    ! grep -n '#include "' $header || { echo "$header includes a header of ours"; wrong=1; }
done
# Only one room knows LLVM, and nobody reaches into another's C files.
for file in $(grep -lE '#include [<"](llvm|llvm-c|clang)/' -r src); do
    case $file in src/instrument/*) ;; *) echo "$file includes LLVM"; wrong=1 ;; esac
done
! grep -rnE '#include "[^"]*\.c(pp)?"' src || wrong=1
# The pure rooms do no I/O (snprintf is none).
! grep -nE '#include <(fcntl|unistd|sys/[a-z]+)\.h>|\b(fopen|printf|fprintf|puts|getenv)\(' src/graph/*.c src/plan/*.c || { echo "graph and plan are pure"; wrong=1; }
exit $wrong
