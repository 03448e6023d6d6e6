#include "instrument/crash/tunable.h"
#include "base/buffer.h"
#include "format/slots/tunable.h"
#include "instrument/crash/coverage.h"
#include "instrument/graph/describe.h"
#include "instrument/graph/select.h"
#include "instrument/llvm/shim.h"

#include <inttypes.h>
#include <llvm-c/Comdat.h>
#include <string.h>

#define PLAIN_SUFFIX ".cotree.plain"
/* The word of a module, and the function that copies it when the program starts. */
#define SCHEME_SYMBOL "cotree.scheme"
#define SCHEME_HOLDER "cotree.scheme.hold"

static unsigned plain_kind(LLVMContextRef context)
{
    return LLVMGetMDKindIDInContext(context, CRASH_PLAIN_METADATA, (unsigned)strlen(CRASH_PLAIN_METADATA));
}

/* The plain body of the function; NULL: it has none. */
static LLVMValueRef plain_of(LLVMValueRef function)
{
    return LLVMIsAFunction(function) ? shim_function_of_metadata(function, CRASH_PLAIN_METADATA) : NULL;
}

static bool has_addresses(LLVMValueRef function)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        if (shim_block_has_address(b))
            return true;
    return false;
}

static void attach(LLVMValueRef function, LLVMValueRef plain, uint64_t key)
{
    LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
    LLVMMetadataRef parts[] = {LLVMValueAsMetadata(plain), LLVMValueAsMetadata(LLVMConstInt(
                                                               LLVMInt64TypeInContext(context), key, false))};
    LLVMGlobalSetMetadata(function, plain_kind(context), LLVMMDNodeInContext2(context, parts, 2));
}

/* The positions of the function's instructions, for those of its copy. */
static void mark_positions(struct crash_placer *p, const struct unit_function *function, LLVMValueRef plain)
{
    struct unit_function copy = {0};
    function_graph_init(&copy.f, plain);
    describe_function(&copy.map, &copy.f, p->options, &copy.lines_begun);
    copy.map.key = function->map.key;
    positions_mark(p->positions, &copy.f, &copy.map, &copy.lines_begun, p->maker);
    function_graph_release(&copy.f);
    map_function_release(&copy.map);
    hash_map_release(&copy.lines_begun);
}

void crash_tunable_copy(struct crash_placer *p, const struct unit_function *function)
{
    LLVMValueRef from = function->f.function;
    if (!function_is_named(from, &p->options->crash_tunable) || has_addresses(from) ||
        LLVMGetLinkage(from) == LLVMAvailableExternallyLinkage)
        return;
    struct buffer name = {0};
    buffer_addf(&name, "%s" PLAIN_SUFFIX, function->map.name);
    LLVMValueRef plain = shim_copy_body(from, buffer_text(&name), LLVMInternalLinkage);
    if (LLVMGetComdat(from))
        LLVMSetComdat(plain, LLVMGetComdat(from)); /* linkers drop both or none */
    mark_positions(p, function, plain);
    attach(from, plain, function->map.key);
    shim_keep(from);
    shim_keep(plain);
    buffer_release(&name);
}

/* ---- Calls ---- */

/* Would every call of this name lead to this definition? */
static bool is_certain(LLVMValueRef function)
{
    LLVMLinkage linkage = LLVMGetLinkage(function);
    return linkage == LLVMInternalLinkage || linkage == LLVMPrivateLinkage ||
           linkage == LLVMLinkOnceODRLinkage || linkage == LLVMWeakODRLinkage ||
           (linkage == LLVMExternalLinkage && shim_stays_in_module(function));
}

/* Leads the calls of a function; to: the function called -> what is called instead. */
static void lead_calls(LLVMValueRef function, const struct hash_map *to)
{
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
            if (!LLVMIsACallInst(i) && !LLVMIsAInvokeInst(i))
                continue;
            LLVMValueRef callee = LLVMGetCalledValue(i);
            const uint64_t *found = hash_map_get(to, (uint64_t)(uintptr_t)callee);
            if (found && LLVMGetCalledFunctionType(i) == LLVMGlobalGetValueType(callee))
                LLVMSetOperand(i, (unsigned)LLVMGetNumOperands(i) - 1, (LLVMValueRef)(uintptr_t)*found);
        }
}

