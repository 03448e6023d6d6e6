/* Programs and run files made by hand: what is counted, what is refused, and what is called exact. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../lib/made_files.h"
#include "../lib/scratch_directory.h"
#include "decode/decode.h"
#include "format/data/data.h"

#include <signal.h>
#include <sys/resource.h>

static const enum placement three_sets[] = {PLACEMENT_EDGES, PLACEMENT_EVERY_EDGE, PLACEMENT_BALANCE};
static struct map_function functions[3]; /* main, a loop, one that calls exit */
enum { MAIN, LOOP, LEAVES };

/* main: 0 branches to 1 and 2, which meet in 3. Edges 0..4 and the entry. */
static const int64_t main_once[] = {1, 0, 1, 0, 1, 1}, main_other[] = {0, 1, 0, 1, 1, 1};
/* loop: 0>1 1>1 1>x, entered 2 times, 40 rounds. */
static const int64_t loop_counts[] = {2, 40, 2, 2};
static const int64_t nothing[8];

static char last_file[256], last_reason[1024];
static struct decode_difference last_difference;

static void remember(void *context, const char *file, const char *reason)
{
    (void)context;
    snprintf(last_file, sizeof last_file, "%s", file);
    snprintf(last_reason, sizeof last_reason, "%s", reason);
}

static void remember_difference(void *context, const struct decode_difference *d)
{
    (void)context;
    last_difference = *d;
}

static struct profile profile;
static struct decode_totals totals;
static struct error error;

static bool run_decode(const char *program, const char *const *inputs, size_t count, bool every_set)
{
    struct decode_options options = {
        .skipped = remember, .difference = remember_difference, .every_set = every_set};
    profile_release(&profile);
    last_reason[0] = error.text[0] = 0;
    return decode(&profile, program, inputs, count, &options, &totals, &error);
}

static bool decode_one(const char *file)
{
    return run_decode("prog", (const char *const[]){file}, 1, false);
}

static const struct profile_function *function(const char *name)
{
    for (size_t i = 0; i < profile.functions.count; i++)
        if (!strcmp(profile.functions.items[i].map.name, name))
            return &profile.functions.items[i];
    fail_msg("no function %s", name);
    return NULL;
}

static void good_run(struct made_run *r)
{
    made_run(r, "prog", "BUILD-1");
    made_counters(&functions[MAIN], main_once, made_array(r, &functions[MAIN]));
    made_counters(&functions[LOOP], loop_counts, made_array(r, &functions[LOOP]));
    made_counters(&functions[LEAVES], nothing, made_array(r, &functions[LEAVES]));
}

static int set_up(void **state)
{
    (void)state;
    made_function(&functions[MAIN], "main", 4, "0>1 0>2 1>3 2>3 3>x", three_sets, 3);
    functions[MAIN].flags = MAP_FUNCTION_MAIN;
    made_function(&functions[LOOP], "loop", 2, "0>1 1>1 1>x", three_sets, 2);
    made_function(&functions[LEAVES], "leaves", 3, "0>1 0>2 1>x", three_sets, 2);
    functions[LEAVES].blocks[2].hazards = MAP_HAZARD_LONGJMP;
    made_program("prog", "BUILD-1", functions, 3);
    struct made_run r;
    good_run(&r);
    made_run_write(&r, "good.cotree");
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    profile_release(&profile);
    for (size_t i = 0; i < 3; i++)
        map_function_release(&functions[i]);
    return 0;
}

