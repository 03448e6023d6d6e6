// What the chapters of loop_counts.cpp share: a function with its loops, and what is known of them.
#ifndef COTREE_INSTRUMENT_LLVM_LOOP_CODE_HPP
#define COTREE_INSTRUMENT_LLVM_LOOP_CODE_HPP

#include "instrument/unit_context.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

// How many instructions a number of iterations may take in front of a loop. LLVM itself allows 4,
// which keeps counts in triangular loops (`for (j = k + 1; j < n; j++)`) and clang from vectorising
// them; 16 costs short loops more than it saves.
constexpr unsigned TripCountBudget = 8;

// Copies of it are about the same function.
struct LoopCode {
    llvm::Function &F;
    llvm::LoopInfo &LI;
    llvm::DominatorTree &DT;
    llvm::ScalarEvolution &SE;
    llvm::TargetTransformInfo &TTI;
    llvm::FunctionAnalysisManager &Manager;
    position_table &Positions;
    llvm::Value *Annotation;
    llvm::IntegerType *I64;
    llvm::SCEVExpander &Expander;
    bool &Changed;

    LoopCode(llvm::Function &f, llvm::FunctionAnalysisManager &manager, llvm::Value *annotation,
             llvm::SCEVExpander &expander, bool &changed);

    bool isMarker(llvm::Instruction &i) const;
    bool isPathMarker(llvm::Instruction &i) const;

    // The blocks of the loop that control may reach from this one before the next iteration begins.
    // The block itself may be among them: one iteration may pass it several times, in a cycle that
    // LLVM does not see as a loop.
    static llvm::SmallPtrSet<llvm::BasicBlock *, 16> laterThan(const llvm::Loop &loop,
                                                               llvm::BasicBlock *block);

    // The counter as an entry of the table of loops.
    moved_counter counterAt(llvm::Value *counter, uint64_t most) const;
    moved_counter counterOf(llvm::Instruction &marker, uint64_t most) const;

    // Makes the positions of the loop's instructions say that they are in it.
    void markPositions(const llvm::Loop &loop, uint32_t number) const;
};

#endif
