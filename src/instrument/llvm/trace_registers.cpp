// Where a thread's events go on stays in a register, in functions and loops where that is cheaper; and where
// its words of addresses do.
//
// Every event loads the place from thread-local storage and stores it again. LLVM keeps it in a register only
// where it can prove that a store on every way out adds none that was not there; of a thread's own storage it
// cannot know that nobody else looks. Here it is known: whoever interrupts traced code finds the end of its
// events by itself (runtime/trace/trace.c), and everybody else is called. So within a region, a function or a loop,
// the place is a variable, which is loaded where the region begins, stored before calls that may trace and
// loaded behind them, and stored where the region ends. A region is chosen, from the outside in, if that is
// less than what its events load and store, by the frequencies that LLVM guesses.
//
// After a jump or an exception the place in storage counts, not the variable: landing pads load it; functions
// that a call may return to twice are left alone.
#include "instrument/llvm/trace_registers.hpp"
#include "format/trace/layout.h"
#include "instrument/trace/names.h"
#include "instrument/llvm/versions.hpp"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"

using namespace llvm;

namespace
{
class Keeper
{
    Function &F;
    GlobalVariable &Thread;
    uint64_t Offset; // of what is kept, in the thread's storage
    LoopInfo &LI;
    DominatorTree &DT;
    BlockFrequencyInfo &BFI;
    AAResults &AA;
    AssumptionCache &AC;
    MDNode *Type; // of memory: the thread's
    SmallVector<AllocaInst *, 4> Variables;

    bool isPlace(const Value *address) const
    {
        APInt offset(64, 0);
        return address->stripAndAccumulateConstantOffsets(F.getDataLayout(), offset, true) == &Thread &&
               offset == Offset;
    }
    bool isLoad(const Instruction &i) const
    {
        auto *load = dyn_cast<LoadInst>(&i);
        return load && load->getType()->isPointerTy() && isPlace(load->getPointerOperand());
    }
    bool isStore(const Instruction &i) const
    {
        auto *store = dyn_cast<StoreInst>(&i);
        return store && store->getValueOperand()->getType()->isPointerTy() &&
               isPlace(store->getPointerOperand());
    }
    bool mayTrace(const Instruction &i) const
    {
        auto *call = dyn_cast<CallBase>(&i);
        if (!call)
            return false;
        if (auto *intrinsic = dyn_cast<IntrinsicInst>(call))
            return intrinsic->getIntrinsicID() == Intrinsic::eh_sjlj_longjmp;
        const Function *callee = call->getCalledFunction();
        if (callee && callee->isDeclaration() && !call->doesNotReturn() &&
            (trace_name_is_plain(callee->getName().str().c_str()) ||
             callee->getName() == TRACE_REPORT_SYMBOL))
            return false;
        if (!callee || callee->isDeclaration())
            return true; // whatever its name says: the program may have its own
        AAMDNodes tags;
        tags.TBAA = Type;
        return isModOrRefSet(AA.getModRefInfo(call, MemoryLocation::getBeforeOrAfter(&Thread, tags)));
    }

    double frequency(const BasicBlock *block) const
    {
        return double(BFI.getBlockFreq(block).getFrequency());
    }

