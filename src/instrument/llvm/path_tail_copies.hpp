// Copies the code from where ways meet to the counts of their paths, for the edge that is taken most: in
// the copy the counter is known.
#ifndef COTREE_INSTRUMENT_LLVM_PATH_TAIL_COPIES_HPP
#define COTREE_INSTRUMENT_LLVM_PATH_TAIL_COPIES_HPP

#include "instrument/llvm/path_code.hpp"
#include "llvm/IR/PassManager.h"

// Makes one copy, if there is one to be made. What is known of the function is no longer true then.
bool path_tail_copy(llvm::Function &function, llvm::FunctionAnalysisManager &manager, const PathCode &code);

#endif
