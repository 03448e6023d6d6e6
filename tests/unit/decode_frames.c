/*
 * Frames that were left or resumed, from events and a table of places made by hand to the counts. What the
 * counters hold in each case is worked out by hand, too: on a block that is left in the middle, the counter
 * of its only way out has counted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "../lib/made_files.h"
#include "../lib/scratch_directory.h"
#include "decode/decode.h"
#include "decode/frames/chain.h"
#include "decode/lines/lines.h"
#include "format/places/places.h"

/* inner is a diamond whose blocks are on lines 2, 3, 4, 5 (and 6); block 1 calls once and then begins
 * line 30. outer calls inner, which is inlined there, by an invoke in block 1 whose landing pad is block 3;
 * and again, by a plain call, in block 2. main calls outer. again calls itself. loop goes round
 * block 1. */
enum { MAIN, OUTER, INNER, AGAIN, LOOP, FUNCTIONS };
static struct map_function functions[FUNCTIONS];
static const enum placement every_edge[] = {PLACEMENT_EVERY_EDGE, PLACEMENT_BALANCE}; /* counter i: edge i */
static const char *const shapes[] = {"0>1 1>x", "0>1 1>2 1>3 2>x 3>x", "0>1 0>2 1>3 2>3 3>x",
                                     "0>1 0>2 1>2 2>x", "0>1 1>1 1>2 2>x"};
static const char *const names[] = {"main", "outer", "inner", "again", "loop"};
static const uint32_t blocks[] = {2, 4, 4, 3, 3};
enum {
    CODE_OF_MAIN = 0x1000,
    CODE_OF_OUTER = 0x2000,
    CODE_OF_AGAIN = 0x3000,
    CODE_OF_LOOP = 0x4000,
    CODE_OF_ROUNDS = 0x5000,
    SIZE = 0x100
};

static struct buffer places;
static size_t record;

static void begin_code_with_loops(uint64_t address)
{
    record = places.length;
    buffer_add_u32(&places, PLACES_MAGIC_WHOLE);
    buffer_add_u32(&places, 0);
    buffer_add_u64(&places, address);
    buffer_add_u32(&places, SIZE);
    buffer_add_varint(&places, FUNCTIONS);
    for (size_t i = 0; i < FUNCTIONS; i++)
        buffer_add_u64(&places, functions[i].key);
}

/* Of three counts of loop's way back each. */
static void add_stretches(uint32_t stretches)
{
    buffer_add_varint(&places, stretches);
    for (; stretches; stretches--) {
        buffer_add_varint(&places, 3);
        for (int i = 0; i < 3; i++) {
            buffer_add_varint(&places, LOOP);
            buffer_add_varint(&places, 1);
            buffer_add_varint(&places, 1);
        }
    }
}

static void begin_code(uint64_t address, uint32_t stretches)
{
    begin_code_with_loops(address);
    buffer_add_varint(&places, 0);
    add_stretches(stretches);
}

static void position_in(uint32_t loop, uint32_t outer, uint32_t function, uint32_t block, uint32_t call,
                        uint32_t lines)
{
    const uint32_t fields[] = {outer, function, block, call, lines, loop, 0};
    for (size_t i = 0; i < 7; i++)
        buffer_add_varint(&places, fields[i]);
}

static void position_in_round(uint32_t stretch, uint32_t passed)
{
    const uint32_t fields[] = {0, LOOP, 1, 0, 1, 0, stretch, passed};
    for (size_t i = 0; i < 8; i++)
        buffer_add_varint(&places, fields[i]);
}

static void position(uint32_t outer, uint32_t function, uint32_t block, uint32_t call, uint32_t lines)
{
    position_in(0, outer, function, block, call, lines);
}

static void row(uint32_t offset, enum place_kind kind, uint32_t value)
{
    buffer_add_u32(&places, offset);
    buffer_add_varint(&places, 8 * value + (uint32_t)kind);
}

static void counts_for(uint32_t stretch, uint32_t offset, uint32_t function, uint32_t counter, uint32_t by)
{
    row(offset, PLACE_INCREMENT, function);
    buffer_add_varint(&places, counter);
    buffer_add_varint(&places, by);
    buffer_add_varint(&places, stretch);
}

static void counts_at(uint32_t offset, uint32_t function, uint32_t counter, uint32_t by)
{
    counts_for(0, offset, function, counter, by);
}

static void end_code(void)
{
    buffer_add_u64(&places, hash_bytes(places.data + record + 8, places.length - record - 8));
    uint32_t length = (uint32_t)(places.length - record - 8);
    memcpy(places.data + record + 4, &length, 4);
}

