# sed: a C source turned into marked-up text, and lines reversed.
programs=sed/sed
unit=execute.c
# One configured tree is compiled by several compilers, and stdckdint.h comes with some of them only.
configure() { ac_cv_header_stdckdint_h=no "$SRC"/configure --disable-dependency-tracking --disable-nls --disable-acl --without-selinux; }
compile() { make; }
inputs() {
    head -c 260000 "$SRC"/ChangeLog-2014 >text
    cat >markup <<'END'
s/&/\&amp;/g
s/</\&lt;/g
s/>/\&gt;/g
s/\([a-zA-Z_][a-zA-Z_0-9]*\)(/<b>\1<\/b>(/g
/^[0-9]/s/.*/<h2>&<\/h2>/
s/[ \t]*$//
/^$/!{H;x;s/\n/ /;s/^.*\(.\{40\}\)$/\1/;x}
y/abc/ABC/
END
}
workload() {
    $RUN ./sed -f markup text >marked
    $RUN ./sed -n '1!G;h;200{p;q}' text >reversed
    $RUN ./sed -E 's/([a-z]+) ([a-z]+)/\2 \1/g;t;d' text >swapped
}
# Without panic-tests, which wants a folder it may not write to: root may.
own_tests() { make check SUBDIRS=. TESTS="$(sed -n 's|^  \(testsuite/[a-z0-9-]*\.sh\).*|\1|p' "$SRC"/testsuite/local.mk | grep -v panic-tests | sort -u | tr '\n' ' ')"; }
