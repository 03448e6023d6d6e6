/* What is known of functions by their names. */
#ifndef COTREE_INSTRUMENT_TRACE_NAMES_H
#define COTREE_INSTRUMENT_TRACE_NAMES_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Does the function never call back into the program, throw, jump or end it? */
bool trace_name_is_plain(const char *name);

/* Does LLVM assume by its name that it allocates or frees memory, and touches nothing else? */
bool trace_name_allocates(const char *name);
/* Is it of a library that no program brings along, and that is never traced? */
bool trace_name_is_of_library(const char *name);

#ifdef __cplusplus
}
#endif

#endif
