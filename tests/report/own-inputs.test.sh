#!/usr/bin/env bash
# No command writes over what it reads, by whatever name; but what is merged onto a merged file is in it
# afterwards. An output that cannot be written is said before any work.
set -eu
export PATH="$COTREE_BUILD:$PATH"
die() {
    echo "$*"
    exit 1
}
mkdir work && cd work
cat >main.c <<'END'
#include <stdio.h>
int main(int argc, char **argv)
{
    FILE *file = argc > 1 ? fopen(argv[1], "a") : NULL;
    return file ? fputc('x', file) < 0 || fclose(file) : 0;
}
END
cotree cc -O1 -fcotree=edges,trace main.c -o prog
COTREE_FILE=first.cotree ./prog && COTREE_FILE=second.cotree ./prog
cotree merge -q prog first.cotree -o merged && cotree merge -q prog second.cotree -o other
printf 'graph g\nblocks 2\n' >graph.txt
ln -s first.cotree link && ln prog hard
cp -a . ../before
# keeps OUTPUT WORD...: refused, and nothing has changed.
keeps() {
    local output=$1
    shift
    ! cotree "$@" -o "$output" >/dev/null 2>../said || die "$* -o $output: written"
    grep -q "'$output' is read by this command: name another output" ../said ||
        die "$* -o $output: $(cat ../said)"
    diff -r . ../before || die "$* -o $output: changed"
}
for output in prog hard first.cotree link; do
    keeps $output report prog first.cotree
    keeps $output graph prog first.cotree
    keeps $output trace --list prog first.cotree
    keeps $output diff prog first.cotree second.cotree
    keeps $output merge prog first.cotree
done
keeps second.cotree diff prog first.cotree -- prog second.cotree
keeps merged report merged
keeps ./first.cotree report prog .
keeps first.cotree diff prog . -- prog second.cotree
keeps "$PWD/second.cotree" merge prog ../work
keeps merged diff merged other
keeps graph.txt graph --text graph.txt
keeps prog graph prog
# What is merged onto a merged file, and a file that only has another one's name.
cotree merge -q merged second.cotree prog -o merged
[ "$(cotree report --format=json merged | jq .runs)" -eq 2 ] || die "merged onto a merged file"
mkdir elsewhere && echo old >elsewhere/first.cotree
cotree report prog first.cotree -o elsewhere/first.cotree && grep -q main elsewhere/first.cotree ||
    die "another file of this name"
cotree diff prog first.cotree -- prog second.cotree -o elsewhere/first.cotree || die "parted by --"

# A run is not begun for what cannot be kept.
cotree cc -O1 -fcotree=paths -fcotree-parts main.c -o parts
for output in ./parts elsewhere nowhere/out ''; do
    status=0
    cotree run -k 2 -o "$output" -- ./parts ran 2>said || status=$?
    [ $status -eq 125 ] && [ ! -e ran ] && [ "$(wc -l <said)" -eq 1 ] ||
        die "run -o '$output': $status, $(cat said)"
done
cotree run -q -k 2 -o united -- ./parts ran && [ -s ran ] && [ -s united ] || die "nothing was run"

# One word that is no program; the help of what is no command of its own; options that say nothing.
says() { # PATTERN WORD...
    ! cotree "${@:2}" >out 2>said && [ ! -s out ] && grep -q -- "$1" said || die "${*:2}: $(cat said out)"
}
says "no program given: 'first.cotree' is none" trace first.cotree
says "no program given: 'elsewhere' is a directory" trace elsewhere
says "'nothing': cannot open: No such file" trace nothing
says "'nothing': cannot open: No such file" crash nothing
says "'main.c' is no program" crash main.c
says '--neighbours goes with --paths in text' report --neighbours prog first.cotree
says "'nowhere': No such file" report --debug-path=nowhere prog first.cotree
says "'nowhere': No such file" merge --debug-path=nowhere prog first.cotree -o out.cotree
! cotree trace --thread=9 prog first.cotree >out 2>said || die "a thread that is not there"
grep -q 'there is no thread 9' said && ! grep 'no thread' out || die "no thread: $(cat said out)"
# One pattern of several that matches nothing is named; the others are shown.
for command in report graph diff "trace --list"; do
    # shellcheck disable=SC2086
    cotree $command prog first.cotree $([ "$command" != diff ] || echo second.cotree) \
        --function=main --function='nob*y' --file=main.c --file=none.c \
        >out 2>said
    [ -s out ] && { [ "$command" = diff ] || grep -q main out; } &&
        printf "cotree ${command%% *}: nothing matches %s\n" '--function=nob*y' --file=none.c |
        cmp - said || die "$command: $(cat said)"
done
cotree help >help
awk '/^  [a-z+]* / && substr($0, 32, 1) != " " || length > 100 { exit 1 } /^A first/ { exit }' help ||
    die "cotree help: the columns"
for word in help --help version --version -h; do cotree help $word | cmp - help || die "help $word"; done