static void add_calls(struct map_function *f, uint32_t block, uint32_t count, bool invoke, uint32_t callee)
{
    f->callee_count = 1;
    RESIZE(f->callees, 1);
    f->callees[0] = map_name_tag(names[callee]);
    f->blocks[block].call_count = count;
    f->blocks[block].calls = ALLOC(struct map_call, count);
    for (uint32_t i = 0; i < count; i++)
        f->blocks[block].calls[i] = (struct map_call){
            .callee = callee == INNER || callee == AGAIN || callee == OUTER ? 0 : MAP_CALLEE_UNKNOWN,
            .invoke = invoke};
}

static int set_up(void **state)
{
    (void)state;
    for (size_t i = 0; i < FUNCTIONS; i++)
        made_function(&functions[i], names[i], blocks[i], shapes[i], every_edge, i == MAIN ? 2 : 1);
    functions[MAIN].flags = MAP_FUNCTION_MAIN;
    functions[MAIN].blocks[1].only_returns = true; /* both ways are counted at the start of block 0 */
    add_calls(&functions[MAIN], 0, 2, false, OUTER);
    add_calls(&functions[OUTER], 1, 1, true, INNER);
    add_calls(&functions[OUTER], 2, 1, false, INNER);
    add_calls(&functions[INNER], 1, 1, false, INNER);
    functions[INNER].callee_count = 0; /* it calls what is not known, but nobody takes an address */
    functions[INNER].blocks[1].calls[0].callee = MAP_CALLEE_UNKNOWN;
    add_calls(&functions[AGAIN], 1, 1, false, AGAIN);
    struct map_block *b = &functions[INNER].blocks[1];
    RESIZE(b->lines, 2);
    b->lines[b->line_count++] = (struct map_line){.line = 30};
    struct buffer ignored = {0};
    for (size_t i = 0; i < FUNCTIONS; i++)
        map_write_function(&ignored, &functions[i]); /* for the keys */
    buffer_release(&ignored);

    begin_code(CODE_OF_MAIN, 0);
    buffer_add_varint(&places, 2);
    position(0, MAIN, 0, 1, 1);
    position(0, MAIN, 0, 2, 1);
    row(0x10, PLACE_CALL, 1);
    row(0x20, PLACE_CALL, 2);
    end_code();

    begin_code(CODE_OF_OUTER, 0);
    buffer_add_varint(&places, 9);
    position(0, OUTER, 1, 1, 1); /* 1: the invoke */
    position(1, INNER, 1, 1, 1); /* 2: inner's call, in it */
    position(0, OUTER, 2, 1, 1); /* 3: the plain call */
    position(3, INNER, 1, 1, 1); /* 4: inner's call, in that */
    position(3, INNER, 1, 0, 1); /* 5: before that call */
    position(3, INNER, 1, 1, 2); /* 6: behind it, on line 30 */
    position(3, INNER, 3, 0, 1); /* 7 */
    position(0, OUTER, 2, 1, 1); /* 8: behind the plain call */
    position(3, INNER, 2, 0, 1); /* 9 */
    row(0x10, PLACE_CALL, 2);
    row(0x20, PLACE_CALL, 4);
    row(0x28, PLACE_CALL, 0);
    /* 0x30: inner block 1, its counts are still to come; block 3 follows without a branch, and the return. */
    row(0x30, PLACE_ACCESS, 6);
    counts_at(0x34, INNER, 0, 1); /* 0>1: at the start of 1 */
    row(0x36, PLACE_ACCESS, 6);
    counts_at(0x38, INNER, 2, 1); /* 1>3: there, too */
    counts_at(0x3c, INNER, 4, 1); /* 3>x: at the start of 3 */
    counts_at(0x40, OUTER, 3, 1); /* 2>x of outer: at the start of its block 2, pending since before */
    row(0x44, PLACE_BRANCH, 8);
    /* 0x50: goes on at 0x60, by a jump; two rounds of something are counted at once. */
    row(0x50, PLACE_ACCESS, 9);
    row(0x52, PLACE_GOTO, 9);
    buffer_add_u32(&places, 0x60);
    counts_at(0x64, INNER, 3, 2);
    counts_at(0x66, INNER, 4, 1);
    row(0x68, PLACE_BRANCH, 7);
    /* 0x70: a call that the code generator made; a count waits for it. */
    row(0x70, PLACE_LIBCALL, 5);
    counts_at(0x74, INNER, 0, 1);
    counts_at(0x78, INNER, 2, 1);
    row(0x7c, PLACE_CALL, 4);
    /* 0x90: one that no count waits for, and two rounds of something behind it. */
    row(0x84, PLACE_ACCESS, 5);
    row(0x90, PLACE_SETTLED, 5);
    counts_at(0x94, INNER, 3, 2);
    row(0x98, PLACE_BRANCH, 7);
    end_code();

    begin_code(CODE_OF_AGAIN, 0);
    buffer_add_varint(&places, 1);
    position(0, AGAIN, 1, 1, 1);
    row(0x10, PLACE_CALL, 1);
    end_code();

    /* A loop at 0x30 to 0x50, counted before it: counter 1 of inner by what the program computes, counter 3
     * by no more than 4 each time. */
    begin_code_with_loops(CODE_OF_LOOP);
    for (const uint8_t *n = (const uint8_t[]){1, 2, INNER, 1, 0, INNER, 3, 4}, *end = n + 8; n < end; n++)
        buffer_add(&places, n, 1);
    add_stretches(0);
    buffer_add_varint(&places, 3);
    position(0, INNER, 0, 0, 1);       /* 1: before it */
    position_in(1, 0, INNER, 2, 0, 1); /* 2: in it */
    position(0, INNER, 3, 0, 1);       /* 3: behind */
    row(0x10, PLACE_ACCESS, 1);
    counts_at(0x20, INNER, 1, 0);
    counts_at(0x28, INNER, 3, 0);
    row(0x30, PLACE_ACCESS, 2);
    row(0x50, PLACE_BRANCH, 2);
    row(0x60, PLACE_BRANCH, 3);
    row(0x70, PLACE_BRANCH, 0);
    end_code();

    begin_code(CODE_OF_ROUNDS, 2);
    buffer_add_varint(&places, 7);
    position(0, LOOP, 1, 0, 1); /* 1: the branch, behind all rounds */
    for (uint32_t passed = 0; passed <= 3; passed++)
        position_in_round(1, passed); /* 2 .. 5: first to third round, and behind them */
    position_in_round(2, 1);          /* 6: second round of another copy */
    position(0, LOOP, 0, 0, 1);       /* 7 */
    row(0x10, PLACE_ACCESS, 2);
    row(0x14, PLACE_ACCESS, 3);
    row(0x18, PLACE_ACCESS, 4);
    row(0x1c, PLACE_ACCESS, 5);
    counts_for(1, 0x20, LOOP, 1, 3);
    row(0x24, PLACE_BRANCH, 1);
    /* The same, with an increment that came before its time. */
    row(0x30, PLACE_ACCESS, 2);
    counts_for(1, 0x34, LOOP, 1, 3);
    row(0x38, PLACE_ACCESS, 3);
    row(0x3c, PLACE_BRANCH, 1);
    /* An increment that was made one of two: of which stretch it is, nobody knows. */
    row(0x40, PLACE_ACCESS, 6);
    counts_at(0x44, LOOP, 1, 3);
    row(0x48, PLACE_BRANCH, 1);
    row(0x4a, PLACE_ACCESS, 6);
    counts_at(0x4c, LOOP, 1, 1 << 20);
    row(0x4e, PLACE_BRANCH, 1);
    /* Before the loop; its first three rounds follow without a branch. */
    row(0x50, PLACE_ACCESS, 7);
    row(0x54, PLACE_ACCESS, 2);
    counts_for(1, 0x58, LOOP, 1, 3);
    row(0x5c, PLACE_BRANCH, 1);
    row(0x60, PLACE_ACCESS, 7);
    row(0x64, PLACE_ACCESS, 3);
    counts_for(1, 0x68, LOOP, 1, 3);
    row(0x6c, PLACE_BRANCH, 1);
    end_code();
    made_program_with("prog", "BUILD-F", functions, FUNCTIONS, &places);
    return 0;
}

