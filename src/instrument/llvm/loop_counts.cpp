// Markers leave loops, before clang vectorises them: what a loop counts is added up outside.
//
// A marker that every iteration passes counts as often as the loop iterates. Where ScalarEvolution
// knows that number when the loop is entered, one marker in front of the loop counts it all. From
// the inside out: the marker in front of an inner loop is one with a factor in the outer loop.
//
// A marker that some iterations pass keeps a loop from being vectorised. Where clang could
// vectorise without it, a variable counts in its stead, of the narrowest type that holds the number
// of iterations: 16 or 32 bits are added up in vectors, 64 are not. The counter then gets all that
// the loop may count before the loop, and what was not counted is taken back after it.
//
// A loop whose end is not known may still have a budget: a variable that counts down, as in `do {
// if (...) break; } while (--n)`. A marker that every iteration passes counts the whole budget
// before the loop, and what is left of it is taken back where the loop is left sooner.
//
// Invariants:
//  1. Every loop that is left by its own exits has counted what it would have counted before.
//  2. The count is made before the loop: while the loop runs, the counter is too high, by no more
//     than it holds. A loop whose frames may be cut by calls is left alone, so only signals and
//     faults cut frames inside. The table of places says which instructions are in the loop
//     (loop_table.h), and the decoder declares the counts.
//  3. Markers of counters that judge others stay where they are (marker_may_move).
#include "instrument/llvm/loop_counts.hpp"
#include "format/counters.h"
#include "instrument/llvm/counter_choice.hpp"
#include "instrument/llvm/loop_copy.hpp"

#include "instrument/llvm/shim.h"
#include "instrument/llvm/versions.hpp"
#include "instrument/llvm/versions_loops.hpp"
#include "instrument/marker/marker.h"
#include "instrument/unit_context.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/IVDescriptors.h"
#include "llvm/Analysis/LoopAccessAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopPeel.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;
using namespace llvm::PatternMatch;

// How many instructions a number of iterations may take in front of a loop. LLVM itself allows 4,
// which keeps counts in triangular loops (`for (j = k + 1; j < n; j++)`) and clang from vectorising
// them; 16 costs short loops more than it saves.
static constexpr unsigned TripCountBudget = 8;

namespace
{
class Mover
{
    Function &F;
    LoopInfo &LI;
    DominatorTree &DT;
    ScalarEvolution &SE;
    TargetTransformInfo &TTI;
    FunctionAnalysisManager &Manager;
    position_table &Positions;
    Value *Annotation;
    IntegerType *I64;
    SmallVector<AllocaInst *, 4> Variables;
    SCEVExpander Expander;

    bool isMarker(Instruction &i) const
    {
        return marker_array(wrap(&i), wrap(Annotation));
    }

    bool isPathMarker(Instruction &i) const
    {
        return marker_path_array(wrap(&i), wrap(Annotation));
    }

    // May a frame be cut here by anything but a signal or a fault? Or is it likely to be cut, in a
    // loop that talks to signal handlers or other threads, and would not be vectorised anyway?
    bool mayStay(Instruction &i) const
    {
        auto *call = dyn_cast<CallBase>(&i);
        if (isMarker(i))
            return false;
        if (!call)
            return i.isVolatile() || i.isAtomic();
        if (call->isInlineAsm()) // of a loop inside, see restOf
            return !cast<InlineAsm>(call->getCalledOperand())->getAsmString().empty() ||
                   call->mayHaveSideEffects();
        return !isa<IntrinsicInst>(i) || !call->hasFnAttr(Attribute::WillReturn);
    }

    // The blocks of the loop that control may reach from this one before the next iteration begins.
    // The block itself may be among them: one iteration may pass it several times, in a cycle that
    // LLVM does not see as a loop.
    SmallPtrSet<BasicBlock *, 16> laterThan(const Loop &loop, BasicBlock *block) const
    {
        SmallPtrSet<BasicBlock *, 16> later;
        SmallVector<BasicBlock *, 16> open{block};
        while (!open.empty())
            for (BasicBlock *next : successors(open.pop_back_val()))
                if (next != loop.getHeader() && loop.contains(next) && later.insert(next).second)
                    open.push_back(next);
        return later;
    }

