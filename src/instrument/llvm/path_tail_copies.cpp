#include "instrument/llvm/path_tail_copies.hpp"
#include "instrument/llvm/versions.hpp"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/CFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/SSAUpdater.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace
{
class Copier : PathCode
{
    Function &F;
    FunctionAnalysisManager &Manager;

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

  public:
    Copier(Function &f, FunctionAnalysisManager &manager, const PathCode &code)
        : PathCode(code), F(f), Manager(manager)
    {
    }

    bool copyTail()
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
                    return true;
                }
            }
        }
        return false;
    }
};
} // namespace

bool path_tail_copy(Function &function, FunctionAnalysisManager &manager, const PathCode &code)
{
    return Copier(function, manager, code).copyTail();
}
