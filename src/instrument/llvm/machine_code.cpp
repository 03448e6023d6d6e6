// Tells what machine instructions are by what they carry from the IR: the variables and types of memory
// that they access, and the tags of inline assembly.
#include "instrument/llvm/machine_code.hpp"

#include "format/counters.h"
#include "format/trace/layout.h"
#include "instrument/llvm/shim.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/TargetFrameLowering.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

// Is this one of our counter arrays? Sets its key.
static bool isCounters(const Value *value, uint64_t &key)
{
    auto *array = dyn_cast_or_null<GlobalVariable>(value);
    if (!array || !array->hasInitializer() ||
        (array->getSection() != COUNTERS_TLS_SECTION && array->getSection() != COUNTERS_PIC_SECTION))
        return false;
    auto *words = dyn_cast<ConstantDataSequential>(array->getInitializer());
    if (words)
        key = words->getElementAsInteger(0);
    return words;
}

// The numbers that inline assembly of ours was tagged with (shim.cpp); none if it is not ours.
static SmallVector<uint64_t, 3> tagOf(const MachineInstr &instruction)
{
    SmallVector<uint64_t, 3> numbers;
    const MDNode *tag = nullptr;
    for (const MachineOperand &operand : instruction.operands())
        if (operand.isMetadata())
            tag = operand.getMetadata();
    if (tag && tag->getNumOperands() > 1 && isa<MDString>(tag->getOperand(0)))
        for (unsigned i = 1; i < tag->getNumOperands(); i++)
            numbers.push_back(mdconst::extract<ConstantInt>(tag->getOperand(i))->getZExtValue());
    return numbers;
}

// Does it count a path? Sets the key of the function, and by how much it counts.
bool isPathCount(const MachineInstr &instruction, uint64_t &key, uint64_t &by)
{
    auto tag = instruction.isInlineAsm() ? tagOf(instruction) : SmallVector<uint64_t, 3>();
    if (tag.size() != 2)
        return false;
    key = tag[0];
    by = static_cast<int64_t>(tag[1]) < 0 ? -tag[1] : tag[1]; // taken back
    return true;
}

// Does the instruction add to a counter? Sets which one, and how much it adds. In code for
// libraries the address is the sum of a constant and a distance read at run time; LLVM keeps the
// expression beside the instruction.
bool isIncrement(const MachineInstr &instruction, const TargetInstrInfo &names, const DataLayout &layout,
                 Increment &increment)
{
    int64_t offset = 0;
    bool found = false;
    if (instruction.isInlineAsm()) {
        auto tag = tagOf(instruction);
        if (tag.empty() || tag.size() % 3)
            return false;
        increment.Key = tag[0];
        increment.Counter = tag[1];
        increment.By = tag[2];
        for (size_t i = 3; i < tag.size(); i += 3)
            increment.Twins.push_back({tag[i], tag[i + 1]});
        return true;
    }
    if (!instruction.mayStore())
        return false;
    for (const MachineOperand &operand : instruction.operands())
        if (!found && operand.isGlobal() && isCounters(operand.getGlobal(), increment.Key)) {
            offset = operand.getOffset();
            found = true;
        }
    for (const MachineMemOperand *access : instruction.memoperands()) {
        const Value *address = access->getValue();
        if (found || !address || !access->isStore())
            continue;
        APInt constant(64, 0);
        if (auto *sum = dyn_cast<GEPOperator>(address); sum && !sum->hasAllConstantIndices())
            address = sum->getPointerOperand();
        address = address->stripAndAccumulateConstantOffsets(layout, constant, true);
        found = isCounters(address, increment.Key);
        offset = constant.getSExtValue() + access->getOffset();
    }
    if (!found || offset < 8 * COUNTERS_HEADER_WORDS)
        return false;
    increment.Counter = offset / 8 - COUNTERS_HEADER_WORDS;
    StringRef name = names.getName(instruction.getOpcode());
    const MachineOperand &last = instruction.getOperand(instruction.getNumExplicitOperands() - 1);
    increment.By = 1;
    if (last.isImm() && name.starts_with("ADD"))
        increment.By = last.getImm();
    else if (last.isImm() && name.starts_with("SUB"))
        increment.By = -last.getImm();
    return true;
}

// Is the memory that of a trace's events, or of rounds, by its type?
static bool isOf(const MDNode *tag, StringRef memory)
{
    auto *type = tag && tag->getNumOperands() > 1 ? dyn_cast<MDNode>(tag->getOperand(1)) : nullptr;
    auto *name = type && type->getNumOperands() ? dyn_cast<MDString>(type->getOperand(0)) : nullptr;
    return name && name->getString() == memory;
}
static bool isOfEvents(const MDNode *tag)
{
    return isOf(tag, SHIM_EVENTS_TYPE);
}
static bool isOfRounds(const MDNode *tag)
{
    return isOf(tag, SHIM_ROUNDS_TYPE);
}

