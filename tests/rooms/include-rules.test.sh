#!/usr/bin/env bash
# Rooms include only what ARCHITECTURE.md lets them: the arrows of the design point one way, between
# rooms and between the rooms inside them.
set -eu
work=$PWD
cd "$COTREE_TOP"

# room: what it may include, rooms or single headers. A room may always include itself, and a rule
# for a/b is looked at before one for a. An entry without a slash stands for the whole room, with
# all rooms inside. Rooms that are still to come have their rules already.
rules() {
    cat <<'END'
base
graph base
plan base graph
plan/crash base graph plan
plan/parts base graph plan

format base graph plan
format/trace base format/container.h format/data
format/data base format/counters.h format/trace/layout.h
format/map base graph plan format/packed.h format/zigzag.h format/trace/layout.h
format/places base format/packed.h format/records.h format/zigzag.h
format/carry base format/packed.h
format/slots base format/packed.h format/records.h
format/profile base graph plan format/container.h format/data format/map

instrument base graph plan format
instrument/graph base graph format instrument/llvm instrument/options.h runtime/watched_functions.h
instrument/carry base format instrument/options.h
instrument/use base format instrument/graph instrument/llvm
instrument/marker base format instrument/graph instrument/llvm
instrument/place base format instrument/graph instrument/llvm instrument/marker
instrument/count base instrument/graph instrument/llvm instrument/marker instrument/place
instrument/final base graph format instrument/graph instrument/llvm instrument/marker instrument/place
instrument/path base plan instrument/graph instrument/llvm instrument/use instrument/marker instrument/options.h
instrument/trace base graph plan format instrument/graph instrument/llvm instrument/marker instrument/options.h
instrument/crash base graph plan format instrument/graph instrument/llvm instrument/marker instrument/place instrument/options.h
instrument/parts base graph plan format instrument/graph instrument/llvm instrument/marker
instrument/llvm base format instrument

runtime format/data/layout.h plan/parts/slices.h runtime/arch/arch.h
runtime/arch
runtime/loader runtime/runtime.h runtime/system_calls.h runtime/interpose.h runtime/watched_functions.h runtime/arch/arch.h
runtime/file format/counters.h format/data/layout.h format/data/seal.h runtime/runtime.h runtime/interpose.h runtime/loader
runtime/frames format/data/layout.h runtime/runtime.h runtime/system_calls.h runtime/interpose.h runtime/arch/arch.h runtime/loader runtime/file
runtime/death runtime/runtime.h runtime/interpose.h runtime/arch/arch.h runtime/loader runtime/file runtime/frames
runtime/process format/counters.h runtime/runtime.h runtime/interpose.h runtime/watched_functions.h runtime/arch/arch.h runtime/loader runtime/file runtime/frames runtime/death
runtime/trace format/data/seal.h format/trace/layout.h runtime/runtime.h runtime/system_calls.h runtime/interpose.h runtime/loader runtime/file runtime/frames runtime/death runtime/process

decode format/profile plan
decode/elf base format
decode/model base graph plan format decode/decode.h decode/elf
decode/frames base format decode/model
decode/paths base graph plan format decode/model
decode/trace base graph plan format decode/model decode/frames
decode/profile base graph plan format decode/decode.h decode/elf decode/model decode/frames decode/paths decode/trace
decode/lines base format
decode/crash base graph plan format decode/elf decode/model decode/frames decode/lines

follow base format decode/trace
report base graph format decode
weave base format instrument/options.h stem/layout.h
stem
expect
run base format expect/layout.h
weave/tune base format decode
cli base graph plan format decode follow report weave run expect instrument/options.h runtime/link_flags.h
END
}

wrong=0
complain() { echo "$*"; wrong=1; }
find src -name '*.[ch]' -o -name '*.[ch]pp' | sort >"$work/files"
# A test that looks at nothing would pass.
[ "$(wc -l <"$work/files")" -gt 300 ] || complain "only $(wc -l <"$work/files") files were looked at"

