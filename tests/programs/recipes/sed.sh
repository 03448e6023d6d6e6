# sed: a C source turned into marked-up text, and lines reversed.
programs=sed/sed
unit=execute.c
configure() { "$SRC"/configure --disable-dependency-tracking --disable-nls --disable-acl --without-selinux; }
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
own_tests() { make check SUBDIRS=. RUN_VERY_EXPENSIVE_TESTS=no; }
