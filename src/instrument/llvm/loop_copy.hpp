// A copy of a loop that runs instead of it where a condition holds in front of it.
#ifndef COTREE_INSTRUMENT_LLVM_LOOP_COPY_HPP
#define COTREE_INSTRUMENT_LLVM_LOOP_COPY_HPP

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/IR/Dominators.h"

// Copies a loop without loops inside that is left by its last block alone, in simplified and closed
// form, which it keeps. `seldom` is known before the loop and chooses the copy.
void copyLoopFor(llvm::Value *seldom, llvm::Loop &loop, llvm::LoopInfo &loops, llvm::DominatorTree &tree,
                 llvm::ScalarEvolution &evolution);

#endif
