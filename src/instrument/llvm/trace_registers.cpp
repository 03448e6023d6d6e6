// Keeps a thread's `events` in a register, in functions and loops where that is cheaper; and
// `addresses` likewise. Either is called a cursor here: the address in the thread's storage at
// which the next event, or word, is written.
//
// Every event loads the cursor from thread-local storage and stores it again. LLVM keeps it in a
// register only where it can prove that a store on every way out adds none that was not there; it
// cannot know that no other code reads the thread's storage. Here it is known: a signal handler
// that interrupts traced code finds the end of its events by itself (runtime/trace/trace.c), and
// all other readers are called. So within a region, a function or a loop, the cursor is a variable.
// It is loaded where the region begins, stored before calls that may trace and loaded after them,
// and stored where the region ends. A region is chosen, from the outside in, if that costs less
// than what its events load and store, by the frequencies that LLVM guesses.
//
// After a jump or an exception the cursor in storage is right, not the variable: landing pads load
// it; functions with calls that may return twice are left alone.
#include "instrument/llvm/trace_registers.hpp"
#include "format/trace/layout.h"
#include "instrument/llvm/versions.hpp"
#include "instrument/trace/names.h"

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
    uint64_t Offset; // of the cursor in the thread's storage
    LoopInfo &LI;
    DominatorTree &DT;
    BlockFrequencyInfo &BFI;
    AAResults &AA;
    AssumptionCache &AC;
    MDNode *Type; // the kind of memory of the thread's storage
    SmallVector<AllocaInst *, 4> Variables;

    bool isCursor(const Value *address) const
    {
        APInt offset(64, 0);
        return address->stripAndAccumulateConstantOffsets(F.getParent()->getDataLayout(), offset, true) ==
                   &Thread &&
               offset == Offset;
    }
    bool isLoad(const Instruction &i) const
    {
        auto *load = dyn_cast<LoadInst>(&i);
        return load && load->getType()->isPointerTy() && isCursor(load->getPointerOperand());
    }
    bool isStore(const Instruction &i) const
    {
        auto *store = dyn_cast<StoreInst>(&i);
        return store && store->getValueOperand()->getType()->isPointerTy() &&
               isCursor(store->getPointerOperand());
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
             callee->getName() == TRACE_REPORT_SYMBOL || callee->getName() == TRACE_ROUNDS_SYMBOL))
            return false;
        if (!callee || callee->isDeclaration())
            return true; // by its name it is of a library, but the program may have its own
        AAMDNodes tags;
        tags.TBAA = Type;
        return isModOrRefSet(AA.getModRefInfo(call, MemoryLocation::getBeforeOrAfter(&Thread, tags)));
    }

    double frequency(const BasicBlock *block) const
    {
        return double(BFI.getBlockFreq(block).getFrequency());
    }

    Value *cursor(IRBuilder<> &b) const
    {
        return Offset ? b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), &Thread, Offset) : &Thread;
    }
    Instruction *load(AllocaInst *variable, Instruction *before)
    {
        IRBuilder<> b(before);
        b.SetCurrentDebugLocation(DebugLoc());
        LoadInst *value = b.CreateLoad(variable->getAllocatedType(), cursor(b));
        value->setMetadata(LLVMContext::MD_tbaa, Type);
        return b.CreateStore(value, variable);
    }
    void store(AllocaInst *variable, Instruction *before)
    {
        IRBuilder<> b(before);
        b.SetCurrentDebugLocation(DebugLoc());
        StoreInst *to = b.CreateStore(b.CreateLoad(variable->getAllocatedType(), variable), cursor(b));
        to->setMetadata(LLVMContext::MD_tbaa, Type);
    }

    // Can the blocks be a region, and does it cost less than what they do now?
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
        auto *variable = new AllocaInst(PointerType::get(F.getContext(), 0), 0, "",
                                        versions::insertionPoint(&*entry.begin()));
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
            if (!exit->isEHPad()) // the cursor was stored before the call that threw
                store(variable, &*exit->getFirstInsertionPt());
        return true;
    }

    // After a call the cursor in storage is right: so a call in tail position stays one.
    bool endsWithCall(const BasicBlock &block) const
    {
        const Instruction *last = versions::before(block.getTerminator());
        return last && mayTrace(*last);
    }

    // Where the function is left: before the return, or, if its block does nothing else, on the
    // edges into it.
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

