#include "instrument/llvm/made_elsewhere.hpp"
#include "instrument/llvm/shim.h"
#include "instrument/unit_context.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Passes/PassBuilder.h"

#include <memory>
#include <vector>

using namespace llvm;

static bool isAccess(const Instruction &instruction)
{
    return isa<LoadInst>(instruction) || isa<StoreInst>(instruction);
}

// Visits all accesses of the blocks in which the pass may make new ones.
template <typename Visit> static void eachAccess(StringRef pass, Any &unit, Visit visit)
{
    SmallVector<BasicBlock *, 8> blocks;
    if (pass == "LICMPass") {
        if (auto *loop = any_cast<const Loop *>(&unit))
            (*loop)->getUniqueExitBlocks(blocks);
    } else if (pass == "GVNPass" || pass == "JumpThreadingPass") {
        if (auto *function = any_cast<const Function *>(&unit))
            for (const BasicBlock &block : **function)
                blocks.push_back(const_cast<BasicBlock *>(&block));
    }
    for (BasicBlock *block : blocks)
        for (Instruction &instruction : *block)
            if (isAccess(instruction))
                visit(instruction);
}

namespace
{
// An access before the pass, and its location. A handle, since an access that the pass makes may have the
// address of one that it has deleted.
struct OldAccess {
    WeakVH Access;
    const DILocation *Location;
};
using OldAccesses = std::vector<OldAccess>;
} // namespace

// Jump threading copies blocks, whose accesses stand where their locations say. It also loads in front of
// a block, on some of the ways there, what the block loaded: that load is gone.
static bool replacesOld(const OldAccesses &old, const Instruction &access)
{
    return isa<LoadInst>(access) && any_of(old, [&](const OldAccess &one) {
               return !one.Access && one.Location == access.getDebugLoc().get();
           });
}

void watchMadeElsewhere(PassBuilder &builder)
{
    PassInstrumentationCallbacks *callbacks = builder.getPassInstrumentationCallbacks();
    if (!callbacks)
        return;
    auto old = std::make_shared<OldAccesses>();
    callbacks->registerBeforeNonSkippedPassCallback([old](StringRef pass, Any unit) {
        old->clear();
        eachAccess(pass, unit,
                   [&](Instruction &access) { old->push_back({&access, access.getDebugLoc().get()}); });
    });
    callbacks->registerAfterPassCallback([old](StringRef pass, Any unit, const PreservedAnalyses &) {
        DenseSet<const Value *> known;
        for (const OldAccess &one : *old)
            if (one.Access)
                known.insert(one.Access);
        eachAccess(pass, unit, [&](Instruction &access) {
            if (known.contains(&access) || (pass == "JumpThreadingPass" && !replacesOld(*old, access)))
                return;
            const position_table *t = &unit_context_of(wrap(&access.getContext()))->positions;
            if (shim_position(t, wrap(&access)))
                shim_mark(t, wrap(&access), POSITION_LOST);
        });
        old->clear();
    });
}
