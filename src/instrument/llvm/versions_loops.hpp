// The parts of LLVM's interfaces for loops that differ between versions.
#ifndef COTREE_INSTRUMENT_LLVM_VERSIONS_LOOPS_HPP
#define COTREE_INSTRUMENT_LLVM_VERSIONS_LOOPS_HPP

#include "instrument/llvm/versions.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/IVDescriptors.h"
#include "llvm/Analysis/LoopAccessAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopPeel.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

namespace versions
{
// The number of iterations of a loop that goes back `back` times; 64 bits.
inline const llvm::SCEV *iterations(llvm::ScalarEvolution &evolution, const llvm::SCEV *back,
                                    const llvm::Loop &loop)
{
    llvm::Type *type = llvm::Type::getInt64Ty(loop.getHeader()->getContext());
#if LLVM_VERSION_MAJOR >= 17
    return evolution.getTripCountFromExitCount(back, type, &loop);
#else
    return evolution.getAddExpr(evolution.getNoopOrZeroExtend(back, type), evolution.getOne(type));
#endif
}

inline bool mayVectoriseAccesses(llvm::Loop &loop, llvm::ScalarEvolution &evolution, llvm::LoopInfo &loops,
                                 llvm::DominatorTree &dominators, llvm::TargetTransformInfo &target,
                                 llvm::Function &function, llvm::FunctionAnalysisManager &manager)
{
    (void)target;
    auto &library = manager.getResult<llvm::TargetLibraryAnalysis>(function);
    auto &aliases = manager.getResult<llvm::AAManager>(function);
#if LLVM_VERSION_MAJOR >= 22
    llvm::LoopAccessInfo info(&loop, &evolution, &target, &library, &aliases, &dominators, &loops,
                              &manager.getResult<llvm::AssumptionAnalysis>(function));
#elif LLVM_VERSION_MAJOR >= 18
    llvm::LoopAccessInfo info(&loop, &evolution, &target, &library, &aliases, &dominators, &loops);
#else
    llvm::LoopAccessInfo info(&loop, &evolution, &library, &aliases, &dominators, &loops);
#endif
    return info.canVectorizeMemory();
}

inline bool isFixedOrderRecurrence(llvm::PHINode &phi, llvm::Loop &loop, llvm::DominatorTree &dominators)
{
#if LLVM_VERSION_MAJOR >= 17
    return llvm::RecurrenceDescriptor::isFixedOrderRecurrence(&phi, &loop, &dominators);
#else
    llvm::MapVector<llvm::Instruction *, llvm::Instruction *> later;
    return llvm::RecurrenceDescriptor::isFixedOrderRecurrence(&phi, &loop, later, &dominators);
#endif
}

// Moves the first iteration of the loop before it.
inline bool peelOne(llvm::Loop &loop, llvm::ScalarEvolution &evolution, llvm::LoopInfo &loops,
                    llvm::DominatorTree &dominators, llvm::AssumptionCache &assumptions)
{
    llvm::ValueToValueMapTy copies;
    return llvm::peelLoop(&loop, 1,
#if LLVM_VERSION_MAJOR >= 21
                          false,
#endif
                          &loops, &evolution, dominators, &assumptions, true, copies);
}

inline llvm::SCEVExpander expander(llvm::ScalarEvolution &evolution, llvm::Function &function)
{
#if LLVM_VERSION_MAJOR < 22
    return llvm::SCEVExpander(evolution, function.getParent()->getDataLayout(), "cotree");
#else
    (void)function;
    return llvm::SCEVExpander(evolution, "cotree");
#endif
}
} // namespace versions

#endif