// Finds the addresses to which the function writes events. Machine instructions lose the type where
// the code generator lets variables share stack memory, but keep the address.
void findEvents(const Function &function, Addresses &addresses)
{
    addresses.clear();
    for (const Instruction &instruction : instructions(function))
        if (auto *store = dyn_cast<StoreInst>(&instruction);
            store && isOfEvents(store->getMetadata(LLVMContext::MD_tbaa)))
            addresses.insert(store->getPointerOperand());
}

// Does the instruction write an event of a trace? Sets which one, if it is a constant. Records and
// words of addresses are larger than events; a thunk begins with a record.
bool isEvent(const MachineInstr &instruction, const Addresses &addresses, bool enters, uint32_t &event)
{
    uint64_t mask = 0;
    bool record = false;
    for (const MachineMemOperand *access : instruction.memoperands()) {
        bool ours = access->isStore() && !isOfRounds(access->getAAInfo().TBAA) &&
                    (isOfEvents(access->getAAInfo().TBAA) || addresses.contains(access->getValue()));
        uint64_t size = access->getMemoryType().isValid() ? access->getMemoryType().getSizeInBytes() : 0;
        if (ours && (size == 1 || size == 2))
            mask = size == 1 ? 0xff : 0xffff;
        record |= ours && size == 8;
    }
    if (record && enters)
        event = PLACE_ENTERS;
    if (record)
        return enters;
    if (!mask)
        return false;
    const MachineOperand &last = instruction.getOperand(instruction.getNumExplicitOperands() - 1);
    event = last.isImm() ? static_cast<uint32_t>(static_cast<uint64_t>(last.getImm()) & mask) : 0;
    return true;
}

// The number of a slot of crash histories, if the variable is one; or SLOTS_NONE.
static uint32_t slotOf(const Value *variable)
{
    auto *alloca = dyn_cast_or_null<AllocaInst>(variable);
    const MDNode *tag = alloca ? alloca->getMetadata(CRASH_SLOT_METADATA) : nullptr;
    return tag ? uint32_t(mdconst::extract<ConstantInt>(tag->getOperand(0))->getZExtValue()) : SLOTS_NONE;
}

// How many numbers the ring has that the slot is; 0: it is none.
static uint32_t ringOf(const Value *slot)
{
    const MDNode *tag = cast<AllocaInst>(slot)->getMetadata(CRASH_SLOT_METADATA);
    return uint32_t(mdconst::extract<ConstantInt>(tag->getOperand(1))->getZExtValue());
}

// Where the frame object is, whatever instruction a frame stands at. In a frame that is aligned anew
// the distance from the CFA is not known.
static slots_place placeOf(const MachineFunction &function, int object)
{
    enum { COUNT_BYTES = 8 }; // in front of the numbers of a ring
    const MachineFrameInfo &frame = function.getFrameInfo();
    const TargetRegisterInfo &registers = *function.getSubtarget().getRegisterInfo();
    const TargetFrameLowering &lowering = *function.getSubtarget().getFrameLowering();
    uint32_t ring = ringOf(frame.getObjectAllocation(object));
    auto size = uint32_t(frame.getObjectSize(object)), bytes = ring ? (size - COUNT_BYTES) / ring : size;
    if (!registers.hasStackRealignment(function))
        return {SLOTS_CFA, frame.getObjectOffset(object), bytes, ring};
    Register base;
    int64_t offset = lowering.getFrameIndexReference(function, object, base).getFixed();
    enum { RBX = 3, RBP = 6, RSP = 7 };
    switch (registers.getDwarfRegNum(base, false)) {
    case RBX:
        return {SLOTS_RBX, offset, bytes, ring};
    case RBP:
        return {SLOTS_RBP, offset, bytes, ring};
    case RSP: // calls that push their arguments move it
        if (lowering.hasReservedCallFrame(function))
            return {SLOTS_RSP, offset, bytes, ring};
    }
    return {SLOTS_LOST, 0, bytes, ring};
}

// The places of a function's slots, by number.
void findSlots(const MachineFunction &function, crash_code &slots)
{
    const MachineFrameInfo &frame = function.getFrameInfo();
    for (const Instruction &i : instructions(function.getFunction()))
        if (uint32_t slot = slotOf(&i); slot != SLOTS_NONE)
            crash_code_set_place(&slots, slot, {SLOTS_LOST, 0, 1, ringOf(&i)});
    for (int i = 0; i < frame.getObjectIndexEnd(); i++)
        if (uint32_t slot = slotOf(frame.getObjectAllocation(i));
            slot != SLOTS_NONE && !frame.isDeadObjectIndex(i))
            crash_code_set_place(&slots, slot, placeOf(function, i));
}

