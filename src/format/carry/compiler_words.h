/*
 * Which words of `clang -cc1` travel with a unit, and which of those that arrive are obeyed.
 *
 * Words that only matter to what comes before the IR (includes, macros, warnings, language) are
 * dropped when the unit is carried: they say nothing about the code, and name places of the
 * builder's machine. A program that carries words is data, and whoever wrote it may wish harm: only
 * words that shape code, and are known to do nothing else, are obeyed when it is woven. All others
 * are refused by name: what loads code, writes or reads files, or is simply not known.
 */
#ifndef COTREE_FORMAT_CARRY_COMPILER_WORDS_H
#define COTREE_FORMAT_CARRY_COMPILER_WORDS_H

#include "base/error.h"
#include "base/words.h"

/* Adds what is to travel of the words of a compilation: all but those before the IR, cotree's own
 * and those that say what kind of output is wanted. */
void compiler_words_keep(struct words *kept, const struct words *all);
/* False, with the reason, if one of the words may not be obeyed. */
bool compiler_words_check(const struct words *words, struct error *error);

#endif
