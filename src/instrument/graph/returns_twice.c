/*
 * clang knows functions that return twice by their names, and only where it may assume what a
 * library function does. Where it may not (-fno-builtin), LLVM keeps variables that we add across
 * the call as if it returned once: in stack slots that hold something else when it returns again.
 * Programs use `volatile` there; our variables cannot. So the attribute is set by name here: the
 * only effect is that code around the call becomes more careful. A function of such a name that the
 * unit itself defines is left as it is.
 */
#include "instrument/graph/returns_twice.h"
#include "runtime/watched_functions.h"

#include <string.h>

static const struct {
    const char *name;
    enum watched_effect effect;
} watched_functions[] = {
#define ROW(name, where, effect, hazard) {#name, WATCHED_##effect},
    WATCHED_FUNCTIONS(ROW)
#undef ROW
};

/* The number of the attribute, the same in all contexts of LLVM. */
static unsigned attribute(void)
{
    static unsigned kind;
    if (!kind)
        kind = LLVMGetEnumAttributeKindForName("returns_twice", strlen("returns_twice"));
    return kind;
}

static bool is_intrinsic(LLVMValueRef function, const char *name)
{
    unsigned id = LLVMGetIntrinsicID(function);
    return id && id == LLVMLookupIntrinsicID(name, strlen(name));
}

static bool is_known(LLVMValueRef function)
{
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    name += length && name[0] == 1; /* an assembler label: the name as it will be in the object */
    for (size_t i = 0; i < sizeof watched_functions / sizeof *watched_functions; i++)
        if (watched_functions[i].effect == WATCHED_RETURNS_TWICE && !strcmp(name, watched_functions[i].name))
            return LLVMIsDeclaration(function);
    return is_intrinsic(function, "llvm.eh.sjlj.setjmp");
}

static bool calls(LLVMValueRef user, LLVMValueRef function)
{
    return (LLVMIsACallInst(user) || LLVMIsAInvokeInst(user) || LLVMIsACallBrInst(user)) &&
           LLVMGetCalledValue(user) == function;
}

void returns_twice_mark(LLVMModuleRef module)
{
    LLVMAttributeRef twice = LLVMCreateEnumAttribute(LLVMGetModuleContext(module), attribute(), 0);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (!is_known(f))
            continue;
        if (!LLVMGetIntrinsicID(f))
            LLVMAddAttributeAtIndex(f, LLVMAttributeFunctionIndex, twice);
        for (LLVMUseRef use = LLVMGetFirstUse(f); use; use = LLVMGetNextUse(use))
            if (calls(LLVMGetUser(use), f))
                LLVMAddCallSiteAttribute(LLVMGetUser(use), LLVMAttributeFunctionIndex, twice);
    }
}

bool call_returns_twice(LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    return LLVMGetCallSiteEnumAttribute(call, LLVMAttributeFunctionIndex, attribute()) ||
           (LLVMIsAFunction(callee) &&
            LLVMGetEnumAttributeAtIndex(callee, LLVMAttributeFunctionIndex, attribute()));
}

bool call_is_builtin_longjmp(LLVMValueRef call)
{
    LLVMValueRef callee = LLVMIsACallInst(call) ? LLVMGetCalledValue(call) : NULL;
    return callee && LLVMIsAFunction(callee) && is_intrinsic(callee, "llvm.eh.sjlj.longjmp");
}

bool call_is_builtin_jump(LLVMValueRef call)
{
    LLVMValueRef callee = LLVMIsACallInst(call) ? LLVMGetCalledValue(call) : NULL;
    return call_is_builtin_longjmp(call) ||
           (callee && LLVMIsAFunction(callee) && is_intrinsic(callee, "llvm.eh.sjlj.setjmp"));
}
