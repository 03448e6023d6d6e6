#!/usr/bin/env bash
# Data of another program, or without a map to read it by, is no data: status 2 and a reason,
# whatever threshold was asked for.
set -eu
. "$COTREE_TOP/tests/lib/driver.sh"

cat >prog.c <<'C'
int work(int n)
{
    return n > 3 ? n : -n;
}
int main(int argc, char **argv)
{
    (void)argv;
    return work(argc) > 100;
}
C
# nothing WHAT TEXT COMMAND...: it says so, with TEXT, shows no report and ends with 2.
nothing() {
    local what=$1 text=$2 s=0; shift 2
    "$@" >out 2>err || s=$?
    [ $s -eq 2 ] || die "$what: status $s: $(cat out err)"
    grep -q "$text" err || die "$what: no '$text' in: $(cat err)"
    [ ! -s out ] || die "$what: a report: $(cat out)"
}
in_all_ways() { # what text program data
    nothing "$1" "$2" cotree report "$3" "$4"
    nothing "$1" "$2" cotree report --fail-under-lines=90 "$3" "$4"
    nothing "$1" "$2" cotree report --format=json "$3" "$4"
    nothing "$1" "$2" cotree merge "$3" "$4" -o merged.cotree
    [ ! -e merged.cotree ] || die "$1: a merged file"
}

for mode in edges trace; do
    mkdir $mode $mode/plain
    cotree cc -O1 -fcotree=$mode prog.c -o $mode/prog
    (cd $mode && COTREE_FILE=run.cotree ./prog)
    data=$mode/run.cotree
    cotree report --fail-under-lines=10 $mode/prog $data >/dev/null || die "$mode: the program itself"
    # A plain program of the same name, elsewhere; one that has counters, but of other sources; and
    # the same program, rebuilt plainly.
    $clang -O1 prog.c -o $mode/plain/prog
    in_all_ways "$mode: a plain program of the same name" 'data of another build' $mode/plain/prog $data
    sed 's/100/101/; s/n > 3/n > 4/' prog.c >other.c
    cotree cc -O1 -fcotree=$mode other.c -o $mode/plain/prog
    in_all_ways "$mode: another build" 'data of another build' $mode/plain/prog $data
    nothing "$mode: another build's trace" . cotree trace $mode/plain/prog $data
    cp $mode/prog $mode/kept
    $clang -O1 prog.c -o $mode/prog
    in_all_ways "$mode: rebuilt plainly" 'data of another build' $mode/prog $data
    nothing "$mode: a trace, rebuilt plainly" . cotree trace $mode/prog $data
    mv $mode/kept $mode/prog
    # A map of which nothing is left.
    objcopy --dump-section .cotree.map=map $mode/prog
    cp map whole
    size=$(stat -c %s map)
    head -c "$size" /dev/zero | tr '\0' '\125' >map
    objcopy --update-section .cotree.map=map $mode/prog $mode/damaged
    in_all_ways "$mode: a damaged map" 'the map of .* is damaged' $mode/damaged $data
    head -c 8 whole >map; head -c $((size - 8)) /dev/zero | tr '\0' '\125' >>map
    objcopy --update-section .cotree.map=map $mode/prog $mode/damaged
    in_all_ways "$mode: a damaged unit" 'the map of .* is damaged' $mode/damaged $data
done

# A plain program is still named for the data of its libraries; not for that of another program.
cat >library.c <<'C'
int in_library(int n)
{
    return n > 3 ? n : -n;
}
C
cotree cc -O1 -fPIC -shared library.c -o liblibrary.so
echo 'int in_library(int); int main(int argc, char **argv) { (void)argv; return in_library(argc) > 100; }' \
    >user.c
$clang user.c -L. -llibrary -Wl,-rpath,"$PWD" -o user
COTREE_FILE=user.cotree ./user
cotree report --format=json user user.cotree |
    jq -e '.functions[] | select(.name == "in_library") | .entries == 1' >/dev/null || die "a library's data"
cp user other
in_all_ways "a program of another name" 'data of another build' other user.cotree
# Nor is there anything to see without the library.
mv liblibrary.so hidden.so
in_all_ways "without its library" 'no map' user user.cotree