# The rule of a folder is that of the innermost room around it that has one.
xargs awk -v rules="$(rules)" '
    function rule_of(room) {
        while (!(room in rule) && sub("/[^/]*$", "", room)) ;
        return (room in rule) ? rule[room] : ""
    }
    function complain(text) { print FILENAME ":" FNR ": " text; wrong = 1 }
    function allowed(header, entries,   n, i, entry) {
        n = split(entries, entry, " ")
        for (i = 1; i <= n; i++)
            if (header == entry[i] || index(header, entry[i] "/") == 1)
                return 1
        return 0
    }
    BEGIN {
        n = split(rules, lines, "\n")
        for (i = 1; i <= n; i++) {
            name = lines[i]; sub(" .*", "", name)
            if (name != "") rule[name] = lines[i] # the first word allows the room itself
        }
    }
    FNR == 1 {
        room = FILENAME; sub("^src/", "", room); sub("/[^/]*$", "", room)
        mine = rule_of(room)
        if (mine == "") complain("a room without a rule: add one here and in ARCHITECTURE.md")
    }
    /^[ \t]*#[ \t]*include[ \t]*"/ {
        header = $0; sub("^[^\"]*\"", "", header); sub("\".*", "", header)
        folder = header; known = sub("/[^/]*$", "", folder)
        if (room ~ "^instrument" && header ~ "^llvm(-c)?/") next
        if (!known) complain("\"" header "\" has no room: include files of ours by room/name.h")
        else if (folder != room && mine != "" && !allowed(header, mine))
            complain(room " may not include " header)
    }
    END { exit wrong }' <"$work/files" || wrong=1

# What each file includes leads down only: no way leads back into a room. (LLVM's side of instrument
# is beside all others: its headers are what C may ask of it; headers of layouts include nothing;
# instrument/options.h is below all of instrument, and so a room of its own here.) tsort names the
# rooms of a cycle.
arrows=$(xargs <"$work/files" grep -HoE '^#include "[^"]+"' | grep -vE '/(layout|counters)\.h"$' |
    sed -E 's,instrument/options\.([ch]),instrument/options/options.\1,g; s,^src/(.*)/[^/]*:#include "(.*)/[^/]*"$,\1 \2,' | awk '$1 != $2 && $0 !~ /llvm/' | sort -u)
[ "$(echo "$arrows" | wc -l)" -gt 50 ] || complain "too few arrows were found"
cycles=$(echo "$arrows" | tsort 2>&1 >/dev/null) ||
    { cycles=${cycles#*loop:}; complain "rooms that include each other:" ${cycles%%tsort: -:*}; }

# The layout headers stand alone, since the runtime may include nothing else.
for header in src/expect/layout.h src/stem/layout.h src/format/counters.h src/format/data/layout.h \
    src/format/trace/layout.h src/plan/parts/slices.h; do
    ! grep -n '#include "' $header || complain "$header includes a header of ours"
done
# Only one room knows LLVM, and nobody reaches into another's C files.
for file in $(grep -lE '#include [<"](llvm|llvm-c|clang)/' -r src); do
    case $file in src/instrument/*) ;; *) complain "$file includes LLVM" ;; esac
done
! grep -rnE '#include "[^"]*\.c(pp)?"' src || wrong=1
# Only runtime/arch knows the machine: instructions, registers and how the kernel saves them. (An
# empty __asm__ stops the compiler from moving code; one of sections holds no instruction; one after
# a declaration gives a symbol its name.)
machine=$(grep -rnE '(^|[({;])[[:space:]]*__asm__|\b(gregs|mcontext_t|fs_base|R_X86_64_[A-Z0-9]+|REG_R[A-Z0-9]+)\b|%%?fs:' src/runtime --include='*.[ch]' |
    sed -E '/^src\/runtime\/arch\//d; /__asm__( volatile)?\("("|.section )/d')
[ -z "$machine" ] || complain "belongs to runtime/arch:
$machine"
[ "$(grep -rhoE '__asm__' src/runtime/arch | wc -l)" -gt 10 ] || complain "runtime/arch has no assembly"
# The pure rooms do no I/O (snprintf is none).
! grep -rnE '#include <(fcntl|unistd|sys/[a-z]+)\.h>|\b(fopen|printf|fprintf|puts|getenv)\(' src/graph \
    src/plan --include='*.c' || complain "graph and plan are pure"
exit $wrong