    // How often control passes the block between entering and leaving the loop.
    const SCEV *passages(const Loop &loop, BasicBlock *block, const SCEV *back) const
    {
        SmallVector<BasicBlock *, 4> exiting;
        loop.getExitingBlocks(exiting);
        bool before = DT.dominates(block, loop.getLoopLatch()), after = before;
        for (BasicBlock *from : exiting) {
            before &= DT.dominates(block, from);
            after &= DT.properlyDominates(from, block);
        }
        if ((before || after) && laterThan(loop, block).contains(block))
            return nullptr;
        if (before) // each iteration that begins passes it
            return versions::iterations(SE, back, loop);
        return after ? SE.getNoopOrZeroExtend(back, I64) : nullptr; // each that does not end
    }

    // What the marker counts in all, as a value before the loop; null when it is not known or costs
    // too much.
    Value *total(Loop &loop, Instruction &marker, const SCEV *back, uint64_t &most)
    {
        const SCEV *count = passages(loop, marker.getParent(), back);
        if (!count)
            return nullptr;
        uint64_t by = marker_by(wrap(&marker));
        LLVMValueRef times = marker_times(wrap(&marker));
        Value *number = times ? unwrap(times) : nullptr;
        if (auto *cast = dyn_cast_or_null<IntToPtrInst>(number))
            number = cast->getOperand(0);
        else if (number)
            return nullptr;
        const SCEV *factor = number ? SE.getSCEV(number) : SE.getConstant(I64, by);
        if (!SE.isLoopInvariant(factor, &loop))
            return nullptr;
        count = SE.getMulExpr(count, factor);
        Instruction *at = loop.getLoopPreheader()->getTerminator();
        if (!Expander.isSafeToExpandAt(count, at) ||
            Expander.isHighCostExpansion(count, &loop, TripCountBudget, &TTI, at))
            return nullptr;
        APInt largest = SE.getUnsignedRangeMax(count);
        most = largest.getActiveBits() < 63 ? largest.getZExtValue() : 0;
        return Expander.expandCodeFor(count, I64, at);
    }

    // Does the module say which counter the marker counts? Not that of a static function of another
    // unit, whose array a linker has imported (-flto=thin).
    bool isKnown(Instruction &marker) const
    {
        unsigned long long key;
        unsigned counter;
        return shim_counter(wrap(cast<CallInst>(marker).getArgOperand(0)), &key, &counter);
    }

    // The counter as an entry of the table of loops.
    moved_counter counterAt(Value *counter, uint64_t most) const
    {
        unsigned long long key = 0;
        unsigned number = 0;
        shim_counter(wrap(counter), &key, &number);
        return {key, number, most};
    }

    moved_counter counterOf(Instruction &marker, uint64_t most) const
    {
        return counterAt(cast<CallInst>(marker).getArgOperand(0), most);
    }

    // Makes the positions of the loop's instructions say that they are in it.
    void markPositions(const Loop &loop, uint32_t number) const
    {
        for (BasicBlock *block : loop.blocks())
            for (Instruction &i : *block) {
                unsigned old = shim_position(&Positions, wrap(&i));
                unsigned there =
                    old && old != POSITION_PASSED ? position_in_loop(&Positions, old, number) : 0;
                if (there && there != old)
                    shim_mark(&Positions, wrap(&i), there);
            }
    }

    // Does each iteration need what the one before has computed, in a way that vectors cannot have?
    // Minima and maxima are such chains here: how often one changed depends on the order, so clang
    // could not vectorise the count. So are sums of floating point numbers, which must be added in
    // the order of the program.
    bool isChain(Loop &loop)
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
    bool hasOddCycle(Loop &loop) const
    {
        LoopBlocksRPO order(&loop);
        order.perform(&LI);
        return containsIrreducibleCFG<const BasicBlock *>(order, LI);
    }

