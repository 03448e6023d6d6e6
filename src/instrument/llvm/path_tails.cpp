// Which counter a path has is a sum. Where ways meet, a register holds the sum: each way sets it to
// a constant, and the count after the meeting point reads it. Where it pays the count is made on
// the ways instead, at addresses that are constants:
//
//  1. A count whose counter is a constant on each edge into its block moves up to these edges, also
//     where it becomes one further up, since other ways have met before.
//  2. Where counts come later, and the code up to them is short, the edge that is taken most gets a
//     copy of that code for itself; in the copy the counter is known.
//  3. A count that the same stretch of code takes back is dropped.
//  4. Where the counter is known on some edges only, but more often than not, the count moves up to
//     these, and the others meet in a block of their own to be counted.
//
// Nothing moves over a call, so what is counted when a frame is left in a call is the same as
// before. A frame that is interrupted elsewhere may have counted its path a few instructions
// earlier, as everywhere (plan/path_rest.h).
#include "instrument/llvm/path_tails.hpp"
#include "instrument/llvm/counter_address.hpp"
#include "instrument/llvm/path_code.hpp"
#include "instrument/llvm/path_tail_copies.hpp"
#include "instrument/llvm/versions.hpp"
#include "instrument/marker/marker.h"

#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace
{
class Tails : PathCode
{
    Function &F;
    FunctionAnalysisManager &Manager;
    const DataLayout &Layout;

    // The value when control comes from `from` to `block`, if it is a constant then. Looks `steps`
    // deep at most.
    Constant *valueOn(Value *value, BasicBlock *block, BasicBlock *from, unsigned steps = 6) const
    {
        if (auto *constant = dyn_cast<Constant>(value))
            return constant;
        auto *i = dyn_cast<Instruction>(value);
        if (!i || i->getParent() != block || !steps)
            return nullptr;
        if (auto *phi = dyn_cast<PHINode>(i))
            return dyn_cast<Constant>(phi->getIncomingValueForBlock(from));
        if (!isa<CastInst>(i) && !isa<BinaryOperator>(i) && !isa<GetElementPtrInst>(i) && !isa<SelectInst>(i))
            return nullptr;
        SmallVector<Constant *, 4> operands;
        for (Value *operand : i->operands()) {
            operands.push_back(valueOn(operand, block, from, steps - 1));
            if (!operands.back())
                return nullptr;
        }
        return ConstantFoldInstOperands(i, operands, Layout);
    }

    // Is the value computed for one marker alone, from the phi of its block on?
    static bool isForOne(Value *value, BasicBlock *block)
    {
        for (unsigned steps = 0; steps < 6; steps++) {
            auto *i = dyn_cast<Instruction>(value);
            if (!i || i->getParent() != block || !i->hasOneUse())
                return false;
            if (isa<PHINode>(i))
                return true;
            Value *next = nullptr;
            for (Value *operand : i->operands())
                if (!isa<Constant>(operand)) {
                    if (next)
                        return false;
                    next = operand;
                }
            if (!next)
                return false;
            value = next;
        }
        return false;
    }

    // Where ways have met before, in `from`, the sum is a phi there. Can a count that reads it at the
    // end of `from` move up until its counter is a constant on all ways?
    bool isKnownAbove(Value *sum, BasicBlock *from, unsigned steps = 4) const
    {
        auto *phi = dyn_cast<PHINode>(sum);
        SmallVector<BasicBlock *, MOST_EDGES> before;
        if (!phi || phi->getParent() != from || !phi->hasOneUse() || !from->getSingleSuccessor() || !steps ||
            any_of(*from, [&](Instruction &i) { return !i.isTerminator() && !isQuiet(i); }) ||
            !predecessorsOf(from, before))
            return false;
        return all_of(before, [&](BasicBlock *way) {
            Value *there = phi->getIncomingValueForBlock(way);
            return isa<Constant>(there) || isKnownAbove(there, way, steps - 1);
        });
    }

    // The phi of the block that the value is computed from (isForOne).
    static PHINode *sumOf(Value *value)
    {
        while (!isa<PHINode>(value))
            value = *find_if(cast<Instruction>(value)->operands(),
                             [](const Use &operand) { return !isa<Constant>(operand); });
        return cast<PHINode>(value);
    }

    // Computes the value from another sum, in front of an instruction of another block.
    static Value *computeFrom(Value *sum, Value *value, Instruction *before)
    {
        if (isa<Constant>(value))
            return value;
        if (isa<PHINode>(value))
            return sum;
        Instruction *copy = cast<Instruction>(value)->clone();
        copy->insertBefore(versions::insertionPoint(before));
        for (Use &operand : copy->operands())
            operand.set(computeFrom(sum, operand, copy));
        return copy;
    }

    bool moveUp(CallInst *marker)
    {
        BasicBlock *block = marker->getParent();
        SmallVector<BasicBlock *, MOST_EDGES> before;
        if (marker_by(wrap(marker)) != 1 || !isForOne(marker->getArgOperand(0), block))
            return false;
        for (Instruction &i : *block) {
            if (&i == marker)
                break;
            if (!isQuiet(i))
                return false;
        }
        if (!predecessorsOf(block, before))
            return false;
        PHINode *sum = sumOf(marker->getArgOperand(0));
        SmallVector<Constant *, MOST_EDGES> counters; // null: it becomes a constant further up
        for (BasicBlock *from : before) {
            counters.push_back(valueOn(marker->getArgOperand(0), block, from));
            if (!counters.back() && !isKnownAbove(sum->getIncomingValueForBlock(from), from))
                return false;
        }
        for (unsigned i = 0; i < before.size(); i++) {
            BasicBlock *at = before[i];
            if (!at->getSingleSuccessor())
                at = SplitEdge(at, block);
            auto *one = cast<CallInst>(marker->clone());
            one->insertBefore(versions::insertionPoint(at->getTerminator()));
            one->setArgOperand(0, counters[i] ? counters[i]
                                              : computeFrom(sum->getIncomingValueForBlock(at),
                                                            marker->getArgOperand(0), one));
        }
        Value *counter = marker->getArgOperand(0);
        marker->eraseFromParent();
        RecursivelyDeleteTriviallyDeadInstructions(counter);
        return true;
    }

    // A count in the block of a marker whose counter is known on some edges into the block, which are
    // taken more often than all others.
    struct Part {
        CallInst *Marker;
        SmallVector<BasicBlock *, MOST_EDGES> Known, Others;
    };

    bool findPart(CallInst *marker, const BlockFrequencyInfo &often, const BranchProbabilityInfo &branches,
                  Part &part) const
    {
        BasicBlock *block = marker->getParent();
        SmallVector<BasicBlock *, MOST_EDGES> before;
        if (marker_by(wrap(marker)) != 1 || !isForOne(marker->getArgOperand(0), block) ||
            any_of(make_range(block->begin(), marker->getIterator()),
                   [&](Instruction &i) { return !isQuiet(i); }) ||
            !predecessorsOf(block, before))
            return false;
        uint64_t known = 0, others = 0;
        part = {marker, {}, {}};
        for (BasicBlock *from : before) {
            bool is_known = valueOn(marker->getArgOperand(0), block, from);
            (is_known ? part.Known : part.Others).push_back(from);
            (is_known ? known : others) +=
                (often.getBlockFreq(from) * branches.getEdgeProbability(from, block)).getFrequency();
        }
        return !part.Known.empty() && !part.Others.empty() && known > others;
    }

    void moveUpPart(const Part &part)
    {
        CallInst *marker = part.Marker;
        BasicBlock *block = marker->getParent();
        Value *counter = marker->getArgOperand(0);
        PHINode *sum = sumOf(counter);
        for (BasicBlock *from : part.Known) {
            Constant *known = valueOn(counter, block, from);
            BasicBlock *at = from->getSingleSuccessor() ? from : SplitEdge(from, block);
            auto *one = cast<CallInst>(marker->clone());
            one->insertBefore(versions::insertionPoint(at->getTerminator()));
            one->setArgOperand(0, known);
        }
        BasicBlock *rest = part.Others.size() == 1 && part.Others[0]->getSingleSuccessor()
                               ? part.Others[0]
                               : SplitBlockPredecessors(block, part.Others, "");
        auto *one = cast<CallInst>(marker->clone());
        one->insertBefore(versions::insertionPoint(rest->getTerminator()));
        one->setArgOperand(0, computeFrom(sum->getIncomingValueForBlock(rest), counter, one));
        drop(marker);
    }

    bool moveUpParts()
    {
        auto &often = Manager.getResult<BlockFrequencyAnalysis>(F);
        auto &branches = Manager.getResult<BranchProbabilityAnalysis>(F);
        SmallVector<Part, 8> parts;
        Part part;
        for (BasicBlock &block : F)
            for (Instruction &i : block)
                if (isPathMarker(i) && findPart(cast<CallInst>(&i), often, branches, part)) {
                    parts.push_back(part);
                    break;
                }
        for (const Part &found : parts)
            moveUpPart(found);
        return !parts.empty();
    }

    bool takesBack(Instruction &i) const
    {
        if (!isAnyMarker(i))
            return false;
        auto *times = marker_by(wrap(&i)) ? nullptr : dyn_cast<ConstantExpr>(unwrap(marker_times(wrap(&i))));
        auto *number = times ? dyn_cast<ConstantInt>(times->getOperand(0)) : nullptr;
        return number && number->isMinusOne();
    }

    // The last count of that counter in the block before `end`, if nothing can happen in between.
    CallInst *lastCount(BasicBlock *block, BasicBlock::iterator end, const CounterAddress &counter) const
    {
        while (end != block->begin()) {
            Instruction &i = *--end;
            if (isAnyMarker(i) && marker_by(wrap(&i)) == 1 && marker_may_move(wrap(&i)) &&
                CounterAddress::of(cast<CallInst>(i).getArgOperand(0), Layout) == counter)
                return cast<CallInst>(&i);
            if (!isQuiet(i) && !i.isTerminator())
                return nullptr;
        }
        return nullptr;
    }

    static void drop(CallInst *marker)
    {
        Value *counter = marker->getArgOperand(0);
        marker->eraseFromParent();
        RecursivelyDeleteTriviallyDeadInstructions(counter);
    }

    // Drops what is counted and taken back before anything can happen, here or on some of the edges
    // into the block.
    bool cancel(CallInst *back)
    {
        BasicBlock *block = back->getParent();
        CounterAddress here = CounterAddress::of(back->getArgOperand(0), Layout);
        CallInst *count = lastCount(block, back->getIterator(), here);
        if (count) {
            drop(count);
            drop(back);
            return true;
        }
        SmallVector<BasicBlock *, MOST_EDGES> before;
        for (Instruction &i : make_range(block->begin(), back->getIterator()))
            if (!isQuiet(i))
                return false;
        if (!here.Array || !predecessorsOf(block, before))
            return false;
        SmallVector<CounterAddress, MOST_EDGES> counters;
        SmallVector<CallInst *, MOST_EDGES> counts;
        bool any = false;
        for (BasicBlock *from : before) {
            counters.push_back(CounterAddress::of(back->getArgOperand(0), Layout, block, from));
            auto *index = dyn_cast_or_null<Instruction>(counters.back().Index);
            if (!counters.back().Array || (index && index->getParent() == block))
                return false;
            counts.push_back(from->getSingleSuccessor() ? lastCount(from, from->end(), counters.back())
                                                        : nullptr);
            any |= counts.back() != nullptr;
        }
        if (!any)
            return false;
        for (unsigned i = 0; i < before.size(); i++) {
            if (counts[i]) {
                drop(counts[i]);
                continue;
            }
            BasicBlock *at = before[i]->getSingleSuccessor() ? before[i] : SplitEdge(before[i], block);
            auto *copy = cast<CallInst>(back->clone());
            copy->insertBefore(versions::insertionPoint(at->getTerminator()));
            copy->setArgOperand(0, counters[i].putTogether(copy));
        }
        drop(back);
        return true;
    }

    bool moveAllUp()
    {
        bool changed = false;
        for (bool again = true; again; changed |= again) {
            SmallVector<CallInst *, 16> markers;
            again = false;
            for (BasicBlock &block : F)
                for (Instruction &i : block)
                    if (takesBack(i))
                        markers.push_back(cast<CallInst>(&i));
            for (CallInst *marker : markers)
                again |= cancel(marker);
            markers.clear();
            for (BasicBlock &block : F)
                for (Instruction &i : block)
                    if (isPathMarker(i))
                        markers.push_back(cast<CallInst>(&i));
            for (CallInst *marker : markers)
                again |= moveUp(marker);
        }
        return changed;
    }

  public:
    Tails(Function &f, FunctionAnalysisManager &manager, Value *annotation)
        : PathCode(annotation), F(f), Manager(manager), Layout(f.getParent()->getDataLayout())
    {
    }

    bool run()
    {
        bool any = false;
        for (BasicBlock &block : F)
            for (Instruction &i : block)
                any |= isPathMarker(i);
        if (!any)
            return false;
        bool changed = moveAllUp();
        for (unsigned copies = 0; copies < 16; copies++) {
            if (changed)
                Manager.invalidate(F, PreservedAnalyses::none());
            if (!path_tail_copy(F, Manager, *this))
                break;
            changed = true;
            moveAllUp();
        }
        if (moveUpParts())
            moveAllUp();
        return changed;
    }
};
} // namespace

PreservedAnalyses PathTails::run(Function &function, FunctionAnalysisManager &manager)
{
    Function *annotation = function.getParent()->getFunction(MARKER_INTRINSIC);
    if (!annotation || !Tails(function, manager, annotation).run())
        return PreservedAnalyses::all();
    return PreservedAnalyses::none();
}
