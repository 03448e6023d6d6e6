/* Plans of graphs given as text (cotree-graph-format(5)): what each placement costs, or one of them
 * in full. */
#ifndef COTREE_CLI_GRAPH_TEXT_H
#define COTREE_CLI_GRAPH_TEXT_H

#include "graph/weights.h"

#include "base/error.h"

#include <stdbool.h>

/*
 * format: "text" or "dot"; placement: NULL for all (dot then shows "edges"). weights: the rule to
 * guess weights by for planning, also where the file gives some (they then only say what the plans
 * cost); NULL: plan with the file's, or guess as usual. Writes to standard output, whole or not at
 * all, and returns an exit status; what is wrong is one line on standard error.
 */
int cmd_graph_text(const char *path, const char *format, const char *placement, bool from_stdin,
                   const struct weight_options *weights);

/* Reads RULE[,LOOP[,BRANCH]] of --weights: "repaired" or "paper", then the two factors of struct
 * weight_options. */
bool graph_text_weights(struct weight_options *weights, const char *value, struct error *error);

#endif
