// The parts of LLVM's C++ interfaces that differ between versions.
#ifndef COTREE_INSTRUMENT_LLVM_VERSIONS_HPP
#define COTREE_INSTRUMENT_LLVM_VERSIONS_HPP

#include "instrument/llvm/versions.h"

#include "llvm/IR/BasicBlock.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instruction.h"
#include "llvm/ProfileData/InstrProf.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace versions
{
// The location with another scope and another chain of inlined calls; everything else as it was.
// Locations of calls that were inlined are distinct nodes and stay so.
inline llvm::DILocation *rescoped(const llvm::DILocation *at, llvm::Metadata *scope,
                                  const llvm::DILocation *inlined_at)
{
    auto *outer = const_cast<llvm::DILocation *>(inlined_at);
    auto make = [&](auto... atoms) {
        return at->isDistinct()
                   ? llvm::DILocation::getDistinct(at->getContext(), at->getLine(), at->getColumn(), scope,
                                                   outer, at->isImplicitCode(), atoms...)
                   : llvm::DILocation::get(at->getContext(), at->getLine(), at->getColumn(), scope, outer,
                                           at->isImplicitCode(), atoms...);
    };
#if LLVM_VERSION_MAJOR >= 21
    return make(at->getAtomGroup(), at->getAtomRank());
#else
    return make();
#endif
}

// Replaces the locations of the instruction and of what it says of variables by what `other` makes
// of them.
template <typename Other> void relocate(llvm::Instruction &instruction, Other other)
{
    instruction.setDebugLoc(llvm::DebugLoc(other(instruction.getDebugLoc().get())));
#if LLVM_VERSION_MAJOR >= 19
    for (llvm::DbgRecord &record : instruction.getDbgRecordRange())
        record.setDebugLoc(llvm::DebugLoc(other(record.getDebugLoc().get())));
#endif
}

// The point before an instruction where code is inserted.
#if LLVM_VERSION_MAJOR >= 18
inline llvm::BasicBlock::iterator insertionPoint(llvm::Instruction *before)
{
    return before->getIterator();
}
#else
inline llvm::Instruction *insertionPoint(llvm::Instruction *before)
{
    return before;
}
#endif

// The last instruction before that one that is no debug information, or nullptr.
inline const llvm::Instruction *before(const llvm::Instruction *instruction)
{
#if LLVM_VERSION_MAJOR >= 22
    return instruction->getPrevNode();
#else
    return instruction->getPrevNonDebugInstruction();
#endif
}

// Makes what a copied instruction says of variables right, where that is no instruction of its own.
inline void remap_debug_records(llvm::Function &function, llvm::Instruction &copy,
                                llvm::ValueToValueMapTy &map)
{
#if LLVM_VERSION_MAJOR >= 19
    llvm::RemapDbgRecordRange(function.getParent(), copy.getDbgRecordRange(), map,
                              llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
#else
    (void)function, (void)copy, (void)map;
#endif
}

// The name by which profiles know a function.
inline std::string profile_name(const llvm::Function &function)
{
#if LLVM_VERSION_MAJOR >= 17
    return llvm::getIRPGOFuncName(function);
#else
    return llvm::getPGOFuncName(function);
#endif
}

// The number by which profiles know a function of that name.
inline uint64_t profile_number(llvm::StringRef name)
{
#if LLVM_VERSION_MAJOR >= 21
    return llvm::GlobalValue::getGUIDAssumingExternalLinkage(name);
#else
    return llvm::GlobalValue::getGUID(name);
#endif
}
} // namespace versions

#endif
