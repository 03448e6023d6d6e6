/*
 * Code for chosen paths, run on paper: a watched path counts in a counter of its own, which no other path
 * ever reaches, in all three kinds. Which arcs a choice has is judged by listing its paths; groups own every
 * path once.
 */
#include "path_testing.h"

#include "plan/path_code.h"
#include "plan/path_decode.h"
#include "plan/path_groups.h"
#include "plan/path_plan.h"
#include "plan/path_selector.h"

static unsigned long kinds_taken[PATH_CODE_LAST + 1], watched_checked, others_checked;

/* The counter that a run of the path reaches, or GRAPH_NONE. by_phi: ends share their code, so that all of
 * them count. */
static uint32_t run_path(const struct path_code *c, const struct path_graph *p, const uint32_t *arcs,
                         uint32_t count, bool by_phi)
{
    uint64_t sum = c->add[arcs[0]];
    for (uint32_t i = 1; i + 1 < count; i++)
        sum = c->sets[arcs[i]] ? c->add[arcs[i]] : sum + c->add[arcs[i]];
    uint32_t end = arcs[count - 1];
    assert_true(p->arcs.edges[end].to == graph_exit(&p->arcs));
    if (!c->counts[end] && !by_phi)
        return GRAPH_NONE;
    sum += !c->counts[end] && c->checked ? PATH_CODE_NEVER : c->add[end];
    if (c->checked && sum >= c->counters - 1)
        sum = c->counters - 1;
    assert_true(sum < c->counters);
    return (uint32_t)sum;
}

static void check_kind(const struct plan *plan, const struct path_graph *p, const struct path_numbering *n,
                       const double *weights, const bool *wanted)
{
    static uint32_t reached[PATHS_LISTED_MOST], reached_by_phi[PATHS_LISTED_MOST];
    struct path_code code, values;
    uint32_t arcs[STEPS_MOST + 1];
    assert_true(path_code_init(&code, plan, p, n, weights, NULL));
    assert_true(path_code_init(&values, plan, p, n, NULL, NULL));
    assert_int_equal(code.counters, values.counters);
    for (uint32_t id = 0; id < n->total; id++) {
        uint32_t count = path_decode(p, n, id, arcs);
        reached[id] = run_path(&code, p, arcs, count, false);
        reached_by_phi[id] = run_path(&code, p, arcs, count, true);
        if (wanted[id])
            assert_true(reached[id] == path_code_counter(&values, p, n, id, arcs));
    }
    for (uint32_t id = 0; id < n->total; id++)
        for (uint32_t other = 0; wanted[id] && other < n->total; other++) {
            if (other == id)
                continue;
            assert_true(reached[other] != reached[id] && reached_by_phi[other] != reached[id]);
            *(wanted[other] ? &watched_checked : &others_checked) += 1;
        }
    path_code_release(&code);
    path_code_release(&values);
}

static void check_arcs(const struct plan *plan, const struct path_graph *p, const struct path_numbering *n,
                       const bool *wanted)
{
    bool found[128] = {0}, expected[128] = {0};
    uint32_t arcs[STEPS_MOST + 1];
    assert_true(p->arcs.edge_count <= 128);
    path_choice_arcs(plan->choice, p, n, found);
    for (uint32_t id = 0; id < n->total; id++) {
        uint32_t count = path_decode(p, n, id, arcs);
        for (uint32_t i = 0; wanted[id] && i < count; i++)
            expected[arcs[i]] = true;
        assert_true(path_choice_has(plan->choice, id) == wanted[id]);
    }
    assert_memory_equal(found, expected, p->arcs.edge_count);
}

static void check_choice(const struct graph *g, const struct plan *all, const double *weights,
                         const bool *wanted)
{
    struct plan plan = {.placement = all->placement,
                        .probe_count = all->probe_count,
                        .probes = ALLOC(struct probe, all->probe_count + 1u),
                        .path_count = all->path_count};
    struct path_graph p;
    struct path_numbering n;
    uint32_t count = 0;
    if (all->probe_count > 0)
        memcpy(plan.probes, all->probes, all->probe_count * sizeof *plan.probes);
    assert_true(path_choose(&plan, g, weights, wanted, 0, NULL));
    for (uint32_t id = 0; id < plan.path_count; id++)
        count += wanted[id];
    assert_true((plan.choice == NULL) == (count == plan.path_count));
    assert_true(path_plan_number(&plan, g, weights, NULL, &p, &n, NULL));
    if (plan.choice && count) {
        enum path_code_kind taken = plan.choice->kind;
        kinds_taken[taken]++;
        assert_true(path_choice_size(plan.choice) == count);
        check_arcs(&plan, &p, &n, wanted);
        for (int kind = 1; kind <= PATH_CODE_LAST; kind++) {
            plan.choice->kind = (enum path_code_kind)kind;
            check_kind(&plan, &p, &n, weights, wanted);
        }
    } else if (count) {
        check_kind(&plan, &p, &n, weights, wanted);
    } else {
        assert_int_equal(plan_counters(&plan), 0);
    }
    path_numbering_release(&n);
    path_graph_release(&p);
    plan_release(&plan);
}