static void test_one_clean_run_is_exact(void **state)
{
    (void)state;
    assert_true(decode_one("good.cotree"));
    assert_int_equal(totals.used, 1);
    assert_int_equal(totals.status, EXIT_OK);
    assert_true(profile.exact);
    assert_int_equal(profile.reasons.count, 0);
    assert_int_equal(profile.runs, 1);
    assert_string_equal(profile.build_id, "4255494c442d31");
    assert_string_equal(profile.mode, "edges,every-edge");
    assert_int_equal(profile.functions.count, 3);
    const struct profile_function *f = function("loop");
    assert_true(f->exact && f->counted && f->has_edges);
    assert_int_equal(f->max_error, 0);
    assert_int_equal(f->entries, 2);
    assert_int_equal(f->block_counts[0], 2);
    assert_int_equal(f->block_counts[1], 42);
    assert_memory_equal(f->edge_counts, loop_counts, sizeof loop_counts);
    assert_memory_equal(function("main")->edge_counts, main_once, sizeof main_once);
}

static void test_files_add_up_in_any_order_and_once_each(void **state)
{
    (void)state;
    struct made_run r;
    made_run(&r, "prog", "BUILD-1");
    made_counters(&functions[MAIN], main_other, made_array(&r, &functions[MAIN]));
    made_run_write(&r, "other.cotree");
    assert_true(run_decode("prog", (const char *const[]){"good.cotree", "other.cotree"}, 2, false));
    assert_int_equal(profile.runs, 2);
    assert_int_equal(function("main")->edge_counts[0], 1);
    assert_int_equal(function("main")->edge_counts[1], 1);
    assert_int_equal(function("main")->entries, 2);
    assert_true(profile_write(&profile, "both.merged", &error));
    assert_true(
        run_decode("prog", (const char *const[]){"other.cotree", "good.cotree", "other.cotree"}, 3, false));
    assert_int_equal(profile.runs, 2);
    assert_true(profile_write(&profile, "again.merged", &error));
    assert_int_equal(system("cmp both.merged again.merged"), 0);
}

static void test_merged_files_are_inputs_and_stand_alone(void **state)
{
    (void)state;
    assert_true(decode_one("good.cotree"));
    assert_true(profile_write(&profile, "one.merged", &error));
    assert_int_equal(system("cp one.merged copy.merged"), 0);
    assert_true(run_decode(NULL, (const char *const[]){"one.merged", "copy.merged"}, 2, false));
    assert_true(profile.exact);
    assert_int_equal(profile.runs, 2);
    assert_int_equal(function("loop")->edge_counts[1], 80);
    assert_string_equal(profile.mode, "edges,every-edge");
    assert_true(run_decode("prog", (const char *const[]){"one.merged", "good.cotree"}, 2, false));
    assert_int_equal(function("loop")->edge_counts[1], 80);
    assert_int_equal(function("main")->entries, 2);
    struct made_run r;
    good_run(&r);
    strcpy(made_header(&r)->run, "train");
    made_run_write(&r, "named.cotree");
    assert_true(run_decode("prog", (const char *const[]){"one.merged", "named.cotree"}, 2, false));
    assert_int_equal(profile.run_names.count, 2); /* one of them had none */
    assert_true(!*profile.run_names.items[0].name && profile.run_names.items[0].files == 1);
    assert_string_equal(profile.run_names.items[1].name, "train");
}

static void expect_skipped(struct made_run *r, const char *reason)
{
    made_run_write(r, "bad.cotree");
    assert_false(decode_one("bad.cotree"));
    assert_int_equal(totals.status, EXIT_UNUSABLE);
    if (!strstr(last_reason, reason))
        fail_msg("expected '%s' in '%s'", reason, last_reason);
    /* It costs only itself. */
    assert_true(run_decode("prog", (const char *const[]){"good.cotree", "bad.cotree"}, 2, false));
    assert_int_equal(totals.status, EXIT_SKIPPED);
    assert_string_equal(last_file, "bad.cotree");
    assert_true(profile.exact);
    assert_int_equal(function("loop")->edge_counts[1], 40);
}

static void test_another_build_is_refused_by_both_names(void **state)
{
    (void)state;
    struct made_run r;
    good_run(&r);
    memcpy(made_module(&r)->build_id, "BUILD-2", 7);
    expect_skipped(&r, "4255494c442d32");
    assert_non_null(strstr(last_reason, "4255494c442d31"));
    assert_non_null(strstr(last_reason, "another build"));
}

