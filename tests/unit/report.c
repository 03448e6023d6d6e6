/* The report formats on a profile made by hand (report_profile.h), compared with the files in
 * tests/report/golden. */
#include "report/report.h"
#include "decode/lines/demangle.h"
#include "report_profile.h"

#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

static char *render(const struct report_options *options, void (*write)(const struct report *, FILE *))
{
    struct profile p;
    make_profile(&p);
    struct report r;
    report_init(&r, &p, options, write == report_write_text);
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    write(&r, out);
    fclose(out);
    report_release(&r);
    profile_release(&p);
    return text;
}

static char *read_golden(const char *name)
{
    const char *top = getenv("COTREE_TOP");
    char path[4096];
    snprintf(path, sizeof path, "%s/tests/report/golden/%s", top ? top : ".", name);
    FILE *f = fopen(path, "r");
    char *text = NULL;
    size_t capacity = 0;
    if (!f || (getdelim(&text, &capacity, 0, f) < 0 && !feof(f)))
        fail_msg("cannot read %s", path);
    fclose(f);
    return text;
}

/* What differs is left behind in the current directory: the difference is then one `diff` away. */
static void compare_golden(const char *name, char *got)
{
    char *expected = read_golden(name);
    if (strcmp(expected, got) != 0) {
        FILE *f = fopen(name, "w");
        fputs(got, f);
        fclose(f);
        fprintf(stderr, "---- %s: got\n%s---- end\n", name, got);
        fail_msg("%s differs", name);
    }
    free(expected);
    free(got);
}

static void write_source(void)
{
    FILE *f = fopen("shapes.c", "w");
    fputs("#include <evil.h>\n\nint main(void) {\n\tif (x) // tab\n\t\ta();\n\telse \033[2Jb();\n\treturn "
          "0;\n}\n",
          f);
    for (int line = 9; line <= 45; line++)
        fprintf(f, "// line %d\n", line);
    fclose(f);
}

static void text_shows_functions_and_source(void **state)
{
    (void)state;
    write_source();
    struct report_options o = {0};
    struct error error;
    assert_true(source_maps_add(&o.source_maps, "/nowhere/src=.", &error));
    compare_golden("shapes.txt", render(&o, report_write_text));
    o.color = true;
    o.branches = true;
    compare_golden("shapes-color.txt", render(&o, report_write_text));
    ARRAY_RELEASE(&o.source_maps);
}

static void text_without_source_names_it_once(void **state)
{
    (void)state;
    struct report_options o = {.filter.files = {.items = (const char *[]){"shapes.c"}, .count = 1}};
    char *text = render(&o, report_write_text);
    char *first = strstr(text, "source not found");
    assert_non_null(first);
    assert_null(strstr(first + 1, "source not found"));
    assert_non_null(strstr(text, "#####"));
    free(text);
}

static void json_is_as_documented(void **state)
{
    (void)state;
    struct report_options o = {0};
    compare_golden("shapes.json", render(&o, report_write_json));
}

static void lcov_is_as_geninfo_writes_it(void **state)
{
    (void)state;
    struct report_options o = {0};
    compare_golden("shapes.info", render(&o, report_write_lcov));
}

static void nothing_hostile_reaches_the_output(void **state)
{
    (void)state;
    void (*formats[])(const struct report *, FILE *) = {report_write_text,      report_write_json,
                                                        report_write_lcov,      report_write_cobertura,
                                                        report_write_callgrind, report_write_llvm_samples};
    write_source();
    struct report_options o = {.no_demangle = true};
    struct error error;
    assert_true(source_maps_add(&o.source_maps, "/nowhere/src=.", &error));
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        char *text = render(&o, formats[i]);
        for (const unsigned char *s = (unsigned char *)text; *s; s++) {
            assert_true(*s >= 0x20 || *s == '\n');
            assert_int_not_equal(*s, 0x7f);
            assert_int_not_equal(*s, 0xff);
            assert_int_not_equal(*s, 0xfe);
            assert_false(s[0] == 0xc2 && s[1] < 0xa0);
        }
        free(text);
    }
    ARRAY_RELEASE(&o.source_maps);
}

