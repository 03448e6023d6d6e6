/* Line counts worked out by hand: the largest of a line's blocks, instances added up, the largest of
 * different functions, and what frames reached. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../lib/made_files.h"
#include "decode/lines/lines.h"

static struct profile profile;

/* Adds a function; lines[b] lists the lines of block b, separated by spaces. */
static struct profile_function *add(const char *edges, uint32_t blocks, const int64_t *counts,
                                    const char *const *lines)
{
    static const enum placement sets[] = {PLACEMENT_EVERY_EDGE};
    struct profile_function *f = ARRAY_ADD(&profile.functions);
    *f = (struct profile_function){.counted = true, .exact = true, .has_edges = true};
    made_function(&f->map, "f", blocks, edges, sets, 1);
    f->edge_counts = ALLOC(int64_t, f->map.graph.edge_count);
    memcpy(f->edge_counts, counts, f->map.graph.edge_count * sizeof *counts);
    profile_function_blocks(f);
    for (uint32_t b = 0; b < blocks; b++) {
        struct map_block *block = &f->map.blocks[b];
        block->line_count = 0;
        for (const char *at = lines[b]; *at;) {
            char *end;
            uint32_t line = (uint32_t)strtoul(at, &end, 10);
            RESIZE(block->lines, block->line_count + 1);
            block->lines[block->line_count++] = (struct map_line){.file = 0, .line = line};
            at = *end ? end + 1 : end;
        }
    }
    return f;
}

static void expect(uint32_t line, int64_t count, bool exact)
{
    struct file_lines_list files;
    lines_count(&profile, &files);
    assert_int_equal(files.count, 1);
    bool found = false;
    for (size_t i = 0; i < files.items[0].lines.count; i++)
        if (files.items[0].lines.items[i].line == line) {
            found = true;
            assert_int_equal(files.items[0].lines.items[i].count, count);
            assert_int_equal(files.items[0].lines.items[i].exact, exact);
        }
    lines_release(&files);
    assert_true(found);
}

static int forget(void **state)
{
    (void)state;
    profile_release(&profile);
    return 0;
}

#define LINES(...) ((const char *const[]){__VA_ARGS__})
#define COUNTS(...) ((const int64_t[]){__VA_ARGS__})

/* for (a; b; c) d; -- a: 0, b: 1, d: 2, c: 3, behind it: 4 */
static const char loop[] = "0>1 1>2 1>4 2>3 3>1 4>x";

static void test_a_loop_over_several_lines(void **state)
{
    (void)state;
    add(loop, 5, COUNTS(2, 10, 2, 10, 10, 2, 2), LINES("1", "2", "3", "2", "4"));
    expect(1, 2, true);
    expect(2, 12, true); /* the condition; what stands in block 3 ran ten times */
    expect(3, 10, true);
    expect(4, 2, true);
}

static void test_a_loop_on_one_line(void **state)
{
    (void)state;
    add(loop, 5, COUNTS(2, 10, 2, 10, 10, 2, 2), LINES("1", "1", "1", "1", "4"));
    expect(1, 12, true); /* its condition */
}

static void test_a_block_that_jumps_to_itself(void **state)
{
    (void)state;
    add("0>1 1>1 1>x", 2, COUNTS(3, 40, 3, 3), LINES("1", "2 3"));
    expect(1, 3, true);
    expect(2, 43, true);
    expect(3, 43, true);
    profile_release(&profile);
    add("0>1 1>1 1>x", 2, COUNTS(3, 40, 3, 3), LINES("1", "1"));
    expect(1, 43, true);
}

/* An arrival is no count: a statement that is wrapped over lines ran as often as its blocks did. */
static void test_a_line_never_exceeds_its_largest_block(void **state)
{
    (void)state;
    /* f(a ? b : c,
     *   d); with the call's own block back on the first line */
    add("0>1 0>2 1>3 2>3 3>x", 4, COUNTS(4, 6, 4, 6, 10, 10), LINES("5", "5", "5", "6 5"));
    expect(5, 10, true);
    expect(6, 10, true);
}

static void test_a_block_that_comes_back_to_a_line(void **state)
{
    (void)state;
    add("0>x", 1, COUNTS(10, 10), LINES("5 6 5"));
    expect(5, 10, true);
    expect(6, 10, true);
}

static void test_instances_are_added_up(void **state)
{
    (void)state;
    add("0>x", 1, COUNTS(10, 10), LINES("5"));
    struct profile_function *second = add("0>x", 1, COUNTS(7, 7), LINES("5"));
    expect(5, 17, true);
    second->exact = false;
    expect(5, 17, false);
    second->counted = false;
    expect(5, 10, true);
}