    // Could clang vectorise the loop if it had no markers? If so, an iteration passes each block
    // once at most.
    bool isVectorisable(Loop &loop)
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
    AllocaInst *makeVariable(const Loop &loop, IntegerType *type)
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
    AllocaInst *countIn(Loop &loop, ArrayRef<CallInst *> markers, IntegerType *type)
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
    Value *takenBack(const Loop &loop, const SCEV *all, AllocaInst *variable, bool instead)
    {
        Value *most = Expander.expandCodeFor(all, I64, loop.getLoopPreheader()->getTerminator());
        BasicBlock *exit = loop.getExitBlock();
        IRBuilder<> builder(exit, exit->getFirstInsertionPt());
        builder.SetCurrentDebugLocation(DebugLoc());
        Value *held = builder.CreateZExt(builder.CreateLoad(variable->getAllocatedType(), variable), I64);
        return instead ? builder.CreateNeg(held) : builder.CreateSub(held, most);
    }

    // The same for a counter that gets what no variable holds.
    Value *takenBack(const Loop &loop, ArrayRef<AllocaInst *> variables)
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
    void settle(const Loop &loop, ArrayRef<CallInst *> markers, const SCEV *all, Value *change)
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

    // Does each iteration count at one of the path marker's counters?
    bool findChoice(const Loop &loop, CallInst *marker, CounterChoice &choice) const
    {
        return DT.dominates(marker->getParent(), loop.getLoopLatch()) && marker_by(wrap(marker)) &&
               choice.find(marker);
    }

    // Makes a variable that counts in the loop how often the counter is chosen.
    AllocaInst *countChosen(Loop &loop, CounterChoice &choice, Constant *counter, IntegerType *type)
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
    void settleChoice(Loop &loop, CounterChoice &choice, const SCEV *all, IntegerType *type)
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
    bool areAlternatives(const Loop &loop, BasicBlock *one, BasicBlock *other) const
    {
        BasicBlock *fork = one->getSinglePredecessor();
        return one != other && fork && fork == other->getSinglePredecessor() &&
               DT.dominates(fork, loop.getLoopLatch()) && fork->getTerminator()->getNumSuccessors() == 2;
    }

    // Has a copy of the loop run instead where there are more iterations than 32 bits hold.
    bool boundBy32Bits(Loop &loop, const SCEV *times)
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

    // Moves markers that only some iterations pass, where they would keep the loop from being
    // vectorised.
    void moveSome(Loop &loop, ArrayRef<CallInst *> markers, MutableArrayRef<CounterChoice> choices,
                  const SCEV *back, uint32_t &number)
    {
        const SCEV *times = versions::iterations(SE, back, loop);
        APInt largest = SE.getUnsignedRangeMax(SE.applyLoopGuards(times, &loop));
        Instruction *before = loop.getLoopPreheader()->getTerminator();
        if (!Expander.isSafeToExpandAt(times, before) ||
            Expander.isHighCostExpansion(times, &loop, TripCountBudget, &TTI, before) ||
            !isVectorisable(loop))
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
            if (!canPeel(&loop) ||
                !versions::peelOne(loop, SE, LI, DT, Manager.getResult<AssumptionAnalysis>(F)))
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

    // A variable that counts down: where it reaches 0 the loop is left.
    struct Budget {
        PHINode *Variable = nullptr;
        BasicBlock *Spent = nullptr; // leaves the loop then
        const SCEV *Back = nullptr;  // how often the loop goes back before, unless it is left elsewhere
        bool Less = false;           // one less than the variable, and not just as often
    };

    // A variable that is also kept in memory is no limit of this loop but a supply that other code
    // uses, too, like the bytes left in a buffer: most such loops take one and leave.
    static bool isStored(PHINode &phi, const Loop &loop)
    {
        return any_of(phi.getIncomingValueForBlock(loop.getLoopLatch())->users(), [&](User *user) {
            auto *store = dyn_cast<StoreInst>(user);
            return store && loop.contains(store);
        });
    }

    Budget budgetOf(Loop &loop, ArrayRef<BasicBlock *> exiting) const
    {
        for (BasicBlock *block : exiting) {
            const SCEV *back = SE.getExitCount(&loop, block);
            if (isa<SCEVCouldNotCompute>(back) || !DT.dominates(block, loop.getLoopLatch()))
                continue;
            for (PHINode &phi : loop.getHeader()->phis()) {
                auto *steps = phi.getType() == back->getType() && phi.getType()->isIntegerTy()
                                  ? dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&phi))
                                  : nullptr;
                if (!steps || steps->getLoop() != &loop || !steps->isAffine() ||
                    !steps->getStepRecurrence(SE)->isAllOnesValue())
                    continue;
                const SCEV *more = SE.getMinusSCEV(back, steps->getStart());
                if ((more->isZero() || more->isAllOnesValue()) && !isStored(phi, loop))
                    return {&phi, block, back, !more->isZero()};
            }
        }
        return {};
    }

