// Events leave loops, before clang vectorises them: a loop that writes the same events in each
// round, as often as is known when it is entered, writes them once in front of the loop, with their
// number (format/trace/layout.h: rounds). The loop is then recognised, vectorised, unrolled or
// deleted as it would be without any. From the inside out: rounds of an inner loop whose number is
// a constant are events of the outer one.
//
// Invariants:
//  1. A loop that is left by its own exits writes, in front, what it would have written in all.
//  2. Rounds are written before the loop, and by one store. While the loop runs, the trace is ahead
//     of it: replay believes rounds only when something was written after them. So loops with calls
//     are left alone, which may write, or not return; and so are loops with volatile or atomic
//     accesses: they talk to signal handlers or other threads, and are likely to be interrupted.
//  3. Between two events of the machine the cursor (trace_registers.cpp) is where the next event is
//     written. A loop in which that cannot be followed is left alone.
#include "instrument/llvm/trace_rounds.hpp"
#include "format/trace/layout.h"
#include "instrument/llvm/loop_code.hpp"
#include "instrument/llvm/shim.h"
#include "instrument/llvm/versions.hpp"
#include "instrument/llvm/versions_loops.hpp"
#include "instrument/marker/marker.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopIdiomRecognize.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace
{
bool isOfType(const Instruction &i, StringRef wanted)
{
    const MDNode *tag = i.getMetadata(LLVMContext::MD_tbaa);
    auto *type = tag && tag->getNumOperands() > 1 ? dyn_cast<MDNode>(tag->getOperand(1)) : nullptr;
    auto *name = type && type->getNumOperands() ? dyn_cast<MDString>(type->getOperand(0)) : nullptr;
    return name && name->getString() == wanted;
}

// What one round of a loop writes.
struct Round {
    SmallVector<StoreInst *, 4> Events;    // and rounds of loops inside
    SmallVector<Instruction *, 8> Cursors; // loads and stores of the cursor
    MapVector<Value *, int64_t> Offsets;   // addresses of events: after the cursor where a round begins
    SmallVector<PHINode *, 2> Carried;     // the cursor, from one round to the next
    SmallVector<uint8_t, TRACE_ROUNDS_EVENTS> Bytes;
    uint64_t Written = 0;              // bytes, with those of rounds written out
    bool Loads = false, After = false; // After: all events come after the exits
};

class Gatherer
{
    Function &F;
    GlobalVariable &Thread;
    LoopInfo &LI;
    DominatorTree &DT;
    ScalarEvolution &SE;
    TargetTransformInfo &TTI;
    Value *Annotation; // or null
    IntegerType *I64;
    SCEVExpander Expander;

    bool isCursor(const Value *address) const
    {
        return address->stripPointerCasts() == &Thread; // `events` comes first
    }
    bool isCursorLoad(const Instruction &i) const
    {
        auto *load = dyn_cast<LoadInst>(&i);
        return load && load->getType()->isPointerTy() && isCursor(load->getPointerOperand());
    }
    bool isCursorStore(const Instruction &i) const
    {
        auto *store = dyn_cast<StoreInst>(&i);
        return store && store->getValueOperand()->getType()->isPointerTy() &&
               isCursor(store->getPointerOperand());
    }
    static bool isEvent(const Instruction &i)
    {
        return isa<StoreInst>(i) && isOfType(i, SHIM_EVENTS_TYPE);
    }
    static bool isRounds(const Instruction &i)
    {
        return isa<StoreInst>(i) && isOfType(i, SHIM_ROUNDS_TYPE);
    }

    // May control leave the loop here, or is it likely to be interrupted?
    bool mayStay(const Instruction &i) const
    {
        auto *call = dyn_cast<CallBase>(&i);
        if (Annotation && marker_array(wrap(&i), wrap(Annotation)))
            return false;
        if (!call)
            return i.isVolatile() || i.isAtomic();
        if (const Function *callee = call->getCalledFunction();
            callee && callee->getName() == TRACE_REPORT_SYMBOL)
            return false;
        return !isa<IntrinsicInst>(i) || !call->hasFnAttr(Attribute::WillReturn);
    }

    // Does one round pass the block several times, in a cycle that LLVM does not see as a loop?
    bool isOnCycle(const Loop &loop, BasicBlock *block) const
    {
        return LoopCode::laterThan(loop, block).contains(block);
    }

    // Finds what the loop writes; false: not the same in all rounds, or it cannot be known.
    bool find(Loop &loop, Round &round) const
    {
        SmallVector<BasicBlock *, 4> blocks, exiting;
        for (BasicBlock *block : loop.blocks()) {
            bool writes = false;
            for (Instruction &i : *block) {
                if (isEvent(i) || isRounds(i))
                    round.Events.push_back(cast<StoreInst>(&i));
                else if (isCursorLoad(i) || isCursorStore(i))
                    round.Cursors.push_back(&i);
                else if (mayStay(i))
                    return false;
                else
                    continue;
                writes = true;
            }
            if (!writes)
                continue;
            if (LI.getLoopFor(block) != &loop || !DT.dominates(block, loop.getLoopLatch()) ||
                isOnCycle(loop, block))
                return false;
            blocks.push_back(block);
        }
        if (round.Events.empty())
            return false;
        loop.getExitingBlocks(exiting);
        bool before = true, after = true;
        for (BasicBlock *block : blocks)
            for (BasicBlock *from : exiting) {
                before &= DT.dominates(block, from);
                after &= DT.properlyDominates(from, block);
            }
        round.After = after;
        if (!before && !after)
            return false;
        sort(blocks, [this](BasicBlock *a, BasicBlock *b) { return a != b && DT.dominates(a, b); });
        return follow(loop, blocks, round);
    }

    // Where the address is after the cursor of the round's beginning.
    bool offsetOf(const Loop &loop, Value *address, Round &round, int64_t &offset) const
    {
        if (auto known = round.Offsets.find(address); known != round.Offsets.end()) {
            offset = known->second;
            return true;
        }
        if (auto *phi = dyn_cast<PHINode>(address); phi && phi->getParent() == loop.getHeader()) {
            round.Carried.push_back(phi);
            offset = 0;
        } else if (phi && loop.contains(phi)) { // behind a loop inside
            if (!offsetOf(loop, phi->getIncomingValue(0), round, offset))
                return false;
            for (Value *other : phi->incoming_values())
                if (int64_t same; !offsetOf(loop, other, round, same) || same != offset)
                    return false;
        } else if (auto *sum = dyn_cast<GetElementPtrInst>(address); sum && loop.contains(sum)) {
            APInt more(64, 0);
            if (!sum->accumulateConstantOffset(F.getParent()->getDataLayout(), more) ||
                !offsetOf(loop, sum->getPointerOperand(), round, offset))
                return false;
            offset += more.getSExtValue();
        } else {
            return false;
        }
        round.Offsets[address] = offset;
        return true;
    }

    // The constant bytes that the store writes; false: they are not constant.
    static bool bytesOf(const StoreInst &store, SmallVectorImpl<uint8_t> &bytes, uint64_t &written)
    {
        auto *value = dyn_cast<ConstantInt>(store.getValueOperand());
        if (!value)
            return false;
        uint64_t word = value->getZExtValue(), length = value->getType()->getIntegerBitWidth() / 8, times = 1;
        if (isRounds(store)) {
            length = 3 + (word >> 8 & 0xff);
            times = (word >> 8 * (length - 1) & 0xff) - 1;
        }
        for (uint64_t i = 0; i < length; i++)
            bytes.push_back(uint8_t(word >> 8 * i));
        written += isRounds(store) ? times * (length - 3) : length; // rounds inside rounds are few
        return true;
    }

    // Follows the cursor through the round.
    bool follow(const Loop &loop, ArrayRef<BasicBlock *> blocks, Round &round) const
    {
        int64_t memory = 0, end = 0, offset;
        for (BasicBlock *block : blocks)
            for (Instruction &i : *block) {
                if (isCursorLoad(i)) {
                    round.Offsets[&i] = memory;
                    round.Loads = true;
                } else if (isCursorStore(i)) {
                    if (!offsetOf(loop, cast<StoreInst>(i).getValueOperand(), round, memory))
                        return false;
                } else if (isEvent(i) || isRounds(i)) {
                    auto &store = cast<StoreInst>(i);
                    if (!offsetOf(loop, store.getPointerOperand(), round, offset) || offset != end ||
                        !bytesOf(store, round.Bytes, round.Written))
                        return false;
                    end = int64_t(round.Bytes.size());
                }
            }
        if (end > int64_t(TRACE_ROUNDS_EVENTS) || round.Written > TRACE_ROUNDS_WITHIN)
            return false;
        // Without a load what memory holds at the end of a round is not read in the next one.
        if (round.Loads ? memory != end : round.Carried.empty())
            return false;
        for (size_t k = 0; k < round.Carried.size(); k++) // more may be found
            if (!offsetOf(loop, round.Carried[k]->getIncomingValueForBlock(loop.getLoopLatch()), round,
                          offset) ||
                offset != end)
                return false;
        // Nothing but events and the cursor depends on these addresses.
        for (size_t k = 0; k < round.Offsets.size(); k++) {
            auto [address, there] = *(round.Offsets.begin() + ptrdiff_t(k));
            for (User *user : address->users()) {
                auto *i = cast<Instruction>(user);
                bool ours = loop.contains(i)
                                ? is_contained(round.Events, i) || is_contained(round.Cursors, i) ||
                                      offsetOf(loop, i, round, offset)
                                : !round.After || !there;
                if (!ours)
                    return false;
            }
        }
        return true;
    }

    // How often the loop goes back if it has no events: these have effects, and then LLVM does not
    // assume that loops end which the language says must (`i <= n`).
    const SCEV *backOf(Loop &loop, const Round &round)
    {
        for (StoreInst *event : round.Events)
            event->setVolatile(false);
        SE.forgetLoop(&loop);
        const SCEV *back = SE.getBackedgeTakenCount(&loop);
        for (StoreInst *event : round.Events)
            event->setVolatile(true);
        return back;
    }

    void setType(Instruction &i, const char *name) const
    {
        Metadata *tag =
            cast<MetadataAsValue>(unwrap(shim_memory_type(wrap(F.getParent()), name)))->getMetadata();
        i.setMetadata(LLVMContext::MD_tbaa, cast<MDNode>(tag));
    }

    // Stores the rounds; returns where the next event is written.
    Value *store(IRBuilder<> &b, Value *cursor, uint64_t word, unsigned length, Value *number)
    {
        IntegerType *type = length < 4 ? b.getInt32Ty() : b.getInt64Ty();
        Value *more = b.CreateAdd(b.CreateTrunc(number, type), ConstantInt::get(type, 1));
        Value *all = b.CreateOr(b.CreateShl(more, 8 * length), ConstantInt::get(type, word));
        StoreInst *to = b.CreateAlignedStore(all, cursor, Align(1), true);
        setType(*to, SHIM_ROUNDS_TYPE);
        return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), cursor, length + 1);
    }

    // The same if the number may be too large for a byte.
    Value *storeAny(IRBuilder<> &b, Value *cursor, uint64_t word, unsigned length, Value *number)
    {
        LLVMContext &context = F.getContext();
        BasicBlock *front = b.GetInsertBlock();
        BasicBlock *small = SplitBlock(front, front->getTerminator(), &DT, &LI);
        BasicBlock *join = SplitBlock(small, small->getTerminator(), &DT, &LI);
        BasicBlock *large = BasicBlock::Create(context, "", &F, join);
        IRBuilder<> l(large);
        PointerType *pointer = PointerType::get(context, 0);
        FunctionCallee callee = F.getParent()->getOrInsertFunction(
            TRACE_ROUNDS_SYMBOL, FunctionType::get(pointer, {pointer, I64, I64}, false));
        auto *function = cast<Function>(callee.getCallee());
        function->setDoesNotThrow();
        function->setCallingConv(CallingConv::PreserveMost);
        CallInst *call = l.CreateCall(callee, {cursor, ConstantInt::get(I64, word), number});
        call->setCallingConv(CallingConv::PreserveMost);
        call->addFnAttr(Attribute::Cold);
        l.CreateBr(join);
        Instruction *last = front->getTerminator();
        b.SetInsertPoint(last);
        Value *many = b.CreateICmpUGT(number, ConstantInt::get(I64, TRACE_ROUNDS_SHORT));
        b.CreateCondBr(many, large, small, MDBuilder(context).createBranchWeights(1, 1 << 10));
        last->eraseFromParent();
        DT.addNewBlock(large, front);
        DT.changeImmediateDominator(join, front);
        if (Loop *outer = LI.getLoopFor(front))
            outer->addBasicBlockToLoop(large, LI);
        IRBuilder<> s(small->getTerminator());
        s.SetCurrentDebugLocation(DebugLoc());
        Value *next = store(s, cursor, word, length, number);
        b.SetInsertPoint(join, join->begin());
        PHINode *either = b.CreatePHI(pointer, 2);
        either->addIncoming(next, small);
        either->addIncoming(call, large);
        b.SetInsertPoint(join->getTerminator());
        return either;
    }

    // Writes the rounds in front of the loop, and takes its events away.
    void move(Loop &loop, Round &round, Value *number, uint64_t most)
    {
        BasicBlock *front = loop.getLoopPreheader();
        IRBuilder<> b(front->getTerminator());
        b.SetCurrentDebugLocation(DebugLoc());
        Value *cursor = round.Loads ? nullptr : round.Carried[0]->getIncomingValueForBlock(front);
        if (!cursor) {
            auto *load = b.CreateLoad(PointerType::get(F.getContext(), 0), &Thread);
            setType(*load, SHIM_THREAD_TYPE);
            cursor = load;
        }
        uint64_t word = TRACE_ROUNDS | uint64_t(round.Bytes.size()) << 8;
        for (size_t i = 0; i < round.Bytes.size(); i++)
            word |= uint64_t(round.Bytes[i]) << 8 * (2 + i);
        unsigned length = 2 + unsigned(round.Bytes.size());
        Value *next = most <= TRACE_ROUNDS_SHORT ? store(b, cursor, word, length, number)
                                                 : storeAny(b, cursor, word, length, number);
        StoreInst *moves = b.CreateStore(next, &Thread);
        setType(*moves, SHIM_THREAD_TYPE);
        for (auto &known : round.Offsets) {
            int64_t more = known.second - (round.After ? 0 : int64_t(round.Bytes.size()));
            Value *after = more ? nullptr : next;
            SmallVector<Use *, 4> outside;
            for (Use &use : known.first->uses())
                if (!loop.contains(cast<Instruction>(use.getUser())))
                    outside.push_back(&use);
            for (Use *use : outside) {
                after = after ? after : b.CreateConstGEP1_64(b.getInt8Ty(), next, uint64_t(more));
                use->set(after);
            }
        }
        for (StoreInst *event : round.Events)
            event->eraseFromParent();
        for (Instruction *i : round.Cursors)
            if (isa<StoreInst>(i))
                i->eraseFromParent();
        for (PHINode *phi : round.Carried)
            phi->replaceAllUsesWith(PoisonValue::get(phi->getType()));
        SmallVector<WeakTrackingVH, 8> rest;
        for (auto &known : round.Offsets)
            rest.push_back(known.first);
        for (WeakTrackingVH &value : rest)
            if (auto *i = dyn_cast_or_null<Instruction>(value))
                RecursivelyDeleteTriviallyDeadInstructions(i);
        Changed = true;
    }

    void gather(Loop &loop)
    {
        Round round;
        if (!loop.isLoopSimplifyForm() || !find(loop, round))
            return;
        const SCEV *back = backOf(loop, round);
        if (isa<SCEVCouldNotCompute>(back) || SE.getTypeSizeInBits(back->getType()) > 64)
            return;
        const SCEV *times =
            round.After ? SE.getNoopOrZeroExtend(back, I64) : versions::iterations(SE, back, loop);
        Instruction *at = loop.getLoopPreheader()->getTerminator();
        if (!Expander.isSafeToExpandAt(times, at) ||
            Expander.isHighCostExpansion(times, &loop, TripCountBudget, &TTI, at))
            return;
        APInt largest = SE.getUnsignedRangeMax(times);
        uint64_t most = largest.getActiveBits() < 64 ? largest.getZExtValue() : UINT64_MAX;
        Value *number = Expander.expandCodeFor(times, I64, at);
        if (!isa<Constant>(number))
            number = IRBuilder<>(at).CreateFreeze(number);
        move(loop, round, number, most);
        SE.forgetLoop(&loop);
    }

  public:
    bool Changed = false;

    Gatherer(Function &f, GlobalVariable &thread, FunctionAnalysisManager &manager)
        : F(f), Thread(thread), LI(manager.getResult<LoopAnalysis>(f)),
          DT(manager.getResult<DominatorTreeAnalysis>(f)), SE(manager.getResult<ScalarEvolutionAnalysis>(f)),
          TTI(manager.getResult<TargetIRAnalysis>(f)),
          Annotation(f.getParent()->getFunction(MARKER_INTRINSIC)), I64(Type::getInt64Ty(f.getContext())),
          Expander(versions::expander(SE, f))
    {
        auto &assumptions = manager.getResult<AssumptionAnalysis>(f);
        for (Loop *loop : LI) {
            Changed |= simplifyLoop(loop, &DT, &LI, &SE, &assumptions, nullptr, false);
            Changed |= formLCSSARecursively(*loop, DT, &LI, &SE);
        }
    }

    bool run()
    {
        bool before = Changed;
        Changed = false;
        SmallVector<Loop *, 4> loops = LI.getLoopsInPreorder();
        for (Loop *loop : reverse(loops))
            gather(*loop);
        bool moved = Changed;
        Changed |= before;
        return moved;
    }
};

