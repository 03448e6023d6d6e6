// What passes that move the counts of paths ask of the code around them.
#ifndef COTREE_INSTRUMENT_LLVM_PATH_CODE_HPP
#define COTREE_INSTRUMENT_LLVM_PATH_CODE_HPP

#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

// A count is made on so many edges at most, and so much code is copied at most.
constexpr unsigned MOST_EDGES = 16, MOST_BLOCKS = 12, MOST_INSTRUCTIONS = 32, MOST_LOOKED_AT = 400;

class PathCode
{
    llvm::Value *Annotation;

  public:
    PathCode(llvm::Value *annotation) : Annotation(annotation) {}

    bool isPathMarker(llvm::Instruction &i) const;
    bool isAnyMarker(llvm::Instruction &i) const;
    // May counts move over the instruction, and may it be copied?
    bool isQuiet(llvm::Instruction &i) const;
    // The blocks before the block, if code can be put on the edge from each of them.
    static bool predecessorsOf(llvm::BasicBlock *block, llvm::SmallVectorImpl<llvm::BasicBlock *> &before);
};

#endif