    // The only block outside the loop that the block leads to, or null.
    BasicBlock *exitFrom(const Loop &loop, BasicBlock *from) const
    {
        auto *branch = dyn_cast<BranchInst>(from->getTerminator());
        if (!branch || !branch->isConditional() ||
            loop.contains(branch->getSuccessor(0)) == loop.contains(branch->getSuccessor(1)))
            return nullptr;
        return branch->getSuccessor(loop.contains(branch->getSuccessor(0)));
    }

    // Does each iteration pass the block, unless it leaves the loop before? And does the exit tell
    // whether it has?
    bool isPassedByAll(const Loop &loop, BasicBlock *block, ArrayRef<BasicBlock *> exiting) const
    {
        SmallPtrSet<BasicBlock *, 16> later = laterThan(loop, block);
        if (!DT.dominates(block, loop.getLoopLatch()) || later.contains(block))
            return false;
        return all_of(exiting, [&](BasicBlock *from) {
            return exitFrom(loop, from) && (DT.dominates(block, from) || !later.contains(from));
        });
    }

    // How often the loop could still have gone back when it was left for the builder's block; 64
    // bits. The loop itself computes the same difference a little later, and LLVM would compute it
    // once and earlier, in every iteration: so the variable is hidden from LLVM.
    Value *restOf(IRBuilder<> &builder, const Budget &budget) const
    {
        BasicBlock *here = builder.GetInsertBlock();
        PHINode *left = IRBuilder<>(here, here->begin()).CreatePHI(budget.Variable->getType(), 1);
        left->addIncoming(budget.Variable, here->getSinglePredecessor());
        if (!budget.Less)
            return builder.CreateZExt(left, I64);
        Type *type = left->getType();
        auto *hidden = InlineAsm::get(FunctionType::get(type, {type}, false), "", "=r,0", false);
        Value *one = ConstantInt::get(type, 1);
        return builder.CreateZExt(builder.CreateSub(builder.CreateCall(hidden, {left}), one), I64);
    }

    // Moves the marker before the loop, where it counts all that the budget allows; where the loop
    // is left sooner, what is left of the budget is taken back.
    void spend(Loop &loop, CallInst *marker, const Budget &budget, Value *most,
               ArrayRef<BasicBlock *> exiting)
    {
        BasicBlock *block = marker->getParent();
        for (BasicBlock *from : exiting) {
            if (from == budget.Spent)
                continue;
            bool passed = DT.dominates(block, from);
            BasicBlock *to = exitFrom(loop, from);
            if (!to->getSinglePredecessor())
                to = SplitEdge(from, to, &DT, &LI);
            IRBuilder<> builder(to, to->getFirstInsertionPt());
            builder.SetCurrentDebugLocation(DebugLoc());
            Value *rest = restOf(builder, budget);
            Value *back = passed ? builder.CreateNeg(rest) : builder.CreateNot(rest); // one more
            back = builder.CreateMul(back, builder.getInt64(marker_by(wrap(marker))));
            Instruction *after = marker->clone();
            after->insertInto(to, builder.GetInsertPoint());
            marker_set_times(wrap(after), wrap(back));
        }
        Instruction *before = loop.getLoopPreheader()->getTerminator();
        marker->moveBefore(*before->getParent(), before->getIterator());
        marker_set_times(wrap(marker), wrap(most));
        Changed = true;
    }