static void functions_are_chosen_and_sorted(void **state)
{
    (void)state;
    struct profile p;
    make_profile(&p);
    struct report_options o = {.filter.functions = {.items = (const char *[]){"shape::area"}, .count = 1}};
    struct report r;
    report_init(&r, &p, &o, true);
    assert_int_equal(r.view.functions.count, 1);
    assert_string_equal(r.functions[0].name, "shape::area(int, std::pair<int, int>) const");
    assert_int_equal(r.functions[0].executions, INT64_MAX); /* stays at the largest count */
    assert_int_equal(r.files.count, 1);
    report_release(&r);

    static const struct {
        enum report_sort sort;
        const char *first;
    } sorts[] = {
        {REPORT_SORT_COUNT, "shape::area(int, std::pair<int, int>) const"},
        {REPORT_SORT_ENTRIES, "shape::area(int, std::pair<int, int>) const"},
        {REPORT_SORT_NAME, "blocks_only"},
        {REPORT_SORT_LINE, "die"},
        {REPORT_SORT_COVERAGE, "main"},
    };
    for (size_t i = 0; i < sizeof sorts / sizeof *sorts; i++) {
        o = (struct report_options){.sort = sorts[i].sort, .top = 2};
        report_init(&r, &p, &o, true);
        assert_int_equal(r.view.functions.count, 2);
        assert_string_equal(r.functions[0].name, sorts[i].first);
        report_release(&r);
    }
    o = (struct report_options){.filter.files = {.items = (const char *[]){"src/shapes.c"}, .count = 1}};
    report_init(&r, &p, &o, false);
    assert_int_equal(r.view.functions.count, 5);
    report_release(&r);
    profile_release(&p);
}

static void system_headers_and_throwing_calls_do_not_crowd_the_report(void **state)
{
    (void)state;
    struct profile p;
    make_profile(&p);
    const char *system = "/usr/lib/gcc/x86_64-linux-gnu/12/../../../../include/c++/12/bits/a.h";
    struct profile_function *f = add_function(&p, "_ZN3std3runEv", system, 3, 1);
    set_block(f, 0, 5, 3u, 0u);
    add_edge(f, 0, 1, EDGE_EXIT, 5);
    add_edge(f, 1, 0, EDGE_ENTRY, 5);
    f->entries = 5;
    struct report_options o = {0};
    struct report r;
    report_init(&r, &p, &o, false);
    assert_int_equal(r.totals.ways, 4);
    assert_int_equal(r.totals.lines, 15);
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    report_write_text(&r, out);
    fclose(out);
    assert_null(strstr(text, "std::run"));
    assert_non_null(strstr(text, "1 function of system headers"));
    assert_non_null(strstr(text, "1 system header;"));
    free(text);
    char *reason = report_reason(&r, "_ZNK5shape4areaEiSt4pairIiiE threw (x_Z.c), _Znonsense\033");
    assert_string_equal(reason, "shape::area threw (x_Z.c), _Znonsense?");
    free(reason);
    report_release(&r);
    o.no_system = true;
    report_init(&r, &p, &o, false);
    assert_int_equal(r.totals.lines, 14);
    report_release(&r);
    /* main's else becomes a landing pad: nothing is left to decide on its line */
    p.functions.items[1].map.blocks[2].hazards = MAP_HAZARD_LANDING_PAD;
    report_init(&r, &p, &o, false);
    assert_int_equal(r.totals.ways, 2);
    report_release(&r);
    profile_release(&p);
    assert_true(source_of_system("/usr/include/stdio.h"));
    assert_true(source_of_system("/usr//lib/./x.h"));
    assert_false(source_of_system("/usr/include/../local/x.h"));
    assert_false(source_of_system("/home/usr/include/x.h"));
    assert_false(source_of_system("../../usr/include/x.h"));
}

static void graphs_are_shown_with_counts_and_counters(void **state)
{
    (void)state;
    write_source();
    struct source_maps maps = {0};
    struct error error;
    assert_true(source_maps_add(&maps, "/nowhere/src=.", &error));
    struct profile p;
    make_profile(&p);
    char *text = NULL;
    size_t length = 0;
    FILE *out = open_memstream(&text, &length);
    for (size_t i = 0; i < p.functions.count; i++) {
        struct graph_view v = {&p,   &p.functions.items[i], p.functions.items[i].map.name, true, false, 0,
                               &maps};
        graph_view_text(&v, out);
        putc('\n', out);
    }
    fclose(out);
    compare_golden("graphs.txt", text);
    out = open_memstream(&text, &length);
    struct graph_view v = {&p, &p.functions.items[1], EVIL_NAME, true, false, 0, &maps};
    graph_view_dot(&v, out);
    fclose(out);
    compare_golden("graph.dot", text);
    ARRAY_RELEASE(&maps);
    profile_release(&p);
}

