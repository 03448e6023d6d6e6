// Watching LLVM print machine code: after every machine instruction that matters a label, and for each function
// a record that says what the labels mean (places.c), in a section that is not loaded and is dropped with the
// function. Labels change nothing of the code.
//
// Numbers of positions travel in debug locations (positions.h). Before the writer of debug information sees a
// function they are taken out, so that what the user asked for is as it would be without us.
#include "instrument/places.h"
#include "format/counters.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/DebugHandlerBase.h"
#include "llvm/CodeGen/GCMetadata.h"
#include "llvm/CodeGen/GCMetadataPrinter.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GCStrategy.h"
#include "llvm/IR/Operator.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCSectionELF.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/Support/Registry.h"

using namespace llvm;

namespace
{
using Numbers = SmallVector<uint32_t, 8>;

// The numbers of a location and of the calls it was inlined into, innermost first.
Numbers numbersOf(const DILocation *at)
{
    Numbers numbers;
    for (; at; at = at->getInlinedAt())
        numbers.push_back(at->getDiscriminator());
    return numbers;
}

// Locations without our numbers. Calls that others were inlined into are distinct nodes and stay so.
class Cleaner
{
    DenseMap<const DILocation *, const DILocation *> Clean;

  public:
    const DILocation *clean(const DILocation *at)
    {
        if (!at)
            return nullptr;
        auto found = Clean.find(at);
        if (found != Clean.end())
            return found->second;
        DILocalScope *scope = at->getScope();
        const DILocation *outer = clean(at->getInlinedAt());
        bool marked = at->getDiscriminator();
        const DILocation *result = at;
        if (marked && !at->getLine() && !at->getColumn() && !outer && isa<DISubprogram>(cast<DILexicalBlockFile>(scope)->getScope())) {
            result = nullptr; // made by us
        } else if (marked || outer != at->getInlinedAt()) {
            if (marked)
                scope = cast<DILocalScope>(cast<DILexicalBlockFile>(scope)->getScope());
            auto *inlined = const_cast<DILocation *>(outer);
            result = at->isDistinct() ? DILocation::getDistinct(at->getContext(), at->getLine(), at->getColumn(), scope,
                                                                inlined, at->isImplicitCode())
                                      : DILocation::get(at->getContext(), at->getLine(), at->getColumn(), scope,
                                                        inlined, at->isImplicitCode());
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

// One function, while it is printed and until the end of the module.
struct PrintedFunction {
    places_function *Places = places_begin();
    MCSection *Section = nullptr;
    SmallVector<MCSymbol *, 0> Labels;
};

class Watcher : public DebugHandlerBase
{
    AsmPrinter &Printer;
    Cleaner TheCleaner;
    std::vector<PrintedFunction> Functions;
    DenseMap<const MachineInstr *, Numbers> NumbersOf;
    PrintedFunction *Current = nullptr;
    const MachineInstr *Last = nullptr, *Now = nullptr;

    uint32_t label()
    {
        MCSymbol *symbol = Printer.OutContext.createTempSymbol();
        Printer.OutStreamer->emitLabel(symbol);
        Current->Labels.push_back(symbol);
        return Current->Labels.size() - 1;
    }

    void emit(PrintedFunction &function)
    {
        places_record record;
        if (!places_end(function.Places, function.Labels.size() - 1, &record))
            return;
        MCStreamer &out = *Printer.OutStreamer;
        const MCSectionELF &text = *cast<MCSectionELF>(function.Section);
        unsigned flags = ELF::SHF_LINK_ORDER;
        StringRef group;
        if (const MCSymbol *symbol = text.getGroup()) {
            group = symbol->getName();
            flags |= ELF::SHF_GROUP;
        }
        out.switchSection(Printer.OutContext.getELFSection(PLACES_SECTION, ELF::SHT_PROGBITS, flags, 0, group, true,
                                                           text.getUniqueID(),
                                                           cast<MCSymbolELF>(text.getBeginSymbol())));
        size_t at = 0;
        auto bytes = [&](size_t end) {
            out.emitBytes(StringRef(reinterpret_cast<char *>(record.bytes) + at, end - at));
            at = end;
        };
        bytes(record.address_at);
        out.emitSymbolValue(function.Labels[0], 8);
        at += 8;
        // The first hole is the size, which was added last.
        auto fill = [&](const places_hole &hole) {
            bytes(hole.at);
            out.emitAbsoluteSymbolDiff(function.Labels[hole.label], function.Labels[0], 4);
            at += 4;
        };
        fill(record.holes[record.hole_count - 1]);
        for (size_t i = 0; i + 1 < record.hole_count; i++)
            fill(record.holes[i]);
        bytes(record.length);
        places_release(&record);
    }

  public:
    explicit Watcher(AsmPrinter &printer) : DebugHandlerBase(&printer), Printer(printer)
    {
        Asm = nullptr; // what the base class does for variables and scopes is not wanted
    }

    void beginModule(Module *) override {}

    void endModule() override
    {
        for (PrintedFunction &function : Functions)
            emit(function);
    }

    // Comes for every function, before any instruction and before debug information looks at it.
    void skippedNonDebugFunction() override
    {
        MachineFunction &function = *Printer.MF;
        Current = nullptr;
        NumbersOf.clear();
        Last = nullptr;
        if (function.hasBBSections())
            return;
        for (const MachineBasicBlock &block : function)
            for (const MachineInstr &instruction : block.instrs())
                if (!instruction.isMetaInstruction()) {
                    Last = &instruction;
                    if (instruction.isCall() && !instruction.isTerminator())
                        NumbersOf[&instruction] = numbersOf(instruction.getDebugLoc().get());
                }
        DISubprogram *subprogram = function.getFunction().getSubprogram();
        if (subprogram && subprogram->getUnit()->getEmissionKind() != DICompileUnit::NoDebug)
            TheCleaner.clean(function);
        if (!Last || NumbersOf.empty())
            return;
        Functions.emplace_back();
        Current = &Functions.back();
        Current->Section = const_cast<MCSection *>(function.getSection());
    }

    void beginInstruction(const MachineInstr *instruction) override
    {
        Now = instruction;
        if (Current && Current->Labels.empty())
            label();
    }

    void endInstruction() override
    {
        if (!Current)
            return;
        auto found = NumbersOf.find(Now);
        if (found != NumbersOf.end()) {
            uint32_t at = label();
            places_row(Current->Places, PLACE_CALL, at, found->second.data(), found->second.size());
        }
        if (Now == Last) {
            label();
            Current = nullptr;
        }
    }

    void beginFunctionImpl(const MachineFunction *) override {}
    void endFunctionImpl(const MachineFunction *) override {}
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
    void beginAssembly(Module &, GCModuleInfo &, AsmPrinter &printer) override
    {
        printer.addDebugHandler(std::make_unique<Watcher>(printer));
    }
};

GCRegistry::Add<Collector> AddCollector(PRINTER_COLLECTOR, "cotree: no collector, but a printer");
GCMetadataPrinterRegistry::Add<Printer> AddPrinter(PRINTER_COLLECTOR, "cotree: places");
} // namespace
