#include "instrument/llvm/place_sections.hpp"
#include "format/slots/tunable.h"
#include "instrument/llvm/versions_printer.hpp"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCSectionELF.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/MCSymbolELF.h"

using namespace llvm;

static StringRef groupOf(const MCSection *section)
{
    const MCSymbol *symbol = static_cast<const MCSectionELF *>(section)->getGroup();
    return symbol ? symbol->getName() : StringRef();
}

PlaceSections::Unit PlaceSections::emitPositions(ArrayRef<PrintedFunction *> functions, StringRef group)
{
    MCStreamer &out = *Printer.OutStreamer;
    std::vector<places_function *> places;
    for (const PrintedFunction *function : functions)
        places.push_back(function->Places);
    size_t length;
    uint8_t *bytes = places_unit(places.data(), places.size(), &length);
    out.switchSection(Printer.OutContext.getELFSection(POSITIONS_SECTION, ELF::SHT_PROGBITS,
                                                       group.empty() ? 0 : ELF::SHF_GROUP, 0, group, true));
    MCSymbol *begin = Printer.OutContext.createTempSymbol();
    out.emitLabel(begin);
    out.emitBytes(StringRef(reinterpret_cast<char *>(bytes), length));
    uint32_t tag = places_unit_tag(bytes);
    free(bytes);
    return {begin, tag, nullptr};
}

// The table of slots of the same functions.
MCSymbol *PlaceSections::emitSlots(ArrayRef<PrintedFunction *> functions, StringRef group, Unit positions)
{
    slots_unit unit = {};
    unit.tag = positions.Tag;
    for (PrintedFunction *function : functions) {
        size_t count;
        const uint64_t *keys = places_keys(function->Places, &count);
        crash_unit_add(&unit, &Crash, &function->Slots, keys, count);
    }
    size_t length;
    uint8_t *bytes = crash_unit_write(&unit, &length);
    MCStreamer &out = *Printer.OutStreamer;
    out.switchSection(Printer.OutContext.getELFSection(SLOTS_SECTION, ELF::SHT_PROGBITS,
                                                       group.empty() ? 0 : ELF::SHF_GROUP, 0, group, true));
    MCSymbol *begin = Printer.OutContext.createTempSymbol();
    out.emitLabel(begin);
    out.emitInt32(SLOTS_MAGIC);
    out.emitInt32(uint32_t(4 + 4 + length)); // offset and tag
    out.emitSymbolValue(positions.Positions, 4);
    out.emitInt32(positions.Tag);
    out.emitBytes(StringRef(reinterpret_cast<char *>(bytes), length));
    free(bytes);
    return begin;
}

// What the counters of final functions mean goes into the map; linkers drop it together with
// the code.
void PlaceSections::emitFinals(ArrayRef<uint64_t> keys, StringRef group)
{
    size_t length;
    uint8_t *bytes = places_finals(&Positions, keys.data(), keys.size(), &length);
    Printer.OutStreamer->switchSection(Printer.OutContext.getELFSection(
        PLACES_FINALS_SECTION, ELF::SHT_PROGBITS, group.empty() ? 0 : ELF::SHF_GROUP, 0, group, true));
    Printer.OutStreamer->emitBytes(StringRef(reinterpret_cast<char *>(bytes), length));
    free(bytes);
}

// The sum, by halves: the assembler's recursion is as deep as the expression.
const MCExpr *PlaceSections::sum(ArrayRef<const MCExpr *> terms)
{
    if (terms.size() == 1)
        return terms[0];
    size_t half = terms.size() / 2;
    return MCBinaryExpr::createAdd(sum(terms.take_front(half)), sum(terms.drop_front(half)),
                                   Printer.OutContext);
}

