# lzip (C++): compress, test and decompress.
programs=lzip
language=C++
configure() { "$SRC"/configure CXX="$CXX" CXXFLAGS="$CFLAGS"; }
compile() { make CXX="$CXX" CXXFLAGS="$CFLAGS"; }
inputs() {
    cat "$SRC"/*.cc "$SRC"/*.h "$SRC"/doc/* "$SRC"/ChangeLog "$SRC"/testsuite/test.txt "$SRC"/configure >text
}
workload() {
    $RUN ./lzip -6 -c text >text.lz
    $RUN ./lzip -t text.lz
    $RUN ./lzip -0 -c text >text.0.lz
    $RUN ./lzip -dc text.0.lz >text.out
    cmp text text.out
}
failures() {
    cp text.lz middle.lz && damage middle.lz 50000
    cp text.lz end.lz && damage end.lz $(($(wc -c <text.lz) - 18))
    cp text.lz start.lz && damage start.lz 5
    head -c 50000 text.lz >short.lz
    fails middle ./lzip -dc middle.lz
    fails end ./lzip -dkc end.lz
    fails start ./lzip -dkc start.lz
    fails short ./lzip -dc <short.lz
    fails not-lzip ./lzip -dc text
    fails tested ./lzip -tvvv middle.lz text.lz short.lz
    fails listed ./lzip -l text.lz short.lz
    fails exists ./lzip -k text
    fails missing ./lzip -c nowhere text
    fails option ./lzip --nonsense
    fails number ./lzip -s 1x text
    fails unfinished ./lzip -d -o part short.lz
    fails_full full ./lzip -dc text.lz
    cut_off cut ./lzip -dc text.lz
    killed_reading term TERM "$(head -c 20000 text)" ./lzip -c
    killed_reading interrupted INT "$(head -c 20000 text)" ./lzip -o interrupted
    killed_reading quit QUIT short ./lzip -c
    killed_reading abort ABRT short ./lzip -0 -c
    for i in 1 2 3; do killed_busy busy.$i TERM ./lzip -9 -c </dev/zero; done
    killed_busy busy.quit QUIT ./lzip -0 -c </dev/urandom
}
own_tests() { make check CXX="$CXX" CXXFLAGS="$CFLAGS"; }