bool writesInLoop(const LoopInfo &loops, Function &function)
{
    for (BasicBlock &block : function)
        if (loops.getLoopFor(&block))
            for (Instruction &i : block)
                if (isa<StoreInst>(i) && isOfType(i, SHIM_EVENTS_TYPE))
                    return true;
    return false;
}

// What clang did with loops before, when there were events in them.
void tryLoopsAgain(Function &function, FunctionAnalysisManager &manager)
{
    LoopPassManager loops;
    loops.addPass(LoopIdiomRecognizePass());
    loops.addPass(IndVarSimplifyPass());
    loops.addPass(LoopDeletionPass());
    loops.addPass(LoopFullUnrollPass(2));
    FunctionPassManager all;
    all.addPass(createFunctionToLoopPassAdaptor(std::move(loops)));
    all.run(function, manager);
}
} // namespace

PreservedAnalyses TraceRounds::run(Function &function, FunctionAnalysisManager &manager)
{
    GlobalVariable *thread = function.getParent()->getNamedGlobal(TRACE_THREAD_SYMBOL);
    if (!thread || function.callsFunctionThatReturnsTwice() ||
        !writesInLoop(manager.getResult<LoopAnalysis>(function), function))
        return PreservedAnalyses::all();
    Gatherer gatherer(function, *thread, manager);
    bool moved = gatherer.run();
    if (moved) {
        manager.invalidate(function, PreservedAnalyses::none());
        tryLoopsAgain(function, manager);
    }
    return gatherer.Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}