    Value *place(IRBuilder<> &b) const
    {
        return Offset ? b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), &Thread, Offset) : &Thread;
    }
    Instruction *load(AllocaInst *variable, Instruction *before)
    {
        IRBuilder<> b(before);
        b.SetCurrentDebugLocation(DebugLoc());
        LoadInst *value = b.CreateLoad(variable->getAllocatedType(), place(b));
        value->setMetadata(LLVMContext::MD_tbaa, Type);
        return b.CreateStore(value, variable);
    }
    void store(AllocaInst *variable, Instruction *before)
    {
        IRBuilder<> b(before);
        b.SetCurrentDebugLocation(DebugLoc());
        StoreInst *to = b.CreateStore(b.CreateLoad(variable->getAllocatedType(), variable), place(b));
        to->setMetadata(LLVMContext::MD_tbaa, Type);
    }

    // What the region would cost less than now, and whether it can be one.
    bool pays(ArrayRef<BasicBlock *> blocks, const Loop *loop, double borders) const
    {
        double saved = -borders;
        for (BasicBlock *block : blocks) {
            double often = frequency(block);
            if (block->isEHPad())
                saved -= often;
            for (Instruction &i : *block) {
                if (isa<CallBrInst>(i))
                    return false;
                if (auto *invoke = dyn_cast<InvokeInst>(&i);
                    invoke && loop && !loop->contains(invoke->getNormalDest()))
                    return false;
                if (isLoad(i) || isStore(i))
                    saved += often;
                else if (mayTrace(i))
                    saved -= 2 * often;
            }
        }
        return saved > 0;
    }

    AllocaInst *keepIn(ArrayRef<BasicBlock *> blocks)
    {
        BasicBlock &entry = F.getEntryBlock();
        auto *variable =
            new AllocaInst(PointerType::get(F.getContext(), 0), 0, "", versions::place(&*entry.begin()));
        Variables.push_back(variable);
        SmallVector<Instruction *, 32> uses, calls;
        SmallVector<BasicBlock *, 4> pads;
        for (BasicBlock *block : blocks) {
            if (block->isLandingPad())
                pads.push_back(block);
            for (Instruction &i : *block)
                if (isLoad(i) || isStore(i))
                    uses.push_back(&i);
                else if (mayTrace(i))
                    calls.push_back(&i);
        }
        for (Instruction *i : uses) {
            i->setOperand(isa<LoadInst>(i) ? LoadInst::getPointerOperandIndex()
                                           : StoreInst::getPointerOperandIndex(),
                          variable);
            i->setMetadata(LLVMContext::MD_tbaa, nullptr);
        }
        for (BasicBlock *pad : pads)
            load(variable, &*pad->getFirstInsertionPt());
        for (Instruction *call : calls) {
            store(variable, call);
            auto *invoke = dyn_cast<InvokeInst>(call);
            auto *plain = dyn_cast<CallInst>(call);
            if (invoke)
                load(variable, &*SplitEdge(invoke->getParent(), invoke->getNormalDest(), &DT, &LI)
                                     ->getFirstInsertionPt());
            else if (!plain->isMustTailCall() && !plain->doesNotReturn())
                load(variable, plain->getNextNode());
        }
        return variable;
    }

    bool keepInLoop(Loop &loop)
    {
        BasicBlock *before = loop.getLoopPreheader();
        SmallVector<BasicBlock *, 8> exits;
        loop.getUniqueExitBlocks(exits);
        if (!before || !loop.hasDedicatedExits())
            return false;
        double borders = frequency(before);
        for (BasicBlock *exit : exits)
            borders += frequency(exit);
        if (!pays(loop.getBlocks(), &loop, borders))
            return false;
        SmallVector<BasicBlock *, 32> blocks(loop.getBlocks());
        AllocaInst *variable = keepIn(blocks);
        load(variable, before->getTerminator());
        for (BasicBlock *exit : exits)
            if (!exit->isEHPad()) // whoever threw was called
                store(variable, &*exit->getFirstInsertionPt());
        return true;
    }

    // Behind a call the place in storage is right: a call in tail position stays one.
    bool endsWithCall(const BasicBlock &block) const
    {
        const Instruction *last = versions::before(block.getTerminator());
        return last && mayTrace(*last);
    }

    // Where the function is left: before what returns, or, if that is all its block does, on the ways there.
    void findEnds(SmallVectorImpl<Instruction *> &ends)
    {
        SmallVector<std::pair<BasicBlock *, BasicBlock *>, 4> ways;
        for (BasicBlock &block : F) {
            Instruction *last = block.getTerminator();
            if (!(isa<ReturnInst>(last) || isa<ResumeInst>(last)) || endsWithCall(block))
                continue;
            if (isa<ReturnInst>(last) && &*block.getFirstNonPHIOrDbg() == last &&
                &block != &F.getEntryBlock() && none_of(predecessors(&block), [](BasicBlock *from) {
                    return isa<IndirectBrInst>(from->getTerminator());
                }))
                for (BasicBlock *from : predecessors(&block))
                    ways.push_back({from, &block});
            else
                ends.push_back(last);
        }
        for (auto [from, to] : ways)
            if (from->getSingleSuccessor() != to)
                ends.push_back(SplitEdge(from, to, &DT, &LI)->getTerminator());
            else if (!endsWithCall(*from))
                ends.push_back(from->getTerminator());
    }

    bool keepInFunction()
    {
        SmallVector<BasicBlock *, 32> blocks;
        double borders = frequency(&F.getEntryBlock());
        for (BasicBlock &block : F) {
            blocks.push_back(&block);
            Instruction *last = block.getTerminator();
            if ((isa<ReturnInst>(last) || isa<ResumeInst>(last)) && !endsWithCall(block))
                borders += frequency(&block);
        }
        if (!pays(blocks, nullptr, borders))
            return false;
        SmallVector<Instruction *, 4> ends;
        findEnds(ends);
        AllocaInst *variable = keepIn(blocks);
        for (Instruction *end : ends)
            store(variable, end);
        load(variable, variable->getNextNode());
        return true;
    }

    void keepInLoops(ArrayRef<Loop *> loops)
    {
        for (Loop *loop : loops)
            if (!keepInLoop(*loop))
                keepInLoops(loop->getSubLoops());
    }

  public:
    Keeper(Function &f, GlobalVariable &thread, uint64_t offset, MDNode *type,
           FunctionAnalysisManager &manager)
        : F(f), Thread(thread), Offset(offset), LI(manager.getResult<LoopAnalysis>(f)),
          DT(manager.getResult<DominatorTreeAnalysis>(f)), BFI(manager.getResult<BlockFrequencyAnalysis>(f)),
          AA(manager.getResult<AAManager>(f)), AC(manager.getResult<AssumptionAnalysis>(f)), Type(type)
    {
    }

    bool run()
    {
        if (!keepInFunction())
            keepInLoops(SmallVector<Loop *, 8>(LI.begin(), LI.end()));
        if (!Variables.empty())
            PromoteMemToReg(Variables, DT, &AC);
        return !Variables.empty();
    }
};
} // namespace

