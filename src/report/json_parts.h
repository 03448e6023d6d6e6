/* What the writers of JSON share: text that is valid UTF-8 whatever it was, and counts that may be
 * unknown. */
#ifndef COTREE_REPORT_JSON_PARTS_H
#define COTREE_REPORT_JSON_PARTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Writes what stands before the value, then the text, or null when there is none. */
void json_put_member(FILE *out, const char *before, const char *text);
/* Writes the count, or null when it is not known. */
void json_put_count(FILE *out, bool known, int64_t count);
const char *json_truth(bool b);

#endif
