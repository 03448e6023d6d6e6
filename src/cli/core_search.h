/* Finds the newest core of a program: where the kernel writes cores, or with systemd's coredumpctl. */
#ifndef COTREE_CLI_CORE_SEARCH_H
#define COTREE_CLI_CORE_SEARCH_H

#include "base/error.h"

/* The path of the core, newly allocated; NULL: there is none. *temporary: it is to be removed. */
char *core_search(const char *program, bool *temporary, struct error *error);

#endif
