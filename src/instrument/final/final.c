/*
 * Which stretches need a counter? Block b is a row of stretches; points lie between them. Points
 * with nothing counted between them are one: the end of a block is the beginning of its successors,
 * and where the function begins and ends is EXIT. What remains is a graph whose edges are the
 * stretches that count. A spanning tree of the dearest edges, by LLVM's own frequencies, carries no
 * counters (Ball & Larus 1994, on the graph that will run and not on that of the source).
 *
 * Flow is relied on only where all frames are recorded: not in -fPIC code, which may be loaded into
 * programs without the runtime; and not where a call may return twice, since control then appears
 * in the middle. In such functions several counts of one stretch still become one counter.
 *
 * Counts that were moved out of loops lie on no edge: control comes by once, and they count often.
 * Those that are twins get one counter, an edge from EXIT to EXIT.
 */
#include "instrument/final/final.h"
#include "base/memory.h"
#include "format/counters.h"
#include "graph/tree.h"
#include "instrument/graph/returns_twice.h"
#include "instrument/llvm/shim.h"
#include "instrument/marker/marker.h"
#include "instrument/place/positions.h"

#include <llvm-c/Comdat.h>
#include <string.h>

/* The weight of a block that never runs, as LLVM guesses. */
#define SELDOM 1e-9

/* What a counter costs in a block that would not be there without it: the block ends in a jump, and
 * lies in the way of blocks that would follow each other. */
#define BLOCK_OF_ITS_OWN 2

bool marker_is_shared(LLVMValueRef marker)
{
    unsigned long long key;
    unsigned counter;
    return marker_by(marker) && marker_may_move(marker) &&
           shim_counter(LLVMGetOperand(marker, 0), &key, &counter);
}

/* Does the instruction surely go on, without running code of the user? */
static bool goes_on(LLVMValueRef instruction)
{
    static const char will_return[] = "willreturn";
    if (LLVMIsATerminatorInst(instruction))
        return false;
    if (LLVMGetInstructionOpcode(instruction) != LLVMCall)
        return true;
    LLVMValueRef callee = LLVMGetCalledValue(instruction);
    return LLVMIsAFunction(callee) && LLVMGetIntrinsicID(callee) &&
           LLVMGetEnumAttributeAtIndex(callee, LLVMAttributeFunctionIndex,
                                       LLVMGetEnumAttributeKindForName(will_return, strlen(will_return)));
}

bool stretch_ends_before(LLVMValueRef instruction, LLVMValueRef annotation)
{
    if (marker_was_merged(instruction, annotation) || marker_is_goes_on(instruction, annotation))
        return true;
    if (marker_array(instruction, annotation) || marker_path_array(instruction, annotation))
        return false;
    return !goes_on(instruction) || copies_much(instruction);
}

/* The first round over the stretches of a function. Points have numbers of their own here: 0 is
 * EXIT, then come the beginnings of blocks, then the ends of stretches. */
struct survey {
    struct final *f;
    uint32_t point_count;
    struct ARRAY_OF(struct edge) edges;       /* stretches that count */
    struct ARRAY_OF(double) weights;          /* by edge; 0: it carries a counter in any case */
    struct ARRAY_OF(struct edge) joins;       /* points with nothing counted between them */
    struct ARRAY_OF(struct final_count) here; /* of the current stretch, each counter once */
    struct ARRAY_OF(struct final_count) counts;
    struct ARRAY_OF(uint32_t) first; /* by edge */
};

static void add_count(struct survey *s, LLVMValueRef marker)
{
    unsigned long long key;
    unsigned counter;
    if (!shim_counter(LLVMGetOperand(marker, 0), &key, &counter))
        return;
    for (size_t i = 0; i < s->here.count; i++)
        if (s->here.items[i].key == key && s->here.items[i].counter == counter) {
            s->here.items[i].by += marker_by(marker);
            return;
        }
    ARRAY_PUSH(&s->here, ((struct final_count){.key = key, .counter = counter, .by = marker_by(marker)}));
}

