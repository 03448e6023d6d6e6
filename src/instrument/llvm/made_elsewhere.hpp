/*
 * Three of LLVM's passes make loads and stores where the source has none, and give them the locations
 * of the source's: LICM keeps a variable in a register while a loop runs, and stores it after the
 * loop; GVN loads early, in the blocks before a load, and so does jump threading. Their positions
 * (positions.h) would say that control stands where it does not, so they lose them. Other passes copy
 * instructions together with the blocks around them, which is right.
 */
#ifndef COTREE_INSTRUMENT_LLVM_MADE_ELSEWHERE_HPP
#define COTREE_INSTRUMENT_LLVM_MADE_ELSEWHERE_HPP

namespace llvm
{
class PassBuilder;
}

void watchMadeElsewhere(llvm::PassBuilder &builder);

#endif
