// Between the first and the last pass: events of loops that write the same in every round are
// written in front of the loop, with their number (trace_rounds.cpp).
#ifndef COTREE_INSTRUMENT_LLVM_TRACE_ROUNDS_HPP
#define COTREE_INSTRUMENT_LLVM_TRACE_ROUNDS_HPP

#include "llvm/IR/PassManager.h"

// Not a required pass: functions marked optnone write every event.
struct TraceRounds : llvm::PassInfoMixin<TraceRounds> {
    llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &manager);
};

#endif
