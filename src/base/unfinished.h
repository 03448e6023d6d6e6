/* A file that is being written under another name beside its own. A signal that ends this process
 * takes the file with it. There is one such file at a time. */
#ifndef COTREE_BASE_UNFINISHED_H
#define COTREE_BASE_UNFINISHED_H

/* Makes a new file beside target, for writing; the caller owns *name. Returns the descriptor, or -1
 * with errno set. */
int unfinished_create(const char *target, char **name);
/* The file has its own name now, or is removed. */
void unfinished_end(void);

#endif
