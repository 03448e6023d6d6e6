// What LLVM-C lacks.
#include "instrument/llvm/shim.h"
#include "format/counters.h"
#include "instrument/llvm/carried.hpp"
#include "instrument/llvm/names.hpp"
#include "instrument/llvm/versions.hpp"
#include "instrument/place/places.h"

#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ProfileSummaryInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/ProfileData/InstrProf.h"
#include "llvm/ProfileData/ProfileCommon.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

LLVMBasicBlockRef shim_split_edge(LLVMBasicBlockRef from, LLVMBasicBlockRef to)
{
    if (unwrap(to)->getUniquePredecessor() == unwrap(from))
        return to;
    Instruction *terminator = unwrap(from)->getTerminator();
    for (unsigned i = 0; i < terminator->getNumSuccessors(); i++)
        if (terminator->getSuccessor(i) == unwrap(to))
            return wrap(
                SplitCriticalEdge(terminator, i, CriticalEdgeSplittingOptions().setMergeIdenticalEdges()));
    return nullptr;
}

void shim_return(LLVMBasicBlockRef block, LLVMValueRef result)
{
    Instruction *last = unwrap(block)->getTerminator();
    DebugLoc at = last->getDebugLoc();
    last->getSuccessor(0)->removePredecessor(unwrap(block));
    last->eraseFromParent();
    ReturnInst::Create(unwrap(block)->getContext(), result ? unwrap(result) : nullptr, unwrap(block))
        ->setDebugLoc(at);
}

bool shim_location_is_implicit(LLVMMetadataRef location)
{
    return unwrap<DILocation>(location)->isImplicitCode();
}

bool shim_subprogram_is_artificial(LLVMMetadataRef subprogram)
{
    return unwrap<DISubprogram>(subprogram)->isArtificial();
}

const char *shim_subprogram_name(LLVMMetadataRef subprogram, size_t *length)
{
    StringRef name = unwrap<DISubprogram>(subprogram)->getName();
    *length = name.size();
    return name.data();
}

namespace
{
// Clang's handler without remarks: -Rpass, which makes clang keep locations, would make every pass
// compose remarks that are never printed.
class WithoutRemarks : public DiagnosticHandler
{
    std::unique_ptr<DiagnosticHandler> Inner;

  public:
    explicit WithoutRemarks(std::unique_ptr<DiagnosticHandler> inner) : Inner(std::move(inner)) {}
    bool handleDiagnostics(const DiagnosticInfo &info) override
    {
        return Inner->handleDiagnostics(info);
    }
    bool isAnalysisRemarkEnabled(StringRef) const override
    {
        return false;
    }
    bool isMissedOptRemarkEnabled(StringRef) const override
    {
        return false;
    }
    bool isPassedOptRemarkEnabled(StringRef) const override
    {
        return false;
    }
    bool isAnyRemarkEnabled() const override
    {
        return false;
    }
};
} // namespace

void shim_locations_are_ours(LLVMModuleRef module)
{
    LLVMContext &context = unwrap(module)->getContext();
    if (std::unique_ptr<DiagnosticHandler> handler = context.getDiagnosticHandler())
        context.setDiagnosticHandler(std::make_unique<WithoutRemarks>(std::move(handler)));
    // LLVM's older way to follow variables does no work on functions that have none.
    static const char name[] = "experimental-debug-variable-locations";
    auto &options = cl::getRegisteredOptions();
    auto found = options.find(name);
    if (found != options.end() && !found->second->getNumOccurrences())
        found->second->addOccurrence(0, name, "false");
}

// A loop id is a distinct node whose first operand is itself. clang gives one to every loop as soon
// as locations are wanted, with nothing in it but where the loop begins and ends; its presence
// alone changes what some passes do.
void shim_drop_location_loops(LLVMValueRef function)
{
    for (BasicBlock &block : *unwrap<Function>(function)) {
        Instruction *terminator = block.getTerminator();
        MDNode *loop = terminator ? terminator->getMetadata(LLVMContext::MD_loop) : nullptr;
        if (!loop)
            continue;
        bool only_locations = true;
        for (unsigned i = 1; i < loop->getNumOperands(); i++)
            only_locations &= isa_and_nonnull<DILocation>(loop->getOperand(i).get());
        if (only_locations)
            terminator->setMetadata(LLVMContext::MD_loop, nullptr);
    }
}