/* The stretch ends. The result is the point after it. */
static uint32_t end_stretch(struct survey *s, uint32_t point, double weight)
{
    bool is_edge = s->here.count > (s->f->at.flows ? 0 : 1);
    if (s->here.count)
        ARRAY_PUSH(&s->f->stretches, is_edge);
    if (is_edge) {
        uint32_t to = s->f->at.flows ? s->point_count++ : point;
        ARRAY_PUSH(&s->edges, ((struct edge){.from = point, .to = to}));
        ARRAY_PUSH(&s->weights, weight);
        ARRAY_PUSH(&s->first, (uint32_t)s->counts.count);
        for (size_t i = 0; i < s->here.count; i++)
            ARRAY_PUSH(&s->counts, s->here.items[i]);
        point = to;
    }
    s->here.count = 0;
    return point;
}

static uint32_t begins_at(const struct final *f, LLVMBasicBlockRef block)
{
    return (uint32_t)*hash_map_get(&f->begins, (uint64_t)(uintptr_t)block);
}

/* Does the block hold nothing but counts? */
static bool only_counts(LLVMBasicBlockRef block, LLVMValueRef annotation)
{
    LLVMValueRef i = LLVMGetFirstInstruction(block), end = LLVMGetBasicBlockTerminator(block);
    while (i != end && (marker_array(i, annotation) || LLVMIsADbgInfoIntrinsic(i)))
        i = LLVMGetNextInstruction(i);
    return i == end && LLVMIsABranchInst(end) && !LLVMIsConditional(end);
}

static void survey_block(struct survey *s, LLVMBasicBlockRef block, double weight)
{
    struct final *f = s->f;
    if (only_counts(block, f->at.annotation))
        weight *= BLOCK_OF_ITS_OWN;
    uint32_t point = begins_at(f, block);
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
        if (marker_array(i, f->at.annotation) && marker_is_shared(i))
            add_count(s, i);
        else if (stretch_ends_before(i, f->at.annotation))
            point = end_stretch(s, point, weight);
    }
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    unsigned ways = LLVMGetNumSuccessors(end);
    for (unsigned i = 0; i < ways; i++)
        ARRAY_PUSH(&s->joins, ((struct edge){.from = point, .to = begins_at(f, LLVMGetSuccessor(end, i))}));
    if (!ways)
        ARRAY_PUSH(&s->joins, ((struct edge){.from = point, .to = 0}));
}

/* Twins are counted wherever they stand, and by as much as the program says. */
static void survey_twins(struct survey *s)
{
    struct final *f = s->f;
    twins_find(&f->twins, f->at.function, f->at.annotation);
    for (size_t i = 0; i < f->twins.groups.count; i++) {
        const struct twins *group = &f->twins.groups.items[i];
        ARRAY_PUSH(&s->edges, ((struct edge){.from = 0, .to = 0}));
        ARRAY_PUSH(&s->weights, 0);
        ARRAY_PUSH(&s->first, (uint32_t)s->counts.count);
        for (size_t k = 0; k < group->counters.count; k++)
            ARRAY_PUSH(&s->counts, ((struct final_count){.key = group->counters.items[k].key,
                                                         .counter = group->counters.items[k].counter,
                                                         .by = 1}));
    }
}

