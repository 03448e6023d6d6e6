# sqlite3: the shell on a database in memory, built as its makefile does, from the amalgamation.
programs=sqlite3
configure() {
    "$SRC"/configure --disable-shared --disable-tcl --disable-readline --disable-load-extension
    make sqlite3.c shell.c
}
compile() { make CC="$CC" sqlite3; }
inputs() { cp "$RECIPES"/sqlite3.sql work.sql; cp "$RECIPES"/sqlite3.errors.sql .; }
workload() { $RUN ./sqlite3 -batch -init /dev/null :memory: <work.sql >out; }
failures() {
    local shell='./sqlite3 -batch -init /dev/null'
    $shell file.db <work.sql >/dev/null
    cp file.db page.db && damage page.db 4099
    cp file.db header.db && damage header.db 5
    fails syntax $shell -bail :memory: 'CREATE TABLE a(b); SELEC 1; SELECT 2'
    ends script $shell :memory: <sqlite3.errors.sql
    fails bail $shell -bail :memory: <sqlite3.errors.sql
    fails exit $shell :memory: <<<'SELECT 1;
.exit 3
SELECT 2;'
    ends exit-early $shell :memory: <<<'CREATE TABLE a(b); BEGIN; INSERT INTO a VALUES (1);
.exit
SELECT 2;'
    fails not-a-database $shell header.db 'SELECT * FROM item'
    ends damaged $shell page.db \
        <<<'PRAGMA integrity_check; SELECT sum(length(name)) FROM item; SELECT count(*) FROM sale NOT INDEXED; DELETE FROM item WHERE id % 2;'
    fails no-folder $shell nowhere/file.db 'SELECT 1 FROM a'
    fails read-only $shell -readonly file.db 'DELETE FROM item'
    fails option ./sqlite3 --nonsense
    fails child $shell file.db <<<'SELECT count(*) FROM item;
.shell kill -TERM $PPID
SELECT 2;'
    ends_full full $shell file.db 'SELECT * FROM sale'
    cut_off cut $shell file.db 'SELECT * FROM sale'
    killed_reading term TERM "$(head -c 600 sqlite3.errors.sql)" $shell :memory:
    killed_reading abort ABRT 'BEGIN; CREATE TABLE x(y); INSERT INTO x VALUES (1);
' $shell file.db
    endless='WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(length(printf(i))) FROM n'
    for i in 1 2 3; do killed_busy busy.$i TERM $shell :memory: "$endless"; done
    killed_busy interrupted INT $shell -bail :memory: "$endless"
    killed_busy in-file QUIT $shell file.db "BEGIN; DELETE FROM sale; $endless"
    $shell file.db 'PRAGMA integrity_check; SELECT count(*) FROM sale' >out.recovered
    rm -f ./*-journal # of what was killed: it has a random number in it
}