LLVMValueRef shim_insert_unlikely(LLVMValueRef condition, LLVMValueRef before)
{
    Instruction *at = unwrap<Instruction>(before);
    MDNode *weights = MDBuilder(at->getContext()).createBranchWeights(1, (1U << 20) - 1);
    return wrap(SplitBlockAndInsertIfThen(unwrap(condition), versions::insertionPoint(at), false, weights));
}

LLVMMetadataRef shim_function_location(LLVMValueRef function)
{
    DISubprogram *subprogram = unwrap<Function>(function)->getSubprogram();
    return subprogram ? wrap(DILocation::get(subprogram->getContext(), 0, 0, subprogram)) : nullptr;
}

// The subprogram that locations of the function's own code belong to. A thunk of a trace has none:
// where a body was inlined into it, the locations there keep the body's.
static DISubprogram *subprogramOf(const Function &function)
{
    if (function.getSubprogram())
        return function.getSubprogram();
    for (const Instruction &i : instructions(function))
        if (const DILocation *at = i.getDebugLoc().get()) {
            while (at->getInlinedAt())
                at = at->getInlinedAt();
            return at->getScope()->getSubprogram();
        }
    return nullptr;
}

// With -fdebug-info-for-profiling the user wants discriminators for profiles of other tools, and
// keeps them.
bool shim_can_mark(LLVMValueRef function)
{
    DISubprogram *subprogram = subprogramOf(*unwrap<Function>(function));
    return subprogram && subprogram->getUnit() && !subprogram->getUnit()->getDebugInfoForProfiling();
}

void shim_mark(const position_table *t, LLVMValueRef instruction, unsigned number)
{
    Instruction *i = unwrap<Instruction>(instruction);
    const DILocation *at = i->getDebugLoc().get();
    DISubprogram *subprogram = at ? nullptr : subprogramOf(*i->getFunction());
    if (!at && subprogram->getUnit()->getEmissionKind() != DICompileUnit::NoDebug)
        return; // a new location would show in the user's debug information
    DIScope *scope = at ? at->getScope() : subprogram;
    if (at && at->getDiscriminator())
        scope = cast<DILexicalBlockFile>(scope)->getScope(); // it has a number already
    LLVMContext &context = i->getContext();
    DIFile *here = CarriedPositions::here(*t, context);
    auto *carrier = DILexicalBlockFile::get(context, scope, here ? here : scope->getFile(), number);
    i->setDebugLoc(at ? versions::rescoped(at, carrier, at->getInlinedAt())
                      : DILocation::get(context, 0, 0, carrier));
}

void shim_mark_increment(const position_table *t, LLVMValueRef instruction, unsigned number)
{
    Instruction *i = unwrap<Instruction>(instruction);
    DISubprogram *subprogram = subprogramOf(*i->getFunction());
    DIFile *here = CarriedPositions::here(*t, i->getContext());
    auto *carrier =
        DILexicalBlockFile::get(i->getContext(), subprogram, here ? here : subprogram->getFile(), number);
    i->setDebugLoc(DILocation::get(i->getContext(), 0, 0, carrier));
}

unsigned shim_position(const position_table *t, LLVMValueRef instruction)
{
    const DILocation *at = unwrap<Instruction>(instruction)->getDebugLoc().get();
    return at && CarriedPositions::isMarked(*t, at) ? at->getDiscriminator() : 0;
}

unsigned shim_chain(const position_table *t, LLVMValueRef instruction, shim_place *places, unsigned most)
{
    unsigned depth = 0;
    for (const DILocation *at = unwrap<Instruction>(instruction)->getDebugLoc().get(); at;
         at = at->getInlinedAt()) {
        unsigned number = CarriedPositions::isMarked(*t, at) ? at->getDiscriminator() : 0;
        if (number == POSITION_UNCOUNTED && !depth)
            return 0;
        if (number == POSITION_UNCOUNTED)
            continue;
        if (depth == most)
            return most == 1 ? 1 : 0;
        places[depth++] = {number, wrap(at->getInlinedAt())};
    }
    return depth;
}

bool shim_may_move(LLVMValueRef call)
{
    auto *base = dyn_cast<CallBase>(unwrap<Instruction>(call));
    return base && (base->onlyReadsMemory() || base->onlyAccessesArgMemory());
}

