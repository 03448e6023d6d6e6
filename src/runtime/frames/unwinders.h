/*
 * Where the unwinders of C++ are (unwinders.c).
 */
#ifndef COTREE_RUNTIME_FRAMES_UNWINDERS_H
#define COTREE_RUNTIME_FRAMES_UNWINDERS_H

#include <stdbool.h>
#include <stdint.h>

/* The one that is linked with the program, and the one that the C library takes; they may be the
 * same. */
#define UNWINDERS 2u
extern struct cotree_unwinder_code {
    uint64_t low, length; /* all of its functions; length 0: not known */
} cotree_unwinder_code[UNWINDERS];

/* Is this an address in the range of its functions? */
static inline bool cotree_is_unwinder(uint64_t pc)
{
    return pc - cotree_unwinder_code[0].low < cotree_unwinder_code[0].length ||
           pc - cotree_unwinder_code[1].low < cotree_unwinder_code[1].length;
}

/* Its functions: _Unwind_RaiseException, _Resume, _ForcedUnwind, _Resume_or_Rethrow, _Backtrace. */
enum kind { RAISE, RESUME, FORCED, RETHROW, BACKTRACE, KINDS, NO_KIND = KINDS };
#define FUNCTION_LENGTH 0x800u /* none of them is longer */
#define ITSELF_LENGTH 0x100u   /* it looks itself up first of all */

void cotree_unwinders_start(void);
/* The function that holds the address, if it is less than LENGTH inside. */
enum kind cotree_unwinder_kind_at(uint64_t pc, uint64_t length);
/* Called first for every question of the unwinder. True: it was a test whether questions come at
 * all. */
bool cotree_unwinder_is_tested(void);

/* In dynamic executables. */
/* Is that the _Unwind_RaiseException of an unwinder that is known? */
bool cotree_unwinder_is_known(uint64_t raise);
/* Is CALLER near the code of an unwinder that is known? */
bool cotree_unwinder_is_near(uint64_t caller);
/* libgcc_s, when it was not linked with the program: looks for it, by dlopen with this mode.
 * Returns whether it was found now. */
bool cotree_unwinder_find_loaded(int mode);
/* A function of an unwinder that was loaded after the program, or NULL. */
void *cotree_unwinder_function(const char *name);

#endif
