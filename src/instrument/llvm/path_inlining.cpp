// Clang inlines a function if it is small. Counting makes it larger: sums are instructions, and a
// marker keeps the branch that leads to it, where clang would have made a select. So small functions
// with a branch or two would stay functions of their own. The limit for calls of a function
// therefore grows by what counting takes: the instructions that serve path markers only, and a
// branch for each other marker (two instructions in a small function). Clang inlines from the
// callees up, and simplifies a function before it looks at the callers: what is found in it then,
// with all that was inlined into it, is what the callers would get.
#include "instrument/llvm/path_inlining.hpp"
#include "instrument/marker/marker.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace
{
// Clang takes every instruction for 5. A marker of a small function is worth two: calls of these are
// what counts, and code does not become much larger. As much for large functions makes some programs
// cheaper still, others dearer, and code larger (docs/benchmarks.md).
constexpr int INSTRUCTION_COST = 5, MARKER_COST = INSTRUCTION_COST, SMALL_MARKER_COST = 2 * INSTRUCTION_COST;
constexpr unsigned MOST_OF_SMALL = 160;

bool maySum(const Instruction &i)
{
    return isa<PHINode>(i) || isa<BinaryOperator>(i) || isa<GetElementPtrInst>(i) || isa<SelectInst>(i) ||
           isa<CastInst>(i) || isa<CmpInst>(i);
}

// Markers of sets that judge others are many, and stand beside those that programs are built with:
// with them in the limit, functions would grow until clang does not end.
bool judgesOthers(Instruction &marker)
{
    return !marker_may_move(wrap(&marker)) && !marker_partner(wrap(&marker));
}

// The instructions that nothing but path markers needs.
SmallSetVector<Instruction *, 32> sumsOf(Function &function, Value *annotation)
{
    SmallSetVector<Instruction *, 32> sums;
    SmallPtrSet<Instruction *, 16> markers;
    auto add = [&](Value *value) {
        auto *i = dyn_cast<Instruction>(value);
        if (i && maySum(*i))
            sums.insert(i);
    };
    for (BasicBlock &block : function)
        for (Instruction &i : block)
            if (marker_path_array(wrap(&i), wrap(annotation))) {
                markers.insert(&i);
                add(i.getOperand(0));
            }
    for (unsigned k = 0; k < sums.size(); k++)
        for (Value *operand : sums[k]->operands())
            add(operand);
    for (bool again = true; again;)
        again = sums.remove_if([&](Instruction *i) {
            return any_of(i->users(), [&](User *user) {
                auto *by = cast<Instruction>(user);
                return !sums.contains(by) && !markers.contains(by);
            });
        });
    return sums;
}
} // namespace

PreservedAnalyses PathInlining::run(Function &function, FunctionAnalysisManager &)
{
    // Of a call in a function: how much the limit for inlining the function grows (InlineCost.cpp).
    static constexpr char Bonus[] = "call-threshold-bonus";
    Function *annotation = function.getParent()->getFunction(MARKER_INTRINSIC);
    if (!annotation)
        return PreservedAnalyses::all();
    auto isAnyMarker = [&](Instruction &i) {
        return marker_path_array(wrap(&i), wrap(annotation)) || marker_array(wrap(&i), wrap(annotation));
    };
    unsigned own = 0; // instructions, markers left out
    for (BasicBlock &block : function)
        for (Instruction &i : block)
            own += !isa<PHINode>(i) && !isa<DbgInfoIntrinsic>(i) && !isAnyMarker(i);
    int sums = 0, other = own <= MOST_OF_SMALL ? SMALL_MARKER_COST : MARKER_COST;
    for (Instruction *i : sumsOf(function, annotation))
        sums += isa<PHINode>(i) || isa<CastInst>(i) ? 0 : INSTRUCTION_COST;
    for (BasicBlock &block : function)
        for (Instruction &i : block) {
            bool path = marker_path_array(wrap(&i), wrap(annotation));
            if (!isAnyMarker(i) || judgesOthers(i))
                continue;
            auto &marker = cast<CallInst>(i);
            marker.removeAttributeAtIndex(AttributeList::FunctionIndex, Bonus); // LLVM 16 has no shorter way
            if (int cost = path ? sums : other)
                marker.addFnAttr(Attribute::get(function.getContext(), Bonus, std::to_string(cost)));
            sums = path ? 0 : sums; // the first one stands for all
        }
    return PreservedAnalyses::all();
}
