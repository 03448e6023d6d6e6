/*
 * Which functions are counted: all that are defined here, except
 *  - bodies that are there for inlining only (available_externally) and belong to the C or C++
 *    library, which has the definition. Those of the program are counted like the definition, in
 *    whatever unit that is;
 *  - naked functions, which are assembler;
 *  - what the user leaves out: __attribute__((no_profile_instrument_function)), allow and deny
 *    lists;
 *  - resolvers of ifuncs and what they call: they run while the program is being loaded, in a
 *    static program before there is thread-local storage. They stay in the map, which says why they
 *    have no counts;
 *  - coroutines: LLVM makes several functions of one. They stay in the map, too. Where traces are
 *    recorded, so do functions that resume one by an intrinsic (those of std::coroutine_handle),
 *    since replay cannot see it as a call.
 */
#include "instrument/graph/select.h"
#include "base/memory.h"
#include "base/text.h"
#include "instrument/graph/describe.h"
#include "instrument/llvm/shim.h"

#include <llvm-c/DebugInfo.h>
#include <string.h>

struct function_list ARRAY_OF(LLVMValueRef);

static void add_early(struct selection *s, struct function_list *work, LLVMValueRef function)
{
    bool added;
    if (!function || !LLVMIsAFunction(function) || LLVMIsDeclaration(function))
        return;
    hash_map_put(&s->early, (uint64_t)(uintptr_t)function, &added);
    if (added)
        ARRAY_PUSH(work, function);
}

static void add_callees(struct selection *s, struct function_list *work, LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (LLVMIsACallInst(i) || LLVMIsAInvokeInst(i))
                add_early(s, work, LLVMGetCalledValue(i));
}

/* Adds the functions that use the intrinsic. */
static void add_resumers(struct selection *s, LLVMModuleRef module, const char *intrinsic)
{
    LLVMValueRef resume = LLVMGetNamedFunction(module, intrinsic);
    for (LLVMUseRef use = resume ? LLVMGetFirstUse(resume) : NULL; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        if (LLVMIsAInstruction(user))
            hash_map_put(&s->resumers,
                         (uint64_t)(uintptr_t)LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)), NULL);
    }
}

void selection_init(struct selection *s, LLVMModuleRef module, const struct instrument_options *options)
{
    *s = (struct selection){.options = options};
    if (options->trace) {
        add_resumers(s, module, "llvm.coro.resume");
        add_resumers(s, module, "llvm.coro.destroy");
    }
    struct function_list work = {0};
    for (LLVMValueRef i = LLVMGetFirstGlobalIFunc(module); i; i = LLVMGetNextGlobalIFunc(i)) {
        LLVMValueRef resolver = LLVMGetGlobalIFuncResolver(i);
        add_early(s, &work, LLVMIsAGlobalAlias(resolver) ? LLVMAliasGetAliasee(resolver) : resolver);
    }
    while (work.count)
        add_callees(s, &work, work.items[--work.count]);
    ARRAY_RELEASE(&work);
}

void selection_release(struct selection *s)
{
    hash_map_release(&s->early);
    hash_map_release(&s->resumers);
}

static bool matches_any(const struct instrument_names *globs, const char *name)
{
    for (size_t i = 0; i < globs->count; i++)
        if (text_matches(globs->items[i], name))
            return true;
    return false;
}

/* Deny wins over allow; no allow list allows all. */
static bool lists_allow(const struct instrument_names *allow, const struct instrument_names *deny,
                        const char *name)
{
    return !matches_any(deny, name) && (!allow->count || matches_any(allow, name));
}

bool function_is_named(LLVMValueRef function, const struct instrument_names *globs)
{
    size_t length;
    const char *linkage = LLVMGetValueName2(function, &length);
    LLVMMetadataRef subprogram = LLVMGetSubprogram(function);
    if (!globs->count)
        return false;
    if (matches_any(globs, length && linkage[0] == 1 ? linkage + 1 : linkage))
        return true;
    if (!subprogram)
        return false;
    const char *name = shim_subprogram_name(subprogram, &length);
    char *plain = memory_substring(name, length);
    bool matches = matches_any(globs, plain);
    free(plain);
    return matches;
}

static bool user_allows(const struct instrument_options *o, LLVMValueRef function)
{
    bool allowed = !function_is_named(function, &o->deny_function) &&
                   (!o->allow_function.count || function_is_named(function, &o->allow_function));
    if (allowed && (o->allow_file.count || o->deny_file.count)) {
        char *file = describe_file(function, o);
        allowed = lists_allow(&o->allow_file, &o->deny_file, file);
        free(file);
    }
    return allowed;
}

static bool has_attribute(LLVMValueRef function, const char *name)
{
    return LLVMGetEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                       LLVMGetEnumAttributeKindForName(name, strlen(name))) != NULL;
}

/* Is it the copy, to be inlined, of a function that a library of the system has? */
static bool is_in_system_library(const struct selection *s, LLVMValueRef function)
{
    if (LLVMGetLinkage(function) != LLVMAvailableExternallyLinkage)
        return false;
    char *file = describe_file(function, s->options);
    bool system = text_starts_with(file, "/usr/");
    free(file);
    return system;
}

/* Is it the function that clang makes to end the program when an exception may not leave a
 * function? */
static bool is_made_by_clang(LLVMValueRef function)
{
    size_t length;
    return !strcmp(LLVMGetValueName2(function, &length), "__clang_call_terminate");
}

enum choice selection_choose(const struct selection *s, LLVMValueRef function, const char **why)
{
    if (LLVMIsDeclaration(function) || is_made_by_clang(function) || is_in_system_library(s, function) ||
        has_attribute(function, "naked") || has_attribute(function, "noprofile") ||
        has_attribute(function, "skipprofile") || !user_allows(s->options, function))
        return CHOICE_LEAVE;
    if (hash_map_get(&s->early, (uint64_t)(uintptr_t)function)) {
        *why = "it is called by an ifunc resolver, before there is storage for counters";
        return CHOICE_EARLY;
    }
    if (has_attribute(function, "presplitcoroutine")) {
        *why = "it is a coroutine: control leaves it and comes back in the middle";
        return CHOICE_UNCOUNTED;
    }
    if (hash_map_get(&s->resumers, (uint64_t)(uintptr_t)function)) {
        *why = "it resumes coroutines, which are not traced";
        return CHOICE_UNCOUNTED;
    }
    return CHOICE_COUNT;
}