// What the instruction stores to a slot; slot SLOTS_NONE: nothing.
crash_store storeOf(const MachineInstr &instruction, const TargetInstrInfo &names)
{
    crash_store store = {SLOTS_NONE, CRASH_UNMARKED, 0};
    uint32_t bits = 0;
    for (const MachineMemOperand *access : instruction.memoperands())
        if (uint32_t slot = slotOf(access->getValue());
            slot != SLOTS_NONE && access->isStore() && !ringOf(access->getValue())) {
            store.slot = slot;
            bits = cast<AllocaInst>(access->getValue())->getAllocatedType()->getIntegerBitWidth();
        }
    if (store.slot == SLOTS_NONE)
        return store;
    StringRef name = names.getName(instruction.getOpcode());
    const MachineOperand &last = instruction.getOperand(instruction.getNumExplicitOperands() - 1);
    bool constant = last.isImm();
    if (name.starts_with("MOV") && constant)
        store.op = CRASH_SET, store.value = uint32_t(last.getImm());
    else if (name.starts_with("ADD") && constant)
        store.op = CRASH_ADD, store.value = uint32_t(last.getImm());
    else if (name.starts_with("SUB") && constant)
        store.op = CRASH_ADD, store.value = -uint32_t(last.getImm());
    else if (name.starts_with("INC"))
        store.op = CRASH_ADD, store.value = 1;
    else if (name.starts_with("DEC"))
        store.op = CRASH_ADD, store.value = UINT32_MAX;
    if (bits == 8)
        store.value &= 0xff;
    return store;
}

// Is it what the code generator made, and never changes: the constant pool, the table of offsets, the
// thread's pointer (at %fs:0); or what cannot change or fault?
static bool isConstant(const MachineMemOperand &access, const MachineFrameInfo &frame)
{
    enum { FS = 257 };
    const PseudoSourceValue *made = access.getPseudoValue();
    if (made)
        return made->isConstant(&frame);
    return (access.getAddrSpace() == FS && isa_and_nonnull<ConstantPointerNull>(access.getValue())) ||
           (access.isInvariant() && access.isDereferenceable());
}

bool readsConstants(const MachineInstr &instruction)
{
    if (!instruction.mayLoad() || instruction.mayStore() || instruction.isCall() ||
        instruction.isTerminator() || instruction.hasOrderedMemoryRef())
        return false;
    const MachineFrameInfo &frame = instruction.getMF()->getFrameInfo();
    return !instruction.memoperands_empty() &&
           all_of(instruction.memoperands(),
                  [&](const MachineMemOperand *access) { return isConstant(*access, frame); });
}

bool dividesIntegers(const MachineInstr &instruction, const TargetInstrInfo &names)
{
    StringRef name = names.getName(instruction.getOpcode());
    name.consume_front("I");
    return name.consume_front("DIV") && !name.empty() && isDigit(name[0]); // others divide floating point
}

// May the instruction fault, or do what other code can see? Accesses to the stack, constants and
// tables of the code generator do not count, and neither do those to the function's own variables.
bool isSeen(const MachineInstr &instruction, const TargetInstrInfo &names, const Addresses &events)
{
    if (instruction.isTerminator() || instruction.isCall() || instruction.getFlag(MachineInstr::FrameSetup) ||
        instruction.getFlag(MachineInstr::FrameDestroy))
        return false;
    if (instruction.isInlineAsm())
        return instruction.hasUnmodeledSideEffects() && tagOf(instruction).empty();
    if (dividesIntegers(instruction, names))
        return true;
    if (!instruction.mayLoadOrStore() || readsConstants(instruction))
        return false;
    for (const MachineMemOperand *access : instruction.memoperands()) {
        const Value *address = access->getValue();
        uint64_t key;
        if (access->getPseudoValue() || !address || events.contains(address) ||
            isOfEvents(access->getAAInfo().TBAA) || isOfRounds(access->getAAInfo().TBAA))
            continue;
        address = getUnderlyingObject(address);
        bool ours = isCounters(address, key) || address->getName() == COUNTERS_DELTA_SYMBOL ||
                    address->getName() == TRACE_THREAD_SYMBOL || slotOf(address) != SLOTS_NONE;
        if (!ours && (!isa<AllocaInst>(address) || access->isVolatile() || access->isAtomic()))
            return true;
    }
    return false;
}

// Can other code see when the instruction was executed?
bool isOrdered(const MachineInstr &instruction)
{
    return instruction.isInlineAsm() || instruction.mayStore() || instruction.hasOrderedMemoryRef();
}
