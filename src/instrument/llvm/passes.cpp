// The passes, where they stand in clang's pipeline, and the option that tells them what to do.
#include "instrument/count/tail_calls.h"
#include "instrument/llvm/carry.hpp"
#include "instrument/crash/lower.h"
#include "instrument/llvm/loop_counts.hpp"
#include "instrument/llvm/made_elsewhere.hpp"
#include "instrument/llvm/path_inlining.hpp"
#include "instrument/llvm/path_tails.hpp"
#include "instrument/llvm/shim.h"
#include "instrument/llvm/trace_registers.hpp"
#include "instrument/llvm/trace_rounds.hpp"
#include "instrument/llvm/versions_plugin.hpp"
#include "instrument/marker/marker.h"
#include "instrument/place/link_time.h"
#include "instrument/unit_context.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Transforms/Instrumentation/PGOInstrumentation.h"
#include "llvm/Transforms/Scalar/TailRecursionElimination.h"

#include <memory>

using namespace llvm;

static cl::opt<std::string> OptionString(INSTRUMENT_OPTION, cl::Hidden, cl::init(""),
                                         cl::desc("what `cotree cc` wants (src/instrument/options.h)"));
static cl::opt<bool> Carry(INSTRUMENT_CARRY_OPTION, cl::Hidden, cl::init(false),
                           cl::desc("the object carries the unit's IR (src/format/carry/units.h)"));
static cl::opt<std::string> Share(INSTRUMENT_SHARE_OPTION, cl::Hidden, cl::init(""),
                                  cl::desc("where variants say what they are like"));
static cl::opt<bool> Woven(INSTRUMENT_WOVEN_OPTION, cl::Hidden, cl::init(false),
                           cl::desc("the IR was carried (cotree weave)"));

namespace
{
// The options, parsed when clang builds its pipeline; the passes in it share them.
class Options
{
    std::string Text;