bool shim_has_effect(LLVMValueRef instruction)
{
    return unwrap<Instruction>(instruction)->mayHaveSideEffects();
}

bool shim_is_inlined(LLVMValueRef instruction)
{
    const DebugLoc &at = unwrap<Instruction>(instruction)->getDebugLoc();
    return at && at->getInlinedAt();
}

// The key of a function's counter array. A linker that imports a body into another module declares
// the array there; its name has the key in it (marker.c).
static bool keyOf(const GlobalVariable &array, unsigned long long &key)
{
    if (array.hasInitializer()) {
        auto *words = dyn_cast<ConstantDataSequential>(array.getInitializer());
        if (words)
            key = words->getElementAsInteger(0);
        return words;
    }
    StringRef name = array.getName();
    name.consume_back(".pic");
    return name.consume_front(COUNTERS_SYMBOL_PREFIX) && name.contains('.') &&
           name.rsplit('.').second.size() == 16 && !name.rsplit('.').second.getAsInteger(16, key);
}

bool shim_counter(LLVMValueRef counter, unsigned long long *key, unsigned *number)
{
    auto *array = dyn_cast<GlobalVariable>(getUnderlyingObject(unwrap(counter)));
    if (!array || !keyOf(*array, *key))
        return false;
    APInt offset(64, 0);
    unwrap(counter)->stripAndAccumulateConstantOffsets(array->getParent()->getDataLayout(), offset, true);
    *number = unsigned(offset.getZExtValue() / 8 - COUNTERS_HEADER_WORDS);
    return true;
}

// Inline assembly keeps one kind of metadata until it is printed: that of source locations. Numbers
// come after those that are there.
static void tag(Instruction &assembly, std::initializer_list<uint64_t> numbers)
{
    LLVMContext &context = assembly.getContext();
    SmallVector<Metadata *, 4> fields;
    if (MDNode *before = assembly.getMetadata("srcloc"))
        fields.append(before->op_begin(), before->op_end());
    else
        fields.push_back(MDString::get(context, "cotree"));
    for (uint64_t number : numbers)
        fields.push_back(ConstantAsMetadata::get(ConstantInt::get(Type::getInt64Ty(context), number)));
    assembly.setMetadata("srcloc", MDNode::get(context, fields));
}

void shim_tag_increment(LLVMValueRef assembly, LLVMValueRef counter, unsigned long long by)
{
    unsigned long long key;
    unsigned index;
    if (shim_counter(counter, &key, &index))
        shim_tag_counter(assembly, key, index, by);
}

void shim_tag_counter(LLVMValueRef assembly, unsigned long long key, unsigned counter, unsigned long long by)
{
    tag(*unwrap<Instruction>(assembly), {key, counter, by});
}

void shim_tag_path(LLVMValueRef assembly, LLVMValueRef array, unsigned long long by)
{
    unsigned long long key;
    unsigned index;
    if (shim_counter(array, &key, &index))
        tag(*unwrap<Instruction>(assembly), {key, by});
}

// LLVM calls a GC metadata printer for each collector that some function names. This function names
// ours; it has no code in the object, and there is no collector.
void shim_watch_printer(LLVMModuleRef module, bool for_linker)
{
    Module &m = *unwrap(module);
    auto *type = FunctionType::get(Type::getVoidTy(m.getContext()), false);
    auto *watcher = Function::Create(
        type, for_linker ? GlobalValue::InternalLinkage : GlobalValue::AvailableExternallyLinkage,
        "cotree.watcher", m);
    watcher->setGC(PRINTER_COLLECTOR);
    watcher->setUnnamedAddr(
        GlobalValue::UnnamedAddr::Global); // else it is named in the object's address table
    IRBuilder<>(BasicBlock::Create(m.getContext(), "", watcher)).CreateRetVoid();
    appendToCompilerUsed(m, {watcher});
}

void shim_drop_names(LLVMModuleRef module)
{
    Module &m = *unwrap(module);
    if (namesAreRead(m))
        return;
    for (Function &function : m) {
        for (Argument &argument : function.args())
            argument.setName("");
        for (BasicBlock &block : function) {
            block.setName("");
            for (Instruction &instruction : block)
                if (instruction.hasName())
                    instruction.setName("");
        }
    }
    m.getContext().setDiscardValueNames(true);
}