static void test_damage_is_found(void **state)
{
    (void)state;
    struct made_run r;
    good_run(&r);
    r.length = MADE_BLOCK + 100;
    expect_skipped(&r, "cut short");
    r.length = 300;
    expect_skipped(&r, "cut short");
    r.length = 64;
    expect_skipped(&r, "cut short");
    r.length = 10;
    expect_skipped(&r, "not a file of cotree");
    r.length = 0;
    expect_skipped(&r, "is empty");
    good_run(&r);
    r.bytes[6] = '\n';
    expect_skipped(&r, "not a file of cotree");
    good_run(&r);
    made_header(&r)->version = 99;
    expect_skipped(&r, "version 99");
    good_run(&r);
    made_header(&r)->kind = 7;
    expect_skipped(&r, "unknown kind");
    good_run(&r);
    made_header(&r)->table = 12345;
    expect_skipped(&r, "is damaged");
    good_run(&r);
    made_header(&r)->table = 1ull << 60;
    expect_skipped(&r, "cut short");
    good_run(&r);
    made_table(&r)->next = DATA_PAGE;
    expect_skipped(&r, "used twice");
    good_run(&r);
    made_header(&r)->modules = DATA_PAGE;
    expect_skipped(&r, "is damaged");
    good_run(&r);
    made_table(&r)->slots[1] = made_table(&r)->slots[0];
    expect_skipped(&r, "overlap");
    good_run(&r);
    made_table(&r)->slots[0].offset = 1;
    expect_skipped(&r, "is damaged");
    good_run(&r);
    made_table(&r)->slots[0].module = 5;
    expect_skipped(&r, "no module");
    good_run(&r);
    made_table(&r)->slots[0].length = 1ull << 62;
    expect_skipped(&r, "cut short");
    good_run(&r);
    made_table(&r)->slots[0].owner = 77;
    expect_skipped(&r, "state 77");
    good_run(&r);
    made_block(&r)[0]++;
    expect_skipped(&r, "does not know");
    good_run(&r);
    made_block(&r)[1]--;
    expect_skipped(&r, "is damaged");
    good_run(&r);
    made_block(&r)[1] = 1ull << 61;
    expect_skipped(&r, "does not fit");
    good_run(&r);
    made_module(&r)->counters_length = 8 * 3;
    expect_skipped(&r, "does not fit");
    good_run(&r);
    made_module(&r)->counters_length = 1ull << 40;
    expect_skipped(&r, "makes no sense");
    static const int64_t too_often[] = {INT64_MIN, -DATA_FRAME_COUNT_MOST, DATA_FRAME_COUNT_MOST, INT64_MAX};
    for (size_t i = 0; i < sizeof too_often / sizeof *too_often; i++) {
        good_run(&r);
        made_frame_count(&r, DATA_FRAME_CUT, 0x1000, too_often[i]);
        expect_skipped(&r, "frames were left");
    }
}

static void test_impossible_counts_of_a_clean_run_are_damage(void **state)
{
    (void)state;
    struct made_run r;
    int64_t wrong[] = {2, -3, 2, 2};
    made_run(&r, "prog", "BUILD-1");
    made_counters(&functions[MAIN], main_once, made_array(&r, &functions[MAIN]));
    made_counters(&functions[LOOP], wrong, made_array(&r, &functions[LOOP]));
    expect_skipped(&r, "contradict");
}