/* Gives points that are joined one vertex, and makes the graph. */
static void make_graph(struct survey *s)
{
    struct final *f = s->f;
    struct union_find together;
    uint32_t *vertex = ALLOC(uint32_t, s->point_count), vertices = 0;
    union_find_init(&together, s->point_count);
    for (size_t i = 0; i < s->joins.count; i++)
        union_find_join(&together, s->joins.items[i].from, s->joins.items[i].to);
    uint32_t outside = union_find_root(&together, 0);
    memset(vertex, 0xff, s->point_count * sizeof *vertex); /* GRAPH_NONE */
    for (size_t i = 0; i < 2 * s->edges.count; i++) {
        const struct edge *e = &s->edges.items[i / 2];
        uint32_t root = union_find_root(&together, i % 2 ? e->to : e->from);
        if (vertex[root] == GRAPH_NONE && root != outside)
            vertex[root] = vertices++;
    }
    vertex[outside] = vertices;
    graph_init(&f->map.graph, vertices);
    for (size_t i = 0; i < s->edges.count; i++)
        graph_add_edge(&f->map.graph, vertex[union_find_root(&together, s->edges.items[i].from)],
                       vertex[union_find_root(&together, s->edges.items[i].to)], EDGE_FLOW);
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->at.function); b; b = LLVMGetNextBasicBlock(b)) {
        uint64_t *begins = hash_map_put(&f->begins, (uint64_t)(uintptr_t)b, NULL);
        *begins = vertex[union_find_root(&together, (uint32_t)*begins)] + 1; /* GRAPH_NONE + 1 is 0 */
        *begins &= UINT32_MAX;
    }
    union_find_release(&together);
    free(vertex);
}

static void choose_counters(struct survey *s)
{
    struct final_function *map = &s->f->map;
    struct graph tree;
    map->counted = ALLOC(bool, map->graph.edge_count + 1);
    graph_init(&tree, map->graph.vertex_count - 1);
    for (uint32_t e = 0; e < map->graph.edge_count; e++) {
        uint32_t from = map->graph.edges[e].from; /* loops are never in the tree */
        graph_add_edge(&tree, from, s->weights.items[e] > 0 ? map->graph.edges[e].to : from, EDGE_FLOW);
    }
    spanning_tree(&tree, s->weights.items, NULL, map->counted);
    for (uint32_t e = 0; e < map->graph.edge_count; e++)
        map->counted[e] = !map->counted[e];
    graph_release(&tree);
    ARRAY_PUSH(&s->first, (uint32_t)s->counts.count);
    map->first = s->first.items;
    map->counts = s->counts.items;
}

static LLVMValueRef counter_address(struct final *f, uint32_t counter)
{
    LLVMTypeRef i64 = LLVMInt64TypeInContext(LLVMGetModuleContext(f->at.module));
    if (!f->array)
        f->array = LLVMAddGlobal(f->at.module, LLVMArrayType2(i64, 0), "");
    LLVMValueRef index = LLVMConstInt(i64, COUNTERS_HEADER_WORDS + counter, false);
    return LLVMConstInBoundsGEP2(i64, f->array, &index, 1);
}

/* Their counters come after those of the stretches. */
static void address_twins(struct final *f)
{
    uint32_t counters = final_function_counters(&f->map), groups = (uint32_t)f->twins.groups.count;
    for (uint32_t i = 0; i < groups; i++)
        f->twins.groups.items[i].address = counter_address(f, counters - groups + i);
}

/* Does control go on from the instruction as its block says? */
static bool has_flow(LLVMValueRef instruction, LLVMValueRef annotation)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    bool calls = opcode == LLVMCall || opcode == LLVMInvoke;
    return !marker_was_merged(instruction, annotation) && opcode != LLVMCallBr && opcode != LLVMCleanupPad &&
           opcode != LLVMCatchSwitch && !(calls && call_returns_twice(instruction));
}

/* Looks at all instructions: can flow be relied on, whose code is it, is there something to share,
 * and in which kind of memory? False: nothing is shared. */
static bool look_at_function(struct final *f)
{
    bool any = false, in_thread = false;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f->at.function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            const struct position *p = position_at(f->at.positions, shim_position(f->at.positions, i));
            LLVMValueRef array = marker_array(i, f->at.annotation);
            if (p && !p->counts && !shim_is_inlined(i))
                f->map.own = p->key;
            if (array && (marker_is_shared(i) || marker_is_moved(i))) {
                *(LLVMIsThreadLocal(array) ? &in_thread : &f->in_image) = true;
                any = true;
            }
            f->at.flows = f->at.flows && has_flow(i, f->at.annotation);
        }
    f->at.flows = f->at.flows && f->map.own && !f->in_image;
    return any && in_thread != f->in_image; /* a linker may inline code of one kind into the other */
}

