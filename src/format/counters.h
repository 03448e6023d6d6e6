/*
 * Counters in memory, as the compiler lays them out and the runtime maps them. Shared by
 * instrument, runtime and decode; no other header is needed to read it.
 *
 * Words
 *   array      the counters of one function: 64-bit words. The first is its key (the hash of its
 *              map record, never 0), the second the number of counters; then the counters of all
 *              its plans follow.
 *   block      here: all arrays of one module, for one thread. It is memory and file at once.
 *   image      what a block is before anything has counted: headers and zeros
 *
 * Example: a function with two counters that ran three times, once through its second edge:
 *
 *     0x9d1c33ae10f27b05   2   3   1
 *
 * Invariants
 *  1. The two header words are part of the initialised image, so they are in every block of every
 *     thread. A reader walks the block and skips zero words between arrays; comdat, --gc-sections
 *     and the order of linking need no table of offsets.
 *  2. In executables (code that is not -fPIC) arrays are thread-local, local-exec, in section
 *     COUNTERS_TLS_SECTION. The runtime puts a page-aligned end after it
 *     (COUNTERS_TLS_END_SECTION). The pages hold nothing else.
 *  3. In code compiled with -fPIC arrays are ordinary data in section COUNTERS_PIC_SECTION. That is
 *     the image of a block; nothing counts in it. Each thread has `cotree_delta` (thread-local,
 *     initial-exec, hidden, one per module): the distance from the image to the thread's block of
 *     this module, or 0 before the thread has one. A function reads it once,
 *         delta = cotree_delta; if (delta == 0) delta = cotree_attach();
 *     and counts at (char *)array + delta. cotree_attach never returns 0 once the runtime has
 *     started, and keeps all general registers but rax and r11 (preserve_most), so that functions
 *     pay for it only when they call it.
 *  4. After fork the child finds its own block at the same address.
 */
#ifndef COTREE_FORMAT_COUNTERS_H
#define COTREE_FORMAT_COUNTERS_H

#define COUNTERS_TLS_SECTION "__cotree_tls"
#define COUNTERS_TLS_END_SECTION "__cotree_tlz"
#define COUNTERS_PIC_SECTION "__cotree_pic"
#define COUNTERS_HEADER_WORDS 2

/* Prefix of the symbol of a function's array. The function's linkage name follows; for comdat, the
 * key; and ".pic" in -fPIC code, since one program may hold both kinds. */
#define COUNTERS_SYMBOL_PREFIX "__cotree."
/* The same for the array of a final function (format/map/final.h), which is never shared between
 * units. */
#define COUNTERS_FINAL_PREFIX "__cotree.final."
#define COUNTERS_DELTA_SYMBOL "cotree_delta"
#define COUNTERS_ATTACH_SYMBOL "cotree_attach"
/* Called where an exception that stopped at a landing pad of an inlined function goes on. The
 * unwinder sees machine functions only, and knows nothing of it. */
#define COUNTERS_GOES_ON_SYMBOL "cotree_exception_goes_on"
/* Called before a jump that no library function makes (__builtin_longjmp). The runtime does not see
 * the frames that it leaves, so the run is declared not to be exact. */
#define COUNTERS_UNSEEN_JUMP_SYMBOL "cotree_unseen_jump"
/* Of code that is collected in parts (plan/parts/slices.h): the thread's x, a thread-local word; what
 * is called with the number of a switch point when a stretch ends there; and a byte by which the
 * runtime knows that the program has such code. */
#define COUNTERS_PART_SYMBOL "cotree_part_x"
#define COUNTERS_SWITCH_SYMBOL "cotree_part_switch"
#define COUNTERS_IN_PARTS_SYMBOL "cotree_is_in_parts"
/* Every instrumented object refers to it, hidden, and the runtime defines it: a plain link fails
 * with this name. */
#define COUNTERS_LINK_SYMBOL "cotree_runtime_is_missing_so_link_with_cotree_cc"

#endif
