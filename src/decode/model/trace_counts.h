/* What traces say of a function (struct trace_counts), as part of a file that is used whole or not at all. */
#ifndef COTREE_DECODE_MODEL_TRACE_COUNTS_H
#define COTREE_DECODE_MODEL_TRACE_COUNTS_H

#include "decode/model/module.h"

/* The file is good: what its trace says of the function joins the sums. */
void trace_counts_commit(struct decode_function *f);
/* It is not: as if it had never been read. */
void trace_counts_drop(struct decode_function *f);
void trace_counts_clear(struct trace_counts *t);

#endif
