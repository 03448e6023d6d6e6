// A marker of a path that counts at one of a few counters, as conditions say that are known where it
// stands: so variables can count how often each was chosen.
#ifndef COTREE_INSTRUMENT_LLVM_COUNTER_CHOICE_HPP
#define COTREE_INSTRUMENT_LLVM_COUNTER_CHOICE_HPP

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

struct CounterChoice {
    llvm::CallInst *Marker = nullptr;
    llvm::SmallVector<llvm::Constant *, 8> Counters; // each once

    // Does the marker's counter depend on nothing but a few conditions?
    bool find(llvm::CallInst *marker);

    // Computes, before the marker, whether it counts at that one of the counters.
    llvm::Value *isChosen(llvm::IRBuilder<> &builder, llvm::Constant *counter);

  private:
    llvm::SmallVector<llvm::Value *, 4> Conditions, Truths; // truths: as i1, where they are computed
    llvm::SmallVector<llvm::Constant *, 8> Chosen; // bit i of the index: does condition i hold? null: never

    llvm::Constant *valueIf(llvm::Value *value, unsigned holding, unsigned steps = 8);
    llvm::Value *conditionOf(llvm::IRBuilder<> &builder, unsigned number) const;
    llvm::Value *formula(llvm::IRBuilder<> &builder, llvm::Constant *counter, unsigned conditions,
                         unsigned holding) const;
};

#endif
