#include "instrument/place/link_time.h"
#include "instrument/llvm/shim.h"
#include "instrument/place/positions.h"

bool link_time_prepare(LLVMModuleRef module, const struct position_table *t, const struct crash_table *crash)
{
    if (t->source != POSITIONS_MARKED)
        return false;
    carried_pack(module, t, crash);
    shim_watch_printer(module, true);
    return true;
}