    // The budget is read before the loop and where it is left early, maybe before the program
    // itself reads it: its value must then be the same everywhere, also if the program has not set
    // it. MemorySanitizer would report that as a mistake of the program.
    bool readBefore(Loop &loop, ArrayRef<BasicBlock *> exiting, Budget &budget)
    {
        BasicBlock *front = loop.getLoopPreheader();
        Value *start = budget.Variable->getIncomingValueForBlock(front);
        if (F.hasFnAttribute(Attribute::SanitizeMemory))
            return false;
        if (isGuaranteedNotToBeUndefOrPoison(start, &Manager.getResult<AssumptionAnalysis>(F),
                                             front->getTerminator(), &DT))
            return true;
        budget.Variable->setIncomingValueForBlock(front,
                                                  IRBuilder<>(front->getTerminator()).CreateFreeze(start));
        SE.forgetTopmostLoop(&loop);
        Changed = true;
        budget = budgetOf(loop, exiting);
        return budget.Variable;
    }

    // Moves markers out of a loop that may be left at any time, but not later than when its budget
    // is spent. Only markers before the test of the budget move, so that nothing is to be taken
    // back when it is spent. A loop without a loop inside mostly compares or searches bytes, and is
    // left too soon to be worth it.
    void moveBudget(Loop &loop, ArrayRef<CallInst *> markers)
    {
        SmallVector<BasicBlock *, 4> exiting;
        if (loop.isInnermost())
            return;
        loop.getExitingBlocks(exiting);
        Budget budget = budgetOf(loop, exiting);
        if (!budget.Variable || SE.getTypeSizeInBits(budget.Back->getType()) > 64)
            return;
        SmallVector<CallInst *, 8> passed;
        for (CallInst *marker : markers) {
            BasicBlock *block = marker->getParent();
            if (marker_by(wrap(marker)) && DT.dominates(block, budget.Spent) &&
                isPassedByAll(loop, block, exiting))
                passed.push_back(marker);
        }
        if (passed.empty() || !readBefore(loop, exiting, budget))
            return;
        Instruction *before = loop.getLoopPreheader()->getTerminator();
        const SCEV *times = versions::iterations(SE, budget.Back, loop);
        if (!Expander.isSafeToExpandAt(times, before) ||
            Expander.isHighCostExpansion(times, &loop, TripCountBudget, &TTI, before))
            return;
        uint32_t number = loop_table_add(&Positions.loops);
        for (CallInst *marker : passed) {
            const SCEV *all = SE.getMulExpr(times, SE.getConstant(I64, marker_by(wrap(marker))));
            APInt largest = SE.getUnsignedRangeMax(all);
            loop_table_add_counter(
                &Positions.loops, number,
                counterOf(*marker, largest.getActiveBits() < 63 ? largest.getZExtValue() : 0));
            spend(loop, marker, budget, Expander.expandCodeFor(all, I64, before), exiting);
        }
        markPositions(loop, number);
    }

    bool countsPath(Instruction &i) const
    {
        return isMarker(i) && isa<GlobalVariable>(cast<CallInst>(i).getArgOperand(1));
    }

    // How often LLVM thinks that the loop goes back if it has no markers. With markers, which have
    // effects, LLVM does not assume that loops end which the language says must (`i <= n`).
    const SCEV *backWithoutMarkers(Loop &loop)
    {
        SmallVector<std::pair<Instruction *, Instruction *>, 8> markers; // and what follows them
        for (BasicBlock *block : loop.blocks())
            for (Instruction &i : *block)
                if (isMarker(i) || isPathMarker(i))
                    markers.push_back({&i, i.getNextNode()});
        for (auto &marker : markers)
            marker.first->removeFromParent();
        SE.forgetLoop(&loop);
        const SCEV *back = SE.getBackedgeTakenCount(&loop);
        for (auto &marker : reverse(markers))
            marker.first->insertBefore(versions::insertionPoint(marker.second));
        return back;
    }