static void expect_inexact(struct made_run *r, const char *reason)
{
    made_run_write(r, "inexact.cotree");
    assert_true(decode_one("inexact.cotree"));
    assert_false(profile.exact);
    bool found = false;
    for (size_t i = 0; i < profile.reasons.count; i++)
        found |= strstr(profile.reasons.items[i], reason) != NULL;
    if (!found)
        fail_msg("expected '%s' in '%s'", reason, profile.reasons.items[0]);
    assert_false(function("loop")->exact);
    assert_non_null(function("loop")->why);
    assert_int_equal(function("loop")->max_error, MAX_ERROR_UNKNOWN);
    /* Together with a good run there is still one run that is not. */
    assert_true(run_decode("prog", (const char *const[]){"good.cotree", "inexact.cotree"}, 2, false));
    assert_false(profile.exact);
}

static void test_endings_are_told_apart(void **state)
{
    (void)state;
    struct made_run r;
    struct data_slot *slot = &made_table(&r)->slots[0];
    good_run(&r);
    made_header(&r)->runs_clean = 0;
    slot->owner = DATA_OWNER(999999999, DATA_USED);
    expect_inexact(&r, "the run was killed");
    slot->pid_namespace = 1;
    expect_inexact(&r, "another pid namespace");
    good_run(&r);
    made_header(&r)->runs_clean = 0;
    slot->owner = DATA_OWNER(getpid(), DATA_USED);
    slot->start_time = 0;
    expect_inexact(&r, "still going on");
    good_run(&r);
    made_header(&r)->runs_clean = 0;
    made_header(&r)->runs_exec = 1;
    slot->owner = DATA_OWNER(1, DATA_EXEC);
    expect_inexact(&r, "exec");
    good_run(&r);
    made_header(&r)->runs_clean = 0;
    made_header(&r)->runs_exited = 1;
    slot->owner = DATA_OWNER(1, DATA_EXITED);
    expect_inexact(&r, "_exit");
    good_run(&r);
    slot->owner = DATA_OWNER(999999999, DATA_CLEAN);
    made_table(&r)->slots[1] = (struct data_slot){.owner = DATA_OWNER(999999999, DATA_USED),
                                                  .start_time = slot->start_time,
                                                  .pid_namespace = slot->pid_namespace,
                                                  .offset = MADE_BLOCK + DATA_PAGE,
                                                  .length = DATA_PAGE};
    expect_inexact(&r, "other threads were alive");
    /* A thread that ended gave its block back: exact. */
    made_table(&r)->slots[1].owner = DATA_OWNER(0, DATA_FREE);
    made_run_write(&r, "ended.cotree");
    assert_true(decode_one("ended.cotree"));
    assert_true(profile.exact);
    for (uint32_t flag = DATA_FLAG_LOST_THREAD; flag <= DATA_FLAG_THREAD_EXIT; flag *= 2) {
        good_run(&r);
        made_header(&r)->flags = flag;
        made_header(&r)->pid = 77; /* no copy of the good run */
        if (flag != DATA_FLAG_WATCHED)
            expect_inexact(&r, "");
    }
    good_run(&r);
    made_header(&r)->flags = DATA_FLAG_POOL | DATA_FLAG_WATCHED;
    made_run_write(&r, "pool.cotree");
    assert_true(decode_one("pool.cotree"));
    assert_true(profile.exact);
}

static void test_main_that_did_not_return_bounds_its_own_error(void **state)
{
    (void)state;
    struct made_run r;
    made_run(&r, "prog", "BUILD-1");
    uint64_t *counters = made_array(&r, &functions[MAIN]);
    int64_t cut[] = {1, 0, 0, 0, 0, 1}; /* entered, reached block 1, then exit() below it */
    made_counters(&functions[MAIN], cut, counters);
    expect_inexact(&r, "before main returned");
    assert_true(decode_one("inexact.cotree"));
    const struct profile_function *f = function("main");
    assert_int_equal(f->max_error, 1);
    for (uint32_t e = 0; e < f->map.graph.edge_count; e++)
        assert_true(f->edge_counts[e] >= 0 && llabs(f->edge_counts[e] - cut[e]) <= 1);
    /* The redundant set shows the difference, which was declared. */
    assert_true(run_decode("prog", (const char *const[]){"inexact.cotree"}, 1, true));
    assert_true(totals.differences > 0);
    assert_int_equal(totals.undeclared, 0);
    assert_true(last_difference.declared);
}

