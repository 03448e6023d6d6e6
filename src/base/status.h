/* How a process ended, as a shell says it. */
#ifndef COTREE_BASE_STATUS_H
#define COTREE_BASE_STATUS_H

#include <sys/wait.h>

static inline int status_for_shell(int status)
{
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

#endif