/* Is it the program's main? What runs once costs nothing to count, and is then known also while the
 * program still runs, and when it was killed. */
static bool runs_once(LLVMValueRef function)
{
    size_t length;
    return !strcmp(LLVMGetValueName2(function, &length), "main");
}

bool final_begin(struct final *f, const struct final_place *at)
{
    *f = (struct final){.at = *at};
    if (!look_at_function(f))
        return false;
    struct survey s = {.f = f, .point_count = 1};
    uint32_t blocks = LLVMCountBasicBlocks(at->function), block = 0;
    double *weights = ALLOC(double, blocks);
    bool *in_loop = ALLOC(bool, blocks), once = runs_once(at->function);
    shim_block_frequencies(at->function, weights, in_loop);
    for (uint32_t i = 0; i < blocks; i++)
        weights[i] = once && !in_loop[i] ? 0 : weights[i] + SELDOM;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(at->function); b; b = LLVMGetNextBasicBlock(b))
        *hash_map_put(&f->begins, (uint64_t)(uintptr_t)b, NULL) = f->at.flows ? s.point_count++ : 0;
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(at->function); b; b = LLVMGetNextBasicBlock(b))
        survey_block(&s, b, weights[block++]);
    ARRAY_PUSH(&s.joins,
               ((struct edge){.from = 0, .to = begins_at(f, LLVMGetEntryBasicBlock(at->function))}));
    survey_twins(&s);
    bool any = s.edges.count;
    if (any) {
        make_graph(&s);
        choose_counters(&s);
        f->stretch_of = ZALLOC(uint32_t, s.edges.count);
        address_twins(f);
    } else {
        hash_map_release(&f->begins);
        ARRAY_RELEASE(&f->stretches);
        twins_release(&f->twins);
        ARRAY_RELEASE(&s.counts);
        ARRAY_RELEASE(&s.first);
    }
    free(weights);
    free(in_loop);
    ARRAY_RELEASE(&s.edges);
    ARRAY_RELEASE(&s.weights);
    ARRAY_RELEASE(&s.joins);
    ARRAY_RELEASE(&s.here);
    return any;
}

void final_enter_block(struct final *f, LLVMBasicBlockRef block)
{
    f->point = begins_at(f, block);
}

bool final_is_edge(struct final *f)
{
    return f->stretches.items[f->stretch++];
}

LLVMValueRef final_next(struct final *f, uint32_t stretch)
{
    uint32_t edge = f->edge++;
    f->stretch_of[edge] = stretch;
    f->point = f->map.graph.edges[edge].to + 1;
    stretch_is_edge(f->at.positions, stretch, edge);
    return f->map.counted[edge] ? counter_address(f, f->counter++) : NULL;
}

static void make_array(struct final *f)
{
    size_t length;
    struct buffer name = {0};
    buffer_addf(&name, COUNTERS_FINAL_PREFIX "%s", LLVMGetValueName2(f->at.function, &length));
    LLVMValueRef array = counter_array_add(f->at.module, buffer_text(&name), f->map.key,
                                           final_function_counters(&f->map), f->in_image);
    /* The linker keeps one of several copies of the code, and its counters with it. */
    if (LLVMGetComdat(f->at.function))
        LLVMSetComdat(array, LLVMGetComdat(f->at.function));
    LLVMReplaceAllUsesWith(f->array, array);
    LLVMDeleteGlobal(f->array);
    buffer_release(&name);
}

void final_end(struct final *f)
{
    struct buffer record = {0};
    final_function_write(&record, &f->map);
    if (f->array)
        make_array(f);
    positions_add_final(f->at.positions, f->map.key, record);
    for (uint32_t e = 0, counter = 0; e < f->map.graph.edge_count; e++)
        if (f->map.counted[e])
            stretch_has_counter(f->at.positions, f->stretch_of[e], f->map.key, counter++);
    shim_set_final(f->at.function, f->map.key);
    hash_map_release(&f->begins);
    ARRAY_RELEASE(&f->stretches);
    twins_release(&f->twins);
    free(f->stretch_of);
    final_function_release(&f->map);
}