// Functions [first, end) of the unit, which are all in one section.
void PlaceSections::emitPlaces(ArrayRef<PrintedFunction *> unit, size_t first, size_t end, Unit positions)
{
    MCStreamer &out = *Printer.OutStreamer;
    MCContext &context = Printer.OutContext;
    const auto &text = *static_cast<const MCSectionELF *>(unit[first]->Section);
    StringRef group = groupOf(&text);
    unsigned flags = ELF::SHF_LINK_ORDER;
    if (!group.empty())
        flags |= ELF::SHF_GROUP;
    out.switchSection(Printer.OutContext.getELFSection(
        PLACES_SECTION, ELF::SHT_PROGBITS, flags, 0, group, true, text.getUniqueID(),
        static_cast<const MCSymbolELF *>(text.getBeginSymbol())));
    MCSymbol *recordBegins = Printer.OutContext.createTempSymbol(),
             *recordEnds = Printer.OutContext.createTempSymbol();
    // GNU ld collects a section that is not loaded, has relocations and belongs to no code.
    if (positions.Slots)
        versions::keepWithSection(Printer, positions.Slots);
    out.emitInt32(PLACES_MAGIC);
    out.emitAbsoluteSymbolDiff(recordEnds, recordBegins, 4);
    out.emitLabel(recordBegins);
    out.emitSymbolValue(unit[first]->Labels[0], 8);
    out.emitSymbolValue(positions.Positions, 4);
    out.emitInt32(positions.Tag);
    out.emitULEB128IntValue(first);
    out.emitULEB128IntValue(end - first);
    const MCSymbol *at = unit[first]->Labels[0];
    uint64_t known = positions.Tag * place_check_weight(0) + first * place_check_weight(1) +
                     (end - first) * place_check_weight(2);
    SmallVector<const MCExpr *, 0> terms = {MCSymbolRefExpr::create(at, context),
                                            MCConstantExpr::create(int64_t(known), context)};
    uint64_t number = 3;
    for (const PrintedFunction *function : unit.slice(first, end - first))
        for (const MCSymbol *label : function->Labels) {
            if (label == at) {
                out.emitInt8(0);
            } else {
                out.emitAbsoluteSymbolDiffAsULEB128(label, at);
                const MCExpr *distance = MCBinaryExpr::createSub(
                    MCSymbolRefExpr::create(label, context), MCSymbolRefExpr::create(at, context), context);
                terms.push_back(MCBinaryExpr::createMul(
                    distance, MCConstantExpr::create(int64_t(place_check_weight(number)), context), context));
            }
            at = label;
            number++;
        }
    out.emitValue(sum(terms), 8);
    out.emitLabel(recordEnds);
}

// Where the function and its plain body are, so that one can lead to the other.
void PlaceSections::emitTunable(const PrintedFunction &function)
{
    MCStreamer &out = *Printer.OutStreamer;
    const auto &text = *static_cast<const MCSectionELF *>(function.Section);
    StringRef group = groupOf(&text);
    unsigned flags = ELF::SHF_LINK_ORDER | (group.empty() ? 0 : ELF::SHF_GROUP);
    out.switchSection(function.Section); // linkers keep the plain body, and its table, with the function
    versions::keepWithSection(Printer, function.Plain);
    out.switchSection(Printer.OutContext.getELFSection(
        TUNABLE_SECTION, ELF::SHT_PROGBITS, flags, 0, group, true, text.getUniqueID(),
        static_cast<const MCSymbolELF *>(text.getBeginSymbol())));
    out.emitInt32(TUNABLE_MAGIC);
    out.emitInt32(TUNABLE_BYTES);
    out.emitInt64(function.Key);
    out.emitSymbolValue(function.Entry, 8);
    out.emitSymbolValue(function.Plain, 8);
    out.emitAbsoluteSymbolDiff(function.Labels.back(), function.Entry, 4);
    out.emitInt32(0);
    out.emitInt64(0);
}

void PlaceSections::emitUnit(ArrayRef<PrintedFunction *> functions, StringRef group)
{
    MapVector<const MCSection *, std::vector<PrintedFunction *>> sections;
    for (PrintedFunction *function : functions)
        sections[function->Section].push_back(function);
    std::vector<PrintedFunction *> unit;
    for (auto &section : sections)
        unit.insert(unit.end(), section.second.begin(), section.second.end());
    Unit positions = emitPositions(unit, group);
    if (Crash.functions.count)
        positions.Slots = emitSlots(unit, group, positions);
    size_t first = 0;
    for (auto &section : sections) {
        emitPlaces(unit, first, first + section.second.size(), positions);
        first += section.second.size();
    }
    for (const PrintedFunction *function : unit)
        if (function->Plain)
            emitTunable(*function);
}

PrintedFunction &PlaceSections::begin(uint64_t final)
{
    Functions.emplace_back();
    PrintedFunction &function = Functions.back();
    function.Places = places_begin(&Positions, final);
    function.Section = Printer.OutStreamer->getCurrentSectionOnly();
    return function;
}

void PlaceSections::addFinal(uint64_t key, const MCSection *section)
{
    Finals[groupOf(section)].push_back(key);
}

void PlaceSections::write()
{
    for (auto &group : Finals)
        emitFinals(group.second, group.first);
    MapVector<StringRef, std::vector<PrintedFunction *>> units; // by comdat group
    for (PrintedFunction &function : Functions)
        if (places_row_count(function.Places))
            units[groupOf(function.Section)].push_back(&function);
    for (auto &unit : units)
        emitUnit(unit.second, unit.first);
    for (PrintedFunction &function : Functions) {
        places_release(function.Places);
        crash_code_release(&function.Slots);
    }
}
