/* Puts a unit's map into its object file, in a section that is never loaded. */
#ifndef COTREE_INSTRUMENT_PLACE_MAP_SECTION_H
#define COTREE_INSTRUMENT_PLACE_MAP_SECTION_H

#include "base/buffer.h"

#include <llvm-c/Core.h>
#include <stdbool.h>

/* needs_runtime: the link fails without it. */
void map_section_add(LLVMModuleRef module, const struct buffer *payload, bool needs_runtime);

#endif
