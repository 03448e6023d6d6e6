// Reads the positions that locations in bitcode carry (link_time.h).
#ifndef COTREE_INSTRUMENT_LLVM_CARRIED_HPP
#define COTREE_INSTRUMENT_LLVM_CARRIED_HPP

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DebugInfoMetadata.h"

#include <cstdint>
#include <vector>

struct position_table;
struct crash_table;

class CarriedPositions
{
    position_table &Positions;
    crash_table *Crash; // gets what tables say of crash histories; or nullptr
    llvm::DenseMap<const llvm::DIFile *, std::vector<uint32_t>> Tables; // row -> number in this process

  public:
    explicit CarriedPositions(position_table &positions, crash_table *crash = nullptr)
        : Positions(positions), Crash(crash)
    {
    }
    // The number of a location's own position; 0 when it has none of ours.
    uint32_t numberOf(const llvm::DILocation *at);
    // The file that locations with numbers of this process name, at link time; nullptr: that of
    // their scope.
    static llvm::DIFile *here(const position_table &positions, llvm::LLVMContext &context);
    // Is there something of ours in the location?
    static bool isMarked(const position_table &positions, const llvm::DILocation *at);
};

#endif
