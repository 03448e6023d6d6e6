// The address of a counter in parts: two that are written differently can be compared.
#ifndef COTREE_INSTRUMENT_LLVM_COUNTER_ADDRESS_HPP
#define COTREE_INSTRUMENT_LLVM_COUNTER_ADDRESS_HPP

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Instructions.h"

// Array[Index] + Offset bytes; no index where it is a constant.
struct CounterAddress {
    llvm::Value *Array = nullptr, *Index = nullptr;
    int64_t Offset = 0;

    // The parts of the address when control comes from `from` to `block`, unless these are null. Array is
    // null when it is not of that form.
    static CounterAddress of(llvm::Value *address, const llvm::DataLayout &layout,
                             llvm::BasicBlock *block = nullptr, llvm::BasicBlock *from = nullptr);
    llvm::Value *putTogether(llvm::Instruction *before) const;

    bool operator==(const CounterAddress &other) const
    {
        return Array && Array == other.Array && Index == other.Index && Offset == other.Offset;
    }
};

#endif
