/* Where files go that are not kept. */
#ifndef COTREE_BASE_TEMPORARY_H
#define COTREE_BASE_TEMPORARY_H

/* What TMPDIR says, or /tmp. */
const char *temporary_directory(void);

#endif
