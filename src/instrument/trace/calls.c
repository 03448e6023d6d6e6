/*
 * Calls of functions of other units (format/map/trace.h: calls by name). Such a call leads to the
 * name of the body, which is the function's name with a suffix. The unit that defines the function,
 * if it is traced, has the only strong definition of that name; every unit that calls it has a weak
 * one, a way out:
 *
 *     thread.calls++;
 *     result = function(the same arguments);
 *     thread.calls++;
 *     return result;
 *
 * So whatever is linked, the program does the same, and `calls` rises around calls of functions
 * that are not traced. A function is called by name only where it cannot be another at run time
 * than at link time (in programs, not in libraries, unless it is hidden), where its arguments can
 * be handed on, and where it does not belong to a library that is never traced: there only the way
 * out would ever be taken.
 */
#include "format/trace/layout.h"
#include "instrument/graph/describe.h"
#include "instrument/graph/returns_twice.h"
#include "instrument/llvm/shim.h"
#include "instrument/trace/names.h"
#include "instrument/trace/trace.h"

#include <llvm-c/Comdat.h>
#include <string.h>

static bool has_flag(LLVMModuleRef module, const char *name)
{
    return LLVMGetModuleFlag(module, name, strlen(name)) != NULL;
}

static bool has_attribute(LLVMValueRef call, LLVMValueRef callee, const char *name)
{
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    return LLVMGetCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, kind) ||
           LLVMGetEnumAttributeAtIndex(callee, LLVMAttributeFunctionIndex, kind);
}

/* Does the assembler read the name as it is? */
static bool is_simple(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!(*c >= 'a' && *c <= 'z') && !(*c >= 'A' && *c <= 'Z') && !(*c >= '0' && *c <= '9') &&
            *c != '_' && *c != '.' && *c != '$')
            return false;
    return *name != 0;
}

static const char *name_of(LLVMValueRef function)
{
    size_t length;
    return LLVMGetValueName2(function, &length);
}

bool trace_may_call_by_name(LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    if (!LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee) || LLVMGetIntrinsicID(callee) ||
        LLVMGetLinkage(callee) != LLVMExternalLinkage || LLVMGetFunctionCallConv(callee) != LLVMCCallConv ||
        LLVMGetInstructionCallConv(call) != LLVMCCallConv || !is_simple(name_of(callee)))
        return false;
    LLVMTypeRef type = LLVMGlobalGetValueType(callee);
    if (LLVMIsFunctionVarArg(type) || LLVMGetCalledFunctionType(call) != type || shim_takes_memory(callee))
        return false;
    if (LLVMIsACallInst(call) && LLVMGetTailCallKind(call) == LLVMTailCallKindMustTail)
        return false;
    if (has_attribute(call, callee, "noreturn") || call_returns_twice(call))
        return false;
    LLVMModuleRef module = LLVMGetGlobalParent(callee);
    bool of_library = has_flag(module, "PIC Level") && !has_flag(module, "PIE Level");
    if (of_library && LLVMGetVisibility(callee) == LLVMDefaultVisibility)
        return false;
    return !trace_name_is_of_library(name_of(callee)) && !shim_is_of_library(callee);
}

bool trace_may_be_called_by_name(const struct unit_function *f)
{
    LLVMValueRef function = f->f.function;
    return LLVMGetLinkage(function) == LLVMExternalLinkage && !LLVMGetComdat(function) &&
           LLVMGetFunctionCallConv(function) == LLVMCCallConv && is_simple(name_of(function));
}

/* Only units that record addresses call bodies that record addresses by name: then a thunk came
 * before. */
static const char *suffix_of(const struct trace_maker *m)
{
    return m->addresses ? TRACE_BODY_ADDRESSES_SUFFIX : TRACE_BODY_SUFFIX;
}

static LLVMValueRef way_out(struct trace_maker *m, LLVMValueRef callee, LLVMValueRef caller)
{
    struct buffer name = {0};
    buffer_addf(&name, "%s%s", name_of(callee), suffix_of(m));
    LLVMValueRef out = LLVMGetNamedFunction(m->module, buffer_text(&name));
    if (!out) {
        out = shim_make_like(callee, caller, buffer_text(&name));
        LLVMSetVisibility(out, LLVMHiddenVisibility);
        LLVMSetComdat(out, LLVMGetOrInsertComdat(m->module, buffer_text(&name)));
        LLVMBasicBlockRef block = LLVMAppendBasicBlockInContext(m->context, out, "");
        LLVMPositionBuilderAtEnd(m->builder, block);
        LLVMSetCurrentDebugLocation2(m->builder, NULL);
        trace_count_call(m);
        LLVMValueRef result = shim_call_like(block, callee);
        LLVMPositionBuilderAtEnd(m->builder, block);
        trace_count_call(m);
        if (LLVMGetTypeKind(LLVMTypeOf(result)) == LLVMVoidTypeKind)
            LLVMBuildRetVoid(m->builder);
        else
            LLVMBuildRet(m->builder, result);
    }
    buffer_release(&name);
    return out;
}

void trace_name_body(struct trace_maker *m, const struct unit_function *f)
{
    struct buffer name = {0};
    buffer_addf(&name, "%s%s", name_of(f->trace->thunk), suffix_of(m));
    LLVMValueRef body =
        LLVMAddAlias2(m->module, LLVMGlobalGetValueType(f->f.function), 0, f->f.function, buffer_text(&name));
    LLVMSetVisibility(body, LLVMHiddenVisibility);
    shim_keep(f->f.function); /* under the name by which the unit itself calls it */
    buffer_release(&name);
}

void trace_call_by_name(struct trace_maker *m, const struct unit_function *f, const struct trace_site *site)
{
    trace_widen(site->call);
    LLVMSetOperand(site->call, (unsigned)LLVMGetNumOperands(site->call) - 1,
                   way_out(m, site->named, f->f.function));
}
