/* Plans of graphs given as text: what each placement costs. */
#ifndef COTREE_CLI_GRAPH_TEXT_H
#define COTREE_CLI_GRAPH_TEXT_H

#include <stdbool.h>

/* format: "text" or "dot"; placement: NULL for all. Writes to standard output and returns an exit status. */
#pragma weak cmd_graph_text
int cmd_graph_text(const char *path, const char *format, const char *placement, bool from_stdin);

#endif
