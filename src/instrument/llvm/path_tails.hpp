// Part of the last pass, before markers are lowered: paths are counted where their counter is a
// constant.
#ifndef COTREE_INSTRUMENT_LLVM_PATH_TAILS_HPP
#define COTREE_INSTRUMENT_LLVM_PATH_TAILS_HPP

#include "llvm/IR/PassManager.h"

struct PathTails : llvm::PassInfoMixin<PathTails> {
    llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &manager);
};

#endif