/* Names a function that begins at the line. */
static void called(struct profile_function *f, const char *name, uint32_t line)
{
    free(f->map.name);
    f->map.name = memory_string(name);
    f->map.line = line;
}

/* Of two functions that begin on line 5 and ran it 10 and 7 times. */
static int64_t together(const char *name, const char *other, const char *lines)
{
    struct file_lines_list files;
    called(add("0>x", 1, COUNTS(10, 10), LINES(lines)), name, 5);
    called(add("0>x", 1, COUNTS(7, 7), LINES(lines)), other, 5);
    lines_count(&profile, &files);
    assert_int_equal(files.items[0].lines.items[0].line, 5);
    int64_t count = files.items[0].lines.items[0].count;
    lines_release(&files);
    profile_release(&profile);
    return count;
}

static void test_what_is_an_instance(void **state)
{
    (void)state;
    enum { ADDED = 17, LARGEST = 10 };
    assert_int_equal(together("f", "f", "5"), ADDED);                            /* in two units */
    assert_int_equal(together("_Z1fi", "_Z1fi", "5"), ADDED);                    /* the same */
    assert_int_equal(together("_Z1fIiET_S0_", "_Z1fIdET_S0_", "5"), ADDED);      /* f<int>, f<double> */
    assert_int_equal(together("_ZN1BIiE3getEv", "_ZN1BIPcE3getEv", "5"), ADDED); /* B<int>, B<char *> */
    assert_int_equal(together("_ZN1BIiEcviEv", "_ZN1BIdEcvdEv", "5"), ADDED);    /* conversions */
    assert_int_equal(together("_ZltIiEbT_S0_", "_ZltIdEbT_S0_", "5"), ADDED);    /* operator< */
    assert_int_equal(together("_ZltIiEbT_S0_", "_ZlsIiEbT_S0_", "5"), LARGEST);  /* operator<< */
    assert_int_equal(together("_ZN1BC1Ei", "_ZN1BC2Ei", "5"), ADDED);            /* virtual bases */
    assert_int_equal(together("_ZN1BC1Ei", "_ZN1BC1Ed", "5"), LARGEST);          /* B(int), B(double) */
    assert_int_equal(together("_Z1fi", "_Z1fd", "5"), LARGEST);                  /* f(int), f(double) */
    assert_int_equal(together("_Z1fv", "_ZZ1fvENK3$_0clEv", "5"), LARGEST);      /* a lambda in it */
    assert_int_equal(together("_ZZ1fvENK3$_0clEv", "_ZZ1fvENK3$_1clEv", "5"), LARGEST); /* two of them */
    assert_int_equal(together("_Z1fIiEvT_", "_ZZ1fIiEvT_ENKUlvE_clEv", "5"), LARGEST);
    assert_int_equal(together("_ZZ1fIiET_S0_ENKUlvE_clEv", "_ZZ1fIdET_S0_ENKUlvE_clEv", "5"), ADDED);
    assert_int_equal(together("_ZZ1fvENKUlT_E_clIiEEDaS_", "_ZZ1fvENKUlT_E_clIdEEDaS_", "5"), ADDED);
    assert_int_equal(together("add", "sub", "5"), LARGEST);              /* of one macro */
    assert_int_equal(together("push_int", "push_char", "5 6 7"), ADDED); /* of one included file */
    assert_int_equal(together("", "_Z", "5"), LARGEST);
    assert_int_equal(together("_ZoperatorI<", "_Z((<", "5"), LARGEST); /* no names at all */
}

static void test_without_edges_counts_are_the_same(void **state)
{
    (void)state;
    struct profile_function *f = add(loop, 5, COUNTS(2, 10, 2, 10, 10, 2, 2), LINES("1", "2", "3", "2", "4"));
    free(f->edge_counts);
    f->edge_counts = NULL;
    f->has_edges = false;
    expect(1, 2, true);
    expect(2, 12, true);
    expect(3, 10, true);
}

static void test_branches_stand_at_the_last_line(void **state)
{
    (void)state;
    add(loop, 5, COUNTS(2, 10, 2, 10, 10, 2, 2), LINES("1", "2 9", "3", "2", "4"));
    struct file_lines_list files;
    lines_count(&profile, &files);
    assert_int_equal(files.items[0].branches.count, 1);
    const struct line_branch *branch = &files.items[0].branches.items[0];
    assert_int_equal(branch->line, 9);
    assert_int_equal(branch->block, 1);
    assert_int_equal(branch->edge_count, 2);
    assert_int_equal(branch->edges[0], 1);
    assert_int_equal(branch->edges[1], 2);
    assert_int_equal(files.items[0].functions.count, 1);
    lines_release(&files);
}

