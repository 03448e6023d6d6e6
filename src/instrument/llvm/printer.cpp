// Watches LLVM print machine code. Chooses the machine instructions that matter (machine_code.cpp knows
// what they are), puts a label before or after each, and notes what the labels mean (places.c);
// place_sections.cpp writes it down. Labels do not change the code.
//
// Numbers of positions travel in debug locations (positions.h). They are taken out before the
// writer of debug information sees a function, so that the user's debug information is what it
// would be without cotree.
#include "format/trace/layout.h"
#include "instrument/llvm/carried.hpp"
#include "instrument/llvm/machine_code.hpp"
#include "instrument/llvm/place_sections.hpp"
#include "instrument/llvm/shim.h"
#include "instrument/llvm/versions.hpp"
#include "instrument/llvm/versions_printer.hpp"
#include "instrument/place/places.h"
#include "instrument/unit_context.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/GCMetadata.h"
#include "llvm/CodeGen/GCMetadataPrinter.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GCStrategy.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCSectionELF.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/Support/Registry.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace
{
using Numbers = SmallVector<uint32_t, 8>;

// Makes locations without our numbers. Locations of calls that were inlined are distinct nodes and
// stay so.
class Cleaner
{
    const position_table &Positions;
    DenseMap<const DILocation *, const DILocation *> Clean;

  public:
    explicit Cleaner(const position_table &positions) : Positions(positions) {}

    const DILocation *clean(const DILocation *at)
    {
        if (!at || (CarriedPositions::isMarked(Positions, at) &&
                    places_is_of_counts(&Positions, at->getDiscriminator())))
            return nullptr; // an increment: its only location is the one that we gave it
        auto found = Clean.find(at);
        if (found != Clean.end())
            return found->second;
        DILocalScope *scope = at->getScope();
        const DILocation *outer = clean(at->getInlinedAt());
        bool marked = CarriedPositions::isMarked(Positions, at);
        const DILocation *result = at;
        if (marked || outer != at->getInlinedAt()) {
            if (marked)
                scope = cast<DILocalScope>(cast<DILexicalBlockFile>(scope)->getScope());
            result = versions::rescoped(at, scope, outer);
        }
        return Clean[at] = result;
    }

    void clean(MachineFunction &function)
    {
        for (MachineBasicBlock &block : function)
            for (MachineInstr &instruction : block.instrs())
                instruction.setDebugLoc(DebugLoc(clean(instruction.getDebugLoc().get())));
        for (auto &variable : function.getVariableDbgInfo())
            variable.Loc = clean(variable.Loc);
    }
};

// What will be said about one machine instruction.
struct Note : Increment {
    enum { NOTHING, BEFORE, AFTER } Where = NOTHING;
    place_kind Kind = PLACE_ACCESS;
    Numbers At;
    bool Twice = false;                        // it gets two rows (format/places/places.h)
    const MachineBasicBlock *Target = nullptr; // of a jump
    uint32_t Event = 0;                        // that is written; 0: it is no constant
};

bool counts(const Note &note)
{
    return note.Kind == PLACE_INCREMENT || note.Kind == PLACE_SHARED;
}

class Watcher : public versions::PrinterWatcher
{
    AsmPrinter &Printer;
    LLVMContext &Context;
    position_table &Positions;
    const crash_table &Crash;
    Cleaner TheCleaner;
    CarriedPositions Carried;
    PlaceSections Sections;
    DenseMap<const MachineInstr *, Note> Notes;
    DenseMap<const MachineInstr *, Numbers>
        Ordered; // instructions that stand elsewhere, since they were moved
    SmallPtrSet<const MachineInstr *, 16> Misplaced;         // whose claims do not hold
    SmallPtrSet<const MachineInstr *, 16> Stores;            // to slots
    DenseMap<uint32_t, uint32_t> Unclaimed;                  // numbers with claims -> without
    DenseMap<const MachineBasicBlock *, uint32_t> FirstRows; // of blocks that were begun: rows before them
    SmallVector<std::pair<uint32_t, const MachineBasicBlock *>, 0> Jumps; // row, where it goes on
    PrintedFunction *Current = nullptr;
    SmallPtrSet<const MachineInstr *, 4> Lasts; // of the parts of the function
    const MachineInstr *Now = nullptr;
    uint64_t Final = 0;    // the key of the function's final record, or 0
    bool HasTable = false; // the function's instructions get rows
    Addresses EventAddresses;
    bool Enters = false;      // the function is a thunk
    MCSymbol *Here = nullptr; // the last label, if nothing was printed after it

    // The numbers of a location and of the calls it was inlined into, innermost first. Activations
    // of functions that are not counted are left out: there the position is that of the call in the
    // function around them, in the state of the innermost one.
    Numbers numbersOf(const DILocation *at)
    {
        Numbers numbers;
        uint32_t state = at ? Carried.numberOf(at) : 0;
        for (; at; at = at->getInlinedAt())
            if (uint32_t number = Carried.numberOf(at); !position_is_uncounted(&Positions, number))
                numbers.push_back(number);
        if (!numbers.empty() && position_is_uncounted(&Positions, state))
            numbers[0] = position_in_state(&Positions, numbers[0], state);
        return numbers;
    }

    // The numbers of an instruction that stays where its position is. Others may not stay: a
    // comparison is repeated in other blocks that want its flags, with the location of the first.
    Numbers ownNumbersOf(const MachineInstr &instruction, const TargetInstrInfo &names)
    {
        auto ordered = Ordered.find(&instruction);
        if (ordered != Ordered.end())
            return ordered->second;
        if (readsConstants(instruction))
            return Numbers();
        if (instruction.isTerminator() || instruction.isCall() || instruction.mayLoadOrStore() ||
            instruction.hasUnmodeledSideEffects() || names.getName(instruction.getOpcode()).contains("DIV"))
            return numbersOf(instruction.getDebugLoc().get());
        return Numbers();
    }

    void label()
    {
        if (!Here) {
            Here = Printer.OutContext.createTempSymbol();
            Printer.OutStreamer->emitLabel(Here);
        }
        Current->Labels.push_back(Here);
    }

    // A block without instructions begins where the next one does.
    void setTargets(const MachineFunction &function)
    {
        uint32_t row = places_row_count(Current->Places);
        if (!Jumps.empty())
            for (const MachineBasicBlock &block : reverse(function))
                row = FirstRows.try_emplace(&block, row).first->second;
        for (auto &jump : Jumps)
            places_target(Current->Places, jump.first, FirstRows[jump.second]);
    }

    // A load that the code generator made anew, for a branch, has the position of the branch, which stands
    // after all counts of its stretch. Where some of them are still to come it stands before that.
    void findEarly(const MachineBasicBlock &block, const TargetInstrInfo &names)
    {
        Numbers ending;
        bool counted = false;
        for (const MachineInstr &instruction : reverse(block.instrs())) {
            Note increment;
            if (instruction.isMetaInstruction())
                continue;
            if (instruction.isCall() || instruction.isTerminator()) {
                ending = instruction.isTerminator() ? ownNumbersOf(instruction, names) : Numbers();
                counted = false;
            } else if (isIncrement(instruction, names, Printer.getDataLayout(), increment)) {
                counted |= !numbersOf(instruction.getDebugLoc().get()).empty();
            } else if (counted && known(ending) && ownNumbersOf(instruction, names) == ending) {
                Ordered[&instruction] = Numbers();
            }
        }
    }

    // The code generator moves loads up and down between instructions that other code can see, and
    // exchanges stores of one stretch. Control has come as far as the seen instruction before, and
    // no further than the next: an instruction whose position says otherwise gets theirs. Counts and
    // events stand between rounds of a loop that was unrolled: the same positions come again after them.
    // A division that comes too early has no position: the line of the next may not have begun.
    template <typename Range> void order(Range instructions, int late, const TargetInstrInfo &names)
    {
        Numbers reached;
        for (const MachineInstr &instruction : instructions) {
            Note note;
            if (instruction.isMetaInstruction())
                continue;
            if (instruction.isCall() || instruction.isTerminator() ||
                isIncrement(instruction, names, Printer.getDataLayout(), note) ||
                isEvent(instruction, EventAddresses, Enters, note.Event)) {
                if (!places_in_stretch(&Positions, reached.data(), reached.size()))
                    reached.clear(); // it may be another round
                continue;
            }
            Numbers at = ownNumbersOf(instruction, names);
            if (!known(at))
                continue;
            if (places_order(&Positions, at.data(), at.size(), reached.data(), reached.size()) == late)
                Ordered[&instruction] = late > 0 && dividesIntegers(instruction, names) ? Numbers() : reached;
            else if (isSeen(instruction, names, EventAddresses) && isOrdered(instruction))
                reached = std::move(at);
        }
    }

    // Is control behind the place when it comes to the instruction (null: to the end of the block), on
    // every way there? The nearest code of the same activation tells.
    bool isBehind(const MachineBasicBlock &block, const MachineInstr *before, const Numbers &place,
                  const TargetInstrInfo &names, SmallPtrSetImpl<const MachineBasicBlock *> &passed)
    {
        enum { BLOCKS_MOST = 32 };
        bool reached = !before;
        for (const MachineInstr &instruction : reverse(block.instrs())) {
            bool orders = instruction.isCall() || instruction.isTerminator() || isOrdered(instruction);
            if (reached && orders && !instruction.isMetaInstruction()) {
                Numbers at = ownNumbersOf(instruction, names);
                int after = places_comes_after(&Positions, at.data(), at.size(), place.data(), place.size());
                if (after)
                    return after > 0;
            }
            reached |= &instruction == before;
        }
        for (const MachineBasicBlock *from : block.predecessors())
            if (passed.insert(from).second &&
                (passed.size() > BLOCKS_MOST || !isBehind(*from, nullptr, place, names, passed)))
                return false;
        return !block.pred_empty();
    }

    // The optimiser moves divisions down, too, into other blocks and into functions that were inlined.
    // Control is behind the position then.
    void findSunk(const MachineBasicBlock &block, const TargetInstrInfo &names)
    {
        for (const MachineInstr &instruction : block.instrs()) {
            SmallPtrSet<const MachineBasicBlock *, 32> passed;
            Numbers at = dividesIntegers(instruction, names) ? ownNumbersOf(instruction, names) : Numbers();
            if (known(at) && isBehind(block, &instruction, at, names, passed))
                Ordered[&instruction] = Numbers();
        }
    }

    // The code generator may move what crash histories say something of over the stores to slots, or
    // make one block of several.
    void findMisplaced(const MachineBasicBlock &block, const TargetInstrInfo &names)
    {
        SmallVector<std::pair<const MachineInstr *, uint32_t>, 16> waiting; // for the next store
        crash_store before = {SLOTS_NONE, CRASH_UNMARKED, 0};
        auto settle = [&](const crash_store &after) {
            for (auto &[instruction, claims] : waiting)
                if (!crash_claims_hold(&Crash, claims, instruction->isCall() && !instruction->isTerminator(),
                                       &before, &after))
                    Misplaced.insert(instruction);
            waiting.clear();
        };
        for (const MachineInstr &instruction : block.instrs()) {
            if (instruction.isMetaInstruction())
                continue;
            crash_store store = storeOf(instruction, names);
            if (store.slot != SLOTS_NONE) {
                settle(store);
                before = store;
                Stores.insert(&instruction);
                continue;
            }
            Numbers at = ownNumbersOf(instruction, names);
            const position *p = at.empty() ? nullptr : position_at(&Positions, at[0]);
            if (p && p->claims)
                waiting.push_back({&instruction, p->claims});
        }
        settle({SLOTS_NONE, CRASH_UNMARKED, 0});
    }

    // The numbers without what they claim.
    Numbers unclaimed(Numbers at)
    {
        const position *p = at.empty() ? nullptr : position_at(&Positions, at[0]);
        if (p && p->claims) {
            uint32_t &number = Unclaimed[at[0]];
            if (!number)
                number = position_with_claims(&Positions, at[0], 0);
            at[0] = number;
        }
        return at;
    }

    // Paths that end in one block of code may be counted before or after all that the block does.
    void notePaths(const MachineBasicBlock &block)
    {
        DenseMap<uint64_t, uint64_t> counted; // by function
        DenseMap<uint64_t, const MachineInstr *> last;
        uint64_t key, by;
        for (const MachineInstr &instruction : block.instrs())
            if (isPathCount(instruction, key, by)) {
                counted[key] += by;
                last[key] = &instruction;
            }
        for (auto &one : counted)
            if (one.second > 1) {
                Note &note = Notes[last[one.first]];
                note.Where = Note::AFTER;
                note.Kind = PLACE_INCREMENT;
                note.Key = one.first;
                note.Counter = PLACE_PATHS;
                note.By = one.second;
            }
    }

    void noteLost(ArrayRef<const MachineInstr *> instructions)
    {
        for (const MachineInstr *instruction : instructions) {
            Notes[instruction].Where = Note::BEFORE;
            Notes[instruction].Twice = isOrdered(*instruction);
        }
    }

    // Looks at the instructions from the last to the first. An access is noted if what follows it
    // stands elsewhere. So is one that has lost its position, unless what comes before and after it
    // stands at one place.
    void study(const MachineBasicBlock &block)
    {
        const TargetInstrInfo &names = *Printer.MF->getSubtarget().getInstrInfo();
        findEarly(block, names);
        order(block.instrs(), -1, names);
        order(reverse(block.instrs()), 1, names);
        findSunk(block, names);
        if (Crash.functions.count)
            findMisplaced(block, names);
        Numbers following;
        SmallVector<const MachineInstr *, 4> lost; // since what follows
        for (const MachineInstr &instruction : reverse(block.instrs())) {
            if (instruction.isMetaInstruction())
                continue;
            Note note;
            Numbers at = ownNumbersOf(instruction, names);
            if (Misplaced.count(&instruction))
                at = unclaimed(std::move(at));
            if (instruction.isTerminator()) {
                if (!at.empty() && at[0] == POSITION_PASSED && !instruction.isUnconditionalBranch())
                    continue;
                if (instruction.isCall() && !at.empty())
                    if (uint32_t before = position_before_jump(&Positions, at[0]))
                        at[0] = before; // a tail call
                note.Where = Note::BEFORE;
                note.Kind = instruction.isUnconditionalBranch() && !instruction.isIndirectBranch()
                                ? PLACE_GOTO
                                : PLACE_BRANCH;
                if (note.Kind == PLACE_GOTO)
                    for (const MachineOperand &operand : instruction.operands())
                        if (operand.isMBB())
                            note.Target = operand.getMBB();
            } else if (instruction.isCall()) {
                note.Where = Note::AFTER;
                note.Kind = places_call_kind(&Positions, at.data(), at.size());
                for (const MachineOperand &operand : instruction.operands())
                    if (operand.isSymbol() &&
                        note.Kind != PLACE_SETTLED) // a symbol: the code generator made the call
                        note.Kind = PLACE_LIBCALL;
                if (note.Kind == PLACE_LIBCALL && !known(at) && mayLand(block))
                    note.Kind = PLACE_CALL;
            } else if (isIncrement(instruction, names, Printer.getDataLayout(), note)) {
                note.Where = Note::AFTER;
                note.Kind = positions_final(&Positions, note.Key) ? PLACE_SHARED : PLACE_INCREMENT;
            } else if (Stores.count(&instruction)) {
                note.Where = Note::AFTER;
                note.Kind = PLACE_STEP;
                at.clear();
            } else if (isEvent(instruction, EventAddresses, Enters, note.Event)) {
                note.Where = Note::AFTER;
                note.Kind = PLACE_EVENT;
            } else if (!at.empty() && at[0] && at[0] != POSITION_PASSED &&
                       !places_agree(&Positions, at.data(), at.size(), following.data(), following.size())) {
                note.Where = Note::BEFORE;
            } else if (!known(at) && (at.empty() || at[0] != POSITION_PASSED) &&
                       isSeen(instruction, names, EventAddresses)) {
                lost.push_back(&instruction);
                continue;
            }
            if (known(at)) {
                if (!places_agree(&Positions, at.data(), at.size(), following.data(), following.size()))
                    noteLost(lost);
                lost.clear();
            }
            if (note.Where == Note::NOTHING)
                continue;
            // A position before a count is not one after it, and one jump may stand for several.
            if (note.Kind == PLACE_EVENT || counts(note) || note.Kind == PLACE_GOTO ||
                note.Kind == PLACE_STEP)
                following.clear();
            else
                following = at;
            note.At = std::move(at);
            Notes[&instruction] = std::move(note);
        }
        noteLost(lost);
        notePaths(block);
        // A block without successors ends in a trap, or after a call that does not return: no
        // counts wait there.
        if (block.succ_empty())
            for (const MachineInstr &instruction : reverse(block.instrs()))
                if (!instruction.isMetaInstruction()) {
                    Note &note = Notes[&instruction];
                    if (note.Where == Note::NOTHING || note.Kind == PLACE_ACCESS) {
                        note.Where = Note::BEFORE;
                        note.Kind = PLACE_BRANCH;
                        note.At = numbersOf(instruction.getDebugLoc().get());
                        if (Misplaced.count(&instruction))
                            note.At = unclaimed(std::move(note.At));
                    } else if (note.Kind == PLACE_LIBCALL) {
                        note.Kind = PLACE_CALL;
                    }
                    break;
                }
    }

    // May an exception that leaves a call of the block land in the function? Such calls of functions
    // that are not counted have no position. The code after one is not where control goes on, and
    // need not even belong to it: the call may never return.
    static bool mayLand(const MachineBasicBlock &block)
    {
        return any_of(block.successors(), [](const MachineBasicBlock *to) { return to->isEHPad(); });
    }

    bool known(const Numbers &at) const
    {
        return places_known(&Positions, at.data(), at.size());
    }

    // Has the block no rows of its own that matter: calls, counts, positions?
    bool saysNothing(const MachineBasicBlock &block) const
    {
        for (const MachineInstr &instruction : block.instrs()) {
            auto found = Notes.find(&instruction);
            if (found != Notes.end() && (found->second.Kind != PLACE_GOTO || known(found->second.At)))
                return false;
        }
        return true;
    }

    // Does the branch only skip a block that says nothing? The code generator makes such blocks
    // where functions with variable arguments begin.
    bool meetsAtOnce(const MachineBasicBlock &block) const
    {
        if (block.succ_size() != 2)
            return false;
        for (const MachineBasicBlock *way : block.successors()) {
            const MachineBasicBlock *other =
                *block.succ_begin() == way ? *std::next(block.succ_begin()) : *block.succ_begin();
            if (way->pred_size() == 1 && way->succ_size() == 1 && *way->succ_begin() == other &&
                saysNothing(*way))
                return true;
        }
        return false;
    }

    // Finds the place of control before the instruction (null: at the end of the block), if nothing
    // was counted since the last instruction that has a position, or if all of its stretch was.
    // Follows blocks that say nothing backwards, a limited number of steps: all predecessors must
    // come from the same place.
    bool standsAt(const MachineBasicBlock &block, const MachineInstr *before, Numbers &at, unsigned &steps)
    {
        bool counted = false, reached = !before;
        for (const MachineInstr &instruction : reverse(block.instrs())) {
            if (!reached || instruction.isMetaInstruction()) {
                reached |= &instruction == before;
                continue;
            }
            auto found = Notes.find(&instruction);
            if (found != Notes.end() && (counts(found->second) || found->second.Kind == PLACE_EVENT)) {
                counted = true;
                continue;
            }
            if (instruction.isCall() && found != Notes.end() && found->second.Kind != PLACE_LIBCALL &&
                found->second.Kind != PLACE_SETTLED)
                return false;
            Numbers numbers = ownNumbersOf(instruction, *Printer.MF->getSubtarget().getInstrInfo());
            if (!known(numbers))
                continue;
            bool certain = !counted || places_stretch_passed(&Positions, numbers[0]);
            if (certain && !at.empty())
                return places_same(&Positions, at.data(), at.size(), numbers.data(), numbers.size());
            at = std::move(numbers);
            return certain;
        }
        if (counted || block.pred_empty() || block.isEHPad())
            return false;
        for (const MachineBasicBlock *from : block.predecessors())
            if (++steps > 16 || !standsAt(*from, nullptr, at, steps))
                return false;
        return true;
    }

    // Gives branches that optimisation made, and that have no position, that of the code before
    // them.
    void placeBranch(const MachineBasicBlock &block)
    {
        for (const MachineInstr &instruction : block.instrs()) {
            auto found = Notes.find(&instruction);
            if (found == Notes.end() || found->second.Kind != PLACE_BRANCH)
                continue;
            Numbers at;
            unsigned steps = 0;
            if (known(found->second.At))
                return;
            if (standsAt(block, &instruction, at, steps))
                found->second.At = unclaimed(std::move(at));
            else if (meetsAtOnce(block))
                Notes.erase(&instruction);
            return;
        }
    }

    using Loops = SmallSet<uint32_t, 4>;

    // Is the counter one of those that were moved out of the loop?
    bool isMovedFrom(uint32_t loop, const Increment &increment) const
    {
        const moved_loop &moved = Positions.loops.items[loop - 1];
        return any_of(ArrayRef(moved.counters.items, moved.counters.count), [&](const moved_counter &one) {
            return (one.key == increment.Key && one.counter == increment.Counter) ||
                   is_contained(increment.Twins, std::pair(one.key, one.counter));
        });
    }

    bool isInLoop(uint32_t inner, uint32_t outer) const
    {
        while (inner && inner != outer)
            inner = Positions.loops.items[inner - 1].outer;
        return inner == outer;
    }

    uint32_t loopOf(const Numbers &at) const
    {
        for (uint32_t number : at)
            if (const position *p = position_at(&Positions, number); p && p->loop)
                return p->loop;
        return 0;
    }

    // Goes backwards over an instruction: which loops may control come to without making their counts?
    void goBack(Loops &loops, const Note &note) const
    {
        if (counts(note)) {
            for (uint32_t loop : SmallVector<uint32_t, 4>(loops.begin(), loops.end()))
                if (isMovedFrom(loop, note))
                    loops.erase(loop);
        } else if (note.Kind != PLACE_GOTO && loopOf(note.At)) {
            loops.insert(loopOf(note.At));
        }
    }

    // The counts of these loops are made, and they may have rounds to come, where the instruction stands.
    void standBefore(Note &note, const Loops &loops)
    {
        uint32_t own = loopOf(note.At), most = own;
        if (!known(note.At) || (note.Kind != PLACE_BRANCH && note.Kind != PLACE_ACCESS))
            return;
        for (uint32_t loop : loops)
            if (isInLoop(loop, most))
                most = loop;
        bool all = all_of(loops, [&](uint32_t loop) { return isInLoop(most, loop); });
        if (!all)
            note.At.clear();
        else if (most != own)
            note.At[0] = position_in_loop(&Positions, note.At[0], most);
    }

    // Counts that were moved out of a loop are made in front of it. The code generator, and passes after
    // that, make code between them and the loop, and between rounds that are done at once and the rest
    // (which of several copies of the loop is to run), with positions of code around the loop.
    void markAhead(const MachineFunction &function)
    {
        DenseMap<const MachineBasicBlock *, Loops> ahead; // where the block begins
        auto walk = [&](const MachineBasicBlock &block, bool last) {
            Loops loops;
            for (const MachineBasicBlock *to : block.successors())
                for (uint32_t loop : ahead[to])
                    loops.insert(loop);
            for (const MachineInstr &instruction : reverse(block.instrs()))
                if (auto found = Notes.find(&instruction); found != Notes.end()) {
                    if (last)
                        standBefore(found->second, loops);
                    goBack(loops, found->second);
                }
            bool changed = loops.size() != ahead[&block].size();
            ahead[&block] = std::move(loops);
            return changed;
        };
        for (bool changed = true; changed;) {
            changed = false;
            for (const MachineBasicBlock &block : reverse(function))
                changed |= walk(block, false);
        }
        for (const MachineBasicBlock &block : reverse(function))
            walk(block, true);
    }

    void write(const Note &note)
    {
        if (note.Twice) {
            label();
            places_row(Current->Places, note.Kind, nullptr, 0);
        }
        label();
        if (note.Kind == PLACE_INCREMENT) {
            uint32_t number = note.At.empty() ? 0 : note.At[0];
            places_increment(Current->Places, note.Key, note.Counter, note.By, number);
            for (auto &[key, counter] : note.Twins) {
                label();
                places_increment(Current->Places, key, counter, note.By, number);
            }
            return;
        }
        if (note.Kind == PLACE_SHARED) {
            places_shared(Current->Places, uint32_t(note.Counter), note.At.empty() ? 0 : note.At[0]);
            return;
        }
        if (note.Kind == PLACE_EVENT) {
            places_event(Current->Places, note.Event);
            return;
        }
        // Jumps are followed, not believed: one into another part is a branch at an unknown place.
        bool leaves = note.Target && !note.Target->sameSection(Now->getParent());
        bool nowhere = note.Kind == PLACE_GOTO && (leaves || !note.Target);
        if (note.Target && !leaves)
            Jumps.emplace_back(places_row_count(Current->Places), note.Target);
        if (const position *at = note.At.empty() ? nullptr : position_at(&Positions, note.At[0]);
            at && at->claims)
            crash_code_add_row(&Current->Slots, &Crash, places_row_count(Current->Places), at->claims);
        places_row(Current->Places, nowhere ? PLACE_BRANCH : note.Kind, note.At.data(),
                   leaves ? 0 : note.At.size());
    }

    static uint64_t finalKey(const Function &function)
    {
        uint64_t key = 0;
        function.getFnAttribute(SHIM_FINAL).getValueAsString().getAsInteger(10, key);
        return key;
    }

  public:
    Watcher(AsmPrinter &printer, LLVMContext &llvm, unit_context &context)
        : PrinterWatcher(printer), Printer(printer), Context(llvm), Positions(context.positions),
          Crash(context.crash), TheCleaner(context.positions), Carried(context.positions),
          Sections(printer, context)
    {
    }

    void endModule() override
    {
        Sections.write();
        unit_context_end(wrap(&Context));
    }

    // Comes for every function, before any instruction and before debug information looks at it.
    void functionBegins() override
    {
        MachineFunction &function = *Printer.MF;
        Current = nullptr;
        Notes.clear();
        Ordered.clear();
        Misplaced.clear();
        Stores.clear();
        Lasts.clear();
        findEvents(function.getFunction(), EventAddresses);
        bool any = Enters = function.getFunction().hasFnAttribute(SHIM_THUNK);
        const MachineInstr *last = nullptr;
        for (const MachineBasicBlock &block : function) {
            study(block);
            for (const MachineInstr &instruction : block.instrs())
                if (!instruction.isMetaInstruction())
                    last = &instruction;
            if (last && (block.isEndSection() || &block == &function.back()))
                Lasts.insert(std::exchange(last, nullptr));
        }
        // Where counts were moved out of loops, a branch without position may be in such a loop or
        // not.
        bool moved = false;
        for (auto &note : Notes)
            moved |= note.second.Kind == PLACE_INCREMENT && !note.second.By;
        for (const MachineBasicBlock &block : function)
            if (!moved)
                placeBranch(block);
        if (Positions.loops.count)
            markAhead(function);
        for (auto &note : Notes)
            any |= !note.second.At.empty() || counts(note.second);
        uint64_t final = finalKey(function.getFunction());
        if (final)
            Sections.addFinal(final, function.getSection());
        DISubprogram *subprogram = function.getFunction().getSubprogram();
        if (subprogram && subprogram->getUnit()->getEmissionKind() != DICompileUnit::NoDebug)
            TheCleaner.clean(function);
        HasTable = any;
        Final = final;
        // Of one in parts it would not be known which calls became jumps. `cotree cc` sees to it.
        if (function.hasBBSections() && (Enters || !EventAddresses.empty()))
            Context.emitError("traced functions cannot be laid out in parts: use "
                              "-fbasic-block-sections=none and -fno-split-machine-functions");
    }

    // Notes the plain body of a function that can be turned off.
    void setPlain(const Function &function)
    {
        const MDNode *node = function.getMetadata(CRASH_PLAIN_METADATA);
        auto *plain = node ? mdconst::dyn_extract_or_null<Function>(node->getOperand(0)) : nullptr;
        if (!plain || plain->isDeclaration())
            return;
        Current->Entry = Printer.getSymbol(&function);
        Current->Plain = Printer.getSymbol(plain);
        Current->Key = mdconst::extract<ConstantInt>(node->getOperand(1))->getZExtValue();
    }

    // A function that is laid out in parts has a table for each: distances between sections cannot be
    // written.
    void beginPart()
    {
        FirstRows.clear();
        Jumps.clear();
        Here = nullptr;
        Current = &Sections.begin(Final);
        findSlots(*Printer.MF, Current->Slots);
        if (Now->getParent() == &Printer.MF->front())
            setPlain(Printer.MF->getFunction());
    }

    void beginInstruction(const MachineInstr *instruction) override
    {
        Now = instruction;
        if (HasTable && !Current && !Now->isMetaInstruction())
            beginPart();
        if (!Current)
            return;
        bool begins = FirstRows.try_emplace(Now->getParent(), places_row_count(Current->Places)).second;
        if (begins)
            Here = nullptr; // between blocks there may be padding
        if (Current->Labels.empty())
            label();
        if (Crash.functions.count && begins && Now->getParent()->pred_size() > 1) {
            label();
            places_row(Current->Places, PLACE_STEP, nullptr, 0);
        }
        auto found = Notes.find(Now);
        if (found != Notes.end() && found->second.Where == Note::BEFORE)
            write(found->second);
        Here = nullptr;
    }

    void endInstruction() override
    {
        if (!Current)
            return;
        auto found = Notes.find(Now);
        if (found != Notes.end() && found->second.Where == Note::AFTER)
            write(found->second);
        if (Lasts.count(Now)) {
            label();
            setTargets(*Printer.MF);
            Current = nullptr;
        }
    }
};

class Collector : public GCStrategy
{
  public:
    Collector()
    {
        UsesMetadata = true;
    }
};

class Printer : public GCMetadataPrinter
{
  public:
    void beginAssembly(Module &module, GCModuleInfo &, AsmPrinter &printer) override
    {
        unit_context *context = unit_context_of(wrap(&module.getContext()));
        lower_at_link_time(wrap(&module), static_cast<int>(printer.TM.getOptLevel()) > 0, context);
        versions::watch(printer, std::make_unique<Watcher>(printer, module.getContext(), *context));
    }
};

GCRegistry::Add<Collector> AddCollector(PRINTER_COLLECTOR, "cotree: no collector, but a printer");
GCMetadataPrinterRegistry::Add<Printer> AddPrinter(PRINTER_COLLECTOR, "cotree: places");
} // namespace