static struct profile profile;
static struct decode_totals totals;
static struct error error;

static int tear_down(void **state)
{
    (void)state;
    profile_release(&profile);
    buffer_release(&places);
    for (size_t i = 0; i < FUNCTIONS; i++)
        map_function_release(&functions[i]);
    return 0;
}

/* A run whose counters stand at these numbers, edge by edge. */
static struct made_run run;
static const int64_t *of_loop;
static void counted(const int64_t *of_main, int64_t main_ended, const int64_t *outer, const int64_t *inner)
{
    static const int64_t nothing[8];
    const int64_t *counts[] = {of_main, outer, inner, nothing, of_loop};
    made_run(&run, "prog", "BUILD-F");
    made_header(&run)->flags = DATA_FLAG_FRAMES;
    for (size_t i = 0; i < FUNCTIONS; i++) {
        uint64_t *array = made_array(&run, &functions[i]);
        made_counters(&functions[i], counts[i] ? counts[i] : nothing, array);
        if (i == MAIN) {
            uint32_t n = map_function_counters(&functions[MAIN]);
            array[n - 1] = (uint64_t)main_ended;
        }
    }
}

static void decode_run(void)
{
    made_run_write(&run, "frames.cotree");
    profile_release(&profile);
    if (!decode(&profile, "prog", (const char *const[]){"frames.cotree"}, 1, NULL, &totals, &error))
        fail_msg("%s", error.text);
}

static const struct profile_function *found(uint32_t number)
{
    for (size_t i = 0; i < profile.functions.count; i++)
        if (!strcmp(profile.functions.items[i].map.name, names[number]))
            return &profile.functions.items[i];
    fail_msg("no function %s", names[number]);
    return NULL;
}

