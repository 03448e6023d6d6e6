/* Line counts worked out by hand: arrivals from other lines, loops on a line, lines that a block comes back
 * to, several instances. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../lib/made_files.h"
#include "decode/lines.h"

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
    expect(2, 12, true); /* from line 1 twice, from line 3 ten times */
    expect(3, 10, true);
    expect(4, 2, true);
}

static void test_a_loop_on_one_line(void **state)
{
    (void)state;
    add(loop, 5, COUNTS(2, 10, 2, 10, 10, 2, 2), LINES("1", "1", "1", "1", "4"));
    expect(1, 12, true); /* two arrivals and ten rounds */
}

static void test_a_block_that_jumps_to_itself(void **state)
{
    (void)state;
    add("0>1 1>1 1>x", 2, COUNTS(3, 40, 3, 3), LINES("1", "2 3"));
    expect(1, 3, true);
    expect(2, 43, true); /* every round comes from line 3 */
    expect(3, 43, true);
    profile_release(&profile);
    add("0>1 1>1 1>x", 2, COUNTS(3, 40, 3, 3), LINES("1", "1"));
    expect(1, 3, true); /* the rounds are clang's own */
}

static void test_nested_loops_on_one_line(void **state)
{
    (void)state;
    /* 1 is the outer head, 2 and 3 the inner loop: 5 outer rounds, 20 inner ones */
    add("0>1 1>2 2>3 3>2 3>1 1>4 4>x", 5, COUNTS(1, 5, 25, 20, 5, 1, 1, 1), LINES("7", "7", "7", "7", "8"));
    expect(7, 1 + 5 + 20, true);
    expect(8, 1, true);
}

static void test_a_line_that_is_left_and_reached_again(void **state)
{
    (void)state;
    /* Of 10 rounds 4 stay on the line, 6 go over line 2. */
    add("0>1 1>2 1>3 2>1 3>1 1>4 4>x", 5, COUNTS(1, 4, 6, 4, 6, 1, 1, 1), LINES("1", "1", "1", "2", "3"));
    expect(1, 1 + 6 + 4, true);
    expect(2, 6, true);
}

static void test_a_block_that_comes_back_to_a_line(void **state)
{
    (void)state;
    add("0>x", 1, COUNTS(10, 10), LINES("5 6 5"));
    expect(5, 20, true); /* as gcov counts it */
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

static void test_without_edges_a_line_on_several_blocks_is_not_exact(void **state)
{
    (void)state;
    struct profile_function *f = add(loop, 5, COUNTS(2, 10, 2, 10, 10, 2, 2), LINES("1", "2", "3", "2", "4"));
    free(f->edge_counts);
    f->edge_counts = NULL;
    f->has_edges = false;
    expect(1, 2, true);
    expect(2, 12, false);
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
    expect(1, 1 + 3 * PAIRS, true);
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

/* 6 is on block 1 and, behind 5, on block 3, which is reached from there and from block 2 (4). Whether one
 * that was left on 5 had been on 6 is known only when all came the same way. */
static void test_which_way_a_cut_activation_came(void **state)
{
    (void)state;
    const char *const lines[] = {"3", "6", "4", "5 6"};
    static const char edges[] = "0>1 0>2 1>3 2>3 3>x";
    left_at(add(edges, 4, (const int64_t[]){2, 3, 2, 3, 4, 5}, lines), 3, 1, 1, 0);
    expect(5, 5, true);
    expect(6, 4, false); /* 2 + 3 - 1, or nothing taken off */
    profile_release(&profile);
    left_at(add(edges, 4, (const int64_t[]){2, 0, 2, 0, 1, 2}, lines), 3, 1, 1, 0);
    expect(6, 2, true);
    profile_release(&profile);
    left_at(add(edges, 4, (const int64_t[]){0, 3, 0, 3, 2, 3}, lines), 3, 1, 1, 0);
    expect(6, 2, true);
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
        cmocka_unit_test_teardown(test_nested_loops_on_one_line, forget),
        cmocka_unit_test_teardown(test_a_line_that_is_left_and_reached_again, forget),
        cmocka_unit_test_teardown(test_a_block_that_comes_back_to_a_line, forget),
        cmocka_unit_test_teardown(test_instances_are_added_up, forget),
        cmocka_unit_test_teardown(test_without_edges_a_line_on_several_blocks_is_not_exact, forget),
        cmocka_unit_test_teardown(test_branches_stand_at_the_last_line, forget),
        cmocka_unit_test_teardown(test_a_long_line, forget),
        cmocka_unit_test_teardown(test_lines_behind_a_cut_are_not_counted, forget),
        cmocka_unit_test_teardown(test_which_way_a_cut_activation_came, forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
