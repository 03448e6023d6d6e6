// The header of LLVM's plugins, which moved in LLVM 22.
#ifndef COTREE_INSTRUMENT_LLVM_VERSIONS_PLUGIN_HPP
#define COTREE_INSTRUMENT_LLVM_VERSIONS_PLUGIN_HPP

#include "instrument/llvm/versions.h"

#if LLVM_VERSION_MAJOR >= 22
#include "llvm/Plugins/PassPlugin.h"
#else
#include "llvm/Passes/PassPlugin.h"
#endif

#endif