// Has the optimiser made one store, or load, of two, through a pointer that may be the place's or another?
// Then nobody knows where the place changes.
static bool isHidden(const Value &place, const Function &function)
{
    return any_of(place.users(), [&](const User *user) {
        auto *i = dyn_cast<Instruction>(user);
        return i && i->getFunction() == &function && getLoadStorePointerOperand(i) != &place;
    });
}

// The address of what the thread's storage holds at the offset.
static Constant *addressOf(GlobalVariable &thread, uint64_t offset)
{
    LLVMContext &context = thread.getContext();
    if (!offset)
        return &thread;
    return ConstantExpr::getInBoundsGetElementPtr(Type::getInt8Ty(context), &thread,
                                                  ConstantInt::get(Type::getInt64Ty(context), offset));
}

// What kind of memory the function stores at that place; NULL: it does not.
static MDNode *typeAt(const Constant &place, const Function &function)
{
    for (const User *user : place.users())
        if (auto *store = dyn_cast<StoreInst>(user); store && store->getFunction() == &function)
            return store->getMetadata(LLVMContext::MD_tbaa);
    return nullptr;
}

PreservedAnalyses TraceRegisters::run(Function &function, FunctionAnalysisManager &manager)
{
    GlobalVariable *thread = function.getParent()->getNamedGlobal(TRACE_THREAD_SYMBOL);
    if (!thread)
        return PreservedAnalyses::all();
    auto &loops = manager.getResult<LoopAnalysis>(function);
    auto &dominators = manager.getResult<DominatorTreeAnalysis>(function);
    bool changed = false;
    SmallVector<std::pair<uint64_t, MDNode *>, 2> kept;
    for (uint64_t offset :
         {offsetof(struct cotree_trace_thread, events), offsetof(struct cotree_trace_thread, addresses)}) {
        Constant *place = addressOf(*thread, offset);
        MDNode *type = typeAt(*place, function);
        if (type && !function.callsFunctionThatReturnsTwice() && !isHidden(*place, function))
            kept.push_back({offset, type});
    }
    for (Loop *loop : loops)
        if (!kept.empty())
            changed |= simplifyLoop(loop, &dominators, &loops, nullptr,
                                    &manager.getResult<AssumptionAnalysis>(function), nullptr, false);
    if (changed)
        manager.invalidate(function, [] {
            PreservedAnalyses preserved;
            preserved.preserve<DominatorTreeAnalysis>();
            preserved.preserve<LoopAnalysis>();
            return preserved;
        }());
    for (auto [offset, type] : kept)
        changed |= Keeper(function, *thread, offset, type, manager).run();
    return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

// What is stored, if it is what was loaded in the same block plus a constant, and nothing between may have
// changed it.
static GetElementPtrInst *movedOn(StoreInst &store, const Constant &place)
{
    auto *sum = dyn_cast<GetElementPtrInst>(store.getValueOperand());
    auto *load = sum ? dyn_cast<LoadInst>(sum->getPointerOperand()) : nullptr;
    if (!load || load->getPointerOperand() != &place || load->getParent() != store.getParent() ||
        load->hasOneUse() || !sum->hasOneUse() || !sum->hasAllConstantIndices())
        return nullptr;
    for (Instruction *i = load->getNextNode(); i != &store; i = i->getNextNode()) {
        auto *other = dyn_cast<StoreInst>(i);
        if (other ? other->getPointerOperand() == &place : isa<CallBase>(i) && i->mayWriteToMemory())
            return nullptr;
    }
    return sum;
}

static bool movesOnInMemory(Function &function, const Constant &place)
{
    SmallVector<StoreInst *, 16> stores;
    if (isHidden(place, function))
        return false;
    for (BasicBlock &block : function)
        for (Instruction &i : block)
            if (auto *store = dyn_cast<StoreInst>(&i); store && store->getPointerOperand() == &place)
                stores.push_back(store);
    for (StoreInst *store : stores)
        if (GetElementPtrInst *sum = movedOn(*store, place)) {
            auto *again = cast<LoadInst>(cast<LoadInst>(sum->getPointerOperand())->clone());
            again->insertInto(store->getParent(), store->getIterator());
            sum->moveBefore(*store->getParent(), store->getIterator());
            sum->setOperand(0, again);
        }
    return !stores.empty();
}

bool traceMovesOnInMemory(Function &function)
{
    GlobalVariable *thread = function.getParent()->getNamedGlobal(TRACE_THREAD_SYMBOL);
    return thread && movesOnInMemory(function, *thread);
}
