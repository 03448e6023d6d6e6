/*
 * The auxiliary vector: what the kernel told the program when it started it (getauxval). An
 * executable reads it where it lies, after the environment, since a function named getauxval may be
 * the program's own. A library may be loaded after the environment has moved, so it asks the C
 * library.
 */
#include <errno.h>
#include <stddef.h>
#include <sys/auxv.h>
#include "runtime/loader/auxiliary.h"
#include "runtime/interpose.h"

#ifdef COTREE_RUNTIME_SHARED

BORROWED(getauxval)

void cotree_auxiliary_start(char **environment)
{
    (void)environment;
    (void)BORROW(getauxval);
}

uint64_t cotree_auxiliary(uint64_t type)
{
    int kept = errno; /* it changes if there is no such word */
    uint64_t value = BORROW(getauxval) != NULL ? BORROW(getauxval)(type) : 0;
    errno = kept;
    return value;
}

#else

static const uint64_t *words; /* pairs of type and value, ended by AT_NULL */

void cotree_auxiliary_start(char **environment)
{
    while (*environment != NULL)
        environment++;
    words = (const uint64_t *)(environment + 1);
}

uint64_t cotree_auxiliary(uint64_t type)
{
    for (const uint64_t *word = words; word != NULL && word[0] != AT_NULL; word += 2)
        if (word[0] == type)
            return word[1];
    return 0;
}

#endif
