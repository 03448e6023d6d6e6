/* Names as people write them. */
#ifndef COTREE_REPORT_DEMANGLE_H
#define COTREE_REPORT_DEMANGLE_H

/* The C++ name behind a linkage name; a copy of the linkage name when there is none. Newly allocated. */
char *demangle(const char *linkage_name);
/* Length of a demangled name without its parameter list: of "a::b(int) const" that of "a::b". */
unsigned long demangled_name_length(const char *name);

#endif
