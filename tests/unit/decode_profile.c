/* Merged files: what is written is read back, any damage is found, and the reasons read well. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../lib/made_files.h"
#include "../lib/scratch_directory.h"
#include "base/hash.h"
#include "format/profile/profile.h"

static struct profile made;
static struct error error;

static struct profile_function *add(const char *name, bool has_edges, bool exact, const int64_t *counts)
{
    static const enum placement sets[] = {PLACEMENT_EDGES};
    struct profile_function *f = ARRAY_ADD(&made.functions);
    *f = (struct profile_function){
        .counted = true, .exact = exact, .has_edges = true, .max_error = exact ? 0 : MAX_ERROR_UNKNOWN};
    made_function(&f->map, name, 2, "0>1 1>1 1>x", sets, 1);
    struct buffer ignored = {0};
    map_write_function(&ignored, &f->map); /* for the key */
    buffer_release(&ignored);
    f->edge_counts = ALLOC(int64_t, 4);
    memcpy(f->edge_counts, counts, 4 * sizeof *counts);
    profile_function_blocks(f);
    if (!has_edges) {
        free(f->edge_counts);
        f->edge_counts = NULL;
        f->has_edges = false;
    }
    return f;
}

static int set_up(void **state)
{
    (void)state;
    made.program = memory_string("./prog");
    made.build_id = memory_string("abc123");
    made.mode = memory_string("edges");
    made.runs = 5;
    for (int i = 0; i < 2; i++)
        ARRAY_PUSH(&made.modules, ((struct profile_module){memory_string(i ? "/lib/b.so" : "./prog"),
                                                           memory_string(i ? "def" : "abc123")}));
    add("b", true, true, (const int64_t[]){2, INT64_MAX / 2, 2, 2});
    add("a", false, true, (const int64_t[]){3, 4, 3, 3})->module = 1;
    add("cut", true, false, (const int64_t[]){-1, 4, 0, INT64_MIN})->max_error = 17;
    struct profile_function *none = add("none", true, false, (const int64_t[]){0, 0, 0, 0});
    none->counted = none->has_edges = false;
    free(none->edge_counts);
    free(none->block_counts);
    none->edge_counts = none->block_counts = NULL;
    none->map.flags = MAP_FUNCTION_UNCOUNTED;
    none->map.why_uncounted = memory_string("denied");
    none->max_error = MAX_ERROR_UNKNOWN;
    profile_add_cause(&made, CAUSE_LONGJMP, 1, "f (a.c:2)");
    profile_add_cause(&made, CAUSE_KILLED, 1, NULL);
    profile_add_cause(&made, CAUSE_KILLED, 1, NULL);
    profile_explain(&made);
    assert_true(profile_write(&made, "merged", &error));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    profile_release(&made);
    return 0;
}

static void test_what_is_written_is_read_back(void **state)
{
    (void)state;
    struct profile p;
    assert_true(profile_read(&p, "merged", &error));
    assert_string_equal(p.program, made.program);
    assert_string_equal(p.build_id, made.build_id);
    assert_string_equal(p.mode, made.mode);
    assert_int_equal(p.runs, 5);
    assert_int_equal(p.modules.count, 2);
    assert_string_equal(p.modules.items[1].path, "/lib/b.so");
    assert_int_equal(p.functions.count, made.functions.count);
    for (size_t i = 0; i < p.functions.count; i++) {
        const struct profile_function *a = &p.functions.items[i], *b = &made.functions.items[i];
        assert_string_equal(a->map.name, b->map.name);
        assert_int_equal(a->module, b->module);
        assert_int_equal(a->counted, b->counted);
        assert_int_equal(a->exact, b->exact);
        assert_int_equal(a->has_edges, b->has_edges);
        assert_int_equal(a->max_error, b->max_error);
        assert_int_equal(a->map.graph_hash, graph_hash(&b->map.graph));
        if (a->has_edges)
            assert_memory_equal(a->edge_counts, b->edge_counts, 4 * sizeof(int64_t));
        if (a->counted) {
            assert_memory_equal(a->block_counts, b->block_counts, 2 * sizeof(int64_t));
            assert_int_equal(a->entries, b->entries);
        }
        assert_int_equal(a->why == NULL, b->why == NULL);
        if (a->why)
            assert_string_equal(a->why, b->why);
    }
    assert_int_equal(p.causes.count, made.causes.count);
    assert_false(p.exact);
    assert_int_equal(p.reasons.count, 3);
    assert_string_equal(p.reasons.items[0], "2 of 5 runs were killed, and nobody saw where functions stood; "
                                            "cotree cc -fcotree-durable counts that");
    assert_string_equal(p.reasons.items[1], "longjmp ran in f (a.c:2)");
    assert_string_equal(p.reasons.items[2], "none is not counted");
    profile_clamp(&p);
    assert_int_equal(p.functions.items[2].edge_counts[3], 0);
    profile_release(&p);
}

static size_t slurp(uint8_t *bytes, size_t size)
{
    FILE *file = fopen("merged", "rb");
    size_t length = fread(bytes, 1, size, file);
    fclose(file);
    return length;
}

static void test_every_cut_and_every_flipped_byte_is_found(void **state)
{
    (void)state;
    static uint8_t bytes[65536];
    size_t length = slurp(bytes, sizeof bytes);
    struct profile p;
    for (size_t cut = 0; cut < length; cut++) {
        made_write("cut", bytes, cut);
        assert_false(profile_read(&p, "cut", &error));
    }
    for (size_t i = 0; i < length; i++) {
        bytes[i] ^= 0x10;
        made_write("flipped", bytes, length);
        bool read = profile_read(&p, "flipped", &error);
        bytes[i] ^= 0x10;
        if (read)
            profile_release(&p);
        assert_true(!read || (i >= 16 && i < 64)); /* reserved fields of the container */
    }
}

