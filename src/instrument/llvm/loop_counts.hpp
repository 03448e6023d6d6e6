// The middle one of the three passes: markers leave loops (loop_counts.cpp).
#ifndef COTREE_INSTRUMENT_LLVM_LOOP_COUNTS_HPP
#define COTREE_INSTRUMENT_LLVM_LOOP_COUNTS_HPP

#include "llvm/IR/PassManager.h"

// Not a required pass: functions marked optnone keep their markers.
struct LoopCounts : llvm::PassInfoMixin<LoopCounts> {
    llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &manager);
};

#endif
