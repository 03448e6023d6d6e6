#!/usr/bin/env bash
# Functions of the C library that fork, execute or end inside: output and status are those of the
# plain program, every count is exact, and nothing is called killed that was not. How often the
# lines ran that write is told by what was written.
set -eu
here=$COTREE_TOP/tests/runtime cotree=$COTREE_BUILD/cotree
fail() { echo "$*"; exit 1; }
flags="-O1 -g -w -D_GNU_SOURCE $here/library_ends.c"
"clang-$LLVM" $flags -o plain
"$cotree" cc $flags -o edges
"$cotree" cc -fcotree=paths $flags -o paths
"$cotree" cc -fcotree=trace $flags -o trace
"$cotree" cc -static $flags -o static 2>/dev/null
ulimit -c 0
chmod 777 . # one way ends as nobody
# All that a program and its children say; `cat` ends when the last of them has.
run() { # PROGRAM WAY
    ({ ./"$1" "$2" 3>&1 >/dev/null 2>&1 || echo "status $?"; } | cat) >"$1.out" 2>/dev/null
}
# LINE TEXT of each line that says something
sed -n '/write_line(".*; \/\*/=' "$here/library_ends.c" | while read -r line; do
    echo "$line $(sed -n "$line s/.*write_line(\"\([^\\\\]*\).*/\1/p" "$here/library_ends.c")"
done >lines
[ "$(wc -l <lines)" = 7 ] || fail "lines: $(cat lines)"
ways="daemon daemon-twice daemon-fails forkpty login_tty popen system wordexp posix_spawn posix_spawn-fails error error_at_line error-goes-on err errx verr verrx
    argp-help argp-usage argp-error exit quick_exit _Exit assert assert_perror __stack_chk_fail __chk_fail free thread-exit thread-error last-thread callback
    execveat execveat-file execveat-fails fexecve"
for way in $ways; do
    run plain $way
    grep -q '^before$' plain.out || fail "plain, $way: $(cat plain.out)"
    ! grep -q '^status 77$' plain.out || fail "plain, $way cannot be tried"
    for program in edges paths trace static; do
        rm -f $program.*.cotree*
        COTREE_FILE=$program.%p.cotree run $program $way
        cmp <(sort plain.out) <(sort $program.out) || fail "$program, $way: $(diff plain.out $program.out)"
        "$cotree" report --format=json ./$program $program.*.cotree >$program.json
        "$cotree" report ./$program $program.*.cotree >$program.txt
        ! grep -q killed $program.txt || fail "$program, $way: $(sed -n 1,4p $program.txt)"
        jq -r '.exact, (.files[] | select(.file | endswith("library_ends.c")) | .lines[] |
            "\(.line) \(.count)")' $program.json >counts
        # Traces of threads that live at the end are not whole, and say so.
        case $program,$way in trace,thread-*) [ "$(sed -n 1p counts)" = false ] && continue ||
            fail "$program, $way: exact" ;; *) [ "$(sed -n 1p counts)" = true ] ||
            fail "$program, $way: $(sed -n 1,4p $program.txt)" ;; esac
        while IFS=' ' read -r line said; do
            wanted=$(grep -c "^$said\$" plain.out || :)
            grep -qx "$line $wanted" counts ||
                fail "$program, $way: line $line ran not $wanted times: $(grep "^$line " counts)"
        done <lines
    done
done
