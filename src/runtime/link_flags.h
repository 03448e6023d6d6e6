/*
 * The flags that the compiler driver adds when it links a program with the runtime, beside the
 * object itself (lib/cotree/runtime-VARIANT.o). Written for the driver of src/cli, which includes
 * this and nothing else of the runtime. The lists end with NULL and are flags of clang.
 *
 *   runtime-exec.o    dynamic executables, PIE or not. The C library must find the runtime's
 *                     definitions, so they are exported.
 *   runtime-static.o  -static and -static-pie. The linker wraps the calls: nothing is interposed
 *                     at run time.
 *   runtime-shared.o  -shared. Nothing is needed: the library looks at run time for a runtime that
 *                     started first.
 *
 * The object of an executable comes before all other inputs: lld lays sections out in the order in
 * which it meets them, and nothing of the program may lie between the counters and their end.
 *
 *   trace-VARIANT.a   after all inputs, before runtime-shared.a: linked when something records a
 *                     trace.
 *
 * ld.bfd (2.35 and later), lld and gold understand all flags. Exactly one runtime object per link;
 * `-r` and `-c` get none.
 */
#ifndef COTREE_RUNTIME_LINK_FLAGS_H
#define COTREE_RUNTIME_LINK_FLAGS_H

#include "runtime/watched_functions.h"

/* Symbols that traced code of all modules shares (format/trace/layout.h); other programs have none
 * of them. */
#define RUNTIME_TRACE_SYMBOLS(X)                                                                             \
    X(cotree_trace_thread)                                                                                   \
    X(cotree_trace_functions)                                                                                \
    X(cotree_trace_begin)                                                                                    \
    X(cotree_trace_begin_addresses) X(cotree_trace_room) X(cotree_trace_land) X(cotree_trace_rounds)

#define RUNTIME_EXPORT_FLAG(name, ...) "-Wl,--export-dynamic-symbol=" #name,
#define RUNTIME_WRAP_FLAG(name, ...) "-Wl,--wrap=" #name,
/* Where all references are wrapped, no archive is searched for the real function unless it is asked
 * for. */
#define RUNTIME_ASK_FLAG(name, ...) "-Wl,-u," #name,

/* clang-format off */
__attribute__((unused)) static const char *const runtime_exec_link_flags[] = {
    "-Wl,--export-dynamic-symbol=cotree_runtime_v2",
    RUNTIME_TRACE_SYMBOLS(RUNTIME_EXPORT_FLAG)
    WATCHED_EVERYWHERE(RUNTIME_EXPORT_FLAG)
    WATCHED_IF_POSSIBLE(RUNTIME_EXPORT_FLAG)
    WATCHED_DYNAMIC(RUNTIME_EXPORT_FLAG)
    WATCHED_ALIASES(RUNTIME_EXPORT_FLAG)
    WATCHED_LOOKUPS(RUNTIME_EXPORT_FLAG)
    (const char *)0};

__attribute__((unused)) static const char *const runtime_static_link_flags[] = {
    WATCHED_START(RUNTIME_WRAP_FLAG)
    WATCHED_EVERYWHERE(RUNTIME_WRAP_FLAG)
    WATCHED_IF_POSSIBLE(RUNTIME_WRAP_FLAG)
    WATCHED_STATIC(RUNTIME_WRAP_FLAG)
    WATCHED_STATIC(RUNTIME_ASK_FLAG)
    RUNTIME_ASK_FLAG(_Unwind_Resume)
    (const char *)0};
/* clang-format on */

__attribute__((unused)) static const char *const runtime_shared_link_flags[] = {(const char *)0};

#endif
