// Markers that some iterations pass leave loops that clang could vectorise without them: variables count
// in their stead.
#ifndef COTREE_INSTRUMENT_LLVM_LOOP_VARIABLES_HPP
#define COTREE_INSTRUMENT_LLVM_LOOP_VARIABLES_HPP

#include "instrument/llvm/counter_choice.hpp"
#include "instrument/llvm/loop_code.hpp"

class LoopVariables : LoopCode
{
    llvm::SmallVector<llvm::AllocaInst *, 4> Variables;

  public:
    LoopVariables(const LoopCode &code) : LoopCode(code) {}

    // Does each iteration count at one of the path marker's counters?
    bool findChoice(const llvm::Loop &loop, llvm::CallInst *marker, CounterChoice &choice) const;

    // Moves markers that only some iterations pass, where they would keep the loop from being
    // vectorised. number: of the loop in the table of loops, or 0 as long as it has none.
    void moveSome(llvm::Loop &loop, llvm::ArrayRef<llvm::CallInst *> markers,
                  llvm::MutableArrayRef<CounterChoice> choices, const llvm::SCEV *back, uint32_t &number);

    // Keeps the variables in registers; after all loops.
    void promote();

  private:
    bool isChain(llvm::Loop &loop);
    bool hasOddCycle(llvm::Loop &loop) const;
    bool isVectorisable(llvm::Loop &loop);
    llvm::AllocaInst *makeVariable(const llvm::Loop &loop, llvm::IntegerType *type);
    llvm::AllocaInst *countIn(llvm::Loop &loop, llvm::ArrayRef<llvm::CallInst *> markers,
                              llvm::IntegerType *type);
    llvm::Value *takenBack(const llvm::Loop &loop, const llvm::SCEV *all, llvm::AllocaInst *variable,
                           bool instead);
    llvm::Value *takenBack(const llvm::Loop &loop, llvm::ArrayRef<llvm::AllocaInst *> variables);
    void settle(const llvm::Loop &loop, llvm::ArrayRef<llvm::CallInst *> markers, const llvm::SCEV *all,
                llvm::Value *change);
    llvm::AllocaInst *countChosen(llvm::Loop &loop, CounterChoice &choice, llvm::Constant *counter,
                                  llvm::IntegerType *type);
    void settleChoice(llvm::Loop &loop, CounterChoice &choice, const llvm::SCEV *all,
                      llvm::IntegerType *type);
    bool areAlternatives(const llvm::Loop &loop, llvm::BasicBlock *one, llvm::BasicBlock *other) const;
    bool boundBy32Bits(llvm::Loop &loop, const llvm::SCEV *times);
};

#endif