  public:
    unit_options Given;
    explicit Options(const std::string &text) : Text(text)
    {
        unit_options_init(&Given, Text.c_str());
    }
    Options(const Options &) = delete;
    Options &operator=(const Options &) = delete;
    ~Options()
    {
        unit_options_release(&Given);
    }
};
using SharedOptions = std::shared_ptr<const Options>;

unit_context *contextOf(LLVMContext &context, const SharedOptions &options)
{
    unit_context *found = unit_context_of(wrap(&context));
    found->options = &options->Given;
    return found;
}

// The module's name goes where paths of the source go: into what is carried, and into hashes.
void mapName(Module &module, const instrument_options &options)
{
    char *mapped = prefix_maps_apply(&options.source_maps, module.getSourceFileName().c_str());
    module.setSourceFileName(mapped);
    free(mapped);
}

// clang adds flags to the module before the first pass (-funified-lto), and has done so before the IR was
// carried: equal ones are one.
void dropRepeatedFlags(Module &module)
{
    NamedMDNode *flags = module.getModuleFlagsMetadata();
    if (!flags)
        return;
    SmallSetVector<MDNode *, 16> different(flags->op_begin(), flags->op_end());
    flags->clearOperands();
    for (MDNode *flag : different)
        flags->addOperand(flag);
}

// The first and the last pass are required: clang runs them at -O0, and on functions marked
// optnone, too.
struct First : PassInfoMixin<First> {
    SharedOptions Shared;
    explicit First(SharedOptions options) : Shared(std::move(options)) {}
    PreservedAnalyses run(Module &module, ModuleAnalysisManager &manager)
    {
        if (Woven)
            dropRepeatedFlags(module);
        if (Woven && verifyModule(module, &errs()))
            report_fatal_error("what was carried is no valid IR", /*gen_crash_diag=*/false);
        if (Woven && carryIncludesFiles(module))
            report_fatal_error("what was carried includes files in its assembly", /*gen_crash_diag=*/false);
        if (Woven && module.getNamedMetadata(INSTRUMENT_DONE_MARK))
            report_fatal_error("what was carried has been compiled before", /*gen_crash_diag=*/false);
        unit_context_end(wrap(&module.getContext())); // of a unit before this one that was not printed
        unit_context *context = contextOf(module.getContext(), Shared);
        const instrument_options &options = Shared->Given.parsed;
        mapName(module, options);
        // AddressSanitizer writes the module's name into the code. A unit that is woven comes from a
        // file of another name.
        module.setModuleIdentifier(module.getSourceFileName());
        if (Carry)
            carryTake(module, manager, options, context->carried);
        if (options.no_counters && options.lines_only && !options.use)
            carryForget(module);
        bool changed = instrument_module(wrap(&module), context);
        if (!Share.empty())
            carryShare(module, manager, Share, Shared->Given);
        return changed || Carry ? PreservedAnalyses::none() : PreservedAnalyses::all();
    }
    static bool isRequired()
    {
        return true;
    }
};

// Where clang turns recursion into loops, and once more at the end, which is the only time at -O1.
struct Recursion : PassInfoMixin<Recursion> {
    PreservedAnalyses run(Function &function, FunctionAnalysisManager &manager)
    {
        marker_list moved = {};
        if (!tail_recursion_before(wrap(&function), &moved))
            return PreservedAnalyses::all();
        TailCallElimPass().run(function, manager);
        tail_recursion_after(wrap(&function), &moved);
        return PreservedAnalyses::none();
    }
};

// Where most of the optimiser's work on branches is done: markers of slots that nobody can read go.
struct CrashDead : PassInfoMixin<CrashDead> {
    PreservedAnalyses run(Function &function, FunctionAnalysisManager &)
    {
        unit_context *context = unit_context_of(wrap(&function.getContext()));
        return crash_drop_dead(wrap(&function), &context->crash, &context->positions)
                   ? PreservedAnalyses::none()
                   : PreservedAnalyses::all();
    }
};

// In a linker (-flto; lld alone loads passes), where First has not run: what bitcode carries gets
// numbers of this process before any pass moves it.
struct Unpack : PassInfoMixin<Unpack> {
    PreservedAnalyses run(Module &module, ModuleAnalysisManager &)
    {
        LLVMContextRef llvm = wrap(&module.getContext());
        if (unit_context_of(llvm)->options || !module.getFunction(MARKER_INTRINSIC))
            return PreservedAnalyses::all();
        unit_context_end(llvm); // of a module without counters
        unit_context *context = unit_context_of(llvm);
        carried_unpack(wrap(&module), &context->positions, &context->crash);
        return PreservedAnalyses::none();
    }
    static bool isRequired()
    {
        return true;
    }
};

struct Last : PassInfoMixin<Last> {
    SharedOptions Shared;
    bool Optimised;
    Last(SharedOptions options, bool optimised) : Shared(std::move(options)), Optimised(optimised) {}
    PreservedAnalyses run(Module &module, ModuleAnalysisManager &manager)
    {
        if (!unit_context_of(wrap(&module.getContext()))->options)
            return PreservedAnalyses::all(); // a linker: markers stay until code is generated (link_time.h)
        auto &functions = manager.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
        unit_context *context = contextOf(module.getContext(), Shared);
        const instrument_options &options = Shared->Given.parsed;
        bool tail_calls = Optimised && options.durable;
        if (Optimised && options.trace)
            for (Function &function : module)
                traceMovesOnInMemory(function), traceCountsCalls(function);
        for (Function &function : module)
            if (tail_calls && !function.isDeclaration() && !function.hasOptNone()) {
                Recursion().run(function, functions);
                tail_calls_hoist(wrap(&function), &context->positions);
            }
        bool tails = Optimised && unit_options_move_counts(&Shared->Given) && !options.lto;
        for (Function &function : module)
            if (tails && !function.isDeclaration() && !function.hasOptNone())
                PathTails().run(function, functions);
        bool changed = lower_module(wrap(&module), Optimised, context);
        if (context->carried.length)
            carryPut(module, options, context->carried), changed = true;
        return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
    }
    static bool isRequired()
    {
        return true;
    }
};

// What clang tells a callback after the level differs between versions of LLVM: `auto...`.
void addPasses(PassBuilder &builder)
{
    SharedOptions options = std::make_shared<const Options>(OptionString);
    watchMadeElsewhere(builder);
    builder.registerPipelineStartEPCallback(
        [options](ModulePassManager &manager, OptimizationLevel) { manager.addPass(First(options)); });
    builder.registerPeepholeEPCallback([options](FunctionPassManager &manager, OptimizationLevel) {
        if (options->Given.parsed.durable)
            manager.addPass(Recursion());
    });
    builder.registerPipelineEarlySimplificationEPCallback(
        [options](ModulePassManager &manager, OptimizationLevel level, auto...) {
            manager.addPass(Unpack());
            if (level != OptimizationLevel::O0 && unit_options_promote_calls(&options->Given))
                manager.addPass(PGOIndirectCallPromotion());
        });
    builder.registerFullLinkTimeOptimizationEarlyEPCallback(
        [](ModulePassManager &manager, OptimizationLevel) { manager.addPass(Unpack()); });
    builder.registerScalarOptimizerLateEPCallback([options](FunctionPassManager &manager, OptimizationLevel) {
        if (unit_options_count_paths(&options->Given))
            manager.addPass(PathInlining());
    });
    builder.registerVectorizerStartEPCallback(
        [options](FunctionPassManager &manager, OptimizationLevel level) {
            if (level != OptimizationLevel::O0 && unit_options_move_counts(&options->Given))
                manager.addPass(LoopCounts());
            const instrument_options &parsed = options->Given.parsed;
            if (level != OptimizationLevel::O0 && parsed.crash)
                manager.addPass(CrashDead());
            if (level != OptimizationLevel::O0 && parsed.trace && !parsed.trace_addresses &&
                parsed.witness < WITNESS_PATHS) // witnesses that are not gathered
                manager.addPass(TraceRounds());
            if (level != OptimizationLevel::O0 && parsed.trace)
                manager.addPass(TraceRegisters());
        });
    builder.registerOptimizerLastEPCallback(
        [options](ModulePassManager &manager, OptimizationLevel level, auto...) {
            manager.addPass(Last(options, level != OptimizationLevel::O0));
        });
}
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK __attribute__((visibility("default"))) PassPluginLibraryInfo
llvmGetPassPluginInfo()
{
    return {LLVM_PLUGIN_API_VERSION, "cotree", COTREE_VERSION, addPasses};
}