static void expect(uint32_t number, const int64_t *edges, int64_t unfinished, int64_t resumed)
{
    const struct profile_function *f = found(number);
    int64_t got_unfinished, got_resumed;
    for (uint32_t e = 0; e < f->map.graph.edge_count; e++)
        if (f->edge_counts[e] != edges[e])
            fail_msg("%s: edge %u is %lld, not %lld", names[number], e, (long long)f->edge_counts[e],
                     (long long)edges[e]);
    profile_function_frames(f, &got_unfinished, &got_resumed);
    assert_int_equal(got_unfinished, unfinished);
    assert_int_equal(got_resumed, resumed);
}

static void expect_exact(void)
{
    if (!profile.exact)
        fail_msg("not exact: %s", profile.reasons.items[0]);
}

static int64_t line_count(uint32_t line)
{
    struct file_lines_list files;
    int64_t count = -1;
    lines_count(&profile, &files);
    for (size_t i = 0; i < files.items[0].lines.count; i++)
        if (files.items[0].lines.items[i].line == line)
            count = files.items[0].lines.items[i].count;
    lines_release(&files);
    return count;
}

/* main: 0>1 1>x entry; outer: 0>1 1>2 1>3 2>x 3>x entry; inner: 0>1 0>2 1>3 2>3 3>x entry */
static void exit_in_an_inlined_function(void **state)
{
    (void)state;
    counted((int64_t[]){1, 1, 1}, 0, (int64_t[]){1, 1, 0, 1, 0, 1}, (int64_t[]){1, 0, 1, 0, 0, 1});
    made_frame_count(&run, DATA_FRAME_CUT, CODE_OF_OUTER + 0x20, 1);
    made_frame_count(&run, DATA_FRAME_CUT, CODE_OF_MAIN + 0x20, 1);
    made_frame_count(&run, DATA_FRAME_CUT, 0x9999, 7); /* of code that is not counted */
    decode_run();
    expect_exact();
    expect(MAIN, (int64_t[]){0, 0, 1}, 1, 0);
    expect(OUTER, (int64_t[]){1, 1, 0, 0, 0, 1}, 1, 0);
    expect(INNER, (int64_t[]){1, 0, 0, 0, 0, 1}, 1, 0);
    assert_int_equal(line_count(30), 0);
    struct profile_frame *f = found(INNER)->frames.items;
    assert_true(f->block == 1 && f->call == 1 && f->lines == 1 && !f->between && f->cuts == 1);
}

static void merged_files_keep_frames(void **state)
{
    (void)state;
    exit_in_an_inlined_function(state);
    assert_true(profile_write(&profile, "a.merged", &error));
    profile_release(&profile);
    const char *const inputs[] = {"a.merged", "frames.cotree"};
    assert_true(decode(&profile, "prog", inputs, 2, NULL, &totals, &error));
    expect_exact();
    expect(INNER, (int64_t[]){2, 0, 0, 0, 0, 2}, 2, 0);
    assert_int_equal(line_count(30), 0);
    assert_true(profile_write(&profile, "b.merged", &error));
    profile_release(&profile);
    assert_true(decode(&profile, NULL, (const char *const[]){"b.merged"}, 1, NULL, &totals, &error));
    expect(MAIN, (int64_t[]){0, 0, 2}, 2, 0);
    expect_exact();
}

static void what_failed_is_taken_back(void **state)
{
    (void)state;
    counted((int64_t[]){1, 1, 1}, 1, NULL, NULL);
    made_frame_count(&run, DATA_FRAME_CUT, CODE_OF_MAIN + 0x20, 1);
    made_frame_count(&run, DATA_FRAME_CUT, CODE_OF_MAIN + 0x20, -1); /* an exec that failed */
    decode_run();
    expect_exact();
    expect(MAIN, (int64_t[]){1, 1, 1}, 0, 0);
    assert_int_equal(found(MAIN)->frames.count, 0);
}

/* An exception out of inner's call lands in outer, if that was by its invoke; else both are left. */
static void exceptions_stop_at_landing_pads(void **state)
{
    (void)state;
    counted((int64_t[]){1, 1, 1}, 1, (int64_t[]){1, 0, 1, 0, 1, 1}, (int64_t[]){1, 0, 1, 0, 0, 1});
    made_frame_count(&run, DATA_FRAME_UNWIND, CODE_OF_OUTER + 0x10, 1);
    decode_run();
    expect_exact();
    expect(OUTER, (int64_t[]){1, 0, 1, 0, 1, 1}, 0, 0);
    expect(INNER, (int64_t[]){1, 0, 0, 0, 0, 1}, 1, 0);
    counted((int64_t[]){1, 1, 1}, 1, (int64_t[]){1, 1, 0, 1, 0, 1}, (int64_t[]){1, 0, 1, 0, 0, 1});
    made_frame_count(&run, DATA_FRAME_UNWIND, CODE_OF_OUTER + 0x20, 1);
    decode_run();
    expect_exact();
    expect(OUTER, (int64_t[]){1, 1, 0, 0, 0, 1}, 1, 0);
    expect(INNER, (int64_t[]){1, 0, 0, 0, 0, 1}, 1, 0);
    /* inner resumed unwinding by its own way out (here its return), and what it was inlined into is left. */
    counted((int64_t[]){1, 1, 1}, 1, (int64_t[]){1, 1, 0, 1, 0, 1}, (int64_t[]){1, 0, 1, 0, 1, 1});
    made_frame_count(&run, DATA_FRAME_UNWIND + 1, CODE_OF_OUTER + 0x20, 1);
    decode_run();
    expect_exact();
    expect(OUTER, (int64_t[]){1, 1, 0, 0, 0, 1}, 1, 0);
    expect(INNER, (int64_t[]){1, 0, 1, 0, 1, 1}, 0, 0);
}

