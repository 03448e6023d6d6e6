/*
 * Inline functions that differ between the units of a program, against the one-definition rule of
 * C++ (a macro that only some units define, say). A plain link keeps one of them for all units.
 * Where traces are recorded each unit calls its own (instrument/trace/split.c), so the program may
 * do something else than without traces: that is said.
 */
#ifndef COTREE_DECODE_PROFILE_ONE_DEFINITION_H
#define COTREE_DECODE_PROFILE_ONE_DEFINITION_H

#include "format/profile/profile.h"

/*
 * The next such function of the profile, which is sorted, from number *at on; NULL when there is
 * none. *at is then the number after it. Only functions that are written on other lines are told
 * apart; other code on the same lines is one function.
 */
const struct profile_function *one_definition_next(const struct profile *p, size_t *at);

#endif
