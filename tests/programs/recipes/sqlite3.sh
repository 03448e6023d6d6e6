# sqlite3: the shell on a database in memory, built as its makefile does, from the amalgamation.
programs=sqlite3
configure() {
    "$SRC"/configure --disable-shared --disable-tcl --disable-readline --disable-load-extension
    make sqlite3.c shell.c
}
compile() { make CC="$CC" sqlite3; }
inputs() { cp "$RECIPES"/sqlite3.sql work.sql; }
workload() { $RUN ./sqlite3 -batch -init /dev/null :memory: <work.sql >out; }
