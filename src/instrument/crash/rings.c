#include "instrument/crash/rings.h"
#include "instrument/graph/select.h"

#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>

enum { BYTE_NUMBERS = 256, HEADER_BYTES = 8 };

uint32_t crash_ring_wanted(LLVMValueRef function, const struct instrument_options *options)
{
    uint32_t most = 0;
    for (size_t i = 0; i < options->crash_history.count; i++) {
        char *glob, *text = options->crash_history.items[i];
        uint32_t rounds = (uint32_t)strtoul(text, &glob, 10);
        glob += *glob == ':';
        const struct instrument_names one = {.items = &glob, .count = 1};
        if (rounds > most && rounds < RING_MOST && function_is_named(function, &one))
            most = rounds;
    }
    uint32_t numbers = 1;
    while (numbers <= most)
        numbers *= 2;
    return most ? numbers : 0;
}

void crash_rings_choose(const struct crash_regions *r, const bool *observed, const bool *unmarkable,
                        bool *rings)
{
    memset(rings, 0, r->count * sizeof *rings);
    for (uint32_t b = 0; b < graph_exit(r->graph); b++)
        for (uint32_t in = observed[b] ? r->innermost[b] : GRAPH_NONE; in != GRAPH_NONE && in;
             in = r->parent[in])
            rings[in] = true;
    for (uint32_t e = 0; e < r->graph->edge_count; e++)
        if (crash_begins_round(r, e) && (r->graph->edges[e].kind != EDGE_FLOW || unmarkable[e]))
            rings[r->innermost[r->graph->edges[e].to]] = false;
}

uint32_t crash_ring_number_bytes(const struct crash_subject *subject)
{
    return subject->f->rounds.count[subject->region] <= BYTE_NUMBERS ? 1 : 4;
}

/* The number of the round that the site completes. */
static LLVMValueRef number_of(LLVMBuilderRef builder, const struct crash_rounds *rounds, uint32_t edge,
                              LLVMTypeRef type, LLVMValueRef slot, LLVMTypeRef slot_type)
{
    LLVMValueRef first = LLVMConstInt(type, rounds->first[edge] + (slot != NULL), false);
    if (!slot)
        return first;
    LLVMValueRef told = LLVMBuildLoad2(builder, slot_type, slot, "");
    LLVMSetVolatile(told, true);
    return LLVMBuildAdd(builder, LLVMBuildIntCast2(builder, told, type, false, ""), first, "");
}

void crash_ring_lower(LLVMBuilderRef builder, const struct crash_subject *subject,
                      const struct crash_site *site, LLVMValueRef ring, LLVMValueRef slot,
                      uint32_t slot_bytes)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(site->instruction));
    LLVMTypeRef i8 = LLVMInt8TypeInContext(context), i32 = LLVMInt32TypeInContext(context),
                i64 = LLVMInt64TypeInContext(context);
    const struct crash_rounds *rounds = &subject->f->rounds;
    if (!rounds->span[site->edge]) {
        LLVMSetVolatile(LLVMBuildStore(builder, LLVMConstNull(i64), ring), true);
        return;
    }
    uint32_t bytes = crash_ring_number_bytes(subject);
    LLVMTypeRef type = bytes == 1 ? i8 : i32;
    LLVMValueRef count = LLVMBuildLoad2(builder, i64, ring, "");
    LLVMSetVolatile(count, true);
    LLVMValueRef number = number_of(builder, rounds, site->edge, type, slot, slot_bytes == 1 ? i8 : i32);
    LLVMValueRef index = LLVMBuildAnd(builder, count, LLVMConstInt(i64, subject->f->ring - 1, false), "");
    LLVMValueRef header = LLVMConstInt(i64, HEADER_BYTES, false);
    LLVMValueRef numbers = LLVMBuildInBoundsGEP2(builder, i8, ring, &header, 1, "");
    LLVMValueRef at = LLVMBuildInBoundsGEP2(builder, type, numbers, &index, 1, "");
    LLVMSetVolatile(LLVMBuildStore(builder, number, at), true);
    LLVMValueRef next = LLVMBuildAdd(builder, count, LLVMConstInt(i64, 1, false), "");
    LLVMSetVolatile(LLVMBuildStore(builder, next, ring), true);
}
