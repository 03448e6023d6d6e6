/*
 * The state that all rooms share (runtime.h).
 */
#include "runtime/runtime.h"

struct cotree_process cotree_process;
const struct cotree_runtime *cotree_host;
bool cotree_host_is_apart;
bool cotree_locked_in;
__attribute__((weak)) const struct cotree_trace_hooks cotree_trace_hooks = {NULL};
