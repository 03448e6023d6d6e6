/* A progress line on stderr for long work; silent unless stderr is a terminal and the work takes
 * over half a second. */
#ifndef COTREE_BASE_PROGRESS_H
#define COTREE_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    const char *what;
    uint64_t total, shown_at_ms, started_ms;
    bool terminal, drawn;
};

struct progress progress_start(const char *what, uint64_t total);
void progress_update(struct progress *p, uint64_t done);
void progress_end(struct progress *p); /* wipes the line */

#endif