static struct graph some_graph(struct plan *plan, double *weights, int i)
{
    struct graph g;
    do {
        g = random_graph(3 + random_below(9), random_below(14));
        graph_complete(&g);
        for (uint32_t e = 0; e < g.edge_count; e++)
            weights[e] = random_below(50);
        assert_true(
            path_plan_make(plan, &g, i % 2 ? PLACEMENT_LOOP_PATHS : PLACEMENT_PATHS, weights, NULL, NULL));
        if (plan->path_count <= 200)
            return g;
        plan_release(plan);
        graph_release(&g);
    } while (true);
}

static void random_choices(void **state)
{
    (void)state;
    for (int i = 0; i < (int)sampled(1500); i++) {
        struct plan plan;
        double weights[128];
        bool wanted[201];
        struct graph g = some_graph(&plan, weights, i);
        for (uint32_t round = 0; round < 6; round++) {
            for (uint32_t id = 0; id <= plan.path_count; id++)
                wanted[id] = round == 0 ? false : random_below(round) == 0;
            if (round == 0)
                wanted[random_below(plan.path_count)] = true;
            check_choice(&g, &plan, weights, wanted);
        }
        plan_release(&plan);
        graph_release(&g);
    }
    assert_true(watched_checked > sampled(100000) && others_checked > sampled(100000));
    printf("taken: all %lu, PSPP %lu, compact %lu\n", kinds_taken[1], kinds_taken[2], kinds_taken[3]);
    for (int kind = 1; kind <= PATH_CODE_LAST; kind++) /* none is for nothing */
        assert_true(kinds_taken[kind] > 10);
}

/* Of several functions at once; every wanted path has one owner, what is not wanted has none. */
static void groups_own_paths_once(void **state)
{
    (void)state;
    enum { FUNCTIONS = 5 };
    for (int i = 0; i < 300; i++) {
        struct path_shares *shares = path_shares_new();
        uint32_t counts[FUNCTIONS], groups = 1 + random_below(9);
        static bool wanted[FUNCTIONS][201], part[201];
        static uint32_t owners[201];
        uint64_t whole[FUNCTIONS];
        double all = 0;
        for (int f = 0; f < FUNCTIONS; f++) {
            struct plan plan;
            struct path_graph p;
            struct path_numbering n;
            double weights[128], arc_weights[128];
            struct graph g = some_graph(&plan, weights, i + f);
            assert_true(path_plan_number(&plan, &g, NULL, NULL, &p, &n, NULL));
            path_graph_weights(&p, &g, weights, arc_weights);
            counts[f] = plan.path_count;
            for (uint32_t id = 0; id < counts[f]; id++)
                wanted[f][id] = i % 2 || random_below(3);
            whole[f] = f == 3 ? 1 + random_below(100) : PATH_SHARES_FREE;
            path_shares_add(shares, &p, &n, arc_weights, wanted[f], whole[f]);
            path_numbering_release(&n);
            path_graph_release(&p);
            plan_release(&plan);
            graph_release(&g);
        }
        path_shares_divide(shares, groups);
        for (int f = 0; f < FUNCTIONS; f++) {
            memset(owners, 0, sizeof owners);
            for (uint32_t group = 0; group < groups; group++) {
                memcpy(part, wanted[f], sizeof part);
                path_shares_take(shares, (size_t)f, group, part);
                if (whole[f] != PATH_SHARES_FREE)
                    assert_true((whole[f] >> 1) % groups == group ? !memcmp(part, wanted[f], counts[f])
                                                                  : !memchr(part, true, counts[f]));
                for (uint32_t id = 0; id < counts[f]; id++)
                    owners[id] += part[id];
            }
            for (uint32_t id = 0; id < counts[f]; id++)
                assert_int_equal(owners[id], wanted[f][id]);
        }
        for (uint32_t group = 0; group < groups; group++)
            all += path_shares_load(shares, group);
        for (uint32_t group = 0; group < groups; group++) /* a single path cannot be divided */
            assert_true(path_shares_load(shares, group) >= 0 && path_shares_load(shares, group) <= all);
        path_shares_free(shares);
    }
}

/* Functions of several units have odd numbers; any group may get them. */
static void whole_functions_reach_every_group(void **state)
{
    (void)state;
    enum { FUNCTIONS = 100, GROUPS_MOST = 8 };
    for (uint32_t groups = 1; groups <= GROUPS_MOST; groups++) {
        struct path_shares *shares = path_shares_new();
        struct graph g;
        struct plan plan;
        struct path_graph p;
        struct path_numbering n;
        double weights[] = {1, 1};
        bool wanted[] = {true};
        graph_init(&g, 1);
        graph_add_edge(&g, 0, 1, EDGE_EXIT);
        graph_complete(&g);
        assert_true(path_plan_make(&plan, &g, PLACEMENT_PATHS, weights, NULL, NULL));
        assert_int_equal(plan.path_count, 1);
        assert_true(path_plan_number(&plan, &g, NULL, NULL, &p, &n, NULL));
        for (uint32_t f = 0; f < FUNCTIONS; f++)
            path_shares_add(shares, &p, &n, weights, wanted, random_below(1u << 20) | 1);
        path_shares_divide(shares, groups);
        for (uint32_t group = 0; group < groups; group++) {
            uint32_t owned = 0;
            for (uint32_t f = 0; f < FUNCTIONS; f++) {
                bool part[] = {true};
                path_shares_take(shares, f, group, part);
                owned += part[0];
            }
            assert_true(owned > 0);
        }
        path_shares_free(shares);
        path_numbering_release(&n);
        path_graph_release(&p);
        plan_release(&plan);
        graph_release(&g);
    }
}