static void test_unknown_chunks_are_skipped(void **state)
{
    (void)state;
    static uint8_t bytes[65536];
    size_t length = slurp(bytes, sizeof bytes);
    struct buffer out = {0}, table = {0};
    buffer_add_u32(&table, 4);
    buffer_add_u32(&table, 0);
    for (int i = 0; i < 3; i++) {
        uint64_t offset;
        memcpy(&offset, bytes + 80 + 32 * i + 8, 8);
        buffer_add(&table, bytes + 80 + 32 * i, 8);
        buffer_add_u64(&table, offset + 32);
        buffer_add(&table, bytes + 80 + 32 * i + 16, 16);
    }
    buffer_add_u32(&table, 4711);
    buffer_add_u32(&table, 0);
    buffer_add_u64(&table, 1ull << 60);
    buffer_add_u64(&table, 1ull << 60);
    buffer_add_u64(&table, 0);
    buffer_add(&out, bytes, 64);
    buffer_add_u64(&out, hash_bytes(table.data, table.length));
    buffer_add(&out, table.data, table.length);
    buffer_add(&out, bytes + 80 + 96, length - 80 - 96);
    made_write("later", out.data, out.length);
    struct profile p;
    if (!profile_read(&p, "later", &error))
        fail_msg("%s", error.text);
    assert_int_equal(p.functions.count, 4);
    profile_release(&p);
    buffer_release(&out);
    buffer_release(&table);
}

static void test_an_exact_function_conserves_flow(void **state)
{
    (void)state;
    struct profile p = {
        .program = memory_string(""), .build_id = memory_string(""), .mode = memory_string("")};
    ARRAY_PUSH(&p.modules, ((struct profile_module){memory_string(""), memory_string("")}));
    struct profile swap = made;
    made = p;
    add("f", true, true, (const int64_t[]){2, 1, 3, 2});
    p = made;
    made = swap;
    assert_true(profile_write(&p, "broken", &error));
    struct profile q;
    assert_false(profile_read(&q, "broken", &error));
    assert_non_null(strstr(error.text, "'f'"));
    p.functions.items[0].exact = false;
    assert_true(profile_write(&p, "cut", &error));
    assert_true(profile_read(&q, "cut", &error));
    profile_release(&q);
    profile_release(&p);
}

static void test_reasons_read_well(void **state)
{
    (void)state;
    struct profile p = {.runs = 1};
    profile_add_cause(&p, CAUSE_KILLED, 1, NULL);
    for (int i = 0; i < 9; i++)
        profile_add_cause(&p, CAUSE_LANDED, 1, (char[]){(char)('a' + i), 0});
    profile_explain(&p);
    assert_string_equal(p.reasons.items[0], "the run was killed, and nobody saw where functions stood; "
                                            "cotree cc -fcotree-durable counts that");
    assert_string_equal(p.reasons.items[1], "an exception landed in a, b, c and 6 other places");
    p.runs = 3;
    profile_explain(&p);
    assert_string_equal(p.reasons.items[0], "1 of 3 runs was killed, and nobody saw where functions stood; "
                                            "cotree cc -fcotree-durable counts that");
    profile_release(&p);
    for (int cause = CAUSE_KILLED; cause <= CAUSE_LAST; cause++) { /* each has its sentence */
        struct profile one = {.runs = 2};
        profile_add_cause(&one, (enum profile_cause)cause, 1, cause >= CAUSE_LONGJMP ? "here" : NULL);
        profile_explain(&one);
        assert_false(one.exact);
        assert_int_equal(one.reasons.count, 1);
        assert_true(strlen(one.reasons.items[0]) > 15);
        profile_release(&one);
    }
}

/* "" stands for runs without a name, whether the file says so or has no names at all. */
static void test_names_of_runs_are_read_back(void **state)
{
    (void)state;
    struct profile p, named = {.runs = 5};
    assert_true(profile_read(&p, "merged", &error));
    assert_int_equal(p.run_names.count, 1);
    assert_string_equal(p.run_names.items[0].name, "");
    assert_int_equal(p.run_names.items[0].files, 5);
    assert_true(profile_write(&p, "again", &error));
    assert_int_equal(system("cmp merged again"), 0);
    profile_release(&p);
    profile_add_run_name(&named, "train", 3);
    profile_add_run_name(&named, "", 2);
    assert_true(profile_write(&named, "named", &error));
    profile_release(&named);
    assert_true(profile_read(&p, "named", &error));
    assert_int_equal(p.run_names.count, 2);
    assert_true(!*p.run_names.items[0].name && p.run_names.items[0].files == 2);
    assert_string_equal(p.run_names.items[1].name, "train");
    assert_int_equal(p.run_names.items[1].files, 3);
    profile_release(&p);
    assert_true(profile_write(&(struct profile){0}, "empty", &error));
    assert_true(profile_read(&p, "empty", &error));
    assert_int_equal(p.run_names.count, 0);
    profile_release(&p);
}

int main(void)
{
    scratch_directory_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_written_is_read_back),
        cmocka_unit_test(test_every_cut_and_every_flipped_byte_is_found),
        cmocka_unit_test(test_unknown_chunks_are_skipped),
        cmocka_unit_test(test_an_exact_function_conserves_flow),
        cmocka_unit_test(test_reasons_read_well),
        cmocka_unit_test(test_names_of_runs_are_read_back),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
