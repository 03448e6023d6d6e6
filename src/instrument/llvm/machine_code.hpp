// What machine instructions do for cotree: which of them count, write events of a trace or store to the
// slots of crash histories; and which of the program's own others can see.
#ifndef COTREE_INSTRUMENT_LLVM_MACHINE_CODE_HPP
#define COTREE_INSTRUMENT_LLVM_MACHINE_CODE_HPP

#include "instrument/place/places.h"
#include "instrument/unit_context.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/IR/DataLayout.h"

struct Increment {
    uint64_t Key = 0, Counter = 0, By = 0;
    llvm::SmallVector<std::pair<uint64_t, uint64_t>, 0> Twins; // key and counter of what else it counts
};

// Does the instruction add to a counter? Sets which one, and how much it adds.
bool isIncrement(const llvm::MachineInstr &instruction, const llvm::TargetInstrInfo &names,
                 const llvm::DataLayout &layout, Increment &increment);
// Does it count a path? Sets the key of the function, and by how much it counts.
bool isPathCount(const llvm::MachineInstr &instruction, uint64_t &key, uint64_t &by);

// Finds the addresses to which the function writes events.
using Addresses = llvm::SmallPtrSet<const llvm::Value *, 16>;
void findEvents(const llvm::Function &function, Addresses &addresses);
// Does the instruction write an event of a trace? Sets which one, if it is a constant; `enters`: the
// function is a thunk.
bool isEvent(const llvm::MachineInstr &instruction, const Addresses &addresses, bool enters, uint32_t &event);

// The places of a function's slots, by number.
void findSlots(const llvm::MachineFunction &function, crash_code &slots);
// What the instruction stores to a slot; slot SLOTS_NONE: nothing.
crash_store storeOf(const llvm::MachineInstr &instruction, const llvm::TargetInstrInfo &names);

// Does the instruction load what never changes, and so say nothing of where control is: passes move such
// loads to wherever that is cheapest, and one stands for several.
bool readsConstants(const llvm::MachineInstr &instruction);

// Does the instruction divide integers? It may fault, but it needs no memory: passes move it down to where
// its result is used, over what other code can see.
bool dividesIntegers(const llvm::MachineInstr &instruction, const llvm::TargetInstrInfo &names);

// May the instruction fault, or do what other code can see? Accesses to the stack, constants and
// tables of the code generator do not count, and neither do those to the function's own variables.
bool isSeen(const llvm::MachineInstr &instruction, const llvm::TargetInstrInfo &names,
            const Addresses &events);
// Can other code see when the instruction was executed?
bool isOrdered(const llvm::MachineInstr &instruction);

#endif
