// Markers leave loops whose end is not known, but which have a budget: a variable that counts down.
#ifndef COTREE_INSTRUMENT_LLVM_LOOP_BUDGET_HPP
#define COTREE_INSTRUMENT_LLVM_LOOP_BUDGET_HPP

#include "instrument/llvm/loop_code.hpp"

// Moves markers out of a loop that may be left at any time, but not later than when its budget
// is spent. Only markers before the test of the budget move, so that nothing is to be taken
// back when it is spent. A loop without a loop inside mostly compares or searches bytes, and is
// left too soon to be worth it.
void loop_budget_move(const LoopCode &code, llvm::Loop &loop, llvm::ArrayRef<llvm::CallInst *> markers);

#endif