void shim_set_branch_weights(LLVMValueRef terminator, const uint64_t *weights, unsigned count)
{
    Instruction *i = unwrap<Instruction>(terminator);
    SmallVector<uint32_t, 8> narrow(weights, weights + count);
    i->setMetadata(LLVMContext::MD_prof, MDBuilder(i->getContext()).createBranchWeights(narrow));
}

// Clang marks functions like this by its own profiles.
void shim_set_entries(LLVMValueRef function, uint64_t entries, uint64_t most)
{
    Function &f = *unwrap<Function>(function);
    ProfileSummaryInfo summary(*f.getParent());
    f.setEntryCount(entries);
    if (summary.isHotCount(entries)) {
        if (!f.hasFnAttribute(Attribute::NoInline))
            f.addFnAttr(Attribute::InlineHint);
    } else if (summary.isColdCount(most) && !f.hasFnAttribute(Attribute::Hot)) {
        f.addFnAttr(Attribute::Cold);
    }
}

bool shim_calls_pointer(LLVMValueRef instruction)
{
    auto *call = dyn_cast<CallBase>(unwrap<Instruction>(instruction));
    return call && call->isIndirectCall();
}

void shim_set_call_targets(LLVMValueRef call, const LLVMValueRef *functions, const uint64_t *counts,
                           unsigned count, uint64_t all)
{
    Instruction *i = unwrap<Instruction>(call);
    SmallVector<InstrProfValueData, 4> targets;
    for (unsigned k = 0; k < count; k++) {
        Function &f = *unwrap<Function>(functions[k]);
        std::string name = versions::profile_name(f);
        createPGOFuncNameMetadata(f, name);
        targets.push_back({versions::profile_number(name), counts[k]});
    }
    annotateValueSite(*i->getModule(), *i, targets, all, IPVK_IndirectCallTarget, count);
}

struct shim_summary {
    InstrProfSummaryBuilder builder{ProfileSummaryBuilder::DefaultCutoffs};
};

struct shim_summary *shim_summary_new(void)
{
    return new shim_summary;
}

void shim_summary_add(struct shim_summary *summary, const uint64_t *counts, size_t count)
{
    summary->builder.addRecord(InstrProfRecord(std::vector<uint64_t>(counts, counts + count)));
}

void shim_summary_set(struct shim_summary *summary, LLVMModuleRef module)
{
    Module &m = *unwrap(module);
    m.setProfileSummary(summary->builder.getSummary()->getMD(m.getContext()), ProfileSummary::PSK_Instr);
    delete summary;
}

bool shim_stays_in_module(LLVMValueRef function)
{
    auto *f = unwrap<Function>(function);
    return f->isDSOLocal() || f->hasLocalLinkage() || !f->hasDefaultVisibility();
}

LLVMValueRef shim_take_body(LLVMValueRef function, const char *name, LLVMLinkage linkage)
{
    Function *from = unwrap<Function>(function);
    auto *to = Function::Create(from->getFunctionType(), GlobalValue::InternalLinkage,
                                from->getAddressSpace(), name, from->getParent());
    to->copyAttributesFrom(from); // visibility, too, which must go before a linkage that forbids it
    to->setVisibility(GlobalValue::DefaultVisibility);
    to->setDLLStorageClass(GlobalValue::DefaultStorageClass);
    to->setComdat(nullptr);
    to->setPrefixData(nullptr);
    to->setPrologueData(nullptr);
    to->splice(to->begin(), from);
    auto argument = to->arg_begin();
    for (Argument &old : from->args()) {
        old.replaceAllUsesWith(&*argument);
        argument->takeName(&old);
        ++argument;
    }
    to->setSubprogram(from->getSubprogram());
    from->setSubprogram(nullptr);
    if (MDNode *entries = from->getMetadata(LLVMContext::MD_prof))
        to->setMetadata(LLVMContext::MD_prof, entries);
    if (from->hasPersonalityFn())
        from->setPersonalityFn(nullptr);
    SmallVector<BlockAddress *, 8> addresses;
    for (BasicBlock &block : *to)
        if (block.hasAddressTaken())
            for (User *user : block.users())
                if (auto *address = dyn_cast<BlockAddress>(user))
                    addresses.push_back(address);
    for (BlockAddress *address : addresses)
        if (address->getFunction() != to)
            address->replaceAllUsesWith(BlockAddress::get(to, address->getBasicBlock()));
    LLVMSetLinkage(wrap(to), linkage);
    to->setDSOLocal(true);
    // The first function becomes a few instructions, which are never inlined.
    for (Attribute::AttrKind kind :
         {Attribute::AlwaysInline, Attribute::InlineHint, Attribute::OptimizeNone, Attribute::MinSize,
          Attribute::OptimizeForSize, Attribute::StackProtect, Attribute::StackProtectReq,
          Attribute::StackProtectStrong, Attribute::Memory, Attribute::Speculatable, Attribute::SafeStack,
          Attribute::ReturnsTwice})
        from->removeFnAttr(kind);
    from->addFnAttr(Attribute::NoInline);
    return wrap(to);
}

