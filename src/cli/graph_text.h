/* Plans of graphs given as text (cotree-graph-format(5)): what each placement costs, or one of them in full.
 */
#ifndef COTREE_CLI_GRAPH_TEXT_H
#define COTREE_CLI_GRAPH_TEXT_H

#include <stdbool.h>

/*
 * format: "text" or "dot"; placement: NULL for all (dot then shows "edges"). Writes to standard output, whole
 * or not at all, and returns an exit status; what is wrong is one line on standard error.
 */
int cmd_graph_text(const char *path, const char *format, const char *placement, bool from_stdin);

#endif