// Has the optimiser merged two stores, or loads, into one through a pointer that may be the
// cursor's or another? Then it is not known where the cursor changes.
static bool isHidden(const Value &cursor, const Function &function)
{
    return any_of(cursor.users(), [&](const User *user) {
        auto *i = dyn_cast<Instruction>(user);
        return i && i->getFunction() == &function && getLoadStorePointerOperand(i) != &cursor;
    });
}

// The address of the cursor at this offset of the thread's storage.
static Constant *addressOf(GlobalVariable &thread, uint64_t offset)
{
    LLVMContext &context = thread.getContext();
    if (!offset)
        return &thread;
    return ConstantExpr::getInBoundsGetElementPtr(Type::getInt8Ty(context), &thread,
                                                  ConstantInt::get(Type::getInt64Ty(context), offset));
}

// The kind of memory of the function's stores to the cursor; null: it has none.
static MDNode *typeAt(const Constant &cursor, const Function &function)
{
    for (const User *user : cursor.users())
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
        Constant *cursor = addressOf(*thread, offset);
        MDNode *type = typeAt(*cursor, function);
        if (type && !function.callsFunctionThatReturnsTwice() && !isHidden(*cursor, function))
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

// The value that is stored, if it is the cursor as loaded in the same block plus a constant, and
// nothing in between may have changed the cursor.
static GetElementPtrInst *movedOn(StoreInst &store, const Constant &cursor)
{
    auto *sum = dyn_cast<GetElementPtrInst>(store.getValueOperand());
    auto *load = sum ? dyn_cast<LoadInst>(sum->getPointerOperand()) : nullptr;
    if (!load || load->getPointerOperand() != &cursor || load->getParent() != store.getParent() ||
        load->hasOneUse() || !sum->hasOneUse() || !sum->hasAllConstantIndices())
        return nullptr;
    for (Instruction *i = load->getNextNode(); i != &store; i = i->getNextNode()) {
        auto *other = dyn_cast<StoreInst>(i);
        if (other ? other->getPointerOperand() == &cursor : isa<CallBase>(i) && i->mayWriteToMemory())
            return nullptr;
    }
    return sum;
}

static bool movesOnInMemory(Function &function, const Constant &cursor)
{
    SmallVector<StoreInst *, 16> stores;
    if (isHidden(cursor, function))
        return false;
    for (BasicBlock &block : function)
        for (Instruction &i : block)
            if (auto *store = dyn_cast<StoreInst>(&i); store && store->getPointerOperand() == &cursor)
                stores.push_back(store);
    for (StoreInst *store : stores)
        if (GetElementPtrInst *sum = movedOn(*store, cursor)) {
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

// Until now the accesses to `calls` were volatile. Otherwise LLVM would keep the number in a
// register from the return of one call to the next, and calls are what registers are saved around.
void traceCountsCalls(Function &function)
{
    GlobalVariable *thread = function.getParent()->getNamedGlobal(TRACE_THREAD_SYMBOL);
    if (!thread)
        return;
    Constant *calls = addressOf(*thread, offsetof(struct cotree_trace_thread, calls));
    for (BasicBlock &block : function) {
        StoreInst *last = nullptr; // no call was made since
        for (Instruction &i : make_early_inc_range(block)) {
            auto *load = dyn_cast<LoadInst>(&i);
            auto *store = dyn_cast<StoreInst>(&i);
            if (load && load->isVolatile() && load->getPointerOperand() == calls) {
                load->setVolatile(false);
                auto *sum = last ? dyn_cast<BinaryOperator>(last->getValueOperand()) : nullptr;
                auto *more = load->hasOneUse() ? dyn_cast<BinaryOperator>(load->user_back()) : nullptr;
                auto *by = more ? dyn_cast<ConstantInt>(more->getOperand(1)) : nullptr;
                auto *first = sum ? dyn_cast<ConstantInt>(sum->getOperand(1)) : nullptr;
                if (by && first && sum->hasOneUse()) {
                    more->setOperand(1, ConstantInt::get(by->getType(), by->getValue() + first->getValue()));
                    last->eraseFromParent();
                }
                last = nullptr;
            } else if (store && store->isVolatile() && store->getPointerOperand() == calls) {
                store->setVolatile(false);
                last = store;
            } else if (isa<CallBase>(i) && !isa<IntrinsicInst>(i)) {
                last = nullptr;
            }
        }
    }
}
