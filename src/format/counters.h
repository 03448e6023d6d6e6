/*
 * Counters in memory, as the compiler lays them out and the runtime maps them. Shared by instrument, runtime
 * and decode; no other header is needed to read it.
 *
 * Each function has one array of 64-bit words: its key (the hash of its map record, never 0), the number of
 * counters, then the counters of all its plans. The two header words are part of the initialised image, so
 * they are in every block of every thread and comdat, --gc-sections and link order need no table of offsets:
 * a reader walks the block, skipping zero words between arrays.
 *
 * Executables (code that is not -fPIC): arrays are thread-local, local-exec, in section COUNTERS_TLS_SECTION.
 * The runtime puts a page-aligned end (COUNTERS_TLS_END_SECTION) behind it; the pages hold nothing else.
 *
 * Code compiled with -fPIC: arrays are ordinary data in section COUNTERS_PIC_SECTION, which is never counted
 * into: it is the image of a block. Each thread has `cotree_delta` (thread-local, initial-exec, hidden, one
 * per module), the distance from the image to the thread's block of this module, or 0 before the thread has
 * one. A function reads it once,
 *     delta = cotree_delta; if (delta == 0) delta = cotree_attach();
 * and counts at (char *)array + delta. cotree_attach never returns 0 once the runtime has started, and keeps
 * all general registers but rax and r11 (preserve_most), so that functions pay for it only when they call it.
 * After fork the child finds its own block at the same address.
 */
#ifndef COTREE_FORMAT_COUNTERS_H
#define COTREE_FORMAT_COUNTERS_H

#define COUNTERS_TLS_SECTION "__cotree_tls"
#define COUNTERS_TLS_END_SECTION "__cotree_tlz"
#define COUNTERS_PIC_SECTION "__cotree_pic"
#define COUNTERS_PIC_END_SECTION "__cotree_piz"
#define COUNTERS_HEADER_WORDS 2

/* Prefix of the symbol of a function's array; followed by the function's linkage name and, for comdat, the
 * key, and ".pic" in -fPIC code: one program may hold both kinds. */
#define COUNTERS_SYMBOL_PREFIX "__cotree."
#define COUNTERS_DELTA_SYMBOL "cotree_delta"
#define COUNTERS_ATTACH_SYMBOL "cotree_attach"
/* Called where an exception that stopped at a landing pad of an inlined function goes on: the unwinder, which
 * sees machine functions only, knows nothing of it. */
#define COUNTERS_GOES_ON_SYMBOL "cotree_exception_goes_on"
/* Called before a jump that no function of a library makes (__builtin_longjmp): the frames it leaves are not
 * seen, and the run is said not to be exact. */
#define COUNTERS_UNSEEN_JUMP_SYMBOL "cotree_unseen_jump"
/* Undefined in every instrumented object, hidden; defined by the runtime. A plain link fails with this name.
 */
#define COUNTERS_LINK_SYMBOL "cotree_runtime_is_missing_so_link_with_cotree_cc"

#endif
