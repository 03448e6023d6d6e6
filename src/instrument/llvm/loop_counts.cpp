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
#include "instrument/llvm/counter_choice.hpp"
#include "instrument/llvm/loop_budget.hpp"
#include "instrument/llvm/loop_code.hpp"
#include "instrument/llvm/loop_variables.hpp"
#include "instrument/llvm/shim.h"
#include "instrument/llvm/versions.hpp"
#include "instrument/llvm/versions_loops.hpp"
#include "instrument/marker/marker.h"

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace llvm;

namespace
{
class Mover : LoopCode
{
    LoopVariables Variables;

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
                    Variables.findChoice(loop, cast<CallInst>(&i), choice))
                    choices.push_back(choice);
                if (LI.getLoopFor(block) == &loop && isMarker(i) && marker_may_move(wrap(&i)) && isKnown(i))
                    markers.push_back(cast<CallInst>(&i));
                paths |= countsPath(i) || isPathMarker(i);
            }
        if (paths && isa<SCEVCouldNotCompute>(back))
            back = backWithoutMarkers(loop);
        if (isa<SCEVCouldNotCompute>(back))
            return loop_budget_move(*this, loop, markers);
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
            Variables.moveSome(loop, rest, choices, back, number);
        if (number)
            markPositions(loop, number);
    }

  public:
    Mover(const LoopCode &code) : LoopCode(code), Variables(code)
    {
        auto &assumptions = Manager.getResult<AssumptionAnalysis>(F);
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
        Variables.promote();
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
    SCEVExpander expander =
        versions::expander(manager.getResult<ScalarEvolutionAnalysis>(function), function);
    bool changed = false;
    Mover(LoopCode(function, manager, annotation, expander, changed)).run();
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
