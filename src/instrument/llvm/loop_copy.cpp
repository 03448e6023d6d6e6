#include "instrument/llvm/loop_copy.hpp"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

void copyLoopFor(Value *seldom, Loop &loop, LoopInfo &loops, DominatorTree &tree, ScalarEvolution &evolution)
{
    static constexpr uint32_t NEVER = 1, ALWAYS = 1 << 20; // as far as the optimiser is told
    ValueToValueMapTy map;
    SmallVector<BasicBlock *, 8> blocks;
    BasicBlock *fork = loop.getLoopPreheader(), *exit = loop.getExitBlock();
    evolution.forgetTopmostLoop(&loop);
    BasicBlock *front = SplitBlock(fork, fork->getTerminator(), &tree, &loops);
    Loop *copy = cloneLoopWithPreheader(front, fork, &loop, map, "", &loops, &tree, blocks);
    remapInstructionsInBlocks(blocks, map);
    for (PHINode &phi : exit->phis()) {
        Value *value = phi.getIncomingValueForBlock(loop.getLoopLatch()), *mapped = map.lookup(value);
        phi.addIncoming(mapped ? mapped : value, copy->getLoopLatch());
    }
    Instruction *jump = fork->getTerminator();
    IRBuilder<>(jump).CreateCondBr(seldom, copy->getLoopPreheader(), front,
                                   MDBuilder(fork->getContext()).createBranchWeights(NEVER, ALWAYS));
    jump->eraseFromParent();
    tree.changeImmediateDominator(exit, fork);
    formDedicatedExitBlocks(copy, &tree, &loops, nullptr, true);
    formDedicatedExitBlocks(&loop, &tree, &loops, nullptr, true);
    addStringMetadataToLoop(copy, "llvm.loop.unroll.disable", 1);
}
