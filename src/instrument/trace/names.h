/* What is known of functions by their names alone. */
#ifndef COTREE_INSTRUMENT_TRACE_NAMES_H
#define COTREE_INSTRUMENT_TRACE_NAMES_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Does the function never call back into the program, throw, jump or end it? */
bool trace_name_is_plain(const char *name);

/* Does LLVM, by its name, take it for one that gives or takes memory and touches nothing else? */
bool trace_name_allocates(const char *name);
/* Is it of a library that programs do not bring along? */
bool trace_name_is_of_library(const char *name);

#ifdef __cplusplus
}
#endif

#endif
