// Carries the unit's IR, as clang made it, into its object (format/carry/units.h).
#ifndef COTREE_INSTRUMENT_LLVM_CARRY_HPP
#define COTREE_INSTRUMENT_LLVM_CARRY_HPP

#include "llvm/IR/PassManager.h"

struct buffer;
struct instrument_options;
struct unit_options;

// Writes the module as a record, before any pass has changed it. clang has left the words of its
// command line in the module (-fembed-bitcode=marker); they are taken out. Carries nothing of a unit
// that was compiled before (-emit-llvm): what clang made of it first is gone; nor of one whose assembly
// includes files, which are gone when it is woven.
void carryTake(llvm::Module &module, llvm::ModuleAnalysisManager &manager, const instrument_options &options,
               buffer &record);
// Does assembly in the module name directives that read files? Macros of the assembler can hide them.
bool carryIncludesFiles(const llvm::Module &module);
// Puts the record into the section .cotree.ir; in bitcode, into metadata.
void carryPut(llvm::Module &module, const instrument_options &options, const buffer &record);
// Ends the compilation if another variant has the same code (INSTRUMENT_SHARE_OPTION).
void carryShare(llvm::Module &module, llvm::ModuleAnalysisManager &manager, const std::string &place,
                const unit_options &options);
// Takes out of a unit without counters what clang would not have made for itself.
void carryForget(llvm::Module &module);

#endif
