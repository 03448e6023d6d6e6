/*
 * Functions of the C library that never lead to code of the program: around calls of them nothing has to be
 * written, and no branch must be decided before them. Only what programs call often, and never define
 * themselves: a traced function of that name would be entered where nobody expects it. No allocation
 * (programs bring their own), nothing that takes a function, nothing that may not return.
 */
#include "instrument/trace_names.h"

#include <stdlib.h>
#include <string.h>

/* Sorted by name. */
static const char *const plain_names[] = {
    "__ctype_b_loc",
    "__ctype_get_mb_cur_max",
    "__ctype_tolower_loc",
    "__ctype_toupper_loc",
    "__errno_location",
    "__isoc99_sscanf",
    "__memcpy_chk",
    "__memmove_chk",
    "__memset_chk",
    "__snprintf_chk",
    "__sprintf_chk",
    "__strcat_chk",
    "__strcpy_chk",
    "__strncpy_chk",
    "acos",
    "asin",
    "atan",
    "atan2",
    "atoi",
    "atol",
    "bcmp",
    "ceil",
    "clock",
    "clock_gettime",
    "close",
    "cos",
    "cosh",
    "exp",
    "exp2",
    "fabs",
    "feof",
    "ferror",
    "fflush",
    "fgetc",
    "fgets",
    "fileno",
    "floor",
    "fmod",
    "fprintf",
    "fputc",
    "fputs",
    "fread",
    "frexp",
    "fstat",
    "ftell",
    "fwrite",
    "getc",
    "getchar",
    "getpid",
    "gettimeofday",
    "isalnum",
    "isalpha",
    "isatty",
    "iscntrl",
    "isdigit",
    "isgraph",
    "islower",
    "isprint",
    "ispunct",
    "isspace",
    "isupper",
    "isxdigit",
    "labs",
    "ldexp",
    "localeconv",
    "log",
    "log10",
    "log2",
    "lseek",
    "lseek64",
    "lstat",
    "memchr",
    "memcmp",
    "memcpy",
    "memmove",
    "memrchr",
    "memset",
    "modf",
    "open",
    "pow",
    "printf",
    "putc",
    "putchar",
    "puts",
    "read",
    "rint",
    "round",
    "sin",
    "sinh",
    "snprintf",
    "sprintf",
    "sqrt",
    "stat",
    "strcasecmp",
    "strcat",
    "strchr",
    "strcmp",
    "strcoll",
    "strcpy",
    "strcspn",
    "strlen",
    "strncasecmp",
    "strncat",
    "strncmp",
    "strncpy",
    "strpbrk",
    "strrchr",
    "strspn",
    "strstr",
    "strtod",
    "strtol",
    "strtoul",
    "tan",
    "tanh",
    "time",
    "tolower",
    "toupper",
    "trunc",
    "ungetc",
    "unlink",
    "vfprintf",
    "vsnprintf",
    "write",
};

static int compare(const void *name, const void *entry)
{
    return strcmp(name, *(const char *const *)entry);
}

bool trace_name_is_plain(const char *name)
{
    return bsearch(name, plain_names, sizeof plain_names / sizeof *plain_names, sizeof *plain_names,
                   compare) != NULL;
}

/* Reserved for the implementation, or of libraries that are never traced: by how they begin. */
static const char *const library_prefixes[] = {
    "__",       "_IO_", "_ZNS", "_ZNKS",  "_ZS", "_ZN9__gnu_cxx", "_ZNK9__gnu_cxx", "_ZN10__cxxabiv1",
    "pthread_", "sem_", "sig",  "getopt",
};

bool trace_name_is_of_library(const char *name)
{
    for (size_t i = 0; i < sizeof library_prefixes / sizeof *library_prefixes; i++)
        if (!strncmp(name, library_prefixes[i], strlen(library_prefixes[i])))
            return true;
    return trace_name_is_plain(name);
}
