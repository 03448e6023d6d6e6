#include "instrument/link_time.h"
#include "instrument/positions.h"
#include "instrument/shim.h"

bool link_time_prepare(LLVMModuleRef module)
{
    if (!positions_are_marked_here())
        return false;
    carried_pack(module);
    shim_watch_printer(module, true);
    return true;
}
