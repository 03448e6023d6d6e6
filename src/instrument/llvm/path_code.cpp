#include "instrument/llvm/path_code.hpp"
#include "instrument/marker/marker.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

bool PathCode::isPathMarker(Instruction &i) const
{
    return marker_path_array(wrap(&i), wrap(Annotation));
}

bool PathCode::isAnyMarker(Instruction &i) const
{
    return isPathMarker(i) || marker_array(wrap(&i), wrap(Annotation));
}

bool PathCode::isQuiet(Instruction &i) const
{
    auto *call = dyn_cast<CallBase>(&i);
    if (isAnyMarker(i))
        return true;
    if (!call)
        return !i.isVolatile() && !i.isAtomic() && !isa<AllocaInst>(i);
    return isa<IntrinsicInst>(i) && call->hasFnAttr(Attribute::WillReturn) && !call->mayHaveSideEffects() &&
           !call->isConvergent() && !call->cannotDuplicate() && !call->getType()->isTokenTy();
}

bool PathCode::predecessorsOf(BasicBlock *block, SmallVectorImpl<BasicBlock *> &before)
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
