// Functions that count paths are inlined as if they did not.
#ifndef COTREE_INSTRUMENT_LLVM_PATH_INLINING_HPP
#define COTREE_INSTRUMENT_LLVM_PATH_INLINING_HPP

#include "llvm/IR/PassManager.h"

struct PathInlining : llvm::PassInfoMixin<PathInlining> {
    llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &manager);
};

#endif