/* A word that a core surely holds, since it is written when the program starts: how the program was tuned,
 * which `cotree tune` writes into the file. */
static void add_scheme(LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);
    LLVMTypeRef i64 = LLVMInt64TypeInContext(context), words = LLVMArrayType2(i64, 2);
    LLVMComdatRef comdat = LLVMGetOrInsertComdat(module, SCHEME_SYMBOL);
    LLVMValueRef scheme = LLVMAddGlobal(module, words, SCHEME_SYMBOL);
    LLVMSetInitializer(scheme, LLVMConstNull(words));
    LLVMSetSection(scheme, SCHEME_SECTION);
    LLVMValueRef hold = LLVMAddFunction(module, SCHEME_HOLDER,
                                        LLVMFunctionType(LLVMVoidTypeInContext(context), NULL, 0, false));
    LLVMValueRef both[] = {scheme, hold};
    for (size_t i = 0; i < 2; i++) {
        LLVMSetLinkage(both[i], LLVMLinkOnceODRLinkage);
        LLVMSetVisibility(both[i], LLVMHiddenVisibility);
        LLVMSetComdat(both[i], comdat);
    }
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, hold, ""));
    LLVMValueRef second[] = {LLVMConstInt(i64, 0, false), LLVMConstInt(i64, 1, false)};
    LLVMValueRef told = LLVMBuildLoad2(builder, i64, scheme, "");
    LLVMSetVolatile(told, true);
    LLVMSetVolatile(LLVMBuildStore(builder, told, LLVMConstInBoundsGEP2(words, scheme, second, 2)), true);
    LLVMBuildRetVoid(builder);
    LLVMDisposeBuilder(builder);
    shim_add_constructor(hold, scheme);
}

void crash_tunable_end(LLVMModuleRef module)
{
    struct hash_map to = {0};
    struct ARRAY_OF(LLVMValueRef) bodies = {0};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        LLVMValueRef plain = plain_of(f);
        if (plain)
            ARRAY_PUSH(&bodies, plain);
        if (plain && is_certain(f))
            *hash_map_put(&to, (uint64_t)(uintptr_t)f, NULL) = (uint64_t)(uintptr_t)plain;
    }
    for (size_t i = 0; i < bodies.count; i++)
        lead_calls(bodies.items[i], &to);
    if (bodies.count)
        add_scheme(module);
    ARRAY_RELEASE(&bodies);
    hash_map_release(&to);
}

void crash_tunable_lead_back(LLVMModuleRef module)
{
    struct hash_map to = {0};
    bool any = false;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        LLVMValueRef plain = plain_of(f);
        any |= plain != NULL;
        if (plain)
            *hash_map_put(&to, (uint64_t)(uintptr_t)plain, NULL) = (uint64_t)(uintptr_t)f;
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(module); any && f; f = LLVMGetNextFunction(f))
        lead_calls(f, &to);
    hash_map_release(&to);
}

/* Does the function store to slots, rings or coverage bytes? */
static bool stores(LLVMValueRef function)
{
    unsigned slot = LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(function)), CRASH_SLOT_METADATA,
                                             (unsigned)strlen(CRASH_SLOT_METADATA));
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
            if (crash_is_cover(i) || (LLVMIsAAllocaInst(i) && LLVMGetMetadata(i, slot)))
                return true;
    return false;
}

/* The code generator may be at work already: functions may not go, but need no code. */
void crash_tunable_drop(LLVMModuleRef module)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        LLVMValueRef plain = plain_of(f);
        if (!plain || stores(f))
            continue;
        LLVMGlobalEraseMetadata(f, plain_kind(LLVMGetModuleContext(module)));
        LLVMSetComdat(plain, NULL);
        LLVMSetLinkage(plain, LLVMAvailableExternallyLinkage);
    }
}
