/*
 * How long planning takes: random structured programs of 10^3 to 10^6 blocks (sequences, if-else, while,
 * do-while, switch, return at random places), each completed, weighted and planned by every placement. One
 * line a size, with the time per block, which stays nearly the same when the work is near-linear.
 */
#include "base/memory.h"
#include "graph/weights.h"
#include "plan/plan.h"

#include <stdio.h>
#include <time.h>

static uint64_t random_state = 88172645463325252u;
static uint32_t random_below(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 33) % n);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* What is still to be built, innermost last: how the block that closes it is reached and left. */
struct open {
    enum { IF, ELSE, WHILE, DO } kind;
    uint32_t head, other; /* where it began; the end of the if's first arm */
    uint32_t left;        /* statements still to come inside */
};

struct program {
    struct graph graph;
    uint32_t next, size; /* blocks so far, blocks wanted */
    struct ARRAY_OF(struct open) stack;
};

static void edge(struct program *p, uint32_t from, uint32_t to)
{
    graph_add_edge(&p->graph, from, to, to == p->size ? EDGE_EXIT : EDGE_FLOW);
}

/* One program with exactly `size` blocks; no recursion, since loops nest as deep as chance has it. */
static struct graph structured(uint32_t size)
{
    struct program p = {.size = size, .next = 1};
    graph_init(&p.graph, size);
    uint32_t at = 0;
    while (p.next < size) {
        struct open *top = p.stack.count ? &p.stack.items[p.stack.count - 1] : NULL;
        if (top && top->left == 0) { /* close it in a new block */
            uint32_t after = p.next++;
            switch (top->kind) {
            case IF: /* the second arm begins */
                top->kind = ELSE;
                top->other = at;
                top->left = random_below(4);
                edge(&p, top->head, after);
                at = after;
                continue;
            case ELSE:
                edge(&p, at, after);
                edge(&p, top->other, after);
                break;
            case WHILE:
                edge(&p, at, top->head);
                edge(&p, top->head, after);
                break;
            case DO:
                edge(&p, at, top->head);
                edge(&p, at, after);
                break;
            }
            at = after;
            p.stack.count--;
            continue;
        }
        if (top)
            top->left--;
        uint32_t block = p.next++;
        edge(&p, at, block);
        uint32_t kind = random_below(10);
        if (kind == 0)
            edge(&p, at, size); /* return */
        if (kind <= 2)
            ARRAY_PUSH(&p.stack, ((struct open){.kind = IF, .head = at, .left = random_below(4)}));
        else if (kind == 3)
            ARRAY_PUSH(&p.stack, ((struct open){.kind = WHILE, .head = at, .left = 1 + random_below(4)}));
        else if (kind == 4)
            ARRAY_PUSH(&p.stack, ((struct open){.kind = DO, .head = block, .left = random_below(4)}));
        else if (kind == 5 && p.next + 8 < size) { /* switch: arms of one block, the last falls out */
            uint32_t arms = 2 + random_below(5), join = p.next + arms;
            for (uint32_t i = 0; i < arms; i++) {
                edge(&p, block, p.next + i);
                edge(&p, p.next + i, join);
            }
            edge(&p, block, p.next); /* two labels of one arm */
            p.next = join + 1;
            block = join;
        }
        at = block;
    }
    edge(&p, at, size);
    ARRAY_RELEASE(&p.stack);
    return p.graph;
}

int main(void)
{
    printf("%9s %9s %10s", "blocks", "edges", "weights s");
    for (int i = 1; i < PLACEMENT_BALANCE; i++)
        printf(" %11s", placement_info((enum placement)i)->name);
    printf(" %14s\n", "edges us/block");
    for (uint32_t size = 1000; size <= 1000000; size *= 10) {
        struct graph g = structured(size);
        double start = seconds();
        graph_complete(&g);
        double *weights = ALLOC(double, g.edge_count);
        weights_guess(&g, &weight_defaults, weights);
        double guessed = seconds() - start, edges = 0;
        printf("%9u %9u %10.4f", size, g.edge_count, guessed);
        for (int i = 1; i < PLACEMENT_BALANCE; i++) {
            struct plan plan;
            struct error error;
            start = seconds();
            if (!plan_make(&plan, &g, (enum placement)i, weights, NULL, &error)) {
                fprintf(stderr, "planning: %s\n", error.text);
                return 1;
            }
            double took = seconds() - start;
            edges = i == PLACEMENT_EDGES ? took : edges;
            printf(" %11.4f", took);
            plan_release(&plan);
        }
        printf(" %14.3f\n", (guessed + edges) * 1e6 / size);
        free(weights);
        graph_release(&g);
    }
    return 0;
}
