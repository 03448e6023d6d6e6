#include "instrument/llvm/loop_code.hpp"
#include "instrument/llvm/shim.h"
#include "instrument/marker/marker.h"

using namespace llvm;

LoopCode::LoopCode(Function &f, FunctionAnalysisManager &manager, Value *annotation, SCEVExpander &expander,
                   bool &changed)
    : F(f), LI(manager.getResult<LoopAnalysis>(f)), DT(manager.getResult<DominatorTreeAnalysis>(f)),
      SE(manager.getResult<ScalarEvolutionAnalysis>(f)), TTI(manager.getResult<TargetIRAnalysis>(f)),
      Manager(manager), Positions(unit_context_of(wrap(&f.getContext()))->positions), Annotation(annotation),
      I64(Type::getInt64Ty(f.getContext())), Expander(expander), Changed(changed)
{
}

bool LoopCode::isMarker(Instruction &i) const
{
    return marker_array(wrap(&i), wrap(Annotation));
}

bool LoopCode::isPathMarker(Instruction &i) const
{
    return marker_path_array(wrap(&i), wrap(Annotation));
}

SmallPtrSet<BasicBlock *, 16> LoopCode::laterThan(const Loop &loop, BasicBlock *block)
{
    SmallPtrSet<BasicBlock *, 16> later;
    SmallVector<BasicBlock *, 16> open{block};
    while (!open.empty())
        for (BasicBlock *next : successors(open.pop_back_val()))
            if (next != loop.getHeader() && loop.contains(next) && later.insert(next).second)
                open.push_back(next);
    return later;
}

moved_counter LoopCode::counterAt(Value *counter, uint64_t most) const
{
    unsigned long long key = 0;
    unsigned number = 0;
    shim_counter(wrap(counter), &key, &number);
    return {key, number, most};
}

moved_counter LoopCode::counterOf(Instruction &marker, uint64_t most) const
{
    return counterAt(cast<CallInst>(marker).getArgOperand(0), most);
}

void LoopCode::markPositions(const Loop &loop, uint32_t number) const
{
    for (BasicBlock *block : loop.blocks())
        for (Instruction &i : *block) {
            unsigned old = shim_position(&Positions, wrap(&i));
            unsigned there = old && old != POSITION_PASSED ? position_in_loop(&Positions, old, number) : 0;
            if (there && there != old)
                shim_mark(&Positions, wrap(&i), there);
        }
}