LLVMValueRef shim_copy_body(LLVMValueRef function, const char *name, LLVMLinkage linkage)
{
    ValueToValueMapTy map;
    Function *to = CloneFunction(unwrap<Function>(function), map);
    to->setName(name);
    to->setVisibility(GlobalValue::DefaultVisibility);
    to->setDLLStorageClass(GlobalValue::DefaultStorageClass);
    to->setComdat(nullptr);
    to->setPrefixData(nullptr);
    to->setPrologueData(nullptr);
    LLVMSetLinkage(wrap(to), linkage);
    to->setDSOLocal(true);
    return wrap(to);
}

void shim_add_constructor(LLVMValueRef function, LLVMValueRef with)
{
    enum { DEFAULT_PRIORITY = 65535 };
    auto *f = unwrap<Function>(function);
    f->setDoesNotThrow();
    appendToGlobalCtors(*f->getParent(), f, DEFAULT_PRIORITY, unwrap<Constant>(with));
}

LLVMValueRef shim_function_of_metadata(LLVMValueRef function, const char *kind)
{
    const MDNode *node = unwrap<Function>(function)->getMetadata(kind);
    return node && node->getNumOperands() ? wrap(mdconst::dyn_extract_or_null<Function>(node->getOperand(0)))
                                          : nullptr;
}

bool shim_block_has_address(LLVMBasicBlockRef block)
{
    return unwrap(block)->hasAddressTaken();
}

bool shim_takes_memory(LLVMValueRef function)
{
    for (Argument &argument : unwrap<Function>(function)->args())
        if (argument.hasPassPointeeByValueCopyAttr())
            return true;
    return false;
}

LLVMValueRef shim_call_bundled(LLVMBuilderRef builder, LLVMValueRef function, const LLVMValueRef *arguments,
                               unsigned count, LLVMValueRef number)
{
    SmallVector<Value *, 8> values;
    for (unsigned i = 0; i < count; i++)
        values.push_back(unwrap(arguments[i]));
    auto *to = unwrap<Function>(function);
    OperandBundleDef bundle("cotree", unwrap(number));
    CallInst *call = unwrap(builder)->CreateCall(to, values, {bundle});
    // A bundle stands for all that a call might do, unless the call itself says what it does.
    AttrBuilder known(to->getContext(), to->getAttributes().getFnAttrs());
    for (Attribute::AttrKind kind : {Attribute::Memory, Attribute::NoCallback, Attribute::NoFree,
                                     Attribute::NoSync, Attribute::WillReturn})
        if (known.contains(kind))
            call->addFnAttr(known.getAttribute(kind));
    return wrap(call);
}

void shim_forward(LLVMBasicBlockRef block, LLVMValueRef body)
{
    Function *to = unwrap<Function>(body), *from = unwrap(block)->getParent();
    IRBuilder<> builder(unwrap(block));
    SmallVector<Value *, 8> arguments;
    for (Argument &argument : from->args())
        arguments.push_back(&argument);
    CallInst *call = builder.CreateCall(to->getFunctionType(), to, arguments);
    call->setAttributes(to->getAttributes().removeFnAttributes(to->getContext()));
    call->setCallingConv(to->getCallingConv());
    // LLVM would let arguments in memory overwrite each other in a tail call.
    if (!shim_takes_memory(body))
        call->setTailCallKind(CallInst::TCK_MustTail);
    if (to->getReturnType()->isVoidTy())
        builder.CreateRetVoid();
    else
        builder.CreateRet(call);
}

void shim_keep(LLVMValueRef function)
{
    Function *f = unwrap<Function>(function);
    appendToCompilerUsed(*f->getParent(), {f});
}

