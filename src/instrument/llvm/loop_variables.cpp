#include "instrument/llvm/loop_variables.hpp"
#include "instrument/llvm/loop_copy.hpp"
#include "instrument/llvm/versions.hpp"
#include "instrument/llvm/versions_loops.hpp"
#include "instrument/marker/marker.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/IVDescriptors.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/LoopPeel.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

// Does each iteration need what the one before has computed, in a way that vectors cannot have?
// Minima and maxima are such chains here: how often one changed depends on the order, so clang
// could not vectorise the count. So are sums of floating point numbers, which must be added in
// the order of the program.
bool LoopVariables::isChain(Loop &loop)
{
    for (PHINode &phi : loop.getHeader()->phis()) {
        InductionDescriptor induction;
        RecurrenceDescriptor reduction;
        if (!InductionDescriptor::isInductionPHI(&phi, &loop, &SE, induction) &&
            !RecurrenceDescriptor::isReductionPHI(&phi, &loop, reduction) &&
            !versions::isFixedOrderRecurrence(phi, loop, DT))
            return true;
        if (reduction.getExactFPMathInst() && !TTI.enableOrderedReductions())
            return true;
    }
    return false;
}

// May one iteration pass a block several times, in a cycle that LLVM does not see as a loop?
bool LoopVariables::hasOddCycle(Loop &loop) const
{
    LoopBlocksRPO order(&loop);
    order.perform(&LI);
    return containsIrreducibleCFG<const BasicBlock *>(order, LI);
}

// Could clang vectorise the loop if it had no markers? If so, an iteration passes each block
// once at most.
bool LoopVariables::isVectorisable(Loop &loop)
{
    BasicBlock *latch = loop.getLoopLatch();
    if (!loop.isInnermost() || loop.getExitingBlock() != latch || isChain(loop) || hasOddCycle(loop))
        return false;
    SmallVector<std::pair<Instruction *, Instruction *>, 8> markers; // and what follows them
    for (BasicBlock *block : loop.blocks())
        for (Instruction &i : *block) {
            if (isMarker(i) || isPathMarker(i))
                markers.push_back({&i, i.getNextNode()});
            else if (!DT.dominates(block, latch) && !i.isTerminator() && !isa<PHINode>(i) &&
                     !isSafeToSpeculativelyExecute(&i))
                return false;
        }
    for (auto &marker : markers)
        marker.first->removeFromParent();
    bool can = versions::mayVectoriseAccesses(loop, SE, LI, DT, TTI, F, Manager);
    for (auto &marker : reverse(markers))
        marker.first->insertBefore(versions::insertionPoint(marker.second));
    return can;
}

// Makes a variable that is 0 in front of the loop.
AllocaInst *LoopVariables::makeVariable(const Loop &loop, IntegerType *type)
{
    IRBuilder<> builder(&*F.getEntryBlock().getFirstInsertionPt());
    auto *variable = builder.CreateAlloca(type);
    Variables.push_back(variable);
    builder.SetInsertPoint(loop.getLoopPreheader()->getTerminator());
    builder.SetCurrentDebugLocation(DebugLoc());
    builder.CreateStore(ConstantInt::get(type, 0), variable);
    return variable;
}

// Makes a variable that counts in the loop instead of the markers of one counter.
AllocaInst *LoopVariables::countIn(Loop &loop, ArrayRef<CallInst *> markers, IntegerType *type)
{
    AllocaInst *variable = makeVariable(loop, type);
    IRBuilder<> builder(F.getContext());
    for (CallInst *marker : markers) {
        builder.SetInsertPoint(marker);
        builder.SetCurrentDebugLocation(DebugLoc());
        builder.CreateStore(builder.CreateAdd(builder.CreateLoad(type, variable),
                                              ConstantInt::get(type, marker_by(wrap(marker)))),
                            variable);
    }
    return variable;
}

// What is to be added after the loop if `all` is counted before it: taken back is what the
// variable does not hold, or, with `instead`, what it does hold.
Value *LoopVariables::takenBack(const Loop &loop, const SCEV *all, AllocaInst *variable, bool instead)
{
    Value *most = Expander.expandCodeFor(all, I64, loop.getLoopPreheader()->getTerminator());
    BasicBlock *exit = loop.getExitBlock();
    IRBuilder<> builder(exit, exit->getFirstInsertionPt());
    builder.SetCurrentDebugLocation(DebugLoc());
    Value *held = builder.CreateZExt(builder.CreateLoad(variable->getAllocatedType(), variable), I64);
    return instead ? builder.CreateNeg(held) : builder.CreateSub(held, most);
}