/* Sums that are no numbers any more are declared; tests/sanitizers looks at how they were made. */
static void test_balances_that_do_not_add_up(void **state)
{
    (void)state;
    static const int64_t balances[][2] = {
        {INT64_MAX, -1}, {INT64_MIN, 1}, {0, INT64_MIN}, {-1, INT64_MAX}, {INT64_MIN, 0}};
    for (size_t i = 0; i < sizeof balances / sizeof *balances; i++) {
        struct made_run r;
        good_run(&r);
        uint64_t *counters = made_array(&r, &functions[MAIN]);
        made_counters(&functions[MAIN], main_once, counters);
        size_t at = 0;
        for (uint32_t set = 0; functions[MAIN].plans[set].placement != PLACEMENT_BALANCE; set++)
            at += plan_counters(&functions[MAIN].plans[set]);
        counters[at] = (uint64_t)balances[i][0];
        counters[at + 1] = (uint64_t)balances[i][1];
        made_run_write(&r, "balance.cotree");
        if (decode_one("balance.cotree")) {
            assert_false(profile.exact);
            assert_int_equal(function("main")->max_error, -1);
        } else {
            assert_true(*last_reason);
        }
    }
}

static void test_a_file_that_changes_while_it_is_read_is_noticed(void **state)
{
    (void)state;
    struct made_run r;
    struct data_file file;
    good_run(&r);
    made_run_write(&r, "pool.cotree");
    uint32_t kind;
    uint64_t size;
    int fd = data_open("pool.cotree", &kind, &size, &error);
    assert_true(fd >= 0 && data_file_read(&file, fd, &error));
    assert_false(data_file_changed(&file));
    made_header(&r)->runs_started++;
    made_run_write(&r, "pool.cotree");
    assert_true(data_file_changed(&file));
    data_file_release(&file);
}

static void test_longjmp_makes_a_run_inexact(void **state)
{
    (void)state;
    struct made_run r;
    made_run(&r, "prog", "BUILD-1");
    made_counters(&functions[MAIN], main_once, made_array(&r, &functions[MAIN]));
    int64_t jumped[] = {0, 1, 0, 1, 1};
    assert_int_equal(functions[LEAVES].graph.edge_count, 5);
    made_counters(&functions[LEAVES], jumped, made_array(&r, &functions[LEAVES]));
    expect_inexact(&r, "longjmp ran in leaves (made.c:4)");
}

/* Counters of main that share nothing contradict each other. */
static void test_main_that_is_entered_more_often_than_it_begins(void **state)
{
    (void)state;
    static const int64_t often[] = {9999, 0, 9999, 0, 9999, 9999};
    struct made_run r;
    good_run(&r);
    uint64_t *counters = made_array(&r, &functions[MAIN]);
    made_counters(&functions[MAIN], often, counters);
    size_t at = 0;
    for (uint32_t set = 0; functions[MAIN].plans[set].placement != PLACEMENT_BALANCE; set++)
        at += plan_counters(&functions[MAIN].plans[set]);
    counters[at] = counters[at + 1] = 1;
    expect_inexact(&r, "not all of them could be recorded");
}

/* Frames are recorded, and none where a longjmp was called: it was another one than the runtime's. */
static void test_a_jump_that_nobody_recorded(void **state)
{
    (void)state;
    int64_t jumped[] = {3, 2, 3, 5, 2}, stayed[] = {3, 0, 3, 3, 0};
    struct made_run r;
    good_run(&r);
    made_counters(&functions[LEAVES], stayed, made_array(&r, &functions[LEAVES]));
    made_header(&r)->flags = DATA_FLAG_FRAMES | DATA_FLAG_WATCHED;
    made_run_write(&r, "stayed.cotree");
    assert_true(decode_one("stayed.cotree"));
    if (!profile.exact)
        fail_msg("'%s'", profile.reasons.items[0]);
    good_run(&r);
    made_counters(&functions[LEAVES], jumped, made_array(&r, &functions[LEAVES]));
    made_header(&r)->flags = DATA_FLAG_FRAMES | DATA_FLAG_WATCHED;
    expect_inexact(&r, "not all of them could be recorded");
}