    void moveOut(Loop &loop)
    {
        if (!loop.isLoopSimplifyForm())
            return;
        const SCEV *back = SE.getBackedgeTakenCount(&loop);
        SmallVector<CallInst *, 8> markers;
        SmallVector<CounterChoice, 2> choices;
        CounterChoice choice;
        bool paths = false;
        for (BasicBlock *block : loop.blocks())
            for (Instruction &i : *block) {
                if (mayStay(i))
                    return;
                if (LI.getLoopFor(block) == &loop && isPathMarker(i) &&
                    findChoice(loop, cast<CallInst>(&i), choice))
                    choices.push_back(choice);
                if (LI.getLoopFor(block) == &loop && isMarker(i) && marker_may_move(wrap(&i)) && isKnown(i))
                    markers.push_back(cast<CallInst>(&i));
                paths |= countsPath(i) || isPathMarker(i);
            }
        if (paths && isa<SCEVCouldNotCompute>(back))
            back = backWithoutMarkers(loop);
        if (isa<SCEVCouldNotCompute>(back))
            return moveBudget(loop, markers);
        if (SE.getTypeSizeInBits(back->getType()) > 64)
            return;
        uint32_t number = 0;
        SmallVector<CallInst *, 8> rest;
        for (CallInst *marker : markers) {
            uint64_t most = 0;
            Value *times = total(loop, *marker, back, most);
            if (!times) {
                if (marker_by(wrap(marker)))
                    rest.push_back(marker);
                continue;
            }
            if (!number)
                number = loop_table_add(&Positions.loops);
            loop_table_add_counter(&Positions.loops, number, counterOf(*marker, most));
            marker->moveBefore(*loop.getLoopPreheader(),
                               loop.getLoopPreheader()->getTerminator()->getIterator());
            marker_set_times(wrap(marker), wrap(times));
            Changed = true;
        }
        if (!rest.empty() || !choices.empty())
            moveSome(loop, rest, choices, back, number);
        if (number)
            markPositions(loop, number);
    }

  public:
    bool Changed = false;

    Mover(Function &f, FunctionAnalysisManager &manager, Value *annotation)
        : F(f), LI(manager.getResult<LoopAnalysis>(f)), DT(manager.getResult<DominatorTreeAnalysis>(f)),
          SE(manager.getResult<ScalarEvolutionAnalysis>(f)), TTI(manager.getResult<TargetIRAnalysis>(f)),
          Manager(manager), Positions(unit_context_of(wrap(&f.getContext()))->positions),
          Annotation(annotation), I64(Type::getInt64Ty(f.getContext())), Expander(versions::expander(SE, f))
    {
        auto &assumptions = manager.getResult<AssumptionAnalysis>(f);
        for (Loop *loop : LI) {
            Changed |= simplifyLoop(loop, &DT, &LI, &SE, &assumptions, nullptr, false);
            Changed |= formLCSSARecursively(*loop, DT, &LI, &SE);
        }
    }

    void run()
    {
        SmallVector<Loop *, 4> loops = LI.getLoopsInPreorder();
        for (Loop *loop : reverse(loops))
            moveOut(*loop);
        if (!Variables.empty())
            PromoteMemToReg(Variables, DT, &Manager.getResult<AssumptionAnalysis>(F));
    }
};

bool hasMarkerInLoop(const LoopInfo &loops, Function &function, Value *annotation)
{
    for (BasicBlock &block : function)
        if (loops.getLoopFor(&block))
            for (Instruction &i : block)
                if (marker_array(wrap(&i), wrap(annotation)) || marker_path_array(wrap(&i), wrap(annotation)))
                    return true;
    return false;
}
} // namespace

PreservedAnalyses LoopCounts::run(Function &function, FunctionAnalysisManager &manager)
{
    Function *annotation = function.getParent()->getFunction(MARKER_INTRINSIC);
    auto &loops = manager.getResult<LoopAnalysis>(function);
    if (!annotation || loops.empty() ||
        !shim_can_mark(wrap(&function)) || // places could not tell that counts were moved
        !hasMarkerInLoop(loops, function, annotation))
        return PreservedAnalyses::all();
    Mover mover(function, manager, annotation);
    mover.run();
    return mover.Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
