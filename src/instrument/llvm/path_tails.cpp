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
#include "instrument/llvm/versions.hpp"
#include "instrument/marker/marker.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace
{
// A count is made on so many edges at most, and so much code is copied at most.
constexpr unsigned MOST_EDGES = 16, MOST_BLOCKS = 12, MOST_INSTRUCTIONS = 32, MOST_LOOKED_AT = 400;

class Tails
{
    Function &F;
    FunctionAnalysisManager &Manager;
    Value *Annotation;
    const DataLayout &Layout;

    bool isPathMarker(Instruction &i) const
    {
        return marker_path_array(wrap(&i), wrap(Annotation));
    }

    bool isAnyMarker(Instruction &i) const
    {
        return isPathMarker(i) || marker_array(wrap(&i), wrap(Annotation));
    }

    // May counts move over the instruction, and may it be copied?
    bool isQuiet(Instruction &i) const
    {
        auto *call = dyn_cast<CallBase>(&i);
        if (isAnyMarker(i))
            return true;
        if (!call)
            return !i.isVolatile() && !i.isAtomic() && !isa<AllocaInst>(i);
        return isa<IntrinsicInst>(i) && call->hasFnAttr(Attribute::WillReturn) &&
               !call->mayHaveSideEffects() && !call->isConvergent() && !call->cannotDuplicate() &&
               !call->getType()->isTokenTy();
    }

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

    // The blocks before the block, if code can be put on the edge from each of them.
    bool predecessorsOf(BasicBlock *block, SmallVectorImpl<BasicBlock *> &before) const
    {
        SmallPtrSet<BasicBlock *, 8> seen;
        if (block->isEHPad())
            return false;
        for (BasicBlock *from : predecessors(block)) {
            if (!seen.insert(from).second || before.size() >= MOST_EDGES ||
                (!isa<BranchInst>(from->getTerminator()) && !isa<SwitchInst>(from->getTerminator())))
                return false;
            before.push_back(from);
        }
        return before.size() > 1;
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

    // The address of a counter: Array[Index] + Offset bytes; no index where it is a constant.
    struct CounterAddress {
        Value *Array = nullptr, *Index = nullptr;
        int64_t Offset = 0;
        bool operator==(const CounterAddress &other) const
        {
            return Array && Array == other.Array && Index == other.Index && Offset == other.Offset;
        }
    };

    // The index when control comes from `from` to `block`, unless these are null.
    static void takeIndex(CounterAddress &counter, Value *index, BasicBlock *block, BasicBlock *from)
    {
        for (unsigned steps = 0; steps < 8; steps++) {
            auto *phi = dyn_cast<PHINode>(index);
            auto *sum = dyn_cast<BinaryOperator>(index);
            auto *more = sum && sum->getOpcode() == Instruction::Add
                             ? dyn_cast<ConstantInt>(sum->getOperand(1))
                             : nullptr;
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

    // The address in its parts; Array is null when it is not of that form.
    CounterAddress takeApart(Value *address, BasicBlock *block, BasicBlock *from) const
    {
        CounterAddress counter;
        bool indexed = false;
        for (unsigned steps = 0; steps < 8; steps++) {
            APInt offset(64, 0);
            address = address->stripAndAccumulateConstantOffsets(Layout, offset, true);
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

    static Value *putTogether(const CounterAddress &counter, Instruction *before)
    {
        IRBuilder<> builder(before);
        builder.SetCurrentDebugLocation(DebugLoc());
        Value *address = counter.Array;
        if (counter.Index)
            address = builder.CreateGEP(builder.getInt64Ty(), address, counter.Index);
        return builder.CreateGEP(builder.getInt8Ty(), address, builder.getInt64(counter.Offset));
    }

    bool takesBack(Instruction &i) const
    {
        if (!isPathMarker(i) && !marker_array(wrap(&i), wrap(Annotation)))
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
                takeApart(cast<CallInst>(i).getArgOperand(0), nullptr, nullptr) == counter)
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
        CounterAddress here = takeApart(back->getArgOperand(0), nullptr, nullptr);
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
            counters.push_back(takeApart(back->getArgOperand(0), block, from));
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
            copy->setArgOperand(0, putTogether(counters[i], copy));
        }
        drop(back);
        return true;
    }

    // The values that depend on the sum, and the blocks from where it is known to where they are
    // used last; false when that is too much to be copied.
    struct Tail {
        SmallSetVector<BasicBlock *, 16> Blocks;
        bool CountsInLoop = false;
    };

    // Is there a cycle in the tail? LLVM sees no loop in one that is entered at several blocks.
    static bool hasCycle(const Tail &tail)
    {
        SmallPtrSet<BasicBlock *, 16> left(tail.Blocks.begin(), tail.Blocks.end());
        for (bool found = true; found;) {
            found = false;
            for (BasicBlock *block : tail.Blocks)
                if (left.contains(block) &&
                    none_of(successors(block), [&](BasicBlock *to) { return left.contains(to); })) {
                    left.erase(block);
                    found = true;
                }
        }
        return !left.empty();
    }

    bool findTail(PHINode *sum, const LoopInfo &loops, Tail &tail) const
    {
        SmallSetVector<Instruction *, 16> values;
        SmallPtrSet<BasicBlock *, 8> users;
        BasicBlock *first = sum->getParent();
        Loop *loop = loops.getLoopFor(first);
        values.insert(sum);
        for (unsigned k = 0; k < values.size(); k++)
            for (User *user : values[k]->users()) {
                auto *i = cast<Instruction>(user);
                if (i->getParent() != first)
                    users.insert(i->getParent());
                if (isPathMarker(*i)) {
                    tail.CountsInLoop |= loops.getLoopFor(i->getParent()) == loop;
                    continue;
                }
                if (!isa<PHINode>(i) && !isa<BinaryOperator>(i) && !isa<GetElementPtrInst>(i))
                    return false;
                if (isa<PHINode>(i) && loops.isLoopHeader(i->getParent()))
                    return false;
                values.insert(i);
                if (values.size() > 16)
                    return false;
            }
        // Blocks between here and the users, in one round of the loop around.
        SmallSetVector<BasicBlock *, 32> reached;
        reached.insert(first);
        for (unsigned k = 0; k < reached.size(); k++)
            for (BasicBlock *to : successors(reached[k])) {
                if (to == first || reached.size() > MOST_LOOKED_AT) // LLVM sees no loop in it
                    return false;
                if (!loops.isLoopHeader(to) || !loops.getLoopFor(to)->contains(first))
                    reached.insert(to);
            }
        SmallPtrSet<BasicBlock *, 16> leads(users.begin(), users.end());
        SmallVector<BasicBlock *, 16> open(users.begin(), users.end());
        while (!open.empty())
            for (BasicBlock *from : predecessors(open.pop_back_val()))
                if (from != first && reached.contains(from) && leads.insert(from).second)
                    open.push_back(from);
        unsigned sizes[2] = {0, 0}; // outside the loop, inside
        tail.Blocks.insert(first);
        for (unsigned k = 0; k < tail.Blocks.size(); k++) {
            BasicBlock *block = tail.Blocks[k];
            if (loops.isLoopHeader(block) || tail.Blocks.size() > MOST_BLOCKS || block->isEHPad() ||
                (!isa<BranchInst>(block->getTerminator()) && !isa<ReturnInst>(block->getTerminator())))
                return false;
            if (block->hasAddressTaken())
                return false;
            for (Instruction &i : *block) {
                bool free = isa<PHINode>(i) || isa<GetElementPtrInst>(i) || isAnyMarker(i);
                if (!isQuiet(i) || (sizes[loop->contains(block)] += !free) > MOST_INSTRUCTIONS)
                    return false;
            }
            for (BasicBlock *to : successors(block))
                if (leads.contains(to))
                    tail.Blocks.insert(to);
        }
        for (BasicBlock *user : users)
            if (!tail.Blocks.contains(user))
                return false;
        return tail.CountsInLoop && !hasCycle(tail);
    }

    void copyFor(BasicBlock *from, const Tail &tail)
    {
        ValueToValueMapTy map;
        BasicBlock *first = tail.Blocks[0];
        SmallVector<BasicBlock *, MOST_BLOCKS> copies;
        for (BasicBlock *block : tail.Blocks) {
            BasicBlock *copy = CloneBasicBlock(block, map, "", &F);
            map[block] = copy;
            copies.push_back(copy);
        }
        // Phis of the copy keep the copied edges only, those of its first block the one edge that
        // leads there.
        for (unsigned k = 0; k < copies.size(); k++)
            for (PHINode &phi : make_early_inc_range(tail.Blocks[k]->phis())) {
                auto *copy = cast<PHINode>(map[&phi]);
                for (unsigned i = copy->getNumIncomingValues(); i-- > 0;) {
                    BasicBlock *incoming = copy->getIncomingBlock(i);
                    if (k ? !tail.Blocks.contains(incoming) : incoming != from)
                        copy->removeIncomingValue(i, false);
                }
                if (!k) {
                    Value *value = copy->getIncomingValue(0);
                    copy->eraseFromParent();
                    map[&phi] = value;
                    phi.removeIncomingValue(from, false);
                }
            }
        for (BasicBlock *copy : copies)
            for (Instruction &i : *copy) {
                RemapInstruction(&i, map, RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
                versions::remap_debug_records(F, i, map);
            }
        from->getTerminator()->replaceSuccessorWith(first, copies[0]);
        for (unsigned k = 0; k < copies.size(); k++)
            for (BasicBlock *to : successors(copies[k])) {
                if (is_contained(copies, to))
                    continue;
                for (PHINode &phi : to->phis()) {
                    Value *value = phi.getIncomingValueForBlock(tail.Blocks[k]), *mapped = map.lookup(value);
                    phi.addIncoming(mapped ? mapped : value, copies[k]);
                }
            }
        rename(tail, copies, map);
        for (BasicBlock *copy : copies)
            SimplifyInstructionsInBlock(copy);
        for (BasicBlock *copy : copies)
            MergeBlockIntoPredecessor(copy);
    }

    // The values of the tail are computed in two places now.
    void rename(const Tail &tail, ArrayRef<BasicBlock *> copies, ValueToValueMapTy &map)
    {
        SSAUpdater updater;
        SmallVector<Use *, 16> uses;
        for (BasicBlock *block : tail.Blocks)
            for (Instruction &i : *block) {
                uses.clear();
                for (Use &use : i.uses()) {
                    auto *user = cast<Instruction>(use.getUser());
                    auto *phi = dyn_cast<PHINode>(user);
                    BasicBlock *at = phi ? phi->getIncomingBlock(use) : user->getParent();
                    if (!tail.Blocks.contains(at) && !is_contained(copies, at))
                        uses.push_back(&use);
                }
                if (uses.empty())
                    continue;
                updater.Initialize(i.getType(), i.getName());
                updater.AddAvailableValue(block, &i);
                updater.AddAvailableValue(cast<BasicBlock>(map[block]), map[&i]);
                for (Use *use : uses)
                    updater.RewriteUse(*use);
            }
    }

    // The edge into the phi's block that is taken most, if the sum is a constant on it.
    BasicBlock *mostTaken(PHINode *sum, const BlockFrequencyInfo &often,
                          const BranchProbabilityInfo &branches) const
    {
        BasicBlock *best = nullptr;
        uint64_t most = 0;
        SmallVector<BasicBlock *, MOST_EDGES> before;
        if (!predecessorsOf(sum->getParent(), before))
            return nullptr;
        for (BasicBlock *from : before) {
            uint64_t frequency =
                (often.getBlockFreq(from) * branches.getEdgeProbability(from, sum->getParent()))
                    .getFrequency();
            if (frequency > most) {
                best = from;
                most = frequency;
            }
        }
        return best && isa<Constant>(sum->getIncomingValueForBlock(best)) ? best : nullptr;
    }

    // Does the code come a few instructions after the beginning of the loop?
    static bool isShort(const Loop *loop, BasicBlock *block)
    {
        for (unsigned size = block->size(); size <= MOST_INSTRUCTIONS; size += block->size()) {
            if (block == loop->getHeader())
                return true;
            block = block->getSinglePredecessor();
            if (!block || !loop->contains(block))
                return false;
        }
        return false;
    }

    bool copyTails()
    {
        if (F.hasOptSize())
            return false;
        auto &loops = Manager.getResult<LoopAnalysis>(F);
        auto &often = Manager.getResult<BlockFrequencyAnalysis>(F);
        auto &branches = Manager.getResult<BranchProbabilityAnalysis>(F);
        for (BasicBlock &block : F) {
            if (!loops.getLoopFor(&block) || loops.isLoopHeader(&block))
                continue;
            for (PHINode &phi : block.phis()) {
                Tail tail;
                BasicBlock *incoming;
                if (phi.getType()->isIntegerTy(64) && (incoming = mostTaken(&phi, often, branches)) &&
                    isShort(loops.getLoopFor(&block), incoming) && findTail(&phi, loops, tail)) {
                    copyFor(incoming, tail);
                    return true; /* what is known of blocks is no longer true */
                }
            }
        }
        return false;
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
        : F(f), Manager(manager), Annotation(annotation), Layout(f.getParent()->getDataLayout())
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
            if (!copyTails())
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
