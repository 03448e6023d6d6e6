// Whether anyone reads the names of local values once the module is instrumented: AddressSanitizer and
// MemorySanitizer print those of variables, which clang keeps for them to the end.
#ifndef COTREE_INSTRUMENT_LLVM_NAMES_HPP
#define COTREE_INSTRUMENT_LLVM_NAMES_HPP

#include "llvm/IR/Module.h"

inline bool namesAreRead(const llvm::Module &module)
{
    for (const llvm::Function &function : module)
        for (auto kind : {llvm::Attribute::SanitizeAddress, llvm::Attribute::SanitizeHWAddress,
                          llvm::Attribute::SanitizeMemory})
            if (function.hasFnAttribute(kind))
                return true;
    return false;
}

#endif
