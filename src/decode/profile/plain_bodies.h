/*
 * Inline functions whose body in the program is not the counted one. The linker keeps one body of
 * an inline function (or template) for all units, and the loader one for all modules; if that is
 * the body of a unit without counters, calls that were not inlined run there, and nothing counts
 * them. Such a function is declared. It is known
 *  1. by its calls: counted code has called it by name more often than its bodies were entered;
 *  2. by its code: counted code calls it in a machine call or jump, or takes its address, and no
 *     counted code of any module is the body of a function of that name. The symbol table confirms
 *     it; a module without one is believed where its table of places shows a call.
 */
#ifndef COTREE_DECODE_PROFILE_PLAIN_BODIES_H
#define COTREE_DECODE_PROFILE_PLAIN_BODIES_H

#include "decode/profile/decoder.h"

/* Calls declare for each such function of a finished profile. */
void plain_bodies_find(struct decoder *d, struct profile *profile,
                       void (*declare)(struct decoder *d, struct profile_function *f));

#endif
