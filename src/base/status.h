/* How a process ended, as a shell says it. */
#ifndef COTREE_BASE_STATUS_H
#define COTREE_BASE_STATUS_H

#include <sys/wait.h>

enum { STATUS_OF_SIGNALS = 128 }; /* and the number of the signal that ended it */

static inline int status_for_shell(int status)
{
    return WIFSIGNALED(status) ? STATUS_OF_SIGNALS + WTERMSIG(status) : WEXITSTATUS(status);
}

#endif