static void test_counter_sets_that_disagree_are_reported(void **state)
{
    (void)state;
    struct made_run r;
    made_run(&r, "prog", "BUILD-1");
    made_counters(&functions[MAIN], main_once, made_array(&r, &functions[MAIN]));
    uint64_t *counters = made_array(&r, &functions[LOOP]);
    made_counters(&functions[LOOP], loop_counts, counters);
    counters[functions[LOOP].plans[0].probe_count +
             1]++; /* edge 1 of every-edge: the self loop, which balances anyway */
    made_run_write(&r, "sets.cotree");
    assert_true(run_decode("prog", (const char *const[]){"sets.cotree"}, 1, true));
    assert_int_equal(totals.undeclared, 1);
    assert_true(last_difference.is_edge);
    assert_int_equal(last_difference.id, 1);
    assert_int_equal(last_difference.first_count, 40);
    assert_int_equal(last_difference.other_count, 41);
    assert_false(profile.exact);
    assert_false(function("loop")->exact);
    assert_true(function("main")->exact);
    assert_non_null(strstr(profile.reasons.items[0], "loop"));
}

static void test_a_program_without_main_or_map(void **state)
{
    (void)state;
    struct made_run r;
    made_program("library", "BUILD-L", &functions[LOOP], 1);
    made_run(&r, "library", "BUILD-L");
    made_counters(&functions[LOOP], loop_counts, made_array(&r, &functions[LOOP]));
    made_run_write(&r, "library.cotree");
    assert_true(run_decode("library", (const char *const[]){"library.cotree"}, 1, false));
    assert_false(profile.exact);
    assert_non_null(strstr(profile.reasons.items[0], "main carries no counters"));
    made_program("stripped", "BUILD-1", NULL, 0);
    assert_false(run_decode("stripped", (const char *const[]){"good.cotree"}, 1, false));
    assert_int_equal(totals.status, EXIT_UNUSABLE);
    assert_non_null(strstr(error.text, "no map"));
    assert_int_equal(system("cp prog stripped.debug"), 0);
    assert_true(run_decode("stripped", (const char *const[]){"good.cotree"}, 1, false));
    assert_true(profile.exact);
    assert_int_equal(
        system(
            "rm stripped.debug; mkdir -p debug/.build-id/42; cp prog debug/.build-id/42/55494c442d31.debug"),
        0);
    struct decode_options options = {.debug_paths = (const char *const[]){"debug", NULL}};
    profile_release(&profile);
    assert_true(
        decode(&profile, "stripped", (const char *const[]){"good.cotree"}, 1, &options, &totals, &error));
    assert_false(run_decode("good.cotree", (const char *const[]){"good.cotree"}, 1, false));
    assert_non_null(strstr(error.text, "not an ELF file"));
    assert_false(run_decode("absent", (const char *const[]){"good.cotree"}, 1, false));
    assert_int_equal(totals.status, EXIT_CANNOT);
}

static void test_without_build_ids_the_map_is_the_identity(void **state)
{
    (void)state;
    struct made_run r;
    made_program("anonymous", NULL, functions, 3);
    made_run(&r, "anonymous", "");
    made_counters(&functions[MAIN], main_once, made_array(&r, &functions[MAIN]));
    made_run_write(&r, "anonymous.cotree");
    assert_true(run_decode("anonymous", (const char *const[]){"anonymous.cotree"}, 1, false));
    assert_true(profile.exact);
    assert_memory_equal(profile.build_id, "map:", 4);
    made_program("anonymous", NULL, &functions[LOOP], 2);
    assert_false(run_decode("anonymous", (const char *const[]){"anonymous.cotree"}, 1, false));
    assert_non_null(strstr(last_reason, "does not belong"));
}