static void counts_and_percentages_never_mislead(void **state)
{
    (void)state;
    char t[COUNT_TEXT];
    assert_string_equal(count_text(t, 0), "0");
    assert_string_equal(count_text(t, 999), "999");
    assert_string_equal(count_text(t, 1000), "1,000");
    assert_string_equal(count_text(t, INT64_MAX), "9,223,372,036,854,775,807");
    assert_string_equal(count_text(t, -1), "?");
    assert_string_equal(percent_text(t, 0, 5), "0%");
    assert_string_equal(percent_text(t, 5, 5), "100%");
    assert_string_equal(percent_text(t, 99999, 100000), ">99.9%");
    assert_string_equal(percent_text(t, 1, 100000), "<0.1%");
    assert_string_equal(percent_text(t, 1, 3), "33.3%");
    assert_int_equal(count_add(INT64_MAX, 1), INT64_MAX);
    assert_int_equal(count_add(-1, 1), -1);
}

static void assert_demangled(const char *linkage_name, const char *expected)
{
    char *name = demangle(linkage_name);
    assert_string_equal(name, expected);
    free(name);
}

static void names_are_demangled_and_bombs_are_not(void **state)
{
    (void)state;
    assert_demangled("_ZNSt6vectorIiSaIiEE9push_backEOi",
                     "std::vector<int, std::allocator<int> >::push_back(int&&)");
    assert_demangled("main", "main");
    assert_demangled("_Z", "_Z");
    assert_demangled("_Zno such name", "_Zno such name");
    /* Each argument is a pair of the last but one: the text doubles with every eleven bytes. */
    char bomb[1024] = "_Z1fSt4pairIiiE";
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    for (int i = 0; i < 36; i++) {
        char step[32];
        snprintf(step, sizeof step, "St4pairIS%c_S%c_E", digits[i], digits[i]);
        strcat(bomb, step);
    }
    char *name = demangle(bomb);
    assert_true(strlen(name) <= 16384);
    free(name);
    char deep[20000] = "_Z1f";
    memset(deep + 4, 'P', sizeof deep - 6);
    deep[sizeof deep - 2] = 'i';
    name = demangle(deep);
    free(name);
    static const char *const bare[][2] = {
        {"a::b(int) const", "a::b"},
        {"a<(b)1>::c(int)", "a<(b)1>::c"},
        {"(anonymous namespace)::f(int)", "(anonymous namespace)::f"},
        {"a::operator()(int)", "a::operator()"},
        {"a::operator unsigned int() const", "a::operator unsigned int"},
        {"operator<<(int)", "operator<<"},
        {"unsigned int a::b<c, d>(int)", "a::b<c, d>"},
        {"decltype (x(1)) a::b<c>(int)", "a::b<c>"},
        {"main", "main"},
        {"a(", "a"},
        {"(", "("},
        {"decltype(", "decltype"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof bare / sizeof *bare; i++) {
        name = demangled_bare_name(bare[i][0]);
        assert_string_equal(name, bare[i][1]);
        free(name);
    }
}

static void source_maps_change_whole_components(void **state)
{
    (void)state;
    struct source_maps maps = {0};
    struct error error;
    assert_false(source_maps_add(&maps, "no equals sign", &error));
    assert_false(source_maps_add(&maps, "=new", &error));
    assert_true(source_maps_add(&maps, "/a=/x", &error));
    assert_true(source_maps_add(&maps, "/a/b/=/y", &error));
    static const char *const pairs[][2] = {{"/a/f.c", "/x/f.c"},
                                           {"/ab/f.c", "/ab/f.c"},
                                           {"/a/b/f.c", "/y/f.c"},
                                           {"/c/f.c", "/c/f.c"},
                                           {"/a", "/x"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char *path = source_maps_apply(&maps, pairs[i][0]);
        assert_string_equal(path, pairs[i][1]);
        free(path);
    }
    ARRAY_RELEASE(&maps);
}

static int remove_source(void **state)
{
    (void)state;
    remove("shapes.c");
    return 0;
}

int main(int argc, char **argv)
{
    if (argc == 2) { /* for the shell tests: writes the profile as a merged file */
        struct profile p;
        struct error error;
        make_profile(&p);
        bool written = profile_write(&p, argv[1], &error);
        profile_release(&p);
        return !written;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_shows_functions_and_source),
        cmocka_unit_test(text_without_source_names_it_once),
        cmocka_unit_test(json_is_as_documented),
        cmocka_unit_test(lcov_is_as_geninfo_writes_it),
        cmocka_unit_test(nothing_hostile_reaches_the_output),
        cmocka_unit_test(functions_are_chosen_and_sorted),
        cmocka_unit_test(system_headers_and_throwing_calls_do_not_crowd_the_report),
        cmocka_unit_test(graphs_are_shown_with_counts_and_counters),
        cmocka_unit_test(counts_and_percentages_never_mislead),
        cmocka_unit_test(names_are_demangled_and_bombs_are_not),
        cmocka_unit_test(source_maps_change_whole_components),
    };
    return cmocka_run_group_tests(tests, NULL, remove_source);
}
