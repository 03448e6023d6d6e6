// What places, slots and final functions of the printed code mean, in sections that are not loaded.
// Linkers drop them together with the code.
#ifndef COTREE_INSTRUMENT_LLVM_PLACE_SECTIONS_HPP
#define COTREE_INSTRUMENT_LLVM_PLACE_SECTIONS_HPP

#include "instrument/place/places.h"
#include "instrument/unit_context.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCSection.h"
#include "llvm/MC/MCSymbol.h"

#include <vector>

// One function, or one part of it, while it is printed and until the end of the module.
struct PrintedFunction {
    places_function *Places = nullptr;
    llvm::MCSection *Section = nullptr;
    llvm::SmallVector<llvm::MCSymbol *, 0> Labels;     // of its beginning, of each row, of its end
    crash_code Slots = {};                             // of crash histories
    llvm::MCSymbol *Entry = nullptr, *Plain = nullptr; // of a function that can be turned off
    uint64_t Key = 0;                                  // its key
};

class PlaceSections
{
    llvm::AsmPrinter &Printer;
    position_table &Positions;
    const crash_table &Crash;
    std::vector<PrintedFunction> Functions;
    llvm::MapVector<llvm::StringRef, std::vector<uint64_t>> Finals; // keys, by comdat group

    // How records of places refer to the record of positions of a unit.
    struct Unit {
        llvm::MCSymbol *Positions;
        uint32_t Tag;
        llvm::MCSymbol *Slots; // the record of slots, or nullptr
    };
    Unit emitPositions(llvm::ArrayRef<PrintedFunction *> functions, llvm::StringRef group);
    llvm::MCSymbol *emitSlots(llvm::ArrayRef<PrintedFunction *> functions, llvm::StringRef group,
                              Unit positions);
    void emitFinals(llvm::ArrayRef<uint64_t> keys, llvm::StringRef group);
    void emitPlaces(llvm::ArrayRef<PrintedFunction *> unit, size_t first, size_t end, Unit positions);
    void emitTunable(const PrintedFunction &function);
    void emitUnit(llvm::ArrayRef<PrintedFunction *> functions, llvm::StringRef group);
    const llvm::MCExpr *sum(llvm::ArrayRef<const llvm::MCExpr *> terms);

  public:
    PlaceSections(llvm::AsmPrinter &printer, unit_context &context)
        : Printer(printer), Positions(context.positions), Crash(context.crash)
    {
    }
    // A function, or a part of one, that begins in the section which is being printed. final: the
    // key of its final record, or 0. What is returned stays where it is until the next begins.
    PrintedFunction &begin(uint64_t final);
    // A final function, whose code is in the section.
    void addFinal(uint64_t key, const llvm::MCSection *section);
    // At the end of the module. Releases what was begun.
    void write();
};

#endif
