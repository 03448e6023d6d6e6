/*
 * What the kernel told the program when it started it (auxiliary.c).
 */
#ifndef COTREE_RUNTIME_LOADER_AUXILIARY_H
#define COTREE_RUNTIME_LOADER_AUXILIARY_H

#include <stdint.h>

void cotree_auxiliary_start(char **environment);
/* The value of AT_... word TYPE; 0: there is none. */
uint64_t cotree_auxiliary(uint64_t type);

#endif
