# For tests of the compiler driver: source it. PATH has cotree, cotree-cc and cotree-c++ of the build.
PATH=$COTREE_BUILD:$PATH
unset COTREE_CLANG CCACHE_DISABLE
llvm=${LLVM:-19}
clang=clang-$llvm

die() { echo "$*"; exit 1; }

# has TEXT WORD...: each word stands in the text. hasnt: none does.
has() {
    local text=$1 w; shift; for w; do case $text in *"$w"*) ;; *) die "missing: $w in: $text" ;; esac; done
}
hasnt() {
    local text=$1 w; shift; for w; do case $text in *"$w"*) die "unexpected: $w in: $text" ;; *) ;; esac; done
}

# refuses STATUS TEXT COMMAND...: the command ends with STATUS and says one line, which holds TEXT.
refuses() {
    local status=0 want=$1 text=$2 out; shift 2
    out=$("$@" 2>&1) || status=$?
    [ "$status" -eq "$want" ] || die "status $status instead of $want from: $* ($out)"
    [ "$(printf '%s\n' "$out" | wc -l)" -eq 1 ] || die "more than one line from: $*: $out"
    has "$out" "$text"
}

# What clang would run, a word a line, temporary names made equal.
steps_of() {
    "$@" -### 2>&1 | grep '^ "' | sed -E 's/^ "//; s/"$//; s/" "/\n/g' |
        sed -E 's#(/tmp/[^ ]*)-[0-9a-f]{6}\.#\1-X.#'
}

# untouched ARG...: cotree cc runs exactly what clang runs.
untouched() {
    local plain ours
    plain=$(steps_of "$clang" "$@"); ours=$(steps_of cotree cc "$@")
    [ "$plain" = "$ours" ] || { diff <(echo "$plain") <(echo "$ours"); die "not passed through: $*"; }
}

# without_ours: the steps on stdin without the words that the driver adds.
without_ours() {
    awk '
        /^-discard-value-names$/ { next }
        /^-plugin-arg-cotree$/ { skip = 1; next }
        skip { skip = 0; next }
        /^-load$/ || /^-mllvm$/ || /^-u$/ { held = $0; next }
        held == "-load" { if ($0 !~ /\/lib\/cotree\/plugin\.so$/) { print held; print }; held = ""; next }
        held == "-mllvm" { if ($0 !~ /^-cotree-options=/) { print held; print }; held = ""; next }
        held == "-u" { if ($0 !~ /^_Unwind_(Find_FDE|Resume)$/) { print held; print }; held = ""; next }
        /^-fpass-plugin=.*\/lib\/cotree\/plugin\.so$/ || /^-fdepfile-entry=/ { next }
        $0 == "-Rpass=^\\$" { next }
        /\/lib\/cotree\/(runtime|trace)-[a-z]+\.[oa]$/ { next }
        /^--build-id$/ || /^--export-dynamic-symbol=/ || /^--wrap=/ { next }
        { print }'
}

# only_added ARG...: but for words of ours, cotree cc runs exactly what clang runs.
only_added() {
    local plain ours
    plain=$(steps_of "$clang" "$@" | without_ours); ours=$(steps_of cotree cc "$@")
    [ "$plain" != "$ours" ] || die "nothing added: $*"
    ours=$(echo "$ours" | without_ours)
    [ "$plain" = "$ours" ] || { diff <(echo "$plain") <(echo "$ours"); die "changed: $*"; }
}

# A program worth counting, and the sources tests need. The C++ needs the C++ library, but none of its
# large headers: tests compile it often.
write_sources() {
    cat >a.c <<'END'
#include <stdio.h>
int twice(int);
int main(int argc, char **argv)
{
    (void)argv;
    for (int i = 0; i < 3 + argc; i++)
        printf("%d\n", twice(i));
    return 0;
}
END
    cat >b.c <<'END'
int twice(int n) { return n > 1 ? 2 * n : n + n; }
END
    cat >b.s <<'END'
        .globl twice
        .type twice, @function
twice:  lea (%rdi,%rdi), %eax
        ret
        .section .note.GNU-stack,"",@progbits
END
    { echo '#define NAME twice'; sed 's/twice/NAME/g' b.s; } >B.S
    cat >c.cpp <<'END'
#include <cstdio>
template <class T> static T half(T n) { if (n < 0) throw n; return n / 2; }
int main()
{
    for (int i = 0; i < 3; i++)
        std::printf("%d\n", half(i));
    try { half(-1); } catch (int) { return 0; }
    return 1;
}
END
}

# counts FILE: the object or program carries a map, so it is instrumented.
counts() { readelf -SW "$1" 2>/dev/null | grep -qF .cotree.map; }
# leaves PROGRAM ARG...: a run of it leaves exactly one data file, whose report has main entered once.
leaves() {
    rm -f ./*.cotree
    "$@" >output || die "$* failed"
    set -- "$1" ./*.cotree
    [ $# -eq 2 ] && [ -e "$2" ] || die "$1 left: $*"
    cotree report --format=json "$@" -o report.json || die "no report of $1"
    [ "$(jq -r '.functions[] | select(.name == "main") | .entries' report.json)" = 1 ] ||
        die "main of $1 was not entered once"
}
# leaves_nothing PROGRAM ARG...
leaves_nothing() {
    rm -f ./*.cotree
    "$@" >output || die "$* failed"
    ! ls ./*.cotree 2>/dev/null || die "$1 left a data file"
}
