/* Names as people write them. */
#ifndef COTREE_DECODE_LINES_DEMANGLE_H
#define COTREE_DECODE_LINES_DEMANGLE_H

#include <stdbool.h>

/* The C++ name of a linkage name; a copy of the linkage name when it has none. Newly allocated. */
char *demangle(const char *linkage_name);
/* A C++ name without parameters and returned type: "a::b<int>" of "int a::b<int>(int) const". Newly
 * allocated. */
char *demangled_bare_name(const char *name);
/* The glob matches the linkage name, the demangled name, or the demangled name without its
 * parameters. */
bool name_matches(const char *glob, const char *linkage_name, const char *shown_name);

#endif