/* longjmp out of the second call of main back behind the first, which returns once more; and a child of fork.
 */
static void second_returns(void **state)
{
    (void)state;
    counted((int64_t[]){1, 1, 1}, 1, NULL, NULL);
    made_frame_count(&run, DATA_FRAME_CUT, CODE_OF_MAIN + 0x20, 3);
    made_frame_count(&run, DATA_FRAME_RESUME, CODE_OF_MAIN + 0x10, 3);
    decode_run();
    expect_exact();
    expect(MAIN, (int64_t[]){1, 1, 1}, 3, 3);
    counted((int64_t[]){0, 0, 0}, 1, NULL, NULL); /* what is counted at the start of 0 is not, in the child */
    made_frame_count(&run, DATA_FRAME_RESUME, CODE_OF_MAIN + 0x10, 1);
    made_header(&run)->flags |= DATA_FLAG_FORKED;
    decode_run();
    expect_exact();
    expect(MAIN, (int64_t[]){1, 1, 0}, 0, 1);
}

/* The event says that main was left, its counter of ends that it was not: something is wrong. */
static void balance_contradicts_events(void **state)
{
    (void)state;
    counted((int64_t[]){1, 1, 1}, 1, NULL, NULL);
    made_frame_count(&run, DATA_FRAME_CUT, CODE_OF_MAIN + 0x10, 1);
    decode_run();
    assert_false(profile.exact);
    counted((int64_t[]){1, 1, 1}, 0, NULL, NULL);
    decode_run();
    assert_false(profile.exact);
}

/* A signal stops inner in block 1, before the counts of the block: they are added, those of block 3 are not.
 */
static void counts_that_were_still_to_come(void **state)
{
    (void)state;
    counted((int64_t[]){1, 1, 1}, 1, (int64_t[]){1, 1, 0, 0, 0, 1}, (int64_t[]){0, 0, 0, 0, 0, 1});
    made_frame_count(&run, DATA_FRAME_CUT_AT, CODE_OF_OUTER + 0x30, 1);
    decode_run();
    expect_exact();
    expect(OUTER, (int64_t[]){1, 1, 0, 0, 0, 1}, 1, 0);
    expect(INNER, (int64_t[]){1, 0, 0, 0, 0, 1}, 1, 0);
    assert_int_equal(line_count(30), 1);
    /* One count later, it is not added. */
    counted((int64_t[]){1, 1, 1}, 1, (int64_t[]){1, 1, 0, 0, 0, 1}, (int64_t[]){1, 0, 0, 0, 0, 1});
    made_frame_count(&run, DATA_FRAME_CUT_AT, CODE_OF_OUTER + 0x34, 1);
    decode_run();
    expect(INNER, (int64_t[]){1, 0, 0, 0, 0, 1}, 1, 0);
    /* A child inherits it and goes on from there: it counts what its parent had not. */
    counted((int64_t[]){0, 0, 0}, 0, (int64_t[]){0, 0, 0, 1, 0, 0}, (int64_t[]){1, 0, 1, 0, 1, 0});
    made_frame_count(&run, DATA_FRAME_RESUME_AT, CODE_OF_OUTER + 0x30, 1);
    decode_run();
    expect_exact();
    expect(OUTER, (int64_t[]){0, 0, 0, 1, 0, 0}, 0, 1);
    expect(INNER, (int64_t[]){0, 0, 1, 0, 1, 0}, 0, 1);
}

