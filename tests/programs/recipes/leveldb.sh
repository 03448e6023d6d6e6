# leveldb: its tables, skip list and cache, used by a main program of our own in one thread (the database itself compacts in a second one,
# whose work depends on when it runs). Virtual calls.
programs=tables
language=C++
configure() { :; }
compile() {
    $CXX $CXXFLAGS -DLEVELDB_PLATFORM_POSIX=1 -I"$SRC" -I"$SRC"/include -o tables "$RECIPES"/leveldb.cpp \
        $(ls "$SRC"/db/*.cc "$SRC"/table/*.cc "$SRC"/util/*.cc |
        grep -vE '_test\.cc|testutil|_windows|leveldbutil|/c\.cc') -lpthread
}
inputs() { :; }
workload() {
    $RUN ./tables 2 table >out
    rm table
}
failures() {
    fails operands ./tables
    fails folder ./tables 1 nowhere/table
    fails damaged ./tables 1 table damaged
    fails full ./tables 1 /dev/full
    for i in 1 2 3; do killed_busy busy.$i TERM ./tables 1000000 table; done
    rm -f table
}