static void test_odd_inputs_are_refused(void **state)
{
    (void)state;
    assert_int_equal(mkfifo("fifo", 0600), 0);
    assert_false(decode_one("fifo"));
    assert_non_null(strstr(last_reason, "not a regular file"));
    assert_false(decode_one("/dev/zero"));
    assert_false(decode_one("nowhere"));
    assert_int_equal(system("mkdir -p dir/sub; cp good.cotree dir/sub/; cp one.merged dir/merged.cotree; "
                            "mkfifo dir/f.cotree"),
                     0);
    assert_true(decode_one("dir"));
    assert_int_equal(totals.used, 1);
    assert_int_equal(totals.skipped, 0);
    assert_int_equal(system("mkdir -p empty"), 0);
    assert_false(decode_one("empty"));
    assert_int_equal(totals.status, EXIT_UNUSABLE);
    /* A sparse file that claims to be enormous. */
    struct made_run r;
    good_run(&r);
    made_table(&r)->slots[0].length = made_module(&r)->block_length = made_module(&r)->counters_length =
        1ull << 42;
    made_run_write(&r, "sparse.cotree");
    if (truncate("sparse.cotree", 1ll << 43) == 0) {
        decode_one("sparse.cotree");
        assert_int_equal(totals.used + totals.skipped, 1);
    }
}

static void test_a_full_disk_leaves_the_old_file(void **state)
{
    (void)state;
    assert_true(decode_one("good.cotree"));
    assert_true(profile_write(&profile, "kept.merged", &error));
    struct rlimit old, none = {.rlim_cur = 100, .rlim_max = RLIM_INFINITY}; /* stands in for a full disk */
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    none.rlim_max = old.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    bool written = profile_write(&profile, "kept.merged", &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_false(written);
    assert_int_equal(system("test -z \"$(ls kept.merged.*tmp 2>/dev/null)\""), 0);
    assert_true(run_decode(NULL, (const char *const[]){"kept.merged"}, 1, false));
    assert_false(profile_write(&profile, "no/such/directory", &error));
    assert_false(profile_write(&profile, "/dev/full", &error));
    assert_int_equal(access("/dev/full", F_OK), 0);
}

int main(void)
{
    scratch_directory_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_clean_run_is_exact),
        cmocka_unit_test(test_files_add_up_in_any_order_and_once_each),
        cmocka_unit_test(test_merged_files_are_inputs_and_stand_alone),
        cmocka_unit_test(test_another_build_is_refused_by_both_names),
        cmocka_unit_test(test_damage_is_found),
        cmocka_unit_test(test_impossible_counts_of_a_clean_run_are_damage),
        cmocka_unit_test(test_endings_are_told_apart),
        cmocka_unit_test(test_main_that_did_not_return_bounds_its_own_error),
        cmocka_unit_test(test_balances_that_do_not_add_up),
        cmocka_unit_test(test_a_file_that_changes_while_it_is_read_is_noticed),
        cmocka_unit_test(test_longjmp_makes_a_run_inexact),
        cmocka_unit_test(test_main_that_is_entered_more_often_than_it_begins),
        cmocka_unit_test(test_a_jump_that_nobody_recorded),
        cmocka_unit_test(test_counter_sets_that_disagree_are_reported),
        cmocka_unit_test(test_a_program_without_main_or_map),
        cmocka_unit_test(test_without_build_ids_the_map_is_the_identity),
        cmocka_unit_test(test_odd_inputs_are_refused),
        cmocka_unit_test(test_a_full_disk_leaves_the_old_file),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