// The same for a counter that gets what no variable holds.
Value *LoopVariables::takenBack(const Loop &loop, ArrayRef<AllocaInst *> variables)
{
    BasicBlock *exit = loop.getExitBlock();
    IRBuilder<> builder(exit, exit->getFirstInsertionPt());
    builder.SetCurrentDebugLocation(DebugLoc());
    Value *held = builder.getInt64(0);
    for (AllocaInst *variable : variables)
        held = builder.CreateAdd(
            held, builder.CreateZExt(builder.CreateLoad(variable->getAllocatedType(), variable), I64));
    return builder.CreateNeg(held);
}

// Moves the markers of one counter out of the loop: `all` is counted before it, and `change`
// behind where that is computed.
void LoopVariables::settle(const Loop &loop, ArrayRef<CallInst *> markers, const SCEV *all, Value *change)
{
    Instruction *before = loop.getLoopPreheader()->getTerminator();
    Value *most = Expander.expandCodeFor(all, I64, before);
    auto *after = cast<CallInst>(markers[0]->clone());
    auto *computed = cast<Instruction>(change);
    after->insertInto(computed->getParent(), std::next(computed->getIterator()));
    marker_set_times(wrap(after), wrap(change));
    markers[0]->moveBefore(*before->getParent(), before->getIterator());
    marker_set_times(wrap(markers[0]), wrap(most));
    for (CallInst *marker : markers.drop_front())
        marker->eraseFromParent();
}

bool LoopVariables::findChoice(const Loop &loop, CallInst *marker, CounterChoice &choice) const
{
    return DT.dominates(marker->getParent(), loop.getLoopLatch()) && marker_by(wrap(marker)) &&
           choice.find(marker);
}

// Makes a variable that counts in the loop how often the counter is chosen.
AllocaInst *LoopVariables::countChosen(Loop &loop, CounterChoice &choice, Constant *counter,
                                       IntegerType *type)
{
    AllocaInst *variable = makeVariable(loop, type);
    IRBuilder<> builder(choice.Marker);
    builder.SetCurrentDebugLocation(DebugLoc());
    Value *once = builder.CreateZExt(choice.isChosen(builder, counter), type);
    builder.CreateStore(builder.CreateAdd(builder.CreateLoad(type, variable), once), variable);
    return variable;
}

// Each counter gets all iterations before the loop, and after it loses those that belong to the
// others. Variables count how often each is chosen; the first one gets the rest.
void LoopVariables::settleChoice(Loop &loop, CounterChoice &choice, const SCEV *all, IntegerType *type)
{
    SmallVector<AllocaInst *, 8> others;
    for (Constant *counter : choice.Counters) {
        auto *one = cast<CallInst>(choice.Marker->clone());
        one->insertBefore(versions::insertionPoint(choice.Marker));
        one->setArgOperand(0, counter);
        if (counter == choice.Counters[0]) {
            for (Constant *other : drop_begin(choice.Counters))
                others.push_back(countChosen(loop, choice, other, type));
            settle(loop, {one}, all, takenBack(loop, others));
        } else {
            AllocaInst *own = others[find(choice.Counters, counter) - choice.Counters.begin() - 1];
            settle(loop, {one}, all, takenBack(loop, all, own, false));
        }
    }
    choice.Marker->eraseFromParent();
}

// Does each iteration pass exactly one of the two blocks?
bool LoopVariables::areAlternatives(const Loop &loop, BasicBlock *one, BasicBlock *other) const
{
    BasicBlock *fork = one->getSinglePredecessor();
    return one != other && fork && fork == other->getSinglePredecessor() &&
           DT.dominates(fork, loop.getLoopLatch()) && fork->getTerminator()->getNumSuccessors() == 2;
}

