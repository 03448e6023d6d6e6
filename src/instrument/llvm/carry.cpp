#include "instrument/llvm/carry.hpp"
#include "format/carry/units.h"
#include "instrument/carry/record.h"
#include "instrument/llvm/names.hpp"
#include "instrument/unit_context.h"

#include "llvm/Bitcode/BitcodeWriterPass.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <unistd.h>

using namespace llvm;

static const char MetadataName[] = "cotree.carried";

// The words of clang -cc1, each followed by a zero byte.
static std::string takeWords(Module &module)
{
    std::string words;
    GlobalVariable *line = module.getNamedGlobal("llvm.cmdline"),
                   *marker = module.getNamedGlobal("llvm.embedded.module");
    if (line && line->hasInitializer())
        if (auto *bytes = dyn_cast<ConstantDataSequential>(line->getInitializer()))
            words = bytes->getRawDataValues().str();
    removeFromUsedLists(module, [&](Constant *used) {
        Value *value = used->stripPointerCasts();
        return value == line || value == marker;
    });
    for (GlobalVariable *variable : {line, marker})
        if (variable) {
            variable->removeDeadConstantUsers(); // the list that they were in
            if (variable->use_empty())
                variable->eraseFromParent();
        }
    return words;
}

// Names of blocks, and of variables, tell what they are (graph/cleanup.c, graph/branches.c); other
// names of local values tell nothing to anyone.
static void dropNames(Module &module)
{
    if (namesAreRead(module))
        return;
    for (Function &function : module) {
        for (Argument &argument : function.args())
            argument.setName("");
        for (Instruction &instruction : instructions(function))
            if (instruction.hasName() && !isa<AllocaInst>(instruction))
                instruction.setName("");
    }
}

static std::string compilerOf(const Module &module)
{
    const NamedMDNode *ident = module.getNamedMetadata("llvm.ident");
    if (!ident || !ident->getNumOperands() || !ident->getOperand(0)->getNumOperands())
        return ""; // -fno-ident
    auto *text = dyn_cast_or_null<MDString>(ident->getOperand(0)->getOperand(0).get());
    return text ? text->getString().str() : "";
}

static bool includesFiles(StringRef assembly)
{
    std::string text = assembly.lower(); // as the assembler reads directives
    return text.find(".incbin") != std::string::npos || text.find(".include") != std::string::npos;
}

bool carryIncludesFiles(const Module &module)
{
    if (includesFiles(module.getModuleInlineAsm()))
        return true;
    for (const Function &function : module)
        for (const Instruction &instruction : instructions(function))
            if (auto *call = dyn_cast<CallBase>(&instruction))
                if (auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand()))
                    if (includesFiles(assembly->getAsmString()))
                        return true;
    return false;
}

// The order in which uses of a value are listed decides what some passes do, so it is kept.
void carryTake(Module &module, ModuleAnalysisManager &manager, const instrument_options &options,
               buffer &record)
{
    std::string words = takeWords(module), compiler = compilerOf(module);
    if (NamedMDNode *before = module.getNamedMetadata(MetadataName))
        before->eraseFromParent();
    if (module.getNamedMetadata(INSTRUMENT_DONE_MARK) || carryIncludesFiles(module))
        return;
    dropNames(module);
    SmallVector<char, 0> bitcode;
    raw_svector_ostream out(bitcode);
    BitcodeWriterPass(out, /*ShouldPreserveUseListOrder=*/true).run(module, manager);
    carried_module carried = {};
    carried.name = module.getSourceFileName().c_str();
    carried.compiler = compiler.c_str();
    carried.words = words.data();
    carried.words_length = words.size();
    carried.bitcode = bitcode.data();
    carried.bitcode_length = bitcode.size();
    carry_record_make(&record, &carried, &options);
}

void carryPut(Module &module, const instrument_options &options, const buffer &record)
{
    StringRef bytes(reinterpret_cast<const char *>(record.data), record.length);
    if (options.lto || options.bitcode) {
        LLVMContext &context = module.getContext();
        module.getOrInsertNamedMetadata(MetadataName)
            ->addOperand(MDNode::get(context, MDString::get(context, bytes)));
        return;
    }
    embedBufferInModule(module, MemoryBufferRef(bytes, ""), CARRY_UNITS_SECTION, Align(8));
}

// The mark of what is instrumented holds the options, which name the paths that are counted: without it
// variants that count others have the same unit where they count none. In an object for a linker it
// stays: linkers name things after a hash of all that is in a module.
void carryShare(Module &module, ModuleAnalysisManager &manager, const std::string &place,
                const unit_options &options)
{
    NamedMDNode *mark = module.getNamedMetadata(INSTRUMENT_DONE_MARK);
    bool hide = mark && mark->getNumOperands() && !options.parsed.lto && !options.parsed.bitcode;
    MDNode *text = hide ? mark->getOperand(0) : nullptr;
    if (hide)
        mark->clearOperands();
    SmallVector<char, 0> bitcode;
    raw_svector_ostream out(bitcode);
    BitcodeWriterPass(out, /*ShouldPreserveUseListOrder=*/true).run(module, manager);
    if (hide)
        mark->addOperand(text);
    if (place.find(':') != std::string::npos &&
        carry_is_claimed(place.c_str(), options.text, bitcode.data(), bitcode.size()))
        _exit(0);
}

void carryForget(Module &module)
{
    StripDebugInfo(module);
}
