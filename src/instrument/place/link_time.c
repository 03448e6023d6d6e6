#include "instrument/place/link_time.h"
#include "instrument/place/positions.h"
#include "instrument/llvm/shim.h"

bool link_time_prepare(LLVMModuleRef module)
{
    if (!positions_are_marked_here())
        return false;
    carried_pack(module);
    shim_watch_printer(module, true);
    return true;
}