// Has a copy of the loop run instead where there are more iterations than 32 bits hold.
bool LoopVariables::boundBy32Bits(Loop &loop, const SCEV *times)
{
    if (F.hasOptSize())
        return false;
    Instruction *before = loop.getLoopPreheader()->getTerminator();
    IRBuilder<> builder(before);
    builder.SetCurrentDebugLocation(DebugLoc());
    Value *number = Expander.expandCodeFor(times, I64, before);
    Value *many = builder.CreateICmpUGT(number, builder.getInt64(UINT32_MAX));
    Expander.clear();
    copyLoopFor(many, loop, LI, DT, SE);
    return true;
}

void LoopVariables::moveSome(Loop &loop, ArrayRef<CallInst *> markers, MutableArrayRef<CounterChoice> choices,
                             const SCEV *back, uint32_t &number)
{
    const SCEV *times = versions::iterations(SE, back, loop);
    APInt largest = SE.getUnsignedRangeMax(SE.applyLoopGuards(times, &loop));
    Instruction *before = loop.getLoopPreheader()->getTerminator();
    if (!Expander.isSafeToExpandAt(times, before) ||
        Expander.isHighCostExpansion(times, &loop, TripCountBudget, &TTI, before) || !isVectorisable(loop))
        return;
    if (largest.ugt(uint64_t(1) << 32)) {
        if (!boundBy32Bits(loop, times))
            return;
        Changed = true;
        back = SE.getBackedgeTakenCount(&loop);
        times = versions::iterations(SE, back, loop);
        largest = APInt(64, UINT32_MAX);
    } else if (largest == uint64_t(1) << 32) { // `while (--n)`: one too many for 32 bits
        Expander.clear();
        if (!canPeel(&loop) || !versions::peelOne(loop, SE, LI, DT, Manager.getResult<AssumptionAnalysis>(F)))
            return;
        Changed = true;
        back = SE.getBackedgeTakenCount(&loop);
        if (isa<SCEVCouldNotCompute>(back) || !loop.isLoopSimplifyForm())
            return;
        times = versions::iterations(SE, back, loop);
        largest = SE.getUnsignedRangeMax(SE.applyLoopGuards(times, &loop));
        if (largest.getActiveBits() > 32)
            return;
    }
    MapVector<Value *, SmallVector<CallInst *, 2>> by_counter;
    for (CallInst *marker : markers)
        by_counter[marker->getArgOperand(0)].push_back(marker);
    struct Counted {
        BasicBlock *Block;
        AllocaInst *Variable;
        Value *Change;
    };
    SmallVector<Counted, 4> counted; // blocks with one marker of a counter, by one
    for (auto &[counter, group] : by_counter) {
        uint64_t each = 0;
        for (CallInst *marker : group)
            each += marker_by(wrap(marker));
        uint64_t most = each * largest.getZExtValue();
        if (each > MARKER_BY_MOST || most > UINT32_MAX)
            continue;
        if (!number)
            number = loop_table_add(&Positions.loops);
        loop_table_add_counter(&Positions.loops, number, counterOf(*group[0], most));
        BasicBlock *block = group[0]->getParent();
        const SCEV *all = SE.getMulExpr(times, SE.getConstant(I64, each));
        Value *change = nullptr;
        AllocaInst *other = nullptr;
        for (const Counted &c : counted) {
            if (each == 1 && c.Block == block)
                change = c.Change;
            else if (each == 1 && areAlternatives(loop, block, c.Block))
                other = c.Variable;
        }
        if (!change) {
            auto *type = IntegerType::get(F.getContext(), most > UINT16_MAX ? 32 : 16);
            AllocaInst *variable = other ? other : countIn(loop, group, type);
            change = takenBack(loop, all, variable, other);
            if (each == 1)
                counted.push_back({block, variable, change});
        }
        settle(loop, group, all, change);
        Changed = true;
    }
    for (CounterChoice &choice : choices) {
        uint64_t most = largest.getZExtValue();
        if (!number)
            number = loop_table_add(&Positions.loops);
        for (Constant *counter : choice.Counters)
            loop_table_add_counter(&Positions.loops, number, counterAt(counter, most));
        settleChoice(loop, choice, times, IntegerType::get(F.getContext(), most > UINT16_MAX ? 32 : 16));
        Changed = true;
    }
}

void LoopVariables::promote()
{
    if (!Variables.empty())
        PromoteMemToReg(Variables, DT, &Manager.getResult<AssumptionAnalysis>(F));
}