/* A hundred thousand blocks and half as many loops on one line take no time to speak of. */
static void test_a_long_line(void **state)
{
    (void)state;
    static const enum placement sets[] = {PLACEMENT_EVERY_BLOCK};
    enum { PAIRS = 50000 };
    struct profile_function *f = ARRAY_ADD(&profile.functions);
    *f = (struct profile_function){.counted = true, .exact = true, .has_edges = true};
    made_function(&f->map, "long", 1, "0>x", sets, 1);
    graph_release(&f->map.graph);
    free(f->map.blocks[0].lines);
    free(f->map.blocks);
    graph_init(&f->map.graph, 2 * PAIRS);
    f->map.blocks = ZALLOC(struct map_block, 2 * PAIRS);
    f->edge_counts = ALLOC(int64_t, 3 * PAIRS + 2);
    for (uint32_t i = 0; i < PAIRS; i++) { /* 2i > 2i+1 > 2i, then on */
        f->edge_counts[graph_add_edge(&f->map.graph, 2 * i, 2 * i + 1, EDGE_FLOW)] = 4;
        f->edge_counts[graph_add_edge(&f->map.graph, 2 * i + 1, 2 * i, EDGE_FLOW)] = 3;
        bool last = i + 1 == PAIRS;
        f->edge_counts[graph_add_edge(&f->map.graph, 2 * i + 1, 2 * i + 2, last ? EDGE_EXIT : EDGE_FLOW)] = 1;
    }
    f->edge_counts[graph_add_edge(&f->map.graph, 2 * PAIRS, 0, EDGE_ENTRY)] = 1;
    for (uint32_t b = 0; b < 2 * PAIRS; b++) {
        f->map.blocks[b].line_count = 1;
        f->map.blocks[b].lines = ALLOC(struct map_line, 1);
        f->map.blocks[b].lines[0] = (struct map_line){.line = 1};
    }
    profile_function_blocks(f);
    expect(1, 4, true);
}

static void left_at(struct profile_function *f, uint32_t block, uint32_t lines, int64_t cuts, int64_t resumes)
{
    profile_frames_add(&f->frames, &(struct profile_frame){
                                       .block = block, .lines = lines, .cuts = cuts, .resumes = resumes});
}

/* 5, 6, 7 in one block that was entered ten times; three were left on 5, one on 6, two resumed on 6. */
static void test_lines_behind_a_cut_are_not_counted(void **state)
{
    (void)state;
    struct profile_function *f = add("0>x", 1, (const int64_t[]){8, 10}, (const char *const[]){"5 6 7"});
    left_at(f, 0, 1, 3, 0);
    left_at(f, 0, 2, 1, 2);
    expect(5, 10, true);
    expect(6, 7, true);
    expect(7, 8, true);
    f->has_edges = false; /* the same from blocks alone */
    expect(6, 7, true);
    expect(7, 8, true);
}

/* 6 is on block 1 and, behind 5, on block 3, where one was left on 5. */
static void test_the_largest_of_what_was_reached(void **state)
{
    (void)state;
    const char *const lines[] = {"3", "6", "4", "5 6"};
    static const char edges[] = "0>1 0>2 1>3 2>3 3>x";
    left_at(add(edges, 4, (const int64_t[]){2, 3, 2, 3, 4, 5}, lines), 3, 1, 1, 0);
    expect(5, 5, true);
    expect(6, 4, true);
    profile_release(&profile);
    left_at(add(edges, 4, (const int64_t[]){2, 3, 2, 3, 0, 5}, lines), 3, 1, 5, 0);
    expect(6, 2, true); /* all of them were left */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_a_loop_over_several_lines, forget),
        cmocka_unit_test_teardown(test_a_loop_on_one_line, forget),
        cmocka_unit_test_teardown(test_a_block_that_jumps_to_itself, forget),
        cmocka_unit_test_teardown(test_a_line_never_exceeds_its_largest_block, forget),
        cmocka_unit_test_teardown(test_a_block_that_comes_back_to_a_line, forget),
        cmocka_unit_test_teardown(test_instances_are_added_up, forget),
        cmocka_unit_test_teardown(test_what_is_an_instance, forget),
        cmocka_unit_test_teardown(test_without_edges_counts_are_the_same, forget),
        cmocka_unit_test_teardown(test_branches_stand_at_the_last_line, forget),
        cmocka_unit_test_teardown(test_a_long_line, forget),
        cmocka_unit_test_teardown(test_lines_behind_a_cut_are_not_counted, forget),
        cmocka_unit_test_teardown(test_the_largest_of_what_was_reached, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
