# sed: a C source turned into marked-up text, and lines reversed.
programs=sed/sed
unit=execute.c
# One configured tree is compiled by several compilers, and stdckdint.h comes with some of them only.
configure() {
    ac_cv_header_stdckdint_h=no "$SRC"/configure --disable-dependency-tracking --disable-nls --disable-acl \
        --without-selinux
}
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
failures() {
    fails unterminated ./sed 's/a/b' text
    fails lengths ./sed 'y/abc/de/' text
    fails brace ./sed -n '/a/{p;/b/{p}' text
    fails label ./sed 'b nowhere' text
    fails regex ./sed 's/\(a/b/' text
    fails reference ./sed -E 's/(a)/\2/' text
    fails empty-regex ./sed 's//x/' text
    fails command ./sed -f text text
    fails option ./sed --nonsense
    fails missing ./sed -f nowhere
    fails missing-input ./sed -n '$p' nowhere text nowhere
    fails folder ./sed -i 's/a/b/' .
    fails quit ./sed '3{s/a/b/g;q5}' text
    fails quit-silently ./sed -n '/^ /{:a;n;/the/Q7;ba}' text
    fails write ./sed -n 'w /dev/full' text
    fails no-folder ./sed -n 'w nowhere/out' text
    fails child ./sed '5e kill -TERM $PPID' text
    fails child-abort ./sed '5e kill -ABRT $PPID' text
    fails_full full ./sed -f markup text
    fails_full full-unbuffered ./sed -u p text
    cut_off cut ./sed p text
    killed_reading term TERM "$(head -c 20000 text)" ./sed -f markup
    killed_reading interrupted INT "$(head -c 20000 text)" ./sed -u 'N;P;D'
    killed_reading segv SEGV short ./sed -n '$='
    for i in 1 2 3; do killed_busy busy.$i TERM ./sed ':a;s/^\(.*\)x/\1y/;s/$/x/;ba' text; done
    killed_busy busy.quit QUIT ./sed -n ':a;s/[a-z]*//;x;G;s/\n//;x;s/^/abc/;ba' text
}
# Without panic-tests, which wants a folder it may not write to: root may.
own_tests() {
    make check SUBDIRS=. TESTS="$(sed -n 's|^  \(testsuite/[a-z0-9-]*\.sh\).*|\1|p' \
        "$SRC"/testsuite/local.mk | grep -v panic-tests | sort -u | tr '\n' ' ')"
}
