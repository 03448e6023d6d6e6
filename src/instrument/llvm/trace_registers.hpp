// Between the first and the last pass: a thread's `events` stays in a register
// (trace_registers.cpp).
#ifndef COTREE_INSTRUMENT_LLVM_TRACE_REGISTERS_HPP
#define COTREE_INSTRUMENT_LLVM_TRACE_REGISTERS_HPP

#include "llvm/IR/PassManager.h"

// Not a required pass: functions marked optnone keep `events` in memory.
struct TraceRegisters : llvm::PassInfoMixin<TraceRegisters> {
    llvm::PreservedAnalyses run(llvm::Function &function, llvm::FunctionAnalysisManager &manager);
};

// At the very end: where an event stands alone, `events` is moved on in memory, which is one
// instruction less.
bool traceMovesOnInMemory(llvm::Function &function);
// At the very end, too: `calls` rises in memory, by one instruction, and once for two calls with
// nothing in between.
void traceCountsCalls(llvm::Function &function);

#endif
