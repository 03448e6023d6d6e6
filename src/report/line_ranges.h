/* Lines of one file: ranges that increase and do not meet. */
#ifndef COTREE_REPORT_LINE_RANGES_H
#define COTREE_REPORT_LINE_RANGES_H

#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>

struct line_range {
    uint32_t first, last;
};
struct line_ranges ARRAY_OF(struct line_range);

/* Adds a line that is not before the last one. */
void line_ranges_add(struct line_ranges *ranges, uint32_t line);
bool line_ranges_hold(const struct line_ranges *ranges, uint32_t line);

#endif
