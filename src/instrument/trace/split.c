/*
 * Bodies and thunks. The body of a traced function moves to a function of its own, which known
 * calls lead to. The public name is left to a thunk, which records that the function was entered
 * from elsewhere:
 *
 *     if (thread.side >= thread.side_limit)
 *         cotree_trace_begin();
 *     thread.side->calls = thread.calls; its highest 16 bits: the number of the module (-fPIC)
 *     thread.side->what = id;
 *     thread.side++;
 *     body(the same arguments), as a tail call
 *
 * Bodies are internal, and may have a name that other units know (trace/calls.c). If several units
 * may define a function, the linker may keep body and thunk of one unit and calls of another: such
 * a body has a name with the function's id in it, which stands for its content, and a comdat of its
 * own. If such a function is never inlined, its body has the same name in all units, so that the
 * linker keeps one body for all, the one that it would keep of the plain program, also where units
 * differ (MAP_FUNCTION_ONE_BODY). A body that was there for inlining only becomes internal, and its
 * name a declaration.
 */
#include "base/memory.h"
#include "format/trace/layout.h"
#include "instrument/llvm/shim.h"
#include "instrument/trace/names.h"
#include "instrument/trace/trace.h"

#include <inttypes.h>
#include <llvm-c/Comdat.h>
#include <string.h>

static bool is_anywhere(LLVMLinkage linkage)
{
    return linkage == LLVMLinkOnceODRLinkage || linkage == LLVMWeakODRLinkage;
}

static void take_body(struct trace_maker *m, struct unit_function *f)
{
    LLVMValueRef function = f->f.function;
    LLVMLinkage linkage = LLVMGetLinkage(function);
    bool anywhere = is_anywhere(linkage);
    struct buffer name = {0};
    buffer_addf(&name, "%s.cotree", f->map.name);
    if (anywhere && !(f->map.flags & MAP_FUNCTION_ONE_BODY))
        buffer_addf(&name, ".%016" PRIx64, f->map.trace->id);
    LLVMValueRef body =
        shim_take_body(function, buffer_text(&name), anywhere ? LLVMLinkOnceODRLinkage : LLVMInternalLinkage);
    if (anywhere) {
        LLVMSetVisibility(body, LLVMHiddenVisibility);
        LLVMSetComdat(body, LLVMGetOrInsertComdat(m->module, buffer_text(&name)));
    }
    buffer_release(&name);
    f->f.function = body;
    f->trace->thunk = function;
    if (f->map.trace->has_name)
        trace_name_body(m, f);
}

void trace_split(struct trace_maker *m, struct unit_functions *functions)
{
    if (m->addresses)
        trace_find_recursion(functions);
    for (size_t i = 0; i < functions->count; i++)
        if (functions->items[i]->trace)
            take_body(m, functions->items[i]);
    for (size_t i = 0; i < functions->count; i++) {
        const struct unit_function *f = functions->items[i];
        for (uint32_t k = 0; f->trace && k < f->map.trace->first[f->map.graph.vertex_count - 1]; k++) {
            const struct trace_site *site = &f->trace->sites[k];
            if (site->callee)
                LLVMSetOperand(site->call, (unsigned)LLVMGetNumOperands(site->call) - 1,
                               site->callee->f.function);
            else if (site->named)
                trace_call_by_name(m, f, site);
        }
    }
}

/* Overwrites the highest 16 bits of the record's `calls`. */
static void put_module(struct trace_maker *m, LLVMValueRef side)
{
    LLVMValueRef number =
        LLVMBuildLoad2(m->builder, m->i16, trace_address(m, m->number, TRACE_MODULE_OFFSET), "");
    LLVMSetMetadata(number, m->type_kind, m->type_of_thread);
    trace_store_event(m, number,
                      trace_address(m, side, offsetof(struct trace_record, calls) + TRACE_MODULE_SHIFT / 8));
}

static void make_thunk(struct trace_maker *m, const struct unit_function *f)
{
    LLVMValueRef thunk = f->trace->thunk;
    LLVMBasicBlockRef first = LLVMAppendBasicBlockInContext(m->context, thunk, "");
    LLVMBasicBlockRef begins = LLVMAppendBasicBlockInContext(m->context, thunk, "");
    LLVMBasicBlockRef goes_on = LLVMAppendBasicBlockInContext(m->context, thunk, "");
    LLVMBuilderRef b = m->builder;
    LLVMAddAttributeAtIndex(thunk, LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(m->context, SHIM_THUNK, strlen(SHIM_THUNK), "", 0));
    LLVMSetCurrentDebugLocation2(b, NULL);
    LLVMPositionBuilderAtEnd(b, first);
    LLVMValueRef no_room =
        LLVMBuildICmp(b, LLVMIntUGE, trace_load(m, m->pointer, offsetof(struct cotree_trace_thread, side)),
                      trace_load(m, m->pointer, offsetof(struct cotree_trace_thread, side_limit)), "");
    if (m->addresses)
        no_room = LLVMBuildOr(
            b, no_room,
            LLVMBuildICmp(
                b, LLVMIntUGE, trace_load(m, m->pointer, offsetof(struct cotree_trace_thread, addresses)),
                trace_load(m, m->pointer, offsetof(struct cotree_trace_thread, addresses_limit)), ""),
            "");
    LLVMValueRef branch = LLVMBuildCondBr(b, no_room, begins, goes_on);
    shim_set_branch_weights(branch, (const uint64_t[]){1, 1 << 20}, 2);
    LLVMPositionBuilderAtEnd(b, begins);
    LLVMSetInstructionCallConv(LLVMBuildCall2(b, m->begin_type, m->begin, NULL, 0, ""),
                               LLVMPreserveMostCallConv);
    LLVMBuildBr(b, goes_on);
    LLVMPositionBuilderAtEnd(b, goes_on);
    LLVMValueRef side = trace_load(m, m->pointer, offsetof(struct cotree_trace_thread, side));
    /* A reader of the live trace looks at `what` first: it is written last. */
    LLVMValueRef calls = trace_load(m, m->i64, offsetof(struct cotree_trace_thread, calls));
    if (trace_name_is_plain(
            f->map.name)) /* its callers do not count: replay could not tell which call it was */
        calls = LLVMConstInt(m->i64, UINT64_MAX, false);
    trace_store_event(m, calls, trace_address(m, side, offsetof(struct trace_record, calls)));
    if (m->number)
        put_module(m, side);
    trace_store_event(m, LLVMConstInt(m->i64, f->map.trace->id, false),
                      trace_address(m, side, offsetof(struct trace_record, what)));
    trace_store(m, trace_address(m, side, sizeof(struct trace_record)),
                offsetof(struct cotree_trace_thread, side));
    if (m->addresses)
        trace_put_mark(m, TRACE_MARK_ENTER);
    shim_forward(goes_on, f->f.function);
}

void trace_make_thunks(struct trace_maker *m, struct unit_functions *functions)
{
    for (size_t i = 0; i < functions->count; i++) {
        const struct unit_function *f = functions->items[i];
        if (!f->trace)
            continue;
        LLVMValueRef thunk = f->trace->thunk;
        LLVMLinkage linkage = LLVMGetLinkage(thunk);
        bool local = linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage;
        if (local && !LLVMGetFirstUse(thunk)) {
            LLVMDeleteFunction(thunk);
        } else if (linkage == LLVMAvailableExternallyLinkage) {
            LLVMSetLinkage(thunk, LLVMExternalLinkage);
        } else {
            make_thunk(m, f);
        }
    }
}
