// Fills a database in transactions, some of which are given up, reads it by keys and in order, and deletes a part; as often as it is told.
// Told `wide`, keys repeat; else the map is full at some time, and that is an error.
#include <lmdb.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(int status) {
    if (!status) return;
    fprintf(stderr, "%s\n", mdb_strerror(status));
    exit(1);
}

int main(int argc, char **argv) {
    if (argc < 3) return 64;
    MDB_env *environment;
    MDB_txn *work;
    MDB_dbi table;
    unsigned seed = 1;
    must(mdb_env_create(&environment));
    must(mdb_env_set_mapsize(environment, 4 << 20));
    must(mdb_env_open(environment, argv[2], MDB_NOSUBDIR | MDB_NOLOCK | MDB_NOSYNC, 0644));
    for (int round = 0; round < atoi(argv[1]); round++) {
        MDB_val key, value;
        char name[32], text[200];
        must(mdb_txn_begin(environment, NULL, 0, &work));
        must(mdb_dbi_open(work, NULL, 0, &table));
        for (int i = 0; i < 2500; i++) {
            seed = seed * 1103515245 + 12345;
            key.mv_size = (size_t)sprintf(name, "key%u.%d", (seed >> 12) % 7000, argc > 3 ? 0 : round);
            key.mv_data = name;
            memset(text, 'a' + i % 26, sizeof text);
            value.mv_size = seed >> 25;
            value.mv_data = text;
            must(mdb_put(work, table, &key, &value, 0));
        }
        if (round % 4 == 3) mdb_txn_abort(work);
        else must(mdb_txn_commit(work));

        must(mdb_txn_begin(environment, NULL, 0, &work));
        MDB_cursor *cursor;
        size_t many = 0, bytes = 0, hits = 0;
        must(mdb_cursor_open(work, table, &cursor));
        while (mdb_cursor_get(cursor, &key, &value, MDB_NEXT) == 0) {
            many++;
            bytes += value.mv_size;
            if (many % 5 == 0) must(mdb_cursor_del(cursor, 0));
        }
        mdb_cursor_close(cursor);
        for (int i = 0; i < 3000; i++) {
            seed = seed * 1103515245 + 12345;
            key.mv_size = (size_t)sprintf(name, "key%u.%d", (seed >> 12) % 7000, 0);
            key.mv_data = name;
            hits += mdb_get(work, table, &key, &value) == 0;
        }
        must(mdb_txn_commit(work));
        printf("%zu %zu %zu\n", many, bytes, hits);
    }
    mdb_env_close(environment);
    return fflush(stdout) ? 3 : 0;
}