/* Four equal diamonds in a row, 16 paths: eight groups get two each. */
static void groups_are_even(void **state)
{
    (void)state;
    struct graph g;
    struct plan plan;
    struct path_graph p;
    struct path_numbering n;
    double weights[64], arc_weights[64];
    bool wanted[16];
    graph_init(&g, 13);
    for (uint32_t i = 0; i < 4; i++)
        for (uint32_t side = 1; side < 3; side++) {
            weights[graph_add_edge(&g, 3 * i, 3 * i + side, EDGE_FLOW)] = 50;
            weights[graph_add_edge(&g, 3 * i + side, 3 * i + 3, EDGE_FLOW)] = 50;
        }
    weights[graph_add_edge(&g, 12, 13, EDGE_EXIT)] = 100;
    graph_complete(&g);
    weights[g.edge_count - 1] = 100;
    assert_true(path_plan_make(&plan, &g, PLACEMENT_PATHS, weights, NULL, NULL));
    assert_int_equal(plan.path_count, 16);
    assert_true(path_plan_number(&plan, &g, NULL, NULL, &p, &n, NULL));
    path_graph_weights(&p, &g, weights, arc_weights);
    memset(wanted, true, sizeof wanted);
    struct path_shares *shares = path_shares_new();
    path_shares_add(shares, &p, &n, arc_weights, wanted, PATH_SHARES_FREE);
    path_shares_divide(shares, 8);
    for (uint32_t group = 0; group < 8; group++) {
        bool part[16];
        uint32_t owned = 0;
        memcpy(part, wanted, sizeof part);
        path_shares_take(shares, 0, group, part);
        for (int id = 0; id < 16; id++)
            owned += part[id];
        assert_int_equal(owned, 2);
    }
    path_shares_free(shares);
    path_numbering_release(&n);
    path_graph_release(&p);
    plan_release(&plan);
    graph_release(&g);
}

static void selectors(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int kind; /* -1: refused */
        const char *name;
    } cases[] = {
        {"main", PATH_SELECT_FUNCTION, "main"},
        {"main#12", PATH_SELECT_ID, "main"},
        {"hot::f", PATH_SELECT_FUNCTION, "hot::f"},
        {"group::f(int)#3", PATH_SELECT_ID, "group::f(int)"},
        {"f()::{lambda(int)#1}", PATH_SELECT_FUNCTION, "f()::{lambda(int)#1}"},
        {"f()::{lambda(int)#1}#4", PATH_SELECT_ID, "f()::{lambda(int)#1}"},
        {"through:a:b.c:7", PATH_SELECT_LINE, "a:b.c"},
        {"hot:90%:p:q", PATH_SELECT_HOT, "p:q"},
        {"hot:0.5:p", PATH_SELECT_HOT, "p"},
        {"uncovered:p", PATH_SELECT_UNCOVERED, "p"},
        {"group:8/8", PATH_SELECT_GROUP, NULL},
        {"", -1, NULL},
        {"#1", -1, NULL},
        {"f#", -1, NULL},
        {"f#x", -1, NULL},
        {"f#99999999999999999999", -1, NULL},
        {"through:a.c", -1, NULL},
        {"through:a.c:0", -1, NULL},
        {"through::3", PATH_SELECT_FUNCTION, "through::3"},
        {"through:a.c:-3", -1, NULL},
        {"hot:p", -1, NULL},
        {"hot:101%:p", -1, NULL},
        {"hot:nan:p", -1, NULL},
        {"hot:-1:p", -1, NULL},
        {"hot:5%:", -1, NULL},
        {"uncovered:", -1, NULL},
        {"group:", -1, NULL},
        {"group:0/3", -1, NULL},
        {"group:4/3", -1, NULL},
        {"group:1/5000", -1, NULL},
        {"group:1/3x", -1, NULL},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct path_selector s;
        struct error error;
        bool ok = path_selector_parse(&s, cases[i].text, &error);
        if (ok != (cases[i].kind >= 0) || (ok && (int)s.kind != cases[i].kind))
            fail_msg("'%s' is read as %d", cases[i].text, ok ? (int)s.kind : -1);
        if (ok && cases[i].name)
            assert_string_equal(s.name, cases[i].name);
        path_selector_release(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_choices),
        cmocka_unit_test(groups_own_paths_once),
        cmocka_unit_test(whole_functions_reach_every_group),
        cmocka_unit_test(groups_are_even),
        cmocka_unit_test(selectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
