#include "instrument/llvm/loop_budget.hpp"
#include "instrument/llvm/versions_loops.hpp"
#include "instrument/marker/marker.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace
{
class BudgetMover : LoopCode
{
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

  public:
    BudgetMover(const LoopCode &code) : LoopCode(code) {}

    void move(Loop &loop, ArrayRef<CallInst *> markers)
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
};
} // namespace

void loop_budget_move(const LoopCode &code, Loop &loop, ArrayRef<CallInst *> markers)
{
    BudgetMover(code).move(loop, markers);
}
