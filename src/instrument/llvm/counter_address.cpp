#include "instrument/llvm/counter_address.hpp"

#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

// Takes the index when control comes from `from` to `block`, unless these are null.
static void takeIndex(CounterAddress &counter, Value *index, BasicBlock *block, BasicBlock *from)
{
    for (unsigned steps = 0; steps < 8; steps++) {
        auto *phi = dyn_cast<PHINode>(index);
        auto *sum = dyn_cast<BinaryOperator>(index);
        auto *more =
            sum && sum->getOpcode() == Instruction::Add ? dyn_cast<ConstantInt>(sum->getOperand(1)) : nullptr;
        if (phi && from && phi->getParent() == block) {
            index = phi->getIncomingValueForBlock(from);
            from = nullptr;
        } else if (more) {
            counter.Offset += more->getSExtValue() * 8;
            index = sum->getOperand(0);
        } else {
            break;
        }
    }
    auto *constant = dyn_cast<ConstantInt>(index);
    if (constant)
        counter.Offset += constant->getSExtValue() * 8;
    else
        counter.Index = index;
}

CounterAddress CounterAddress::of(Value *address, const DataLayout &layout, BasicBlock *block,
                                  BasicBlock *from)
{
    CounterAddress counter;
    bool indexed = false;
    for (unsigned steps = 0; steps < 8; steps++) {
        APInt offset(64, 0);
        address = address->stripAndAccumulateConstantOffsets(layout, offset, true);
        counter.Offset += offset.getSExtValue();
        if (isa<GlobalVariable>(address)) {
            counter.Array = address;
            break;
        }
        auto *step = dyn_cast<GetElementPtrInst>(address);
        if (!step || indexed || step->getNumIndices() != 1 ||
            !step->getSourceElementType()->isIntegerTy(64) ||
            !step->getOperand(1)->getType()->isIntegerTy(64))
            break;
        takeIndex(counter, step->getOperand(1), block, from);
        indexed = true;
        address = step->getPointerOperand();
    }
    return counter;
}

Value *CounterAddress::putTogether(Instruction *before) const
{
    IRBuilder<> builder(before);
    builder.SetCurrentDebugLocation(DebugLoc());
    Value *address = Array;
    if (Index)
        address = builder.CreateGEP(builder.getInt64Ty(), address, Index);
    return builder.CreateGEP(builder.getInt8Ty(), address, builder.getInt64(Offset));
}
