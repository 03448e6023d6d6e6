// Fills a memory table, writes it out as a sorted table with a filter, and reads that by keys and in order, as often as it is told.
#include "db/dbformat.h"
#include "db/memtable.h"
#include "leveldb/cache.h"
#include "leveldb/env.h"
#include "leveldb/filter_policy.h"
#include "leveldb/iterator.h"
#include "leveldb/table.h"
#include "leveldb/table_builder.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

using namespace leveldb;

static void must(const Status &status) {
    if (status.ok()) return;
    fprintf(stderr, "%s\n", status.ToString().c_str());
    exit(1);
}

int main(int argc, char **argv) {
    if (argc < 3) return 64;
    unsigned seed = 1;
    const InternalKeyComparator compare(BytewiseComparator());
    std::unique_ptr<const FilterPolicy> bloom(NewBloomFilterPolicy(10));
    const InternalFilterPolicy filter(bloom.get());
    std::unique_ptr<Cache> cache(NewLRUCache(50000));
    Options options;
    options.comparator = &compare;
    options.filter_policy = &filter;
    options.block_cache = cache.get();
    options.compression = kNoCompression;
    ReadOptions reading;
    reading.verify_checksums = true;
    for (int round = 0; round < atoi(argv[1]); round++) {
        MemTable *memory = new MemTable(compare);
        memory->Ref();
        for (unsigned i = 0; i < 6000; i++) {
            seed = seed * 1103515245 + 12345;
            const std::string key = "key" + std::to_string((seed >> 12) % 9000);
            memory->Add(i + 1, i % 11 ? kTypeValue : kTypeDeletion, key, std::string(seed >> 27, char('a' + i % 26)));
        }
        WritableFile *file;
        must(Env::Default()->NewWritableFile(argv[2], &file));
        TableBuilder builder(options, file);
        std::unique_ptr<Iterator> all(memory->NewIterator());
        for (all->SeekToFirst(); all->Valid(); all->Next()) builder.Add(all->key(), all->value());
        must(builder.Finish());
        must(file->Close());
        delete file;
        if (argc > 3) {
            FILE *damaged = fopen(argv[2], "r+");
            fseek(damaged, 3000, SEEK_SET);
            fputc('?', damaged);
            fclose(damaged);
        }
        RandomAccessFile *source;
        must(Env::Default()->NewRandomAccessFile(argv[2], &source));
        Table *table;
        must(Table::Open(options, source, builder.FileSize(), &table));
        std::unique_ptr<Iterator> rows(table->NewIterator(reading));
        size_t many = 0, bytes = 0, hits = 0;
        for (rows->SeekToFirst(); rows->Valid(); rows->Next()) {
            many++;
            bytes += rows->value().size();
        }
        must(rows->status());
        for (int i = 0; i < 3000; i++) {
            seed = seed * 1103515245 + 12345;
            const LookupKey key("key" + std::to_string((seed >> 12) % 20000), kMaxSequenceNumber);
            std::string value;
            Status status;
            rows->Seek(key.internal_key());
            hits += memory->Get(key, &value, &status) && status.ok();
            if (rows->Valid()) bytes += rows->key().size();
        }
        printf("%zu %zu %zu %llu\n", many, bytes, hits, (unsigned long long)builder.FileSize());
        rows.reset();
        all.reset();
        delete table;
        delete source;
        memory->Unref();
    }
    return fflush(stdout) ? 3 : 0;
}