bool shim_is_of_library(LLVMValueRef function)
{
    Function *f = unwrap<Function>(function);
    static const TargetLibraryInfoImpl library{Triple(f->getParent()->getTargetTriple())};
    LibFunc which;
    return library.getLibFunc(f->getName(), which);
}

LLVMValueRef shim_make_like(LLVMValueRef function, LLVMValueRef caller, const char *name)
{
    Function *of = unwrap<Function>(function), *from = unwrap<Function>(caller);
    // LLVM drops it with its last call: a program need not define functions that it never calls.
    auto *like = Function::Create(of->getFunctionType(), GlobalValue::LinkOnceAnyLinkage,
                                  of->getAddressSpace(), name, of->getParent());
    like->setCallingConv(of->getCallingConv());
    like->setAttributes(of->getAttributes().removeFnAttributes(of->getContext()));
    like->addFnAttr(Attribute::NoInline);
    like->setUWTableKind(UWTableKind::Async);
    for (const char *kind : {"target-cpu", "target-features", "tune-cpu", "frame-pointer"})
        if (from->hasFnAttribute(kind))
            like->addFnAttr(from->getFnAttribute(kind));
    if (of->doesNotThrow())
        like->setDoesNotThrow();
    like->setDSOLocal(true);
    return wrap(like);
}

LLVMValueRef shim_call_like(LLVMBasicBlockRef block, LLVMValueRef function)
{
    Function *to = unwrap<Function>(function);
    SmallVector<Value *, 8> arguments;
    for (Argument &argument : unwrap(block)->getParent()->args())
        arguments.push_back(&argument);
    CallInst *call = IRBuilder<>(unwrap(block)).CreateCall(to->getFunctionType(), to, arguments);
    call->setAttributes(to->getAttributes().removeFnAttributes(to->getContext()));
    call->setCallingConv(to->getCallingConv());
    return wrap(call);
}

// The root of clang's types; C and C++ have different ones.
static MDNode *root_of_types(Module &m)
{
    for (Function &function : m)
        for (BasicBlock &block : function)
            for (Instruction &instruction : block)
                if (MDNode *tag = instruction.getMetadata(LLVMContext::MD_tbaa)) {
                    auto *type = dyn_cast_or_null<MDNode>(tag->getNumOperands() > 1 ? tag->getOperand(1).get()
                                                                                    : nullptr);
                    while (type && type->getNumOperands() > 1)
                        type = dyn_cast<MDNode>(type->getOperand(1));
                    if (type)
                        return type;
                }
    return MDBuilder(m.getContext()).createTBAARoot("Simple C/C++ TBAA");
}

LLVMValueRef shim_memory_type(LLVMModuleRef module, const char *name)
{
    Module &m = *unwrap(module);
    MDBuilder builder(m.getContext());
    MDNode *type = builder.createTBAAScalarTypeNode(name, root_of_types(m));
    return wrap(MetadataAsValue::get(m.getContext(), builder.createTBAAStructTagNode(type, type, 0)));
}

void shim_block_frequencies(LLVMValueRef function, double *frequencies, bool *in_loop)
{
    Function &f = *unwrap<Function>(function);
    DominatorTree dominators(f);
    LoopInfo loops(dominators);
    BranchProbabilityInfo probabilities(f, loops);
    BlockFrequencyInfo all(f, probabilities, loops);
    double entry = double(all.getBlockFreq(&f.getEntryBlock()).getFrequency());
    for (BasicBlock &block : f) {
        *frequencies++ = double(all.getBlockFreq(&block).getFrequency()) / entry;
        *in_loop++ = loops.getLoopFor(&block);
    }
}

void shim_set_final(LLVMValueRef function, unsigned long long key)
{
    unwrap<Function>(function)->addFnAttr(SHIM_FINAL, std::to_string(key));
}

bool shim_code_is_taken_out(void)
{
    auto &options = cl::getRegisteredOptions();
    for (const char *name : {"hot-cold-split", "ir-outliner", "enable-merge-functions"}) {
        auto found = options.find(name);
        if (found != options.end() && found->second->getNumOccurrences())
            return true;
    }
    return false;
}

void shim_error(LLVMModuleRef module, const char *text)
{
    unwrap(module)->getContext().emitError(text);
}