/* loop: 0>1 1>1 1>2 2>x entry. A signal stops it in the round that the instruction is of. */
static void rounds_of_an_unrolled_loop(void **state)
{
    (void)state;
    static const struct {
        uint32_t at;
        int64_t in_memory, rounds;
    } cases[] = {{0x10, 6, 6}, {0x14, 6, 7}, {0x18, 6, 8}, {0x1c, 6, 9}, {0x22, 9, 9},
                 {0x24, 9, 9}, {0x30, 6, 6}, {0x38, 9, 7}, {0x54, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        of_loop = (int64_t[]){1, cases[i].in_memory, 0, 0, 1};
        counted((int64_t[]){1, 1, 1}, 1, NULL, NULL);
        made_frame_count(&run, DATA_FRAME_CUT_AT, CODE_OF_ROUNDS + cases[i].at, 1);
        decode_run();
        expect_exact();
        expect(LOOP, (int64_t[]){1, cases[i].rounds, 0, 0, 1}, 1, 0);
    }
    /* Block 0 counts its only way out as it begins. */
    of_loop = (int64_t[]){1, 0, 0, 0, 1};
    for (uint32_t at = 0x50; at <= 0x60; at += 0x10) {
        counted((int64_t[]){1, 1, 1}, 1, NULL, NULL);
        made_frame_count(&run, DATA_FRAME_CUT_AT, CODE_OF_ROUNDS + at, 1);
        decode_run();
        expect_exact();
        expect(LOOP, (int64_t[]){0, 0, 0, 0, 1}, 1, 0);
    }
    /* It may have been any of the three. */
    of_loop = (int64_t[]){1, 6, 0, 0, 1};
    counted((int64_t[]){1, 1, 1}, 1, NULL, NULL);
    made_frame_count(&run, DATA_FRAME_CUT_AT, CODE_OF_ROUNDS + 0x40, 1);
    decode_run();
    assert_false(profile.exact);
    assert_int_equal(found(LOOP)->max_error, 3);
    /* More than a number can hold. */
    counted((int64_t[]){1, 1, 1}, 1, NULL, NULL);
    made_frame_count(&run, DATA_FRAME_CUT_AT, CODE_OF_ROUNDS + 0x4a, 1ll << 45);
    decode_run();
    assert_int_equal(found(LOOP)->max_error, MAX_ERROR_UNKNOWN);
    of_loop = NULL;
}

static void counts_that_wait_for_a_call(void **state)
{
    (void)state;
    counted((int64_t[]){1, 1, 1}, 1, (int64_t[]){1, 1, 0, 1, 0, 1}, (int64_t[]){0, 0, 0, 0, 0, 1});
    made_frame_count(&run, DATA_FRAME_CUT, CODE_OF_OUTER + 0x70, 1);
    decode_run();
    expect_exact();
    expect(INNER, (int64_t[]){1, 0, 0, 0, 0, 1}, 1, 0);
    /* Nothing waits for this one: neither in it nor before it does it matter what is counted behind. */
    for (int in_it = 0; in_it < 2; in_it++) {
        counted((int64_t[]){1, 1, 1}, 1, (int64_t[]){1, 1, 0, 1, 0, 1}, (int64_t[]){1, 0, 1, 0, 0, 1});
        if (in_it)
            made_frame_count(&run, DATA_FRAME_CUT, CODE_OF_OUTER + 0x90, 1);
        else
            made_frame_count(&run, DATA_FRAME_CUT_AT, CODE_OF_OUTER + 0x84, 1);
        decode_run();
        expect_exact();
        expect(INNER, (int64_t[]){1, 0, 0, 0, 0, 1}, 1, 0);
    }
}

static void what_cannot_be_placed_is_declared(void **state)
{
    (void)state;
    counted((int64_t[]){1, 1, 1}, 1, (int64_t[]){1, 1, 0, 1, 0, 1}, (int64_t[]){1, 0, 1, 0, 0, 1});
    made_frame_count(&run, DATA_FRAME_CUT, CODE_OF_OUTER + 0x28, 2);
    decode_run();
    assert_false(profile.exact);
    assert_true(found(OUTER)->max_error == 2 && found(INNER)->max_error == 2);
    /* Two rounds in one count: which of them it was in is not known. */
    counted((int64_t[]){1, 1, 1}, 1, (int64_t[]){1, 1, 0, 1, 0, 1}, (int64_t[]){0, 1, 0, 0, 0, 1});
    made_frame_count(&run, DATA_FRAME_CUT_AT, CODE_OF_OUTER + 0x50, 1);
    decode_run();
    assert_false(profile.exact);
    assert_false(found(INNER)->exact);
    assert_int_not_equal(found(INNER)->max_error, 0);
    assert_true(found(MAIN)->exact);
    /* The same of a program whose table of places is not there. */
    made_program("prog", "BUILD-F", functions, FUNCTIONS);
    decode_run();
    assert_false(profile.exact);
    assert_int_equal(found(MAIN)->max_error, MAX_ERROR_UNKNOWN);
    made_program_with("prog", "BUILD-F", functions, FUNCTIONS, &places);
}

/* Two frames whose place is not known are missing in functions where another is known: the counts do not add
 * up, and by no more than that is the bound. */
static void what_is_missing_is_within_its_bound(void **state)
{
    (void)state;
    for (int64_t entries = 3; entries <= 4; entries++) {
        counted((int64_t[]){1, 1, 1}, 0, (int64_t[]){1, 1, 0, 1, 0, entries},
                (int64_t[]){1, 0, 1, 0, 0, entries});
        made_frame_count(&run, DATA_FRAME_CUT, CODE_OF_OUTER + 0x20, 1);
        made_frame_count(&run, DATA_FRAME_CUT, CODE_OF_MAIN + 0x20, 1);
        made_frame_count(&run, DATA_FRAME_CUT, CODE_OF_OUTER + 0x28, 2);
        decode_run();
        assert_false(profile.exact);
        assert_int_equal(found(OUTER)->max_error, entries == 3 ? 2 : MAX_ERROR_UNKNOWN);
        assert_int_equal(found(INNER)->max_error, entries == 3 ? 2 : MAX_ERROR_UNKNOWN);
        for (size_t i = 0; i < profile.causes.count; i++)
            assert_true(entries == 4 || profile.causes.items[i].cause == CAUSE_PLACE);
    }
}

/* The error of inner when an event happens `times` times at the offset; its moved counters stand at 1000. */
static int64_t error_in_loop(uint32_t kind, uint32_t offset, int64_t times)
{
    int64_t behind = offset < 0x58 ? 1001 - times : 1001;
    counted((int64_t[]){1, 1, 1}, 1, (int64_t[]){1, 1, 0, 1, 0, 1},
            (int64_t[]){1, 1000, 1, 1000, behind, 1001});
    made_frame_count(&run, kind, CODE_OF_LOOP + offset, times);
    decode_run();
    assert_true(found(MAIN)->exact || offset == 0x68);
    return found(INNER)->exact ? 0 : found(INNER)->max_error;
}

static void a_loop_that_is_counted_before_it_runs(void **state)
{
    (void)state;
    /* Inside, at a row and between rows; between the counts and the first row. */
    assert_int_equal(error_in_loop(DATA_FRAME_CUT_AT, 0x30, 1), 1000 + 4);
    assert_int_equal(profile.causes.items[0].cause, CAUSE_LOOP);
    assert_int_equal(error_in_loop(DATA_FRAME_CUT_AT, 0x44, 1), 1000 + 4);
    assert_int_equal(error_in_loop(DATA_FRAME_CUT_AT, 0x2a, 1), 1000 + 4);
    /* Each time by so much more, but all together by no more than the counter holds. */
    assert_int_equal(error_in_loop(DATA_FRAME_CUT_AT, 0x30, 5), 1000 + 20);
    assert_int_equal(error_in_loop(DATA_FRAME_CUT_AT, 0x30, 400), 1000 + 600);
    /* Before the counts were made there is little to be wrong, but what they will be is not known. */
    assert_int_not_equal(error_in_loop(DATA_FRAME_CUT_AT, 0x18, 1), 0);
    assert_int_not_equal(error_in_loop(DATA_FRAME_CUT_AT, 0x24, 1), 0);
    /* Behind it. */
    assert_int_equal(error_in_loop(DATA_FRAME_CUT_AT, 0x58, 1), 0);
    /* Somewhere in this code. */
    assert_int_equal(error_in_loop(DATA_FRAME_CUT_AT, 0x68, 1), 1000 + 4 + 1);
    /* A child that goes on in there has counted nothing of it. */
    assert_int_equal(error_in_loop(DATA_FRAME_RESUME_AT, 0x30, 1), MAX_ERROR_UNKNOWN);
}

static void frames_that_were_lost_are_declared(void **state)
{
    (void)state;
    counted((int64_t[]){1, 1, 1}, 1, NULL, NULL);
    made_header(&run)->flags |= DATA_FLAG_FRAMES_LOST;
    decode_run();
    assert_false(profile.exact);
    assert_string_equal(profile.reasons.items[0],
                        "functions were left for ever, and not all of them could be recorded");
}

/* Killed: one unfinished activation a thread where functions do not call themselves, and what it had done
 * since its last count. */
static void killed_threads_bound_the_error(void **state)
{
    (void)state;
    counted((int64_t[]){1, 1, 1}, 0, (int64_t[]){1, 1, 0, 1, 0, 1}, (int64_t[]){1, 0, 1, 0, 0, 1});
    made_header(&run)->runs_clean = 0;
    made_table(&run)->slots[0].owner = DATA_OWNER(1, DATA_USED);
    decode_run();
    assert_false(profile.exact);
    assert_int_equal(found(MAIN)->max_error, 2);
    assert_int_equal(found(OUTER)->max_error, 2);
    assert_int_equal(found(INNER)->max_error, 4); /* counts three at once */
    assert_int_equal(found(AGAIN)->max_error, MAX_ERROR_UNKNOWN);
    /* The same after SIGTERM: the runtime was there. */
    counted((int64_t[]){1, 1, 1}, 0, (int64_t[]){1, 1, 0, 1, 0, 1}, (int64_t[]){1, 0, 1, 0, 0, 1});
    made_header(&run)->runs_clean = 0;
    made_header(&run)->runs_signalled = 1;
    made_table(&run)->slots[0].owner = DATA_OWNER(1, DATA_SIGNALLED);
    made_frame_count(&run, DATA_FRAME_CUT, CODE_OF_OUTER + 0x20, 1);
    made_frame_count(&run, DATA_FRAME_CUT, CODE_OF_MAIN + 0x10, 1);
    decode_run();
    expect_exact();
}

static void damaged_events_are_refused(void **state)
{
    (void)state;
    struct data_frame_count_page *page = (struct data_frame_count_page *)(run.bytes + MADE_FRAME_COUNTS);
    struct {
        uint64_t kind_and_address, count, next;
    } bad[] = {{DATA_FRAME_KIND_AND_ADDRESS(7, 0, 0x2020), 1, 0},
               {DATA_FRAME_KIND_AND_ADDRESS(12, 0, 0x2020), 1, 0},
               {DATA_FRAME_KIND_AND_ADDRESS(1, 9, 0x2020), 1, 0},
               {DATA_FRAME_KIND_AND_ADDRESS(1, 0, 0x2020), 1ull << 62, 0},
               {DATA_FRAME_KIND_AND_ADDRESS(1, 0, 0x2020), 1, MADE_FRAME_COUNTS},
               {DATA_FRAME_KIND_AND_ADDRESS(1, 0, 0x2020), 1, 1ull << 40}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        counted((int64_t[]){1, 1, 1}, 1, NULL, NULL);
        made_frame_count(&run, DATA_FRAME_CUT, CODE_OF_MAIN + 0x10, 1);
        page->counts[0] =
            (struct data_frame_count){.kind_and_address = bad[i].kind_and_address, .count = bad[i].count};
        page->next = bad[i].next;
        made_run_write(&run, "frames.cotree");
        profile_release(&profile);
        assert_false(
            decode(&profile, "prog", (const char *const[]){"frames.cotree"}, 1, NULL, &totals, &error));
    }
}

/* The table alone tells, without any counts. */
static void activations_at_an_address(void **state)
{
    (void)state;
    struct decode_module m;
    struct chain chain = {0};
    assert_true(decode_module_load(&m, "prog", NULL, &error));
    assert_true(decode_module_places(&m, NULL));
    const struct place_code *code = place_index_find(&m.places, CODE_OF_OUTER + 0x20 - 1);
    const struct place_row *call = chain_call_row(code, CODE_OF_OUTER + 0x20);
    assert_true(call && chain_read(&chain, &m, code, call->value));
    assert_int_equal(chain.count, 2);
    assert_string_equal(chain.items[0].f->map.name, "inner");
    assert_int_equal(chain.items[0].block, 1);
    assert_int_equal(chain.items[0].call, 1);
    assert_int_equal(chain.items[0].lines, 1);
    assert_string_equal(chain.items[1].f->map.name, "outer");
    assert_int_equal(chain.items[1].block, 2);
    assert_null(chain_call_row(code, CODE_OF_OUTER + 0x21));

    struct code_ahead ahead = {.module = &m, .code = code};
    code_ahead_follow(&ahead, 0x30, NULL);
    assert_int_equal(ahead.points.count, 3);
    assert_int_equal(ahead.counts.count, 4);
    assert_true(ahead.anchor && ahead.anchor == ahead.points.items[2].row && !ahead.lost && !ahead.damaged);
    assert_true(chain_read_before(&chain, &m, code, ahead.points.items[0].row));
    assert_int_equal(chain.count, 2);
    assert_string_equal(chain.items[0].f->map.name, "inner");
    assert_int_equal(chain.items[0].lines, 2);
    code_ahead_release(&ahead);
    ARRAY_RELEASE(&chain);
    decode_module_release(&m);
}

int main(void)
{
    scratch_directory_enter();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(activations_at_an_address),
        cmocka_unit_test(a_loop_that_is_counted_before_it_runs),
        cmocka_unit_test(exit_in_an_inlined_function),
        cmocka_unit_test(merged_files_keep_frames),
        cmocka_unit_test(what_failed_is_taken_back),
        cmocka_unit_test(exceptions_stop_at_landing_pads),
        cmocka_unit_test(second_returns),
        cmocka_unit_test(balance_contradicts_events),
        cmocka_unit_test(counts_that_were_still_to_come),
        cmocka_unit_test(rounds_of_an_unrolled_loop),
        cmocka_unit_test(counts_that_wait_for_a_call),
        cmocka_unit_test(what_cannot_be_placed_is_declared),
        cmocka_unit_test(what_is_missing_is_within_its_bound),
        cmocka_unit_test(frames_that_were_lost_are_declared),
        cmocka_unit_test(killed_threads_bound_the_error),
        cmocka_unit_test(damaged_events_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
