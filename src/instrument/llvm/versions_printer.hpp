// Watches LLVM's printer of machine code; versions of LLVM offer different ways to do so.
#ifndef COTREE_INSTRUMENT_LLVM_VERSIONS_PRINTER_HPP
#define COTREE_INSTRUMENT_LLVM_VERSIONS_PRINTER_HPP

#include "instrument/llvm/versions.h"

#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/AsmPrinterHandler.h"
#include "llvm/CodeGen/DebugHandlerBase.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCStreamer.h"

#include <memory>

namespace versions
{
// Linkers that keep the section that is being printed keep that of the symbol, too.
inline void keepWithSection(llvm::AsmPrinter &printer, const llvm::MCSymbol *symbol)
{
    llvm::MCSymbol *here = printer.OutContext.createTempSymbol();
    printer.OutStreamer->emitLabel(here);
    auto *at = llvm::MCSymbolRefExpr::create(here, printer.OutContext),
         *kept = llvm::MCSymbolRefExpr::create(symbol, printer.OutContext);
#if LLVM_VERSION_MAJOR >= 22
    printer.OutStreamer->emitRelocDirective(*at, "R_X86_64_NONE", kept);
#else
    printer.OutStreamer->emitRelocDirective(*at, "R_X86_64_NONE", kept, llvm::SMLoc(),
                                            *printer.TM.getMCSubtargetInfo());
#endif
}

#if LLVM_VERSION_MAJOR == 19
// LLVM 19 lets others add handlers of debug information only.
class PrinterWatcher : public llvm::DebugHandlerBase
{
  public:
    explicit PrinterWatcher(llvm::AsmPrinter &printer) : DebugHandlerBase(&printer)
    {
        Asm = nullptr; // what the base class does for variables and scopes is not wanted
    }
    // Before any instruction of the function, and before debug information looks at it.
    virtual void functionBegins() = 0;
    void skippedNonDebugFunction() final
    {
        functionBegins();
    }
    void beginModule(llvm::Module *) override {}
    void beginFunctionImpl(const llvm::MachineFunction *) override {}
    void endFunctionImpl(const llvm::MachineFunction *) override {}
};
inline void watch(llvm::AsmPrinter &printer, std::unique_ptr<PrinterWatcher> watcher)
{
    printer.addDebugHandler(std::move(watcher));
}
#else
class PrinterWatcher : public llvm::AsmPrinterHandler
{
  public:
    explicit PrinterWatcher(llvm::AsmPrinter &) {}
    virtual void functionBegins() = 0;
    void beginFunction(const llvm::MachineFunction *) override
    {
        functionBegins();
    }
    void endFunction(const llvm::MachineFunction *) override {}
    void setSymbolSize(const llvm::MCSymbol *, uint64_t) override {} // pure in old versions
};
inline void watch(llvm::AsmPrinter &printer, std::unique_ptr<PrinterWatcher> watcher)
{
#if LLVM_VERSION_MAJOR > 19
    printer.addAsmPrinterHandler(std::move(watcher));
#else
    printer.addAsmPrinterHandler(
        llvm::AsmPrinter::HandlerInfo(std::move(watcher), "cotree", "places", "cotree", "places"));
#endif
}
#endif
} // namespace versions

#endif
